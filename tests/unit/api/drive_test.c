/* mg_drive(): attempts by a function, goals by functions. Seed 004's behaviours, in C. */
#include <makegood/makegood.h>

#include "test.h"

#include <poll.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct story { /* what an attempt function does, and what was seen */
    mg_end ends[8];
    const char *error;
    int done_at;        /* the world is right from this attempt on; 0: never */
    unsigned sleep_ms;  /* it works so long unless it is cancelled */
    bool ignore_cancel; /* it does not look */
    bool said_nothing;  /* it leaves result as it came */
    atomic_int world;
    int tries, asked, reports;
    char prompts[8][128], labels[8][64];
    void *messages[8];
    mg_decided decided[8];
    bool watched[8];
} story;

static void attempt(void *data, const mg_try *given, mg_try_result *result)
{
    story *s = data;
    const unsigned n = given->number - 1;
    s->tries++;
    (void)snprintf(s->prompts[n], sizeof s->prompts[n], "%s", given->prompt);
    s->messages[n] = given->messages;
    if (s->said_nothing)
        return;
    if (s->done_at > 0 && (int)given->number >= s->done_at)
        s->world = 1;
    struct pollfd cancel = {.fd = given->cancel_fd, .events = POLLIN};
    const bool stopped =
        s->ignore_cancel ? usleep(s->sleep_ms * 1000) != 0 : poll(&cancel, 1, (int)s->sleep_ms) > 0;
    result->end = stopped ? MG_END_CANCELLED : s->ends[n] != 0 ? s->ends[n] : MG_END_COMPLETED;
    result->text = "All done!";
    result->error = s->error;
    result->messages = (void *)(uintptr_t)(100 + given->number);
}

static int world_is_right(void *data)
{
    story *s = data;
    s->asked++;
    return s->world;
}

static void reported(void *data, const mg_attempt_report *r)
{
    story *s = data;
    (void)snprintf(s->labels[s->reports], sizeof s->labels[0], "%s", r->label);
    s->decided[s->reports] = r->decided;
    s->watched[s->reports++] = r->watched == 1;
}

static mg_drive_outcome drive(__attribute__((unused)) test *t, story *s, const mg_aim *goal,
                              const mg_watcher *watcher, mg_drive_options options)
{
    mg_error error;
    mg_drive_outcome outcome = MG_DRIVE_OUTCOME_INIT;
    const mg_drive_request request = {.size = sizeof request,
                                      .attempt = attempt,
                                      .attempt_data = s,
                                      .prompt = "Do it.",
                                      .goal = goal,
                                      .watcher = watcher};
    options.on_attempt = reported;
    options.on_attempt_data = s;
    if (mg_drive(&request, &options, &outcome, &error) != MG_OK)
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return outcome;
}

static mg_drive_options attempts(unsigned most)
{
    mg_drive_options options = MG_DRIVE_INIT;
    options.max_attempts = most;
    return options;
}

TEST(the_zero_outcome_is_not_a_success)
{
    const mg_drive_outcome zero = {0};
    EXPECT(zero.status != MG_DRIVE_SUCCEEDED && !zero.verified);
    const mg_decision decision = {0};
    EXPECT(decision.what != MG_DECIDED_DONE);
}

TEST(it_is_driven_again_until_the_goal_holds_and_told_what_is_missing)
{
    story s = {.done_at = 3};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, attempts(5));
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, o.status);
    EXPECT(o.verified);
    EXPECT_EQ(3, o.attempts);
    EXPECT_STR("Do it.", mg_str_of(s.prompts[0]));
    EXPECT_STR("not yet", mg_str_of(s.prompts[1]));
    EXPECT(s.messages[0] == NULL && s.messages[2] == (void *)102);
    EXPECT(o.messages == (void *)103);
    EXPECT_EQ(3, s.reports);
    EXPECT_STR("goal met", mg_str_of(s.labels[2]));
    EXPECT_EQ(MG_DECIDED_RETRY, s.decided[0]);
}

TEST(a_claim_alone_is_given_up)
{
    story s = {0};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, attempts(2));
    EXPECT_EQ(MG_DRIVE_GAVE_UP, o.status);
    EXPECT(!o.verified);
    EXPECT_EQ(2, o.attempts);
}

TEST(without_a_number_there_is_one_attempt)
{
    story s = {0};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    EXPECT_EQ(1, drive(t, &s, &goal, NULL, attempts(0)).attempts);
}

