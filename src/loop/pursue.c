/* pursue.c - attempt, barrier, feedback, again. */
#include "loop/pursue.h"

#include "agent/agent.h"
#include "io/loop.h"

typedef struct pursuing {
    const mg_drive_request *request;
    const mg_drive_options *options;
    mg_loop *loop;
    mg_arena *arena; /* of the attempt under way */
    mg_agent_run *run;
    mg_timer *poll;
    mg_watch *cancel;
    mg_try_result result; /* of the attempt, in the caller's own types */
    mg_agent_end end;
    bool over, watched, cancelled;
} pursuing;

/* --- The attempt, on its thread --- */

static const mg_terminal terminals[] = {
    [MG_END_UNKNOWN] = MG_TERMINAL_ERROR,
    [MG_END_COMPLETED] = MG_TERMINAL_COMPLETED,
    [MG_END_MAX_ITERATIONS] = MG_TERMINAL_MAX_ITERATIONS,
    [MG_END_CANCELLED] = MG_TERMINAL_CANCELLED,
    [MG_END_TIMEOUT] = MG_TERMINAL_TIMEOUT,
    [MG_END_ERROR] = MG_TERMINAL_ERROR,
};

static const mg_end ends[] = {
    [MG_TERMINAL_NONE] = MG_END_UNKNOWN,
    [MG_TERMINAL_COMPLETED] = MG_END_COMPLETED,
    [MG_TERMINAL_MAX_ITERATIONS] = MG_END_MAX_ITERATIONS,
    [MG_TERMINAL_CANCELLED] = MG_END_CANCELLED,
    [MG_TERMINAL_TIMEOUT] = MG_END_TIMEOUT,
    [MG_TERMINAL_ERROR] = MG_END_ERROR,
};

/* Runs on the attempt's thread, which may outlive us where it does not stop, and may even begin
 * only then: it touches what it was handed, and frees it. */
static void call_attempt(void *data, const mg_agent_request *given, int cancel_fd,
                         mg_agent_end *out)
{
    const mg_drive_request request = *(mg_drive_request *)data;
    free(data);
    const mg_try call = {.size = sizeof call,
                         .number = given->number,
                         .prompt = given->prompt.ptr,
                         .messages = given->messages,
                         .cancel_fd = cancel_fd};
    mg_try_result result = {.size = sizeof result};
    request.attempt(request.attempt_data, &call, &result);
    const bool known = (size_t)result.end < MG_COUNT(terminals);
    out->terminal = known ? terminals[result.end] : MG_TERMINAL_ERROR;
    out->response = mg_str_of(result.text);
    out->error = mg_str_of(result.error);
    out->messages = result.messages;
}

/* --- While it runs --- */

static void on_ended(void *data, const mg_agent_end *end)
{
    pursuing *p = data;
    p->end = *end;
    p->over = true;
}

static void ask_probe(void *data)
{
    pursuing *p = data;
    const mg_watcher *w = p->request->watcher;
    p->poll = NULL;
    if (p->over || p->watched)
        return;
    if (w->probe(w->data) == 1) {
        p->watched = true;
        mg_agent_stop(p->run);
    } else {
        p->poll = mg_timer_start(p->loop, w->every_ms > 0 ? w->every_ms : 100, ask_probe, p);
    }
}

static void on_cancel(void *data, int ready)
{
    (void)ready;
    pursuing *p = data;
    p->cancelled = true;
    mg_watch_stop(p->cancel);
    p->cancel = NULL;
    if (p->run != NULL && !p->over)
        mg_agent_stop(p->run);
}

static mg_status run_attempt(pursuing *p, const mg_agent_request *request, mg_err *err)
{
    const mg_agent_calls calls = {.ended = on_ended, .data = p};
    mg_drive_request *handed = malloc(sizeof *handed);
    if (handed == NULL)
        abort(); /* out of memory, as in the arena */
    *handed = *p->request;
    const mg_agent_function function = {call_attempt, handed, "a C function"};
    const mg_agent *agent = mg_agent_of_function(&function, p->arena);
    const bool watched = p->request->watcher != NULL && p->request->watcher->probe != NULL;
    p->over = p->watched = false;
    const mg_status s = mg_agent_start(agent, p->loop, request, &calls, p->arena, &p->run, err);
    if (s != MG_OK) {
        free(handed);
        return s;
    }
    if (p->cancelled)
        mg_agent_stop(p->run);
    if (watched)
        p->poll = mg_timer_start(p->loop, 0, ask_probe, p);
    while (!p->over)
        mg_loop_turn(p->loop);
    mg_timer_stop(p->poll);
    p->poll = NULL;
    p->run = NULL;
    return MG_OK;
}

/* --- The barrier --- */

static void decide(pursuing *p, mg_decision *decision)
{
    const mg_aim *goal = p->request->goal;
    if (goal == NULL) {
        mg_undecided(decision, "there is no goal, so nothing is proved");
    } else if (goal->decide != NULL) {
        goal->decide(goal->data, &p->result, decision);
        if (decision->what != MG_DECIDED_DONE && decision->what != MG_DECIDED_RETRY)
            decision->what = MG_DECIDED_NOTHING;
    } else {
        const int holds = goal->holds != NULL ? goal->holds(goal->data) : -1;
        if (holds == 1)
            mg_done(decision);
        else if (holds == 0)
            mg_retry(decision, goal->feedback_fn != NULL ? goal->feedback_fn(goal->data, &p->result)
                                                         : goal->feedback);
        else
            mg_undecided(decision, "the goal could not be asked");
    }
}

