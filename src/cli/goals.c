/* goals.c - goal files as they are named on the command line. */
#include "cli/goals.h"

#include "data/text.h"

#include <fcntl.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 500 };

/* Blocking on purpose: whoever pipes a goal in may take a moment to make it. */
mg_status mg_goal_source(mg_cli *cli, const char *file, mg_source *out, mg_err *err)
{
    const bool from_stdin = strcmp(file, "-") == 0;
    MG_AUTO_FD fd = from_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                               : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return mg_source_read(fd, from_stdin ? NULL : file, cli->arena, out, err);
}

mg_status mg_target_open(mg_cli *cli, const char *file, const char *root, mg_target *out,
                         mg_buf *complaint)
{
    mg_err err;
    mg_source source;
    const mg_goal *goal;
    const mg_str name = mg_str_of(strcmp(file, "-") == 0 ? "stdin" : file);
    const mg_str shown = mg_text_line(cli->arena, name, NAME_MAX_BYTES); /* a line is a problem */
    mg_status s = mg_goal_source(cli, file, &source, &err);
    if (s != MG_OK) {
        mg_buf_addf(complaint, MG_FMT "\n",
                    MG_ARG(mg_text_line(cli->arena, mg_str_of(err.text), sizeof err.text)));
        return s;
    }
    MG_TRY(mg_target_read(source.text, shown, cli->arena, &goal, complaint));
    mg_goal *named = mg_new(cli->arena, mg_goal);
    *named = *goal;
    named->file = name; /* reports make it harmless each in their own way */
    out->goal = named;
    s = mg_target_world(goal, source.directory, root, cli->arena, &out->world, &err);
    if (s != MG_OK)
        mg_buf_addf(complaint, MG_FMT ": " MG_FMT "\n", MG_ARG(shown),
                    MG_ARG(mg_text_line(cli->arena, mg_str_of(err.text), sizeof err.text)));
    out->world.environ = cli->environ;
    return s;
}