static const char *counted(void *data, const mg_try_result *attempt)
{
    static char text[64];
    (void)snprintf(text, sizeof text, "asked %d times, it said %s", ((story *)data)->asked,
                   attempt->text);
    return text;
}

TEST(feedback_can_be_computed_after_each_attempt)
{
    story s = {.done_at = 2};
    const mg_aim goal = mg_until_fn(world_is_right, counted, &s, NULL);
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, drive(t, &s, &goal, NULL, attempts(3)).status);
    EXPECT_STR("asked 1 times, it said All done!", mg_str_of(s.prompts[1]));
}

static void believes(void *data, const mg_try_result *attempt, mg_decision *decision)
{
    (void)data;
    if (attempt->end == MG_END_COMPLETED)
        mg_done(decision);
    else
        mg_retry(decision, "go on");
}

TEST(a_bare_goal_function_succeeds_unverified)
{
    story s = {0};
    const mg_aim bare = mg_goal_fn(believes, &s), marked = mg_verified(bare);
    mg_drive_outcome o = drive(t, &s, &bare, NULL, attempts(1));
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, o.status);
    EXPECT(!o.verified);
    s = (story){0};
    o = drive(t, &s, &marked, NULL, attempts(1));
    EXPECT(o.verified);
}

static void decides_nothing(void *data, const mg_try_result *attempt, mg_decision *decision)
{
    (void)data;
    (void)attempt;
    (void)decision;
}

static void decides_rubbish(void *data, const mg_try_result *attempt, mg_decision *decision)
{
    (void)data;
    (void)attempt;
    memset(decision, 0x7f, sizeof *decision);
    decision->feedback[sizeof decision->feedback - 1] = '\0';
}

static int cannot_tell(void *data)
{
    (void)data;
    return -1;
}

TEST(a_goal_that_cannot_tell_is_given_up_at_once_and_never_met)
{
    story s = {.done_at = 1};
    const mg_aim goals[] = {
        mg_goal_fn(decides_nothing, NULL),
        mg_verified(mg_goal_fn(decides_rubbish, NULL)),
        mg_until(cannot_tell, NULL, "x", NULL),
        {.size = sizeof(mg_aim), .looks_at_world = 1},
    };
    for (size_t i = 0; i < MG_COUNT(goals); i++) {
        s = (story){.done_at = 1};
        const mg_drive_outcome o = drive(t, &s, &goals[i], NULL, attempts(5));
        EXPECT_EQ(MG_DRIVE_GAVE_UP, o.status);
        EXPECT(!o.verified);
        EXPECT_EQ(1, o.attempts);
    }
}

TEST(a_run_without_a_goal_is_supervised_and_proves_nothing)
{
    story s = {0};
    const mg_drive_outcome o = drive(t, &s, NULL, NULL, attempts(1));
    EXPECT_EQ(MG_DRIVE_GAVE_UP, o.status);
    EXPECT(!o.verified);
    EXPECT_EQ(1, s.reports);
    s = (story){.ends = {MG_END_ERROR}, .error = "no key"};
    const mg_drive_outcome failed = drive(t, &s, NULL, NULL, attempts(1));
    EXPECT_EQ(MG_DRIVE_ERRORED, failed.status);
    EXPECT_STR("no key", mg_str_of(failed.error));
}

TEST(a_watcher_ends_the_attempt_the_moment_the_goal_holds)
{
    story s = {.done_at = 1, .sleep_ms = 20000};
    mg_watcher watcher;
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", &watcher);
    const mg_drive_outcome o = drive(t, &s, &goal, &watcher, attempts(1));
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, o.status);
    EXPECT(o.verified && s.watched[0]);
}

static int says_yes(void *data)
{
    (void)data;
    return 1;
}

TEST(the_goal_has_the_last_word_after_a_watcher_fired)
{
    story s = {.sleep_ms = 20000};
    const mg_watcher watcher = mg_poll_watcher(says_yes, NULL, 1);
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    const mg_drive_outcome o = drive(t, &s, &goal, &watcher, attempts(2));
    EXPECT_EQ(MG_DRIVE_GAVE_UP, o.status);
    EXPECT_EQ(2, o.attempts);
    EXPECT(s.watched[0] && s.watched[1]);
}

TEST(a_watcher_without_a_probe_never_fires)
{
    story s = {.sleep_ms = 5};
    const mg_watcher watcher = mg_poll_watcher(NULL, NULL, 1);
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    (void)drive(t, &s, &goal, &watcher, attempts(1));
    EXPECT(!s.watched[0]);
}

