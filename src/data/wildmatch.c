/* wildmatch.c - the patterns of .gitignore, as git matches them with slashes in the text.
 *
 * Only the last star of each sort is ever retried (see glob.c, which this resembles; it differs in
 * what git does differently: bytes instead of characters, [:classes:], and a pattern that is
 * broken matches nothing).
 */
#include "data/ignore.h"

#include <ctype.h>

typedef struct named_class {
    const char *name;
    int (*has)(int c);
} named_class;

static const named_class named_classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/* -1: there is no such class. Only ASCII, whatever the locale says. */
static int in_named(mg_str name, unsigned char c)
{
    for (size_t i = 0; i < MG_COUNT(named_classes); i++) {
        if (mg_str_is(name, named_classes[i].name))
            return c < 0x80 && named_classes[i].has(c) != 0;
    }
    return -1;
}

/* [:name:] at p[*i] == '['; moves past it. 1 or 0: c is in it or not; -1: broken; -2: none here. */
static int take_named(mg_str p, size_t *i, unsigned char c)
{
    if (*i + 1 >= p.len || p.ptr[*i + 1] != ':')
        return -2;
    const size_t from = *i + 2, close = mg_str_find(p, ']', from);
    if (close == p.len)
        return -1;
    if (close == from || p.ptr[close - 1] != ':')
        return -2; /* git takes the bracket for a member then */
    *i = close + 1;
    return in_named((mg_str){p.ptr + from, close - 1 - from}, c);
}

/* One character of a class, its backslash taken off. False at the end of the pattern. */
static bool take_member(mg_str p, size_t *i, unsigned char *out)
{
    if (*i < p.len && p.ptr[*i] == '\\')
        (*i)++;
    if (*i >= p.len)
        return false;
    *out = (unsigned char)p.ptr[(*i)++];
    return true;
}

/* Whether the class at p[*i] == '[' has c; moves past it. False also where it is not closed. */
static bool take_class(mg_str p, size_t *i, unsigned char c)
{
    size_t at = *i + 1;
    bool found = false;
    const bool negated = at < p.len && (p.ptr[at] == '!' || p.ptr[at] == '^');
    at += negated ? 1 : 0;
    for (bool first = true; first || at >= p.len || p.ptr[at] != ']'; first = false) {
        if (at >= p.len)
            return false;
        if (p.ptr[at] == '[') {
            const int named = take_named(p, &at, c);
            if (named == -1)
                return false;
            found = found || named == 1;
            if (named != -2)
                continue;
        }
        unsigned char low, high;
        if (!take_member(p, &at, &low))
            return false;
        high = low;
        if (at + 1 < p.len && p.ptr[at] == '-' && p.ptr[at + 1] != ']') {
            at++;
            if (!take_member(p, &at, &high))
                return false;
        }
        found = found || (c >= low && c <= high);
    }
    *i = at + 1;
    return found != negated && c != '/';
}

/* Whether one element of the pattern takes the byte at s[*j]; both then move on. */
static bool take_one(mg_str p, size_t *i, mg_str s, size_t *j)
{
    if (*i >= p.len || *j >= s.len)
        return false;
    const unsigned char c = (unsigned char)s.ptr[*j];
    size_t at = *i;
    if (p.ptr[at] == '[') {
        if (!take_class(p, &at, c))
            return false;
    } else if (p.ptr[at] == '?') {
        if (c == '/')
            return false;
        at++;
    } else {
        unsigned char literal;
        if (!take_member(p, &at, &literal) || literal != c)
            return false;
    }
    *i = at;
    (*j)++;
    return true;
}

/* After the stars at p[i]; *crossing: they are a component of their own and cross slashes. */
static size_t after_stars(mg_str p, size_t i, bool *crossing)
{
    size_t end = i;
    while (end < p.len && p.ptr[end] == '*')
        end++;
    const bool slash_after = end == p.len || p.ptr[end] == '/' ||
                             (p.ptr[end] == '\\' && end + 1 < p.len && p.ptr[end + 1] == '/');
    *crossing = end - i >= 2 && (i == 0 || p.ptr[i - 1] == '/') && slash_after;
    return end;
}

typedef struct star {
    bool set;
    size_t i, j; /* after it in the pattern, and how far it reaches in the text */
} star;

bool mg_ignore_wildmatch(mg_str p, mg_str s)
{
    size_t i = 0, j = 0;
    star one = {0}, many = {0};
    for (;;) {
        if (i == p.len && j == s.len)
            return true;
        if (i < p.len && p.ptr[i] == '*') {
            bool crossing;
            i = after_stars(p, i, &crossing);
            if (crossing && i == p.len)
                return true; /* everything beneath */
            if (crossing) {
                i += p.ptr[i] == '\\' ? 2 : 1; /* with its slash: it may stand for nothing at all */
                many = (star){true, i, j};
                one = (star){0};
            } else {
                one = (star){true, i, j};
            }
            continue;
        }
        if (take_one(p, &i, s, &j))
            continue;
        if (one.set && one.j < s.len && s.ptr[one.j] != '/') {
            i = one.i;
            j = ++one.j;
            continue;
        }
        const size_t slash = many.set ? mg_str_find(s, '/', many.j) : s.len;
        if (slash == s.len)
            return false;
        i = many.i;
        j = many.j = slash + 1;
        one = (star){0};
    }
}
