/* sqlite_rows.c - between the structs of model/ and the rows of the tables.
 *
 * Long texts are stored with a sum, because a disk that changes a byte in the middle of a text
 * breaks no page. It finds rubbish, not an adversary: nothing that is read here makes a verdict.
 */
#include "store/sqlite_rows.h"

#include "base/vec.h"
#include "data/hash.h"

#include <inttypes.h>

enum { JSON_BYTES_MAX = 256u << 20 };

static mg_limits json_limits(void)
{
    mg_limits limits = mg_limits_default;
    limits.json_bytes = JSON_BYTES_MAX;
    return limits;
}

static int64_t sum_of(mg_str text)
{
    const uint64_t low = mg_hash_bytes(text).low;
    int64_t sum;
    memcpy(&sum, &low, sizeof sum);
    return sum;
}

static int64_t sum_of_texts(mg_str frozen, mg_str request)
{
    return (int64_t)((uint64_t)sum_of(frozen) * 31 + (uint64_t)sum_of(request));
}

/* --- Loops --- */

/* The zero value of a word stands for itself only where it was written. */
static mg_status read_words(mg_db *db, sqlite3_stmt *stmt, mg_arena *arena, mg_pursuit *loop,
                            mg_err *err)
{
    const mg_str status = mg_col_text(db, stmt, 8, arena);
    const mg_str verdict = mg_col_text(db, stmt, 10, arena);
    loop->status = mg_pursuit_status_named(status);
    loop->last = mg_verdict_named(verdict);
    if (!mg_str_is(status, mg_pursuit_status_name(loop->status)) ||
        !mg_str_is(verdict, mg_verdict_name(loop->last)))
        return mg_fail(err, MG_ERR_INVALID,
                       "the store '%s' is damaged: loop " MG_FMT " has the status '" MG_FMT
                       "' and the verdict '" MG_FMT "'",
                       db->path, MG_ARG(loop->id), MG_ARG(status), MG_ARG(verdict));
    if (mg_col_null(db, stmt, 9))
        return MG_OK;
    const mg_str reason = mg_col_text(db, stmt, 9, arena);
    loop->reason = mg_why_named(reason);
    return loop->reason != MG_WHY_NONE
               ? MG_OK
               : mg_fail(err, MG_ERR_INVALID,
                         "the store '%s' is damaged: loop " MG_FMT " has the reason '" MG_FMT "'",
                         db->path, MG_ARG(loop->id), MG_ARG(reason));
}

static void read_budget(mg_db *db, sqlite3_stmt *stmt, mg_pursuit *loop)
{
    loop->budget = (mg_budget){
        .attempts = (uint32_t)mg_col_int(db, stmt, 18),
        .time_ms = (uint64_t)mg_col_int(db, stmt, 19),
        .tokens = mg_col_int(db, stmt, 20),
        .cost_usd = mg_col_real(db, stmt, 21),
        .stagnation = (uint32_t)mg_col_int(db, stmt, 22),
    };
    loop->spent = (mg_spent){
        .attempts = (uint32_t)mg_col_int(db, stmt, 23),
        .time_ms = (uint64_t)mg_col_int(db, stmt, 24),
        .usage.tokens_known = !mg_col_null(db, stmt, 25),
        .usage.input_tokens = mg_col_int(db, stmt, 25),
        .usage.output_tokens = mg_col_int(db, stmt, 26),
        .usage.cost_known = !mg_col_null(db, stmt, 27),
        .usage.cost_usd = mg_col_real(db, stmt, 27),
    };
}

