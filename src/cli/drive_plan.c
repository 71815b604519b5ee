/* drive_plan.c - freezing a goal, thawing it, and settling who works how long on it. */
#include "cli/drive_plan.h"

#include "api/target.h"
#include "base/vec.h"
#include "data/glob.h"
#include "data/hash.h"
#include "data/text.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const char separator[] = "\n---\n"; /* two documents of YAML */

/* --- The goal --- */

mg_str mg_drive_freeze(mg_str file_text, bool has_file, mg_str sentence, const mg_strs *until,
                       mg_arena *arena)
{
    if (has_file && sentence.ptr == NULL && until->count == 0)
        return file_text;
    mg_buf out = mg_buf_new(arena, 2 * mg_limits_default.goal_bytes);
    if (has_file)
        mg_buf_add(&out, file_text);
    if (has_file)
        mg_buf_adds(&out, separator);
    mg_json_out json = {.buf = &out};
    mg_json_begin(&json, '{');
    if (sentence.ptr != NULL) {
        mg_json_key(&json, "goal");
        mg_json_str(&json, sentence);
    }
    mg_json_key(&json, "effect");
    mg_json_cstr(&json, "optional");
    mg_json_key(&json, "assert");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < until->count; i++) {
        mg_json_begin(&json, '{');
        mg_json_key(&json, "command_returns");
        mg_json_begin(&json, '{');
        mg_json_key(&json, "run");
        mg_json_str(&json, until->items[i]);
        mg_json_key(&json, "timeout"); /* a whole test suite, as `makegood init` supposes */
        mg_json_cstr(&json, "10m");
        mg_json_end(&json, '}');
        mg_json_end(&json, '}');
    }
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    mg_buf_addc(&out, '\n');
    return mg_buf_str(&out);
}

/* The entries of the command line stand behind those of the file, before its invariants. */
static void add_goal(mg_goal *goal, const mg_goal *more, mg_arena *arena)
{
    mg_entries all = {0};
    for (size_t i = 0; i < goal->assert_count; i++)
        mg_vec_push(arena, &all, goal->entries.items[i]);
    for (size_t i = 0; i < more->entries.count; i++)
        mg_vec_push(arena, &all, more->entries.items[i]);
    for (size_t i = goal->assert_count; i < goal->entries.count; i++)
        mg_vec_push(arena, &all, goal->entries.items[i]);
    goal->entries = all;
    goal->assert_count += more->assert_count;
    for (size_t i = 0; i < more->warnings.count; i++)
        mg_vec_push(arena, &goal->warnings, more->warnings.items[i]);
    if (more->goal.len > 0)
        goal->goal = more->goal;
}

/* What the command line says stands on no line of the goal file. */
static mg_status read_added(mg_str text, mg_arena *arena, const mg_goal **out, mg_buf *complaint)
{
    MG_TRY(mg_target_read(text, MG_STR("--until and --goal"), arena, out, complaint));
    for (size_t i = 0; i < (*out)->entries.count; i++)
        (*out)->entries.items[i]->line = 0;
    for (size_t i = 0; i < (*out)->warnings.count; i++)
        (*out)->warnings.items[i].line = 0;
    return MG_OK;
}

mg_status mg_drive_thaw(mg_str frozen, size_t file_bytes, mg_str name, mg_arena *arena,
                        mg_goal *out, mg_buf *complaint)
{
    const mg_goal *file = NULL, *added = NULL;
    const mg_str first = mg_str_first(frozen, file_bytes);
    mg_str rest = mg_str_from(frozen, file_bytes);
    const size_t between = sizeof separator - 1;
    if (name.len > 0) {
        MG_TRY(mg_target_read(first, name, arena, &file, complaint));
        if (file_bytes > frozen.len || (rest.len > 0 && !mg_str_starts(rest, separator))) {
            mg_buf_adds(complaint, "the stored goal is not what was stored\n");
            return MG_ERR_INVALID;
        }
        rest = mg_str_from(rest, between);
    }
    if (file == NULL || rest.len > 0)
        MG_TRY(read_added(rest, arena, &added, complaint));
    const mg_goal *base = file != NULL ? file : added;
    assert(base != NULL); /* what is not in the file is in the rest */
    *out = *base;
    if (added != NULL && base != added)
        add_goal(out, added, arena);
    out->file = name;
    return MG_OK;
}