static void tell(const pursuing *p, unsigned number, const mg_decision *decision)
{
    const mg_attempt seen = {
        .terminal = p->watched ? MG_TERMINAL_CANCELLED : p->end.terminal,
        .verdict = decision->what == MG_DECIDED_DONE    ? MG_VERDICT_MET
                   : decision->what == MG_DECIDED_RETRY ? MG_VERDICT_NOT_MET
                                                        : MG_VERDICT_UNKNOWN,
    };
    const mg_attempt_report report = {.size = sizeof report,
                                      .number = number,
                                      .label = mg_attempt_label(&seen),
                                      .end = ends[seen.terminal],
                                      .watched = p->watched,
                                      .decided = decision->what,
                                      .feedback = decision->feedback};
    if (p->options->on_attempt != NULL)
        p->options->on_attempt(p->options->on_attempt_data, &report);
}

/* --- Round and round --- */

static void end_with(mg_drive_outcome *outcome, mg_drive_status status, const char *why)
{
    outcome->status = status;
    const int room = (int)sizeof outcome->error - 1;
    (void)snprintf(outcome->error, sizeof outcome->error, "%.*s", room, why != NULL ? why : "");
}

/* Whether the attempt itself went wrong so badly that no goal is asked. */
static bool broken(const pursuing *p, mg_drive_outcome *outcome)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    if (p->end.whole)
        return false;
    end_with(outcome, MG_DRIVE_ERRORED, mg_str_cstr(scratch, p->end.why));
    return true;
}

static void settle(const pursuing *p, const mg_decision *decision, unsigned errors, bool last,
                   mg_drive_outcome *outcome)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    if (p->cancelled) { /* it stays visible, whatever the goal says */
        end_with(outcome, MG_DRIVE_CANCELLED, "cancelled");
    } else if (decision->what == MG_DECIDED_DONE) {
        end_with(outcome, MG_DRIVE_SUCCEEDED, NULL);
        outcome->verified = p->request->goal != NULL && p->request->goal->looks_at_world == 1;
    } else if (errors >= 2 || (errors > 0 && p->request->goal == NULL)) {
        end_with(outcome, MG_DRIVE_ERRORED,
                 p->end.error.len > 0 ? mg_str_cstr(scratch, p->end.error) : "the attempt failed");
    } else if (decision->what != MG_DECIDED_RETRY) {
        end_with(outcome, MG_DRIVE_GAVE_UP, decision->feedback);
    } else if (last) {
        end_with(outcome, MG_DRIVE_GAVE_UP, NULL);
    }
}

static mg_status go_round(pursuing *p, const mg_clock *clock, mg_drive_outcome *outcome,
                          mg_err *err)
{
    const uint64_t began = mg_clock_ms(clock), time_ms = p->options->time_ms;
    const unsigned most = MG_MAX(p->options->max_attempts, 1u);
    MG_AUTO(mg_arena) texts = mg_arena_new(NULL);
    mg_str prompt = mg_str_of(p->request->prompt);
    unsigned errors = 0;
    while (outcome->status == MG_DRIVE_UNKNOWN) {
        MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
        const uint64_t spent = mg_clock_ms(clock) - began;
        const uint64_t left = time_ms == 0 ? 0 : time_ms > spent ? time_ms - spent : 1;
        const uint64_t own = p->options->attempt_timeout_ms;
        const mg_agent_request request = {
            .number = outcome->attempts + 1,
            .prompt = prompt,
            .timeout_ms = own > 0 && left > 0 ? MG_MIN(own, left) : MG_MAX(own, left),
            .drain_ms = p->options->drain_timeout_ms > 0 ? p->options->drain_timeout_ms : 5000,
            .messages = outcome->messages,
        };
        mg_decision decision = {0};
        p->arena = arena;
        MG_TRY(run_attempt(p, &request, err));
        outcome->attempts++;
        outcome->messages = p->end.messages;
        p->result = (mg_try_result){.size = sizeof p->result,
                                    .end = p->watched ? MG_END_CANCELLED : ends[p->end.terminal],
                                    .text = mg_str_cstr(arena, p->end.response),
                                    .error = mg_str_cstr(arena, p->end.error),
                                    .messages = p->end.messages};
        if (broken(p, outcome)) {
            tell(p, outcome->attempts, &decision);
            return MG_OK;
        }
        decide(p, &decision);
        tell(p, outcome->attempts, &decision);
        errors = p->end.terminal == MG_TERMINAL_ERROR && !p->watched ? errors + 1 : 0;
        const bool out_of_time = time_ms > 0 && mg_clock_ms(clock) - began >= time_ms;
        settle(p, &decision, errors, outcome->attempts >= most || out_of_time, outcome);
        if (decision.feedback[0] != '\0')
            prompt = mg_str_copy(texts, mg_str_of(decision.feedback));
    }
    return MG_OK;
}

mg_status mg_pursue(const mg_drive_request *request, const mg_drive_options *options,
                    const mg_clock *clock, mg_drive_outcome *outcome, mg_err *err)
{
    MG_AUTO(mg_loop) loop = NULL;
    MG_TRY(mg_loop_open(&loop, err));
    pursuing p = {.request = request, .options = options, .loop = loop};
    if (options->cancel_fd >= 0) {
        p.cancel = mg_watch_start(loop, options->cancel_fd, MG_READABLE, on_cancel, &p, err);
        if (p.cancel == NULL)
            return MG_ERR_SYSTEM;
    }
    const mg_status s = go_round(&p, clock, outcome, err);
    mg_watch_stop(p.cancel);
    return s;
}
