/* programs.c - the words of a command, resolved as its shell would resolve them. */
#include "check/programs.h"

#include "base/vec.h"
#include "check/kinds.h"
#include "check/shell_split.h"
#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

typedef struct word {
    mg_str text;
    bool leads; /* it stands where a command begins */
} word;

typedef struct words {
    word *items;
    size_t count, cap;
} words;

typedef struct program { /* of one word, in the environment of one command */
    const mg_args *command;
    mg_str word;
    const char *path; /* NULL: there was none */
    struct stat st;   /* of a file outside the root */
} program;

struct mg_programs {
    program *items;
    size_t count, cap;
};

/* --- Words --- */

/* A path that leads out of the root by its words; what is beneath it is the agent's, or protected.
 */
static bool leads_out(mg_str path)
{
    return mg_str_starts(path, "/") || mg_str_starts(path, "../");
}

static bool has_slash(mg_str text)
{
    return mg_str_find(text, '/', 0) < text.len;
}

static bool names_program(const mg_shell_token *token)
{
    return token->type == MG_SHELL_WORD && !token->expands && token->text.len > 0 &&
           token->text.len < PATH_MAX && token->text.ptr[0] != '-' &&
           (!has_slash(token->text) || leads_out(token->text)) &&
           mg_str_find(token->text, '=', 0) == token->text.len;
}

/* Every literal word counts, not only the first of each command: `env`, `timeout` and `xargs` run
 * what stands behind them. A word that never named a program costs one look. */
static void words_of_shell(mg_str text, mg_arena *arena, words *out)
{
    bool leads = true;
    for (mg_str rest = text; rest.len > 0;) {
        const mg_shell_token token = mg_shell_next(&rest, false, arena);
        if (token.type == MG_SHELL_END || token.type == MG_SHELL_LOST)
            return;
        if (names_program(&token))
            mg_vec_push(arena, out, ((word){token.text, leads}));
        const bool assignment =
            token.type == MG_SHELL_WORD && mg_str_find(token.text, '=', 0) < token.text.len;
        leads = token.type == MG_SHELL_OP || (leads && assignment);
    }
}

static words words_of(const mg_args *args, mg_arena *arena)
{
    words found = {0};
    const mg_value *command = mg_arg(args, "run");
    if (command->text.len > 0)
        words_of_shell(command->text, arena, &found);
    for (size_t i = 0; command->text.len == 0 && i < command->texts.count; i++) {
        const mg_shell_token token = {.type = MG_SHELL_WORD, .text = command->texts.items[i]};
        if (names_program(&token))
            mg_vec_push(arena, &found, ((word){token.text, i == 0}));
    }
    return found;
}

/* --- Resolving --- */

/* What the word means now; path NULL where it means nothing. Only the system's own failure is an
 * error. */
static mg_status resolve(const mg_world *world, const mg_args *args, mg_str name, mg_arena *arena,
                         program *out, mg_err *err)
{
    const mg_value *env = mg_arg(args, "env");
    const char *const *environ_ =
        mg_environment(world->environ, env->env.items, env->set ? env->env.count : 0, arena);
    MG_AUTO_FD cwd = mg_open_beneath(world->root, mg_arg_text(args, "cwd"), O_RDONLY | O_DIRECTORY);
    *out = (program){.command = args, .word = name};
    if (cwd < 0)
        return MG_OK; /* the command says so itself */
    const mg_status s =
        mg_program_find(mg_str_cstr(arena, name), environ_, cwd, arena, &out->path, err);
    if (s == MG_ERR_NOT_FOUND || s == MG_ERR_DENIED)
        out->path = NULL;
    else
        MG_TRY(s);
    if (out->path == NULL || !leads_out(mg_str_of(out->path)))
        return MG_OK;
    if (fstatat(cwd, out->path, &out->st, 0) < 0)
        return mg_fail_errno(err, "program '%s'", out->path);
    return MG_OK;
}

