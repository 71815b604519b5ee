/* pursuit_read.c - attempts and results out of their JSON.
 *
 * The JSON comes from a file that the agent may have found, so everything in it is checked: a key
 * that is missing or of another type, a word that is none of ours, an attempt that claims to be a
 * success without the verdict for it, all are errors that name the key. Nothing has a default that
 * reads as good. Keys that we do not know are passed over: a later version may write more.
 */
#include "model/pursuit.h"

#include <limits.h>

static mg_status bad(mg_err *err, const char *key, const char *expected)
{
    return mg_fail(err, MG_ERR_INVALID, "'%s' should be %s", key, expected);
}

static mg_status member(const mg_json *json, const char *key, const mg_json **out, mg_err *err)
{
    return mg_json_get(json, key, out) ? MG_OK
                                       : mg_fail(err, MG_ERR_INVALID, "there is no '%s'", key);
}

/* Absent, or null. */
static bool nothing_at(const mg_json *json, const char *key)
{
    const mg_json *value;
    return !mg_json_get(json, key, &value) || mg_json_is_null(value);
}

static mg_status get_text(const mg_json *json, const char *key, mg_arena *arena, mg_str *out,
                          mg_err *err)
{
    const mg_json *value;
    mg_str text;
    MG_TRY(member(json, key, &value, err));
    if (!mg_json_is_text(value, &text))
        return bad(err, key, "a text");
    *out = text.len > 0 ? mg_str_copy(arena, text) : (mg_str){"", 0};
    return MG_OK;
}

/* A word; NULL where there is none. */
static mg_status get_word(const mg_json *json, const char *key, mg_arena *arena, const char **out,
                          mg_err *err)
{
    if (nothing_at(json, key)) {
        *out = NULL;
        return MG_OK;
    }
    mg_str text;
    MG_TRY(get_text(json, key, arena, &text, err));
    if (text.len == 0 || memchr(text.ptr, '\0', text.len) != NULL)
        return bad(err, key, "a word or null");
    *out = text.ptr;
    return MG_OK;
}

static mg_status get_bool(const mg_json *json, const char *key, bool *out, mg_err *err)
{
    const mg_json *value;
    MG_TRY(member(json, key, &value, err));
    return mg_json_is_bool(value, out) ? MG_OK : bad(err, key, "true or false");
}

static mg_status get_int(const mg_json *json, const char *key, int64_t min, int64_t max,
                         int64_t *out, mg_err *err)
{
    const mg_json *value;
    int64_t number;
    MG_TRY(member(json, key, &value, err));
    if (!mg_json_is_int(value, &number) || number < min || number > max)
        return bad(err, key, "a whole number in its bounds");
    *out = number;
    return MG_OK;
}

/* `otherwise` where it is absent or null. */
static mg_status get_int_or(const mg_json *json, const char *key, int64_t min, int64_t max,
                            int64_t otherwise, int64_t *out, mg_err *err)
{
    if (!nothing_at(json, key))
        return get_int(json, key, min, max, out, err);
    *out = otherwise;
    return MG_OK;
}

/* The value of a word. Its zero value must have been written as such: "rubbish" is not unknown. */
#define GET_NAMED(type, read, write)                                                               \
    static mg_status get_##type(const mg_json *json, const char *key, mg_##type *out, mg_err *err) \
    {                                                                                              \
        const mg_json *value;                                                                      \
        mg_str word;                                                                               \
        MG_TRY(member(json, key, &value, err));                                                    \
        if (!mg_json_is_text(value, &word) || !mg_str_is(word, write(read(word))))                 \
            return bad(err, key, "one of the words we write there");                               \
        *out = read(word);                                                                         \
        return MG_OK;                                                                              \
    }

static mg_outcome outcome_named(mg_str name)
{
    return mg_str_is(name, "pass")   ? MG_OUTCOME_PASS
           : mg_str_is(name, "fail") ? MG_OUTCOME_FAIL
                                     : MG_OUTCOME_UNKNOWN;
}

mg_verdict mg_verdict_named(mg_str name)
{
    return mg_str_is(name, "met")       ? MG_VERDICT_MET
           : mg_str_is(name, "not_met") ? MG_VERDICT_NOT_MET
                                        : MG_VERDICT_UNKNOWN;
}

GET_NAMED(outcome, outcome_named, mg_outcome_name)
GET_NAMED(verdict, mg_verdict_named, mg_verdict_name)
GET_NAMED(terminal, mg_terminal_named, mg_terminal_name)
GET_NAMED(attempt_status, mg_attempt_status_named, mg_attempt_status_name)
GET_NAMED(change_type, mg_change_named, mg_change_name)
GET_NAMED(level, mg_level_named, mg_level_name)

