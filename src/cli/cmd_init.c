/* cmd_init.c - makegood init [DIR]: writes a goal file from what the project says about itself.
 *
 * What it writes is read back before it is put in place: a file that does not parse, or that
 * would prove nothing without saying so, is a fault of ours and is never written.
 */
#include "cli/goals.h"
#include "cli/survey.h"

#include "data/json.h"
#include "data/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

static const char head[] =
    "# makegood.yaml - what should hold, so that 'makegood check' can say whether it does.\n"
    "# Every entry under assert: is looked at for real; a command runs in this directory.\n"
    "# 'makegood kinds' lists what can be asserted. This file runs commands: it is code.\n"
    "version: 1\n";

static const char tail[] =
    "\n# More that can be said:\n"
    "# invariant:                 # must hold before and after every attempt\n"
    "#   - command_returns: make lint\n"
    "# protect: [tests/**]        # what an agent may not change\n"
    "# check: {jobs: 4, deadline: 10m}\n";

/* Entries are indented beneath assert:, those that are not live behind a '#'. */
static void add_entry(mg_buf *out, const mg_proposal *p)
{
    mg_str rest = p->yaml, line;
    mg_buf_addf(out, "  # " MG_FMT "\n", MG_ARG(p->comment));
    if (!p->live)
        mg_buf_addf(out, "  # left out: " MG_FMT "\n", MG_ARG(p->why_not));
    while (mg_str_split(&rest, '\n', &line))
        if (line.len > 0)
            mg_buf_addf(out, "  %s" MG_FMT "\n", p->live ? "" : "# ", MG_ARG(line));
}

/* A file that is not there, so that the example truly does not hold yet. */
static mg_str absent_file(const mg_survey *s)
{
    struct stat st;
    mg_str name = MG_STR("result.txt");
    for (unsigned n = 2; n < 1000; n++) {
        if (mg_file_stat(s->dir, name, &st, NULL) == MG_ERR_NOT_FOUND)
            break;
        name = mg_strf(s->arena, "result-%u.txt", n);
    }
    return name;
}

static size_t count_live(const mg_survey *s)
{
    size_t live = 0;
    for (size_t i = 0; i < s->proposals.count; i++)
        live += s->proposals.items[i].live;
    return live;
}

static mg_buf compose(const mg_survey *s)
{
    mg_buf out = mg_buf_new(s->arena, mg_limits_default.goal_bytes);
    const bool live = count_live(s) > 0;
    mg_buf_adds(&out, head);
    mg_buf_adds(&out, live ? "goal: What this project asks of itself holds.   # say what you want "
                             "done\n\nassert:\n"
                           : "goal: Say in one sentence what should be true when the work is "
                             "done.\n\nassert:\n");
    for (size_t i = 0; i < s->proposals.count; i++)
        add_entry(&out, &s->proposals.items[i]);
    if (!live)
        mg_buf_addf(&out,
                    "  # An example that does not hold yet. Replace it with what should hold.\n"
                    "  - file_not_empty:\n      path: " MG_FMT "\n"
                    "      recovery: Replace this example in makegood.yaml.\n",
                    MG_ARG(absent_file(s)));
    mg_buf_adds(&out, tail);
    return out;
}

/* Reads the text as check would. */
static mg_status read_back(mg_arena *arena, const mg_buf *text, mg_err *err)
{
    const mg_goal *goal;
    mg_problems problems = {0};
    mg_buf why = mg_buf_new(arena, MG_ERR_TEXT_MAX);
    MG_TRY(mg_buf_ok(text, "it", err));
    if (mg_goal_read(mg_buf_str(text), MG_STR(MG_GOAL_FILE), mg_check_kinds, &mg_limits_default,
                     arena, &goal, &problems) != MG_OK)
        mg_problems_text(&problems, MG_STR(MG_GOAL_FILE), &why);
    else if (goal->assert_count == 0)
        mg_buf_adds(&why, "it asserts nothing");
    else if (goal->warnings.count > 0)
        mg_buf_add(&why, goal->warnings.items[0].text);
    else
        return MG_OK;
    return mg_fail(err, MG_ERR_INVALID, MG_FMT, MG_ARG(mg_str_trim(mg_buf_str(&why))));
}

