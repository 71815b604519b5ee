/* goal.h - a goal file, read and checked.
 *
 * Reading reports every problem it can find, each with its place, and runs nothing. A goal
 * that was read is never changed again.
 */
#ifndef MG_MODEL_GOAL_H
#define MG_MODEL_GOAL_H

#include "base/buf.h"
#include "base/limits.h"
#include "model/entry.h"

typedef struct mg_goal mg_goal;

typedef struct mg_problem {
    uint32_t line, column; /* 0: about the file as a whole */
    mg_str text;
} mg_problem;

typedef struct mg_problems {
    mg_problem *items;
    size_t count, cap;
} mg_problems;

struct mg_goal {
    mg_arena *owner;    /* freed with the goal where it was opened by the public face, or NULL */
    mg_str directory;   /* what root is relative to; set by whoever opened it, empty: the cwd */
    mg_str file;        /* as it was named, for messages; may be empty */
    mg_str goal;        /* the sentence, or empty */
    mg_str root;        /* as written, relative to the file's directory; "." by default */
    mg_entries entries; /* of assert: and then of invariant:, which are marked */
    size_t assert_count;
    uint32_t jobs;
    uint64_t deadline_ms;
    const mg_strs *probe_allow;
    const mg_args *settings; /* the whole file by mg_goal_params, for the parts that act on it */
    mg_problems warnings;
    mg_str source; /* the bytes it was read from */
};

extern const mg_param mg_goal_params[];  /* the top level of a goal file */
extern const mg_param mg_entry_params[]; /* name, recovery, retry: of every entry */
extern const mg_param mg_any_params[];   /* of `any:` with a minimum */

typedef const mg_check_kind *const *mg_kinds; /* ends with NULL */

/* Reads a goal. MG_ERR_INVALID with one or more problems, in the order of the file; they and
 * the goal live in the arena. kinds: what may be asserted. */
MG_MUST_CHECK mg_status mg_goal_read(mg_str text, mg_str file, mg_kinds kinds,
                                     const mg_limits *limits, mg_arena *arena, const mg_goal **out,
                                     mg_problems *problems);

/* "makegood.yaml:3:5: unknown key 'fiel' (did you mean 'file'?)" for each, a line each. */
void mg_problems_text(const mg_problems *problems, mg_str file, mg_buf *out);

/* JSON Schema (draft 2020-12) of a goal file with these kinds. */
void mg_goal_json_schema(mg_kinds kinds, mg_buf *out);

const mg_check_kind *mg_kind_find(mg_kinds kinds, mg_str name);

#endif
