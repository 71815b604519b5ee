/* place.c - the file of --output: checked and cleared before the check, written after it. */
#include "cli/place.h"

#include "base/fs.h"
#include "cli/goals.h"

#include <limits.h>
#include <unistd.h>

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool stat_goal(const char *file, struct stat *out)
{
    return strcmp(file, "-") == 0 ? fstat(STDIN_FILENO, out) == 0 : stat(file, out) == 0;
}

/* The goal file that is this very file, whatever the names; NULL: none. */
static const char *goal_that_is(const struct stat *st, const mg_strs *goal_files)
{
    struct stat goal;
    if (goal_files->count == 0 && stat_goal(MG_GOAL_FILE, &goal) && same(&goal, st))
        return MG_GOAL_FILE;
    for (size_t i = 0; i < goal_files->count; i++) {
        const char *name = goal_files->items[i].ptr; /* a word of argv: ends in NUL */
        if (stat_goal(name, &goal) && same(&goal, st))
            return name;
    }
    return NULL;
}

/* Finding out after a long check that there is nowhere to write would lose its report. */
static mg_status writable(mg_cli *cli, const char *file, const struct stat *st, mg_err *err)
{
    if (st != NULL && S_ISDIR(st->st_mode))
        return mg_fail(err, MG_ERR_INVALID, "'%s' is a directory", file);
    const char *slash = strrchr(file, '/');
    const mg_str dir = slash == NULL ? MG_STR(".") : (mg_str){file, (size_t)(slash - file) + 1};
    const bool special = st != NULL && !S_ISREG(st->st_mode); /* a device, a FIFO: in place */
    if (access(special ? file : mg_str_cstr(cli->arena, dir), W_OK) == 0)
        return MG_OK;
    return mg_fail_errno(err, "'%s'", file);
}

/* Removes the regular file that stands there. A link stays and the report goes where it leads.
 * What is open as our stdout stays too: the shell has made it anew. */
static mg_status clear(mg_cli *cli, const struct stat *st, mg_place *place, mg_err *err)
{
    char real[PATH_MAX];
    struct stat out;
    if ((fstat(cli->out, &out) == 0 && same(&out, st)) || realpath(place->path, real) == NULL)
        return MG_OK;
    place->path = mg_str_copy(cli->arena, mg_str_of(real)).ptr;
    if (unlink(place->path) < 0)
        return mg_fail_errno(err, "'%s' from an earlier check cannot be removed", place->path);
    return MG_OK;
}

int mg_place_prepare(mg_cli *cli, const char *file, const mg_strs *goal_files, mg_place *out)
{
    *out = (mg_place){.path = file};
    if (file == NULL || strcmp(file, "-") == 0) {
        out->path = NULL;
        return MG_EXIT_MET;
    }
    struct stat st;
    const bool there = stat(file, &st) == 0;
    const bool regular = there && S_ISREG(st.st_mode);
    const char *goal = regular ? goal_that_is(&st, goal_files) : NULL;
    if (goal != NULL)
        return mg_cli_say(cli, MG_EXIT_USAGE,
                          "nothing was run: --output '%s' is the goal file '%s' itself; give the "
                          "report another name",
                          file, goal);
    mg_err err;
    mg_status s = writable(cli, file, there ? &st : NULL, &err);
    if (s == MG_OK && regular)
        s = clear(cli, &st, out, &err);
    if (s == MG_OK)
        return MG_EXIT_MET;
    return mg_cli_say(cli, MG_EXIT_ERROR,
                      "nothing was run, for the report could not be written: %s", err.text);
}

int mg_place_put(mg_cli *cli, const mg_place *place, const mg_buf *text, int code)
{
    if (place->path == NULL)
        return mg_cli_deliver(cli, text, code);
    mg_err err;
    mg_status s = mg_buf_ok(text, "the output", &err);
    if (s == MG_OK)
        s = mg_file_replace(place->path, mg_buf_str(text), &err);
    if (s == MG_OK)
        return code;
    return mg_cli_say(cli, MG_EXIT_ERROR, "the output could not be written: %s", err.text);
}
