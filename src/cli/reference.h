/* reference.h - the tables of the goal file and of the kinds, written for people.
 *
 * `makegood kinds`, docs/kinds.md, docs/goal-file.md and makegood.yaml(5) all come from here;
 * a test compares the documents with what these functions write.
 */
#ifndef MG_CLI_REFERENCE_H
#define MG_CLI_REFERENCE_H

#include "agent/agent.h"
#include "base/buf.h"
#include "model/goal.h"

/* Calls fn for every row, and after an object for the rows in it: "agent", "agent.timeout". */
void mg_params_walk(const mg_param *params, mg_arena *arena,
                    void (*fn)(void *data, mg_str path, const mg_param *param), void *data);

/* "a duration, default 2s", "text, required" */
mg_str mg_param_facts(const mg_param *param, mg_arena *arena);

/* The groups of assertions: name and what it asks, ends with {0}. */
typedef struct mg_group_help {
    const char *name, *summary, *example;
} mg_group_help;
extern const mg_group_help mg_groups[];

/* What to write about: everything, or the one kind, group or agent that was asked for. */
typedef struct mg_topics {
    mg_kinds kinds;              /* ends with NULL */
    const mg_group_help *groups; /* ends with {0} */
    bool one;
    const mg_preset_info *agent; /* the one that was asked for; or NULL */
} mg_topics;

void mg_reference_text(const mg_topics *topics, mg_arena *arena, mg_buf *out);
void mg_reference_json(const mg_topics *topics, mg_arena *arena, mg_buf *out);
void mg_reference_markdown(const mg_topics *topics, mg_arena *arena, mg_buf *out);
void mg_reference_goal_markdown(mg_arena *arena, mg_buf *out);

#endif
