/* exec.c - an attempt by a program: its arguments, its environment, its output, its end.
 *
 * The supervisor (io/supervise.h) sees to it that the end is the end; the reader says what the
 * output meant. This file puts the two together.
 */
#include "agent/kinds.h"
#include "base/clock.h"
#include "base/vec.h"

#include <signal.h>

enum { VAR_MAX = 100000 }; /* a variable; the kernel takes 128 KiB */

typedef struct exec_run {
    mg_agent_run run;
    mg_supervised *supervised; /* NULL: it is over */
    mg_tenant tenant;          /* a loop that closes ends the run before what it stands upon */
    mg_reader *reader;
    mg_agent_calls calls;
    bool resuming;
} exec_run;

typedef struct list {
    const char **items;
    size_t count, cap;
} list;

/* --- Arguments --- */

/* A text for the kernel: a NUL would cut it off. */
static mg_str without_nul(mg_arena *arena, mg_str text)
{
    if (text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL)
        return text;
    mg_buf buf = mg_buf_new(arena, text.len);
    for (size_t i = 0; i < text.len; i++)
        mg_buf_addc(&buf, text.ptr[i] != '\0' ? text.ptr[i] : ' ');
    return mg_buf_str(&buf);
}

/* arg with every `{name}` in it replaced, once: what is put in is not looked at again. */
static const char *filled(const char *arg, const char *mark, mg_str value, mg_arena *arena)
{
    const char *at = strstr(arg, mark);
    if (at == NULL)
        return arg;
    mg_buf buf = mg_buf_new(arena, SIZE_MAX / 2);
    for (; at != NULL; at = strstr(arg, mark)) {
        mg_buf_add(&buf, (mg_str){arg, (size_t)(at - arg)});
        mg_buf_add(&buf, value);
        arg = at + strlen(mark);
    }
    mg_buf_adds(&buf, arg);
    return mg_str_cstr(arena, mg_buf_str(&buf));
}

/* Whether the user gave a flag: "--flag", "--flag=value". */
static bool gives(const char *const *argv, mg_str flag)
{
    for (; *argv != NULL; argv++) {
        const mg_str arg = mg_str_of(*argv);
        if (mg_str_eq(mg_str_first(arg, flag.len), flag) &&
            (arg.len == flag.len || arg.ptr[flag.len] == '='))
            return true;
    }
    return false;
}

static bool replaced(const mg_preset_default *d, const char *const *argv)
{
    mg_str rest = mg_str_of(d->unless), flag;
    bool found = gives(argv, mg_str_of(d->flag));
    while (!found && mg_str_split(&rest, ' ', &flag))
        found = gives(argv, flag);
    return found;
}

static void push_args(list *to, const mg_agent *agent, mg_arena *arena)
{
    const mg_preset *preset = agent->preset;
    for (size_t i = 0; i < MG_COUNT(preset->defaults); i++) {
        const mg_preset_default *d = &preset->defaults[i];
        if (d->flag == NULL || replaced(d, agent->argv))
            continue;
        mg_vec_push(arena, to, d->flag);
        if (d->value != NULL)
            mg_vec_push(arena, to, d->value);
    }
    for (const char *const *arg = agent->argv; *arg != NULL; arg++)
        mg_vec_push(arena, to, *arg);
}

/* *on_stdin: the prompt is in none of them. */
static const char *const *arguments(const mg_agent *agent, const mg_agent_request *request,
                                    bool resuming, mg_arena *arena, bool *on_stdin)
{
    const mg_preset *preset = agent->preset;
    const mg_str prompt = without_nul(arena, request->prompt);
    const char *const *row = agent->argv;
    if (preset != NULL)
        row = resuming ? preset->again : preset->first;
    list argv = {0};
    mg_vec_push(arena, &argv, agent->program);
    *on_stdin = true;
    for (; *row != NULL; row++) {
        if (preset != NULL && strcmp(*row, "{args}") == 0) {
            push_args(&argv, agent, arena);
            continue;
        }
        if (agent->shell) {
            mg_vec_push(arena, &argv, *row);
            continue;
        }
        *on_stdin = *on_stdin && strstr(*row, "{prompt}") == NULL;
        const char *arg =
            preset != NULL ? filled(*row, "{session}", request->session, arena) : *row;
        mg_vec_push(arena, &argv, filled(arg, "{prompt}", prompt, arena));
    }
    mg_vec_push(arena, &argv, NULL);
    return argv.items;
}

/* --- Environment --- */

static void let(list *vars, const char *name, mg_str value, mg_arena *arena)
{
    const mg_str kept = mg_str_first(without_nul(arena, value), VAR_MAX);
    mg_vec_push(arena, vars, mg_strf(arena, "%s=" MG_FMT, name, MG_ARG(kept)).ptr);
}

static bool is_ours(const char *var)
{
    static const char *const names[] = {
        "MAKEGOOD_ATTEMPT=", "MAKEGOOD_GOAL=", "MAKEGOOD_FEEDBACK=", "MAKEGOOD_ROOT=", "PWD="};
    for (size_t i = 0; i < MG_COUNT(names); i++)
        if (mg_str_starts(mg_str_of(var), names[i]))
            return true;
    return false;
}

