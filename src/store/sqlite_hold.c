/* sqlite_hold.c - see sqlite_hold.h. */
#include "store/sqlite_hold.h"

#include "base/vec.h"

/* --- Holding a loop --- */

mg_held *mg_sqlite_held(mg_sqlite_store *store, mg_str id)
{
    for (size_t i = 0; i < store->held.count; i++) {
        if (mg_str_eq(store->held.items[i].id, id))
            return &store->held.items[i];
    }
    return NULL;
}

void mg_sqlite_hold(mg_sqlite_store *store, mg_str id, int64_t fence, uint64_t last_event)
{
    mg_held *known = mg_sqlite_held(store, id);
    if (known == NULL) {
        mg_vec_push(store->arena, &store->held, (mg_held){.id = mg_str_copy(store->arena, id)});
        known = &store->held.items[store->held.count - 1];
    }
    known->fence = fence;
    known->last_event = last_event;
    known->ended = false;
}

mg_status mg_sqlite_must_hold(mg_sqlite_store *store, mg_str id, mg_held **out, mg_err *err)
{
    *out = mg_sqlite_held(store, id);
    return *out != NULL ? MG_OK
                        : mg_fail(err, MG_ERR_DENIED,
                                  "loop " MG_FMT " was neither begun nor resumed here: nothing is "
                                  "written for it",
                                  MG_ARG(id));
}

/* Why a write under our fence found no row. */
mg_status mg_sqlite_not_ours(mg_sqlite_store *store, const mg_held *mine, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_str status;
    int64_t fence;
    MG_TRY(mg_db_int(&store->db, "SELECT fence FROM loops WHERE id = ?1",
                     MG_VALS(mg_val_text(mine->id)), &fence, err));
    if (fence != mine->fence)
        return mg_fail(err, MG_ERR_DENIED,
                       "loop " MG_FMT " was taken over by another process: nothing more is "
                       "written for it here",
                       MG_ARG(mine->id));
    MG_TRY(mg_db_text(&store->db, "SELECT status FROM loops WHERE id = ?1",
                      MG_VALS(mg_val_text(mine->id)), scratch, &status, err));
    return mg_fail(err, MG_ERR_INVALID, "loop " MG_FMT " has ended (" MG_FMT ")", MG_ARG(mine->id),
                   MG_ARG(status));
}

/* --- Finding a loop --- */

mg_status mg_sqlite_no_such_loop(mg_str asked, mg_err *err)
{
    return mg_fail(err, MG_ERR_NOT_FOUND, "there is no loop '" MG_FMT "'; see: makegood loop list",
                   MG_ARG(asked));
}

static mg_status find_last(mg_sqlite_store *store, mg_str user, mg_arena *arena, mg_str *out,
                           mg_err *err)
{
    const mg_status s = mg_db_text(&store->db,
                                   "SELECT id FROM loops WHERE tenant = 'local' AND user = ?1"
                                   " ORDER BY seq DESC LIMIT 1",
                                   MG_VALS(mg_val_text(user)), arena, out, err);
    return s == MG_ERR_NOT_FOUND ? mg_fail(err, s, "there is no loop yet") : s;
}

/* The id that is meant: whole, its beginning, or "last". */
mg_status mg_sqlite_find(mg_sqlite_store *store, mg_str user, mg_str asked, mg_arena *arena,
                         mg_str *out, mg_err *err)
{
    if (mg_str_is(asked, "last"))
        return find_last(store, user, arena, out, err);
    if (asked.len == 0)
        return mg_fail(err, MG_ERR_NOT_FOUND, "no loop is named; see: makegood loop list");
    sqlite3_stmt *stmt;
    mg_str ids[2] = {{0}};
    size_t found = 0;
    bool row;
    MG_TRY(mg_db_start(&store->db,
                       "SELECT id FROM loops WHERE id >= ?1 AND substr(id, 1, length(?1)) = ?1"
                       " AND tenant = 'local' AND user = ?2 ORDER BY id LIMIT 2",
                       MG_VALS(mg_val_text(asked), mg_val_text(user)), &stmt, err));
    for (;;) {
        MG_TRY(mg_db_row(&store->db, stmt, &row, err));
        if (!row)
            break;
        ids[found++] = mg_col_text(&store->db, stmt, 0, arena);
    }
    if (found == 2)
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is the beginning of several loops: " MG_FMT ", " MG_FMT
                       "; write more of it",
                       MG_ARG(asked), MG_ARG(ids[0]), MG_ARG(ids[1]));
    if (found == 0)
        return mg_sqlite_no_such_loop(asked, err);
    *out = ids[0];
    return MG_OK;
}

mg_status mg_sqlite_read(mg_sqlite_store *store, mg_str id, mg_arena *arena, mg_pursuit *loop,
                         mg_owner *owner, mg_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    MG_TRY(mg_db_start(&store->db, "SELECT " MG_LOOP_COLUMNS " FROM loops WHERE id = ?1",
                       MG_VALS(mg_val_text(id)), &stmt, err));
    MG_TRY(mg_db_row(&store->db, stmt, &row, err));
    if (!row)
        return mg_sqlite_no_such_loop(id, err);
    const mg_status s = mg_row_loop(&store->db, stmt, arena, loop, owner, err);
    mg_db_end(&store->db, stmt);
    return s;
}

mg_status mg_sqlite_last_event(mg_sqlite_store *store, mg_str id, uint64_t *seq, mg_err *err)
{
    int64_t last;
    MG_TRY(mg_db_int(&store->db, "SELECT coalesce(max(seq), 0) FROM events WHERE loop_id = ?1",
                     MG_VALS(mg_val_text(id)), &last, err));
    *seq = (uint64_t)last;
    return MG_OK;
}
