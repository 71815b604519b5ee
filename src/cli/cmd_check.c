/* cmd_check.c - makegood check: read every file, then run them one after the other, then report.
 *
 * Nothing runs until all files were read and their roots opened. The exit code is made from
 * the verdicts that the report shows, and from nothing else; a report that could not be
 * delivered is an error whatever it says.
 */
#include "base/vec.h"
#include "cli/cancel.h"
#include "cli/combine.h"
#include "cli/goals.h"
#include "cli/progress.h"
#include "data/text.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct targets {
    mg_target *items;
    size_t count, cap;
} targets;

static int exit_of(mg_verdict verdict)
{
    if (verdict == MG_VERDICT_MET)
        return MG_EXIT_MET;
    return verdict == MG_VERDICT_NOT_MET ? MG_EXIT_NOT_MET : MG_EXIT_UNKNOWN;
}

/* Every problem of every file is shown, so that one round of corrections is enough. */
static int open_targets(mg_cli *cli, const mg_cli_args *args, targets *out)
{
    const mg_strs *files = &mg_cli_get(args, "file")->texts;
    if (files->count == 0 && access(MG_GOAL_FILE, F_OK) != 0)
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "there is no " MG_GOAL_FILE " here; 'makegood init' writes one, "
                          "'makegood check -f FILE' takes another");
    mg_buf complaint = mg_buf_new(cli->arena, 1u << 20);
    bool good = true;
    for (size_t i = 0; i < MG_MAX(files->count, (size_t)1); i++) {
        mg_target target;
        const char *file = files->count > 0 ? files->items[i].ptr : MG_GOAL_FILE;
        if (mg_target_open(cli, file, mg_cli_text(args, "root"), &target, &complaint) == MG_OK)
            mg_vec_push(cli->arena, out, target);
        else
            good = false;
    }
    if (good)
        return MG_EXIT_MET;
    return mg_cli_say(cli, MG_EXIT_USAGE, "nothing was run\n" MG_FMT,
                      MG_ARG(mg_str_trim(mg_buf_str(&complaint))));
}

typedef struct run {
    mg_cli *cli;
    const char *only;
    mg_check_options options;
    const mg_cancel *cancel;
    uint64_t wait_until_ms; /* on the clock; all files share the time of --wait */
} run;

static mg_status check_one(run *r, const mg_target *target, mg_report *out, mg_err *err)
{
    const mg_view view = {.world = &target->world,
                          .limits = &mg_limits_default,
                          .clock = r->cli->clock,
                          .deadline_ms = UINT64_MAX,
                          .cancel = r->cancel};
    MG_AUTO(mg_progress) progress = mg_progress_start(r->cli, target->goal, r->only == NULL);
    const uint64_t now = mg_clock_ms(r->cli->clock);
    r->options.wait_ms = r->wait_until_ms > now ? r->wait_until_ms - now : 0;
    r->options.progress = mg_progress_note;
    r->options.progress_data = progress;
    return mg_check_run(target->goal, &view, &r->options, r->cli->arena, out, err);
}

/* Runs the files in order. Of several, one in which --only finds nothing is left out. */
static int check_all(run *r, const targets *all, mg_reports *out)
{
    mg_err err;
    for (size_t i = 0; i < all->count; i++) {
        mg_report report = {0};
        const mg_status s = check_one(r, &all->items[i], &report, &err);
        if (s == MG_ERR_CANCELLED)
            return mg_cli_say(r->cli, MG_EXIT_INTERRUPTED,
                              "interrupted before the goal was decided");
        if (s == MG_ERR_NOT_FOUND && r->only != NULL)
            continue;
        if (s != MG_OK)
            return mg_cli_say(r->cli, s == MG_ERR_INVALID ? MG_EXIT_USAGE : MG_EXIT_ERROR, "%s",
                              err.text);
        mg_vec_push(r->cli->arena, out, report);
        if (r->options.fail_fast && mg_report_verdict(&report) == MG_VERDICT_NOT_MET) {
            if (i + 1 < all->count)
                (void)mg_cli_say(r->cli, 0, "--fail-fast: %zu goal files were not checked",
                                 all->count - i - 1);
            break;
        }
    }
    if (out->count == 0)
        return mg_cli_say(r->cli, MG_EXIT_USAGE, "nothing was run: %s", err.text);
    return MG_EXIT_MET;
}

/* What GitHub shows on the page of a run. Losing it loses nothing that stdout does not have. */
static void add_step_summary(mg_cli *cli, const mg_reports *reports)
{
    const char *file = mg_cli_getenv(cli, "GITHUB_STEP_SUMMARY");
    if (file == NULL || *file == '\0')
        return;
    mg_buf text = mg_cli_buf(cli);
    for (size_t i = 0; i < reports->count; i++)
        mg_report_markdown(&reports->items[i], cli->arena, &text);
    MG_AUTO_FD fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    mg_err err;
    mg_status s = fd >= 0 ? MG_OK : mg_fail_errno(&err, "it cannot be opened");
    if (s == MG_OK)
        s = mg_fd_write_all(fd, mg_buf_str(&text), &err);
    if (s != MG_OK)
        (void)mg_cli_say(cli, 0, "GITHUB_STEP_SUMMARY '%s' was left out: %s", file, err.text);
}

static int report_all(mg_cli *cli, const mg_cli_args *args, const mg_reports *reports)
{
    const char *file = mg_cli_text(args, "output");
    const bool to_stdout = file == NULL || strcmp(file, "-") == 0;
    const mg_report_style style = {.color = cli->color && to_stdout,
                                   .quiet = cli->quiet,
                                   .width = to_stdout ? cli->width : 0,
                                   .version = cli->version};
    const mg_reporter *reporter = mg_reporter_find(mg_cli_text(args, "format"));
    mg_buf text = mg_cli_buf(cli);
    mg_reports_write(reports, reporter, &style, cli->arena, &text);
    if (strcmp(reporter->name, "github") == 0)
        add_step_summary(cli, reports);
    return mg_cli_save(cli, file, &text, exit_of(mg_reports_verdict(reports)));
}

int mg_cmd_check(mg_cli *cli, const mg_cli_args *args)
{
    targets all = {0};
    const int opened = open_targets(cli, args, &all);
    if (opened != MG_EXIT_MET)
        return opened;
    run r = {.cli = cli, .only = mg_cli_text(args, "only")};
    r.options = (mg_check_options){.only = r.only,
                                   .jobs = (uint32_t)mg_cli_amount(args, "jobs"),
                                   .fail_fast = mg_cli_given(args, "fail-fast"),
                                   .deadline_ms = mg_cli_amount(args, "deadline"),
                                   .every_ms = mg_cli_amount(args, "every")};
    const uint64_t now = mg_clock_ms(cli->clock), wait = mg_cli_amount(args, "wait");
    r.wait_until_ms = wait > UINT64_MAX - now ? UINT64_MAX : now + wait;
    mg_err err;
    if (mg_cli_can_save(cli, mg_cli_text(args, "output"), &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR,
                          "nothing was run, for the report could not be written: %s", err.text);
    if (mg_cancel_install(&r.cancel, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    mg_reports reports = {0};
    const int ran = check_all(&r, &all, &reports);
    return ran != MG_EXIT_MET ? ran : report_all(cli, args, &reports);
}
