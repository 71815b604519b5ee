/* read.h - from a tree of nodes to values, by the tables. Private to model/.
 *
 * Reading goes on after a mistake, so that all of them are reported in one go. What could
 * not be read is left unset; a goal with a problem is never handed out.
 */
#ifndef MG_MODEL_READ_H
#define MG_MODEL_READ_H

#include "model/goal.h"

typedef struct mg_defaults { /* of one table, read once */
    struct mg_defaults *next;
    const mg_param *params;
    mg_value *values;
} mg_defaults;

typedef struct mg_reading {
    mg_arena *arena;
    const mg_limits *limits;
    mg_kinds kinds;
    mg_problems *problems;
    size_t noted; /* all problems, also those past what is kept */
    mg_defaults *defaults;
    size_t group_depth;
} mg_reading;

/* Notes a problem at a place; the sentence is made from the format. */
void mg_problem_at(mg_reading *r, uint32_t line, uint32_t column, const char *fmt, ...)
    MG_PRINTF(4, 5);

/* A mapping by a table. Keys that are in `beside` go there instead (may be NULL): the fields
 * that every entry shares with its kind. */
void mg_read_fields(mg_reading *r, const mg_param *params, const mg_node *map, mg_args *out,
                    mg_args *beside);

/* One value by its row. False, with the problem noted, where it does not fit. */
bool mg_read_value(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out);

/* Values by default for every row, and the object for each. */
mg_args *mg_args_new(mg_reading *r, const mg_param *params, uint32_t line, uint32_t column);

/* Notes rows that are required and not set. what: "file_contains", "service". */
void mg_require(mg_reading *r, const mg_args *args, const char *what);

/* An assertion, a group, or a list of them (entry.c). */
mg_entry *mg_read_entry(mg_reading *r, const mg_node *node);
void mg_read_entries(mg_reading *r, const mg_node *list, mg_entries *out);

/* " (did you mean 'x'?)", or nothing. */
mg_str mg_suggestion(mg_reading *r, mg_str typed, const char *const *names, size_t count);

#endif
