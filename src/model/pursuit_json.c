/* pursuit_json.c - results, attempts and loops as JSON: what `check`, `drive` and `loop show` print
 * and what the store keeps of an attempt. The keys are a contract (docs); pursuit_read.c reads them
 * back.
 *
 * What was not observed is null: a size of -1, a tier of 0, tokens that nobody told.
 */
#include "model/pursuit.h"

#include "base/clock.h"

static void put_text(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_str(json, text);
}

static void put_name(mg_json_out *json, const char *key, const char *name)
{
    mg_json_key(json, key);
    mg_json_cstr(json, name);
}

static void put_bool(mg_json_out *json, const char *key, bool value)
{
    mg_json_key(json, key);
    mg_json_bool(json, value);
}

static void put_int(mg_json_out *json, const char *key, int64_t value)
{
    mg_json_key(json, key);
    mg_json_int(json, value);
}

/* null where it is not known. */
static void put_known(mg_json_out *json, const char *key, bool known, int64_t value)
{
    mg_json_key(json, key);
    if (known)
        mg_json_int(json, value);
    else
        mg_json_null(json);
}

static void put_cost(mg_json_out *json, const char *key, bool known, double usd)
{
    mg_json_key(json, key);
    if (known)
        mg_json_number(json, usd);
    else
        mg_json_null(json);
}

static void put_time(mg_json_out *json, const char *key, int64_t wall_ms)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_json_key(json, key);
    if (wall_ms == 0)
        mg_json_null(json);
    else
        mg_json_str(json, mg_time_rfc3339(scratch, wall_ms));
}

static void put_strs(mg_json_out *json, const char *key, const mg_strs *list)
{
    mg_json_key(json, key);
    mg_json_begin(json, '[');
    for (size_t i = 0; i < list->count; i++)
        mg_json_str(json, list->items[i]);
    mg_json_end(json, ']');
}

/* --- A result; the order and the absent keys are those of `check --format json` --- */

static void put_result(mg_json_out *json, const mg_result *row, unsigned depth)
{
    mg_json_begin(json, '{');
    put_name(json, "kind", row->kind != NULL ? row->kind : "unknown");
    put_text(json, "name", row->name);
    put_name(json, "verdict", mg_outcome_name(row->outcome));
    put_text(json, "message", row->message);
    put_text(json, "expected", row->expected);
    put_text(json, "observed", row->observed);
    put_text(json, "recovery", row->recovery);
    if (row->detail.len > 0)
        put_text(json, "detail", row->detail);
    if (row->line > 0)
        put_int(json, "line", row->line);
    if (row->invariant)
        put_bool(json, "invariant", true);
    if (row->timed_out)
        put_bool(json, "timed_out", true);
    put_bool(json, "proves", row->outcome == MG_OUTCOME_PASS && row->proves);
    if (row->tries > 1)
        put_int(json, "tries", row->tries);
    mg_json_key(json, "duration_ms");
    mg_json_milli(json, row->duration_us);
    if (row->child_count > 0 && depth < MG_RESULT_DEPTH) {
        mg_json_key(json, "children");
        mg_json_begin(json, '[');
        for (size_t i = 0; i < row->child_count; i++)
            put_result(json, &row->children[i], depth + 1);
        mg_json_end(json, ']');
    }
    mg_json_end(json, '}');
}

void mg_result_write(mg_json_out *json, const mg_result *result)
{
    put_result(json, result, 0);
}

void mg_results_write(mg_json_out *json, const mg_result *results, size_t count)
{
    mg_json_begin(json, '[');
    for (size_t i = 0; i < count; i++)
        put_result(json, &results[i], 0);
    mg_json_end(json, ']');
}

/* --- An attempt --- */

static void put_change(mg_json_out *json, const mg_change *change)
{
    mg_json_begin(json, '{');
    put_text(json, "path", change->path);
    if (change->old_path.len > 0)
        put_text(json, "old_path", change->old_path);
    put_name(json, "change", mg_change_name(change->type));
    put_known(json, "size_before", change->size_before >= 0, change->size_before);
    put_known(json, "size_after", change->size_after >= 0, change->size_after);
    put_known(json, "lines_added", change->lines_added >= 0, change->lines_added);
    put_known(json, "lines_deleted", change->lines_deleted >= 0, change->lines_deleted);
    put_bool(json, "no_op", change->no_op);
    mg_json_end(json, '}');
}

/* An agent that writes a million files must not make a document that nobody can read: the first
 * ones are listed, the others counted. */
static void put_changes(mg_json_out *json, const mg_attempt *attempt)
{
    const size_t shown = MG_MIN(attempt->changes.count, (size_t)MG_ATTEMPT_CHANGES_MAX);
    const size_t left_out = attempt->changes_left_out + attempt->changes.count - shown;
    mg_json_key(json, "mutations");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < shown; i++)
        put_change(json, &attempt->changes.items[i]);
    mg_json_end(json, ']');
    if (left_out > 0)
        put_int(json, "mutations_left_out", (int64_t)left_out);
}

static void put_findings(mg_json_out *json, const mg_findings *findings)
{
    mg_json_key(json, "findings");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < findings->count; i++) {
        const mg_finding *f = &findings->items[i];
        mg_json_begin(json, '{');
        put_name(json, "rule", f->rule);
        put_name(json, "level", mg_level_name(f->level));
        put_text(json, "path", f->path);
        put_text(json, "message", f->message);
        mg_json_end(json, '}');
    }
    mg_json_end(json, ']');
}

