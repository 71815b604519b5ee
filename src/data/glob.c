/* glob.c - matching with two saved positions instead of recursion.
 *
 * A star is retried one character further on when what follows it does not match. Only the
 * last star of each sort needs to be remembered: `*` within the component, `**` across. When
 * a `**` advances, the `*` after it starts afresh. So the time is bounded by the product of
 * both lengths for each sort, and there is no stack.
 */
#include "data/glob.h"

#include "base/buf.h"

#include "data/text.h"

static mg_str without_dot(mg_str path)
{
    while (mg_str_starts(path, "./"))
        path = mg_str_from(path, 2);
    return path;
}

/* The end of the class that begins at p[at] == '[', or 0 if it is not closed. */
static size_t class_end(mg_str p, size_t at)
{
    size_t i = at + 1;
    if (i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^'))
        i++;
    if (i < p.len && p.ptr[i] == ']') /* first: a member */
        i++;
    while (i < p.len && p.ptr[i] != ']')
        i += p.ptr[i] == '\\' ? 2 : 1;
    return i < p.len ? i + 1 : 0;
}

static mg_status classes_valid(mg_str pattern, mg_err *err)
{
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '\\') {
            if (++i == pattern.len)
                return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' ends in a lone backslash",
                               MG_ARG(pattern));
            continue;
        }
        if (pattern.ptr[i] != '[')
            continue;
        const size_t end = class_end(pattern, i);
        if (end == 0)
            return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' has a '[' without its ']'",
                           MG_ARG(pattern));
        if (mg_str_has((mg_str){pattern.ptr + i + 1, end - i - 1}, "[:"))
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' names a class with [:...:], which is not read here; "
                           "write a range such as [a-z]",
                           MG_ARG(pattern));
        i = end - 1;
    }
    return MG_OK;
}

mg_status mg_glob_valid(mg_str pattern, mg_err *err)
{
    if (pattern.len == 0)
        return mg_fail(err, MG_ERR_INVALID, "a path pattern is empty");
    if (pattern.ptr[0] == '/')
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is absolute; path patterns are relative to the root",
                       MG_ARG(pattern));
    mg_str rest = pattern, part;
    while (mg_str_split(&rest, '/', &part)) {
        if (mg_str_is(part, ".."))
            return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' leads out of the root with '..'",
                           MG_ARG(pattern));
    }
    return classes_valid(pattern, err);
}

static uint32_t code_point(mg_str s, size_t *len)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    *len = MG_MAX(mg_utf8_len(s), (size_t)1);
    switch (*len) {
    case 2:
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    case 3:
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    case 4:
        return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
    default:
        return p[0] < 0x80 ? p[0] : 0x110000u + p[0]; /* a broken byte equals only itself */
    }
}

/* The character of a class at p[*i], a backslash before it taken off; *i moves past it. */
static uint32_t member(mg_str p, size_t *i)
{
    size_t len;
    if (p.ptr[*i] == '\\') /* closed classes only: there is a character after it */
        (*i)++;
    const uint32_t c = code_point(mg_str_from(p, *i), &len);
    *i += len;
    return c;
}

static bool in_class(mg_str p, size_t at, size_t end, uint32_t c)
{
    size_t i = at + 1;
    const bool negated = p.ptr[i] == '!' || p.ptr[i] == '^';
    bool found = false;
    if (negated)
        i++;
    while (i < end - 1) {
        const uint32_t low = member(p, &i);
        uint32_t high = low;
        if (i + 1 < end - 1 && p.ptr[i] == '-') {
            i++;
            high = member(p, &i);
        }
        found = found || (c >= low && c <= high);
    }
    return found != negated;
}

/* Whether one pattern element at p[i] takes the character at s[j]; both then move on. */
static bool take_one(mg_str p, size_t *i, mg_str s, size_t *j)
{
    size_t len, plen;
    if (*i >= p.len || *j >= s.len)
        return false;
    const uint32_t c = code_point(mg_str_from(s, *j), &len);
    if (p.ptr[*i] == '?' || p.ptr[*i] == '[') {
        const size_t end = p.ptr[*i] == '[' ? class_end(p, *i) : *i + 1;
        if (c == '/' || end == 0 || (p.ptr[*i] == '[' && !in_class(p, *i, end, c)))
            return false;
        *i = end;
        *j += len;
        return true;
    }
    const size_t escaped = p.ptr[*i] == '\\' && *i + 1 < p.len ? 1 : 0;
    if (code_point(mg_str_from(p, *i + escaped), &plen) != c)
        return false;
    *i += escaped + plen;
    *j += len;
    return true;
}

static bool double_star(mg_str p, size_t i)
{
    return i + 1 < p.len && p.ptr[i] == '*' && p.ptr[i + 1] == '*' &&
           (i == 0 || p.ptr[i - 1] == '/') && (i + 2 == p.len || p.ptr[i + 2] == '/');
}

bool mg_glob_match(mg_str pattern, mg_str path)
{
    const size_t none = SIZE_MAX;
    const mg_str p = without_dot(pattern), s = without_dot(path);
    if (p.len == 0 && pattern.len > 0)
        return s.len > 0; /* "./": everything beneath the root */
    const bool beneath = p.len > 0 && p.ptr[p.len - 1] == '/';
    size_t i = 0, j = 0;
    size_t star_i = none, star_j = 0;   /* after the last `*`, and where it has got to */
    size_t stars_i = none, stars_j = 0; /* the same of the last `**` */
    for (;;) {
        if (i == p.len && (j == s.len || (beneath && j > 0)))
            return true;
        if (double_star(p, i)) {
            i += i + 2 < p.len ? 3 : 2; /* with its slash: `**` may stand for no directory at all */
            stars_i = i;
            stars_j = j;
            star_i = none;
            if (i == p.len)
                return j < s.len; /* what lies beneath a directory, not itself */
            continue;
        }
        if (i < p.len && p.ptr[i] == '*') {
            while (i < p.len && p.ptr[i] == '*' && !double_star(p, i))
                i++;
            star_i = i;
            star_j = j;
            continue;
        }
        if (take_one(p, &i, s, &j))
            continue;
        if (star_i != none && star_j < s.len && s.ptr[star_j] != '/') {
            size_t len; /* whole characters: a `?` must not match half of one */
            (void)code_point(mg_str_from(s, star_j), &len);
            i = star_i;
            j = star_j += len;
            continue;
        }
        const size_t slash = stars_i != none ? mg_str_find(s, '/', stars_j) : s.len;
        if (slash == s.len)
            return false;
        i = stars_i;
        j = stars_j = slash + 1;
        star_i = none;
    }
}

mg_str mg_glob_literal(mg_str path, mg_arena *arena)
{
    mg_buf pattern = mg_buf_new(arena, 2 * path.len);
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] != '\0' && strchr("*?[]\\", path.ptr[i]) != NULL)
            mg_buf_addc(&pattern, '\\');
        mg_buf_addc(&pattern, path.ptr[i]);
    }
    return mg_buf_str(&pattern);
}
