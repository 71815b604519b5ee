/* Path patterns: the quick matcher gives the answer of the plain one. Input: pattern, newline,
 * path. */
#include "data/glob.h"
#include "fuzz.h"

/* The rules written down without a thought for time; for letters, `?`, `*` and `**` only. */
static bool plain_match(mg_str p, mg_str s, bool at_start)
{
    if (p.len == 0)
        return s.len == 0;
    const bool doubled = mg_str_is(p, "**") || mg_str_starts(p, "**/");
    if (at_start && doubled) {
        const mg_str rest = mg_str_from(p, 3);
        if (p.len <= 3)
            return s.len > 0;
        if (plain_match(rest, s, true))
            return true;
        for (size_t i = 0; i < s.len; i++) {
            if (s.ptr[i] == '/' && plain_match(rest, mg_str_from(s, i + 1), true))
                return true;
        }
        return false;
    }
    if (p.ptr[0] == '*') {
        for (size_t i = 0;; i++) {
            if (plain_match(mg_str_from(p, 1), mg_str_from(s, i), false))
                return true;
            if (i >= s.len || s.ptr[i] == '/')
                return false;
        }
    }
    if (s.len == 0 || (p.ptr[0] == '?' ? s.ptr[0] == '/' : s.ptr[0] != p.ptr[0]))
        return false;
    return plain_match(mg_str_from(p, 1), mg_str_from(s, 1), p.ptr[0] == '/');
}

static bool is_simple(mg_str pattern, mg_str path)
{
    size_t stars = 0; /* the plain matcher takes exponential time in them */
    for (size_t i = 0; i < pattern.len; i++)
        stars += pattern.ptr[i] == '*';
    if (stars > 5 || pattern.len > 14 || path.len > 24 || mg_str_starts(pattern, "./") ||
        mg_str_starts(path, "./") || mg_str_ends(pattern, "/"))
        return false;
    for (size_t i = 0; i < pattern.len; i++) {
        if (strchr("[\\", pattern.ptr[i]) != NULL || (unsigned char)pattern.ptr[i] >= 0x80)
            return false;
    }
    for (size_t i = 0; i < path.len; i++) {
        if ((unsigned char)path.ptr[i] >= 0x80)
            return false;
    }
    return true;
}

/* Every character with a backslash before it stands for itself. */
static void check_escaped(mg_str path, mg_arena *arena)
{
    mg_buf escaped = mg_buf_new(arena, path.len * 2);
    for (size_t i = 0; i < path.len; i++) {
        if (((unsigned char)path.ptr[i] & 0xc0) != 0x80)
            mg_buf_addc(&escaped, '\\');
        mg_buf_addc(&escaped, path.ptr[i]);
    }
    if (path.len > 0 && path.ptr[path.len - 1] != '/' && !mg_str_starts(path, "./") &&
        ((unsigned char)path.ptr[0] & 0xc0) != 0x80)
        MUST(mg_glob_match(mg_buf_str(&escaped), path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_str path = {(const char *)data, size}, pattern = {0};
    (void)mg_str_split(&path, '\n', &pattern);
    mg_err err = {0};
    const bool matches = mg_glob_match(pattern, path);
    if (mg_glob_valid(pattern, &err) != MG_OK) {
        MUST(err.text[0] != '\0');
        return 0;
    }
    if (is_simple(pattern, path))
        MUST(matches == plain_match(pattern, path, true));
    check_escaped(path, arena);
    return 0;
}
