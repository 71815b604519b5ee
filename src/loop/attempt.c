/* attempt.c - one run of the agent: told what is missing, watched, ended for certain. */
#include "base/vec.h"
#include "loop/state.h"

enum { KEPT_BYTES = 64 * 1024 }; /* of an agent's last words */

typedef struct running {
    mg_driver *drive;
    mg_attempt *attempt;
    mg_agent_run *run;
    mg_watch *cancel_watch;
    mg_agent_end end;
    bool over;
} running;

static void on_output(void *data, int stream, mg_str bytes)
{
    running *r = data;
    mg_drive_tell(r->drive, (mg_event){.type = MG_EVENT_OUTPUT,
                                       .attempt = r->attempt,
                                       .stream = stream,
                                       .bytes = bytes});
}

static void on_ended(void *data, const mg_agent_end *end)
{
    running *r = data;
    r->end = *end;
    r->over = true;
}

/* The goal holds: nothing the agent still does can be needed. Whether it is met is decided later,
 * at the barrier. */
static void on_goal_held(void *data)
{
    running *r = data;
    if (r->over)
        return;
    r->attempt->watched = true;
    mg_agent_stop(r->run);
}

static void on_cancel(void *data, int ready)
{
    (void)ready;
    running *r = data;
    mg_watch_stop(r->cancel_watch);
    r->cancel_watch = NULL;
    if (!r->over)
        mg_agent_stop(r->run);
}

static mg_str prompt_for(mg_driver *d, bool resume)
{
    mg_strs protect = {0};
    for (size_t i = 0; d->o->protect != NULL && i < d->o->protect->count; i++)
        mg_strs_add(d->arena, &protect, d->o->protect->items[i]);
    if (d->o->goal_path.len > 0)
        mg_strs_add(d->arena, &protect, d->o->goal_path);
    const mg_prompt_facts facts = {
        .goal = d->o->goal,
        .protect = &protect,
        .attempts = d->p->attempts,
        .attempt_count = d->p->attempt_count - 1, /* the newest is the one to come */
        .mode = resume                             ? MG_CONTEXT_RESUME
                : d->o->context == MG_CONTEXT_NONE ? MG_CONTEXT_NONE
                                                   : MG_CONTEXT_HISTORY,
    };
    return mg_prompt_make(&facts, d->arena);
}

static mg_agent_request request_for(mg_driver *d, const mg_attempt *attempt, bool resume)
{
    const uint64_t left = MG_MAX(mg_drive_left_ms(d), (uint64_t)1);
    const uint64_t own = d->o->attempt_timeout_ms;
    return (mg_agent_request){
        .number = attempt->number,
        .prompt = prompt_for(d, resume),
        .goal = d->o->goal->goal,
        .feedback = d->p->attempt_count > 1 ? (attempt - 1)->gap.text : MG_STR(""),
        .session = resume ? d->session : MG_STR(""),
        .world = &d->world,
        .timeout_ms = own > 0 ? MG_MIN(own, left) : left,
        .drain_ms = d->o->drain_ms,
        .hold = d->root_lock,
        .messages = d->messages,
    };
}

/* Turns the loop until the agent is over; what it waits for beside it is stopped on every way. */
static mg_status wait_for_end(running *r, mg_arena *scratch, mg_err *err)
{
    mg_driver *d = r->drive;
    mg_goal_watch *watcher = NULL;
    const mg_evidence evidence = {.baseline = d->named, .baseline_count = d->named_count};
    const mg_view view = {.world = &d->world,
                          .attempt = &evidence,
                          .limits = d->o->limits,
                          .clock = d->o->clock,
                          .deadline_ms = UINT64_MAX,
                          .programs = d->programs,
                          .began_ms = d->p->created_ms,
                          .supervisor = d->o->supervisor};
    r->cancel_watch = mg_watch_start(d->loop, d->cancel.fd, MG_READABLE, on_cancel, r, err);
    if (r->cancel_watch == NULL)
        return MG_ERR_SYSTEM;
    if (d->o->watch &&
        mg_goal_watch_start(d, &view, on_goal_held, r, scratch, &watcher, err) != MG_OK)
        r->attempt->note = mg_strf(d->arena, "not watched: %s", err->text); /* it ends by itself */
    while (!r->over)
        mg_loop_turn(d->loop);
    mg_goal_watch_stop(watcher);
    mg_watch_stop(r->cancel_watch);
    return MG_OK;
}

static mg_status run_once(mg_driver *d, mg_attempt *attempt, bool resume, mg_arena *arena,
                          mg_agent_end *end, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    running r = {.drive = d, .attempt = attempt};
    const mg_agent_request request = request_for(d, attempt, resume);
    const mg_agent_calls calls = {.output = on_output, .ended = on_ended, .data = &r};
    const bool again = end->resume_failed;
    if (!again) /* it is still the same attempt */
        mg_drive_tell(d, (mg_event){.type = MG_EVENT_ATTEMPT_STARTED,
                                    .attempt = attempt,
                                    .prompt = request.prompt});
    mg_drive_phase(d, attempt, "agent");
    MG_TRY(mg_agent_start(d->o->agent, d->loop, &request, &calls, arena, &r.run, err));
    const mg_status s = wait_for_end(&r, scratch, err);
    if (s != MG_OK) {
        mg_agent_free(r.run);
        return s;
    }
    *end = r.end;
    return MG_OK;
}

/* The end of what it said, whole characters: the record is kept for ever. */
static mg_str tail_of(mg_str text, mg_arena *arena)
{
    mg_str tail = mg_str_from(text, text.len > KEPT_BYTES ? text.len - KEPT_BYTES : 0);
    while (tail.len < text.len && tail.len > 0 && ((unsigned char)tail.ptr[0] & 0xc0) == 0x80)
        tail = mg_str_from(tail, 1);
    return mg_str_copy(arena, tail);
}

static void record(mg_driver *d, const mg_agent_end *end, mg_attempt *attempt)
{
    attempt->terminal = attempt->watched ? MG_TERMINAL_CANCELLED : end->terminal;
    attempt->has_exit = end->has_exit;
    attempt->exit_code = end->exit_code;
    attempt->usage = end->usage;
    attempt->session = mg_str_copy(d->arena, end->session);
    attempt->response = tail_of(end->response, d->arena);
    attempt->error = mg_str_copy(d->arena, end->error);
    attempt->leftovers = end->leftovers;
    attempt->counted = !end->rate_limited;
    if (end->session.len > 0)
        d->session = attempt->session;
    d->messages = end->messages;
}

mg_status mg_attempt_run(mg_driver *d, mg_attempt *attempt, mg_arena *arena, mg_agent_end *end,
                         mg_err *err)
{
    const uint64_t began = mg_clock_ms(d->o->clock);
    const bool first = d->p->attempt_count == 1;
    const bool wanted = d->o->context == MG_CONTEXT_RESUME && !first;
    const bool resume = wanted && d->session.len > 0;
    if (wanted && !resume)
        attempt->note = MG_STR("the agent told no session to resume; the history was sent instead");
    MG_TRY(run_once(d, attempt, resume, arena, end, err));
    if (resume && end->resume_failed && !mg_drive_cancelled(d)) {
        attempt->note = MG_STR("the session could not be resumed; the history was sent instead");
        d->session = MG_STR("");
        MG_TRY(run_once(d, attempt, false, arena, end, err));
    }
    record(d, end, attempt);
    attempt->duration_ms = mg_clock_ms(d->o->clock) - began;
    return MG_OK;
}
