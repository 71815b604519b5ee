/* reader.c - lines into events, events into what an attempt was.
 *
 * Every line of stdout that is a JSON object is an event; of a JSON list, each item is one. A
 * line that is neither is nobody's business: warnings and banners stand between events. Where a
 * format may be one document over many lines, all of stdout is kept and read at the end, if no
 * line was an event.
 */
#include "agent/reader.h"

#include "base/vec.h"
#include "data/text.h"

const mg_format *const mg_formats[] = {
    &mg_format_text,  &mg_format_lines,  &mg_format_claude,
    &mg_format_codex, &mg_format_gemini, &mg_format_opencode,
    &mg_format_pi,    &mg_format_cn,     NULL,
};

enum {
    SESSION_MAX = 256,
    STEPS_AT_ONCE = 256, /* so far back a step that is still running is looked for */
};

mg_reader *mg_reader_new(const mg_format *format, mg_arena *arena)
{
    mg_reader *r = mg_new(arena, mg_reader);
    r->format = format;
    r->arena = arena;
    r->line = mg_buf_new(arena, MG_READ_LINE_MAX);
    r->whole = mg_buf_new(arena, MG_READ_LINE_MAX);
    r->out_tail = mg_buf_new(arena, 2 * MG_READ_TEXT_MAX);
    r->errors = mg_buf_new(arena, 2 * MG_READ_STDERR_MAX);
    r->text = mg_buf_new(arena, MG_READ_TEXT_MAX);
    r->error_text = mg_buf_new(arena, 2 * MG_READ_ERROR_MAX);
    r->session_text = mg_buf_new(arena, SESSION_MAX);
    return r;
}

/* --- Bytes into lines, lines into events --- */

/* Whether an event begins with a marker; blanks in front do not matter. */
static bool line_starts(mg_str line, const char *start)
{
    return start != NULL && mg_str_starts(mg_str_trim(line), start);
}

static void take_value(mg_reader *r, const mg_json *json)
{
    size_t count;
    if (!mg_json_is_list(json, &count)) {
        r->events++;
        r->format->event(r, json);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        r->events++;
        r->format->event(r, mg_json_item(json, i));
    }
}

/* Takes text as one JSON value; false if it is none. */
static bool take_json(mg_reader *r, mg_str text)
{
    const mg_str trimmed = mg_str_trim(text);
    if (trimmed.len == 0 || (trimmed.ptr[0] != '{' && trimmed.ptr[0] != '['))
        return false;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_limits limits = mg_limits_default;
    limits.json_bytes = MG_READ_LINE_MAX;
    const mg_json *json;
    if (mg_json_parse(trimmed, &limits, MG_JSON_PLAIN, scratch, &json, NULL) != MG_OK)
        return false;
    take_value(r, json);
    return true;
}

static void end_line(mg_reader *r)
{
    r->lines++;
    const mg_str line = mg_buf_str(&r->line);
    if (r->line_long || r->line.cut) /* what of it there is says at least which event it was */
        r->ended = r->ended || line_starts(line, r->format->final_start);
    else if (!line_starts(line, r->format->skip_start))
        (void)take_json(r, line);
    r->line.len = 0;
    r->line.cut = r->line_long = false;
}

static void take_lines(mg_reader *r, mg_str bytes)
{
    /* Of a plain text only the first line may be one of ours. */
    while (bytes.len > 0 && (r->format != &mg_format_text || r->lines == 0)) {
        const size_t end = mg_str_find(bytes, '\n', 0);
        mg_buf_add(&r->line, mg_str_first(bytes, end));
        if (end == bytes.len)
            return;
        end_line(r);
        bytes = mg_str_from(bytes, end + 1);
    }
}

/* Keeps the end of a text: a buffer of twice the size is moved down when it is full. */
static void keep_tail(mg_buf *buf, mg_str bytes, bool *cut)
{
    const size_t keep = buf->max / 2;
    if (bytes.len > keep) {
        *cut = true;
        bytes = mg_str_from(bytes, bytes.len - keep);
    }
    if (buf->len + bytes.len > buf->max) {
        const size_t kept = MG_MIN(buf->len, keep);
        memmove(buf->ptr, buf->ptr + buf->len - kept, kept);
        buf->len = kept;
        *cut = true;
    }
    mg_buf_add(buf, bytes);
}

void mg_reader_feed(mg_reader *r, int stream, mg_str bytes)
{
    bool ignored = false;
    if (stream != 1) {
        keep_tail(&r->errors, bytes, &ignored);
        return;
    }
    r->spoke = r->spoke || mg_str_trim(bytes).len > 0;
    if (r->format->document && r->events == 0)
        mg_buf_add(&r->whole, bytes);
    if (r->format == &mg_format_text)
        keep_tail(&r->out_tail, bytes, &r->out_cut);
    take_lines(r, bytes);
}

/* --- What a format says of an event --- */

