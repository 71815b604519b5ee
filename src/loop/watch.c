/* watch.c - stopping the agent the instant the goal holds.
 *
 * Files are looked at when inotify says that something happened near them; sockets and servers are
 * asked every `watch.every`, commands only after a change and some quiet. They are asked in this
 * order, so that a goal that misses a file costs no request, and one whose server is not there no
 * process. Everything must hold for the settle time, and is looked at once more at its end.
 *
 * This only ends the attempt. Whether the goal is met is decided when no process of the agent is
 * left.
 */
#include "base/vec.h"
#include "data/text.h"
#include "loop/state.h"
#include "loop/tree_watch.h"

enum {
    GATHER_MS = 2,  /* events of one write come together */
    QUICK_MS = 250, /* a command that takes longer is watched only if that is asked for */
    SLOW_QUIET_MS = 1000,
    SLOW_EVERY_MS = 10000,
    SLOW_RUNS = 20,
};

struct mg_goal_watch {
    mg_driver *drive;
    mg_view view;
    mg_arena *arena;
    mg_goal files;    /* the entries that are answered at once */
    mg_goal servers;  /* those that wait for an answer */
    mg_goal commands; /* those that run something */
    bool slow_commands;
    mg_tree_watch *tree;
    mg_timer *gather, *every, *settle;
    mg_check *check;           /* of servers or commands, while it is under way */
    const mg_goal *check_goal; /* which of the two */
    mg_arena *check_arena;
    bool check_final;           /* it is the last look, at the end of the settle time */
    bool changed_since_command; /* nothing new, nothing to ask a command about */
    uint64_t last_event_ms, last_command_ms;
    uint64_t look_us; /* what looking at files takes */
    unsigned command_runs;
    void (*fired)(void *data);
    void *data;
    bool done;
};

static void look(mg_goal_watch *w, bool final);

/* --- Settling --- */

static void settle_over(void *data)
{
    mg_goal_watch *w = data;
    w->settle = NULL;
    look(w, true);
}

static void does_not_hold(mg_goal_watch *w)
{
    mg_timer_stop(w->settle);
    w->settle = NULL;
}

static void holds(mg_goal_watch *w, bool final)
{
    if (w->done)
        return;
    if (final) {
        w->done = true;
        w->fired(w->data);
    } else if (w->settle == NULL) {
        w->settle = mg_timer_start(w->drive->loop, w->drive->o->watch_settle_ms, settle_over, w);
    }
}

/* --- Looking --- */

static bool all_pass(const mg_report *report)
{
    for (size_t i = 0; i < report->result_count; i++)
        if (report->results[i].outcome != MG_OUTCOME_PASS)
            return false;
    return true;
}

static bool files_hold(mg_goal_watch *w)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_check_options options = {.no_retry = true, .fail_fast = true};
    mg_report report = {0};
    mg_err err;
    if (w->files.entries.count == 0)
        return true;
    return mg_check_once(&w->files, &w->view, &options, scratch, &report, &err) == MG_OK &&
           all_pass(&report);
}

static void ask_commands(mg_goal_watch *w, bool final);

static void check_done(void *data, const mg_report *report)
{
    mg_goal_watch *w = data;
    const bool pass = all_pass(report), final = w->check_final;
    const bool servers = w->check_goal == &w->servers;
    w->check = NULL;
    mg_arena_free(w->check_arena);
    w->check_arena = NULL;
    if (servers && !pass)
        w->changed_since_command = true; /* when it is there, commands may say something else */
    if (!pass || !files_hold(w))
        does_not_hold(w);
    else if (servers && w->commands.entries.count > 0)
        ask_commands(w, final);
    else
        holds(w, final);
}

static void start_check(mg_goal_watch *w, const mg_goal *goal, bool final)
{
    const mg_check_options options = {
        .no_retry = true, .fail_fast = true, .loop = w->drive->loop, .deadline_ms = 60000};
    const mg_check_end end = {check_done, w};
    mg_err err;
    w->check_final = final;
    w->check_goal = goal;
    w->check_arena = mg_arena_new(w->arena);
    if (mg_check_start(goal, &w->view, &options, &end, w->check_arena, &w->check, &err) == MG_OK)
        return;
    w->check = NULL;
    mg_arena_free(w->check_arena);
    w->check_arena = NULL;
    does_not_hold(w);
}

/* Whether a command may be run now; a final look may always. */
static bool command_may_run(const mg_goal_watch *w, uint64_t now)
{
    const mg_driver *d = w->drive;
    const uint64_t every = d->o->watch_every_ms;
    const uint64_t quiet = w->slow_commands ? SLOW_QUIET_MS : every;
    const uint64_t apart = w->slow_commands ? SLOW_EVERY_MS : MG_MAX(4 * d->command_ms, every);
    return w->changed_since_command && now - w->last_event_ms >= quiet &&
           (w->last_command_ms == 0 || now - w->last_command_ms >= apart) &&
           (!w->slow_commands || w->command_runs < SLOW_RUNS);
}

