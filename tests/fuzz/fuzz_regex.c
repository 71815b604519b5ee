/* Patterns: a text in pieces gives the count of the whole. Input: size of a piece, size of a
 * window, length of the pattern, the pattern, the text. */
#include "data/regex.h"
#include "data/text.h"
#include "fuzz.h"

static mg_status count(const mg_regex *regex, mg_str text, size_t piece, const mg_limits *limits,
                       size_t hint, uint64_t *out)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_search *search = mg_search_new(regex, limits, UINT64_MAX, hint, arena);
    while (text.len > 0) {
        MG_TRY(mg_search_add(search, mg_str_first(text, piece), NULL));
        text = mg_str_from(text, piece);
    }
    MG_TRY(mg_search_end(search, NULL));
    *out = mg_search_count(search);
    return MG_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    if (size < 3)
        return 0;
    const size_t piece = 1u + data[0], window = 16u + data[1];
    const mg_str rest = {(const char *)data + 3, size - 3};
    const mg_str pattern = mg_str_first(rest, data[2] % 64), text = mg_str_from(rest, pattern.len);
    const mg_regex *regex;
    mg_err err = {0};
    if (mg_regex_compile(pattern, arena, &regex, &err) != MG_OK) {
        MUST(err.text[0] != '\0');
        return 0;
    }
    mg_limits limits = mg_limits_default, whole = mg_limits_default;
    limits.regex_steps = whole.regex_steps = 200000;
    limits.search_window = window;
    whole.search_window = size + 16;
    uint64_t a = 0, b = 0;
    bool found = false;
    const mg_status sa = count(regex, text, size, &whole, size + 1, &a);
    const mg_status sb = count(regex, text, piece, &limits, 0, &b);
    const mg_status sc = mg_regex_find(regex, &whole, text, &found, &err);
    /* Broken bytes part the text; how many empty matches lie between them is nobody's question. */
    if (sa == MG_OK && sb == MG_OK)
        MUST(mg_utf8_valid(text) ? a == b : (a > 0) == (b > 0));
    if (sa == MG_OK && sc == MG_OK)
        MUST(found == (a > 0));
    return 0;
}