static mg_status environment(const mg_agent *agent, const mg_agent_request *request,
                             mg_arena *arena, const char *const **out, mg_err *err)
{
    list vars = {0};
    mg_str root = {0};
    MG_TRY(mg_directory_path(request->world->root, arena, &root, err));
    for (const char *const *var = agent->env; *var != NULL; var++)
        if (!is_ours(*var))
            mg_vec_push(arena, &vars, *var);
    let(&vars, "MAKEGOOD_ATTEMPT", mg_strf(arena, "%u", request->number), arena);
    let(&vars, "MAKEGOOD_GOAL", request->goal, arena);
    let(&vars, "MAKEGOOD_FEEDBACK", request->feedback, arena);
    let(&vars, "MAKEGOOD_ROOT", root, arena);
    let(&vars, "PWD", root, arena);
    mg_vec_push(arena, &vars, NULL);
    *out = vars.items;
    return MG_OK;
}

/* --- The run --- */

static void on_output(void *data, int stream, mg_str bytes)
{
    exec_run *run = data;
    mg_reader_feed(run->reader, stream, bytes);
    if (run->calls.output != NULL)
        run->calls.output(run->calls.data, stream, bytes);
}

static mg_read_exit seen(const exec_run *run, const mg_supervised_end *end)
{
    const mg_process_exit *exit = &end->exit;
    return (mg_read_exit){
        .has_exit = exit->how == MG_PROCESS_EXITED || exit->how == MG_PROCESS_SIGNALLED,
        .exit_code = exit->how == MG_PROCESS_SIGNALLED ? 128 + exit->code : exit->code,
        .timed_out = exit->how == MG_PROCESS_TIMED_OUT,
        .stopped = end->stopped,
        .resuming = run->resuming,
        .wall_ms = mg_clock_system.wall_ms(mg_clock_system.self),
    };
}

static void on_ended(void *data, const mg_supervised_end *end)
{
    exec_run *run = data;
    mg_arena *arena = run->reader->arena;
    mg_agent_end told = {.whole = end->whole, .leftovers = end->leftovers};
    const mg_read_exit how = seen(run, end);
    run->supervised = NULL; /* it forgets itself after this */
    mg_loop_leave(&run->tenant);
    mg_reader_finish(run->reader, &how, &told);
    if (!how.has_exit)
        told.exit_code = 0;
    if (!end->whole)
        told.why = mg_str_copy(arena, mg_str_of(end->why.text));
    else if (end->exit.how == MG_PROCESS_LOST && !how.stopped)
        told.why = mg_str_copy(arena, mg_str_of(end->exit.why.text));
    if (told.error.len == 0 && !how.stopped && !how.timed_out)
        told.error = told.why;
    /* Output that could not be read to its end is not all there was. */
    if (end->exit.unread[0] != 0) {
        told.response_cut = true;
        told.steps_known = false;
    }
    run->calls.ended(run->calls.data, &told);
}

static void end_run(mg_agent_run *base)
{
    exec_run *run = (exec_run *)base;
    mg_supervised *supervised = run->supervised;
    run->supervised = NULL;
    mg_loop_leave(&run->tenant);
    mg_supervised_free(supervised);
}

static void close_run(void *run)
{
    end_run(run);
}

static void stop(mg_agent_run *base)
{
    const exec_run *run = (const exec_run *)base;
    if (run->supervised != NULL)
        mg_supervised_stop(run->supervised);
}

static mg_status start(const mg_agent *agent, mg_loop *loop, const mg_agent_request *request,
                       const mg_agent_calls *calls, mg_arena *arena, mg_agent_run **out,
                       mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    exec_run *run = mg_new(arena, exec_run);
    const mg_format *format = agent->preset != NULL ? agent->preset->format : &mg_format_text;
    bool on_stdin;
    run->run.kind = &mg_agent_exec;
    run->reader = mg_reader_new(format, arena);
    run->calls = *calls;
    run->resuming = request->session.len > 0 && mg_agent_resumes(agent);

    mg_supervise_options options = {
        .supervisor = agent->supervisor,
        .argv = arguments(agent, request, run->resuming, scratch, &on_stdin),
        .cwd = request->world->root,
        .timeout_ms = request->timeout_ms,
        .drain_ms = request->drain_ms,
        .hold = request->hold,
        .output = on_output,
        .ended = on_ended,
        .data = run,
    };
    MG_TRY(environment(agent, request, scratch, &options.env, err));
    if (on_stdin)
        options.input = request->prompt;
    MG_TRY(mg_supervise_start(loop, &options, &run->supervised, err));
    run->tenant = (mg_tenant){.evict = close_run, .data = run};
    mg_loop_join(loop, &run->tenant);
    mg_arena_on_free(arena, close_run, run);
    *out = &run->run;
    return MG_OK;
}

const mg_agent_kind mg_agent_exec = {.start = start, .stop = stop, .end = end_run};
