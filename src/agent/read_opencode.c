/* read_opencode.c - `opencode run --format json`: lines of steps, texts and tool calls.
 *
 * It is over when a step finished for another reason than to call tools.
 */
#include "agent/reader.h"

static void read_tool(mg_reader *r, const mg_json *part)
{
    const mg_json *state = mg_event_at(part, "state");
    const mg_str tool = mg_event_text(part, "tool");
    mg_step *step = mg_read_step(r, mg_event_text(part, "callID"), tool);
    double code;
    if (mg_event_is(state, "status", "completed")) {
        const mg_json *metadata = mg_event_at(state, "metadata");
        const bool told = mg_json_is_number(mg_event_at(metadata, "exit"), &code);
        mg_read_step_output(r, step, mg_event_text(state, "output"));
        mg_read_step_exit(step, told ? mg_event_int(metadata, "exit") : 0);
    } else if (mg_event_is(state, "status", "error")) {
        const mg_str error = mg_event_text(state, "error");
        mg_read_step_output(r, step, error);
        mg_read_step_exit(step, 1);
        if (mg_text_has_fold(error, "rejected permission") ||
            mg_text_has_fold(error, "prevents you from using this specific tool call"))
            mg_read_denied(r, tool);
    }
}

static void read_finish(mg_reader *r, const mg_json *part)
{
    const mg_json *tokens = mg_event_at(part, "tokens");
    const mg_json *cache = mg_event_at(tokens, "cache");
    mg_read_used(r,
                 mg_event_int(tokens, "input") + mg_event_int(cache, "read") +
                     mg_event_int(cache, "write"),
                 mg_event_int(tokens, "output") + mg_event_int(tokens, "reasoning"),
                 mg_event_number(part, "cost"));
    r->ended = !mg_event_is(part, "reason", "tool-calls");
    r->told = mg_event_is(part, "reason", "length") ? MG_TERMINAL_MAX_ITERATIONS : MG_TERMINAL_NONE;
    if (r->ended)
        mg_read_recovered(r);
}

static void read_error(mg_reader *r, const mg_json *error)
{
    const mg_json *data = mg_event_at(error, "data");
    mg_str text = mg_event_text(data, "message");
    if (text.len == 0)
        text = mg_event_text(error, "message");
    if (text.len == 0)
        text = mg_event_text(error, "name");
    mg_read_failed(r, text, mg_event_int(data, "statusCode"));
    r->ended = true;
    if (mg_event_is(error, "name", "ProviderAuthError") ||
        mg_event_is(error, "name", "ProviderModelNotFoundError"))
        r->fatal = true;
}

static void event(mg_reader *r, const mg_json *event)
{
    const mg_json *part = mg_event_at(event, "part");
    mg_read_session(r, mg_event_text(event, "sessionID"));
    if (mg_event_is(event, "type", "tool_use"))
        read_tool(r, part);
    else if (mg_event_is(event, "type", "text"))
        mg_read_text(r, mg_event_text(part, "text"));
    else if (mg_event_is(event, "type", "step_finish"))
        read_finish(r, part);
    else if (mg_event_is(event, "type", "error"))
        read_error(r, mg_event_at(event, "error"));
}

static const char *const unknown_session[] = {"session not found", NULL};

const mg_format mg_format_opencode = {
    .name = "opencode",
    .final = "last step_finish",
    .tells_steps = true,
    .knows_failures = true,
    .event = event,
    .unknown_session = unknown_session,
};