/* What may come a million times is written over, not kept beside. */
static mg_str put_over(mg_buf *buf, mg_str text)
{
    buf->len = 0;
    mg_buf_add(buf, text);
    return mg_buf_str(buf);
}

void mg_read_session(mg_reader *r, mg_str id)
{
    if (id.len > 0 && id.len <= SESSION_MAX)
        r->session = put_over(&r->session_text, id);
}

void mg_read_text(mg_reader *r, mg_str text)
{
    if (mg_str_trim(text).len == 0)
        return;
    r->text_cut = text.len > MG_READ_TEXT_MAX;
    (void)put_over(&r->text, r->text_cut ? mg_str_from(text, text.len - MG_READ_TEXT_MAX) : text);
}

mg_step *mg_read_step(mg_reader *r, mg_str id, mg_str tool)
{
    const size_t back = MG_MIN(r->steps.count, (size_t)STEPS_AT_ONCE);
    for (size_t i = 1; id.len > 0 && i <= back; i++) {
        mg_step *step = &r->steps.items[r->steps.count - i];
        if (mg_str_eq(step->id, id))
            return step;
    }
    if (r->steps.count >= MG_READ_STEPS_MAX) {
        r->steps_lost = true;
        return NULL;
    }
    const mg_step new = {.id = mg_str_copy(r->arena, mg_str_first(id, 256)),
                         .tool = mg_str_copy(r->arena, mg_str_first(tool, 256))};
    mg_vec_push(r->arena, &r->steps, new);
    return &r->steps.items[r->steps.count - 1];
}

void mg_read_step_output(mg_reader *r, mg_step *step, mg_str output)
{
    if (step == NULL || output.len == 0)
        return;
    const size_t left = MG_READ_STEPS_BYTES - r->step_bytes;
    const size_t keep = MG_MIN(MG_MIN(output.len, (size_t)MG_READ_STEP_BYTES), left);
    step->output_cut = keep < output.len;
    step->output = mg_str_copy(r->arena, mg_str_from(output, output.len - keep));
    r->step_bytes += keep;
}

void mg_read_step_exit(mg_step *step, int64_t exit_code)
{
    if (step == NULL)
        return;
    step->has_exit = true;
    step->exit_code = exit_code;
}

void mg_read_denied(mg_reader *r, mg_str what)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str line = mg_text_line(scratch, what, 300);
    if (r->denials.count < MG_READ_DENIALS_MAX && !mg_strs_has(&r->denials, line))
        mg_strs_add(r->arena, &r->denials, mg_str_copy(r->arena, line));
}

static void set_error(mg_reader *r, const char *before, mg_str text)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str line = mg_text_line(scratch, mg_str_trim(text), MG_READ_ERROR_MAX);
    r->error = put_over(&r->error_text, mg_strf(scratch, "%s" MG_FMT, before, MG_ARG(line)));
}

static bool says_unknown_session(const mg_format *format, mg_str text)
{
    char room[MG_FAILURE_LOOKED_AT];
    const mg_str said = mg_failure_excerpt(text, room);
    for (const char *const *p = format->unknown_session; p != NULL && *p != NULL; p++)
        if (mg_str_has(said, *p))
            return true;
    return false;
}

void mg_read_failed(mg_reader *r, mg_str text, int64_t http_status)
{
    const mg_failure failure = mg_failure_of(text, http_status);
    r->failed = true;
    r->unknown_session = says_unknown_session(r->format, text);
    r->fatal = failure == MG_FAILURE_FATAL && !r->unknown_session;
    r->rate_limited = failure == MG_FAILURE_LIMIT;
    r->wait_ms = r->rate_limited ? mg_failure_wait_ms(mg_str_first(text, MG_READ_ERROR_MAX)) : 0;
    if (mg_str_trim(text).len > 0)
        set_error(r, "", text);
    else if (r->error.len == 0)
        r->error = MG_STR("it told of an error without saying which");
}

void mg_read_recovered(mg_reader *r)
{
    r->failed = r->fatal = r->rate_limited = r->unknown_session = false;
    r->reset_ms = r->wait_ms = 0;
    r->error = (mg_str){0};
}

static int64_t added(int64_t sum, int64_t more)
{
    const int64_t most = INT64_C(1) << 53;
    return more <= 0 ? sum : MG_MIN(sum, most) + MG_MIN(more, most);
}

void mg_read_used(mg_reader *r, int64_t input, int64_t output, double cost_usd)
{
    r->usage.tokens_known = r->usage.tokens_known || input > 0 || output > 0;
    r->usage.input_tokens = added(r->usage.input_tokens, input);
    r->usage.output_tokens = added(r->usage.output_tokens, output);
    if (cost_usd > 0 && cost_usd < 1e9) { /* 0 is what is printed where the price is not known */
        r->usage.cost_known = true;
        r->usage.cost_usd += cost_usd;
    }
}

