/* Scrubbing: valid text comes out, a known secret does not, and no text closes its fence. The
 * first line of the input is the secret. */
#include "data/scrub.h"
#include "data/text.h"
#include "fuzz.h"

static void check_fence(mg_str text, mg_arena *arena)
{
    const mg_str fenced = mg_fence(arena, "label", text, 64);
    mg_str rest = fenced, label, fence, line;
    size_t closing = 0;
    MUST(mg_str_split(&rest, '\n', &label) && mg_str_split(&rest, '\n', &fence));
    while (mg_str_split(&rest, '\n', &line))
        closing += line.len >= fence.len && memcmp(line.ptr, fence.ptr, fence.len) == 0;
    MUST(closing == 1);
    MUST(mg_utf8_valid(fenced));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_str text = {(const char *)data, size}, secret = {0};
    mg_strs secrets = {0};
    (void)mg_str_split(&text, '\n', &secret);
    mg_strs_add(arena, &secrets, secret);
    const mg_scrub *scrub = mg_scrub_new(&secrets, arena);
    const mg_str once = mg_scrub_apply(scrub, MG_SCRUB_TEXT, text, arena);
    const mg_str blocked = mg_scrub_apply(scrub, MG_SCRUB_BLOCKED, text, arena);
    MUST(mg_utf8_valid(once) && mg_utf8_valid(blocked));
    MUST(mg_utf8_columns(blocked) <= 150);
    const mg_str clean = mg_text_clean(arena, secret);
    /* Our own words may hold it, or be a part of it. */
    const bool ours =
        memchr(clean.ptr, '[', clean.len) != NULL || memchr(clean.ptr, ']', clean.len) != NULL ||
        mg_str_has(MG_STR("[redacted secret][redacted][a tool]"), mg_str_cstr(arena, clean));
    if (secret.len >= 6 && !ours && memchr(clean.ptr, 0, clean.len) == NULL)
        MUST(!mg_str_has(once, mg_str_cstr(arena, clean)));
    check_fence(once, arena);
    check_fence(mg_text_cut(arena, once, 40), arena);
    return 0;
}
