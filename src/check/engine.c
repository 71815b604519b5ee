/* engine.c - asking every entry: the slow ones side by side, then the fast ones.
 *
 * An entry that is being evaluated is a node of a tree that mirrors the goal. A leaf is
 * settled by its kind's answer, a group by its last child; a node that did not pass and has
 * retries left begins again after a pause. Everything that waits hangs on one event loop,
 * which is opened only when something has to wait: a goal about files needs none.
 *
 * Kinds that answer at once are asked last, when nothing else is open. A command may build or
 * remove the very file that another entry asks about, and what counts is the world as it is
 * in the end; and reading a large file would keep the loop from noticing a timeout.
 *
 * Stopping (deadline, interrupt, fail-fast) has one place, stop_all(): whatever is not
 * settled then is unknown, with the reason.
 */
#include "check/check.h"
#include "check/fold.h"
#include "data/text.h"

#include <fnmatch.h>

typedef struct mg_check engine;
typedef struct node node;

struct node {
    engine *engine;
    const mg_entry *entry;
    node *parent; /* NULL at the top */
    node *children;
    mg_result *result;
    mg_arena *arena; /* of this try, where there may be another; else the engine's */
    size_t pending;  /* children that are not settled */
    unsigned tries;
    uint64_t began_ns;
    bool settled;
    bool queued; /* waiting for its turn */
    bool open;   /* a slow leaf that is not settled, and counted in open_slow */
    bool asking; /* a slow leaf, waiting for its answer */
    node *next_queued;
    uint64_t asked_after; /* a fast leaf: how many slow ones had been started by then */
    mg_timer *pause;      /* before it is asked again */
    mg_ask ask;
};

struct mg_check {
    mg_view view;
    mg_check_options options;
    const mg_goal *goal;
    mg_report report;
    uint64_t began_ns;
    mg_arena *arena;
    mg_loop *loop; /* NULL until something has to wait, or the caller's */
    bool loop_is_ours;
    void (*done)(void *data, const mg_report *report); /* of one that goes on beside the caller */
    void *data;
    mg_timer *telling; /* the end is told from the loop, not from within a callback of ours */
    mg_net *net;
    mg_timer *deadline;
    mg_watch *interrupt;
    uint32_t jobs, running;
    node *queue, **queue_end; /* slow leaves, until one of `jobs` is free */
    node *later, **later_end; /* fast leaves, until no slow one is open */
    size_t open_slow;
    uint64_t slow_started;
    bool pumping, asking_later;
    bool stopping;
    bool interrupted;
    const char *stop_reason;
    node *top;
    size_t top_count, top_settled;
};

static void begin(node *n);
static void finish(node *n);
static void tell_end(void *data);

/* --- Stopping --- */

static void answer_unknown(node *n, const char *why)
{
    *n->result = (mg_result){.observed = MG_STR("")};
    n->result->message = mg_str_copy(n->engine->arena, mg_str_of(why));
}

static void halt(node *n)
{
    if (n->settled)
        return;
    for (size_t i = 0; i < n->entry->children.count; i++)
        halt(&n->children[i]);
    if (n->settled) /* by its last child, just now */
        return;
    const bool has_answer = n->pause != NULL; /* it was to be asked again; the last one stands */
    mg_timer_stop(n->pause);
    n->pause = NULL;
    if (n->asking) {
        n->asking = false;
        n->engine->running--;
        if (n->ask.stop != NULL)
            n->ask.stop(&n->ask);
    }
    if (n->queued)
        n->tries--; /* its turn never came */
    n->queued = false;
    if (n->entry->type != MG_ENTRY_LEAF)
        mg_fold_group(n->entry, n->engine->arena, n->result);
    else if (!has_answer)
        answer_unknown(n, n->engine->stop_reason);
    finish(n);
}

static void stop_all(engine *e, const char *why)
{
    if (e->stopping)
        return;
    e->stopping = true;
    e->stop_reason = why;
    for (size_t i = 0; i < e->top_count; i++)
        halt(&e->top[i]);
}

static void deadline_passed(void *data)
{
    engine *e = data;
    e->deadline = NULL;
    stop_all(e, "the deadline of the whole check passed before it was settled");
}

