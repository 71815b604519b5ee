/* cmd_check.c - makegood check: read every file, then run them in rounds, then report.
 *
 * Nothing runs until all files were read and their roots opened. The exit code is made from
 * the verdicts that the report shows, and from nothing else; a report that could not be
 * delivered is an error whatever it says. What several files say together is true only if they
 * said it in the same round, so --wait goes over all of them until one round has them all.
 */
#include "base/vec.h"
#include "cli/cancel.h"
#include "cli/combine.h"
#include "cli/goals.h"
#include "cli/place.h"
#include "cli/progress.h"
#include "data/text.h"

#include <fcntl.h>
#include <unistd.h>

enum { EVERY_MS = 1000 };

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
    return mg_cli_complain(cli, MG_EXIT_USAGE, "nothing was run", mg_buf_str(&complaint));
}

typedef struct run {
    mg_cli *cli;
    const targets *all;
    bool *unmatched; /* for each of them: --only matches none of its entries */
    mg_check_options options;
    const mg_cancel *cancel;
    uint64_t wait_until_ms; /* on the clock; all files share the time of --wait */
    mg_progress *progress;
} run;

static mg_view view_of(const run *r, const mg_world *world)
{
    return (mg_view){.world = world,
                     .limits = &mg_limits_default,
                     .clock = r->cli->clock,
                     .deadline_ms = UINT64_MAX,
                     .cancel = r->cancel};
}

/* A single file waits by itself; of several each is asked once in a round. */
static mg_status check_one(run *r, const mg_target *target, unsigned round, mg_arena *arena,
                           mg_report *out, mg_err *err)
{
    const mg_view view = view_of(r, &target->world);
    const uint64_t now = mg_clock_ms(r->cli->clock);
    mg_progress_goal(r->progress, target->goal, r->options.only == NULL, round);
    r->options.wait_ms = r->wait_until_ms > now ? r->wait_until_ms - now : 0;
    if (r->all->count == 1)
        return mg_check_run(target->goal, &view, &r->options, arena, out, err);
    return mg_check_once(target->goal, &view, &r->options, arena, out, err);
}

/* Every file once, in order; with --fail-fast up to the first that does not hold. */
static mg_status check_round(run *r, unsigned round, mg_arena *arena, mg_reports *out, mg_err *err)
{
    *out = (mg_reports){.several = r->all->count > 1};
    for (size_t i = 0; i < r->all->count; i++) {
        const mg_target *target = &r->all->items[i];
        mg_report report = {0};
        mg_status s = MG_ERR_NOT_FOUND;
        if (!r->unmatched[i])
            s = check_one(r, target, round, arena, &report, err);
        r->unmatched[i] = s == MG_ERR_NOT_FOUND && r->options.only != NULL;
        if (r->unmatched[i]) {
            out->unasked += target->goal->entries.count;
            continue;
        }
        MG_TRY(s);
        if (mg_arg_set(target->goal->settings, "service"))
            mg_strs_add(arena, &report.warnings,
                        mg_strf(arena,
                                MG_FMT ":%u: check starts no 'service:'; what it serves must "
                                       "be running already",
                                MG_ARG(target->goal->file),
                                mg_arg(target->goal->settings, "service")->line));
        mg_vec_push(arena, out, report);
        if (r->options.fail_fast && mg_report_verdict(&report) == MG_VERDICT_NOT_MET)
            break;
    }
    return MG_OK;
}

/* Waiting cannot bring an entry where there is none. */
static bool hopeless(const mg_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++)
        if (reports->items[i].result_count == 0)
            return true;
    return reports->count == 0;
}

static mg_status check_rounds(run *r, mg_reports *out, mg_err *err)
{
    const uint64_t every = r->options.every_ms > 0 ? r->options.every_ms : EVERY_MS;
    for (unsigned round = 1;; round++) {
        mg_arena *arena = mg_arena_new(r->cli->arena);
        MG_TRY(check_round(r, round, arena, out, err));
        const uint64_t now = mg_clock_ms(r->cli->clock);
        if (r->all->count == 1 || mg_reports_verdict(out) == MG_VERDICT_MET || hopeless(out) ||
            now >= r->wait_until_ms)
            return MG_OK;
        const mg_view view = view_of(r, NULL);
        MG_TRY(mg_check_pause(&view, MG_MIN(every, r->wait_until_ms - now), err));
        mg_arena_free(arena);
    }
}

