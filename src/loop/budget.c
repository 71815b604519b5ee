/* budget.c - after an attempt: does the loop go on, and if not, why. docs/drive.md,
 * "When it ends".
 *
 * The rules are a table, asked in order; the first that applies ends the loop. A verdict of met
 * comes before everything, whatever the agent's exit said; nothing else is ever a success.
 */
#include "data/hash.h"
#include "loop/state.h"

uint64_t mg_drive_elapsed_ms(const mg_driver *d)
{
    return d->spent_before_ms + (mg_clock_ms(d->o->clock) - d->began_ms);
}

uint64_t mg_drive_left_ms(const mg_driver *d)
{
    const uint64_t spent = mg_drive_elapsed_ms(d), all = d->o->budget.time_ms;
    return all > spent ? all - spent : 0;
}

/* --- What was spent --- */

static void spend(mg_driver *d, const mg_attempt *attempt)
{
    mg_spent *spent = &d->p->spent;
    spent->attempts += attempt->counted;
    spent->time_ms = mg_drive_elapsed_ms(d);
    if (attempt->usage.tokens_known) {
        spent->usage.tokens_known = true;
        spent->usage.input_tokens += attempt->usage.input_tokens;
        spent->usage.output_tokens += attempt->usage.output_tokens;
    }
    if (attempt->usage.cost_known) {
        spent->usage.cost_known = true;
        spent->usage.cost_usd += attempt->usage.cost_usd;
    }
}

/* Headline and delta in one fingerprint: equal ones in a row are standing still. */
static mg_hash stand_of(const mg_attempt *attempt, const mg_changes *changes,
                        const mg_snapshot *now)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf text = mg_buf_new(scratch, SIZE_MAX);
    mg_buf_addf(&text, MG_FMT "\n", MG_ARG(attempt->gap.headline));
    for (size_t i = 0; i < changes->count; i++) {
        const mg_change *c = &changes->items[i];
        mg_baseline_file file = {0};
        (void)mg_snapshot_file(now, c->path, &file);
        mg_buf_addf(&text, "%d %d %llx %llx " MG_FMT "\n", (int)c->type, file.existed,
                    (unsigned long long)file.hash.high, (unsigned long long)file.hash.low,
                    MG_ARG(c->path));
    }
    return mg_hash_bytes(mg_buf_str(&text));
}

static void count_in_a_row(mg_driver *d, const mg_attempt *attempt, const mg_agent_end *end,
                           const mg_changes *since_start, const mg_snapshot *now)
{
    const bool ended_badly =
        end->terminal == MG_TERMINAL_ERROR ||
        (end->terminal == MG_TERMINAL_COMPLETED && end->has_exit && end->exit_code != 0);
    const bool failed = ended_badly && !attempt->goal_actions_executed;
    d->limited_in_a_row = end->rate_limited ? d->limited_in_a_row + 1 : 0;
    d->denied_in_a_row = end->denials.count > 0 ? d->denied_in_a_row + 1 : 0;
    /* Only what has no rule of its own: limits and denials are counted above. */
    const bool other = failed && !end->rate_limited && end->denials.count == 0;
    d->failed_in_a_row = other ? d->failed_in_a_row + 1 : 0;
    d->last_tampered = attempt->tampered.count > 0;
    if (!attempt->counted || now == NULL)
        return;
    const mg_hash stand = stand_of(attempt, since_start, now);
    d->same_in_a_row = mg_hash_eq(stand, d->last_stand) ? d->same_in_a_row + 1 : 1;
    d->last_stand = stand;
}

/* --- Whether it ends --- */

typedef struct ending {
    const mg_driver *d;
    const mg_attempt *attempt;
    const mg_agent_end *end;
} ending;

typedef struct rule {
    bool (*applies)(const ending *e);
    mg_pursuit_status status;
    mg_why reason;
    const char *message; /* what a person can do; or NULL */
} rule;

static bool met(const ending *e)
{
    return e->attempt->verdict == MG_VERDICT_MET;
}

static bool fatal(const ending *e)
{
    return e->end->fatal;
}

