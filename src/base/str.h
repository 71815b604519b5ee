/* str.h - text is a pointer and a length.
 *
 * An mg_str is passed by value, owns nothing and need not end in NUL. It may hold any
 * bytes; who needs valid UTF-8 or printable text asks data/text for it. Print it with
 * printf("'" MG_FMT "'", MG_ARG(s)).
 */
#ifndef MG_BASE_STR_H
#define MG_BASE_STR_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct mg_str {
    const char *ptr;
    size_t len;
} mg_str;

typedef struct mg_strs { /* a list of texts */
    mg_str *items;
    size_t count, cap;
} mg_strs;

#define MG_FMT          "%.*s"
#define MG_ARG(s)       (int)MG_MIN((s).len, (size_t)INT32_MAX), ((s).ptr != NULL ? (s).ptr : "")
#define MG_STR(literal) ((mg_str){"" literal, sizeof(literal) - 1})

static inline mg_str mg_str_of(const char *cstr) /* NULL gives the empty text */
{
    return cstr != NULL ? (mg_str){cstr, strlen(cstr)} : (mg_str){"", 0};
}

static inline bool mg_str_eq(mg_str a, mg_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool mg_str_is(mg_str s, const char *cstr)
{
    return mg_str_eq(s, mg_str_of(cstr));
}

/* From byte `from` (clamped) to the end. */
static inline mg_str mg_str_from(mg_str s, size_t from)
{
    const size_t at = MG_MIN(from, s.len);
    return (mg_str){at > 0 ? s.ptr + at : s.ptr, s.len - at};
}

/* The first `len` bytes, or all where there are fewer. */
static inline mg_str mg_str_first(mg_str s, size_t len)
{
    return (mg_str){s.ptr, MG_MIN(len, s.len)};
}

bool mg_str_starts(mg_str s, const char *prefix);
bool mg_str_ends(mg_str s, const char *suffix);
int mg_str_cmp(mg_str a, mg_str b); /* byte order, a shorter prefix first */

/* Index of the first c at or after `from`, or s.len where there is none. */
size_t mg_str_find(mg_str s, char c, size_t from);
bool mg_str_has(mg_str s, const char *part);

mg_str mg_str_trim(mg_str s); /* without blanks and line ends on both sides */

/* Takes everything up to the next `sep` off the front of rest; false once nothing is left. */
bool mg_str_split(mg_str *rest, char sep, mg_str *part);

/* Copies; both results also end in NUL for the sake of C calls. */
mg_str mg_str_copy(mg_arena *arena, mg_str s);
const char *mg_str_cstr(mg_arena *arena, mg_str s);

mg_str mg_strf(mg_arena *arena, const char *fmt, ...) MG_PRINTF(2, 3);
mg_str mg_strfv(mg_arena *arena, const char *fmt, va_list args) MG_PRINTF(2, 0);

void mg_strs_add(mg_arena *arena, mg_strs *list, mg_str s);
bool mg_strs_has(const mg_strs *list, mg_str s);

#endif
