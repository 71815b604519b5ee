/* read_pi.c - `pi --mode json`: a line for the session, each message, each tool call.
 *
 * It exits with 0 whatever happened; only the stopReason of its last message tells. The updates
 * while a message grows repeat all of it each time: they are not even parsed.
 */
#include "agent/reader.h"

static void read_message(mg_reader *r, const mg_json *message)
{
    if (!mg_event_is(message, "role", "assistant"))
        return;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_json *usage = mg_event_at(message, "usage");
    mg_read_used(r,
                 mg_event_int(usage, "input") + mg_event_int(usage, "cacheRead") +
                     mg_event_int(usage, "cacheWrite"),
                 mg_event_int(usage, "output"),
                 mg_event_number(mg_event_at(usage, "cost"), "total"));
    mg_read_text(r, mg_event_parts(mg_event_at(message, "content"), scratch));
    mg_read_recovered(r); /* what it said last is what counts */
    r->told = MG_TERMINAL_NONE;
    if (mg_event_is(message, "stopReason", "length"))
        r->told = MG_TERMINAL_MAX_ITERATIONS;
    else if (mg_event_is(message, "stopReason", "error") ||
             mg_event_is(message, "stopReason", "aborted"))
        mg_read_failed(r, mg_event_text(message, "errorMessage"), 0);
}

static void read_tool_end(mg_reader *r, const mg_json *event)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_json *result = mg_event_at(event, "result");
    mg_step *step =
        mg_read_step(r, mg_event_text(event, "toolCallId"), mg_event_text(event, "toolName"));
    mg_read_step_output(r, step, mg_event_parts(mg_event_at(result, "content"), scratch));
    mg_read_step_exit(step, mg_event_true(event, "isError") ? 1 : 0);
}

static void event(mg_reader *r, const mg_json *event)
{
    if (mg_event_is(event, "type", "session"))
        mg_read_session(r, mg_event_text(event, "id"));
    else if (mg_event_is(event, "type", "agent_start"))
        r->ended = false;
    else if (mg_event_is(event, "type", "message_end"))
        read_message(r, mg_event_at(event, "message"));
    else if (mg_event_is(event, "type", "tool_execution_start"))
        (void)mg_read_step(r, mg_event_text(event, "toolCallId"), mg_event_text(event, "toolName"));
    else if (mg_event_is(event, "type", "tool_execution_end"))
        read_tool_end(r, event);
    else if (mg_event_is(event, "type", "agent_end"))
        r->ended = true;
}

static const char *const unknown_session[] = {"no session found", "session not found", NULL};

const mg_format mg_format_pi = {
    .name = "pi",
    .final = "agent_end",
    .final_start = "{\"type\":\"agent_end\"",
    .skip_start = "{\"type\":\"message_update\"",
    .tells_steps = true,
    .knows_failures = true,
    .event = event,
    .unknown_session = unknown_session,
};
