/* drive_go.c - what surrounds a loop: its store, its event stream, its display, its end.
 *
 * Whatever is missing is found before the loop begins. Once it runs, nothing that watches it can
 * stop it: a lost reader is said once, and the verdict stays what was seen.
 */
#include "cli/drive_go.h"

#include "cli/cancel.h"
#include "cli/live.h"
#include "cli/stream.h"
#include "io/supervise.h"
#include "report/pursuit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct going { /* a loop on its way */
    mg_cli *cli;
    mg_drive_plan *plan;
    const mg_drive_show *show;
    mg_display *display;
    mg_stream *events;
    int events_fd; /* ours to close; -1: none, or stdout */
    mg_buf line;   /* an event, the one after the other: output comes in thousands of them */
    bool lost;     /* nobody takes the events any more */
    size_t warned; /* warnings of the loop that are told already */
    bool began;    /* something happened: the workspace is, or was, ours */
} going;

int mg_drive_open_store(mg_cli *cli, const char **state_dir, mg_store **out)
{
    mg_err err;
    mg_status s = mg_state_dir(cli->environ, cli->arena, state_dir, &err);
    if (s == MG_OK)
        s = mg_store_open(*state_dir, out, &err);
    if (s == MG_OK)
        return MG_EXIT_MET;
    return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
}

/* What the agent may write must not be what we remember by. */
static int keep_apart(mg_cli *cli, const mg_drive_plan *plan)
{
    char real[PATH_MAX];
    const mg_str root = plan->pursuit.root;
    if (realpath(plan->options.state_dir, real) == NULL)
        return mg_cli_say(cli, MG_EXIT_ERROR, "the state directory '%s' cannot be found",
                          plan->options.state_dir);
    const mg_str state = mg_str_of(real);
    const bool inside =
        mg_str_is(root, "/") || (mg_str_eq(mg_str_first(state, root.len), root) &&
                                 (state.len == root.len || state.ptr[root.len] == '/'));
    if (!inside)
        return MG_EXIT_MET;
    return mg_cli_say(cli, MG_EXIT_USAGE,
                      "nothing was run: the state directory '%s' lies beneath the root '" MG_FMT
                      "', where the agent works; set XDG_STATE_HOME to a directory outside it, or "
                      "take a smaller --root",
                      real, MG_ARG(root));
}

/* The agent is the same user: without this it could write into our memory and our stdout through
 * /proc. The leak checker of a sanitized build needs to look at us, too. */
static void shut_proc(void)
{
#if defined(__SANITIZE_ADDRESS__)
    const int open = 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    const int open = 1;
#else
    const int open = 0;
#endif
#else
    const int open = 0;
#endif
    (void)prctl(PR_SET_DUMPABLE, open);
}

/* --- Events --- */

static int open_events(going *g)
{
    const char *file = g->show->events;
    g->events_fd = -1;
    if (file == NULL)
        return MG_EXIT_MET;
    const bool to_stdout = strcmp(file, "-") == 0;
    if (to_stdout && g->show->json)
        return mg_cli_say(g->cli, MG_EXIT_USAGE,
                          "nothing was run: '--events -' and '--format json' both want stdout; "
                          "give '--events' a file");
    if (!to_stdout) /* without waiting for a reader of a FIFO, who may never come */
        g->events_fd =
            open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (!to_stdout && g->events_fd < 0 && errno == ENXIO)
        return mg_cli_say(g->cli, MG_EXIT_USAGE,
                          "nothing was run: the events would go to '%s', and nobody reads it; "
                          "start its reader first",
                          file);
    if (!to_stdout && g->events_fd < 0) {
        mg_err err;
        const mg_status s = mg_fail_errno(&err, "'%s'", file);
        (void)s;
        return mg_cli_say(g->cli, MG_EXIT_ERROR,
                          "nothing was run, for the events could not be written: %s", err.text);
    }
    const int fd = to_stdout ? g->cli->out : g->events_fd;
    mg_drive_plan_overlook(g->plan, fd, g->cli->arena);
    g->line = mg_buf_new(g->cli->arena, mg_limits_default.report_bytes);
    g->events = mg_stream_open(&(mg_stream_options){.fd = fd});
    if (g->events == NULL)
        return mg_cli_say(g->cli, MG_EXIT_ERROR, "nothing was run: no thread for the events");
    return MG_EXIT_MET;
}

