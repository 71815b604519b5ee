/* function.c - an attempt by a C function, on a thread of its own.
 *
 * A thread cannot be ended from outside. So the function is asked (its cancel descriptor becomes
 * readable) and waited for as long as the drain time lasts; one that does not return by then ends
 * as an error, and as not whole: what it may still do is nobody's to say. What the thread uses
 * lives in a block that both sides hold, and the last one frees.
 */
#include "agent/kinds.h"
#include "base/fs.h"
#include "data/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

typedef struct shared {
    pthread_mutex_t lock;
    pthread_cond_t over;
    unsigned holders; /* the thread, and the run */
    bool returned;
    mg_arena *arena; /* of the request's copy */
    mg_agent_function function;
    mg_agent_request request;
    mg_world world;
    mg_agent_end end;
    int cancel[2], done[2]; /* pipes: ours writes the first and reads the second */
} shared;

typedef struct call_run {
    mg_agent_run run;
    mg_loop *loop;
    mg_tenant tenant;
    shared *shared; /* NULL: it is over */
    mg_watch *watch;
    mg_timer *deadline, *drain;
    mg_arena *arena;
    mg_agent_calls calls;
    uint64_t timeout_ms, drain_ms;
    bool stopped, timed_out;
} call_run;

/* --- What both sides hold --- */

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            (void)close(pair[i]);
}

static void let_go(shared *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool last = --s->holders == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (!last)
        return;
    close_pair(s->cancel);
    close_pair(s->done);
    (void)pthread_cond_destroy(&s->over);
    (void)pthread_mutex_destroy(&s->lock);
    mg_arena *arena = s->arena;
    mg_arena_free(arena);
}

static void *on_thread(void *data)
{
    shared *s = data;
    s->function.run(s->function.data, &s->request, s->cancel[0], &s->end);
    (void)pthread_mutex_lock(&s->lock);
    s->returned = true;
    (void)pthread_cond_broadcast(&s->over);
    (void)pthread_mutex_unlock(&s->lock);
    (void)!write(s->done[1], "", 1); /* a pipe of ours with one byte in it: it fits */
    let_go(s);
    return NULL;
}

static shared *shared_new(const mg_agent_function *function, const mg_agent_request *request)
{
    mg_arena *arena = mg_arena_new(NULL);
    shared *s = mg_new(arena, shared);
    pthread_condattr_t monotonic;
    s->arena = arena;
    s->holders = 1;
    s->function = *function;
    s->request = *request;
    s->request.prompt = mg_str_copy(arena, request->prompt);
    s->request.goal = mg_str_copy(arena, request->goal);
    s->request.feedback = mg_str_copy(arena, request->feedback);
    s->request.session = mg_str_copy(arena, request->session);
    if (request->world != NULL) {
        s->world = *request->world;
        s->world.root_path = mg_str_copy(arena, request->world->root_path);
        s->request.world = &s->world;
    }
    s->cancel[0] = s->cancel[1] = s->done[0] = s->done[1] = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->over, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    return s;
}

/* --- The end --- */

static void ask_to_stop(const shared *s)
{
    (void)!write(s->cancel[1], "", 1); /* once or twice: it fits */
}

/* Everything but what is shared. */
static void release(call_run *run)
{
    mg_loop_leave(&run->tenant);
    mg_watch_stop(run->watch);
    mg_timer_stop(run->deadline);
    mg_timer_stop(run->drain);
    run->watch = NULL;
    run->deadline = run->drain = NULL;
}

static mg_terminal terminal_of(const call_run *run, const mg_agent_end *said)
{
    if (run->timed_out)
        return MG_TERMINAL_TIMEOUT;
    if (run->stopped)
        return MG_TERMINAL_CANCELLED;
    if (said->terminal != MG_TERMINAL_NONE)
        return said->terminal;
    return said->error.len > 0 ? MG_TERMINAL_ERROR : MG_TERMINAL_COMPLETED;
}

/* Only what a function may say of itself; whether it is whole was seen here. */
static void returned(void *data, int ready)
{
    (void)ready;
    call_run *run = data;
    shared *s = run->shared;
    (void)pthread_mutex_lock(&s->lock);
    const mg_agent_end said = s->end;
    (void)pthread_mutex_unlock(&s->lock);
    mg_agent_end end = {
        .terminal = terminal_of(run, &said),
        .whole = true,
        .response = mg_str_copy(run->arena, mg_str_first(said.response, MG_READ_TEXT_MAX)),
        .response_cut = said.response_cut || said.response.len > MG_READ_TEXT_MAX,
        .error = mg_str_copy(run->arena, mg_str_first(said.error, MG_READ_ERROR_MAX)),
        .errors = said.errors || said.error.len > 0 || said.terminal == MG_TERMINAL_ERROR,
        .fatal = said.fatal,
        .usage = said.usage,
        .silent = said.response.len == 0,
        .messages = said.messages,
    };
    release(run);
    run->shared = NULL;
    let_go(s);
    run->calls.ended(run->calls.data, &end);
}