static void interrupt_asked(void *data, int ready)
{
    (void)ready;
    engine *e = data;
    e->interrupted = true;
    mg_watch_stop(e->interrupt);
    e->interrupt = NULL;
    stop_all(e, "the check was interrupted");
}

/* --- The loop, when it is needed --- */

/* What ends the waiting: the deadline always, so that there is always an event; an interrupt. */
static mg_status watch_end(engine *e, mg_loop *loop, mg_err *err)
{
    const mg_cancel *cancel = e->view.cancel;
    if (cancel != NULL && cancel->fd >= 0 && e->done == NULL) {
        e->interrupt = mg_watch_start(loop, cancel->fd, MG_READABLE, interrupt_asked, e, err);
        if (e->interrupt == NULL)
            return MG_ERR_SYSTEM;
    }
    const uint64_t now = mg_clock_ms(e->view.clock);
    const uint64_t left = e->view.deadline_ms > now ? e->view.deadline_ms - now : 0;
    e->deadline = mg_timer_start(loop, left, deadline_passed, e);
    return MG_OK;
}

static mg_status need_loop(engine *e, mg_err *err)
{
    if (e->loop != NULL)
        return MG_OK;
    if (e->options.loop != NULL) {
        MG_TRY(watch_end(e, e->options.loop, err));
        e->loop = e->options.loop;
        return MG_OK;
    }
    MG_AUTO(mg_loop) loop = NULL;
    MG_TRY(mg_loop_open(&loop, err));
    MG_TRY(watch_end(e, loop, err));
    e->loop_is_ours = true;
    e->loop = MG_TAKE(loop);
    return MG_OK;
}

static void close_loop(engine *e)
{
    mg_timer_stop(e->deadline);
    mg_timer_stop(e->telling);
    mg_watch_stop(e->interrupt);
    mg_net_close(e->net);
    if (e->loop_is_ours)
        mg_loop_close(e->loop);
    e->deadline = e->telling = NULL;
    e->interrupt = NULL;
    e->net = NULL;
    e->loop = NULL;
}

mg_status mg_ask_loop(mg_ask *ask, mg_loop **out, mg_err *err)
{
    engine *e = ((node *)ask->engine_)->engine;
    MG_TRY(need_loop(e, err));
    *out = e->loop;
    return MG_OK;
}

mg_status mg_ask_net(mg_ask *ask, mg_net **out, mg_err *err)
{
    engine *e = ((node *)ask->engine_)->engine;
    MG_TRY(need_loop(e, err));
    if (e->net == NULL)
        MG_TRY(mg_net_open(e->loop, &e->net, err));
    *out = e->net;
    return MG_OK;
}

/* --- Slow leaves: a queue, and at most `jobs` of them at a time --- */

static void start_slow(node *n)
{
    mg_err err = {0};
    n->queued = false;
    n->asking = true;
    n->began_ns = mg_clock_ns(n->engine->view.clock); /* waiting for its turn does not count */
    n->engine->running++;
    n->engine->slow_started++;
    n->ask = (mg_ask){.arena = n->arena, .engine_ = n};
    const mg_status s = n->entry->kind->start(&n->engine->view, n->entry->args, &n->ask, &err);
    if (s != MG_OK)
        mg_ask_error(&n->ask, s, err.text);
}

/* An answer may come before start() returns; the flag keeps that from becoming recursion. */
static void pump(engine *e)
{
    if (e->pumping)
        return;
    e->pumping = true;
    while (e->queue != NULL && e->running < e->jobs && !e->stopping) {
        node *n = e->queue;
        e->queue = n->next_queued;
        if (e->queue == NULL)
            e->queue_end = &e->queue;
        if (n->queued)
            start_slow(n);
    }
    e->pumping = false;
}

static void append(node *n, node ***end)
{
    n->queued = true;
    n->next_queued = NULL;
    **end = n;
    *end = &n->next_queued;
}

static void enqueue(node *n)
{
    if (!n->open) { /* begun again by its group */
        n->open = true;
        n->engine->open_slow++;
    }
    append(n, &n->engine->queue_end);
    pump(n->engine);
}

static void answered(node *n)
{
    n->asking = false;
    n->engine->running--;
    finish(n);
    pump(n->engine);
}

void mg_ask_answer(mg_ask *ask, const mg_result *result)
{
    node *n = ask->engine_;
    *n->result = *result;
    answered(n);
}