/* --- Times: what mg_time_rfc3339() writes, and nothing else --- */

static bool digits(mg_str text, size_t at, size_t count, int *out)
{
    int value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

static bool time_parse(mg_str text, int64_t *out)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    struct tm tm = {0};
    int year, month, ms;
    if (text.len != sizeof form - 1)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (form[i] != 'd' && form[i] != text.ptr[i])
            return false;
    }
    if (!digits(text, 0, 4, &year) || !digits(text, 5, 2, &month) ||
        !digits(text, 8, 2, &tm.tm_mday) || !digits(text, 11, 2, &tm.tm_hour) ||
        !digits(text, 14, 2, &tm.tm_min) || !digits(text, 17, 2, &tm.tm_sec) ||
        !digits(text, 20, 3, &ms))
        return false;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    *out = (int64_t)timegm(&tm) * 1000 + ms;
    return true;
}

static mg_status get_time(const mg_json *json, const char *key, int64_t *out, mg_err *err)
{
    const mg_json *value;
    mg_str text;
    *out = 0;
    if (nothing_at(json, key))
        return MG_OK;
    MG_TRY(member(json, key, &value, err));
    if (!mg_json_is_text(value, &text) || !time_parse(text, out))
        return bad(err, key, "a time such as 2026-11-15T01:50:03.120Z");
    return MG_OK;
}

/* --- Lists --- */

typedef mg_status (*read_item)(const mg_json *json, mg_arena *arena, void *out, mg_err *err);

static mg_status read_list(const mg_json *list, const char *what, size_t size, read_item read,
                           mg_arena *arena, void **items, size_t *count, mg_err *err)
{
    size_t n;
    if (!mg_json_is_list(list, &n))
        return bad(err, what, "a list");
    char *all = n > 0 ? mg_arena_array(arena, n, size) : NULL;
    for (size_t i = 0; i < n; i++) {
        const mg_json *item = mg_json_item(list, i);
        mg_status s = MG_ERR_INVALID;
        if (mg_json_is_object(item))
            s = read(item, arena, all + i * size, err);
        else
            (void)mg_fail(err, s, "it should be an object");
        if (s != MG_OK)
            return mg_context(err, s, "%s[%zu]", what, i);
    }
    *items = all;
    *count = n;
    return MG_OK;
}

static mg_status get_strs(const mg_json *json, const char *key, mg_arena *arena, mg_strs *out,
                          mg_err *err)
{
    const mg_json *list;
    size_t count;
    mg_str text;
    MG_TRY(member(json, key, &list, err));
    if (!mg_json_is_list(list, &count))
        return bad(err, key, "a list of texts");
    for (size_t i = 0; i < count; i++) {
        if (!mg_json_is_text(mg_json_item(list, i), &text))
            return bad(err, key, "a list of texts");
        mg_strs_add(arena, out, mg_str_copy(arena, text));
    }
    return MG_OK;
}

/* --- Results --- */

static mg_status read_results(const mg_json *list, const char *what, unsigned depth,
                              mg_arena *arena, mg_result **out, size_t *count, mg_err *err);

/* Written in milliseconds with three decimals. */
static mg_status get_micros(const mg_json *json, const char *key, uint64_t *out, mg_err *err)
{
    const mg_json *value;
    double ms;
    MG_TRY(member(json, key, &value, err));
    if (!mg_json_is_number(value, &ms) || ms < 0 || ms > 9e12)
        return bad(err, key, "a number of milliseconds");
    *out = (uint64_t)(ms * 1000 + 0.5);
    return MG_OK;
}

static mg_status read_texts(const mg_json *json, mg_arena *arena, mg_result *out, mg_err *err)
{
    MG_TRY(get_text(json, "name", arena, &out->name, err));
    MG_TRY(get_text(json, "message", arena, &out->message, err));
    MG_TRY(get_text(json, "expected", arena, &out->expected, err));
    MG_TRY(get_text(json, "observed", arena, &out->observed, err));
    MG_TRY(get_text(json, "recovery", arena, &out->recovery, err));
    return nothing_at(json, "detail") ? MG_OK : get_text(json, "detail", arena, &out->detail, err);
}

