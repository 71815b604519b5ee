/* Budgets: every rule of docs/drive.md, "When it ends", over made-up attempts.
 */
#include "base/vec.h"
#include "loop/state.h"
#include "test.h"

/* A loop in the middle, with a clock that stands where it is put. */
typedef struct made {
    mg_driver d;
    mg_drive_setup o;
    mg_pursuit p;
    mg_goal goal;
    mg_entry entry;
    mg_entry *entries[1];
    mg_clock clock;
    uint64_t now_ms;
    const mg_snapshot *now;
    mg_changes changes;
} made;

static uint64_t made_mono(void *self)
{
    return ((const made *)self)->now_ms * 1000000;
}

static int64_t made_wall(void *self)
{
    return (int64_t)((const made *)self)->now_ms;
}

static const mg_snapshot *look(test *t)
{
    mg_world *world = mg_new(t->arena, mg_world);
    const mg_scope *scope;
    const mg_snapshot *snapshot;
    EXPECT_OK(mg_world_open(t->dir, t->arena, world, &t->err));
    EXPECT_OK(mg_scope_freeze(world, &(mg_scope_rules){0}, t->arena, &scope, &t->err));
    EXPECT_OK(
        mg_snapshot_take(world, scope, NULL, NULL, (mg_live){0}, t->arena, &snapshot, &t->err));
    return snapshot;
}

static const mg_agent_function nobody = {.name = "made up"};

static made *make(test *t)
{
    made *m = mg_new(t->arena, made);
    *m = (made){.now_ms = 1000};
    m->clock = (mg_clock){.self = m, .now_ns = made_mono, .wall_ms = made_wall};
    m->entries[0] = &m->entry;
    m->goal.entries = (mg_entries){m->entries, 1, 1};
    m->o.goal = &m->goal;
    m->o.clock = &m->clock;
    m->o.budget = (mg_budget){.attempts = 5, .time_ms = 60000, .stagnation = 3};
    m->p.status = MG_PURSUIT_RUNNING;
    m->d = (mg_driver){.o = &m->o, .arena = t->arena, .p = &m->p, .began_ms = 1000};
    m->o.agent = mg_agent_of_function(&nobody, t->arena);
    m->now = look(t);
    return m;
}

static mg_agent_end done(void)
{
    return (mg_agent_end){.terminal = MG_TERMINAL_COMPLETED, .whole = true, .has_exit = true};
}

static mg_agent_end failing(int code)
{
    mg_agent_end end = done();
    end.exit_code = code;
    return end;
}

static mg_agent_end limited(void)
{
    mg_agent_end end = failing(1);
    end.rate_limited = true;
    return end;
}

static mg_agent_end denied(test *t)
{
    mg_agent_end end = done();
    mg_strs_add(t->arena, &end.denials, MG_STR("Write(out.txt)"));
    return end;
}

/* One attempt that ended so, with that verdict; every one with a headline of its own. */
static void settle(test *t, made *m, mg_verdict verdict, mg_agent_end end)
{
    const uint32_t number = ++m->p.attempt_total;
    const mg_attempt attempt = {
        .number = number,
        .counted = !end.rate_limited,
        .verdict = verdict,
        .reason = "made_up",
        .usage = end.usage,
        .gap = {.headline = mg_strf(t->arena, "headline %u", number)},
    };
    mg_budget_settle(&m->d, &attempt, &end, &m->changes, m->now);
}

static void expect_end(const made *m, mg_pursuit_status status, mg_why why)
{
    EXPECT_EQ(status, m->p.status);
    EXPECT_EQ(why, m->p.reason);
}

#define EXPECT_GOES_ON(m) expect_end(m, MG_PURSUIT_RUNNING, MG_WHY_NONE)

TEST(met_ends_it_whatever_else_is_so)
{
    made *m = make(t);
    mg_agent_end end = failing(1);
    end.fatal = end.rate_limited = true;
    end.usage = (mg_usage){.tokens_known = true, .input_tokens = 1000};
    mg_strs_add(t->arena, &end.denials, MG_STR("x"));
    m->o.budget = (mg_budget){.attempts = 1, .time_ms = 1, .tokens = 1, .stagnation = 1};
    m->now_ms += 5000;
    settle(t, m, MG_VERDICT_MET, end);
    expect_end(m, MG_PURSUIT_SUCCEEDED, MG_WHY_GOAL_MET);
    EXPECT_EQ(MG_VERDICT_MET, m->p.last);
}