void mg_ask_error(mg_ask *ask, mg_status code, const char *text)
{
    node *n = ask->engine_;
    (void)code;
    answer_unknown(n, text);
    answered(n);
}

/* --- One node, from its beginning to its settling --- */

static void eval_fast(node *n)
{
    mg_err err = {0};
    engine *e = n->engine;
    mg_result got = {0};
    if (mg_view_live(&e->view, &err) != MG_OK) {
        n->tries--; /* it was not asked, and neither is what comes after it */
        stop_all(e, mg_str_cstr(e->arena, mg_str_of(err.text)));
        return;
    }
    n->asked_after = e->slow_started;
    if (n->entry->kind->eval(&e->view, n->entry->args, n->arena, &got, &err) == MG_OK)
        *n->result = got;
    else
        answer_unknown(n, err.text);
    finish(n);
}

/* The fast leaves, once no slow one is open. */
static void ask_later(engine *e)
{
    if (e->asking_later)
        return;
    e->asking_later = true;
    while (e->later != NULL && e->open_slow == 0 && !e->stopping) {
        node *n = e->later;
        e->later = n->next_queued;
        if (e->later == NULL)
            e->later_end = &e->later;
        if (n->queued) {
            n->queued = false;
            n->began_ns = mg_clock_ns(e->view.clock);
            eval_fast(n);
        }
    }
    e->asking_later = false;
}

static void begin(node *n)
{
    engine *e = n->engine;
    n->tries++;
    n->began_ns = mg_clock_ns(e->view.clock);
    n->settled = false;
    if (n->arena != e->arena) { /* what an earlier try left goes with it */
        mg_arena_free(n->arena);
        n->arena = mg_arena_new(e->arena);
    }
    if (e->stopping) {
        halt(n);
        return;
    }
    if (n->entry->type == MG_ENTRY_LEAF && n->entry->kind->eval != NULL) {
        append(n, &e->later_end);
        ask_later(e);
    } else if (n->entry->type == MG_ENTRY_LEAF) {
        enqueue(n);
    } else {
        n->pending = n->entry->children.count;
        const bool held = e->asking_later;
        e->asking_later = true; /* until its slow children are counted, too */
        for (size_t i = 0; i < n->entry->children.count; i++) {
            n->children[i].tries = 0;
            begin(&n->children[i]);
        }
        e->asking_later = held;
        if (!held)
            ask_later(e);
    }
}

static void begin_again(void *data)
{
    node *n = data;
    n->pause = NULL;
    begin(n);
}

/* Whether the node is to be asked again; then the pause has begun. */
static bool retried(node *n)
{
    mg_err err;
    if (n->result->outcome == MG_OUTCOME_PASS || n->tries > n->entry->retry_times ||
        n->engine->options.no_retry || n->engine->stopping || need_loop(n->engine, &err) != MG_OK)
        return false;
    n->pause = mg_timer_start(n->engine->loop, n->entry->retry_every_ms, begin_again, n);
    return n->pause != NULL;
}

static mg_str sentence(mg_arena *arena, const mg_result *r)
{
    if (r->outcome == MG_OUTCOME_FAIL)
        return mg_strf(arena, "expected " MG_FMT "; observed " MG_FMT, MG_ARG(r->expected),
                       MG_ARG(r->observed));
    if (r->message.len > 0 || r->outcome == MG_OUTCOME_PASS)
        return r->message.len > 0 ? r->message : r->observed;
    return r->observed.len > 0 ? r->observed : MG_STR("it could not be evaluated");
}

/* What every result carries, whoever answered. */
static void complete(node *n)
{
    mg_result *r = n->result;
    const mg_entry *entry = n->entry;
    r->kind = mg_entry_kind_name(entry);
    r->name = entry->name;
    r->recovery = entry->recovery;
    r->line = entry->line;
    r->invariant = entry->invariant;
    r->tries = n->tries;
    /* What was never begun has no beginning to count from. */
    r->duration_us = n->tries > 0 ? (mg_clock_ns(n->engine->view.clock) - n->began_ns) / 1000 : 0;
    r->message = sentence(n->engine->arena, r);
    r->proves = mg_fold_proves(entry, r);
}