static void did_not_stop(void *data)
{
    call_run *run = data;
    shared *s = run->shared;
    run->drain = NULL;
    const mg_str why = mg_strf(run->arena,
                               "the function '%s' did not stop within " MG_FMT
                               " after it was asked to; it may still be changing things",
                               s->function.name != NULL ? s->function.name : "attempt",
                               MG_ARG(mg_duration_text(run->arena, run->drain_ms)));
    const mg_agent_end end = {.terminal = MG_TERMINAL_ERROR,
                              .whole = false,
                              .why = why,
                              .error = why,
                              .errors = true,
                              .silent = true};
    release(run);
    run->shared = NULL;
    let_go(s);
    run->calls.ended(run->calls.data, &end);
}

static void wind_down(call_run *run)
{
    if (run->shared == NULL || run->drain != NULL)
        return;
    ask_to_stop(run->shared);
    run->drain = mg_timer_start(run->loop, run->drain_ms, did_not_stop, run);
}

static void time_is_up(void *data)
{
    call_run *run = data;
    run->deadline = NULL;
    run->timed_out = !run->stopped;
    wind_down(run);
}

static void stop(mg_agent_run *base)
{
    call_run *run = (call_run *)base;
    run->stopped = run->stopped || !run->timed_out;
    wind_down(run);
}

/* The function gets its drain time here as well: its data may be gone right after. */
static void end_run(mg_agent_run *base)
{
    call_run *run = (call_run *)base;
    shared *s = run->shared;
    if (s == NULL)
        return;
    release(run);
    run->shared = NULL;
    ask_to_stop(s);
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(run->drain_ms / 1000);
    until.tv_nsec += (long)(run->drain_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    (void)pthread_mutex_lock(&s->lock);
    while (!s->returned && pthread_cond_timedwait(&s->over, &s->lock, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&s->lock);
    let_go(s);
}

static void close_run(void *run)
{
    end_run(run);
}

/* --- The start --- */

static mg_status open_pipes(shared *s, mg_err *err)
{
    if (pipe2(s->cancel, O_CLOEXEC) < 0 || pipe2(s->done, O_CLOEXEC) < 0)
        return mg_fail_errno(err, "a pipe for the function '%s'", s->function.name);
    return MG_OK;
}

/* The embedder's signals are not for the thread. */
static mg_status start_thread(shared *s, mg_err *err)
{
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    s->holders++;
    const int rc = pthread_create(&thread, NULL, on_thread, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        s->holders--;
        errno = rc;
        return mg_fail_errno(err, "a thread for the function '%s'", s->function.name);
    }
    (void)pthread_detach(thread);
    return MG_OK;
}

static mg_status start_watching(call_run *run, mg_err *err)
{
    run->watch = mg_watch_start(run->loop, run->shared->done[0], MG_READABLE, returned, run, err);
    return run->watch != NULL ? MG_OK : MG_ERR_SYSTEM;
}

static mg_status start(const mg_agent *agent, mg_loop *loop, const mg_agent_request *request,
                       const mg_agent_calls *calls, mg_arena *arena, mg_agent_run **out,
                       mg_err *err)
{
    call_run *run = mg_new(arena, call_run);
    run->run.kind = &mg_agent_call;
    run->loop = loop;
    run->arena = arena;
    run->calls = *calls;
    run->timeout_ms = request->timeout_ms;
    run->drain_ms = request->drain_ms;
    run->shared = shared_new(&agent->function, request);
    mg_status s = open_pipes(run->shared, err);
    s = s == MG_OK ? start_watching(run, err) : s;
    s = s == MG_OK ? start_thread(run->shared, err) : s;
    if (s != MG_OK) {
        release(run);
        let_go(run->shared);
        return s;
    }
    run->tenant = (mg_tenant){.evict = close_run, .data = run};
    mg_loop_join(loop, &run->tenant);
    if (run->timeout_ms > 0)
        run->deadline = mg_timer_start(loop, run->timeout_ms, time_is_up, run);
    mg_arena_on_free(arena, close_run, run);
    *out = &run->run;
    return MG_OK;
}

const mg_agent_kind mg_agent_call = {.start = start, .stop = stop, .end = end_run};

const mg_agent *mg_agent_of_function(const mg_agent_function *function, mg_arena *arena)
{
    mg_agent *agent = mg_new(arena, mg_agent);
    agent->kind = &mg_agent_call;
    agent->name = function->name != NULL ? function->name : "function";
    agent->function = *function;
    agent->function.name = agent->name;
    return agent;
}