static bool limited_for_good(const ending *e)
{
    return e->d->limited_in_a_row >= 3;
}

static bool denied_twice(const ending *e)
{
    return e->d->denied_in_a_row >= 2;
}

static bool failed_twice(const ending *e)
{
    return e->d->failed_in_a_row >= 2;
}

static bool goes_on_limited(const ending *e)
{
    return e->end->rate_limited && mg_drive_left_ms(e->d) > 0;
}

static bool no_goal(const ending *e)
{
    return e->d->o->goal->entries.count == 0;
}

static bool run_failed(const ending *e)
{
    return no_goal(e) && e->end->terminal == MG_TERMINAL_ERROR;
}

/* Whether the next attempt can be told what keeps the goal from being proved: a service of its own
 * that does not start, a file that it left empty. */
static bool mendable(const ending *e)
{
    return e->d->service_failed || strcmp(e->attempt->reason, "findings") == 0;
}

static bool unknown(const ending *e)
{
    return e->attempt->verdict == MG_VERDICT_UNKNOWN && !mendable(e);
}

static bool stagnated(const ending *e)
{
    return e->d->same_in_a_row >= e->d->o->budget.stagnation &&
           e->d->p->spent.attempts < e->d->o->budget.attempts;
}

static bool attempts_out(const ending *e)
{
    return e->d->p->spent.attempts >= e->d->o->budget.attempts;
}

static bool time_out(const ending *e)
{
    return mg_drive_left_ms(e->d) == 0;
}

static bool tokens_out(const ending *e)
{
    const mg_usage *u = &e->d->p->spent.usage;
    const int64_t limit = e->d->o->budget.tokens;
    return limit > 0 && u->tokens_known && u->input_tokens + u->output_tokens >= limit;
}

static bool cost_out(const ending *e)
{
    const mg_usage *u = &e->d->p->spent.usage;
    const double limit = e->d->o->budget.cost_usd;
    return limit > 0 && u->cost_known && u->cost_usd >= limit;
}

/* It went on only because the agent might have mended it. */
static bool never_proved(const ending *e)
{
    return e->attempt->verdict == MG_VERDICT_UNKNOWN && (attempts_out(e) || stagnated(e));
}

/* Whatever ends it: that the last attempt cheated is what people must know. */
static bool tampered_out(const ending *e)
{
    return e->d->last_tampered &&
           (attempts_out(e) || time_out(e) || tokens_out(e) || cost_out(e) || stagnated(e));
}

static const rule rules[] = {
    {met, MG_PURSUIT_SUCCEEDED, MG_WHY_GOAL_MET, NULL},
    {fatal, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR,
     "The agent cannot run as it is set up; mend that and try again."},
    {limited_for_good, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR,
     "The agent was rate limited three times in a row; resume the loop later."},
    {denied_twice, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR,
     "The agent was denied permissions twice in a row."},
    {failed_twice, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR,
     "The agent failed twice in a row without an effect."},
    {run_failed, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR, "The agent failed."},
    {goes_on_limited, MG_PURSUIT_RUNNING, MG_WHY_NONE, NULL},
    {unknown, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE, NULL},
    {tampered_out, MG_PURSUIT_GAVE_UP, MG_WHY_TAMPERED,
     "The last attempt changed protected paths; they were restored."},
    {never_proved, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE, NULL},
    {attempts_out, MG_PURSUIT_GAVE_UP, MG_WHY_ATTEMPTS_EXHAUSTED, NULL},
    {time_out, MG_PURSUIT_GAVE_UP, MG_WHY_TIME_EXHAUSTED, NULL},
    {tokens_out, MG_PURSUIT_GAVE_UP, MG_WHY_TOKENS_EXHAUSTED, NULL},
    {cost_out, MG_PURSUIT_GAVE_UP, MG_WHY_COST_EXHAUSTED, NULL},
    {stagnated, MG_PURSUIT_GAVE_UP, MG_WHY_STAGNATED,
     "Several attempts in a row left the same gap and the same files."},
};

/* --- What to tell people --- */

