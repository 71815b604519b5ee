/* pursuit_parts.c - what the text and the page of a loop have in common. */
#include "report/pursuit.h"

const char *mg_pursuit_word(const mg_pursuit *p)
{
    static const char *const words[] = {
        [MG_PURSUIT_QUEUED] = "queued",       [MG_PURSUIT_RUNNING] = "running",
        [MG_PURSUIT_SUCCEEDED] = "succeeded", [MG_PURSUIT_GAVE_UP] = "gave up",
        [MG_PURSUIT_ERRORED] = "errored",     [MG_PURSUIT_CANCELLED] = "cancelled",
    };
    if (p->status == MG_PURSUIT_SUCCEEDED && !mg_pursuit_holds(p))
        return "not verified";
    if (p->status == MG_PURSUIT_RUNNING && p->stale)
        return "stale";
    return (size_t)p->status < MG_COUNT(words) ? words[p->status] : "unknown";
}

mg_look mg_pursuit_last_look(const mg_pursuit *p)
{
    mg_look look = {.results = p->baseline, .count = p->baseline_count};
    for (size_t i = p->attempt_count; i > 0; i--) {
        if (p->attempts[i - 1].result_count == 0)
            continue;
        look.results = p->attempts[i - 1].results;
        look.count = p->attempts[i - 1].result_count;
        break;
    }
    for (size_t i = 0; i < look.count; i++)
        look.holding += look.results[i].outcome == MG_OUTCOME_PASS;
    return look;
}

size_t mg_attempt_changed(const mg_attempt *attempt)
{
    size_t count = 0;
    for (size_t i = 0; i < attempt->changes.count; i++)
        count += !attempt->changes.items[i].no_op;
    return count;
}