mg_status mg_row_loop(mg_db *db, sqlite3_stmt *stmt, mg_arena *arena, mg_pursuit *out,
                      mg_owner *owner, mg_err *err)
{
    *out = (mg_pursuit){
        .id = mg_col_text(db, stmt, 0, arena),
        .user = mg_col_text(db, stmt, 1, arena),
        .root = mg_col_text(db, stmt, 2, arena),
        .scope = mg_col_text(db, stmt, 3, arena),
        .goal = mg_col_text(db, stmt, 4, arena),
        .goal_file = mg_col_text(db, stmt, 5, arena),
        .agent = mg_col_text(db, stmt, 6, arena),
        .message = mg_col_text(db, stmt, 7, arena),
        .verified = mg_col_int(db, stmt, 11) == 1,
        .created_ms = mg_col_int(db, stmt, 12),
        .finished_ms = mg_col_int(db, stmt, 13),
        .attempt_total = (uint32_t)mg_col_int(db, stmt, 14),
    };
    *owner = (mg_owner){
        .boot = mg_col_text(db, stmt, 15, arena),
        .pid = mg_col_int(db, stmt, 16),
        .started = (uint64_t)mg_col_int(db, stmt, 17),
    };
    MG_TRY(read_words(db, stmt, arena, out, err));
    read_budget(db, stmt, out);
    out->stale = out->status == MG_PURSUIT_RUNNING && !mg_owner_alive(owner);
    return MG_OK;
}

static mg_str warnings_json(const mg_pursuit *pursuit, mg_arena *scratch)
{
    mg_buf buf = mg_buf_new(scratch, JSON_BYTES_MAX);
    mg_json_out json = {.buf = &buf};
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < pursuit->warnings.count; i++)
        mg_json_str(&json, pursuit->warnings.items[i]);
    mg_json_end(&json, ']');
    return mg_buf_str(&buf);
}

static mg_status insert_texts(mg_db *db, const mg_pursuit *p, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    return mg_db_run(db,
                     "INSERT INTO loop_texts"
                     " (loop_id, frozen, frozen_sha256, request, sum, warnings)"
                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                     MG_VALS(mg_val_text(p->id), mg_val_text(p->frozen),
                             mg_val_text(p->frozen_sha256), mg_val_text(p->request),
                             mg_val_int(sum_of_texts(p->frozen, p->request)),
                             mg_val_text(warnings_json(p, scratch))),
                     NULL, err);
}

mg_status mg_row_insert_loop(mg_db *db, const mg_pursuit *p, const mg_owner *owner, int64_t now_ms,
                             mg_err *err)
{
    MG_TRY(mg_db_run(
        db,
        "INSERT INTO loops (id, tenant, user, root, scope, goal, goal_file, agent, message, status,"
        " verdict, created_ms, owner_boot, owner_pid, owner_started, fence, budget_attempts,"
        " budget_time_ms, budget_tokens, budget_cost_usd, budget_stagnation)"
        " VALUES (?1, 'local', ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'running', 'unknown', ?9, ?10, ?11, ?12,"
        " 1, ?13, ?14, ?15, ?16, ?17)",
        MG_VALS(mg_val_text(p->id), mg_val_text(p->user), mg_val_text(p->root),
                mg_val_text(p->scope), mg_val_text(p->goal), mg_val_text(p->goal_file),
                mg_val_text(p->agent), mg_val_text(p->message), mg_val_int(now_ms),
                mg_val_text(owner->boot), mg_val_int(owner->pid),
                mg_val_int((int64_t)owner->started), mg_val_int(p->budget.attempts),
                mg_val_int((int64_t)p->budget.time_ms), mg_val_int(p->budget.tokens),
                mg_val_real(p->budget.cost_usd), mg_val_int(p->budget.stagnation)),
        NULL, err));
    return insert_texts(db, p, err);
}

/* --- The texts of a loop --- */

mg_status mg_row_save_baseline(mg_db *db, const mg_pursuit *pursuit, int *changed, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_buf buf = mg_buf_new(scratch, JSON_BYTES_MAX);
    mg_json_out json = {.buf = &buf};
    mg_results_write(&json, pursuit->baseline, pursuit->baseline_count);
    MG_TRY(mg_buf_ok(&buf, "the baseline", err));
    return mg_db_run(db,
                     "UPDATE loop_texts SET baseline = ?2, baseline_sum = ?3, warnings = ?4,"
                     " keep = ?5"
                     " WHERE loop_id = ?1 AND baseline IS NULL",
                     MG_VALS(mg_val_text(pursuit->id), mg_val_text(mg_buf_str(&buf)),
                             mg_val_int(sum_of(mg_buf_str(&buf))),
                             mg_val_text(warnings_json(pursuit, scratch)),
                             mg_val_text(pursuit->keep)),
                     changed, err);
}

