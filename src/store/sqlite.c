/* sqlite.c - loops in one SQLite database: the backend of a single machine.
 *
 * Who has a loop is settled in sqlite_take.c; here is what its driver writes and what is read.
 */
#include "store/sqlite_hold.h"
#include "store/sqlite_schema.h"

#include "base/vec.h"

#include <inttypes.h>

static void close_store(mg_store *store)
{
    mg_db_close(&mg_sqlite_of(store)->db);
    mg_arena_free(mg_sqlite_of(store)->arena);
}

static mg_status open_store(const char *state_dir, unsigned busy_ms, mg_store **out, mg_err *err)
{
    mg_arena *arena = mg_arena_new(NULL);
    mg_sqlite_store *store = mg_new(arena, mg_sqlite_store);
    store->base.kind = &mg_store_sqlite;
    store->arena = arena;
    const mg_status s = mg_sqlite_open(&store->db, state_dir, busy_ms, arena, err);
    if (s != MG_OK) {
        close_store(&store->base);
        return s;
    }
    *out = &store->base;
    return MG_OK;
}

/* --- Writing what happens --- */

typedef struct writing {
    mg_sqlite_store *store;
    const mg_held *mine;
    const mg_pursuit *pursuit;
    const mg_attempt *attempt;
    mg_pursuit_status stored;
} writing;

static mg_status write_with(mg_store *store, mg_db_fn fn, writing *w, mg_err *err)
{
    mg_held *mine;
    MG_TRY(mg_sqlite_must_hold(mg_sqlite_of(store), w->pursuit->id, &mine, err));
    w->store = mg_sqlite_of(store);
    w->mine = mine;
    return mg_db_atomically(&mg_sqlite_of(store)->db, "BEGIN IMMEDIATE", fn, w, err);
}

/* The verdict so far and what was spent, if the loop is still ours and running. */
static mg_status update_spent(writing *w, int more_attempts, mg_err *err)
{
    const mg_spent *spent = &w->pursuit->spent;
    const mg_usage *usage = &spent->usage;
    int changed;
    MG_TRY(mg_db_run(
        &w->store->db,
        "UPDATE loops SET verdict = ?3, verified = 0," /* a running loop is not, whoever says so */
        " attempt_count = attempt_count + ?4, spent_attempts = ?5,"
        " spent_time_ms = ?6, spent_input_tokens = ?7, spent_output_tokens = ?8,"
        " spent_cost_usd = ?9 WHERE id = ?1 AND fence = ?2 AND status = 'running'",
        MG_VALS(mg_val_text(w->mine->id), mg_val_int(w->mine->fence),
                mg_val_word(mg_verdict_name(w->pursuit->last)), mg_val_int(more_attempts),
                mg_val_int(spent->attempts), mg_val_int((int64_t)spent->time_ms),
                usage->tokens_known ? mg_val_int(usage->input_tokens) : mg_val_null(),
                usage->tokens_known ? mg_val_int(usage->output_tokens) : mg_val_null(),
                usage->cost_known ? mg_val_real(usage->cost_usd) : mg_val_null()),
        &changed, err));
    return changed == 1 ? MG_OK : mg_sqlite_not_ours(w->store, w->mine, err);
}

static mg_status baseline_in(void *data, mg_err *err)
{
    writing *w = data;
    int changed;
    MG_TRY(update_spent(w, 0, err));
    MG_TRY(mg_row_save_baseline(&w->store->db, w->pursuit, &changed, err));
    return changed == 1 ? MG_OK
                        : mg_fail(err, MG_ERR_INVALID,
                                  "loop " MG_FMT " has its baseline already: it is taken once",
                                  MG_ARG(w->pursuit->id));
}

static mg_status baseline(mg_store *store, const mg_pursuit *pursuit, mg_err *err)
{
    writing w = {.pursuit = pursuit};
    return write_with(store, baseline_in, &w, err);
}

static mg_status attempt_in(void *data, mg_err *err)
{
    writing *w = data;
    MG_TRY(update_spent(w, 1, err));
    MG_TRY(mg_row_save_keep(&w->store->db, w->pursuit, err));
    return mg_row_insert_attempt(&w->store->db, w->mine->id, w->attempt, err);
}