static void settled_top(node *n)
{
    engine *e = n->engine;
    e->top_settled++;
    if (e->options.progress != NULL)
        e->options.progress(e->options.progress_data, n->result, e->top_settled, e->top_count);
    if (e->options.fail_fast && n->result->outcome == MG_OUTCOME_FAIL)
        stop_all(e, "not evaluated: an earlier failure ended the check (--fail-fast)");
    if (e->done != NULL && e->top_settled == e->top_count && e->telling == NULL)
        e->telling = mg_timer_start(e->options.loop, 0, tell_end, e);
}

static void fold_again(node *n)
{
    mg_result *children = n->result->children;
    const size_t count = n->result->child_count;
    *n->result = (mg_result){.children = children, .child_count = count};
    mg_fold_group(n->entry, n->engine->arena, n->result);
}

static void finish(node *n)
{
    if (retried(n))
        return;
    complete(n);
    n->settled = true;
    node *parent = n->parent;
    if (parent == NULL) {
        settled_top(n);
    } else if (--parent->pending == 0 && !parent->settled) {
        fold_again(parent);
        finish(parent);
    }
    if (n->open) {
        n->open = false;
        n->engine->open_slow--;
        ask_later(n->engine);
    }
}

/* --- What changed behind our back --- */

static void ask_again(node *n)
{
    mg_err err = {0};
    mg_result got = {0};
    const mg_view *view = &n->engine->view;
    n->began_ns = mg_clock_ns(view->clock);
    if (mg_view_live(view, &err) == MG_OK &&
        n->entry->kind->eval(view, n->entry->args, n->arena, &got, &err) == MG_OK)
        *n->result = got;
    else
        answer_unknown(n, err.text);
}

/* A group that tried again may have run commands after a file was looked at. Such files are
 * looked at once more, in the end, and what rests on them is folded anew. */
static bool refresh(node *n)
{
    bool fresh = n->entry->type == MG_ENTRY_LEAF && n->entry->kind->eval != NULL && n->tries > 0 &&
                 n->asked_after < n->engine->slow_started;
    if (fresh)
        ask_again(n);
    for (size_t i = 0; i < n->entry->children.count; i++)
        fresh = refresh(&n->children[i]) || fresh;
    if (fresh && n->entry->type != MG_ENTRY_LEAF)
        fold_again(n);
    if (fresh)
        complete(n);
    return fresh;
}

/* --- The whole --- */

static void plant(engine *e, node *n, const mg_entry *entry, node *parent, mg_result *result)
{
    const size_t children = entry->children.count;
    const bool may_repeat = entry->retry_times > 0 || (parent != NULL && parent->arena != e->arena);
    *n = (node){.engine = e, .entry = entry, .parent = parent, .result = result};
    n->arena = may_repeat ? mg_arena_new(e->arena) : e->arena;
    n->open = entry->type == MG_ENTRY_LEAF && entry->kind->eval == NULL;
    e->open_slow += n->open;
    n->children = mg_new_array(e->arena, node, children);
    n->pending = children;
    result->children = mg_new_array(e->arena, mg_result, children);
    result->child_count = children;
    for (size_t i = 0; i < children; i++)
        plant(e, &n->children[i], entry->children.items[i], n, &result->children[i]);
}

static bool selected(const mg_entry *entry, const char *only, mg_arena *scratch)
{
    return only == NULL || strcmp(only, mg_entry_kind_name(entry)) == 0 ||
           mg_str_is(entry->name, only) || fnmatch(only, mg_str_cstr(scratch, entry->name), 0) == 0;
}

static mg_status select_entries(const mg_goal *goal, const char *only, mg_arena *arena,
                                mg_entries *out, mg_err *err)
{
    out->items = mg_new_array(arena, mg_entry *, goal->entries.count);
    out->count = 0;
    for (size_t i = 0; i < goal->entries.count; i++) {
        if (selected(goal->entries.items[i], only, arena))
            out->items[out->count++] = goal->entries.items[i];
    }
    if (only != NULL && out->count == 0)
        return mg_fail(err, MG_ERR_NOT_FOUND,
                       "no entry is called '%s'; names and kinds can be given, with * for any text",
                       only);
    return MG_OK;
}

