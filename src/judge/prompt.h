/* prompt.h - what an attempt is told: goal, entries, protected paths, history, gap. Pure. */
#ifndef MG_JUDGE_PROMPT_H
#define MG_JUDGE_PROMPT_H

#include "model/attempt.h"
#include "model/goal.h"

typedef enum mg_context_mode {
    MG_CONTEXT_HISTORY = 0, /* goal, compressed history, gap */
    MG_CONTEXT_RESUME,      /* gap alone: the agent still knows the rest */
    MG_CONTEXT_NONE,        /* goal, gap */
} mg_context_mode;

typedef struct mg_prompt_facts {
    const mg_goal *goal;
    const mg_strs *protect;     /* globs, or NULL */
    const mg_attempt *attempts; /* so far, oldest first; none: this is attempt 1 */
    size_t attempt_count;
    mg_context_mode mode;
} mg_prompt_facts;

enum { MG_PROMPT_BYTES = 64 * 1024 };

/* Attempt 1: the goal (or: make this command succeed), the names of the entries, the protected
 * paths. Later: by the mode; of the history the newest two attempts in full, older ones in 60
 * characters, with their true numbers, bounded as a whole. */
mg_str mg_prompt_make(const mg_prompt_facts *facts, mg_arena *arena);

#endif
