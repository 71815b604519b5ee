/* result.h - what one assertion answered, and what a whole check did. */
#ifndef MG_MODEL_RESULT_H
#define MG_MODEL_RESULT_H

#include "base/str.h"

typedef struct mg_result mg_result;

struct mg_result {
    mg_outcome outcome;
    mg_str expected, observed; /* one line each that a person can act on */
    mg_str detail;             /* more than a line: the end of a command's output, or empty */
    bool no_answer; /* it failed without an answer (no such file to search, a command that was
                     * killed): the opposite was not seen either, so `not` makes it unknown */
    bool timed_out; /* it failed because its time ran out: with more of it, it might have passed */

    /* Filled in by whoever runs the assertion, not by the kind. */
    const char *kind; /* "file_contains", "all", ... */
    mg_str name;      /* as the user called it, or made from its fields; never empty */
    mg_str message;   /* one sentence: what this result says */
    mg_str recovery;  /* the user's own hint, or empty */
    uint32_t line;    /* in the goal file; 0 where there is none */
    bool invariant;
    bool proves;    /* it passed, and it is evidence about the world: docs/drive.md, "Evidence" */
    unsigned tries; /* how often it was evaluated; 0: never */
    uint64_t duration_us;
    mg_result *children; /* of a group */
    size_t child_count;
};

typedef struct mg_report {
    mg_arena *owner;  /* freed with the report where it was made for the public face, or NULL */
    mg_str goal;      /* the sentence, or empty */
    mg_str goal_file; /* as it was named, or empty */
    mg_verdict verdict;
    const char *reason; /* a word for programs: assertions_hold, assertion_failed, ... */
    mg_str advice;      /* a sentence for people where the verdict alone does not help, or empty */
    mg_strs warnings;
    size_t left_out; /* entries of the goal that were not asked for (--only) */
    uint64_t duration_us;
    int64_t started_ms; /* wall clock */
    mg_result *results;
    size_t result_count;
} mg_report;

/* Outcomes with both lines filled in; texts live in the arena. */
mg_result mg_result_make(mg_outcome outcome, mg_str expected, mg_str observed);

#endif