static void add_warnings(const mg_goal *goal, mg_arena *arena, mg_report *report)
{
    const mg_str place =
        goal->file.len > 0 ? mg_strf(arena, MG_FMT ":", MG_ARG(goal->file)) : MG_STR("line ");
    for (size_t i = 0; i < goal->warnings.count; i++) {
        const mg_problem *w = &goal->warnings.items[i];
        mg_strs_add(arena, &report->warnings,
                    w->line == 0 ? w->text
                                 : mg_strf(arena, MG_FMT "%u: " MG_FMT, MG_ARG(place), w->line,
                                           MG_ARG(w->text)));
    }
}

static mg_status engine_new(const mg_goal *goal, const mg_view *view,
                            const mg_check_options *options, mg_arena *arena, engine **out,
                            mg_err *err)
{
    mg_entries chosen = {0};
    MG_TRY(select_entries(goal, options->only, arena, &chosen, err));
    engine *e = mg_new(arena, engine);
    const uint64_t limit = options->deadline_ms > 0 ? options->deadline_ms : goal->deadline_ms;
    *e = (engine){.view = *view, .options = *options, .goal = goal, .arena = arena};
    e->began_ns = mg_clock_ns(view->clock);
    const uint64_t now = e->began_ns / 1000000;
    e->view.deadline_ms =
        MG_MIN(view->deadline_ms, limit < UINT64_MAX - now ? now + limit : UINT64_MAX);
    e->jobs = options->jobs > 0 ? options->jobs : MG_MAX(goal->jobs, 1u);
    e->queue_end = &e->queue;
    e->later_end = &e->later;
    e->top_count = chosen.count;
    e->top = mg_new_array(arena, node, chosen.count);
    e->report = (mg_report){.goal = goal->goal, .goal_file = goal->file};
    e->report.result_count = chosen.count;
    e->report.started_ms = view->clock->wall_ms(view->clock->self);
    e->report.results = mg_new_array(arena, mg_result, chosen.count);
    for (size_t i = 0; i < chosen.count; i++)
        plant(e, &e->top[i], chosen.items[i], NULL, &e->report.results[i]);
    *out = e;
    return MG_OK;
}

static void begin_all(engine *e)
{
    for (size_t i = 0; i < e->top_count; i++) {
        if (!e->top[i].settled) /* fail-fast may have settled it already */
            begin(&e->top[i]);
    }
}

/* Everything is settled. */
static void conclude(engine *e)
{
    for (size_t i = 0; i < e->top_count && !e->stopping; i++)
        (void)refresh(&e->top[i]);
    close_loop(e);
    e->report.duration_us = (mg_clock_ns(e->view.clock) - e->began_ns) / 1000;
    e->report.left_out = e->goal->entries.count - e->top_count;
    add_warnings(e->goal, e->arena, &e->report);
    mg_fold_report(&e->report);
}

mg_status mg_check_once(const mg_goal *goal, const mg_view *view, const mg_check_options *options,
                        mg_arena *arena, mg_report *out, mg_err *err)
{
    engine *e;
    MG_TRY(engine_new(goal, view, options, arena, &e, err));
    begin_all(e);
    while (e->top_settled < e->top_count && e->loop != NULL)
        mg_loop_turn(e->loop);
    conclude(e);
    const mg_status live = mg_view_live(view, err);
    if (e->interrupted || live == MG_ERR_CANCELLED)
        return mg_fail(err, MG_ERR_CANCELLED, "the check was interrupted");
    *out = e->report;
    return MG_OK;
}

static void tell_end(void *data)
{
    engine *e = data;
    e->telling = NULL;
    conclude(e);
    e->done(e->data, &e->report);
}

mg_status mg_check_start(const mg_goal *goal, const mg_view *view, const mg_check_options *options,
                         const mg_check_end *end, mg_arena *arena, mg_check **out, mg_err *err)
{
    engine *e;
    MG_TRY(engine_new(goal, view, options, arena, &e, err));
    e->done = end->done;
    e->data = end->data;
    if (e->top_count == 0)
        e->telling = mg_timer_start(options->loop, 0, tell_end, e);
    begin_all(e);
    *out = e;
    return MG_OK;
}

void mg_check_stop(mg_check *check)
{
    if (check == NULL)
        return;
    stop_all(check, "the check was stopped");
    close_loop(check);
}
