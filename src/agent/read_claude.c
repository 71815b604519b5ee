/* read_claude.c - `claude --output-format stream-json` or json, and what qwen made of it.
 *
 * Lines (of qwen: one list) of system, assistant, user and result events. `subtype: success` says
 * nothing: a refused key is a success there. What counts is is_error, api_error_status, the list
 * of denials and, of qwen, a result that begins with "[API Error". A rejected rate_limit_event
 * says until when.
 */
#include "agent/reader.h"

static void read_part(mg_reader *r, const mg_json *part)
{
    if (mg_event_is(part, "type", "tool_use")) {
        (void)mg_read_step(r, mg_event_text(part, "id"), mg_event_text(part, "name"));
        return;
    }
    if (!mg_event_is(part, "type", "tool_result"))
        return;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str output = mg_event_parts(mg_event_at(part, "content"), scratch);
    mg_step *step = mg_read_step(r, mg_event_text(part, "tool_use_id"), MG_STR(""));
    mg_read_step_output(r, step, output);
    mg_read_step_exit(step, mg_event_true(part, "is_error") ? 1 : 0);
}

/* What a subagent says is not the last word; what it does is a step like any other. */
static void read_message(mg_reader *r, const mg_json *event)
{
    const mg_json *content = mg_event_at(mg_event_at(event, "message"), "content");
    for (size_t i = 0; i < mg_event_count(content); i++)
        read_part(r, mg_json_item(content, i));
    if (!mg_event_is(event, "type", "assistant") ||
        mg_event_text(event, "parent_tool_use_id").len > 0)
        return;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_read_text(r, mg_event_parts(content, scratch));
}

static void read_limit(mg_reader *r, const mg_json *event)
{
    const mg_json *info = mg_event_at(event, "rate_limit_info");
    if (!mg_event_is(info, "status", "rejected"))
        return;
    mg_read_failed(r, MG_STR("rate limit reached"), 429);
    const int64_t resets = mg_event_int(info, "resetsAt");
    if (resets > 0 && resets < INT64_C(1) << 40)
        r->reset_ms = resets * 1000;
}

typedef struct used {
    int64_t input, output;
    double cost;
} used;

static void add_model(void *data, mg_str name, const mg_json *model)
{
    (void)name;
    used *sum = data;
    const mg_json *tokens = mg_event_at(model, "tokens"); /* of qwen's stats */
    sum->input += mg_event_int(model, "inputTokens") + mg_event_int(model, "cacheReadInputTokens") +
                  mg_event_int(model, "cacheCreationInputTokens") + mg_event_int(tokens, "prompt");
    sum->output += mg_event_int(model, "outputTokens") + mg_event_int(tokens, "candidates") +
                   mg_event_int(tokens, "thoughts");
    sum->cost += mg_event_number(model, "costUSD");
}

/* modelUsage has every model that was asked; usage may have only the main one. */
static void read_usage(mg_reader *r, const mg_json *result)
{
    used sum = {0};
    const mg_json *usage = mg_event_at(result, "usage");
    const mg_json *per_model = mg_event_at(result, "modelUsage");
    if (per_model == NULL)
        per_model = mg_event_at(mg_event_at(result, "stats"), "models");
    mg_json_each(per_model, add_model, &sum);
    if (sum.input == 0 && sum.output == 0) {
        sum.input = mg_event_int(usage, "input_tokens") +
                    mg_event_int(usage, "cache_read_input_tokens") +
                    mg_event_int(usage, "cache_creation_input_tokens");
        sum.output = mg_event_int(usage, "output_tokens");
    }
    const double total = mg_event_number(result, "total_cost_usd");
    mg_read_used(r, sum.input, sum.output, sum.cost > 0 ? sum.cost : total);
}