static mg_status read_result_at(const mg_json *json, unsigned depth, mg_arena *arena,
                                mg_result *out, mg_err *err)
{
    int64_t line, tries;
    const mg_json *children;
    if (!mg_json_is_object(json))
        return mg_fail(err, MG_ERR_INVALID, "it should be an object");
    MG_TRY(get_outcome(json, "verdict", &out->outcome, err));
    MG_TRY(get_word(json, "kind", arena, &out->kind, err));
    MG_TRY(read_texts(json, arena, out, err));
    MG_TRY(get_int_or(json, "line", 0, UINT32_MAX, 0, &line, err));
    MG_TRY(get_int_or(json, "tries", 0, UINT32_MAX, 1, &tries, err));
    MG_TRY(get_bool(json, "proves", &out->proves, err));
    MG_TRY(get_micros(json, "duration_ms", &out->duration_us, err));
    if (!nothing_at(json, "invariant"))
        MG_TRY(get_bool(json, "invariant", &out->invariant, err));
    if (!nothing_at(json, "timed_out"))
        MG_TRY(get_bool(json, "timed_out", &out->timed_out, err));
    if (out->proves && out->outcome != MG_OUTCOME_PASS)
        return mg_fail(err, MG_ERR_INVALID, "it proves something and did not pass");
    out->line = (uint32_t)line;
    out->tries = (unsigned)tries;
    if (!mg_json_get(json, "children", &children))
        return MG_OK;
    return read_results(children, "children", depth + 1, arena, &out->children, &out->child_count,
                        err);
}

static mg_status read_results(const mg_json *list, const char *what, unsigned depth,
                              mg_arena *arena, mg_result **out, size_t *count, mg_err *err)
{
    size_t n;
    if (depth > MG_RESULT_DEPTH)
        return mg_fail(err, MG_ERR_LIMIT, "%s: groups are nested deeper than %d", what,
                       MG_RESULT_DEPTH);
    if (!mg_json_is_list(list, &n))
        return bad(err, what, "a list");
    mg_result *all = n > 0 ? mg_new_array(arena, mg_result, n) : NULL;
    for (size_t i = 0; i < n; i++) {
        const mg_status s = read_result_at(mg_json_item(list, i), depth, arena, &all[i], err);
        if (s != MG_OK)
            return mg_context(err, s, "%s[%zu]", what, i);
    }
    *out = all;
    *count = n;
    return MG_OK;
}

mg_status mg_results_read(const mg_json *json, mg_arena *arena, mg_result **out, size_t *count,
                          mg_err *err)
{
    return read_results(json, "results", 0, arena, out, count, err);
}

/* --- Attempts --- */

static mg_status read_change(const mg_json *json, mg_arena *arena, void *out, mg_err *err)
{
    mg_change *change = out;
    MG_TRY(get_text(json, "path", arena, &change->path, err));
    if (!nothing_at(json, "old_path"))
        MG_TRY(get_text(json, "old_path", arena, &change->old_path, err));
    MG_TRY(get_change_type(json, "change", &change->type, err));
    MG_TRY(get_int_or(json, "size_before", 0, INT64_MAX, -1, &change->size_before, err));
    MG_TRY(get_int_or(json, "size_after", 0, INT64_MAX, -1, &change->size_after, err));
    MG_TRY(get_int_or(json, "lines_added", 0, INT64_MAX, -1, &change->lines_added, err));
    MG_TRY(get_int_or(json, "lines_deleted", 0, INT64_MAX, -1, &change->lines_deleted, err));
    return get_bool(json, "no_op", &change->no_op, err);
}

static mg_status read_finding(const mg_json *json, mg_arena *arena, void *out, mg_err *err)
{
    mg_finding *finding = out;
    MG_TRY(get_word(json, "rule", arena, &finding->rule, err));
    MG_TRY(get_level(json, "level", &finding->level, err));
    MG_TRY(get_text(json, "path", arena, &finding->path, err));
    return get_text(json, "message", arena, &finding->message, err);
}

static mg_status read_usage(const mg_json *attempt, mg_usage *out, mg_err *err)
{
    const mg_json *json, *cost;
    MG_TRY(member(attempt, "usage", &json, err));
    if (!mg_json_is_object(json))
        return bad(err, "usage", "an object");
    out->tokens_known = !nothing_at(json, "input_tokens");
    MG_TRY(get_int_or(json, "input_tokens", 0, INT64_MAX, 0, &out->input_tokens, err));
    MG_TRY(get_int_or(json, "output_tokens", 0, INT64_MAX, 0, &out->output_tokens, err));
    out->cost_known = !nothing_at(json, "cost_usd");
    if (!out->cost_known)
        return MG_OK;
    MG_TRY(member(json, "cost_usd", &cost, err));
    return mg_json_is_number(cost, &out->cost_usd) ? MG_OK : bad(err, "cost_usd", "a number");
}

