/* read_lines.c - makegood's own lines, which mg-scripted prints and anybody's agent may.
 *
 * The first line says so; then a JSON object a line:
 *     {"type":"makegood","version":1,"session":"optional, to go on with"}
 *     {"type":"step","id":"1","tool":"shell","output":"...","exit_code":0}
 *     {"type":"text","text":"what it says"}
 *     {"type":"denied","text":"write to style.css"}
 *     {"type":"result","terminal_reason":"completed","text":"last words","error":"optional",
 *      "fatal":false,"retry_ms":0,"usage":{"input_tokens":1,"output_tokens":1,"cost_usd":0.01}}
 * terminal_reason: completed, max_iterations or error. retry_ms: a limit was met; how long it
 * lasts.
 */
#include "agent/reader.h"

static void read_step(mg_reader *r, const mg_json *event)
{
    double code;
    mg_step *step = mg_read_step(r, mg_event_text(event, "id"), mg_event_text(event, "tool"));
    mg_read_step_output(r, step, mg_event_text(event, "output"));
    if (mg_json_is_number(mg_event_at(event, "exit_code"), &code))
        mg_read_step_exit(step, mg_event_int(event, "exit_code"));
}

static void read_result(mg_reader *r, const mg_json *event)
{
    const mg_json *usage = mg_event_at(event, "usage");
    const mg_terminal told = mg_terminal_named(mg_event_text(event, "terminal_reason"));
    const int64_t retry_ms = mg_event_int(event, "retry_ms");
    r->ended = true;
    r->told = told == MG_TERMINAL_MAX_ITERATIONS ? told : MG_TERMINAL_NONE;
    mg_read_text(r, mg_event_text(event, "text"));
    mg_read_used(r, mg_event_int(usage, "input_tokens"), mg_event_int(usage, "output_tokens"),
                 mg_event_number(usage, "cost_usd"));
    if (retry_ms > 0)
        mg_read_failed(r, MG_STR("rate limit reached"), 429);
    else if (told == MG_TERMINAL_ERROR || mg_event_text(event, "error").len > 0)
        mg_read_failed(r, mg_event_text(event, "error"), 0);
    r->wait_ms = retry_ms > 0 ? retry_ms : 0;
    r->fatal = r->fatal || (r->failed && mg_event_true(event, "fatal"));
}

static void event(mg_reader *r, const mg_json *event)
{
    mg_read_session(r, mg_event_text(event, "session"));
    if (mg_event_is(event, "type", "step"))
        read_step(r, event);
    else if (mg_event_is(event, "type", "text"))
        mg_read_text(r, mg_event_text(event, "text"));
    else if (mg_event_is(event, "type", "denied"))
        mg_read_denied(r, mg_event_text(event, "text"));
    else if (mg_event_is(event, "type", "result"))
        read_result(r, event);
}

/* A script that cannot be read will not be better the next time. */
static void finish(mg_reader *r, const mg_read_exit *how)
{
    const mg_str said = mg_str_trim(mg_buf_str(&r->errors));
    if (!r->ended && how->has_exit && how->exit_code == 2 && mg_str_starts(said, "mg-scripted:")) {
        mg_read_failed(r, said, 0);
        r->fatal = true;
    }
}

const mg_format mg_format_lines = {
    .name = "lines",
    .final = "final result",
    .final_start = "{\"type\":\"result\"",
    .tells_steps = true,
    .event = event,
    .finish = finish,
};
