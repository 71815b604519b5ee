/* tier1.h - the verdict from evidence alone: one table, row by row (README.md beside this). Pure.
 */
#ifndef MG_JUDGE_TIER1_H
#define MG_JUDGE_TIER1_H

#include "model/attempt.h"
#include "model/goal.h"

typedef struct mg_facts {     /* zero is the fact that proves nothing */
    const mg_result *results; /* of every entry now */
    size_t result_count;
    const mg_result *baseline; /* of the same entries before attempt 1 */
    size_t baseline_count;
    const mg_entry *const *entries; /* the same again: their kinds; NULL where there are none */
    size_t entry_count;
    bool effect_required;
    bool effect;                 /* since the loop began */
    bool tampered;               /* a protected path changed in this attempt */
    bool unsafe;                 /* not whole, not restored: nothing that was read can be trusted */
    bool steps_unfinished;       /* a budget ran out before every planned step ran */
    const mg_findings *findings; /* new since the baseline */
} mg_facts;

typedef struct mg_tier1 {
    mg_verdict verdict; /* MET only by row 5 */
    bool ambiguous;     /* row 6: a judge may be asked; without one it is unknown */
    unsigned row;       /* 1 to 6; 0: unsafe, before the table and nothing for a judge */
    const char *reason; /* tampered, assertion_failed, no_effect, steps_unfinished,
                         * assertions_hold; of row 6: no_assertions, unknown_results, vacuous,
                         * findings, already_green; of row 0: unsafe_to_verify */
    bool red_to_green;  /* some entry that failed at the baseline holds now */
} mg_tier1;

mg_tier1 mg_tier1_decide(const mg_facts *facts);

/* Whether an entry was red: it failed at the baseline, or is red by definition. */
bool mg_entry_was_red(const mg_entry *entry, const mg_result *baseline);

/* Whether a goal could ever be proved: a world entry, and where an effect is required one that is
 * red. advice: what to add. */
bool mg_provable(const mg_goal *goal, const mg_result *baseline, size_t count, bool effect_required,
                 mg_arena *arena, mg_str *advice);

/* success, partial, failed, unverified: from verdict, end and progress. */
mg_attempt_status mg_attempt_status_of(mg_verdict verdict, mg_terminal terminal, bool red_to_green,
                                       bool judge_partial);

#endif