/* --- The world --- */

static bool beneath(mg_str path, mg_str root, mg_str *relative)
{
    if (mg_str_is(root, "/"))
        root.len = 0;
    if (path.len <= root.len + 1 || !mg_str_eq(mg_str_first(path, root.len), root) ||
        path.ptr[root.len] != '/')
        return false;
    *relative = mg_str_from(path, root.len + 1);
    return true;
}

static mg_status settle_world(mg_cli *cli, const mg_drive_ask *ask, mg_drive_plan *plan,
                              mg_err *err)
{
    mg_arena *arena = cli->arena;
    mg_world *world = &plan->world;
    mg_pursuit *p = &plan->pursuit;
    char real[PATH_MAX];
    struct stat st;
    MG_TRY(mg_target_world(&plan->goal, ask->directory, ask->root.len > 0 ? ask->root.ptr : NULL,
                           arena, world, err));
    if (realpath(world->root_path.ptr, real) == NULL || fstat(world->root, &st) < 0)
        return mg_fail_errno(err, "root '" MG_FMT "'", MG_ARG(world->root_path));
    world->root_path = mg_str_copy(arena, mg_str_of(real));
    world->environ = cli->environ;
    p->root = world->root_path;
    p->scope = mg_strf(arena, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    p->user = mg_strf(arena, "%ju", (uintmax_t)getuid());
    mg_str within;
    if (ask->file_path.len > 0 && beneath(ask->file_path, p->root, &within))
        plan->options.goal_path = within;
    return MG_OK;
}

void mg_drive_plan_overlook(mg_drive_plan *plan, int fd, mg_arena *arena)
{
    char path[PATH_MAX];
    struct stat st;
    mg_str within;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    const ssize_t len = readlink(mg_strf(arena, "/proc/self/fd/%d", fd).ptr, path, sizeof path);
    if (len <= 0 || (size_t)len >= sizeof path ||
        !beneath((mg_str){path, (size_t)len}, plan->pursuit.root, &within))
        return;
    mg_strs_add(arena, &plan->ignore, mg_glob_literal(mg_str_copy(arena, within), arena));
    plan->options.ignore = &plan->ignore;
}

/* --- The agent --- */

/* Nearest wins: the command line whole, or the file whole; the file's variables in any case. */
static mg_status open_agent(mg_cli *cli, const mg_drive_ask *ask, mg_drive_plan *plan, mg_err *err)
{
    const mg_args *own = mg_arg_object(plan->goal.settings, "agent");
    const mg_value *command = mg_arg(own, "command"), *env = mg_arg(own, "env");
    const bool typed = ask->preset.len > 0 || ask->words.count > 0;
    mg_agent_spec spec = {.environ = cli->environ, .cwd = plan->world.root};
    MG_AUTO_FD cwd = open(ask->cwd.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (typed && cwd < 0)
        return mg_fail_errno(err, "the directory '" MG_FMT "'", MG_ARG(ask->cwd));
    if (env->set) {
        spec.env = env->env.items;
        spec.env_count = env->env.count;
    }
    if (typed) {
        spec.cwd = cwd;
        spec.preset = ask->preset.len > 0 ? ask->preset.ptr : NULL;
        spec.args = spec.preset != NULL ? &ask->words : NULL;
        spec.command = spec.preset == NULL ? &ask->words : NULL;
    } else if (mg_arg_set(own, "preset") || command->set) {
        const bool list = command->set && command->text.len == 0;
        if (mg_arg_set(own, "preset"))
            spec.preset = mg_str_cstr(cli->arena, mg_arg_text(own, "preset"));
        spec.args = mg_arg_set(own, "args") ? &mg_arg(own, "args")->texts : NULL;
        spec.command = list ? &command->texts : NULL;
        spec.shell = command->set ? command->text : MG_STR("");
    } else {
        return mg_fail(err, MG_ERR_INVALID,
                       "nobody is named who does the work; add '-- COMMAND...', '--agent PRESET' "
                       "or 'agent:' in the goal file");
    }
    MG_TRY(mg_agent_open(&spec, cli->arena, &plan->options.agent, err));
    plan->pursuit.agent = mg_str_copy(cli->arena, mg_str_of(mg_agent_name(plan->options.agent)));
    return MG_OK;
}

static mg_status settle_context(mg_drive_plan *plan, mg_err *err)
{
    const mg_value *asked = mg_arg(mg_arg_object(plan->goal.settings, "agent"), "context");
    const bool can = mg_agent_resumes(plan->options.agent);
    plan->options.context = can ? MG_CONTEXT_RESUME : MG_CONTEXT_HISTORY;
    if (!asked->set)
        return MG_OK;
    if (mg_str_is(asked->text, "resume") && !can)
        return mg_fail(err, MG_ERR_INVALID,
                       "line %u: 'context: resume' is asked of the agent '" MG_FMT
                       "', which cannot go on with a conversation; take 'history' or 'none'",
                       asked->line, MG_ARG(plan->pursuit.agent));
    if (mg_str_is(asked->text, "history"))
        plan->options.context = MG_CONTEXT_HISTORY;
    else if (mg_str_is(asked->text, "none"))
        plan->options.context = MG_CONTEXT_NONE;
    return MG_OK;
}

/* --- The rest of the settings --- */

/* What a goal asks for and is not there must not be left out in silence. */
static mg_status refuse_missing(const mg_args *settings, mg_err *err)
{
    const mg_value *hide = mg_arg(settings, "hide"), *sandbox = mg_arg(settings, "sandbox");
    const mg_value *when = mg_arg(mg_arg_object(settings, "judge"), "when");
    if (hide->set && hide->texts.count > 0)
        return mg_fail(err, MG_ERR_INVALID,
                       "line %u: 'hide:' needs the sandbox, which this version does not have; "
                       "keep those files outside the root instead",
                       hide->line);
    if (sandbox->set && sandbox->boolean)
        return mg_fail(err, MG_ERR_INVALID,
                       "line %u: 'sandbox:' is asked for, which this version does not have; "
                       "remove it, or run makegood itself inside one",
                       sandbox->line);
    if (mg_str_is(when->text, "always"))
        return mg_fail(err, MG_ERR_INVALID,
                       "line %u: 'judge.when: always' needs a judge, which this version does not "
                       "have; take 'never' or 'ambiguous'",
                       when->line);
    return MG_OK;
}

/* What only promises something is no reason to refuse the goal, but to say so. */
static void warn_unused(mg_goal *goal, mg_arena *arena)
{
    static const char *const keys[] = {"judge", "llm", "signal"};
    const mg_value *when = mg_arg(mg_arg_object(goal->settings, "judge"), "when");
    for (size_t i = 0; i < MG_COUNT(keys); i++) {
        const mg_value *value = mg_arg(goal->settings, keys[i]);
        const bool never = strcmp(keys[i], "judge") == 0 && mg_str_is(when->text, "never");
        if (!value->set || never)
            continue;
        const mg_str text = mg_strf(arena, "the key '%s' is not used by this version", keys[i]);
        mg_vec_push(arena, &goal->warnings, ((mg_problem){.line = value->line, .text = text}));
    }
}

static mg_status settle_budget(const mg_drive_ask *ask, mg_drive_plan *plan, mg_err *err)
{
    const mg_args *own = mg_arg_object(plan->goal.settings, "budget");
    const mg_value *cost = mg_arg(own, "cost_usd");
    if (cost->set && !(cost->number > 0))
        return mg_fail(err, MG_ERR_INVALID, "line %u: 'budget.cost_usd' must be above 0",
                       cost->line);
    mg_budget b = {
        .attempts = ask->attempts > 0 ? ask->attempts : (uint32_t)mg_arg_int(own, "attempts"),
        .time_ms = ask->time_ms > 0 ? ask->time_ms : mg_arg_amount(own, "time"),
        .stagnation = (uint32_t)mg_arg_int(own, "stagnation"),
        .tokens = ask->tokens,
        .cost_usd = ask->cost_usd,
    };
    if (b.time_ms == 0)
        return mg_fail(err, MG_ERR_INVALID, "line %u: 'budget.time' is no time at all",
                       mg_arg(own, "time")->line);
    if (b.tokens == 0 && mg_arg_set(own, "tokens"))
        b.tokens = mg_arg_int(own, "tokens");
    if (!(b.cost_usd > 0) && cost->set)
        b.cost_usd = cost->number;
    plan->options.budget = b;
    plan->pursuit.budget = b;
    return MG_OK;
}

static void settle_options(mg_cli *cli, const mg_drive_ask *ask, mg_drive_plan *plan)
{
    const mg_args *settings = plan->goal.settings;
    const mg_args *agent = mg_arg_object(settings, "agent");
    const mg_value *watch = mg_arg(settings, "watch");
    const mg_value *protect = mg_arg(settings, "protect"), *ignore = mg_arg(settings, "ignore");
    mg_drive_setup *o = &plan->options;
    o->goal = &plan->goal;
    o->world = &plan->world;
    o->effect_required = !mg_str_is(mg_arg_text(settings, "effect"), "optional");
    o->attempt_timeout_ms =
        ask->attempt_timeout_ms > 0 ? ask->attempt_timeout_ms : mg_arg_amount(agent, "timeout");
    o->drain_ms = mg_arg_amount(agent, "drain");
    o->protect = protect->set ? &protect->texts : NULL;
    for (size_t i = 0; ignore->set && i < ignore->texts.count; i++)
        mg_strs_add(cli->arena, &plan->ignore, ignore->texts.items[i]);
    o->ignore = &plan->ignore;
    o->watch = watch->boolean;
    o->watch_every_ms = mg_arg_amount(watch->object, "every");
    o->watch_settle_ms = mg_arg_amount(watch->object, "settle");
    o->watch_commands = mg_arg(watch->object, "commands")->boolean;
    o->limits = &mg_limits_default;
    o->clock = cli->clock;
}

static mg_status settle(mg_cli *cli, const mg_drive_ask *ask, mg_drive_plan *plan, mg_err *err)
{
    MG_TRY(refuse_missing(plan->goal.settings, err));
    warn_unused(&plan->goal, cli->arena);
    MG_TRY(settle_world(cli, ask, plan, err));
    MG_TRY(settle_budget(ask, plan, err));
    settle_options(cli, ask, plan);
    MG_TRY(open_agent(cli, ask, plan, err));
    return settle_context(plan, err);
}

mg_status mg_drive_plan_make(mg_cli *cli, const mg_drive_ask *ask, mg_str frozen,
                             mg_drive_plan **out, mg_buf *complaint)
{
    mg_err err;
    mg_drive_plan *plan = mg_new(cli->arena, mg_drive_plan);
    const mg_str shown = mg_text_line(cli->arena, ask->file, 500);
    MG_TRY(mg_drive_thaw(frozen, ask->file_bytes, shown, cli->arena, &plan->goal, complaint));
    plan->goal.file = ask->file;
    const mg_status s = settle(cli, ask, plan, &err);
    if (s != MG_OK) {
        const mg_str text = mg_text_line(cli->arena, mg_str_of(err.text), sizeof err.text);
        mg_buf_addf(complaint, MG_FMT "%s" MG_FMT "\n", MG_ARG(shown), shown.len > 0 ? ": " : "",
                    MG_ARG(text));
        return s;
    }
    mg_pursuit *p = &plan->pursuit;
    p->goal = plan->goal.goal;
    p->goal_file = ask->file;
    p->frozen = frozen;
    p->frozen_sha256 = mg_sha256_hex(cli->arena, frozen);
    p->request = mg_drive_ask_json(ask, cli->arena);
    *out = plan;
    return MG_OK;
}