static void tell_lost(const going *g, const char *why)
{
    if (why != NULL)
        mg_display_say(g->display, g->cli,
                       mg_strf(g->cli->arena, "the events are not written any further: %s", why));
}

/* As soon as they are there, and also with --quiet: what the user would have stopped for. */
static void tell_warnings(going *g, const mg_pursuit *p)
{
    for (; g->warned < p->warnings.count; g->warned++)
        mg_display_warn(g->display, g->cli, p->warnings.items[g->warned]);
}

static void on_event(void *data, const mg_event *event)
{
    going *g = data;
    g->began = true;
    if (event->type == MG_EVENT_BASELINE || event->type == MG_EVENT_ATTEMPT_STARTED ||
        event->type == MG_EVENT_LOOP_FINISHED)
        tell_warnings(g, event->pursuit);
    mg_display_note(g->display, event);
    if (g->events == NULL || g->lost || mg_event_name(event->type) == NULL)
        return;
    g->line.len = 0;
    g->line.cut = false;
    mg_json_out json = {.buf = &g->line};
    mg_event_write(&json, event);
    mg_buf_addc(&g->line, '\n');
    mg_stream_add(g->events, mg_buf_str(&g->line));
    const char *why = mg_stream_lost(g->events);
    g->lost = why != NULL;
    tell_lost(g, why);
}

/* --- The end --- */

int mg_drive_exit(const mg_pursuit *p)
{
    if (mg_pursuit_holds(p))
        return MG_EXIT_MET;
    if (p->status == MG_PURSUIT_GAVE_UP)
        return p->last == MG_VERDICT_NOT_MET ? MG_EXIT_NOT_MET : MG_EXIT_UNKNOWN;
    return p->status == MG_PURSUIT_CANCELLED ? MG_EXIT_INTERRUPTED : MG_EXIT_ERROR;
}

int mg_drive_report(mg_cli *cli, const mg_pursuit *p, bool json, int code)
{
    mg_buf text = mg_cli_buf(cli);
    if (json) {
        mg_json_out out = {.buf = &text, .pretty = true};
        mg_pursuit_write(&out, p);
        mg_buf_addc(&text, '\n');
    } else {
        const mg_report_style style = {
            .color = cli->color, .quiet = cli->quiet, .width = cli->width, .version = cli->version};
        mg_pursuit_text(p, &style, cli->arena, &text);
    }
    return mg_cli_deliver(cli, &text, code);
}

/* Why there is no result; the sentence is said. */
static int explain(const going *g, mg_status s, mg_str other, const mg_err *err)
{
    mg_cli *cli = g->cli;
    if (s == MG_ERR_DENIED && other.len > 0)
        return mg_cli_say(cli, MG_EXIT_REFUSED,
                          "refused: the loop " MG_FMT " is active in '" MG_FMT
                          "'; 'makegood loop show " MG_FMT "' tells how far it is, 'makegood loop "
                          "cancel " MG_FMT "' ends it, and then 'makegood loop resume " MG_FMT
                          "' would go on with it",
                          MG_ARG(other), MG_ARG(g->plan->pursuit.root), MG_ARG(other),
                          MG_ARG(other), MG_ARG(other));
    if (s == MG_ERR_DENIED && !g->began)
        return mg_cli_say(cli, MG_EXIT_REFUSED,
                          "refused: %s; it is kept in another state directory than this one",
                          err->text);
    if (s == MG_ERR_CANCELLED)
        return mg_cli_say(cli, MG_EXIT_INTERRUPTED, "interrupted before the first attempt");
    if (s == MG_ERR_INVALID || (s == MG_ERR_NOT_FOUND && g->show->resume))
        return mg_cli_say(cli, g->show->resume ? MG_EXIT_NOT_MET : MG_EXIT_USAGE,
                          "the agent was not started: %s", err->text);
    return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err->text);
}

