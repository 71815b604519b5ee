/* The engine over made-up kinds whose answers, delays and faults the test decides. */
#include "check/check.h"

#include "test.h"

#include <fcntl.h>
#include <unistd.h>

/* What the kinds of one test share. */
static struct {
    int running, most_running, started, stopped, evaluated;
    int pass_from_try; /* `flaky` passes from this evaluation on */
} state;

static const mg_param params[] = {
    {"what", MG_PARAM_TEXT, .required = true, .help = "pass, fail, unknown"},
    {"ms", MG_PARAM_INT, .min = 0, .max = 100000, .help = "after how long"},
    {0},
};

static mg_outcome outcome_of(mg_str what)
{
    return mg_str_is(what, "pass")   ? MG_OUTCOME_PASS
           : mg_str_is(what, "fail") ? MG_OUTCOME_FAIL
                                     : MG_OUTCOME_UNKNOWN;
}

static mg_status fast_eval(const mg_view *view, const mg_args *args, mg_arena *arena,
                           mg_result *out, mg_err *err)
{
    (void)view;
    (void)arena;
    state.evaluated++;
    if (mg_str_is(mg_arg_text(args, "what"), "error"))
        return mg_fail(err, MG_ERR_SYSTEM, "the disk is on fire");
    if (mg_str_is(mg_arg_text(args, "what"), "before 2"))
        *out = mg_result_make(state.started < 2 ? MG_OUTCOME_PASS : MG_OUTCOME_FAIL,
                              MG_STR("early"), MG_STR("late"));
    else if (mg_str_is(mg_arg_text(args, "what"), "probe"))
        *out = mg_result_make(state.running == 0 && state.started > 0 ? MG_OUTCOME_PASS
                                                                      : MG_OUTCOME_FAIL,
                              MG_STR("nothing is running"), MG_STR("something is"));
    else if (mg_str_is(mg_arg_text(args, "what"), "flaky"))
        *out = mg_result_make(state.evaluated >= state.pass_from_try ? MG_OUTCOME_PASS
                                                                     : MG_OUTCOME_FAIL,
                              MG_STR("in the end"), MG_STR("not yet"));
    else
        *out = mg_result_make(outcome_of(mg_arg_text(args, "what")), MG_STR("e"), MG_STR("o"));
    return MG_OK;
}

static const mg_check_kind fast = {.name = "fast", .params = params, .eval = fast_eval};

typedef struct slow_state {
    mg_timer *timer;
    mg_ask *ask;
    mg_str what;
} slow_state;

static void slow_answer(void *data)
{
    slow_state *s = data;
    const mg_result r = mg_result_make(outcome_of(s->what), MG_STR("e"), MG_STR("o"));
    s->timer = NULL;
    state.running--;
    mg_ask_answer(s->ask, &r);
}

static void slow_stop(mg_ask *ask)
{
    slow_state *s = ask->state;
    mg_timer_stop(s->timer);
    state.running--;
    state.stopped++;
}

static mg_status slow_start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    (void)view;
    mg_loop *loop;
    MG_TRY(mg_ask_loop(ask, &loop, err));
    slow_state *s = mg_new(ask->arena, slow_state);
    s->ask = ask;
    s->what = mg_arg_text(args, "what");
    s->timer = mg_timer_start(loop, (uint64_t)mg_arg_int(args, "ms"), slow_answer, s);
    ask->state = s;
    ask->stop = slow_stop;
    state.started++;
    state.running++;
    state.most_running = MG_MAX(state.most_running, state.running);
    return MG_OK;
}

static const mg_check_kind slow = {.name = "slow", .params = params, .start = slow_start};

static mg_status sync_start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    (void)view;
    const mg_result r =
        mg_result_make(outcome_of(mg_arg_text(args, "what")), MG_STR("e"), MG_STR("o"));
    if (mg_str_is(mg_arg_text(args, "what"), "error"))
        return mg_fail(err, MG_ERR_UNAVAILABLE, "no such means");
    mg_ask_answer(ask, &r);
    return MG_OK;
}

static const mg_check_kind sync_kind = {.name = "sync", .params = params, .start = sync_start};

static const mg_check_kind *const kinds[] = {&fast, &slow, &sync_kind, NULL};

