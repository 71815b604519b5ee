/* services.c - servers that are started for the verification and ended after it.
 *
 * The agent's own processes are gone when the world is judged, so a goal about a server needs it
 * started by us. Each runs under the supervisor, in the directory and environment that a command
 * of the goal would get, and is asked again and again until its `ready` entry passes.
 */
#include "check/command.h"
#include "data/text.h"
#include "loop/state.h"

#include <fcntl.h>

enum {
    ASK_EVERY_MS = 50,
    TAIL_BYTES = 2000,
    DRAIN_MS = 2000,
    SHOWN_BYTES = 200,
};

typedef struct service {
    mg_services *all;
    const mg_args *args;
    mg_supervised *process; /* NULL: it is over */
    bool over;
    bool fell; /* it ended by itself: what was looked at from then on was not the service */
    char tail[TAIL_BYTES]; /* a ring of the last bytes it printed */
    uint64_t printed;
} service;

struct mg_services {
    mg_driver *drive;
    service *items;
    size_t count;
};

static void on_output(void *data, int stream, mg_str bytes)
{
    (void)stream;
    service *s = data;
    for (size_t i = 0; i < bytes.len; i++)
        s->tail[s->printed++ % TAIL_BYTES] = bytes.ptr[i];
}

static void on_ended(void *data, const mg_supervised_end *end)
{
    service *s = data;
    s->over = true;
    s->fell = !end->stopped;
    s->process = NULL;
}

static mg_str tail_text(const service *s, mg_arena *arena)
{
    const uint64_t kept = MG_MIN(s->printed, (uint64_t)TAIL_BYTES);
    mg_buf text = mg_buf_new(arena, TAIL_BYTES);
    for (uint64_t i = s->printed - kept; i < s->printed; i++)
        mg_buf_addc(&text, s->tail[i % TAIL_BYTES]);
    return mg_text_clean(arena, mg_buf_str(&text));
}

static mg_status start(service *s, mg_arena *arena, mg_err *err)
{
    mg_driver *d = s->all->drive;
    const mg_value *env = mg_arg(s->args, "env");
    const mg_str where = mg_arg_text(s->args, "cwd");
    MG_AUTO_FD cwd = mg_open_beneath(d->world.root, where, O_RDONLY | O_DIRECTORY);
    if (cwd < 0)
        return mg_fail_errno(err, "directory '" MG_FMT "'", MG_ARG(where));
    const mg_supervise_options options = {
        .supervisor = d->o->supervisor,
        .argv = mg_command_argv(mg_arg(s->args, "run"), arena),
        .env =
            mg_environment(d->world.environ, env->env.items, env->set ? env->env.count : 0, arena),
        .cwd = cwd,
        .drain_ms = DRAIN_MS,
        .hold = d->root_lock,
        .output = on_output,
        .ended = on_ended,
        .data = s,
    };
    return mg_supervise_start(d->loop, &options, &s->process, err);
}

/* One look at the `ready` entry; without one it is ready as soon as it runs. */
static mg_status ask_ready(const service *s, const mg_view *view, mg_arena *arena, bool *ready,
                           mg_err *err)
{
    const mg_value *entry = mg_arg(s->args, "ready");
    *ready = !entry->set;
    if (!entry->set)
        return MG_OK;
    const mg_goal goal = {.entries = entry->entries,
                          .assert_count = entry->entries.count,
                          .jobs = 1,
                          .deadline_ms = mg_arg_amount(s->args, "timeout")};
    const mg_check_options options = {.no_retry = true, .loop = s->all->drive->loop};
    mg_report report = {0};
    MG_TRY(mg_check_once(&goal, view, &options, arena, &report, err));
    *ready = report.result_count > 0 && report.results[0].outcome == MG_OUTCOME_PASS;
    return MG_OK;
}

/* Whether somebody else answers where the service is to: then nothing that is seen there later is
 * the service's. Files may stay from the last time. */
static mg_status ask_foreign(const service *s, const mg_view *view, mg_arena *arena,
                             mg_str *trouble, mg_err *err)
{
    const mg_value *entry = mg_arg(s->args, "ready");
    bool ready = false, asks_net = false;
    for (size_t i = 0; entry->set && i < entry->entries.count; i++)
        asks_net = asks_net || (mg_entry_waits(entry->entries.items[i]) &&
                                !mg_entry_runs(entry->entries.items[i]));
    if (!asks_net)
        return MG_OK;
    MG_AUTO(mg_arena) scratch = mg_arena_new(arena);
    MG_TRY(ask_ready(s, view, scratch, &ready, err));
    s->all->drive->service_taken = ready;
    if (ready)
        *trouble = mg_strf(arena,
                           "the service '" MG_FMT "' seems to be ready before it was started: "
                           "something else answers there; end that first",
                           MG_ARG(mg_command_line(mg_arg(s->args, "run"), SHOWN_BYTES, arena)));
    return MG_OK;
}

