/* .gitignore rules: the quick matcher gives the answer of the plain one, and rules can be asked
 * anything. Input: a path, newline, the rules. */
#include "data/ignore.h"
#include "fuzz.h"

/* The rules written down without a thought for time; for letters, `?`, `*` and `**` only. */
static bool plain_match(mg_str p, mg_str s, bool at_start)
{
    if (p.len == 0)
        return s.len == 0;
    size_t stars = 0;
    while (stars < p.len && p.ptr[stars] == '*')
        stars++;
    if (stars == 0) {
        if (s.len == 0 || (p.ptr[0] == '?' ? s.ptr[0] == '/' : s.ptr[0] != p.ptr[0]))
            return false;
        return plain_match(mg_str_from(p, 1), mg_str_from(s, 1), p.ptr[0] == '/');
    }
    const mg_str rest = mg_str_from(p, stars);
    const bool crossing = stars > 1 && at_start && (rest.len == 0 || rest.ptr[0] == '/');
    if (crossing && rest.len == 0)
        return true;
    if (crossing) {
        const mg_str after = mg_str_from(rest, 1);
        if (plain_match(after, s, true))
            return true;
        for (size_t i = 0; i < s.len; i++) {
            if (s.ptr[i] == '/' && plain_match(after, mg_str_from(s, i + 1), true))
                return true;
        }
        return false;
    }
    for (size_t i = 0;; i++) {
        if (plain_match(rest, mg_str_from(s, i), false))
            return true;
        if (i >= s.len || s.ptr[i] == '/')
            return false;
    }
}

static bool is_simple(mg_str pattern, mg_str path)
{
    size_t stars = 0; /* the plain matcher takes exponential time in them */
    for (size_t i = 0; i < pattern.len; i++) {
        stars += pattern.ptr[i] == '*';
        if (pattern.ptr[i] == '[' || pattern.ptr[i] == '\\')
            return false;
    }
    return stars <= 6 && pattern.len <= 14 && path.len <= 24;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_str rules = {(const char *)data, size}, path = {0};
    (void)mg_str_split(&rules, '\n', &path);
    if (rules.ptr == NULL)
        return 0;
    const mg_str pattern = mg_str_first(rules, mg_str_find(rules, '\n', 0));
    const bool matches = mg_ignore_wildmatch(pattern, path);
    if (is_simple(pattern, path))
        MUST(matches == plain_match(pattern, path, true));

    mg_err err = {0};
    mg_ignore *ignore = mg_ignore_new(arena);
    if (mg_ignore_add(ignore, MG_STR(""), rules, &err) != MG_OK)
        return 0;
    const size_t slash = mg_str_find(path, '/', 0);
    MUST(mg_ignore_add(ignore, mg_str_first(path, slash), rules, &err) == MG_OK);
    /* What is in an ignored directory is ignored. */
    if (slash > 0 && slash < path.len && mg_ignore_path(ignore, mg_str_first(path, slash), true))
        MUST(mg_ignore_path(ignore, path, false));
    (void)mg_ignore_path(ignore, path, true);
    return 0;
}
