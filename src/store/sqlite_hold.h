/* sqlite_hold.h - the loops that a handle holds, and finding one. Private to store/.
 *
 * A loop has one driver: each change of hands raises its fence, every write carries the fence
 * under which this handle holds the loop, and a driver that was taken over writes nothing any
 * more.
 */
#ifndef MG_STORE_SQLITE_HOLD_H
#define MG_STORE_SQLITE_HOLD_H

#include "store/sqlite_rows.h"

typedef struct mg_held { /* a loop that was begun or resumed through this handle */
    mg_str id;
    int64_t fence;
    uint64_t last_event;
    bool ended; /* by us */
} mg_held;

typedef struct mg_sqlite_store {
    mg_store base;
    mg_arena *arena;
    mg_db db;
    struct {
        mg_held *items;
        size_t count, cap;
    } held;
} mg_sqlite_store;

static inline mg_sqlite_store *mg_sqlite_of(mg_store *store)
{
    return (mg_sqlite_store *)store;
}

mg_held *mg_sqlite_held(mg_sqlite_store *store, mg_str id); /* NULL: not held */
void mg_sqlite_hold(mg_sqlite_store *store, mg_str id, int64_t fence, uint64_t last_event);
MG_MUST_CHECK mg_status mg_sqlite_must_hold(mg_sqlite_store *store, mg_str id, mg_held **out,
                                            mg_err *err);

/* Why a write under our fence found no row; never MG_OK. */
MG_MUST_CHECK mg_status mg_sqlite_not_ours(mg_sqlite_store *store, const mg_held *mine,
                                           mg_err *err);

/* The id that is meant: whole, its beginning, or "last". */
MG_MUST_CHECK mg_status mg_sqlite_find(mg_sqlite_store *store, mg_str user, mg_str asked,
                                       mg_arena *arena, mg_str *out, mg_err *err);
mg_status mg_sqlite_no_such_loop(mg_str asked, mg_err *err);

MG_MUST_CHECK mg_status mg_sqlite_read(mg_sqlite_store *store, mg_str id, mg_arena *arena,
                                       mg_pursuit *loop, mg_owner *owner, mg_err *err);
MG_MUST_CHECK mg_status mg_sqlite_last_event(mg_sqlite_store *store, mg_str id, uint64_t *seq,
                                             mg_err *err);

/* sqlite_take.c: who has a loop. As in store.h. */
MG_MUST_CHECK mg_status mg_sqlite_begin(mg_store *store, const mg_pursuit *pursuit,
                                        const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                        mg_str *other, mg_err *err);
MG_MUST_CHECK mg_status mg_sqlite_resume(mg_store *store, mg_str user, mg_str id,
                                         const mg_owner *owner, int64_t now_ms, mg_arena *arena,
                                         mg_str *other, mg_err *err);
MG_MUST_CHECK mg_status mg_sqlite_cancel(mg_store *store, mg_str user, mg_str id, int64_t now_ms,
                                         mg_err *err);

#endif