TEST(nothing_but_met_is_ever_a_success)
{
    static const mg_verdict verdicts[] = {MG_VERDICT_UNKNOWN, MG_VERDICT_NOT_MET};
    static const mg_terminal terminals[] = {MG_TERMINAL_NONE,      MG_TERMINAL_COMPLETED,
                                            MG_TERMINAL_CANCELLED, MG_TERMINAL_TIMEOUT,
                                            MG_TERMINAL_ERROR,     MG_TERMINAL_MAX_ITERATIONS};
    for (unsigned bits = 0; bits < 1U << 8; bits++) {
        made *m = make(t);
        mg_agent_end end = {.terminal = terminals[bits % MG_COUNT(terminals)],
                            .whole = (bits & 1) != 0,
                            .has_exit = (bits & 2) != 0,
                            .rate_limited = (bits & 4) != 0,
                            .fatal = (bits & 8) != 0};
        m->goal.entries.count = (bits & 16) != 0;
        m->o.budget.attempts = (bits & 32) != 0 ? 1 : 3;
        m->now_ms += (bits & 64) != 0 ? 100000 : 0;
        for (int i = 0; i < 3 && m->p.status == MG_PURSUIT_RUNNING; i++)
            settle(t, m, verdicts[bits >> 7 & 1], end);
        EXPECT(m->p.status != MG_PURSUIT_SUCCEEDED);
        EXPECT(m->p.reason != MG_WHY_GOAL_MET && m->p.reason != MG_WHY_ALREADY_MET);
        EXPECT(!mg_pursuit_holds(&m->p));
    }
}

TEST(not_met_goes_on_while_the_budget_lasts)
{
    made *m = make(t);
    for (int i = 0; i < 4; i++) {
        settle(t, m, MG_VERDICT_NOT_MET, done());
        EXPECT_GOES_ON(m);
    }
    settle(t, m, MG_VERDICT_NOT_MET, done());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_ATTEMPTS_EXHAUSTED);
    EXPECT_EQ(5, m->p.spent.attempts);
    EXPECT_EQ(MG_VERDICT_NOT_MET, m->p.last);
}

TEST(unknown_ends_it_at_once)
{
    made *m = make(t);
    settle(t, m, MG_VERDICT_UNKNOWN, done());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, m->p.last);
}

TEST(unknown_after_the_last_attempt_is_unverifiable_and_not_exhausted)
{
    made *m = make(t);
    m->o.budget.attempts = 1;
    m->now_ms += 100000;
    settle(t, m, MG_VERDICT_UNKNOWN, done());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE);
}

TEST(two_denials_in_a_row_are_an_agent_error)
{
    made *m = make(t);
    settle(t, m, MG_VERDICT_NOT_MET, denied(t));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, done());
    settle(t, m, MG_VERDICT_NOT_MET, denied(t));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, denied(t));
    expect_end(m, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR);
    EXPECT_CONTAINS(m->p.message, "denied");
    EXPECT_EQ(4, m->p.spent.attempts);
}

TEST(a_rate_limit_costs_no_attempt)
{
    made *m = make(t);
    m->o.budget.attempts = 1;
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_UNKNOWN, limited()); /* cut off in the middle: nothing to conclude */
    EXPECT_GOES_ON(m);
    EXPECT_EQ(0, m->p.spent.attempts);
    settle(t, m, MG_VERDICT_NOT_MET, done());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_ATTEMPTS_EXHAUSTED);
}

TEST(three_rate_limits_in_a_row_are_an_agent_error)
{
    made *m = make(t);
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    settle(t, m, MG_VERDICT_NOT_MET, done());
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    expect_end(m, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR);
    EXPECT_CONTAINS(m->p.message, "rate limited");
}

TEST(a_rate_limit_after_the_time_is_over_is_no_reason_to_go_on)
{
    made *m = make(t);
    m->now_ms += 60000;
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_TIME_EXHAUSTED);
}

TEST(a_fatal_error_ends_it_at_once_and_is_quoted)
{
    made *m = make(t);
    mg_agent_end end = failing(1);
    end.fatal = true;
    end.error = MG_STR("401: invalid key");
    settle(t, m, MG_VERDICT_NOT_MET, end);
    expect_end(m, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR);
    EXPECT_CONTAINS(m->p.message, "401: invalid key");
}

