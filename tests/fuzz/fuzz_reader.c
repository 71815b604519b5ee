/* What agents print: whatever comes, in whatever pieces, every format ends, within its bounds. */
#include "agent/reader.h"
#include "fuzz.h"

static void check_end(const mg_agent_end *end)
{
    MUST(end->terminal != MG_TERMINAL_NONE);
    MUST(end->response.len <= MG_READ_TEXT_MAX);
    MUST(end->step_count <= MG_READ_STEPS_MAX);
    MUST(end->denials.count <= MG_READ_DENIALS_MAX);
    MUST(end->usage.input_tokens >= 0 && end->usage.output_tokens >= 0);
    MUST(!(end->fatal && end->rate_limited));
    MUST(!end->errors || end->error.len > 0);
}

static mg_agent_end read_all(const mg_format *format, mg_str out, size_t piece, mg_arena *arena)
{
    mg_reader *r = mg_reader_new(format, arena);
    mg_agent_end end = {0};
    for (size_t at = 0; at < out.len; at += piece)
        mg_reader_feed(r, 1, mg_str_first(mg_str_from(out, at), piece));
    mg_reader_feed(r, 2, mg_str_first(out, 512));
    const mg_read_exit how = {.has_exit = true,
                              .exit_code = out.len > 0 ? (uint8_t)out.ptr[0] : 0,
                              .resuming = out.len % 2 == 1};
    mg_reader_finish(r, &how, &end);
    check_end(&end);
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mg_str text = {(const char *)data, size};
    for (const mg_format *const *format = mg_formats; *format != NULL; format++) {
        MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
        const mg_agent_end whole = read_all(*format, text, SIZE_MAX / 2, arena);
        const mg_agent_end pieces = read_all(*format, text, 5, arena);
        MUST(whole.terminal == pieces.terminal && whole.fatal == pieces.fatal);
        MUST(mg_str_eq(whole.response, pieces.response));
        MUST(whole.step_count == pieces.step_count);
    }
    return 0;
}
