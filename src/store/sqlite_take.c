/* sqlite_take.c - who has a loop: begin, resume, cancel.
 *
 * Of the loops of a scope one may be active: a unique partial index says so, and whoever finds a
 * dead one in the way ends it in the same transaction.
 */
#include "store/sqlite_hold.h"

#include <inttypes.h>

/* --- Beginning and resuming --- */

typedef struct taking { /* what begin and resume have in common */
    mg_sqlite_store *store;
    const mg_pursuit *pursuit; /* of begin */
    mg_str user, id;           /* of resume; then the id that was found */
    const mg_owner *owner;
    int64_t now_ms;
    mg_arena *arena;
    mg_str *other;
    int64_t fence;
    uint64_t last_event;
} taking;

/* Ends a loop nobody drives any more. The fence keeps its driver out, should it be alive after
 * all. */
static mg_status end_dead(mg_sqlite_store *store, mg_str id, mg_pursuit_status status, mg_why why,
                          int64_t now_ms, mg_err *err)
{
    return mg_db_run(&store->db,
                     "UPDATE loops SET status = ?2, reason = ?3, verified = 0, finished_ms = ?4,"
                     " fence = fence + 1 WHERE id = ?1",
                     MG_VALS(mg_val_text(id), mg_val_word(mg_pursuit_status_name(status)),
                             mg_val_word(mg_why_name(why)), mg_val_int(now_ms)),
                     NULL, err);
}

/* The active loop of a scope out of the way, if it is dead; MG_ERR_DENIED if it is not. */
static mg_status clear_scope(taking *t, mg_str scope, mg_str self, mg_err *err)
{
    mg_pursuit active;
    mg_owner owner;
    mg_str id;
    const mg_status s =
        mg_db_text(&t->store->db,
                   "SELECT id FROM loops WHERE tenant = 'local' AND scope = ?1"
                   " AND status IN ('queued', 'running') AND id <> ?2",
                   MG_VALS(mg_val_text(scope), mg_val_text(self)), t->arena, &id, err);
    if (s == MG_ERR_NOT_FOUND)
        return MG_OK;
    MG_TRY(s);
    *t->other = id;
    MG_TRY(mg_sqlite_read(t->store, id, t->arena, &active, &owner, err));
    if (!active.stale)
        return mg_fail(err, MG_ERR_DENIED,
                       "loop " MG_FMT " is active in '" MG_FMT "' (process %" PRId64
                       "); wait for it, or end it: makegood loop cancel " MG_FMT,
                       MG_ARG(id), MG_ARG(active.root), owner.pid, MG_ARG(id));
    return end_dead(t->store, id, MG_PURSUIT_ERRORED, MG_WHY_ABANDONED, t->now_ms, err);
}

static mg_status begin_in(void *data, mg_err *err)
{
    taking *t = data;
    MG_TRY(clear_scope(t, t->pursuit->scope, t->pursuit->id, err));
    const mg_status s = mg_row_insert_loop(&t->store->db, t->pursuit, t->owner, t->now_ms, err);
    if (s != MG_OK && mg_db_broke_rule(&t->store->db))
        return mg_fail(err, MG_ERR_DENIED,
                       "loop " MG_FMT " cannot begin: its id is taken, or another loop is active",
                       MG_ARG(t->pursuit->id));
    return s;
}

mg_status mg_sqlite_begin(mg_store *store, const mg_pursuit *pursuit, const mg_owner *owner,
                          int64_t now_ms, mg_arena *arena, mg_str *other, mg_err *err)
{
    taking t = {.store = mg_sqlite_of(store),
                .pursuit = pursuit,
                .owner = owner,
                .now_ms = now_ms,
                .arena = arena,
                .other = other};
    MG_TRY(mg_db_atomically(&mg_sqlite_of(store)->db, "BEGIN IMMEDIATE", begin_in, &t, err));
    mg_sqlite_hold(mg_sqlite_of(store), pursuit->id, 1, 0);
    return MG_OK;
}

static bool resumable(const mg_pursuit *loop)
{
    return loop->stale || loop->status == MG_PURSUIT_CANCELLED ||
           (loop->status == MG_PURSUIT_ERRORED &&
            (loop->reason == MG_WHY_ABANDONED || loop->reason == MG_WHY_AGENT_ERROR));
}

