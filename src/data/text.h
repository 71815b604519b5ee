/* text.h - reading small values, and making foreign text safe to show. */
#ifndef MG_DATA_TEXT_H
#define MG_DATA_TEXT_H

#include "base/buf.h"

/* A whole decimal number with an optional sign; nothing else may follow. */
MG_MUST_CHECK mg_status mg_parse_int(mg_str text, int64_t *out, mg_err *err);

/* A finite decimal number: 3, 2.5, .5, 1e-3. Independent of the locale. */
MG_MUST_CHECK mg_status mg_parse_number(mg_str text, double *out, mg_err *err);

/* Bytes: 512, 10k, 2M, 1G (powers of 1024; KiB, MB and the like are accepted too). */
MG_MUST_CHECK mg_status mg_parse_size(mg_str text, uint64_t *bytes, mg_err *err);

/* Time: 100ms, 2s, 1.5m, 1h30m, 1d. A bare number has no unit and is refused, except 0. */
MG_MUST_CHECK mg_status mg_parse_duration(mg_str text, uint64_t *ms, mg_err *err);

/* "100ms", "2s", "1h30m": what mg_parse_duration reads back. */
mg_str mg_duration_text(mg_arena *arena, uint64_t ms);

/* The name that was probably meant: the nearest by edit distance, or NULL if none is near. */
const char *mg_nearest(mg_str typed, const char *const *names, size_t count);

/* How many bytes the UTF-8 sequence at s.ptr has; 0 if it is not a valid one. s.len > 0. */
size_t mg_utf8_len(mg_str s);

/* Whether all of it is valid UTF-8. */
bool mg_utf8_valid(mg_str s);

/* How many bytes at the end of s begin a UTF-8 sequence that s cuts off: 0 to 3. */
size_t mg_utf8_cut(mg_str s);

/* The columns a terminal needs: code points, without a table of wide ones. */
size_t mg_utf8_columns(mg_str s);

/* Valid UTF-8 that cannot steer a terminal: broken bytes become U+FFFD, control bytes except
 * tab and newline (and escape sequences with them) become visible ones, marks that turn the
 * direction of writing U+FFFD. Clean text is returned as it is, not copied. */
mg_str mg_text_clean(mg_arena *arena, mg_str s);

/* mg_text_clean, on one line and at most max_bytes long; "..." marks a cut. */
mg_str mg_text_line(mg_arena *arena, mg_str s, size_t max_bytes);

#endif