static mg_status attempt(mg_store *store, const mg_pursuit *pursuit, const mg_attempt *attempt_,
                         mg_err *err)
{
    writing w = {.pursuit = pursuit, .attempt = attempt_};
    return write_with(store, attempt_in, &w, err);
}

/* Told after the loop has ended, too: that it has. */
static mg_status event(mg_store *store, mg_str id, uint64_t seq, int64_t time_ms, const char *type,
                       mg_str json, mg_err *err)
{
    mg_held *mine;
    int changed;
    MG_TRY(mg_sqlite_must_hold(mg_sqlite_of(store), id, &mine, err));
    if (seq != mine->last_event + 1)
        return mg_fail(err, MG_ERR_INVALID,
                       "event %" PRIu64 " of loop " MG_FMT " cannot follow event %" PRIu64, seq,
                       MG_ARG(id), mine->last_event);
    MG_TRY(mg_db_in_place(&mg_sqlite_of(store)->db, err));
    MG_TRY(mg_db_run(&mg_sqlite_of(store)->db,
                     "INSERT INTO events (loop_id, seq, time_ms, type, json)"
                     " SELECT ?1, ?2, ?3, ?4, ?5 FROM loops WHERE id = ?1 AND fence = ?6",
                     MG_VALS(mg_val_text(id), mg_val_int((int64_t)seq), mg_val_int(time_ms),
                             mg_val_word(type), mg_val_text(json), mg_val_int(mine->fence)),
                     &changed, err));
    if (changed != 1)
        return mg_sqlite_not_ours(mg_sqlite_of(store), mine, err);
    mine->last_event = seq;
    return MG_OK;
}

static mg_status last_event(mg_store *store, mg_str id, uint64_t *seq, mg_err *err)
{
    return mg_sqlite_last_event(mg_sqlite_of(store), id, seq, err);
}

static mg_status told(mg_store *store, mg_str id, const char *type, uint64_t *count, mg_err *err)
{
    int64_t found;
    MG_TRY(mg_db_int(&mg_sqlite_of(store)->db,
                     "SELECT count(*) FROM events WHERE loop_id = ?1 AND type = ?2",
                     MG_VALS(mg_val_text(id), mg_val_word(type)), &found, err));
    *count = (uint64_t)found;
    return MG_OK;
}

/* --- Ending --- */

static mg_status cancel_at(mg_sqlite_store *store, mg_str id, bool *asked, mg_err *err)
{
    int64_t is;
    MG_TRY(mg_db_int(&store->db, "SELECT cancel_ms IS NOT NULL FROM loops WHERE id = ?1",
                     MG_VALS(mg_val_text(id)), &is, err));
    *asked = is != 0;
    return MG_OK;
}

static mg_status finish_in(void *data, mg_err *err)
{
    writing *w = data;
    const mg_pursuit *p = w->pursuit;
    bool cancelled;
    MG_TRY(update_spent(w, 0, err));
    MG_TRY(mg_row_save_warnings(&w->store->db, p, err));
    MG_TRY(cancel_at(w->store, p->id, &cancelled, err));
    w->stored = cancelled ? MG_PURSUIT_CANCELLED : p->status;
    return mg_db_run(&w->store->db,
                     "UPDATE loops SET status = ?2, reason = ?3, verified = ?4, message = ?5,"
                     " finished_ms = ?6 WHERE id = ?1",
                     MG_VALS(mg_val_text(p->id), mg_val_word(mg_pursuit_status_name(w->stored)),
                             mg_val_word(mg_why_name(cancelled ? MG_WHY_CANCELLED : p->reason)),
                             mg_val_int(!cancelled && p->verified), mg_val_text(p->message),
                             mg_val_int(p->finished_ms)),
                     NULL, err);
}

/* It is said to have ended, under our fence, and we have not ended it: somebody wrote that. */
static void refute(mg_sqlite_store *store, const mg_held *mine)
{
    mg_err none;
    const mg_status s = mg_db_run(
        &store->db,
        "UPDATE loops SET status = 'errored', reason = 'store_error', verified = 0,"
        " verdict = 'unknown', message = 'its record was changed by somebody else while it ran'"
        " WHERE id = ?1 AND fence = ?2 AND status <> 'running'",
        MG_VALS(mg_val_text(mine->id), mg_val_int(mine->fence)), NULL, &none);
    (void)s; /* it has failed already, and is told as that */
}

