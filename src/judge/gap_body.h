/* gap_body.h - the body of a gap, and how foreign words come into it. Private to judge/. */
#ifndef MG_JUDGE_GAP_BODY_H
#define MG_JUDGE_GAP_BODY_H

#include "data/scrub.h"
#include "judge/gap.h"

typedef struct mg_gap_work {
    const mg_gap_facts *facts;
    const mg_scrub *scrub;
    mg_arena *arena; /* scratch */
} mg_gap_work;

/* A foreign text on one line: scrubbed, then cut to so many characters. */
mg_str mg_gap_words(const mg_gap_work *w, mg_str text, size_t max_chars);

/* A denied step: the tool, and of the reason what the allowlist lets through. */
mg_str mg_gap_denial(const mg_gap_work *w, mg_str denial);

/* Headline and body, at most MG_GAP_TEXT characters. */
mg_str mg_gap_text(const mg_gap_work *w, mg_str headline, mg_arena *arena);

#endif