static int show_end(const going *g, mg_str other)
{
    mg_cli *cli = g->cli;
    const mg_pursuit *p = &g->plan->pursuit;
    const int code = mg_drive_exit(p);
    const mg_str id = mg_str_first(p->id, MG_ID_SHOWN);
    if (other.len > 0 && !g->show->resume)
        (void)mg_cli_say(cli, 0,
                         "the loop " MG_FMT " was left here by a driver that is gone; 'makegood "
                         "loop resume " MG_FMT "' goes on with it",
                         MG_ARG(other), MG_ARG(other));
    mg_cli to_err = *cli;
    if (g->show->events != NULL && strcmp(g->show->events, "-") == 0) {
        to_err.out = cli->err; /* stdout is for the events alone */
        to_err.color = cli->color_err;
    }
    mg_pursuit told = *p;
    if (!g->show->json)
        told.warnings = (mg_strs){0}; /* they were told when they came up */
    const int shown = mg_drive_report(&to_err, &told, g->show->json, code);
    if (p->status == MG_PURSUIT_CANCELLED)
        (void)mg_cli_say(cli, 0, "stopped; 'makegood loop resume " MG_FMT "' goes on with it",
                         MG_ARG(id));
    else if (!cli->quiet && p->attempt_count > 0)
        (void)mg_cli_say(cli, 0,
                         "'makegood loop report " MG_FMT " --html FILE' writes a page about it",
                         MG_ARG(id));
    return shown;
}

/* --- The loop --- */

static int prepare(going *g, mg_store **store)
{
    mg_cli *cli = g->cli;
    mg_drive_setup *o = &g->plan->options;
    mg_err err;
    shut_proc();
    int code = mg_drive_open_store(cli, &o->state_dir, store);
    if (code == MG_EXIT_MET)
        code = keep_apart(cli, g->plan);
    if (code == MG_EXIT_MET)
        code = open_events(g);
    if (code != MG_EXIT_MET)
        return code;
    mg_status s = mg_supervisor_find(cli->environ, cli->arena, &o->supervisor, &err);
    if (s == MG_OK && !g->show->resume)
        s = mg_id_new(cli->arena, cli->clock->wall_ms(cli->clock->self), &g->plan->pursuit.id,
                      &err);
    if (s == MG_OK)
        s = mg_cancel_install(&o->cancel, &err);
    if (s != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "nothing was run: %s", err.text);
    mg_drive_plan_overlook(g->plan, cli->out, cli->arena);
    mg_drive_plan_overlook(g->plan, cli->err, cli->arena);
    o->store = *store;
    o->event = on_event;
    o->event_data = g;
    return MG_EXIT_MET;
}

static int run(going *g)
{
    mg_str other = {0};
    mg_err err = {0};
    const mg_drive_setup *o = &g->plan->options;
    g->display = mg_display_start(g->cli, g->show->verbose);
    tell_warnings(g, &g->plan->pursuit);
    const mg_status s = g->show->resume
                            ? mg_drive_resume(o, g->cli->arena, &g->plan->pursuit, &other, &err)
                            : mg_drive_run(o, g->cli->arena, &g->plan->pursuit, &other, &err);
    tell_lost(g, mg_stream_close(g->events, g->cli->arena));
    g->events = NULL;
    mg_display_stop(g->display);
    g->display = NULL;
    return s == MG_OK ? show_end(g, other) : explain(g, s, other, &err);
}

int mg_drive_go(mg_cli *cli, mg_drive_plan *plan, const mg_drive_show *show)
{
    going g = {.cli = cli, .plan = plan, .show = show, .events_fd = -1};
    MG_AUTO(mg_store) store = NULL;
    int code = prepare(&g, &store);
    if (code == MG_EXIT_MET)
        code = run(&g);
    else
        (void)mg_stream_close(g.events, cli->arena);
    if (g.events_fd >= 0)
        (void)close(g.events_fd);
    return code;
}
