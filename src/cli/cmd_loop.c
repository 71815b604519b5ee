/* cmd_loop.c - makegood loop ACTION [ID]: what was driven, and how to stop or go on with it.
 *
 * An action is one function and one row. Only the user's own loops are there.
 */
#include "base/fs.h"
#include "cli/drive_go.h"
#include "cli/goals.h"
#include "cli/live.h"
#include "cli/place.h"
#include "report/pursuit.h"

#include <fcntl.h>
#include <unistd.h>

enum { CANCEL_WAIT_MS = 20000, CANCEL_LOOK_MS = 50 };

typedef struct asked {
    mg_cli *cli;
    const mg_cli_args *args;
    mg_store *store;
    const char *state_dir;
    mg_str user;
    bool json;
} asked;

static bool wants_json(const mg_cli_args *args)
{
    return strcmp(mg_cli_text(args, "format"), "json") == 0;
}

/* One loop, by its id or its beginning; without one the newest. */
static int load(const asked *a, mg_str id, mg_pursuit *out)
{
    mg_err err;
    mg_owner owner;
    const mg_status s = mg_store_load(a->store, a->user, id.ptr != NULL ? id : MG_STR("last"),
                                      a->cli->arena, out, &owner, &err);
    if (s == MG_OK)
        return MG_EXIT_MET;
    const bool theirs = s == MG_ERR_NOT_FOUND || s == MG_ERR_INVALID;
    return mg_cli_say(a->cli, theirs ? MG_EXIT_NOT_MET : MG_EXIT_ERROR, "%s", err.text);
}

/* --- list --- */

static void write_row(mg_json_out *json, const mg_pursuit *p)
{
    mg_json_begin(json, '{');
    mg_json_key(json, "loop_id");
    mg_json_str(json, p->id);
    mg_json_key(json, "root");
    mg_json_str(json, p->root);
    mg_json_key(json, "goal");
    mg_json_str(json, p->goal);
    mg_json_key(json, "status");
    mg_json_cstr(json, mg_pursuit_status_name(p->status));
    mg_json_key(json, "reason");
    mg_json_cstr(json, mg_why_name(p->reason));
    mg_json_key(json, "verified");
    mg_json_bool(json, mg_pursuit_holds(p));
    mg_json_key(json, "attempts");
    mg_json_int(json, p->attempt_total);
    mg_json_key(json, "stale");
    mg_json_bool(json, p->stale);
    mg_json_end(json, '}');
}

static void write_list(const mg_pursuits *all, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "loops");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < all->count; i++)
        write_row(&json, &all->items[i]);
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

static int list(const asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuits all = {0};
    mg_err err;
    const size_t limit = (size_t)mg_cli_amount(a->args, "limit");
    if (mg_store_list(a->store, a->user, limit, cli->arena, &all, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    mg_buf text = mg_cli_buf(cli);
    const mg_report_style style = {cli->color, cli->quiet, cli->width, cli->version};
    if (a->json)
        write_list(&all, &text);
    else
        mg_pursuits_text(all.items, all.count, cli->clock->wall_ms(cli->clock->self), &style,
                         cli->arena, &text);
    if (!a->json && all.count == 0 && !cli->quiet)
        mg_buf_adds(&text, "No loop yet; 'makegood drive' begins one.\n");
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}

/* --- show, report --- */

static int show(const asked *a)
{
    mg_pursuit p;
    const int code = load(a, a->args->second, &p);
    if (code != MG_EXIT_MET)
        return code;
    return mg_drive_report(a->cli, &p, a->json, MG_EXIT_MET);
}

static int report(const asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuit p;
    mg_place place;
    const char *file = mg_cli_text(a->args, "html");
    if (file == NULL && isatty(cli->out))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "loop report: the page needs a place; add '--html FILE', or '--html -' "
                          "for stdout");
    int code = load(a, a->args->second, &p);
    if (code == MG_EXIT_MET)
        code = mg_place_prepare(cli, file, &(mg_strs){0}, &place);
    if (code != MG_EXIT_MET)
        return code;
    mg_buf page = mg_cli_buf(cli);
    mg_pursuit_html(&p, cli->version, cli->arena, &page);
    code = mg_place_put(cli, &place, &page, MG_EXIT_MET);
    if (code == MG_EXIT_MET && place.path != NULL && !cli->quiet)
        (void)mg_cli_say(cli, 0, "the page about the loop " MG_FMT " is in '%s'",
                         MG_ARG(mg_str_first(p.id, MG_ID_SHOWN)), place.path);
    return code;
}

/* --- cancel --- */

/* Without an id only one loop can be meant. */
static int find_running(const asked *a, mg_str *id)
{
    mg_pursuits all = {0};
    mg_err err;
    size_t running = 0;
    if (mg_store_list(a->store, a->user, 0, a->cli->arena, &all, &err) != MG_OK)
        return mg_cli_say(a->cli, MG_EXIT_ERROR, "%s", err.text);
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].status != MG_PURSUIT_RUNNING)
            continue;
        *id = all.items[i].id;
        running++;
    }
    if (running == 1)
        return MG_EXIT_MET;
    if (running == 0)
        return mg_cli_say(a->cli, MG_EXIT_NOT_MET, "no loop is running");
    return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                      "%zu loops are running; 'makegood loop list' names them, and 'makegood loop "
                      "cancel ID' ends one",
                      running);
}

