/* read_gemini.c - `gemini --output-format stream-json`, or json as one document.
 *
 * Failures come as JSON on stderr and as exit codes: 41 authentication, 42 input, 44 sandbox,
 * 52 configuration, 53 too many turns, and the HTTP status modulo 256 (401 is 145).
 */
#include "agent/reader.h"

static void add_model(void *data, mg_str name, const mg_json *model)
{
    (void)name;
    mg_reader *r = data;
    const mg_json *tokens = mg_event_at(model, "tokens");
    mg_read_used(r, mg_event_int(tokens, "prompt"),
                 mg_event_int(tokens, "candidates") + mg_event_int(tokens, "thoughts"), 0);
}

/* Per model where it is told so; the stream has sums. */
static void read_stats(mg_reader *r, const mg_json *stats)
{
    mg_json_each(mg_event_at(stats, "models"), add_model, r);
    if (!r->usage.tokens_known)
        mg_read_used(r, mg_event_int(stats, "input_tokens"), mg_event_int(stats, "output_tokens"),
                     0);
}

static void read_error(mg_reader *r, const mg_json *error)
{
    mg_str text = mg_event_text(error, "message");
    if (text.len == 0)
        (void)mg_json_is_text(error, &text);
    const int64_t code = mg_event_int(error, "code");
    mg_read_failed(r, text, code);
    if (mg_event_is(error, "type", "FatalTurnLimitedError") || code == 53) {
        mg_read_recovered(r);
        r->told = MG_TERMINAL_MAX_ITERATIONS;
    }
    r->fatal = r->fatal || mg_event_is(error, "type", "FatalAuthenticationError") ||
               mg_event_is(error, "type", "FatalConfigError");
}

static void read_tool_result(mg_reader *r, const mg_json *event)
{
    mg_step *step = mg_read_step(r, mg_event_text(event, "tool_id"), MG_STR(""));
    const mg_str error = mg_event_text(mg_event_at(event, "error"), "message");
    const bool failed = mg_event_is(event, "status", "error") || error.len > 0;
    const mg_str output = mg_event_text(event, "output");
    mg_read_step_output(r, step, output.len > 0 ? output : error);
    mg_read_step_exit(step, failed ? 1 : 0);
    if (failed && (mg_text_has_fold(error, "requires user confirmation") ||
                   mg_text_has_fold(error, "denied by policy")))
        mg_read_denied(r, error);
}

/* A message of the model comes in pieces; the next tool or user message ends it. */
static void read_message(mg_reader *r, const mg_json *event)
{
    const mg_str content = mg_event_text(event, "content");
    if (!mg_event_is(event, "role", "assistant"))
        return;
    if (mg_event_true(event, "delta") && r->joining)
        mg_buf_add(&r->text, content);
    else
        mg_read_text(r, content);
    r->text_cut = r->text_cut || r->text.cut;
    r->joining = true;
}

static void read_whole(mg_reader *r, const mg_json *event)
{
    r->ended = true;
    mg_read_text(r, mg_event_text(event, "response"));
    read_stats(r, mg_event_at(event, "stats"));
    if (mg_event_at(event, "error") != NULL)
        read_error(r, mg_event_at(event, "error"));
}

static void read_result(mg_reader *r, const mg_json *event)
{
    r->ended = true;
    read_stats(r, mg_event_at(event, "stats"));
    if (mg_event_is(event, "status", "success"))
        mg_read_recovered(r);
    else
        read_error(r, mg_event_at(event, "error"));
}

static void event(mg_reader *r, const mg_json *event)
{
    const mg_str type = mg_event_text(event, "type");
    mg_read_session(r, mg_event_text(event, "session_id"));
    r->joining = r->joining && mg_str_is(type, "message");
    if (mg_str_is(type, "message")) {
        read_message(r, event);
    } else if (mg_str_is(type, "tool_use")) {
        (void)mg_read_step(r, mg_event_text(event, "tool_id"), mg_event_text(event, "tool_name"));
    } else if (mg_str_is(type, "tool_result")) {
        read_tool_result(r, event);
    } else if (mg_str_is(type, "result")) {
        read_result(r, event);
    } else if (mg_str_is(type, "error") && mg_event_is(event, "severity", "error")) {
        mg_read_failed(r, mg_event_text(event, "message"), 0);
    } else if (type.len == 0 &&
               (mg_event_at(event, "response") != NULL || mg_event_at(event, "error") != NULL)) {
        read_whole(r, event);
    }
}

typedef struct exit_code {
    int64_t code;
    bool fatal;
    mg_terminal told;
    const char *means;
} exit_code;

static const exit_code exit_codes[] = {
    {41, true, MG_TERMINAL_ERROR, "exit 41: authentication is not set up"},
    {42, true, MG_TERMINAL_ERROR, "exit 42: its input or arguments were refused"},
    {44, true, MG_TERMINAL_ERROR, "exit 44: its sandbox does not work"},
    {52, true, MG_TERMINAL_ERROR, "exit 52: its configuration is not valid"},
    {53, false, MG_TERMINAL_MAX_ITERATIONS, "exit 53: it reached its limit of turns"},
    {401 % 256, true, MG_TERMINAL_ERROR, "exit 145: the model server refused the key (401)"},
    {403 % 256, true, MG_TERMINAL_ERROR, "exit 147: the model server refused access (403)"},
};

static void finish(mg_reader *r, const mg_read_exit *how)
{
    if (!r->ended)
        mg_read_document(r, mg_buf_str(&r->errors));
    for (size_t i = 0; how->has_exit && i < MG_COUNT(exit_codes); i++) {
        const exit_code *row = &exit_codes[i];
        if (row->code != how->exit_code)
            continue;
        r->told = row->told;
        if (row->told == MG_TERMINAL_MAX_ITERATIONS)
            mg_read_recovered(r);
        else if (!r->failed)
            mg_read_failed(r,
                           mg_strf(r->arena, "%s: " MG_FMT, row->means,
                                   MG_ARG(mg_str_trim(mg_buf_str(&r->errors)))),
                           0);
        r->fatal = row->fatal && !r->unknown_session;
    }
    if (how->has_exit && how->exit_code == 429 % 256 && r->failed)
        r->rate_limited = true;
}

static const char *const unknown_session[] = {"invalid session identifier", "no previous sessions",
                                              "session not found", "error resuming session", NULL};

const mg_format mg_format_gemini = {
    .name = "gemini",
    .final = "final result",
    .final_start = "{\"type\":\"result\"",
    .document = true,
    .tells_steps = true,
    .knows_failures = true,
    .event = event,
    .finish = finish,
    .unknown_session = unknown_session,
};