TEST(two_failures_without_effect_are_an_agent_error)
{
    made *m = make(t);
    settle(t, m, MG_VERDICT_NOT_MET, failing(1));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, failing(137));
    expect_end(m, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR);
}

TEST(a_failure_between_good_ends_is_not_two_in_a_row)
{
    made *m = make(t);
    m->o.budget.attempts = 9;
    settle(t, m, MG_VERDICT_NOT_MET, failing(1));
    settle(t, m, MG_VERDICT_NOT_MET, done());
    settle(t, m, MG_VERDICT_NOT_MET, failing(1));
    EXPECT_GOES_ON(m);
}

TEST(a_failure_with_an_effect_does_not_count_as_one)
{
    made *m = make(t);
    const mg_agent_end end = failing(1);
    for (uint32_t i = 0; i < 4; i++) {
        const mg_attempt attempt = {.verdict = MG_VERDICT_NOT_MET,
                                    .counted = true,
                                    .goal_actions_executed = true,
                                    .gap = {.headline = mg_strf(t->arena, "%u", i)}};
        mg_budget_settle(&m->d, &attempt, &end, &m->changes, m->now);
        EXPECT_GOES_ON(m);
    }
}

TEST(denials_and_limits_are_not_the_other_failures)
{
    made *m = make(t);
    mg_agent_end end = denied(t);
    end.exit_code = 1;
    m->o.budget.attempts = 9;
    settle(t, m, MG_VERDICT_NOT_MET, end);
    settle(t, m, MG_VERDICT_NOT_MET, failing(1));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    settle(t, m, MG_VERDICT_NOT_MET, failing(1));
    EXPECT_GOES_ON(m);
}

TEST(an_attempt_that_a_limit_ended_is_not_a_failure_of_the_agent)
{
    static const mg_terminal terminals[] = {MG_TERMINAL_TIMEOUT, MG_TERMINAL_MAX_ITERATIONS,
                                            MG_TERMINAL_CANCELLED};
    for (size_t i = 0; i < MG_COUNT(terminals); i++) {
        made *m = make(t);
        mg_agent_end end = failing(137);
        end.terminal = terminals[i];
        for (int n = 0; n < 3; n++)
            settle(t, m, MG_VERDICT_NOT_MET, end);
        EXPECT_GOES_ON(m);
    }
}

TEST(a_single_run_without_a_goal_tells_whether_the_agent_failed)
{
    static const struct {
        mg_terminal terminal;
        int code;
        mg_pursuit_status status;
        mg_why why;
    } rows[] = {
        {MG_TERMINAL_COMPLETED, 0, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE},
        {MG_TERMINAL_ERROR, 1, MG_PURSUIT_ERRORED, MG_WHY_AGENT_ERROR},
    };
    for (size_t i = 0; i < MG_COUNT(rows); i++) {
        made *m = make(t);
        mg_agent_end end = failing(rows[i].code);
        end.terminal = rows[i].terminal;
        m->goal.entries.count = 0;
        m->o.budget.attempts = 1;
        settle(t, m, MG_VERDICT_UNKNOWN, end);
        expect_end(m, rows[i].status, rows[i].why);
    }
}

TEST(time_that_is_over_ends_it)
{
    made *m = make(t);
    m->now_ms += 59999;
    settle(t, m, MG_VERDICT_NOT_MET, done());
    EXPECT_GOES_ON(m);
    m->now_ms += 1;
    settle(t, m, MG_VERDICT_NOT_MET, done());
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_TIME_EXHAUSTED);
    EXPECT_EQ(60000, m->p.spent.time_ms);
}

TEST(time_before_a_resume_counts)
{
    made *m = make(t);
    m->d.spent_before_ms = 59000;
    EXPECT_EQ(1000, mg_drive_left_ms(&m->d));
    m->now_ms += 2000;
    EXPECT_EQ(0, mg_drive_left_ms(&m->d));
    EXPECT_EQ(61000, mg_drive_elapsed_ms(&m->d));
}

static mg_agent_end costing(int64_t in, int64_t out, double usd)
{
    mg_agent_end end = done();
    end.usage = (mg_usage){.tokens_known = in >= 0,
                           .input_tokens = in,
                           .output_tokens = out,
                           .cost_known = usd >= 0,
                           .cost_usd = usd};
    return end;
}

