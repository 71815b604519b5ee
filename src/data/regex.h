/* regex.h - PCRE2 patterns, and searching text that is larger than memory should be.
 *
 * Patterns are multi-line (^ and $ match at lines; CR, LF and CRLF all end one) and read
 * UTF-8; bytes that are not valid UTF-8 match nothing and part the text. ^ also matches after
 * the last line end of a text. Steps and memory of a match are bounded, so a hostile pattern
 * ends in MG_ERR_LIMIT.
 */
#ifndef MG_DATA_REGEX_H
#define MG_DATA_REGEX_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

typedef struct mg_regex mg_regex;

/* Compiles into the arena. The error says what is wrong and at which character. */
MG_MUST_CHECK mg_status mg_regex_compile(mg_str pattern, mg_arena *arena, const mg_regex **out,
                                         mg_err *err);

mg_str mg_regex_pattern(const mg_regex *regex);

/* Whether it matches the empty text, and so everything: such a pattern proves nothing. */
bool mg_regex_matches_empty(const mg_regex *regex);

/* Whether the pattern is found in a text that is whole in memory. */
MG_MUST_CHECK mg_status mg_regex_find(const mg_regex *regex, const mg_limits *limits, mg_str text,
                                      bool *found, mg_err *err);

/* A search over text that arrives in pieces, in bounded memory:
 *
 *     mg_search *s = mg_search_new(regex, limits, max_matches, size_hint, arena);
 *     while (!mg_search_done(s)) { to = mg_search_room(s, &n); ...read...; mg_search_feed(s, n,
 * err); } mg_search_end(s, err);        the text is complete: what was open is decided now
 *     mg_search_count(s)
 *
 * A match that would need more than limits->search_bytes at once is MG_ERR_LIMIT: neither
 * found nor absent. size_hint is how much will come, if that is known, or 0. */
typedef struct mg_search mg_search;

mg_search *mg_search_new(const mg_regex *regex, const mg_limits *limits, uint64_t max_matches,
                         size_t size_hint, mg_arena *arena);
char *mg_search_room(mg_search *search, size_t *bytes);
MG_MUST_CHECK mg_status mg_search_feed(mg_search *search, size_t bytes, mg_err *err);
MG_MUST_CHECK mg_status mg_search_end(mg_search *search, mg_err *err);

/* Counts the matches in what came so far, whatever may follow: where a text broke off. A match
 * that more text could undo is not among them. */
MG_MUST_CHECK mg_status mg_search_flush(mg_search *search, mg_err *err);

/* For text that lies elsewhere: copies it in and feeds it. */
MG_MUST_CHECK mg_status mg_search_add(mg_search *search, mg_str text, mg_err *err);

uint64_t mg_search_count(const mg_search *search);
bool mg_search_done(const mg_search *search); /* max_matches were found: the rest cannot matter */

#endif
