/* cmd_loop.c - makegood loop ACTION [ID]: what was driven, and how to stop or go on with it.
 *
 * An action is one function and one row. Only the user's own loops are there.
 */
#include "base/fs.h"
#include "cli/drive_go.h"
#include "cli/goals.h"
#include "cli/live.h"
#include "cli/loop_asked.h"
#include "cli/loop_choose.h"
#include "cli/place.h"
#include "report/pursuit.h"

#include <limits.h>
#include <unistd.h>

enum { ROWS_NAMED = 200 }; /* of a list: loops without a sentence that are looked at for one */

static bool wants_json(const mg_cli_args *args)
{
    return strcmp(mg_cli_text(args, "format"), "json") == 0;
}

int mg_loop_load(const mg_loop_asked *a, mg_str id, mg_pursuit *out, mg_owner *owner)
{
    mg_err err;
    const mg_status s = mg_store_load(a->store, a->user, id, a->cli->arena, out, owner, &err);
    if (s == MG_OK)
        return MG_EXIT_MET;
    const bool theirs = s == MG_ERR_NOT_FOUND || s == MG_ERR_INVALID;
    return mg_cli_say(a->cli, theirs ? MG_EXIT_NOT_MET : MG_EXIT_ERROR, "%s", err.text);
}

/* The one that is named; without a name the newest here, and which one that is is said. */
static int load_meant(const mg_loop_asked *a, bool to_resume, mg_pursuit *out)
{
    mg_cli *cli = a->cli;
    mg_pursuits all = {0};
    mg_err err;
    char cwd[PATH_MAX];
    if (a->args->second.ptr != NULL)
        return mg_loop_load(a, a->args->second, out, NULL);
    if (mg_store_list(a->store, a->user, 0, cli->arena, &all, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    const mg_str here = mg_str_of(getcwd(cwd, sizeof cwd) != NULL ? cwd : "");
    const mg_choice choice = mg_loop_choose(&all, here, to_resume);
    if (choice.loop == NULL)
        return mg_cli_say(cli, MG_EXIT_NOT_MET,
                          "there is no loop yet; 'makegood drive' begins one");
    if (!cli->quiet || (to_resume && !choice.here)) /* an agent would work where nobody looks */
        (void)mg_cli_say(cli, 0, "the loop " MG_FMT " in '" MG_FMT "'%s",
                         MG_ARG(mg_str_first(choice.loop->id, MG_ID_SHOWN)),
                         MG_ARG(choice.loop->root),
                         choice.here ? "" : ", for there is none of this directory");
    return mg_loop_load(a, choice.loop->id, out, NULL);
}

/* --- list --- */

/* What was asked for is the name of a loop that has no sentence. */
static void find_commands(const mg_loop_asked *a, mg_pursuits *all)
{
    for (size_t i = 0, looked = 0; i < all->count && looked < ROWS_NAMED; i++) {
        MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
        mg_pursuit whole, *p = &all->items[i];
        if (p->goal.len > 0 || p->goal_file.len > 0)
            continue;
        looked++;
        if (mg_store_load(a->store, a->user, p->id, scratch, &whole, NULL, NULL) == MG_OK)
            p->frozen = mg_str_copy(a->cli->arena, whole.frozen);
    }
}

static void write_time(mg_json_out *json, const char *key, int64_t wall_ms)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_json_key(json, key);
    if (wall_ms == 0)
        mg_json_null(json);
    else
        mg_json_str(json, mg_time_rfc3339(scratch, wall_ms));
}

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
    write_time(json, "created", p->created_ms);
    write_time(json, "finished", p->finished_ms);
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

static int list(const mg_loop_asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuits all = {0};
    mg_err err;
    const size_t limit = (size_t)mg_cli_amount(a->args, "limit");
    if (mg_store_list(a->store, a->user, limit, cli->arena, &all, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    if (!a->json)
        find_commands(a, &all);
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

static int show(const mg_loop_asked *a)
{
    mg_pursuit p = {0};
    const int code = load_meant(a, false, &p);
    if (code != MG_EXIT_MET)
        return code;
    return mg_drive_report(a->cli, &p, a->json, MG_EXIT_MET);
}

static int report(const mg_loop_asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuit p = {0};
    mg_place place;
    const char *file = mg_cli_text(a->args, "html");
    if (file == NULL && isatty(cli->out))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "loop report: the page needs a place; add '--html FILE', or '--html -' "
                          "for stdout");
    int code = load_meant(a, false, &p);
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

/* --- resume --- */

/* The goal file may have changed since; the loop goes on with the goal it began with. */
static void compare_file(const mg_loop_asked *a, const mg_drive_ask *ask, const mg_pursuit *p)
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

static int resume(const mg_loop_asked *a)
{
    mg_cli *cli = a->cli;
    mg_pursuit p = {0};
    mg_drive_ask ask;
    mg_drive_plan *plan;
    mg_err err;
    const int code = load_meant(a, true, &p);
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
    int (*run)(const mg_loop_asked *a);
    const char *options[4]; /* of those that not every action has */
} actions[] = {
    {"list", list, {"limit", "format"}},    {"show", show, {"format"}},
    {"cancel", mg_loop_cancel, {"format"}}, {"resume", resume, {"format", "events", "verbose"}},
    {"report", report, {"html"}},
};

static bool takes(const struct action *action, const char *option)
{
    for (size_t i = 0; i < MG_COUNT(action->options) && action->options[i] != NULL; i++)
        if (strcmp(action->options[i], option) == 0)
            return true;
    return false;
}

/* An option that does nothing here was meant to do something. */
static int refuse_idle(mg_cli *cli, const mg_cli_args *args, const struct action *action)
{
    for (const mg_option *o = args->command->options; o->name != NULL; o++) {
        if (!mg_cli_given(args, o->name) || takes(action, o->name))
            continue;
        const struct action *other = actions;
        while (!takes(other, o->name)) /* each belongs to one of them */
            other++;
        return mg_cli_say(cli, MG_EXIT_USAGE, "loop %s: it takes no '--%s'; 'loop %s' does",
                          action->name, o->name, other->name);
    }
    if (args->second.ptr != NULL && strcmp(action->name, "list") == 0)
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "loop list: it takes no ID; 'makegood loop show " MG_FMT "' shows one",
                          MG_ARG(args->second));
    if (cli->quiet && mg_cli_given(args, "verbose"))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "loop %s: '--quiet' and '--verbose' ask for opposite things; take one of "
                          "them",
                          action->name);
    return MG_EXIT_MET;
}

static int act(const struct action *action, mg_cli *cli, const mg_cli_args *args)
{
    MG_AUTO(mg_store) store = NULL;
    mg_loop_asked a = {.cli = cli, .args = args, .json = wants_json(args)};
    int code = refuse_idle(cli, args, action);
    if (code == MG_EXIT_MET)
        code = mg_drive_open_store(cli, &a.state_dir, &store);
    if (code != MG_EXIT_MET)
        return code;
    a.store = store;
    a.user = mg_strf(cli->arena, "%ju", (uintmax_t)getuid());
    return action->run(&a);
}

int mg_cmd_loop(mg_cli *cli, const mg_cli_args *args)
{
    const mg_str name = args->operand.ptr != NULL ? args->operand : MG_STR("list");
    for (size_t i = 0; i < MG_COUNT(actions); i++)
        if (mg_str_is(name, actions[i].name))
            return act(&actions[i], cli, args);
    return mg_cli_say(cli, MG_EXIT_USAGE, "loop: there is no action '" MG_FMT "'", MG_ARG(name));
}