static mg_status finish(mg_store *store, const mg_pursuit *pursuit, mg_pursuit_status *stored,
                        mg_err *err)
{
    writing w = {.pursuit = pursuit};
    mg_status s = write_with(store, finish_in, &w, err);
    mg_held *mine = mg_sqlite_held(mg_sqlite_of(store), pursuit->id);
    if (s == MG_ERR_INVALID && mine != NULL && !mine->ended)
        refute(mg_sqlite_of(store), mine);
    MG_TRY(s);
    mine->ended = true;
    *stored = w.stored;
    return MG_OK;
}

/* A driver that was taken over learns it here, before it wastes another attempt. */
static mg_status cancel_asked(mg_store *store, mg_str id, bool *asked, mg_err *err)
{
    const mg_held *mine = mg_sqlite_held(mg_sqlite_of(store), id);
    int64_t fence;
    const mg_status s = mg_db_int(&mg_sqlite_of(store)->db, "SELECT fence FROM loops WHERE id = ?1",
                                  MG_VALS(mg_val_text(id)), &fence, err);
    if (s == MG_ERR_NOT_FOUND)
        return mg_sqlite_no_such_loop(id, err);
    MG_TRY(s);
    if (mine != NULL && mine->fence != fence)
        return mg_sqlite_not_ours(mg_sqlite_of(store), mine, err);
    return cancel_at(mg_sqlite_of(store), id, asked, err);
}

/* --- Reading --- */

static mg_status list(mg_store *store, mg_str user, size_t limit, mg_arena *arena, mg_pursuits *out,
                      mg_err *err)
{
    mg_db *db = &mg_sqlite_of(store)->db;
    mg_pursuits all = {0};
    sqlite3_stmt *stmt;
    bool row;
    MG_TRY(mg_db_start(db,
                       "SELECT " MG_LOOP_COLUMNS " FROM loops"
                       " WHERE tenant = 'local' AND user = ?1 ORDER BY seq DESC LIMIT ?2",
                       MG_VALS(mg_val_text(user), mg_val_int(limit > 0 ? (int64_t)limit : -1)),
                       &stmt, err));
    for (;;) {
        mg_pursuit loop;
        mg_owner owner;
        MG_TRY(mg_db_row(db, stmt, &row, err));
        if (!row)
            break;
        const mg_status s = mg_row_loop(db, stmt, arena, &loop, &owner, err);
        if (s != MG_OK) {
            mg_db_end(db, stmt);
            return s;
        }
        mg_vec_push(arena, &all, loop);
    }
    *out = all;
    return MG_OK;
}

typedef struct loading {
    mg_sqlite_store *store;
    mg_str user, id;
    mg_arena *arena;
    mg_pursuit loop;
    mg_owner owner;
} loading;

static mg_status load_in(void *data, mg_err *err)
{
    loading *l = data;
    mg_str id;
    MG_TRY(mg_sqlite_find(l->store, l->user, l->id, l->arena, &id, err));
    MG_TRY(mg_sqlite_read(l->store, id, l->arena, &l->loop, &l->owner, err));
    MG_TRY(mg_row_load_texts(&l->store->db, l->arena, &l->loop, err));
    return mg_row_load_attempts(&l->store->db, l->arena, &l->loop, err);
}

static mg_status load(mg_store *store, mg_str user, mg_str id, mg_arena *arena, mg_pursuit *out,
                      mg_owner *owner, mg_err *err)
{
    loading l = {.store = mg_sqlite_of(store), .user = user, .id = id, .arena = arena};
    MG_TRY(mg_db_atomically(&mg_sqlite_of(store)->db, "BEGIN", load_in, &l, err));
    *out = l.loop;
    if (owner != NULL)
        *owner = l.owner;
    return MG_OK;
}

const mg_store_kind mg_store_sqlite = {
    .name = "sqlite",
    .summary = "one database file in the state directory",
    .open = open_store,
    .close = close_store,
    .begin = mg_sqlite_begin,
    .resume = mg_sqlite_resume,
    .baseline = baseline,
    .attempt = attempt,
    .event = event,
    .last_event = last_event,
    .told = told,
    .finish = finish,
    .cancel = mg_sqlite_cancel,
    .cancel_asked = cancel_asked,
    .list = list,
    .load = load,
};