static void woke(void *data)
{
    *(bool *)data = true;
}

static void pause_for(mg_loop *loop, uint64_t ms)
{
    bool over = false;
    mg_timer_start(loop, ms, woke, &over);
    while (!over)
        mg_loop_turn(loop);
}

static mg_status wait_ready(service *s, const mg_view *view, mg_arena *arena, mg_str *trouble,
                            mg_err *err)
{
    mg_driver *d = s->all->drive;
    const uint64_t limit = mg_arg_amount(s->args, "timeout");
    const uint64_t until = mg_loop_now_ms(d->loop) + limit;
    bool ready = false;
    while (!s->over) {
        MG_AUTO(mg_arena) scratch = mg_arena_new(arena);
        MG_TRY(ask_ready(s, view, scratch, &ready, err));
        MG_TRY(mg_view_live(view, err));
        if (ready && !s->over)
            return MG_OK;
        if (mg_loop_now_ms(d->loop) >= until)
            break;
        pause_for(d->loop, ASK_EVERY_MS);
    }
    const mg_str tail = tail_text(s, arena),
                 name = mg_command_line(mg_arg(s->args, "run"), SHOWN_BYTES, arena);
    const mg_str within = mg_duration_text(arena, limit);
    *trouble =
        s->over
            ? mg_strf(arena, "the service '" MG_FMT "' ended before it was ready%s" MG_FMT,
                      MG_ARG(name), tail.len > 0 ? "; it printed:\n" : "", MG_ARG(tail))
            : mg_strf(arena, "the service '" MG_FMT "' was not ready within " MG_FMT "%s" MG_FMT,
                      MG_ARG(name), MG_ARG(within), tail.len > 0 ? "; it printed:\n" : "",
                      MG_ARG(tail));
    return MG_OK;
}

mg_status mg_services_start(mg_driver *d, const mg_view *view, mg_arena *arena, mg_services **out,
                            mg_str *trouble, mg_err *err)
{
    const mg_value *list = mg_arg(d->o->goal->settings, "service");
    mg_services *all = mg_new(arena, mg_services);
    *all = (mg_services){.drive = d, .count = list->set ? list->objects.count : 0};
    all->items = mg_new_array(arena, service, all->count);
    *out = all; /* from now on it can be stopped, however far it got */
    for (size_t i = 0; i < all->count; i++) {
        service *s = &all->items[i];
        *s = (service){.all = all, .args = list->objects.items[i], .over = true};
    }
    for (size_t i = 0; i < all->count && trouble->len == 0; i++) {
        service *s = &all->items[i];
        MG_TRY(ask_foreign(s, view, arena, trouble, err));
        if (trouble->len > 0)
            break;
        s->over = false;
        const mg_status started = start(s, arena, err);
        s->over = started != MG_OK;
        if (started == MG_ERR_NOT_FOUND || started == MG_ERR_DENIED || started == MG_ERR_INVALID)
            *trouble = mg_str_copy(arena, mg_str_of(err->text));
        else
            MG_TRY(started);
        if (trouble->len == 0)
            MG_TRY(wait_ready(s, view, arena, trouble, err));
    }
    return MG_OK;
}

void mg_services_stop(mg_services *all, mg_arena *arena, mg_str *trouble)
{
    if (all == NULL)
        return;
    for (size_t i = 0; i < all->count; i++) {
        if (!all->items[i].over)
            mg_supervised_stop(all->items[i].process);
    }
    for (size_t i = 0; i < all->count; i++) {
        while (!all->items[i].over)
            mg_loop_turn(all->drive->loop);
    }
    for (size_t i = 0; i < all->count && trouble->len == 0; i++) {
        if (all->items[i].fell)
            *trouble = mg_strf(
                arena, "the service '" MG_FMT "' ended while the goal was looked at",
                MG_ARG(mg_command_line(mg_arg(all->items[i].args, "run"), SHOWN_BYTES, arena)));
    }
}