TEST(tokens_of_all_attempts_are_added_up)
{
    made *m = make(t);
    m->o.budget.tokens = 1000;
    settle(t, m, MG_VERDICT_NOT_MET, costing(400, 99, -1));
    settle(t, m, MG_VERDICT_NOT_MET, done()); /* one that tells nothing takes nothing away */
    settle(t, m, MG_VERDICT_NOT_MET, costing(400, 100, -1));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, costing(0, 1, -1));
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_TOKENS_EXHAUSTED);
}

TEST(tokens_of_a_limited_attempt_count)
{
    made *m = make(t);
    mg_agent_end end = costing(2000, 0, -1);
    end.rate_limited = true;
    m->o.budget.tokens = 1000;
    settle(t, m, MG_VERDICT_NOT_MET, end);
    EXPECT_EQ(2000, m->p.spent.usage.input_tokens);
}

TEST(money_of_all_attempts_is_added_up)
{
    made *m = make(t);
    m->o.budget.cost_usd = 1.0;
    settle(t, m, MG_VERDICT_NOT_MET, costing(-1, 0, 0.75));
    EXPECT_GOES_ON(m);
    settle(t, m, MG_VERDICT_NOT_MET, costing(-1, 0, 0.25));
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_COST_EXHAUSTED);
}

TEST(no_limit_on_tokens_or_money_is_no_limit)
{
    made *m = make(t);
    settle(t, m, MG_VERDICT_NOT_MET, costing(INT64_MAX / 4, 0, 1e9));
    EXPECT_GOES_ON(m);
}

/* The same headline every time. */
static void stand_still(made *m, const char *headline)
{
    const mg_attempt attempt = {
        .verdict = MG_VERDICT_NOT_MET, .counted = true, .gap = {.headline = mg_str_of(headline)}};
    const mg_agent_end end = done();
    mg_budget_settle(&m->d, &attempt, &end, &m->changes, m->now);
}

TEST(three_equal_stands_in_a_row_are_stagnation)
{
    made *m = make(t);
    m->o.budget.attempts = 9;
    stand_still(m, "a");
    stand_still(m, "a");
    stand_still(m, "b");
    stand_still(m, "a");
    stand_still(m, "a");
    EXPECT_GOES_ON(m);
    stand_still(m, "a");
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_STAGNATED);
}

TEST(a_file_that_changes_is_no_stagnation)
{
    made *m = make(t);
    const mg_change change = {.path = MG_STR("a.txt"), .type = MG_CHANGE_CREATED};
    static const char *const texts[] = {"one", "two", "one", "one", "one"};
    m->changes = (mg_changes){&change, 1};
    m->o.budget.attempts = 9;
    for (size_t i = 0; i < MG_COUNT(texts); i++) {
        EXPECT_GOES_ON(m);
        test_write(t, "a.txt", mg_str_of(texts[i]));
        m->now = look(t);
        stand_still(m, "a");
    }
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_STAGNATED);
}

TEST(a_limited_attempt_neither_makes_nor_breaks_a_stand)
{
    made *m = make(t);
    m->o.budget.attempts = 9;
    stand_still(m, "a");
    stand_still(m, "a");
    settle(t, m, MG_VERDICT_NOT_MET, limited());
    EXPECT_GOES_ON(m);
    stand_still(m, "a");
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_STAGNATED);
}

TEST(the_last_attempt_is_exhausted_rather_than_stagnated)
{
    made *m = make(t);
    m->o.budget.attempts = 3;
    for (int i = 0; i < 3; i++)
        stand_still(m, "a");
    expect_end(m, MG_PURSUIT_GAVE_UP, MG_WHY_ATTEMPTS_EXHAUSTED);
}

TEST(tampering_is_the_reason_only_where_the_last_attempt_tampered)
{
    for (int last = 0; last < 2; last++) {
        made *m = make(t);
        m->o.budget.attempts = 2;
        for (int i = 0; i < 2; i++) {
            mg_attempt attempt = {.verdict = MG_VERDICT_NOT_MET,
                                  .counted = true,
                                  .gap = {.headline = mg_strf(t->arena, "%d", i)}};
            const mg_agent_end end = done();
            EXPECT_GOES_ON(m);
            if (i == last)
                mg_strs_add(t->arena, &attempt.tampered, MG_STR("tests/run.sh"));
            mg_budget_settle(&m->d, &attempt, &end, &m->changes, m->now);
        }
        expect_end(m, MG_PURSUIT_GAVE_UP, last == 1 ? MG_WHY_TAMPERED : MG_WHY_ATTEMPTS_EXHAUSTED);
    }
}