/* The driver watches its directory: a file there wakes it at once. It may be gone already. */
static void wake_driver(const asked *a, mg_str id)
{
    const mg_str path =
        mg_strf(a->cli->arena, "%s/loops/" MG_FMT "/cancel", a->state_dir, MG_ARG(id));
    MG_AUTO_FD fd = open(path.ptr, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    (void)fd;
}

static int wait_until_over(const asked *a, mg_str id, mg_pursuit *out)
{
    const struct timespec pause = {.tv_nsec = CANCEL_LOOK_MS * 1000000L};
    for (int waited = 0; waited < CANCEL_WAIT_MS; waited += CANCEL_LOOK_MS) {
        const int code = load(a, id, out);
        if (code != MG_EXIT_MET || (out->status != MG_PURSUIT_RUNNING || out->stale))
            return code;
        (void)nanosleep(&pause, NULL);
    }
    return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                      "the loop " MG_FMT
                      " was told to stop, but has not yet; 'makegood loop show " MG_FMT
                      "' tells when",
                      MG_ARG(mg_str_first(id, MG_ID_SHOWN)), MG_ARG(mg_str_first(id, MG_ID_SHOWN)));
}

static int cancel(const asked *a)
{
    mg_cli *cli = a->cli;
    mg_str id = a->args->second;
    mg_pursuit p;
    mg_err err;
    int code = id.ptr == NULL ? find_running(a, &id) : MG_EXIT_MET;
    if (code == MG_EXIT_MET)
        code = load(a, id, &p);
    if (code != MG_EXIT_MET)
        return code;
    const mg_status s =
        mg_store_cancel(a->store, a->user, p.id, cli->clock->wall_ms(cli->clock->self), &err);
    if (s != MG_OK)
        return mg_cli_say(
            cli, s == MG_ERR_INVALID || s == MG_ERR_NOT_FOUND ? MG_EXIT_NOT_MET : MG_EXIT_ERROR,
            "%s", err.text);
    wake_driver(a, p.id);
    code = wait_until_over(a, p.id, &p);
    if (code != MG_EXIT_MET)
        return code;
    if (a->json)
        return mg_drive_report(cli, &p, true, MG_EXIT_MET);
    mg_buf text = mg_cli_buf(cli);
    const mg_str shown = mg_str_first(p.id, MG_ID_SHOWN);
    mg_buf_addf(&text, "The loop " MG_FMT " is over: %s.", MG_ARG(shown), mg_pursuit_word(&p));
    if (p.status == MG_PURSUIT_CANCELLED)
        mg_buf_addf(&text, " 'makegood loop resume " MG_FMT "' goes on with it.", MG_ARG(shown));
    mg_buf_addc(&text, '\n');
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}

/* --- resume --- */

