/* pursuit.c - the words for how a loop stands and why it ended, and whether it may be called a
 * success.
 *
 * The words are the contract with programs that read our documents and with the database.
 */
#include "model/pursuit.h"

static const char *const status_names[] = {
    [MG_PURSUIT_QUEUED] = "queued",       [MG_PURSUIT_RUNNING] = "running",
    [MG_PURSUIT_SUCCEEDED] = "succeeded", [MG_PURSUIT_GAVE_UP] = "gave_up",
    [MG_PURSUIT_ERRORED] = "errored",     [MG_PURSUIT_CANCELLED] = "cancelled",
};

static const char *const why_names[] = {
    [MG_WHY_NONE] = NULL,
    [MG_WHY_GOAL_MET] = "goal_met",
    [MG_WHY_ALREADY_MET] = "already_met",
    [MG_WHY_ATTEMPTS_EXHAUSTED] = "attempts_exhausted",
    [MG_WHY_TIME_EXHAUSTED] = "time_exhausted",
    [MG_WHY_TOKENS_EXHAUSTED] = "tokens_exhausted",
    [MG_WHY_COST_EXHAUSTED] = "cost_exhausted",
    [MG_WHY_STAGNATED] = "stagnated",
    [MG_WHY_UNVERIFIABLE] = "unverifiable",
    [MG_WHY_TAMPERED] = "tampered",
    [MG_WHY_AGENT_ERROR] = "agent_error",
    [MG_WHY_STORE_ERROR] = "store_error",
    [MG_WHY_ABANDONED] = "abandoned",
    [MG_WHY_CANCELLED] = "cancelled",
};

/* The index of a name in a table with holes; 0 of none. */
static size_t named(const char *const *names, size_t count, mg_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i] != NULL && mg_str_is(name, names[i]))
            return i;
    }
    return 0;
}

const char *mg_pursuit_status_name(mg_pursuit_status status)
{
    return (size_t)status < MG_COUNT(status_names) ? status_names[status]
                                                   : status_names[MG_PURSUIT_ERRORED];
}

mg_pursuit_status mg_pursuit_status_named(mg_str name)
{
    return (mg_pursuit_status)named(status_names, MG_COUNT(status_names), name);
}

const char *mg_why_name(mg_why why)
{
    return (size_t)why < MG_COUNT(why_names) ? why_names[why] : NULL;
}

mg_why mg_why_named(mg_str name)
{
    return (mg_why)named(why_names, MG_COUNT(why_names), name);
}

/* The baseline that already held: every entry passed. Where it is not at hand (a list), `last`
 * has spoken for it. */
static bool baseline_holds(const mg_pursuit *pursuit)
{
    for (size_t i = 0; i < pursuit->baseline_count; i++) {
        if (pursuit->baseline[i].outcome != MG_OUTCOME_PASS)
            return false;
    }
    return pursuit->attempt_count == 0 && pursuit->attempt_total == 0;
}

/* The last attempt, where the attempts are at hand. */
static bool last_attempt_holds(const mg_pursuit *pursuit)
{
    if (pursuit->attempt_count == 0)
        return pursuit->attempt_total > 0;
    const mg_attempt *last = &pursuit->attempts[pursuit->attempt_count - 1];
    return last->verdict == MG_VERDICT_MET && last->status == MG_ATTEMPT_SUCCESS &&
           last->tampered.count == 0;
}

bool mg_pursuit_holds(const mg_pursuit *pursuit)
{
    if (pursuit->status != MG_PURSUIT_SUCCEEDED || !pursuit->verified ||
        pursuit->last != MG_VERDICT_MET)
        return false;
    if (pursuit->reason == MG_WHY_ALREADY_MET)
        return baseline_holds(pursuit);
    return pursuit->reason == MG_WHY_GOAL_MET && last_attempt_holds(pursuit);
}
