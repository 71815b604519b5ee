/* store.h - where loops are kept: one contract, a backend each (sqlite.c).
 *
 * Everything is written as it happens, so a killed driver loses nothing that was judged. A store
 * that is corrupt, full, read-only or newer than this program is an error with a sentence; it is
 * never read as "there is nothing". What a store says never makes a verdict: the running verdict
 * comes from memory alone.
 *
 * A handle belongs to one thread at a time and to the process that opened it. A loop is written by
 * the handle that began or resumed it, until another takes it over: from then on every write, and
 * mg_store_cancel_asked(), is MG_ERR_DENIED and says so.
 *
 * To add a backend: one file with an mg_store_kind; the suite in tests/contract/store runs over it.
 */
#ifndef MG_STORE_STORE_H
#define MG_STORE_STORE_H

#include "model/pursuit.h"

typedef struct mg_store mg_store;

typedef struct mg_owner { /* who runs a loop; dead when no such process is there any more */
    mg_str boot;          /* boot id */
    int64_t pid;
    uint64_t started; /* of the process, in clock ticks since boot: a pid is used again */
} mg_owner;

MG_MUST_CHECK mg_status mg_owner_self(mg_arena *arena, mg_owner *out, mg_err *err);
bool mg_owner_alive(const mg_owner *owner); /* in doubt, alive */

/* $XDG_STATE_HOME/makegood, or ~/.local/state/makegood; made with mode 0700. */
MG_MUST_CHECK mg_status mg_state_dir(const char *const *environ, mg_arena *arena, const char **out,
                                     mg_err *err);

/* The database in that directory. MG_ERR_INVALID: corrupt or newer; MG_ERR_DENIED: read-only, or
 * others may write it; MG_ERR_TIMEOUT: locked by another process; MG_ERR_SYSTEM: no room. A full
 * disk may also come as SIGXFSZ where there is a limit of file size: programs ignore it. */
MG_MUST_CHECK mg_status mg_store_open(const char *state_dir, mg_store **out, mg_err *err);
void mg_store_close(mg_store *store);
MG_DEFINE_AUTO(mg_store, mg_store_close)

/* A new loop, running, owned. One active loop per scope is a rule of the database.
 * MG_ERR_DENIED: another is active and alive; *other has its id. A dead one there is marked
 * errored/abandoned in the same transaction; *other has its id then, too (and the call is MG_OK).
 */
MG_MUST_CHECK mg_status mg_store_begin(mg_store *store, const mg_pursuit *pursuit,
                                       const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                       mg_str *other, mg_err *err);

/* In resume, cancel and load an id may be the beginning of one, where it is the only one
 * (otherwise MG_ERR_INVALID, naming two); "last" is the newest. */

/* Takes a loop that ended cancelled, abandoned or with a dead owner up again: running, owned by
 * `owner`. MG_ERR_NOT_FOUND; MG_ERR_INVALID: its state forbids it (with the state); MG_ERR_DENIED
 * as above. */
MG_MUST_CHECK mg_status mg_store_resume(mg_store *store, mg_str user, mg_str id,
                                        const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                        mg_str *other, mg_err *err);

MG_MUST_CHECK mg_status mg_store_baseline(mg_store *store, const mg_pursuit *pursuit, mg_err *err);

/* A finished attempt, once: the same number again is an error. The spent budget and `keep` go with
 * it. */
MG_MUST_CHECK mg_status mg_store_attempt(mg_store *store, const mg_pursuit *pursuit,
                                         const mg_attempt *attempt, mg_err *err);

/* Events are numbered from 1 in each loop, without a hole. json: the whole event object. */
MG_MUST_CHECK mg_status mg_store_event(mg_store *store, mg_str id, uint64_t seq, int64_t time_ms,
                                       const char *type, mg_str json, mg_err *err);
MG_MUST_CHECK mg_status mg_store_last_event(mg_store *store, mg_str id, uint64_t *seq, mg_err *err);

/* How many events of that type there are: an attempt may be kept whose end was not told any more.
 */
MG_MUST_CHECK mg_status mg_store_told(mg_store *store, mg_str id, const char *type, uint64_t *count,
                                      mg_err *err);

/* Status, reason, verified, message, spent, finished. A cancel that was asked for before this
 * stays visible: the loop is then stored (and *stored says so) as cancelled, not verified. Call it
 * before anybody is told. MG_ERR_INVALID where it is called verified and mg_pursuit_holds() does
 * not say so. */
MG_MUST_CHECK mg_status mg_store_finish(mg_store *store, const mg_pursuit *pursuit,
                                        mg_pursuit_status *stored, mg_err *err);

/* Asks for a cancel. MG_ERR_NOT_FOUND; MG_ERR_INVALID: it is not running. With a dead owner it is
 * cancelled at once. */
MG_MUST_CHECK mg_status mg_store_cancel(mg_store *store, mg_str user, mg_str id, int64_t now_ms,
                                        mg_err *err);
MG_MUST_CHECK mg_status mg_store_cancel_asked(mg_store *store, mg_str id, bool *asked, mg_err *err);

typedef struct mg_pursuits {
    mg_pursuit *items;
    size_t count, cap;
} mg_pursuits;

/* The newest first, without attempts and texts that only one loop needs. limit 0: all. */
MG_MUST_CHECK mg_status mg_store_list(mg_store *store, mg_str user, size_t limit, mg_arena *arena,
                                      mg_pursuits *out, mg_err *err);

/* One loop with everything. MG_ERR_NOT_FOUND also for another user's. owner may be NULL. An attempt
 * whose record is damaged is there with its number, the verdict unknown, an error that says so, and
 * a warning; a damaged goal, request or baseline, or a missing attempt, is MG_ERR_INVALID. */
MG_MUST_CHECK mg_status mg_store_load(mg_store *store, mg_str user, mg_str id, mg_arena *arena,
                                      mg_pursuit *out, mg_owner *owner, mg_err *err);

/* A new id: UUIDv7 of this time. */
MG_MUST_CHECK mg_status mg_id_new(mg_arena *arena, int64_t wall_ms, mg_str *out, mg_err *err);

#endif
