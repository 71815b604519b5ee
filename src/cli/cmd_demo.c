/* cmd_demo.c - makegood demo: a goal falls short, is repaired and holds, all for real.
 *
 * The site of examples/site is put into a temporary directory and checked as a user would.
 * Success is what was observed: not met before the repair, met after it, anything else is 4.
 */
#include "cli/cancel.h"
#include "cli/goals.h"
#include "cli/site.h"
#include "data/json.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What a good agent would change, line by line; a NULL new line is a removal. */
static const struct repair {
    const char *file, *old, *new;
} repairs[] = {
    {"style.css", "  color: #222;\n", "  color: #fdfdfd;\n"},
    {"style.css", "  background: white;\n", "  background: darkgreen;\n"},
    {"app.js", "document.body.style.background = 'white';\n", NULL},
};

typedef struct demo {
    mg_cli *cli;
    mg_buf *out; /* NULL where the story is not told (--format json) */
    const mg_cancel *cancel;
    char dir[4096];
    int fd;
} demo;

static void tell(const demo *d, const char *text)
{
    if (d->out != NULL && !d->cli->quiet)
        mg_buf_addf(d->out, "%s%s%s\n", d->cli->color ? "\033[1m" : "", text,
                    d->cli->color ? "\033[0m" : "");
}

