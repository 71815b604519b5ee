/* kinds.h - what the files of the kinds share. Private to check/. */
#ifndef MG_CHECK_KINDS_H
#define MG_CHECK_KINDS_H

#include "check/check.h"
#include "data/text.h"

#include <inttypes.h>

static inline mg_outcome mg_outcome_if(bool holds)
{
    return holds ? MG_OUTCOME_PASS : MG_OUTCOME_FAIL;
}

/* What is at path. Nothing there is an answer (*there is false), not an error. */
MG_MUST_CHECK mg_status mg_look(const mg_view *view, mg_str path, struct stat *st, bool *there,
                                mg_err *err);

/* Passes when what is at path is of a type: S_IFREG, S_IFDIR. */
MG_MUST_CHECK mg_status mg_eval_type(const mg_view *view, mg_str path, mode_t type, mg_str expected,
                                     mg_arena *arena, mg_result *out, mg_err *err);

/* Failed, because there is nothing at path that could be looked into: no answer. */
mg_result mg_result_missing(mg_arena *arena, mg_str expected, mg_str path);

/* A pattern as it is quoted in a sentence: /.../, on one line and not too long. */
mg_str mg_quote_pattern(mg_arena *arena, const mg_regex *regex);

/* How often a pattern is found in a file, counting up to `max`; reads in windows. */
typedef struct mg_file_count {
    bool there; /* false: there is no such file, and nothing else is set */
    uint64_t count;
    uint64_t bytes; /* that were read; all of the file, unless count reached max */
} mg_file_count;

MG_MUST_CHECK mg_status mg_count_in_file(const mg_view *view, mg_str path, const mg_regex *regex,
                                         uint64_t max, mg_file_count *out, mg_err *err);

/* eq, gte, lte, gt, lt: the rows' choices, and what they mean. */
extern const char *const mg_ops[];
bool mg_op_holds(mg_str op, uint64_t got, uint64_t want);
mg_str mg_op_text(mg_arena *arena, mg_str op, uint64_t want); /* "at least 3" */

/* MG_ERR_UNAVAILABLE where there was no attempt to speak of. */
MG_MUST_CHECK mg_status mg_need_attempt(const mg_view *view, const char *what, mg_err *err);

#endif
