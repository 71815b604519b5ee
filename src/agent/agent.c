/* agent.c - which agent, found once: a later attempt runs the same program as the first.
 *
 * The program is made absolute when it is found. An agent that plants another one, in the
 * workspace or first in a relative PATH, changes nothing for the attempts after it.
 */
#include "agent/agent.h"

#include "agent/kinds.h"
#include "base/vec.h"
#include "data/text.h"
#include "io/program.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

/* --- What every kind does --- */

mg_status mg_agent_start(const mg_agent *agent, mg_loop *loop, const mg_agent_request *request,
                         const mg_agent_calls *calls, mg_arena *arena, mg_agent_run **out,
                         mg_err *err)
{
    return agent->kind->start(agent, loop, request, calls, arena, out, err);
}

void mg_agent_stop(mg_agent_run *run)
{
    if (run != NULL)
        run->kind->stop(run);
}

void mg_agent_free(mg_agent_run *run)
{
    if (run != NULL)
        run->kind->end(run);
}

const char *mg_agent_name(const mg_agent *agent)
{
    return agent->name;
}

bool mg_agent_resumes(const mg_agent *agent)
{
    return agent->preset != NULL && agent->preset->info.resumes;
}

const char *mg_agent_denial_setting(const mg_agent *agent)
{
    return agent->preset != NULL ? agent->preset->denial_setting : NULL;
}

/* --- Opening --- */

mg_status mg_directory_path(int directory, mg_arena *arena, mg_str *out, mg_err *err)
{
    char link[64], path[PATH_MAX];
    if (directory == AT_FDCWD)
        (void)snprintf(link, sizeof link, "/proc/self/cwd");
    else
        (void)snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    const ssize_t len = readlink(link, path, sizeof path);
    if (len < 0)
        return mg_fail_errno(err, "the path of an open directory");
    if (len == 0 || path[0] != '/' || (size_t)len >= sizeof path)
        return mg_fail(err, MG_ERR_SYSTEM, "an open directory has no path any more");
    *out = mg_str_copy(arena, (mg_str){path, (size_t)len});
    return MG_OK;
}

static mg_status absolute(const char *path, int cwd, mg_arena *arena, const char **out, mg_err *err)
{
    if (path[0] == '/') {
        *out = path;
        return MG_OK;
    }
    mg_str directory = {0};
    MG_TRY(mg_directory_path(cwd, arena, &directory, err));
    *out = mg_strf(arena, MG_FMT "/%s", MG_ARG(directory), path).ptr;
    return MG_OK;
}

typedef struct list { /* of C texts; the last is NULL */
    const char **items;
    size_t count, cap;
} list;

static mg_str name_of(const char *var)
{
    return mg_str_first(mg_str_of(var), strcspn(var, "="));
}

static bool has_name(const list *vars, mg_str name)
{
    for (size_t i = 0; i < vars->count; i++)
        if (mg_str_eq(name_of(vars->items[i]), name))
            return true;
    return false;
}

/* agent.env first: of two variables with one name, the first to come stays. */
static const char *const *environment(const mg_agent_spec *spec, const mg_preset *preset,
                                      mg_arena *arena)
{
    list vars = {0};
    for (size_t i = 0; i < spec->env_count; i++) {
        const mg_env_var *var = &spec->env[i];
        if (var->has_value && !has_name(&vars, var->name))
            mg_vec_push(
                arena, &vars,
                mg_strf(arena, MG_FMT "=" MG_FMT, MG_ARG(var->name), MG_ARG(var->value)).ptr);
    }
    const size_t given = vars.count;
    for (const char *const *var = spec->environ; var != NULL && *var != NULL; var++) {
        const list before = {vars.items, given, given};
        if (!has_name(&before, name_of(*var)))
            mg_vec_push(arena, &vars, *var);
    }
    for (size_t i = 0; preset != NULL && i < MG_COUNT(preset->env); i++)
        if (preset->env[i] != NULL && !has_name(&vars, name_of(preset->env[i])))
            mg_vec_push(arena, &vars, preset->env[i]);
    mg_vec_push(arena, &vars, NULL);
    return vars.items;
}

static void push_texts(list *to, const mg_strs *texts, size_t from, mg_arena *arena)
{
    for (size_t i = from; texts != NULL && i < texts->count; i++)
        mg_vec_push(arena, to, mg_str_cstr(arena, texts->items[i]));
}

static mg_status find_program(mg_agent *agent, const char *name, int cwd, mg_arena *arena,
                              mg_err *err)
{
    const char *found = NULL;
    MG_TRY(mg_program_find(name, agent->env, cwd, arena, &found, err));
    return absolute(found, cwd, arena, &agent->program, err);
}