static mg_status run_with(test *t, const char *yaml, const mg_check_options *options,
                          const mg_cancel *cancel, mg_report *out)
{
    const mg_goal *goal;
    mg_problems problems = {0};
    mg_world *world = mg_new(t->arena, mg_world);
    EXPECT_EQ(MG_OK, mg_goal_read(mg_str_of(yaml), MG_STR("t.yaml"), kinds, &mg_limits_default,
                                  t->arena, &goal, &problems));
    EXPECT_OK(mg_world_open(t->dir, t->arena, world, &t->err));
    const mg_view view = {.world = world,
                          .limits = &mg_limits_default,
                          .clock = &mg_clock_system,
                          .deadline_ms = UINT64_MAX,
                          .cancel = cancel};
    return mg_check_run(goal, &view, options, t->arena, out, &t->err);
}

static mg_report run(test *t, const char *yaml, mg_check_options options)
{
    mg_report report = {0};
    EXPECT_OK(run_with(t, yaml, &options, NULL, &report));
    return report;
}

TEST(a_goal_without_entries_is_unknown)
{
    EXPECT_EQ(MG_VERDICT_UNKNOWN, run(t, "goal: x", (mg_check_options){0}).verdict);
}

TEST(an_error_of_a_kind_is_unknown_with_its_sentence)
{
    const mg_report r = run(t, "assert: [{fast: error}, {sync: error}]", (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_STR("the disk is on fire", r.results[0].message);
    EXPECT_STR("no such means", r.results[1].message);
}

TEST(slow_entries_run_side_by_side_up_to_jobs)
{
    const char *yaml = "assert: [{slow: {what: pass, ms: 30}}, {slow: {what: pass, ms: 31}},"
                       " {slow: {what: pass, ms: 32}}, {slow: {what: pass, ms: 33}},"
                       " {slow: {what: pass, ms: 34}}, {slow: {what: pass, ms: 35}}]";
    EXPECT_EQ(MG_VERDICT_MET, run(t, yaml, (mg_check_options){.jobs = 3}).verdict);
    EXPECT_EQ(3, state.most_running);
    EXPECT_EQ(6, state.started);
}

TEST(jobs_of_the_goal_file_count_too)
{
    const char *yaml =
        "check: {jobs: 1}\nassert: [{slow: {what: pass, ms: 5}}, {slow: {what: fail, ms: 6}}]";
    EXPECT_EQ(MG_VERDICT_NOT_MET, run(t, yaml, (mg_check_options){0}).verdict);
    EXPECT_EQ(1, state.most_running);
}

TEST(results_keep_the_order_of_the_file)
{
    const char *yaml =
        "assert: [{slow: {what: pass, ms: 40}}, {fast: fail}, {slow: {what: unknown, ms: 1}}]";
    const mg_report r = run(t, yaml, (mg_check_options){0});
    EXPECT_EQ(MG_OUTCOME_PASS, r.results[0].outcome);
    EXPECT_EQ(MG_OUTCOME_FAIL, r.results[1].outcome);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[2].outcome);
    EXPECT(r.results[0].duration_us >= 30000);
}

TEST(what_answers_at_once_is_asked_when_nothing_else_is_open)
{
    state.pass_from_try = 1;
    const char *yaml =
        "assert: [{fast: probe}, {slow: {what: pass, ms: 20}},"
        " {all: [{fast: probe}, {slow: {what: pass, ms: 5, retry: {times: 1, every: 1ms}}}]}]";
    const mg_report r = run(t, yaml, (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict); /* `probe` passes only if nothing is running */
    EXPECT_EQ(2, state.evaluated);
}

TEST(what_a_group_changed_when_it_tried_again_is_seen)
{
    /* `before 2` passes only while fewer than two slow entries were started. The group starts its
     * second one after the file entry was asked for the first time. */
    state.pass_from_try = 3;
    const char *yaml =
        "assert: [{fast: before 2}, {all: [{slow: {what: pass, ms: 1}}, {fast: flaky}],"
        " retry: {times: 5, every: 1ms}}]";
    const mg_report r = run(t, yaml, (mg_check_options){0});
    EXPECT_EQ(MG_OUTCOME_PASS, r.results[1].outcome);
    EXPECT_EQ(2, state.started);
    EXPECT_EQ(MG_OUTCOME_FAIL, r.results[0].outcome);
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
}

TEST(the_time_in_the_queue_does_not_count)
{
    const char *yaml = "assert: [{slow: {what: pass, ms: 200}}, {slow: {what: pass, ms: 1}}]";
    const mg_report r = run(t, yaml, (mg_check_options){.jobs = 1});
    EXPECT(r.results[0].duration_us >= 190000);
    EXPECT(r.results[1].duration_us < 190000);
}

TEST(an_endless_deadline_is_no_deadline)
{
    const mg_report r = run(t, "assert: [{fast: pass}, {slow: {what: pass, ms: 1}}]",
                            (mg_check_options){.deadline_ms = UINT64_MAX});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
}

TEST(the_deadline_leaves_what_is_open_unknown_and_stops_it)
{
    const char *yaml = "assert: [{fast: pass}, {slow: {what: pass, ms: 90000}},"
                       " {all: [{slow: {what: pass, ms: 90001}}, {fast: pass}]}]";
    const mg_report r = run(t, yaml, (mg_check_options){.deadline_ms = 60});
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[0].outcome); /* it waited for the others */
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[1].outcome);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[2].outcome);
    EXPECT_CONTAINS(r.results[1].message, "deadline");
    EXPECT_EQ(2, state.stopped);
    EXPECT_EQ(0, state.running);
}