static void ask_commands(mg_goal_watch *w, bool final)
{
    const uint64_t now = mg_loop_now_ms(w->drive->loop);
    if (!final && !command_may_run(w, now))
        return;
    w->changed_since_command = false;
    w->last_command_ms = now;
    w->command_runs++;
    start_check(w, &w->commands, final);
}

static void look(mg_goal_watch *w, bool final)
{
    if (w->done)
        return;
    if (!files_hold(w))
        does_not_hold(w);
    else if (w->check != NULL) /* it began while everything held: it may be the last one */
        w->check_final = w->check_final || final;
    else if (w->servers.entries.count > 0)
        start_check(w, &w->servers, final);
    else if (w->commands.entries.count > 0)
        ask_commands(w, final);
    else
        holds(w, final);
}

/* --- What makes us look --- */

static void gathered(void *data)
{
    mg_goal_watch *w = data;
    const uint64_t began_ns = mg_clock_ns(w->view.clock);
    w->gather = NULL;
    mg_tree_watch_arm(w->tree); /* what was created may have to be watched, too */
    look(w, false);
    w->look_us = (mg_clock_ns(w->view.clock) - began_ns) / 1000;
}

static void something_happened(void *data)
{
    mg_goal_watch *w = data;
    w->last_event_ms = mg_loop_now_ms(w->drive->loop);
    w->changed_since_command = true;
    if (w->gather == NULL && !w->done) /* an agent that writes all the time is not to busy us */
        w->gather = mg_timer_start(w->drive->loop, GATHER_MS + 4 * w->look_us / 1000, gathered, w);
}

static void again(void *data)
{
    mg_goal_watch *w = data;
    w->every = mg_timer_start(w->drive->loop, w->drive->o->watch_every_ms, again, w);
    if (w->settle == NULL)
        look(w, false);
}

/* --- Start and stop --- */

static bool watchable(mg_driver *d)
{
    const mg_entries *entries = &d->o->goal->entries;
    bool commands = false;
    for (size_t i = 0; i < entries->count; i++) {
        if (mg_entry_asks_attempt(entries->items[i]))
            return false;
        commands = commands || mg_entry_runs(entries->items[i]);
    }
    const mg_value *services = mg_arg(d->o->goal->settings, "service");
    if (services->set && services->objects.count > 0)
        return false; /* the service runs only while we verify */
    return entries->count > 0 &&
           (!commands || d->o->watch_commands || (d->command_ms < QUICK_MS && !d->wrote));
}

static void sort_entries(mg_goal_watch *w)
{
    const mg_goal *goal = w->drive->o->goal;
    w->files = w->servers = w->commands = *goal;
    w->files.entries = w->servers.entries = w->commands.entries = (mg_entries){0};
    for (size_t i = 0; i < goal->entries.count; i++) {
        mg_entry *entry = goal->entries.items[i];
        mg_goal *part = mg_entry_runs(entry)    ? &w->commands
                        : mg_entry_waits(entry) ? &w->servers
                                                : &w->files;
        mg_vec_push(w->arena, &part->entries, entry);
    }
    w->slow_commands = w->drive->command_ms >= QUICK_MS || w->drive->wrote;
}

mg_status mg_goal_watch_start(mg_driver *d, const mg_view *view, void (*fired)(void *data),
                              void *data, mg_arena *arena, mg_goal_watch **out, mg_err *err)
{
    *out = NULL;
    if (!watchable(d))
        return MG_OK;
    mg_goal_watch *w = mg_new(arena, mg_goal_watch);
    *w = (mg_goal_watch){.drive = d, .view = *view, .arena = arena, .fired = fired, .data = data};
    sort_entries(w);
    if (d->tree_fd < 0)
        MG_TRY(mg_tree_watch_open(&d->tree_fd, err));
    const mg_tree_watch_options options = {
        .fd = d->tree_fd,
        .loop = d->loop,
        .world = &d->world,
        .scope = d->scope,
        .paths = mg_goal_paths(d->o->goal, arena),
        .whole = w->commands.entries.count > 0,
        .changed = something_happened,
        .data = w,
    };
    MG_TRY(mg_tree_watch_start(&options, arena, &w->tree, err));
    if (w->servers.entries.count + w->commands.entries.count > 0)
        w->every = mg_timer_start(d->loop, d->o->watch_every_ms, again, w);
    something_happened(w); /* it may hold already */
    *out = w;
    return MG_OK;
}

void mg_goal_watch_stop(mg_goal_watch *w)
{
    if (w == NULL)
        return;
    w->done = true;
    mg_tree_watch_stop(w->tree);
    mg_timer_stop(w->gather);
    mg_timer_stop(w->every);
    mg_timer_stop(w->settle);
    mg_check_stop(w->check);
}