static void read_denials(mg_reader *r, const mg_json *denials)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    for (size_t i = 0; i < mg_event_count(denials); i++) {
        const mg_json *denial = mg_json_item(denials, i);
        const mg_json *input = mg_event_at(denial, "tool_input");
        const mg_str tool = mg_event_text(denial, "tool_name");
        const mg_str path = mg_event_text(input, "file_path");
        const mg_str about = path.len > 0 ? path : mg_event_text(input, "command");
        mg_read_denied(r, about.len > 0 ? mg_strf(scratch, MG_FMT ": " MG_FMT, MG_ARG(tool),
                                                  MG_ARG(mg_str_first(about, 200)))
                                        : tool);
    }
}

static mg_str first_error(const mg_json *result)
{
    mg_str text = mg_event_text(result, "result");
    const mg_json *errors = mg_event_at(result, "errors");
    if (text.len == 0)
        (void)mg_json_is_text(mg_json_item(errors, 0), &text);
    if (text.len == 0)
        text = mg_event_text(mg_event_at(result, "error"), "message"); /* qwen */
    return text.len > 0 ? text : mg_event_text(result, "subtype");
}

static bool stopped_by_a_limit(const mg_json *result)
{
    return mg_event_is(result, "subtype", "error_max_turns") ||
           mg_event_is(result, "subtype", "error_max_budget_usd") ||
           mg_event_is(result, "terminal_reason", "max_turns") ||
           mg_event_is(result, "terminal_reason", "budget_exhausted") ||
           mg_event_is(result, "stop_reason", "max_tokens");
}

/* "Claude AI usage limit reached|1794702408": the second it ends, or 0. */
static int64_t reset_in(mg_str text)
{
    const size_t bar = mg_str_find(text, '|', 0);
    mg_str digits = mg_str_from(text, bar + 1);
    int64_t seconds = 0;
    if (bar == text.len || !mg_str_has(mg_str_first(text, bar), "limit reached"))
        return 0;
    for (; digits.len > 0 && digits.ptr[0] >= '0' && digits.ptr[0] <= '9' && seconds < INT32_MAX;
         digits = mg_str_from(digits, 1))
        seconds = seconds * 10 + (digits.ptr[0] - '0');
    return seconds * 1000;
}

static void read_result(mg_reader *r, const mg_json *result)
{
    const mg_str text = mg_event_text(result, "result");
    const int64_t status = mg_event_int(result, "api_error_status");
    const int64_t reset = r->reset_ms;
    const bool limited = r->rate_limited;
    r->ended = true;
    mg_read_text(r, text);
    read_usage(r, result);
    read_denials(r, mg_event_at(result, "permission_denials"));
    if (stopped_by_a_limit(result)) {
        mg_read_recovered(r);
        r->told = MG_TERMINAL_MAX_ITERATIONS;
    } else if (mg_event_true(result, "is_error") || status != 0 ||
               mg_str_starts(mg_str_trim(text), "[API Error")) {
        mg_read_failed(r, first_error(result), status);
        r->rate_limited = r->rate_limited || limited; /* the event before said so */
        r->reset_ms = reset > 0 ? reset : reset_in(text);
    } else {
        mg_read_recovered(r); /* it waited, or another model went on */
    }
}

static void event(mg_reader *r, const mg_json *event)
{
    mg_read_session(r, mg_event_text(event, "session_id"));
    if (mg_event_is(event, "type", "assistant") || mg_event_is(event, "type", "user"))
        read_message(r, event);
    else if (mg_event_is(event, "type", "rate_limit_event"))
        read_limit(r, event);
    else if (mg_event_is(event, "type", "result"))
        read_result(r, event);
}

static const char *const unknown_session[] = {
    "no conversation found",
    "session id not found",
    "no saved session found",
    NULL,
};

const mg_format mg_format_claude = {
    .name = "claude",
    .final = "final result",
    .final_start = "{\"type\":\"result\"",
    .tells_steps = true,
    .knows_failures = true,
    .event = event,
    .unknown_session = unknown_session,
};
