/* docgen.c - docgen DIRECTORY COMMAND...: writes every man page and completion there.
 *
 * The build has to say which files come out, so it names the commands; where it names others
 * than the table has, it stops. `docgen --goal-file` prints docs/goal-file.md.
 */
#include "cli/docgen.h"
#include "cli/reference.h"

#include "base/fs.h"
#include "base/limits.h"

#include <unistd.h>

typedef struct docgen {
    mg_arena *arena;
    const char *dir;
} docgen;

static mg_status save(const docgen *d, const mg_buf *text, const char *name, mg_err *err)
{
    MG_TRY(mg_buf_ok(text, name, err));
    return mg_file_replace(mg_strf(d->arena, "%s/%s", d->dir, name).ptr, mg_buf_str(text), err);
}

static mg_buf new_page(const docgen *d)
{
    return mg_buf_new(d->arena, 4u << 20);
}

static mg_status write_pages(const docgen *d, mg_err *err)
{
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf page = new_page(d);
        mg_man_command(c, MG_VERSION, d->arena, &page);
        MG_TRY(save(d, &page, mg_strf(d->arena, "makegood-%s.1", c->name).ptr, err));
    }
    mg_buf program = new_page(d), goal_file = new_page(d);
    mg_man_program(MG_VERSION, d->arena, &program);
    MG_TRY(save(d, &program, "makegood.1", err));
    mg_man_goal_file(MG_VERSION, d->arena, &goal_file);
    return save(d, &goal_file, "makegood.yaml.5", err);
}

static mg_status write_completions(const docgen *d, mg_err *err)
{
    static const struct {
        const char *file;
        void (*write)(mg_arena *arena, mg_buf *out);
    } shells[] = {
        {"makegood", mg_complete_bash},
        {"_makegood", mg_complete_zsh},
        {"makegood.fish", mg_complete_fish},
    };
    for (size_t i = 0; i < MG_COUNT(shells); i++) {
        mg_buf text = new_page(d);
        shells[i].write(d->arena, &text);
        MG_TRY(save(d, &text, shells[i].file, err));
    }
    return MG_OK;
}

static mg_status same_commands(char **names, mg_err *err)
{
    const mg_command *c = mg_commands;
    for (; c->name != NULL && *names != NULL; c++, names++)
        if (strcmp(c->name, *names) != 0)
            return mg_fail(err, MG_ERR_INVALID, "the build says '%s' where commands.c has '%s'",
                           *names, c->name);
    if (c->name != NULL || *names != NULL)
        return mg_fail(err, MG_ERR_INVALID, "the build lists other commands than commands.c");
    return MG_OK;
}

int main(int argc, char **argv)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_err err;
    if (argc < 2) {
        (void)dprintf(STDERR_FILENO, "usage: docgen DIRECTORY COMMAND... | docgen --goal-file\n");
        return MG_EXIT_USAGE;
    }
    const docgen d = {arena, argv[1]};
    mg_status s = MG_OK;
    if (strcmp(argv[1], "--goal-file") == 0) {
        mg_buf text = new_page(&d);
        mg_reference_goal_markdown(arena, &text);
        s = mg_fd_write_all(STDOUT_FILENO, mg_buf_str(&text), &err);
    } else {
        s = same_commands(argv + 2, &err);
        if (s == MG_OK)
            s = write_pages(&d, &err);
        if (s == MG_OK)
            s = write_completions(&d, &err);
    }
    if (s == MG_OK)
        return 0;
    (void)dprintf(STDERR_FILENO, "docgen: %s\n", err.text);
    return MG_EXIT_ERROR;
}