static mg_status add_command(mg_programs *programs, const mg_world *world, const mg_args *args,
                             mg_arena *arena, mg_err *err)
{
    const words found = words_of(args, arena);
    for (size_t i = 0; i < found.count; i++) {
        program p;
        MG_TRY(resolve(world, args, found.items[i].text, arena, &p, err));
        /* A path that is not there yet may be what the agent is to make. */
        if (p.path != NULL || (found.items[i].leads && !has_slash(p.word)))
            mg_vec_push(arena, programs, p);
    }
    return MG_OK;
}

static mg_status add_entry(mg_programs *programs, const mg_world *world, const mg_entry *entry,
                           mg_arena *arena, mg_err *err)
{
    if (entry->type == MG_ENTRY_LEAF && entry->kind->runs_command)
        return add_command(programs, world, entry->args, arena, err);
    for (size_t i = 0; i < entry->children.count; i++)
        MG_TRY(add_entry(programs, world, entry->children.items[i], arena, err));
    return MG_OK;
}

mg_status mg_programs_freeze(const mg_goal *goal, const mg_world *world, mg_arena *arena,
                             const mg_programs **out, mg_err *err)
{
    mg_programs *programs = mg_new(arena, mg_programs);
    for (size_t i = 0; i < goal->entries.count; i++)
        MG_TRY(add_entry(programs, world, goal->entries.items[i], arena, err));
    *out = programs;
    return MG_OK;
}

/* --- Comparing --- */

static bool beneath(mg_str root, const char *path)
{
    const mg_str p = mg_str_of(path);
    return p.len > root.len && memcmp(p.ptr, root.ptr, root.len) == 0 && p.ptr[root.len] == '/';
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static mg_status compare(const program *then, const program *now, mg_str root, mg_err *err)
{
    if (then->path == NULL && now->path == NULL)
        return MG_OK;
    if (then->path == NULL)
        return mg_fail(err, MG_ERR_DENIED,
                       "program '" MG_FMT "' was not there when the loop began and is '%s' now; "
                       "name it by its path in the goal if that is what you want",
                       MG_ARG(then->word), now->path);
    if (now->path == NULL || strcmp(then->path, now->path) != 0)
        return mg_fail(err, MG_ERR_DENIED,
                       "program '" MG_FMT "' was '%s' when the loop began and is %s%s%s now",
                       MG_ARG(then->word), then->path, now->path != NULL ? "'" : "",
                       now->path != NULL ? now->path : "not there", now->path != NULL ? "'" : "");
    if (leads_out(mg_str_of(then->path)) && !beneath(root, then->path) &&
        !same_file(&then->st, &now->st))
        return mg_fail(err, MG_ERR_DENIED,
                       "program '%s' is not the file it was when the loop began", then->path);
    return MG_OK;
}

mg_status mg_programs_same(const mg_programs *programs, const mg_world *world, const mg_args *args,
                           mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    for (size_t i = 0; i < programs->count; i++) {
        const program *then = &programs->items[i];
        program now;
        if (then->command != args)
            continue;
        MG_TRY(resolve(world, args, then->word, scratch, &now, err));
        MG_TRY(compare(then, &now, world->root_path, err));
    }
    return MG_OK;
}

mg_str mg_programs_text(const mg_programs *programs, const mg_world *world, mg_arena *arena)
{
    mg_buf text = mg_buf_new(arena, SIZE_MAX);
    for (size_t i = 0; i < programs->count; i++) {
        const program *p = &programs->items[i];
        mg_buf_addf(&text, MG_FMT "=%s", MG_ARG(p->word), p->path != NULL ? p->path : "");
        if (p->path != NULL && leads_out(mg_str_of(p->path)) && !beneath(world->root_path, p->path))
            mg_buf_addf(&text, " %ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t)p->st.st_dev,
                        (uintmax_t)p->st.st_ino, (intmax_t)p->st.st_size,
                        (intmax_t)p->st.st_mtim.tv_sec, p->st.st_mtim.tv_nsec,
                        (intmax_t)p->st.st_ctim.tv_sec, p->st.st_ctim.tv_nsec);
        mg_buf_addc(&text, '\n');
    }
    return mg_buf_str(&text);
}
