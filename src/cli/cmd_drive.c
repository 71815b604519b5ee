/* cmd_drive.c - makegood drive: what was typed becomes a request and a frozen goal. */
#include "cli/drive_go.h"
#include "cli/goals.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The goal file to read: the one that was named, or the one that is here and not replaced by
 * commands. NULL: none. */
static const char *goal_file(const mg_cli_args *args)
{
    const char *named = mg_cli_text(args, "file");
    if (named != NULL || mg_cli_given(args, "until") || access(MG_GOAL_FILE, F_OK) != 0)
        return named;
    return MG_GOAL_FILE;
}

/* A goal file that is here and says more than the commands do must not be left out in silence. */
static void warn_unread(mg_cli *cli, const mg_cli_args *args, mg_pursuit *pursuit)
{
    if (goal_file(args) == NULL && access(MG_GOAL_FILE, F_OK) == 0)
        mg_strs_add(cli->arena, &pursuit->warnings,
                    MG_STR("./" MG_GOAL_FILE " is not read, and its protect and invariants do not "
                           "hold; add '-f " MG_GOAL_FILE "' to use it too"));
}

static mg_str absolute(mg_cli *cli, mg_str cwd, mg_str path)
{
    if (mg_str_starts(path, "/"))
        return mg_str_copy(cli->arena, path);
    return mg_strf(cli->arena, MG_FMT "%s" MG_FMT, MG_ARG(cwd), mg_str_ends(cwd, "/") ? "" : "/",
                   MG_ARG(path));
}

static mg_status read_file(mg_cli *cli, const char *file, mg_drive_ask *ask, mg_str *text,
                           mg_err *err)
{
    mg_source source;
    char real[PATH_MAX];
    struct stat st;
    MG_TRY(mg_goal_source(cli, file, &source, err));
    *text = source.text;
    ask->file = mg_str_of(strcmp(file, "-") == 0 ? "stdin" : file);
    ask->file_bytes = source.text.len;
    ask->directory = absolute(cli, ask->cwd, source.directory);
    if (strcmp(file, "-") != 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode) &&
        realpath(file, real) != NULL)
        ask->file_path = mg_str_copy(cli->arena, mg_str_of(real));
    return MG_OK;
}

static mg_status read_request(mg_cli *cli, const mg_cli_args *args, mg_drive_ask *out,
                              mg_str *frozen, mg_err *err)
{
    char cwd[PATH_MAX];
    const char *file = goal_file(args), *root = mg_cli_text(args, "root");
    if (getcwd(cwd, sizeof cwd) == NULL)
        return mg_fail_errno(err, "the working directory");
    mg_drive_ask ask = {
        .cwd = mg_str_copy(cli->arena, mg_str_of(cwd)),
        .preset = mg_str_of(mg_cli_text(args, "agent")),
        .words = args->rest,
        .attempts = (uint32_t)mg_cli_amount(args, "attempts"),
        .time_ms = mg_cli_amount(args, "time"),
        .tokens = (int64_t)mg_cli_amount(args, "tokens"),
        .cost_usd = mg_cli_number(args, "cost"),
        .attempt_timeout_ms = mg_cli_amount(args, "attempt-timeout"),
    };
    ask.directory = absolute(cli, ask.cwd, MG_STR(""));
    if (root != NULL)
        ask.root = absolute(cli, ask.cwd, mg_str_of(root));
    mg_str text = {0}, sentence = {0};
    if (file != NULL)
        MG_TRY(read_file(cli, file, &ask, &text, err));
    if (mg_cli_given(args, "goal"))
        sentence = mg_str_of(mg_cli_text(args, "goal"));
    *frozen = mg_drive_freeze(text, file != NULL, sentence, &mg_cli_get(args, "until")->texts,
                              cli->arena);
    *out = ask;
    return MG_OK;
}

/* A run without any goal is one attempt under supervision, and has to be asked for. */
static bool says_what_for(const mg_cli_args *args)
{
    return goal_file(args) != NULL || mg_cli_given(args, "until") || mg_cli_given(args, "goal") ||
           mg_cli_amount(args, "attempts") == 1;
}

int mg_cmd_drive(mg_cli *cli, const mg_cli_args *args)
{
    mg_drive_ask ask;
    mg_drive_plan *plan;
    mg_str frozen;
    mg_err err;
    if (cli->quiet && mg_cli_given(args, "verbose"))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "nothing was run: '--quiet' and '--verbose' ask for opposite things; "
                          "take one of them");
    if (!says_what_for(args))
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "there is no " MG_GOAL_FILE
                          " here; 'makegood init' writes one, '-f FILE' "
                          "takes another, and '--until COMMAND' needs none");
    if (read_request(cli, args, &ask, &frozen, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_USAGE, "nothing was run: %s", err.text);
    mg_buf complaint = mg_buf_new(cli->arena, 1u << 20);
    const mg_status s = mg_drive_plan_make(cli, &ask, frozen, &plan, &complaint);
    if (s != MG_OK) /* a makegood that is not installed whole is not the user's mistake */
        return mg_cli_complain(cli, s == MG_ERR_UNAVAILABLE ? MG_EXIT_ERROR : MG_EXIT_USAGE,
                               "nothing was run", mg_buf_str(&complaint));
    warn_unread(cli, args, &plan->pursuit);
    const mg_drive_show show = {
        .events = mg_cli_text(args, "events"),
        .json = strcmp(mg_cli_text(args, "format"), "json") == 0,
        .verbose = mg_cli_given(args, "verbose"),
    };
    return mg_drive_go(cli, plan, &show);
}