static mg_str first_unknown(const mg_attempt *attempt)
{
    for (size_t i = 0; i < attempt->result_count; i++)
        if (attempt->results[i].outcome == MG_OUTCOME_UNKNOWN)
            return attempt->results[i].message;
    return MG_STR("");
}

static mg_str first_high(const mg_attempt *attempt)
{
    for (size_t i = 0; i < attempt->findings.count; i++)
        if (attempt->findings.items[i].level == MG_LEVEL_HIGH)
            return attempt->findings.items[i].message;
    return MG_STR("");
}

/* Why nothing is proved, in the words of the evidence. */
static mg_str why_unknown(const mg_driver *d, const mg_attempt *attempt)
{
    const bool finding = strcmp(attempt->reason, "findings") == 0;
    const bool unsafe = strcmp(attempt->reason, "unsafe_to_verify") == 0;
    const bool green = strcmp(attempt->reason, "already_green") == 0;
    const mg_str detail = finding  ? first_high(attempt)
                          : unsafe ? attempt->error
                          : green  ? MG_STR("every entry that holds now held before the first "
                                             "attempt, so none of them shows that the work was done")
                                   : first_unknown(attempt);
    return mg_strf(d->arena, "%s%s" MG_FMT,
                   finding ? "The entries hold, but a finding keeps them from proving the goal"
                           : "Nothing is proved, and driving on would not change that",
                   detail.len > 0 ? ": " : ".", MG_ARG(detail));
}

static mg_str message_of(const mg_driver *d, const mg_attempt *attempt, const mg_agent_end *end,
                         const rule *r)
{
    if (r->reason == MG_WHY_UNVERIFIABLE)
        return why_unknown(d, attempt);
    const char *setting = mg_agent_denial_setting(d->o->agent);
    if (r->applies == denied_twice && setting != NULL)
        return mg_strf(d->arena, "%s To let it: %s.", r->message, setting);
    if (r->reason == MG_WHY_AGENT_ERROR && end->error.len > 0)
        return mg_strf(d->arena, "%s It said: " MG_FMT, r->message, MG_ARG(end->error));
    return mg_str_of(r->message);
}

void mg_budget_settle(mg_driver *d, const mg_attempt *attempt, const mg_agent_end *end,
                      const mg_changes *since_start, const mg_snapshot *now)
{
    const ending e = {d, attempt, end};
    spend(d, attempt);
    count_in_a_row(d, attempt, end, since_start, now);
    d->p->last = attempt->verdict;
    for (size_t i = 0; i < MG_COUNT(rules); i++) {
        if (!rules[i].applies(&e))
            continue;
        d->p->status = rules[i].status;
        d->p->reason = rules[i].reason;
        d->p->message = message_of(d, attempt, end, &rules[i]);
        return;
    }
}

/* Whether a rule only asks what was spent, and so is as true of a loop that is resumed. */
static bool asks_spent(const rule *r)
{
    return r->applies == tampered_out || r->applies == attempts_out || r->applies == time_out ||
           r->applies == tokens_out || r->applies == cost_out;
}

void mg_budget_resume(mg_driver *d)
{
    const mg_attempt *last =
        d->p->attempt_count > 0 ? &d->p->attempts[d->p->attempt_count - 1] : NULL;
    const ending e = {d, last, NULL};
    d->last_tampered = last != NULL && last->tampered.count > 0;
    for (size_t i = 0; i < MG_COUNT(rules); i++) {
        if (!asks_spent(&rules[i]) || !rules[i].applies(&e))
            continue;
        d->p->status = rules[i].status;
        d->p->reason = rules[i].reason;
        d->p->message = mg_str_of(rules[i].message);
        break;
    }
    if (d->p->status == MG_PURSUIT_RUNNING || d->p->last != MG_VERDICT_MET)
        return;
    d->p->last = MG_VERDICT_UNKNOWN; /* a store proves nothing */
    d->p->reason = MG_WHY_UNVERIFIABLE;
    d->p->message = MG_STR("The last attempt was seen to meet the goal, but its driver died before "
                           "it could say so; 'makegood check' looks again.");
}