/* The goal file may have changed since; the loop goes on with the goal it began with. */
static void compare_file(const asked *a, const mg_drive_ask *ask, const mg_pursuit *p)
{
    mg_source now;
    if (ask->file_path.len == 0 || a->cli->quiet)
        return;
    const mg_status s = mg_goal_source(a->cli, ask->file_path.ptr, &now, NULL);
    if (s == MG_OK && mg_str_eq(now.text, mg_str_first(p->frozen, ask->file_bytes)))
        return;
    (void)mg_cli_say(a->cli, 0,
                     "the goal file '" MG_FMT "' is not what it was when the loop began; it goes "
                     "on with the goal of then",
                     MG_ARG(ask->file));
}

/* Everything about the loop comes from the store, everything about how to run from the plan. */
static void join_plan(mg_drive_plan *plan, const mg_pursuit *stored)
{
    plan->options.budget = stored->budget;
    plan->pursuit = *stored;
}

static int resume(const asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuit p;
    mg_drive_ask ask;
    mg_drive_plan *plan;
    mg_err err;
    const int code = load(a, a->args->second, &p);
    if (code != MG_EXIT_MET)
        return code;
    const mg_str id = mg_str_first(p.id, MG_ID_SHOWN);
    if (p.status == MG_PURSUIT_SUCCEEDED || p.status == MG_PURSUIT_GAVE_UP)
        return mg_cli_say(cli, MG_EXIT_NOT_MET,
                          "the loop " MG_FMT " came to its end (%s); 'makegood drive' begins anew",
                          MG_ARG(id), mg_pursuit_word(&p));
    if (!mg_str_eq(mg_sha256_hex(cli->arena, p.frozen), p.frozen_sha256))
        return mg_cli_say(cli, MG_EXIT_NOT_MET,
                          "the stored goal of the loop " MG_FMT " is not the one it began with; it "
                          "is not resumed",
                          MG_ARG(id));
    if (mg_drive_ask_read(p.request, cli->arena, &ask, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR,
                          "how the loop " MG_FMT " was asked for cannot be "
                          "read: %s",
                          MG_ARG(id), err.text);
    compare_file(a, &ask, &p);
    mg_buf complaint = mg_buf_new(cli->arena, 1u << 20);
    if (mg_drive_plan_make(cli, &ask, p.frozen, &plan, &complaint) != MG_OK)
        return mg_cli_complain(cli, MG_EXIT_USAGE, "nothing was run", mg_buf_str(&complaint));
    if (!mg_str_eq(plan->pursuit.scope, p.scope))
        (void)mg_cli_say(cli, 0, "the root '" MG_FMT "' is another directory than it was",
                         MG_ARG(p.root));
    join_plan(plan, &p);
    const mg_drive_show how = {
        .events = mg_cli_text(a->args, "events"),
        .json = a->json,
        .verbose = mg_cli_given(a->args, "verbose"),
        .resume = true,
    };
    return mg_drive_go(cli, plan, &how);
}

static const struct action {
    const char *name;
    int (*run)(const asked *a);
} actions[] = {
    {"list", list}, {"show", show}, {"cancel", cancel}, {"resume", resume}, {"report", report},
};

int mg_cmd_loop(mg_cli *cli, const mg_cli_args *args)
{
    const mg_str name = args->operand.ptr != NULL ? args->operand : MG_STR("list");
    MG_AUTO(mg_store) store = NULL;
    asked a = {.cli = cli, .args = args, .json = wants_json(args)};
    if (mg_str_is(name, "list") && args->second.ptr != NULL)
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "loop list: it takes no ID; 'makegood loop show " MG_FMT "' shows one",
                          MG_ARG(args->second));
    const int code = mg_drive_open_store(cli, &a.state_dir, &store);
    if (code != MG_EXIT_MET)
        return code;
    a.store = store;
    a.user = mg_strf(cli->arena, "%ju", (uintmax_t)getuid());
    for (size_t i = 0; i < MG_COUNT(actions); i++)
        if (mg_str_is(name, actions[i].name))
            return actions[i].run(&a);
    return mg_cli_say(cli, MG_EXIT_USAGE, "loop: there is no action '" MG_FMT "'", MG_ARG(name));
}
