/* gap.h - what is missing, said to the next attempt: a headline and a body. Pure.
 *
 * The headline is the first of six detectors that fires; to add one: a row in gap.c, in its place
 * in the order. The body always lists what fails with expected, observed and recovery, what was
 * restored, and what already holds. Everything passes scrub and fence (data/scrub.h) before it is
 * cut.
 */
#ifndef MG_JUDGE_GAP_H
#define MG_JUDGE_GAP_H

#include "model/attempt.h"

typedef struct mg_gap_facts {
    const mg_attempt *attempt; /* results, changes, findings, tampered, exit code, error are set */
    mg_str judge_gap;          /* from a judge, or empty */
    const mg_strs *denials; /* permission denials and blocked tools, as the agent said; or NULL */
    mg_str denial_setting;  /* what to change so that they are not denied; or empty */
    bool errors;            /* the agent reported an error event */
    bool agent_silent;      /* the agent printed nothing at all */
    const struct mg_scrub *scrub;
} mg_gap_facts;

enum { MG_GAP_HEADLINE = 200, MG_GAP_TEXT = 10000 }; /* characters */

void mg_gap_find(const mg_gap_facts *facts, mg_arena *arena, mg_gap *out);

#endif