TEST(entries_that_wait_for_their_turn_at_the_deadline_are_unknown)
{
    const char *yaml = "assert: [{slow: {what: pass, ms: 90000}}, {slow: {what: pass, ms: 1}}]";
    const mg_report r = run(t, yaml, (mg_check_options){.deadline_ms = 40, .jobs = 1});
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[1].outcome);
    EXPECT_EQ(1, state.started);
}

TEST(a_retry_asks_again_until_it_passes)
{
    state.pass_from_try = 3;
    const mg_report r = run(t, "assert: [{fast: {what: flaky, retry: {times: 5, every: 5ms}}}]",
                            (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
    EXPECT_EQ(3, r.results[0].tries);
}

TEST(retries_end)
{
    state.pass_from_try = 100;
    const mg_report r = run(t, "assert: [{fast: {what: flaky, retry: {times: 2, every: 1ms}}}]",
                            (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
    EXPECT_EQ(3, state.evaluated);
}

TEST(unknown_is_retried_too)
{
    (void)run(t, "assert: [{fast: {what: error, retry: {times: 2, every: 1ms}}}]",
              (mg_check_options){0});
    EXPECT_EQ(3, state.evaluated);
}

TEST(a_group_retries_as_a_whole)
{
    state.pass_from_try = 5; /* two leaves a try: the third try is the first to hold */
    const mg_report r =
        run(t,
            "assert: [{all: [{fast: flaky}, {slow: {what: pass, ms: 1}}, {fast: {what: flaky}}],"
            " retry: {times: 9, every: 1ms}}]",
            (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
    EXPECT_EQ(3, r.results[0].tries);
    EXPECT_EQ(3, state.started);
}

TEST(the_deadline_ends_a_pause_and_the_last_answer_stands)
{
    const mg_report r = run(t, "assert: [{fast: {what: fail, retry: {times: 9, every: 1h}}}]",
                            (mg_check_options){.deadline_ms = 40});
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
}

TEST(fail_fast_stops_at_the_first_failure_and_leaves_the_rest_unknown)
{
    const char *yaml = "assert: [{fast: pass}, {fast: fail}, {fast: pass}, {all: [{fast: pass}]}]";
    const mg_report r = run(t, yaml, (mg_check_options){.fail_fast = true});
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[2].outcome);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[3].outcome);
    EXPECT_CONTAINS(r.results[2].message, "--fail-fast");
    EXPECT_EQ(2, state.evaluated);
}

TEST(fail_fast_stops_what_is_running)
{
    const char *yaml = "assert: [{slow: {what: pass, ms: 90000}}, {slow: {what: fail, ms: 5}}]";
    const mg_report r = run(t, yaml, (mg_check_options){.fail_fast = true});
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
    EXPECT_EQ(1, state.stopped);
}

TEST(a_failure_inside_any_is_not_a_failure_for_fail_fast)
{
    const mg_report r = run(t, "assert: [{any: [{fast: fail}, {fast: pass}]}, {fast: pass}]",
                            (mg_check_options){.fail_fast = true});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
}

TEST(only_selects_by_name_kind_and_glob)
{
    const char *yaml =
        "assert: [{fast: {what: fail, name: lint it}}, {fast: {what: pass, name: tests}},"
        " {sync: pass}]";
    mg_report r = run(t, yaml, (mg_check_options){.only = "tests"});
    EXPECT_EQ(1, r.result_count);
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
    EXPECT_EQ(2, r.left_out);
    EXPECT_EQ(1, run(t, yaml, (mg_check_options){.only = "sync"}).result_count);
    EXPECT_EQ(1, run(t, yaml, (mg_check_options){.only = "lint*"}).result_count);
}

TEST(only_that_selects_nothing_is_an_error)
{
    mg_report r = {0};
    const mg_check_options options = {.only = "nope"};
    EXPECT_EQ(MG_ERR_NOT_FOUND, run_with(t, "assert: [{fast: pass}]", &options, NULL, &r));
    EXPECT_ERR_CONTAINS("'nope'");
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
}

TEST(many_answers_that_come_at_once_do_not_use_up_the_stack)
{
    mg_buf yaml = mg_buf_new(t->arena, 8u << 20);
    mg_buf_adds(&yaml, "assert: [");
    for (int i = 0; i < 20000; i++)
        mg_buf_addf(&yaml, "%s{sync: {what: pass, ms: %d}}", i > 0 ? "," : "", i);
    mg_buf_adds(&yaml, "]");
    const mg_report r = run(t, mg_str_cstr(t->arena, mg_buf_str(&yaml)), (mg_check_options){0});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
}

TEST(waiting_evaluates_again_until_it_holds)
{
    state.pass_from_try = 3;
    const mg_report r =
        run(t, "assert: [{fast: flaky}]", (mg_check_options){.wait_ms = 5000, .every_ms = 5});
    EXPECT_EQ(MG_VERDICT_MET, r.verdict);
    EXPECT_EQ(3, state.evaluated);
}

TEST(waiting_ends_with_the_last_answer)
{
    const mg_report r = run(t, "assert: [{fast: fail}]",
                            (mg_check_options){.wait_ms = 40 * test_slowness(), .every_ms = 10});
    EXPECT_EQ(MG_VERDICT_NOT_MET, r.verdict);
    EXPECT(state.evaluated >= 2);
}

TEST(a_cancel_stops_what_is_running_and_gives_no_report)
{
    int fds[2];
    EXPECT_EQ(0, pipe2(fds, O_CLOEXEC));
    EXPECT_EQ(1, write(fds[1], "x", 1));
    const mg_cancel cancel = {.fd = fds[0]};
    mg_report r = {0};
    EXPECT_EQ(MG_ERR_CANCELLED, run_with(t, "assert: [{slow: {what: pass, ms: 90000}}]",
                                         &(mg_check_options){0}, &cancel, &r));
    EXPECT_EQ(1, state.stopped);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
}

TEST(a_cancel_ends_the_pause_of_waiting)
{
    int fds[2];
    EXPECT_EQ(0, pipe2(fds, O_CLOEXEC));
    EXPECT_EQ(1, write(fds[1], "x", 1));
    const mg_cancel cancel = {.fd = fds[0]};
    mg_report r = {0};
    const mg_check_options options = {.wait_ms = 600000, .every_ms = 600000};
    EXPECT_EQ(MG_ERR_CANCELLED, run_with(t, "assert: [{fast: fail}]", &options, &cancel, &r));
}

TEST(a_flag_set_before_it_begins_cancels_too)
{
    const mg_cancel cancel = {.asked = true, .fd = -1};
    mg_report r = {0};
    EXPECT_EQ(MG_ERR_CANCELLED,
              run_with(t, "assert: [{fast: pass}]", &(mg_check_options){0}, &cancel, &r));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
}

TEST(a_cancel_that_cannot_be_waited_for_is_told_not_ignored)
{
    test_write(t, "plain", MG_STR("a regular file never becomes readable"));
    const mg_cancel cancel = {.fd = openat(t->dir_fd, "plain", O_RDONLY | O_CLOEXEC)};
    mg_report r = {0};
    EXPECT_OK(
        run_with(t, "assert: [{slow: {what: pass, ms: 1}}]", &(mg_check_options){0}, &cancel, &r));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_CONTAINS(r.results[0].message, "cannot be waited for");
    (void)close(cancel.fd);
}

/* --- Beside the caller --- */

typedef struct beside {
    mg_loop *loop;
    mg_view view;
    const mg_goal *goal;
    mg_check *check;
    int told, ticks;
    mg_verdict verdict;
} beside;

static void beside_done(void *data, const mg_report *report)
{
    beside *b = data;
    b->told++;
    b->verdict = report->verdict;
}

static void beside_tick(void *data)
{
    beside *b = data;
    if (++b->ticks < 20)
        mg_timer_start(b->loop, 2, beside_tick, b);
}

static void beside_start(test *t, beside *b, const char *yaml)
{
    mg_problems problems = {0};
    mg_world *world = mg_new(t->arena, mg_world);
    EXPECT_EQ(MG_OK, mg_goal_read(mg_str_of(yaml), MG_STR("t.yaml"), kinds, &mg_limits_default,
                                  t->arena, &b->goal, &problems));
    EXPECT_OK(mg_world_open(t->dir, t->arena, world, &t->err));
    b->view = (mg_view){.world = world,
                        .limits = &mg_limits_default,
                        .clock = &mg_clock_system,
                        .deadline_ms = UINT64_MAX};
    EXPECT_OK(mg_loop_open(&b->loop, &t->err));
    const mg_check_options options = {.loop = b->loop, .no_retry = true};
    const mg_check_end end = {beside_done, b};
    EXPECT_OK(mg_check_start(b->goal, &b->view, &options, &end, t->arena, &b->check, &t->err));
    EXPECT_EQ(0, b->told); /* never from within start */
}

TEST(a_check_beside_the_caller_tells_its_end_once)
{
    beside b = {0};
    beside_start(t, &b, "assert: [{slow: {what: pass, ms: 20}}, {fast: pass}, {sync: pass}]");
    beside_tick(&b);
    while (b.told == 0)
        mg_loop_turn(b.loop);
    EXPECT_EQ(MG_VERDICT_MET, b.verdict);
    EXPECT(b.ticks > 1); /* the caller's own timers went on */
    while (b.ticks < 20)
        mg_loop_turn(b.loop);
    EXPECT_EQ(1, b.told);
    mg_loop_close(b.loop);
}

TEST(a_check_beside_the_caller_without_anything_slow_or_any_entry_ends_too)
{
    static const char *const yamls[] = {"assert: [{fast: fail}]", "goal: nothing"};
    static const mg_verdict wanted[] = {MG_VERDICT_NOT_MET, MG_VERDICT_UNKNOWN};
    for (size_t i = 0; i < MG_COUNT(yamls); i++) {
        beside b = {.verdict = MG_VERDICT_MET};
        beside_start(t, &b, yamls[i]);
        while (b.told == 0)
            mg_loop_turn(b.loop);
        EXPECT_EQ(wanted[i], b.verdict);
        mg_loop_close(b.loop);
    }
}

TEST(a_check_that_is_stopped_tells_nothing_and_leaves_nothing_running)
{
    beside b = {0};
    beside_start(t, &b, "assert: [{slow: {what: pass, ms: 10}}, {slow: {what: pass, ms: 5000}}]");
    mg_check_stop(b.check);
    beside_tick(&b);
    while (b.ticks < 20)
        mg_loop_turn(b.loop);
    EXPECT_EQ(0, b.told);
    EXPECT_EQ(0, state.running);
    mg_loop_close(b.loop);
}

TEST(without_retries_each_entry_is_asked_once)
{
    state.pass_from_try = 2;
    const char *yaml = "assert: [{fast: {what: flaky, retry: {times: 3, every: 1ms}}}]";
    EXPECT_EQ(MG_VERDICT_NOT_MET, run(t, yaml, (mg_check_options){.no_retry = true}).verdict);
    EXPECT_EQ(1, state.evaluated);
    EXPECT_EQ(MG_VERDICT_MET, run(t, yaml, (mg_check_options){0}).verdict);
}