mg_status mg_row_save_keep(mg_db *db, const mg_pursuit *pursuit, mg_err *err)
{
    return mg_db_run(db, "UPDATE loop_texts SET keep = ?2 WHERE loop_id = ?1",
                     MG_VALS(mg_val_text(pursuit->id), mg_val_text(pursuit->keep)), NULL, err);
}

mg_status mg_row_save_warnings(mg_db *db, const mg_pursuit *pursuit, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    return mg_db_run(
        db, "UPDATE loop_texts SET warnings = ?2 WHERE loop_id = ?1",
        MG_VALS(mg_val_text(pursuit->id), mg_val_text(warnings_json(pursuit, scratch))), NULL, err);
}

static mg_status read_warnings(mg_str text, mg_arena *arena, mg_pursuit *loop, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    const mg_limits limits = json_limits();
    const mg_json *json;
    size_t count;
    mg_str warning;
    MG_TRY(mg_json_parse(text, &limits, MG_JSON_PLAIN, scratch, &json, err));
    if (!mg_json_is_list(json, &count))
        return mg_fail(err, MG_ERR_INVALID, "it should be a list");
    for (size_t i = 0; i < count; i++) {
        if (!mg_json_is_text(mg_json_item(json, i), &warning))
            return mg_fail(err, MG_ERR_INVALID, "it should be a list of texts");
        mg_strs_add(arena, &loop->warnings, mg_str_copy(arena, warning));
    }
    return MG_OK;
}

static mg_status read_baseline(mg_str text, int64_t sum, mg_arena *arena, mg_pursuit *loop,
                               mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    const mg_limits limits = json_limits();
    const mg_json *json;
    if (sum_of(text) != sum)
        return mg_fail(err, MG_ERR_INVALID, "it is not what was stored");
    MG_TRY(mg_json_parse(text, &limits, MG_JSON_PLAIN, scratch, &json, err));
    return mg_results_read(json, arena, &loop->baseline, &loop->baseline_count, err);
}

/* Which of its texts is broken, or MG_OK. */
static mg_status read_texts(mg_db *db, sqlite3_stmt *stmt, mg_arena *arena, mg_pursuit *loop,
                            mg_err *err)
{
    loop->frozen = mg_col_text(db, stmt, 0, arena);
    loop->frozen_sha256 = mg_col_text(db, stmt, 1, arena);
    loop->request = mg_col_text(db, stmt, 2, arena);
    if (sum_of_texts(loop->frozen, loop->request) != mg_col_int(db, stmt, 3))
        return mg_fail(err, MG_ERR_INVALID, "its goal is not the one that was stored");
    loop->keep = mg_col_text(db, stmt, 7, arena);
    mg_status s = read_warnings(mg_col_text(db, stmt, 6, arena), arena, loop, err);
    if (s != MG_OK)
        return mg_context(err, s, "its list of warnings");
    if (mg_col_null(db, stmt, 4))
        return MG_OK;
    s = read_baseline(mg_col_text(db, stmt, 4, arena), mg_col_int(db, stmt, 5), arena, loop, err);
    return mg_context(err, s, "its baseline");
}

mg_status mg_row_load_texts(mg_db *db, mg_arena *arena, mg_pursuit *loop, mg_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    MG_TRY(mg_db_start(db,
                       "SELECT frozen, frozen_sha256, request, sum, baseline, baseline_sum,"
                       " warnings, keep FROM loop_texts WHERE loop_id = ?1",
                       MG_VALS(mg_val_text(loop->id)), &stmt, err));
    MG_TRY(mg_db_row(db, stmt, &row, err));
    mg_status s = row ? read_texts(db, stmt, arena, loop, err)
                      : mg_fail(err, MG_ERR_INVALID, "its goal is gone");
    mg_db_end(db, stmt);
    if (s == MG_OK)
        return MG_OK;
    return mg_context(err, MG_ERR_INVALID, "the store '%s' is damaged: loop " MG_FMT, db->path,
                      MG_ARG(loop->id));
}

/* --- Attempts --- */

