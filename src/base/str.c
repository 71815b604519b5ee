/* str.c - what a slice of bytes can be asked. */
#include "base/str.h"

#include "base/vec.h"

bool mg_str_starts(mg_str s, const char *prefix)
{
    const size_t len = strlen(prefix);
    return len == 0 || (s.len >= len && memcmp(s.ptr, prefix, len) == 0);
}

bool mg_str_ends(mg_str s, const char *suffix)
{
    const size_t len = strlen(suffix);
    return len == 0 || (s.len >= len && memcmp(s.ptr + (s.len - len), suffix, len) == 0);
}

int mg_str_cmp(mg_str a, mg_str b)
{
    const size_t shared = MG_MIN(a.len, b.len);
    const int order = shared > 0 ? memcmp(a.ptr, b.ptr, shared) : 0;
    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

size_t mg_str_find(mg_str s, char c, size_t from)
{
    if (from >= s.len)
        return s.len;
    const char *at = memchr(s.ptr + from, c, s.len - from);
    return at != NULL ? (size_t)(at - s.ptr) : s.len;
}

bool mg_str_has(mg_str s, const char *part)
{
    const size_t len = strlen(part);
    return len == 0 || (s.len >= len && memmem(s.ptr, s.len, part, len) != NULL);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

mg_str mg_str_trim(mg_str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = mg_str_from(s, 1);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool mg_str_split(mg_str *rest, char sep, mg_str *part)
{
    if (rest->ptr == NULL)
        return false;
    const size_t at = mg_str_find(*rest, sep, 0);
    *part = mg_str_first(*rest, at);
    *rest = at < rest->len ? mg_str_from(*rest, at + 1) : (mg_str){0};
    return true;
}

mg_str mg_str_copy(mg_arena *arena, mg_str s)
{
    char *p = mg_arena_alloc(arena, s.len + 1);
    if (s.len > 0)
        memcpy(p, s.ptr, s.len);
    return (mg_str){p, s.len};
}

const char *mg_str_cstr(mg_arena *arena, mg_str s)
{
    return mg_str_copy(arena, s).ptr;
}

mg_str mg_strfv(mg_arena *arena, const char *fmt, va_list args)
{
    char small[256]; /* most texts fit, and are then formatted only once */
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(small, sizeof small, fmt, args);
    mg_str text;
    if (len < 0) { /* an encoding error: the format itself still says something */
        text = mg_str_copy(arena, mg_str_of(fmt));
    } else if ((size_t)len < sizeof small) {
        text = mg_str_copy(arena, (mg_str){small, (size_t)len});
    } else {
        char *p = mg_arena_alloc(arena, (size_t)len + 1);
        (void)vsnprintf(p, (size_t)len + 1, fmt, again);
        text = (mg_str){p, (size_t)len};
    }
    va_end(again);
    return text;
}

mg_str mg_strf(mg_arena *arena, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const mg_str s = mg_strfv(arena, fmt, args);
    va_end(args);
    return s;
}

void mg_strs_add(mg_arena *arena, mg_strs *list, mg_str s)
{
    mg_vec_push(arena, list, s);
}

bool mg_strs_has(const mg_strs *list, mg_str s)
{
    for (size_t i = 0; i < list->count; i++) {
        if (mg_str_eq(list->items[i], s))
            return true;
    }
    return false;
}
