/* kinds.h - what a backend is. Private to store/ and its tests.
 *
 * A backend keeps the promises of store.h for loops that are begun, resumed, written and read
 * through it. store.c has already refused what makes no sense for any of them.
 *
 * To add one: a file with an mg_store_kind, a line in store.c; tests/contract/store_test.c runs
 * over the table.
 */
#ifndef MG_STORE_KINDS_H
#define MG_STORE_KINDS_H

#include "store/store.h"

typedef struct mg_store_kind {
    const char *name;    /* "sqlite" */
    const char *summary; /* one line, for people */
    MG_MUST_CHECK mg_status (*open)(const char *state_dir, unsigned busy_ms, mg_store **out,
                                    mg_err *err);
    void (*close)(mg_store *store);
    MG_MUST_CHECK mg_status (*begin)(mg_store *store, const mg_pursuit *pursuit,
                                     const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                     mg_str *other, mg_err *err);
    MG_MUST_CHECK mg_status (*resume)(mg_store *store, mg_str user, mg_str id,
                                      const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                      mg_str *other, mg_err *err);
    MG_MUST_CHECK mg_status (*baseline)(mg_store *store, const mg_pursuit *pursuit, mg_err *err);
    MG_MUST_CHECK mg_status (*attempt)(mg_store *store, const mg_pursuit *pursuit,
                                       const mg_attempt *attempt, mg_err *err);
    MG_MUST_CHECK mg_status (*event)(mg_store *store, mg_str id, uint64_t seq, int64_t time_ms,
                                     const char *type, mg_str json, mg_err *err);
    MG_MUST_CHECK mg_status (*last_event)(mg_store *store, mg_str id, uint64_t *seq, mg_err *err);
    MG_MUST_CHECK mg_status (*told)(mg_store *store, mg_str id, const char *type, uint64_t *count,
                                    mg_err *err);
    MG_MUST_CHECK mg_status (*finish)(mg_store *store, const mg_pursuit *pursuit,
                                      mg_pursuit_status *stored, mg_err *err);
    MG_MUST_CHECK mg_status (*cancel)(mg_store *store, mg_str user, mg_str id, int64_t now_ms,
                                      mg_err *err);
    MG_MUST_CHECK mg_status (*cancel_asked)(mg_store *store, mg_str id, bool *asked, mg_err *err);
    MG_MUST_CHECK mg_status (*list)(mg_store *store, mg_str user, size_t limit, mg_arena *arena,
                                    mg_pursuits *out, mg_err *err);
    MG_MUST_CHECK mg_status (*load)(mg_store *store, mg_str user, mg_str id, mg_arena *arena,
                                    mg_pursuit *out, mg_owner *owner, mg_err *err);
} mg_store_kind;

struct mg_store { /* the first member of a backend's own */
    const mg_store_kind *kind;
};

enum { MG_STORE_BUSY_MS = 5000 }; /* how long another process may keep us from writing */

extern const mg_store_kind *const mg_store_kinds[]; /* ends with NULL; the first is the default */
extern const mg_store_kind mg_store_sqlite;

#endif