static void put_gap(mg_json_out *json, const mg_gap *gap)
{
    mg_json_key(json, "gap");
    if (gap->detector == NULL) {
        mg_json_null(json);
        return;
    }
    mg_json_begin(json, '{');
    put_name(json, "detector", gap->detector);
    put_text(json, "headline", gap->headline);
    put_text(json, "text", gap->text);
    mg_json_end(json, '}');
}

static void put_usage(mg_json_out *json, const mg_usage *usage)
{
    put_known(json, "input_tokens", usage->tokens_known, usage->input_tokens);
    put_known(json, "output_tokens", usage->tokens_known, usage->output_tokens);
    put_cost(json, "cost_usd", usage->cost_known, usage->cost_usd);
}

static void put_judgement(mg_json_out *json, const mg_attempt *attempt)
{
    put_name(json, "terminal_reason", mg_terminal_name(attempt->terminal));
    put_bool(json, "watched", attempt->watched);
    put_bool(json, "counted", attempt->counted);
    put_name(json, "status", mg_attempt_status_name(attempt->status));
    put_name(json, "verdict", mg_verdict_name(attempt->verdict));
    put_known(json, "tier", attempt->tier > 0, attempt->tier);
    put_name(json, "reason", attempt->reason);
    put_name(json, "proved_by", attempt->proved_by);
    put_bool(json, "goal_actions_executed", attempt->goal_actions_executed);
    put_bool(json, "effect", attempt->effect);
}

/* What the agent did and said, besides what decides. */
static void put_run(mg_json_out *json, const mg_attempt *attempt)
{
    put_int(json, "duration_ms", (int64_t)attempt->duration_ms);
    put_time(json, "started", attempt->started_ms);
    put_known(json, "exit_code", attempt->has_exit, attempt->exit_code);
    put_text(json, "session", attempt->session);
    put_text(json, "response", attempt->response);
    put_text(json, "error", attempt->error);
    put_text(json, "note", attempt->note);
    put_strs(json, "tampered", &attempt->tampered);
    put_bool(json, "restored", attempt->restored);
    put_int(json, "leftovers", attempt->leftovers);
}

void mg_attempt_write(mg_json_out *json, const mg_attempt *attempt)
{
    mg_json_begin(json, '{');
    put_int(json, "number", attempt->number);
    put_judgement(json, attempt);
    put_changes(json, attempt);
    mg_json_key(json, "assertions");
    mg_results_write(json, attempt->results, attempt->result_count);
    put_findings(json, &attempt->findings);
    mg_json_key(json, "judge");
    mg_json_null(json);
    put_gap(json, &attempt->gap);
    mg_json_key(json, "usage");
    mg_json_begin(json, '{');
    put_usage(json, &attempt->usage);
    mg_json_end(json, '}');
    put_run(json, attempt);
    mg_json_end(json, '}');
}

/* --- A loop --- */

static void put_budget(mg_json_out *json, const mg_pursuit *pursuit)
{
    const mg_budget *budget = &pursuit->budget;
    const mg_spent *spent = &pursuit->spent;
    mg_json_key(json, "budget");
    mg_json_begin(json, '{');
    put_int(json, "attempts", budget->attempts);
    put_int(json, "time_ms", (int64_t)budget->time_ms);
    put_known(json, "tokens", budget->tokens > 0, budget->tokens);
    put_cost(json, "cost_usd", budget->cost_usd > 0, budget->cost_usd);
    put_int(json, "stagnation", budget->stagnation);
    mg_json_key(json, "spent");
    mg_json_begin(json, '{');
    put_int(json, "attempts", spent->attempts);
    put_int(json, "time_ms", (int64_t)spent->time_ms);
    put_usage(json, &spent->usage);
    mg_json_end(json, '}');
    mg_json_end(json, '}');
}

void mg_pursuit_write_head(mg_json_out *json, const mg_pursuit *pursuit)
{
    put_text(json, "loop_id", pursuit->id);
    put_text(json, "root", pursuit->root);
    put_text(json, "goal", pursuit->goal);
    put_text(json, "goal_file", pursuit->goal_file);
    put_text(json, "agent", pursuit->agent);
    put_name(json, "status", mg_pursuit_status_name(pursuit->status));
    put_name(json, "reason", mg_why_name(pursuit->reason));
    put_bool(json, "verified", mg_pursuit_holds(pursuit));
    put_name(json, "verdict", mg_verdict_name(pursuit->last));
    put_bool(json, "stale", pursuit->stale);
    put_text(json, "message", pursuit->message);
    put_time(json, "created", pursuit->created_ms);
    put_time(json, "finished", pursuit->finished_ms);
}

void mg_pursuit_write(mg_json_out *json, const mg_pursuit *pursuit)
{
    mg_json_begin(json, '{');
    put_int(json, "schema", 1);
    mg_pursuit_write_head(json, pursuit);
    put_strs(json, "warnings", &pursuit->warnings);
    mg_json_key(json, "baseline");
    mg_results_write(json, pursuit->baseline, pursuit->baseline_count);
    mg_json_key(json, "attempts");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < pursuit->attempt_count; i++)
        mg_attempt_write(json, &pursuit->attempts[i]);
    mg_json_end(json, ']');
    put_budget(json, pursuit);
    mg_json_end(json, '}');
}
