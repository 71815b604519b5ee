/* wait.c - evaluating again and again, until the goal holds or the time is up. */
#include "check/check.h"

typedef struct nap {
    bool over, interrupted;
} nap;

static void nap_over(void *data)
{
    ((nap *)data)->over = true;
}

static void nap_interrupted(void *data, int ready)
{
    (void)ready;
    ((nap *)data)->interrupted = true;
}

mg_status mg_check_pause(const mg_view *view, uint64_t ms, mg_err *err)
{
    nap n = {0};
    MG_AUTO(mg_loop) loop = NULL;
    mg_watch *watch = NULL;
    MG_TRY(mg_loop_open(&loop, err));
    mg_timer *timer = mg_timer_start(loop, ms, nap_over, &n);
    if (view->cancel != NULL && view->cancel->fd >= 0)
        watch = mg_watch_start(loop, view->cancel->fd, MG_READABLE, nap_interrupted, &n, err);
    while (!n.over && !n.interrupted)
        mg_loop_turn(loop);
    if (!n.over)
        mg_timer_stop(timer);
    mg_watch_stop(watch);
    if (n.interrupted)
        return mg_fail(err, MG_ERR_CANCELLED, "the check was interrupted");
    return MG_OK;
}

mg_status mg_check_run(const mg_goal *goal, const mg_view *view, const mg_check_options *options,
                       mg_arena *arena, mg_report *out, mg_err *err)
{
    const uint64_t began_ns = mg_clock_ns(view->clock);
    const uint64_t every = options->every_ms > 0 ? options->every_ms : 1000;
    for (mg_arena *round = NULL;;) {
        mg_arena_free(round);
        round = mg_arena_new(arena);
        mg_report report = {0};
        MG_TRY(mg_check_once(goal, view, options, round, &report, err));
        const uint64_t waited_ns = mg_clock_ns(view->clock) - began_ns;
        const uint64_t waited = waited_ns / 1000000;
        const bool hopeless = report.result_count == 0; /* waiting cannot bring an entry */
        if (report.verdict == MG_VERDICT_MET || waited >= options->wait_ms || hopeless) {
            report.duration_us = waited_ns / 1000;
            *out = report;
            return MG_OK;
        }
        MG_TRY(mg_check_pause(view, MG_MIN(every, options->wait_ms - waited), err));
    }
}