static mg_status open_command(const mg_agent_spec *spec, mg_agent *agent, mg_arena *arena,
                              mg_err *err)
{
    if (spec->command->count == 0)
        return mg_fail(err, MG_ERR_INVALID,
                       "the agent's command is empty; its first word names a program");
    list argv = {0};
    push_texts(&argv, spec->command, 1, arena);
    push_texts(&argv, spec->args, 0, arena);
    mg_vec_push(arena, &argv, NULL);
    agent->argv = argv.items;
    agent->name = mg_str_cstr(arena, spec->command->items[0]);
    return find_program(agent, agent->name, spec->cwd, arena, err);
}

static mg_status open_shell(const mg_agent_spec *spec, mg_agent *agent, mg_arena *arena,
                            mg_err *err)
{
    if (mg_str_has(spec->shell, "{prompt}"))
        return mg_fail(err, MG_ERR_INVALID,
                       "{prompt} cannot stand in a command for the shell, which would run what is "
                       "in it; write the command as a list, or read the prompt from stdin");
    list argv = {0};
    mg_vec_push(arena, &argv, "-c");
    mg_vec_push(arena, &argv, mg_str_cstr(arena, spec->shell));
    mg_vec_push(arena, &argv, NULL);
    agent->argv = argv.items;
    agent->shell = true;
    agent->name = "sh";
    return find_program(agent, "sh", spec->cwd, arena, err);
}

static mg_status unknown_preset(const char *name, mg_err *err)
{
    const char *names[32];
    size_t count = 0;
    for (; count < MG_COUNT(names) && mg_preset_at(count) != NULL; count++)
        names[count] = mg_preset_at(count)->name;
    const char *nearest = mg_nearest(mg_str_of(name), names, count);
    return nearest != NULL
               ? mg_fail(err, MG_ERR_INVALID, "there is no agent '%s' (did you mean '%s'?)", name,
                         nearest)
               : mg_fail(err, MG_ERR_INVALID,
                         "there is no agent '%s'; 'makegood kinds' lists them, and any other "
                         "program is given as a command",
                         name);
}

/* Files that are named beside an agent of ours are meant from where the caller stands. */
static mg_status place_files(const mg_agent_spec *spec, const list *argv, mg_arena *arena,
                             mg_err *err)
{
    for (size_t i = 0; i < argv->count; i++)
        if (argv->items[i][0] != '-')
            MG_TRY(absolute(argv->items[i], spec->cwd, arena, &argv->items[i], err));
    return MG_OK;
}

static mg_status open_preset(const mg_agent_spec *spec, mg_agent *agent, mg_arena *arena,
                             mg_err *err)
{
    const mg_preset *preset = agent->preset;
    list argv = {0};
    push_texts(&argv, spec->args, 0, arena);
    if (preset->file_args) {
        if (argv.count == 0)
            return mg_fail(err, MG_ERR_INVALID,
                           "the agent '%s' needs a file that says what it does", preset->info.name);
        MG_TRY(place_files(spec, &argv, arena, err));
    }
    mg_vec_push(arena, &argv, NULL);
    agent->argv = argv.items;
    agent->name = preset->info.name;
    if (preset->ours)
        return mg_libexec_find(preset->info.program, agent->env, arena, &agent->program, err);
    const mg_status s = find_program(agent, preset->info.program, spec->cwd, arena, err);
    return s == MG_OK ? s : mg_context(err, s, "agent '%s'", preset->info.name);
}

mg_status mg_agent_open(const mg_agent_spec *spec, mg_arena *arena, const mg_agent **out,
                        mg_err *err)
{
    const int given = (spec->preset != NULL) + (spec->command != NULL) + (spec->shell.len > 0);
    if (given != 1)
        return mg_fail(err, MG_ERR_INVALID,
                       given == 0 ? "no agent is given; name one with --agent, or give its command"
                                  : "more than one agent is given: a preset, or a command of your "
                                    "own, not both");
    mg_agent *agent = mg_new(arena, mg_agent);
    agent->kind = &mg_agent_exec;
    if (spec->preset != NULL) {
        agent->preset = mg_preset_find(spec->preset);
        if (agent->preset == NULL)
            return unknown_preset(spec->preset, err);
    }
    agent->env = environment(spec, agent->preset, arena);
    if (spec->preset != NULL)
        MG_TRY(open_preset(spec, agent, arena, err));
    else if (spec->command != NULL)
        MG_TRY(open_command(spec, agent, arena, err));
    else
        MG_TRY(open_shell(spec, agent, arena, err));
    MG_TRY(mg_supervisor_find(spec->environ, arena, &agent->supervisor, err));
    *out = agent;
    return MG_OK;
}