static mg_status cannot_resume(const mg_pursuit *loop, const mg_owner *owner, mg_err *err)
{
    if (loop->status == MG_PURSUIT_RUNNING)
        return mg_fail(err, MG_ERR_DENIED,
                       "loop " MG_FMT " is still running (process %" PRId64
                       "); end it first: makegood loop cancel " MG_FMT,
                       MG_ARG(loop->id), owner->pid, MG_ARG(loop->id));
    return mg_fail(err, MG_ERR_INVALID,
                   "loop " MG_FMT " is %s (%s); only one that was cancelled, whose driver died or "
                   "whose agent could not run can be resumed",
                   MG_ARG(loop->id), mg_pursuit_status_name(loop->status),
                   loop->reason != MG_WHY_NONE ? mg_why_name(loop->reason) : "no reason");
}

static mg_status take_up(taking *t, mg_err *err)
{
    return mg_db_run(&t->store->db,
                     "UPDATE loops SET status = 'running', reason = NULL, verified = 0,"
                     " message = '', finished_ms = 0, cancel_ms = NULL, owner_boot = ?2,"
                     " owner_pid = ?3, owner_started = ?4, fence = fence + 1 WHERE id = ?1",
                     MG_VALS(mg_val_text(t->id), mg_val_text(t->owner->boot),
                             mg_val_int(t->owner->pid), mg_val_int((int64_t)t->owner->started)),
                     NULL, err);
}

static mg_status resume_in(void *data, mg_err *err)
{
    taking *t = data;
    mg_pursuit loop;
    mg_owner owner;
    MG_TRY(mg_sqlite_find(t->store, t->user, t->id, t->arena, &t->id, err));
    MG_TRY(mg_sqlite_read(t->store, t->id, t->arena, &loop, &owner, err));
    if (!resumable(&loop)) {
        if (loop.status == MG_PURSUIT_RUNNING)
            *t->other = loop.id;
        return cannot_resume(&loop, &owner, err);
    }
    MG_TRY(clear_scope(t, loop.scope, loop.id, err));
    MG_TRY(take_up(t, err));
    MG_TRY(mg_db_int(&t->store->db, "SELECT fence FROM loops WHERE id = ?1",
                     MG_VALS(mg_val_text(t->id)), &t->fence, err));
    return mg_sqlite_last_event(t->store, t->id, &t->last_event, err);
}

mg_status mg_sqlite_resume(mg_store *store, mg_str user, mg_str id, const mg_owner *owner,
                           int64_t now_ms, mg_arena *arena, mg_str *other, mg_err *err)
{
    taking t = {.store = mg_sqlite_of(store),
                .user = user,
                .id = id,
                .owner = owner,
                .now_ms = now_ms,
                .arena = arena,
                .other = other};
    MG_TRY(mg_db_atomically(&mg_sqlite_of(store)->db, "BEGIN IMMEDIATE", resume_in, &t, err));
    mg_sqlite_hold(mg_sqlite_of(store), t.id, t.fence, t.last_event);
    return MG_OK;
}

/* --- Cancelling --- */

static mg_status cancel_in(void *data, mg_err *err)
{
    taking *t = data;
    mg_pursuit loop;
    mg_owner owner;
    MG_TRY(mg_sqlite_find(t->store, t->user, t->id, t->arena, &t->id, err));
    MG_TRY(mg_sqlite_read(t->store, t->id, t->arena, &loop, &owner, err));
    if (loop.status != MG_PURSUIT_RUNNING && loop.status != MG_PURSUIT_QUEUED)
        return mg_fail(err, MG_ERR_INVALID, "loop " MG_FMT " is not running: it is %s already",
                       MG_ARG(loop.id), mg_pursuit_status_name(loop.status));
    MG_TRY(mg_db_run(&t->store->db,
                     "UPDATE loops SET cancel_ms = coalesce(cancel_ms, ?2) WHERE id = ?1",
                     MG_VALS(mg_val_text(t->id), mg_val_int(t->now_ms)), NULL, err));
    return loop.stale
               ? end_dead(t->store, t->id, MG_PURSUIT_CANCELLED, MG_WHY_CANCELLED, t->now_ms, err)
               : MG_OK;
}

mg_status mg_sqlite_cancel(mg_store *store, mg_str user, mg_str id, int64_t now_ms, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    taking t = {
        .store = mg_sqlite_of(store), .user = user, .id = id, .now_ms = now_ms, .arena = scratch};
    return mg_db_atomically(&mg_sqlite_of(store)->db, "BEGIN IMMEDIATE", cancel_in, &t, err);
}