static mg_status read_gap(const mg_json *attempt, mg_arena *arena, mg_gap *out, mg_err *err)
{
    const mg_json *json;
    if (nothing_at(attempt, "gap"))
        return MG_OK;
    MG_TRY(member(attempt, "gap", &json, err));
    MG_TRY(get_word(json, "detector", arena, &out->detector, err));
    if (out->detector == NULL)
        return bad(err, "gap", "null, or an object with a detector");
    MG_TRY(get_text(json, "headline", arena, &out->headline, err));
    return get_text(json, "text", arena, &out->text, err);
}

static mg_status read_judgement(const mg_json *json, mg_arena *arena, mg_attempt *out, mg_err *err)
{
    int64_t tier;
    MG_TRY(get_terminal(json, "terminal_reason", &out->terminal, err));
    MG_TRY(get_bool(json, "watched", &out->watched, err));
    MG_TRY(get_bool(json, "counted", &out->counted, err));
    MG_TRY(get_attempt_status(json, "status", &out->status, err));
    MG_TRY(get_verdict(json, "verdict", &out->verdict, err));
    MG_TRY(get_int_or(json, "tier", 0, 2, 0, &tier, err));
    MG_TRY(get_word(json, "reason", arena, &out->reason, err));
    MG_TRY(get_word(json, "proved_by", arena, &out->proved_by, err));
    MG_TRY(get_bool(json, "goal_actions_executed", &out->goal_actions_executed, err));
    MG_TRY(get_bool(json, "effect", &out->effect, err));
    out->tier = (unsigned)tier;
    if ((out->status == MG_ATTEMPT_SUCCESS) != (out->verdict == MG_VERDICT_MET))
        return mg_fail(err, MG_ERR_INVALID, "the status '%s' contradicts the verdict '%s'",
                       mg_attempt_status_name(out->status), mg_verdict_name(out->verdict));
    return MG_OK;
}

static mg_status read_lists(const mg_json *json, mg_arena *arena, mg_attempt *out, mg_err *err)
{
    const mg_json *list;
    void *items = NULL;
    int64_t left_out;
    MG_TRY(member(json, "mutations", &list, err));
    MG_TRY(read_list(list, "mutations", sizeof(mg_change), read_change, arena, &items,
                     &out->changes.count, err));
    out->changes.items = items;
    MG_TRY(get_int_or(json, "mutations_left_out", 0, INT64_MAX, 0, &left_out, err));
    out->changes_left_out = (size_t)left_out;
    MG_TRY(member(json, "assertions", &list, err));
    MG_TRY(read_results(list, "assertions", 0, arena, &out->results, &out->result_count, err));
    MG_TRY(member(json, "findings", &list, err));
    MG_TRY(read_list(list, "findings", sizeof(mg_finding), read_finding, arena, &items,
                     &out->findings.count, err));
    out->findings.items = items;
    out->findings.cap = out->findings.count;
    MG_TRY(get_bool(json, "restored", &out->restored, err));
    return get_strs(json, "tampered", arena, &out->tampered, err);
}

static mg_status read_run(const mg_json *json, mg_arena *arena, mg_attempt *out, mg_err *err)
{
    int64_t duration = 0, leftovers = 0;
    MG_TRY(get_int(json, "duration_ms", 0, INT64_MAX, &duration, err));
    MG_TRY(get_time(json, "started", &out->started_ms, err));
    out->has_exit = !nothing_at(json, "exit_code");
    MG_TRY(get_int_or(json, "exit_code", INT64_MIN, INT64_MAX, 0, &out->exit_code, err));
    MG_TRY(get_text(json, "session", arena, &out->session, err));
    MG_TRY(get_text(json, "response", arena, &out->response, err));
    MG_TRY(get_text(json, "error", arena, &out->error, err));
    MG_TRY(get_text(json, "note", arena, &out->note, err));
    MG_TRY(get_int(json, "leftovers", 0, UINT_MAX, &leftovers, err));
    out->duration_ms = (uint64_t)duration;
    out->leftovers = (unsigned)leftovers;
    return MG_OK;
}

mg_status mg_attempt_read(const mg_json *json, mg_arena *arena, mg_attempt *out, mg_err *err)
{
    mg_attempt attempt = {0};
    int64_t number = 0;
    if (!mg_json_is_object(json))
        return mg_fail(err, MG_ERR_INVALID, "an attempt should be an object");
    MG_TRY(get_int(json, "number", 1, UINT32_MAX, &number, err));
    attempt.number = (uint32_t)number;
    MG_TRY(read_judgement(json, arena, &attempt, err));
    MG_TRY(read_lists(json, arena, &attempt, err));
    MG_TRY(read_gap(json, arena, &attempt.gap, err));
    MG_TRY(read_usage(json, &attempt.usage, err));
    MG_TRY(read_run(json, arena, &attempt, err));
    *out = attempt;
    return MG_OK;
}