static mg_status write_file(const demo *d, const char *name, mg_str bytes, mg_err *err)
{
    MG_AUTO_FD fd =
        openat(d->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return mg_fail_errno(err, "'%s' in '%s' cannot be written", name, d->dir);
    return mg_context(err, mg_fd_write_all(fd, bytes, err), "'%s' in '%s'", name, d->dir);
}

static mg_status set_up(demo *d, mg_err *err)
{
    const char *temp = mg_cli_getenv(d->cli, "TMPDIR");
    const int len = snprintf(d->dir, sizeof d->dir, "%s/makegood-demo-XXXXXX",
                             temp != NULL && temp[0] == '/' ? temp : "/tmp");
    if (len < 0 || (size_t)len >= sizeof d->dir)
        return mg_fail(err, MG_ERR_LIMIT, "TMPDIR is too long a path");
    if (mkdtemp(d->dir) == NULL) {
        const mg_status s = mg_fail_errno(err, "a temporary directory '%s' cannot be made", d->dir);
        d->dir[0] = '\0';
        return s;
    }
    d->fd = open(d->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0)
        return mg_fail_errno(err, "'%s' cannot be opened", d->dir);
    for (const mg_site_file *f = mg_site; f->name != NULL; f++)
        MG_TRY(write_file(d, f->name, (mg_str){f->bytes, f->len}, err));
    return MG_OK;
}

static void clean_up(const demo *d)
{
    for (const mg_site_file *f = mg_site; f->name != NULL && d->fd >= 0; f++)
        (void)unlinkat(d->fd, f->name, 0);
    if (d->fd >= 0)
        (void)close(d->fd);
    if (d->dir[0] != '\0')
        (void)rmdir(d->dir);
}

static void show_goal(const demo *d)
{
    for (const mg_site_file *f = mg_site; f->name != NULL; f++)
        if (strcmp(f->name, MG_GOAL_FILE) == 0 && d->out != NULL && !d->cli->quiet)
            mg_buf_addf(d->out, "%.*s\n", (int)f->len, f->bytes);
}

/* Checks the site as it is now, and shows the report. */
static mg_status check(const demo *d, mg_verdict *verdict, mg_err *err)
{
    mg_cli *cli = d->cli;
    mg_target target;
    mg_buf complaint = mg_buf_new(cli->arena, MG_ERR_TEXT_MAX);
    const char *file = mg_strf(cli->arena, "%s/" MG_GOAL_FILE, d->dir).ptr;
    if (mg_target_open(cli, file, NULL, &target, &complaint) != MG_OK)
        return mg_fail(err, MG_ERR_INVALID, MG_FMT, MG_ARG(mg_str_trim(mg_buf_str(&complaint))));
    const mg_view view = {.world = &target.world,
                          .limits = &mg_limits_default,
                          .clock = cli->clock,
                          .deadline_ms = UINT64_MAX,
                          .cancel = d->cancel};
    mg_report report = {0};
    MG_TRY(mg_check_run(target.goal, &view, &(mg_check_options){0}, cli->arena, &report, err));
    *verdict = mg_report_verdict(&report);
    report.goal_file = MG_STR(MG_GOAL_FILE); /* the temporary directory would only distract */
    const mg_report_style style = {cli->color, cli->quiet, cli->width, cli->version};
    if (d->out != NULL) {
        mg_reporter_find("text")->write(&report, &style, cli->arena, d->out);
        mg_buf_addc(d->out, '\n');
    }
    return MG_OK;
}

/* Replaces one line of a file; the line must be there. */
static mg_status repair_line(const demo *d, const struct repair *r, mg_err *err)
{
    mg_arena *arena = d->cli->arena;
    mg_str text;
    MG_TRY(mg_file_read(d->fd, mg_str_of(r->file), 1u << 20, arena, &text, err));
    const char *at = memmem(text.ptr, text.len, r->old, strlen(r->old));
    if (at == NULL)
        return mg_fail(err, MG_ERR_INVALID, "'%s' does not have the line to repair", r->file);
    const mg_str before = {text.ptr, (size_t)(at - text.ptr)};
    const mg_str after = mg_str_from(text, before.len + strlen(r->old));
    const mg_str repaired = mg_strf(arena, MG_FMT "%s" MG_FMT, MG_ARG(before),
                                    r->new != NULL ? r->new : "", MG_ARG(after));
    return write_file(d, r->file, repaired, err);
}

static mg_status repair(const demo *d, mg_err *err)
{
    const bool color = d->cli->color, shown = d->out != NULL && !d->cli->quiet;
    const char *red = color ? "\033[31m" : "", *green = color ? "\033[32m" : "";
    const char *plain = color ? "\033[0m" : "";
    for (size_t i = 0; i < MG_COUNT(repairs); i++) {
        const struct repair *r = &repairs[i];
        MG_TRY(repair_line(d, r, err));
        if (shown && (i == 0 || strcmp(r->file, repairs[i - 1].file) != 0))
            mg_buf_addf(d->out, "  %s\n", r->file);
        if (shown)
            mg_buf_addf(d->out, "  %s-%.*s%s\n", red, (int)strlen(r->old) - 1, r->old, plain);
        if (shown && r->new != NULL)
            mg_buf_addf(d->out, "  %s+%.*s%s\n", green, (int)strlen(r->new) - 1, r->new, plain);
    }
    if (shown)
        mg_buf_addc(d->out, '\n');
    return MG_OK;
}

static mg_status play(demo *d, mg_verdict *before, mg_verdict *after, mg_err *err)
{
    MG_TRY(set_up(d, err));
    tell(d, "1. A small website, and a goal for it (makegood.yaml):\n");
    show_goal(d);
    tell(d, "2. Does it hold? $ makegood check\n");
    MG_TRY(check(d, before, err));
    if (*before != MG_VERDICT_NOT_MET)
        return MG_OK; /* then the rest of the story would not be true */
    tell(d, "3. It does not, and the report says what is missing. The repair:\n");
    MG_TRY(repair(d, err));
    tell(d, "4. And now? $ makegood check\n");
    return check(d, after, err);
}

static void write_json(mg_verdict before, mg_verdict after, bool held, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "before");
    mg_json_cstr(&json, mg_verdict_name(before));
    mg_json_key(&json, "after");
    mg_json_cstr(&json, mg_verdict_name(after));
    mg_json_key(&json, "as_expected");
    mg_json_bool(&json, held);
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

int mg_cmd_demo(mg_cli *cli, const mg_cli_args *args)
{
    const bool as_json = strcmp(mg_cli_text(args, "format"), "json") == 0;
    mg_buf out = mg_cli_buf(cli);
    demo d = {.cli = cli, .out = as_json ? NULL : &out, .fd = -1};
    mg_verdict before = MG_VERDICT_UNKNOWN, after = MG_VERDICT_UNKNOWN;
    mg_err err;
    if (mg_cancel_install(&d.cancel, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    const mg_status s = play(&d, &before, &after, &err);
    clean_up(&d);
    if (s == MG_ERR_CANCELLED)
        return mg_cli_say(cli, MG_EXIT_INTERRUPTED, "interrupted");
    if (s != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "the demo stopped: %s", err.text);
    const bool held = before == MG_VERDICT_NOT_MET && after == MG_VERDICT_MET;
    if (as_json)
        write_json(before, after, held, &out);
    else if (held)
        tell(&d, "It fell short, was repaired, and holds. 'makegood init' starts with your own "
                 "project.");
    const int code = mg_cli_show(cli, &out, held ? MG_EXIT_MET : MG_EXIT_ERROR);
    if (!held)
        (void)mg_cli_say(cli, 0, "the demo went wrong: %s before the repair, %s after it",
                         mg_verdict_name(before), mg_verdict_name(after));
    return code;
}