TEST(an_attempt_that_takes_too_long_is_cancelled_and_still_judged)
{
    story s = {.sleep_ms = 20000, .done_at = 2};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    mg_drive_options options = attempts(3);
    options.attempt_timeout_ms = 30;
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, drive(t, &s, &goal, NULL, options).status);
    EXPECT_STR("timed out, goal not met", mg_str_of(s.labels[0]));
}

TEST(an_attempt_that_does_not_stop_is_an_error_even_if_the_goal_holds)
{
    static story s = {.done_at = 1, .sleep_ms = 400, .ignore_cancel = true};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    mg_drive_options options = attempts(3);
    options.attempt_timeout_ms = 20;
    options.drain_timeout_ms = 30;
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, options);
    EXPECT_EQ(MG_DRIVE_ERRORED, o.status);
    EXPECT(!o.verified);
    EXPECT_CONTAINS(mg_str_of(o.error), "did not stop");
    (void)usleep(600000); /* the thread ends before the test does */
}

TEST(one_error_is_driven_on_two_in_a_row_end_it)
{
    story s = {.ends = {MG_END_ERROR}, .error = "overloaded", .done_at = 2};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, drive(t, &s, &goal, NULL, attempts(5)).status);
    s = (story){.ends = {MG_END_ERROR, MG_END_ERROR, MG_END_ERROR}, .error = "overloaded"};
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, attempts(5));
    EXPECT_EQ(MG_DRIVE_ERRORED, o.status);
    EXPECT_EQ(2, o.attempts);
    EXPECT_STR("overloaded", mg_str_of(o.error));
}

TEST(an_error_does_not_hide_that_the_goal_holds)
{
    story s = {.ends = {MG_END_ERROR}, .done_at = 1};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, drive(t, &s, &goal, NULL, attempts(1)).status);
}

TEST(an_attempt_that_says_nothing_of_its_end_has_failed)
{
    story s = {.said_nothing = true};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    EXPECT_EQ(MG_DRIVE_ERRORED, drive(t, &s, &goal, NULL, attempts(5)).status);
    EXPECT_STR("run error", mg_str_of(s.labels[0]));
}

TEST(a_cancel_stays_visible_whatever_the_goal_says)
{
    int ends[2];
    story s = {.done_at = 1, .sleep_ms = 20000};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    mg_drive_options options = attempts(3);
    EXPECT_EQ(0, pipe(ends));
    EXPECT_EQ(1, write(ends[1], "", 1));
    options.cancel_fd = ends[0];
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, options);
    EXPECT_EQ(MG_DRIVE_CANCELLED, o.status);
    EXPECT(!o.verified);
    EXPECT_EQ(1, o.attempts);
}

TEST(the_time_for_everything_ends_it)
{
    story s = {.sleep_ms = 20};
    const mg_aim goal = mg_until(world_is_right, &s, "not yet", NULL);
    mg_drive_options options = attempts(1000);
    options.time_ms = 100;
    const mg_drive_outcome o = drive(t, &s, &goal, NULL, options);
    EXPECT_EQ(MG_DRIVE_GAVE_UP, o.status);
    EXPECT(o.attempts >= 1 && o.attempts < 50);
}

TEST(empty_feedback_keeps_the_prompt_and_long_feedback_is_cut_whole)
{
    char *text = mg_arena_alloc(t->arena, 10000);
    for (size_t i = 0; i + 2 < 10000; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    mg_decision decision = {0};
    mg_retry(&decision, text);
    EXPECT(mg_str_of(decision.feedback).len % 2 == 0);
    EXPECT(mg_str_of(decision.feedback).len > 4000);
    story s = {.done_at = 2};
    const mg_aim goal = mg_until(world_is_right, &s, NULL, NULL);
    EXPECT_EQ(MG_DRIVE_SUCCEEDED, drive(t, &s, &goal, NULL, attempts(3)).status);
    EXPECT_STR("Do it.", mg_str_of(s.prompts[1]));
}

TEST(a_request_without_an_attempt_is_refused)
{
    mg_error error;
    mg_drive_outcome outcome = MG_DRIVE_OUTCOME_INIT;
    const mg_drive_request request = {.size = sizeof request};
    EXPECT_EQ(MG_ERR_INVALID, mg_drive(&request, NULL, &outcome, &error));
    EXPECT_CONTAINS(mg_str_of(error.text), "no attempt function");
    EXPECT_EQ(MG_DRIVE_UNKNOWN, outcome.status);
}
