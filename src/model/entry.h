/* entry.h - one item of `assert:` or `invariant:`, and what an assertion kind is. */
#ifndef MG_MODEL_ENTRY_H
#define MG_MODEL_ENTRY_H

#include "model/param.h"
#include "model/result.h"

struct mg_view;
struct mg_ask;

/* A kind asks one question of the world ("does index.html mention the date?") and answers
 * with an outcome and what it saw. A question that could not be asked has not failed: eval()
 * returns an error and the caller records UNKNOWN with its text.
 *
 * A kind that answers at once has eval(); one that has to wait has start(). */
typedef struct mg_check_kind {
    const char *name;       /* as written in goal files: "file_contains" */
    const char *summary;    /* one line, for help, docs and the dashboard */
    const char *example;    /* a whole entry in YAML, for the documents; read by a test */
    const mg_param *params; /* ends with {0}; a scalar stands for the first */
    bool about_attempt;     /* asks about the attempt's own words: cannot prove a goal */
    bool since_start;       /* compares with when the loop began: red by definition */
    bool runs_command;      /* its `run` is a command of the goal's, run in `cwd` with `env` */

    /* Whether the fields make sense together; at load. May be NULL. */
    MG_MUST_CHECK mg_status (*validate)(const mg_args *args, mg_err *err);
    /* Why this entry could not fail, or could not tell; NULL where it can. May be NULL. */
    const char *(*vacuous)(const mg_args *args);
    MG_MUST_CHECK mg_status (*eval)(const struct mg_view *view, const mg_args *args,
                                    mg_arena *arena, mg_result *out, mg_err *err);
    MG_MUST_CHECK mg_status (*start)(const struct mg_view *view, const mg_args *args,
                                     struct mg_ask *ask, mg_err *err);
} mg_check_kind;

typedef enum mg_entry_type {
    MG_ENTRY_LEAF = 0,
    MG_ENTRY_ALL,
    MG_ENTRY_ANY, /* at least `min` of them */
    MG_ENTRY_NOT,
} mg_entry_type;

struct mg_entry {
    mg_entry_type type;
    const mg_check_kind *kind; /* of a leaf */
    const mg_args *args;
    mg_entries children; /* of a group */
    size_t min;          /* of `any` */
    mg_str name;         /* given, or made: "file_contains style.css" */
    bool named;          /* given by the user */
    mg_str recovery;
    uint32_t retry_times;
    uint64_t retry_every_ms;
    uint32_t line, column;
    bool invariant;
    const char *vacuous; /* why it cannot prove anything, or NULL */
};

/* The name of the entry's kind: "file_contains", "all", "any", "not". */
const char *mg_entry_kind_name(const mg_entry *entry);

#endif