/* --- The end --- */

/* A document over several lines, with words before and after it: from a line that opens to a line
 * that closes. A few tries are enough for any banner, and bound the work on rubbish. */
void mg_read_document(mg_reader *r, mg_str text)
{
    enum { TRIES = 16 };
    const mg_str trimmed = mg_str_trim(text);
    size_t end = trimmed.len;
    while (end > 0 && trimmed.ptr[end - 1] != '}' && trimmed.ptr[end - 1] != ']')
        end--;
    const mg_str body = mg_str_first(trimmed, end);
    int tries = 0;
    for (size_t at = 0; at < body.len && tries < TRIES; at = mg_str_find(body, '\n', at) + 1) {
        const mg_str rest = mg_str_from(body, at);
        if (rest.ptr[0] != '{' && rest.ptr[0] != '[')
            continue;
        tries++;
        if (take_json(r, rest))
            return;
    }
}

static mg_str last_line(mg_str text)
{
    mg_str rest = mg_str_trim(text), line, last = {0};
    while (mg_str_split(&rest, '\n', &line))
        last = mg_str_trim(line).len > 0 ? mg_str_trim(line) : last;
    return last;
}

/* It ended badly and told nothing of it on stdout: stderr may say why. */
static void ask_stderr(mg_reader *r, const mg_read_exit *how)
{
    const mg_str said = mg_buf_str(&r->errors);
    if (r->failed || !how->has_exit || how->exit_code == 0 || how->stopped || how->timed_out)
        return;
    const mg_str line = last_line(said);
    if (r->format->knows_failures && !r->ended) {
        mg_read_failed(r, said, 0);
        r->failed = r->fatal || r->rate_limited || r->unknown_session;
    }
    char exited[64];
    (void)snprintf(exited, sizeof exited, "it exited with %lld%s", (long long)how->exit_code,
                   line.len > 0 ? ": " : "");
    set_error(r, exited, line);
}

/* Nothing was done in a conversation that the agent did not find. Where its wording is not known,
 * an exit without a conversation, a step or a word says the same. */
static bool resume_failed(const mg_reader *r, const mg_read_exit *how)
{
    if (!how->resuming || how->stopped || how->timed_out || r->steps.count > 0)
        return false;
    if (r->unknown_session)
        return true;
    return how->has_exit && how->exit_code != 0 && r->session.len == 0 && !r->fatal &&
           !r->rate_limited && !r->ended;
}

static mg_terminal terminal_of(const mg_reader *r, const mg_read_exit *how)
{
    if (how->timed_out)
        return MG_TERMINAL_TIMEOUT;
    if (how->stopped)
        return MG_TERMINAL_CANCELLED;
    if (r->told != MG_TERMINAL_NONE && !r->failed)
        return r->told;
    if (r->failed || !how->has_exit || how->exit_code != 0)
        return MG_TERMINAL_ERROR;
    return MG_TERMINAL_COMPLETED;
}

static void expect_final(mg_reader *r, const mg_read_exit *how)
{
    if (r->format->final == NULL || r->ended || r->failed || how->stopped || how->timed_out ||
        !how->has_exit || how->exit_code != 0)
        return;
    r->error = mg_strf(r->arena,
                       "it exited with 0, but without its %s; what it says of itself is not whole",
                       r->format->final);
}

static void settle(mg_reader *r, const mg_read_exit *how, mg_agent_end *out)
{
    const bool no_final = !r->failed && r->error.len > 0 && how->exit_code == 0;
    out->terminal = terminal_of(r, how);
    out->has_exit = how->has_exit;
    out->exit_code = how->exit_code;
    out->resume_failed = resume_failed(r, how);
    out->fatal = r->fatal && !out->resume_failed;
    out->rate_limited = r->rate_limited && !r->fatal;
    out->reset_ms = r->reset_ms;
    if (out->rate_limited && out->reset_ms == 0 && r->wait_ms > 0)
        out->reset_ms = how->wall_ms + r->wait_ms;
    out->errors = r->failed || no_final;
    out->error = r->error;
}

void mg_reader_finish(mg_reader *r, const mg_read_exit *how, mg_agent_end *out)
{
    if (r->line.len > 0)
        end_line(r);
    if (r->format->document && r->events == 0 && !r->whole.cut)
        mg_read_document(r, mg_buf_str(&r->whole));
    if (r->format->finish != NULL)
        r->format->finish(r, how);
    ask_stderr(r, how);
    expect_final(r, how);
    settle(r, how, out);
    out->response = mg_buf_str(&r->text);
    out->response_cut = r->text_cut;
    out->steps = r->steps.items;
    out->step_count = r->steps.count;
    out->steps_known = r->format->tells_steps && r->events > 0 && !r->steps_lost;
    out->usage = r->usage;
    out->session = r->session;
    out->denials = r->denials;
    out->silent = !r->spoke;
}