/* What no report shows: files that were left out, and why. */
static void name_what_was_left_out(run *r, const mg_reports *reports)
{
    size_t unmatched = 0;
    for (size_t i = 0; i < r->all->count; i++) {
        const mg_goal *goal = r->all->items[i].goal;
        unmatched += r->unmatched[i];
        if (r->unmatched[i])
            (void)mg_cli_say(r->cli, 0,
                             "'" MG_FMT "' was left out: --only matches none of its %zu entries",
                             MG_ARG(goal->file), goal->entries.count);
    }
    const size_t unchecked = r->all->count - unmatched - reports->count;
    if (unchecked > 0)
        (void)mg_cli_say(r->cli, 0, "--fail-fast: %zu goal %s not checked", unchecked,
                         unchecked == 1 ? "file was" : "files were");
}

/* MG_EXIT_MET: there are reports, whatever they say. */
static int check_all(run *r, mg_reports *out)
{
    mg_err err = {0};
    mg_status s = check_rounds(r, out, &err);
    mg_progress_stop(r->progress);
    r->progress = NULL;
    if (s == MG_ERR_CANCELLED || (s == MG_OK && atomic_load(&r->cancel->asked)))
        return mg_cli_say(r->cli, MG_EXIT_INTERRUPTED, "interrupted before the goal was decided");
    if (s != MG_OK)
        return mg_cli_say(r->cli, s == MG_ERR_INVALID ? MG_EXIT_USAGE : MG_EXIT_ERROR, "%s",
                          err.text);
    if (out->count == 0)
        return mg_cli_say(r->cli, MG_EXIT_USAGE, "nothing was run: %s", err.text);
    name_what_was_left_out(r, out);
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

static int report_all(mg_cli *cli, const mg_cli_args *args, const mg_place *place,
                      const mg_reports *reports)
{
    const bool to_stdout = place->path == NULL;
    const mg_report_style style = {.color = cli->color && to_stdout,
                                   .quiet = cli->quiet,
                                   .width = to_stdout ? cli->width : 0,
                                   .version = cli->version};
    const mg_reporter *reporter = mg_reporter_find(mg_cli_text(args, "format"));
    mg_buf text = mg_cli_buf(cli);
    mg_reports_write(reports, reporter, &style, cli->arena, &text);
    if (strcmp(reporter->name, "github") == 0)
        add_step_summary(cli, reports);
    return mg_place_put(cli, place, &text, exit_of(mg_reports_verdict(reports)));
}

static run run_of(mg_cli *cli, const mg_cli_args *args, const targets *all)
{
    run r = {.cli = cli, .all = all, .unmatched = mg_new_array(cli->arena, bool, all->count)};
    r.options = (mg_check_options){.only = mg_cli_text(args, "only"),
                                   .jobs = (uint32_t)mg_cli_amount(args, "jobs"),
                                   .fail_fast = mg_cli_given(args, "fail-fast"),
                                   .deadline_ms = mg_cli_amount(args, "deadline"),
                                   .every_ms = mg_cli_amount(args, "every"),
                                   .progress = mg_progress_note};
    const uint64_t now = mg_clock_ms(cli->clock), wait = mg_cli_amount(args, "wait");
    r.wait_until_ms = wait > UINT64_MAX - now ? UINT64_MAX : now + wait;
    r.progress = mg_progress_start(cli, wait > 0 ? r.wait_until_ms : 0);
    r.options.progress_data = r.progress;
    return r;
}

int mg_cmd_check(mg_cli *cli, const mg_cli_args *args)
{
    targets all = {0};
    mg_place place;
    mg_reports reports = {0};
    const mg_cancel *cancel;
    mg_err err;
    if (mg_cli_given(args, "every") && !mg_cli_given(args, "wait"))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "check: '--every' is the pause between the checks of '--wait', which was "
                          "not given; add for example '--wait 60s'");
    int code = mg_place_prepare(cli, mg_cli_text(args, "output"), &mg_cli_get(args, "file")->texts,
                                &place);
    if (code == MG_EXIT_MET)
        code = open_targets(cli, args, &all);
    if (code != MG_EXIT_MET)
        return code;
    if (mg_cancel_install(&cancel, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    run r = run_of(cli, args, &all);
    r.cancel = cancel;
    code = check_all(&r, &reports);
    return code != MG_EXIT_MET ? code : report_all(cli, args, &place, &reports);
}