mg_status mg_row_insert_attempt(mg_db *db, mg_str loop_id, const mg_attempt *a, mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_buf buf = mg_buf_new(scratch, JSON_BYTES_MAX);
    mg_json_out json = {.buf = &buf};
    mg_attempt_write(&json, a);
    MG_TRY(mg_buf_ok(&buf, "the attempt", err));
    const mg_str text = mg_buf_str(&buf);
    const mg_status s = mg_db_run(
        db,
        "INSERT INTO attempts (loop_id, number, started_ms, duration_ms, counted, terminal_reason,"
        " status, verdict, reason, detector, headline, json, sum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        MG_VALS(mg_val_text(loop_id), mg_val_int(a->number), mg_val_int(a->started_ms),
                mg_val_int((int64_t)a->duration_ms), mg_val_int(a->counted),
                mg_val_word(mg_terminal_name(a->terminal)),
                mg_val_word(mg_attempt_status_name(a->status)),
                mg_val_word(mg_verdict_name(a->verdict)), mg_val_word(a->reason),
                mg_val_word(a->gap.detector), mg_val_text(a->gap.headline), mg_val_text(text),
                mg_val_int(sum_of(text))),
        NULL, err);
    if (s != MG_OK && mg_db_broke_rule(db))
        return mg_fail(err, MG_ERR_INVALID,
                       "attempt %" PRIu32 " of loop " MG_FMT " is stored already", a->number,
                       MG_ARG(loop_id));
    return s;
}

/* The row's own columns must agree with the JSON beside them. */
static mg_status read_attempt(mg_db *db, sqlite3_stmt *stmt, mg_arena *arena, mg_attempt *out,
                              mg_err *err)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    const mg_limits limits = json_limits();
    const mg_str text = mg_col_text(db, stmt, 3, scratch);
    const mg_json *json;
    if (sum_of(text) != mg_col_int(db, stmt, 4))
        return mg_fail(err, MG_ERR_INVALID, "it is not what was stored");
    MG_TRY(mg_json_parse(text, &limits, MG_JSON_UNIQUE_KEYS, scratch, &json, err));
    MG_TRY(mg_attempt_read(json, arena, out, err));
    if (out->number != mg_col_int(db, stmt, 0) ||
        !mg_str_is(mg_col_text(db, stmt, 1, scratch), mg_attempt_status_name(out->status)) ||
        !mg_str_is(mg_col_text(db, stmt, 2, scratch), mg_verdict_name(out->verdict)))
        return mg_fail(err, MG_ERR_INVALID, "its row and its record contradict each other");
    return MG_OK;
}

/* Shown, so that the others can be; never as anything good. */
static mg_attempt broken_attempt(int64_t number, const mg_err *why, mg_arena *arena,
                                 mg_strs *warnings)
{
    const mg_str said =
        mg_strf(arena, "the record of attempt %" PRId64 " is damaged: %s", number, why->text);
    mg_strs_add(arena, warnings, said);
    return (mg_attempt){.number = (uint32_t)number, .counted = true, .error = said};
}

mg_status mg_row_load_attempts(mg_db *db, mg_arena *arena, mg_pursuit *loop, mg_err *err)
{
    struct {
        mg_attempt *items;
        size_t count, cap;
    } all = {0};
    sqlite3_stmt *stmt;
    bool row;
    MG_TRY(mg_db_start(db,
                       "SELECT number, status, verdict, json, sum FROM attempts"
                       " WHERE loop_id = ?1 ORDER BY number",
                       MG_VALS(mg_val_text(loop->id)), &stmt, err));
    for (;;) {
        MG_TRY(mg_db_row(db, stmt, &row, err));
        if (!row)
            break;
        mg_attempt attempt = {0};
        mg_err why;
        if (read_attempt(db, stmt, arena, &attempt, &why) != MG_OK)
            attempt = broken_attempt(mg_col_int(db, stmt, 0), &why, arena, &loop->warnings);
        mg_vec_push(arena, &all, attempt);
    }
    loop->attempts = all.items;
    loop->attempt_count = all.count;
    loop->attempt_cap = all.cap;
    if (all.count != loop->attempt_total)
        return mg_fail(err, MG_ERR_INVALID,
                       "the store '%s' is damaged: loop " MG_FMT " has %zu of its %" PRIu32
                       " attempts",
                       db->path, MG_ARG(loop->id), all.count, loop->attempt_total);
    return MG_OK;
}
