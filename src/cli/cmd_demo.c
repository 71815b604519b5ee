/* cmd_demo.c - makegood demo: an agent falls short twice and is re-driven until the goal holds.
 *
 * The site of examples/site is put into a temporary directory and driven as a user would, with the
 * built-in scripted agent and a state directory of its own. Success is what was observed: exactly
 * this story; anything else is 4.
 */
#include "cli/cancel.h"
#include "cli/drive_plan.h"
#include "cli/goals.h"
#include "cli/site.h"
#include "io/supervise.h"
#include "report/pursuit.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct demo {
    mg_cli *cli; /* with an environment whose state directory is ours */
    mg_buf *out; /* NULL where the story is not told (--format json) */
    char dir[PATH_MAX];
} demo;

static void tell(const demo *d, const char *text)
{
    if (d->out != NULL && !d->cli->quiet)
        mg_buf_addf(d->out, "%s%s%s\n", d->cli->color ? "\033[1m" : "", text,
                    d->cli->color ? "\033[0m" : "");
}

/* --- The stage --- */

static mg_status set_up(demo *d, mg_err *err)
{
    const char *temp = mg_cli_getenv(d->cli, "TMPDIR");
    char made[PATH_MAX];
    const int len = snprintf(made, sizeof made, "%s/makegood-demo-XXXXXX",
                             temp != NULL && temp[0] == '/' ? temp : "/tmp");
    if (len < 0 || (size_t)len >= sizeof made)
        return mg_fail(err, MG_ERR_LIMIT, "TMPDIR is too long a path");
    if (mkdtemp(made) == NULL || realpath(made, d->dir) == NULL)
        return mg_fail_errno(err, "a temporary directory '%s' cannot be made", made);
    const char *site = mg_strf(d->cli->arena, "%s/site", d->dir).ptr;
    if (mkdir(site, 0777) < 0)
        return mg_fail_errno(err, "directory '%s' cannot be made", site);
    for (const mg_site_file *f = mg_site; f->name != NULL; f++)
        MG_TRY(mg_file_replace(mg_strf(d->cli->arena, "%s/%s", site, f->name).ptr,
                               (mg_str){f->bytes, f->len}, err));
    return MG_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

static void clean_up(const demo *d)
{
    enum { OPEN_AT_ONCE = 16 };
    if (d->dir[0] != '\0')
        (void)nftw(d->dir, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* The user's own environment, but for where loops are kept. */
static const char *const *own_state(const demo *d)
{
    size_t count = 0, kept = 0;
    while (d->cli->environ[count] != NULL)
        count++;
    const char **env = mg_new_array(d->cli->arena, const char *, count + 2);
    for (size_t i = 0; i < count; i++)
        if (strncmp(d->cli->environ[i], "XDG_STATE_HOME=", 15) != 0)
            env[kept++] = d->cli->environ[i];
    env[kept] = mg_strf(d->cli->arena, "XDG_STATE_HOME=%s/state", d->dir).ptr;
    return env;
}

/* --- The play --- */

static void on_event(void *data, const mg_event *event)
{
    const demo *d = data;
    if (event->type != MG_EVENT_ATTEMPT_FINISHED || d->out == NULL || d->cli->quiet)
        return;
    const mg_attempt *a = event->attempt;
    const size_t changed = mg_attempt_changed(a);
    mg_buf_addf(d->out, "  Attempt %u: %s. %s: %s, goal_actions_executed: %s, %zu %s changed.\n",
                a->number, mg_attempt_label(a), mg_attempt_status_name(a->status),
                a->reason != NULL ? a->reason : "no reason",
                a->goal_actions_executed ? "true" : "false", changed,
                changed == 1 ? "file" : "files");
    if (a->response.len > 0)
        mg_buf_addf(d->out, "    It says:     \"" MG_FMT "\"\n", MG_ARG(a->response));
    if (a->gap.detector != NULL)
        mg_buf_addf(d->out, "    It is told:  " MG_FMT "\n", MG_ARG(a->gap.headline));
    mg_buf_addc(d->out, '\n');
}

static mg_status plan_of(const demo *d, mg_drive_plan **out, mg_err *err)
{
    mg_cli *cli = d->cli;
    mg_source source;
    mg_buf complaint = mg_buf_new(cli->arena, MG_ERR_TEXT_MAX);
    const char *file = mg_strf(cli->arena, "%s/site/" MG_GOAL_FILE, d->dir).ptr;
    MG_TRY(mg_goal_source(cli, file, &source, err));
    const mg_drive_ask ask = {
        .file = MG_STR(MG_GOAL_FILE), /* the temporary directory would only distract */
        .file_path = mg_str_of(file),
        .file_bytes = source.text.len,
        .directory = source.directory,
        .cwd = mg_str_of(d->dir),
    };
    if (mg_drive_plan_make(cli, &ask, source.text, out, &complaint) != MG_OK)
        return mg_fail(err, MG_ERR_INVALID, MG_FMT, MG_ARG(mg_str_trim(mg_buf_str(&complaint))));
    return MG_OK;
}

static mg_status drive(demo *d, const mg_cancel *cancel, mg_pursuit *out, mg_err *err)
{
    mg_cli *cli = d->cli;
    MG_AUTO(mg_store) store = NULL;
    mg_drive_plan *plan;
    mg_str other;
    MG_TRY(plan_of(d, &plan, err));
    mg_drive_setup *o = &plan->options;
    MG_TRY(mg_state_dir(cli->environ, cli->arena, &o->state_dir, err));
    MG_TRY(mg_store_open(o->state_dir, &store, err));
    MG_TRY(mg_supervisor_find(cli->environ, cli->arena, &o->supervisor, err));
    MG_TRY(mg_id_new(cli->arena, cli->clock->wall_ms(cli->clock->self), &plan->pursuit.id, err));
    o->store = store;
    o->cancel = cancel;
    o->event = on_event;
    o->event_data = d;
    MG_TRY(mg_drive_run(o, cli->arena, &plan->pursuit, &other, err));
    *out = plan->pursuit;
    return MG_OK;
}

static void show_goal(const demo *d)
{
    for (const mg_site_file *f = mg_site; f->name != NULL; f++)
        if (strcmp(f->name, MG_GOAL_FILE) == 0 && d->out != NULL && !d->cli->quiet)
            mg_buf_addf(d->out, "%.*s\n", (int)f->len, f->bytes);
}

static mg_status play(demo *d, const mg_cancel *cancel, mg_pursuit *out, mg_err *err)
{
    MG_TRY(set_up(d, err));
    mg_cli own = *d->cli;
    own.environ = own_state(d);
    demo inside = *d;
    inside.cli = &own;
    tell(d, "1. A small website, and a goal for it (makegood.yaml):\n");
    show_goal(d);
    tell(d, "2. A scripted agent is driven at it: $ makegood drive\n");
    MG_TRY(drive(&inside, cancel, out, err));
    if (d->out == NULL)
        return MG_OK;
    tell(d, "3. What makegood has seen itself:\n");
    const mg_report_style style = {own.color, own.quiet, own.width, own.version};
    mg_pursuit_text(out, &style, own.arena, d->out);
    mg_buf_addc(d->out, '\n');
    return MG_OK;
}

/* --- Whether it went as it must --- */

static bool emptied(const mg_attempt *a)
{
    for (size_t i = 0; i < a->changes.count; i++)
        if (mg_str_is(a->changes.items[i].path, "style.css") && a->changes.items[i].size_after == 0)
            return true;
    return false;
}

static bool as_expected(const mg_pursuit *p)
{
    if (!mg_pursuit_holds(p) || p->reason != MG_WHY_GOAL_MET || p->attempt_count != 3)
        return false;
    const mg_attempt *reads = &p->attempts[0], *empties = &p->attempts[1], *works = &p->attempts[2];
    return reads->terminal == MG_TERMINAL_MAX_ITERATIONS && reads->status == MG_ATTEMPT_PARTIAL &&
           reads->verdict == MG_VERDICT_NOT_MET && !reads->goal_actions_executed &&
           empties->verdict == MG_VERDICT_NOT_MET && empties->goal_actions_executed &&
           emptied(empties) && works->verdict == MG_VERDICT_MET &&
           works->status == MG_ATTEMPT_SUCCESS;
}

static void write_json(const mg_pursuit *p, bool expected, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "as_expected");
    mg_json_bool(&json, expected);
    mg_json_key(&json, "loop");
    mg_pursuit_write(&json, p);
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

int mg_cmd_demo(mg_cli *cli, const mg_cli_args *args)
{
    const bool as_json = strcmp(mg_cli_text(args, "format"), "json") == 0;
    const mg_cancel *cancel;
    mg_buf out = mg_cli_buf(cli);
    demo d = {.cli = cli, .out = as_json ? NULL : &out};
    mg_pursuit p = {0};
    mg_err err;
    if (mg_cancel_install(&cancel, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    const mg_status s = play(&d, cancel, &p, &err);
    clean_up(&d);
    if (s == MG_ERR_CANCELLED || p.status == MG_PURSUIT_CANCELLED)
        return mg_cli_say(cli, MG_EXIT_INTERRUPTED, "interrupted");
    if (s != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "the demo stopped: %s", err.text);
    const bool held = as_expected(&p);
    if (as_json)
        write_json(&p, held, &out);
    else if (held)
        tell(&d, "Twice it fell short and was told what is missing; then it did the work, and that "
                 "was seen.\n'makegood init' starts with your own project.");
    const int code = mg_cli_show(cli, &out, held ? MG_EXIT_MET : MG_EXIT_ERROR);
    if (!held)
        (void)mg_cli_say(cli, 0, "the demo went wrong: %s after %zu attempts, not as it should",
                         mg_pursuit_word(&p), p.attempt_count);
    return code;
}
