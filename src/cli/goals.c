/* goals.c - goal files as they are named on the command line. */
#include "cli/goals.h"

#include "api/target.h"

#include <fcntl.h>
#include <unistd.h>

/* Blocking on purpose: whoever pipes a goal in may take a moment to make it. */
static mg_status read_source(mg_cli *cli, const char *file, mg_source *out, mg_err *err)
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
    const mg_str name = mg_str_of(strcmp(file, "-") == 0 ? "stdin" : file);
    mg_status s = read_source(cli, file, &source, &err);
    if (s != MG_OK) {
        mg_buf_addf(complaint, "%s\n", err.text);
        return s;
    }
    MG_TRY(mg_target_read(source.text, name, cli->arena, &out->goal, complaint));
    s = mg_target_world(out->goal, source.directory, root, cli->arena, &out->world, &err);
    if (s != MG_OK)
        mg_buf_addf(complaint, MG_FMT ": %s\n", MG_ARG(name), err.text);
    out->world.environ = cli->environ;
    return s;
}