/* Creates the file, or replaces one that is there if that was asked for. */
static mg_status put(const char *path, mg_str text, bool force, bool *exists, mg_err *err)
{
    *exists = false;
    if (force)
        return mg_file_replace(path, text, err);
    /* O_EXCL: whatever appears there meanwhile, a link included, is not written through. */
    MG_AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *exists = fd < 0 && errno == EEXIST;
    if (*exists)
        return mg_fail(err, MG_ERR_DENIED,
                       "'%s' is there already and was left as it is; --force overwrites it", path);
    if (fd < 0)
        return mg_fail_errno(err, "'%s' cannot be written", path);
    const mg_status s = mg_fd_write_all(fd, text, err);
    if (s != MG_OK)
        (void)unlink(path); /* half a goal file is worse than none */
    return mg_context(err, s, "'%s'", path);
}

static void write_text(const mg_survey *s, const char *path, bool quiet, mg_buf *out)
{
    const mg_str shown = mg_text_line(s->arena, mg_str_of(path), PATH_MAX);
    for (size_t i = 0; i < s->found.count && !quiet; i++)
        mg_buf_addf(out, "found %s: %s\n", s->found.items[i].file, s->found.items[i].meaning);
    const size_t live = count_live(s), idle = s->proposals.count - live;
    const bool here = strcmp(path, MG_GOAL_FILE) == 0;
    mg_buf_addf(out, "wrote " MG_FMT, MG_ARG(shown));
    if (live > 0)
        mg_buf_addf(out, " with %zu %s", live, live == 1 ? "entry" : "entries");
    if (idle > 0)
        mg_buf_addf(out, "%s %zu commented out, with the reason beside %s",
                    live > 0 ? " and" : " with", idle, idle == 1 ? "it" : "each");
    mg_buf_addc(out, '\n');
    if (live == 0)
        mg_buf_adds(out, "Nothing was found that can be asserted, so it has one example that does "
                         "not hold yet: edit it.\n");
    if (!quiet)
        mg_buf_addf(out, "next: makegood check%s" MG_FMT "\n", here ? "" : " -f ",
                    MG_ARG(here ? MG_STR("") : shown));
}

static void write_json(const mg_survey *s, const char *path, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "file");
    mg_json_cstr(&json, path);
    mg_json_key(&json, "entries");
    mg_json_int(&json, (int64_t)count_live(s));
    mg_json_key(&json, "found");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < s->found.count; i++)
        mg_json_cstr(&json, s->found.items[i].file);
    mg_json_end(&json, ']');
    mg_json_key(&json, "notes");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < s->notes.count; i++)
        mg_json_str(&json, s->notes.items[i]);
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

int mg_cmd_init(mg_cli *cli, const mg_cli_args *args)
{
    const char *dir = args->operand.ptr != NULL ? args->operand.ptr : ".";
    MG_AUTO_FD fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mg_err err;
    if (fd < 0)
        return mg_cli_say(cli, MG_EXIT_USAGE, "directory '%s' cannot be opened: %s", dir,
                          strerror(errno));
    mg_survey survey = {.dir = fd, .arena = cli->arena};
    mg_survey_project(&survey);
    for (size_t i = 0; i < survey.notes.count; i++)
        (void)mg_cli_say(cli, 0, MG_FMT, MG_ARG(survey.notes.items[i]));
    const mg_buf text = compose(&survey);
    if (read_back(cli->arena, &text, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR,
                          "no goal file was written, because it would not read back: %s", err.text);
    const char *path =
        args->operand.ptr == NULL ? MG_GOAL_FILE : mg_strf(cli->arena, "%s/" MG_GOAL_FILE, dir).ptr;
    bool exists;
    if (put(path, mg_buf_str(&text), mg_cli_given(args, "force"), &exists, &err) != MG_OK)
        return mg_cli_say(cli, exists ? MG_EXIT_NOT_MET : MG_EXIT_ERROR, "%s", err.text);
    mg_buf out = mg_cli_buf(cli);
    if (strcmp(mg_cli_text(args, "format"), "json") == 0)
        write_json(&survey, path, &out);
    else
        write_text(&survey, path, cli->quiet, &out);
    return mg_cli_show(cli, &out, MG_EXIT_MET);
}
