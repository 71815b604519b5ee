/* regex_match.h - one bounded match, for regex.c and search.c. Private to data/. */
#ifndef MG_DATA_REGEX_MATCH_H
#define MG_DATA_REGEX_MATCH_H

#include "data/regex.h"

typedef struct mg_matcher mg_matcher; /* what PCRE2 needs while it matches */

mg_matcher *mg_matcher_new(const mg_limits *limits, mg_arena *arena);

typedef enum mg_match_answer {
    MG_MATCH_ABSENT,
    MG_MATCH_FOUND,
    MG_MATCH_PARTIAL, /* what comes after the text decides */
} mg_match_answer;

typedef struct mg_match_how {
    bool more;      /* the text goes on: a match that touches its end is partial */
    bool not_empty; /* an empty match at `from` does not count */
    bool valid;     /* the text is valid UTF-8 throughout */
} mg_match_how;

/* The first match in text at or after `from`; its place, if there is one. */
MG_MUST_CHECK mg_status mg_match(const mg_regex *regex, const mg_matcher *matcher, mg_str text,
                                 size_t from, mg_match_how how, mg_match_answer *out, size_t *begin,
                                 size_t *end, mg_err *err);

/* How many bytes before a place decide whether a match can begin there. */
size_t mg_regex_lookbehind(const mg_regex *regex);

#endif
