/* read_codex.c - `codex exec --json`: lines of thread, turn and item events.
 *
 * An item of type error is a warning (a model it has no data of) and ends nothing; so is an
 * `error` event that a turn.completed follows (it reconnects). turn.failed is the failure.
 */
#include "agent/reader.h"

static mg_str tool_of(const mg_json *item)
{
    static const char *const tools[] = {"command_execution", "file_change", "mcp_tool_call",
                                        "collab_tool_call", "web_search"};
    for (size_t i = 0; i < MG_COUNT(tools); i++)
        if (mg_event_is(item, "type", tools[i]))
            return mg_str_of(tools[i]);
    return (mg_str){0};
}

static void read_tool(mg_reader *r, const mg_json *item, mg_str tool)
{
    mg_step *step = mg_read_step(r, mg_event_text(item, "id"), tool);
    double code;
    mg_read_step_output(r, step, mg_event_text(item, "aggregated_output"));
    if (mg_json_is_number(mg_event_at(item, "exit_code"), &code))
        mg_read_step_exit(step, mg_event_int(item, "exit_code"));
    else if (mg_event_is(item, "status", "completed"))
        mg_read_step_exit(step, 0);
    else if (mg_event_is(item, "status", "failed") || mg_event_is(item, "status", "declined"))
        mg_read_step_exit(step, 1);
    if (mg_event_is(item, "status", "declined")) {
        const mg_str command = mg_event_text(item, "command");
        mg_read_denied(r, command.len > 0 ? command : tool);
    }
}

static void read_item(mg_reader *r, const mg_json *item)
{
    const mg_str tool = tool_of(item);
    if (tool.len > 0)
        read_tool(r, item, tool);
    else if (mg_event_is(item, "type", "agent_message"))
        mg_read_text(r, mg_event_text(item, "text"));
}

/* The message may itself be JSON of the server, with its status; as text it says the same. */
static void read_failure(mg_reader *r, const mg_json *event)
{
    const mg_json *error = mg_event_at(event, "error");
    const mg_str message = mg_event_text(error, "message");
    mg_read_failed(r, message.len > 0 ? message : mg_event_text(event, "message"), 0);
}

static void event(mg_reader *r, const mg_json *event)
{
    const mg_json *usage = mg_event_at(event, "usage");
    if (mg_event_is(event, "type", "thread.started")) {
        mg_read_session(r, mg_event_text(event, "thread_id"));
    } else if (mg_event_is(event, "type", "turn.completed")) {
        mg_read_recovered(r);
        r->ended = true;
        mg_read_used(r, mg_event_int(usage, "input_tokens"), mg_event_int(usage, "output_tokens"),
                     0);
    } else if (mg_event_is(event, "type", "turn.failed")) {
        read_failure(r, event);
        r->ended = true;
    } else if (mg_event_is(event, "type", "error")) {
        read_failure(r, event);
    } else if (mg_str_starts(mg_event_text(event, "type"), "item.")) {
        read_item(r, mg_event_at(event, "item"));
    }
}

static const char *const unknown_session[] = {
    "no rollout found", "thread not found", "session not found", "no recorded session", NULL,
};

const mg_format mg_format_codex = {
    .name = "codex",
    .final = "turn.completed",
    .final_start = "{\"type\":\"turn.completed\"",
    .tells_steps = true,
    .knows_failures = true,
    .event = event,
    .unknown_session = unknown_session,
};
