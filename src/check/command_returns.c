/* command_returns - holds when a command ends with the wanted exit code, and its output has
 * what was asked for.
 *
 * The whole output goes through the patterns as it arrives; only its end is kept, to be
 * shown. A command that is not there, is killed or takes too long has failed: it did not
 * return as it should; but it gave no answer, so the opposite was not seen either. A command
 * that could not be run or watched has said nothing, and output that could not be read to its
 * end does not lack what was not found in it.
 *
 * A text of several lines is run with -e, as in CI: the first line that fails decides.
 */
#include "check/command.h"
#include "check/kinds.h"
#include "check/programs.h"
#include "check/shell_words.h"
#include "data/regex.h"
#include "io/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

static const mg_param params[] = {
    {"run", MG_PARAM_COMMAND, .required = true,
     .help = "text for sh -c (sh -e -c where it has several lines), or a list of arguments"},
    {"stdout", MG_PARAM_PATTERN, .help = "what must be found in its output"},
    {"exit_code", MG_PARAM_INT, .min = 0, .max = 255, .fallback = "0", .help = "how it must end"},
    {"stderr", MG_PARAM_PATTERN, .help = "what must be found in its error output"},
    {"env", MG_PARAM_ENV, .help = "variables it gets besides those that hold no secret"},
    {"timeout", MG_PARAM_DURATION, .fallback = "60s",
     .help = "then it and its children are killed"},
    {"cwd", MG_PARAM_PATH, .fallback = ".", .help = "the directory it runs in, beneath the root"},
    {0},
};

typedef struct stream { /* stdout or stderr */
    const char *name;
    const mg_regex *regex; /* NULL: nothing is asked of it */
    mg_search *search;
    bool spoke;
    mg_status status; /* of searching */
    mg_err err;
} stream;

typedef struct run {
    mg_ask *ask;
    const mg_args *args;
    mg_arena *arena;     /* until the answer; the result lives in ask->arena */
    mg_process *process; /* the one or the other; see mg_view.supervisor */
    mg_supervised *supervised;
    stream streams[2];
    bool no_answer; /* it failed without having said anything */
    bool timed_out;
    char *tail; /* a ring of the last bytes */
    size_t tail_max;
    uint64_t output_bytes;
} run;

/* --- Output --- */

static void keep_tail(run *r, mg_str bytes)
{
    const size_t skip = bytes.len > r->tail_max ? bytes.len - r->tail_max : 0;
    r->output_bytes += skip;
    for (size_t i = skip; i < bytes.len; i++)
        r->tail[r->output_bytes++ % r->tail_max] = bytes.ptr[i];
}

/* The last bytes as text, oldest first. */
static mg_str tail_text(const run *r)
{
    mg_buf buf = mg_buf_new(r->ask->arena, r->tail_max + 32); /* clean text is not copied again */
    const size_t kept = (size_t)MG_MIN(r->output_bytes, (uint64_t)r->tail_max);
    if (kept < r->output_bytes)
        mg_buf_adds(&buf, "...");
    for (uint64_t i = r->output_bytes - kept; i < r->output_bytes; i++)
        mg_buf_addc(&buf, r->tail[i % r->tail_max]);
    return mg_text_clean(r->ask->arena, mg_buf_str(&buf));
}

static void on_output(void *data, int number, mg_str bytes)
{
    run *r = data;
    stream *s = &r->streams[number - 1];
    s->spoke = true;
    if (r->tail_max > 0)
        keep_tail(r, bytes);
    if (s->search != NULL && s->status == MG_OK)
        s->status = mg_search_add(s->search, bytes, &s->err);
}

/* --- The answer --- */

static mg_str expectation(const run *r)
{
    mg_buf buf = mg_buf_new(r->ask->arena, 512);
    mg_buf_addf(&buf, "exit code %" PRId64, mg_arg_int(r->args, "exit_code"));
    for (size_t i = 0; i < MG_COUNT(r->streams); i++) {
        if (r->streams[i].regex == NULL)
            continue;
        const mg_str pattern = mg_quote_pattern(r->arena, r->streams[i].regex);
        mg_buf_addf(&buf, ", %s with a match of " MG_FMT, r->streams[i].name, MG_ARG(pattern));
    }
    return mg_buf_str(&buf);
}

/* What a shell means by codes that are not the command's own. */
static mg_str exit_text(run *r, int code)
{
    const bool shell = mg_arg_text(r->args, "run").len > 0;
    const char *signal_name = code > 128 ? sigabbrev_np(code - 128) : NULL;
    r->no_answer = code == 126 || code == 127 || (shell && signal_name != NULL);
    if (shell && code == 127)
        return MG_STR("exit code 127 (the shell did not find the command)");
    if (shell && code == 126)
        return MG_STR("exit code 126 (the command was found, but cannot be executed)");
    if (shell && signal_name != NULL)
        return mg_strf(r->ask->arena, "exit code %d (a command in it was killed by SIG%s)", code,
                       signal_name);
    return mg_strf(r->ask->arena, "exit code %d", code);
}

static mg_str signal_text(const run *r, int number)
{
    const char *name = sigabbrev_np(number);
    return name != NULL ? mg_strf(r->ask->arena, "killed by SIG%s", name)
                        : mg_strf(r->ask->arena, "killed by signal %d", number);
}

static void answer(run *r, mg_outcome outcome, mg_str observed)
{
    mg_ask *ask = r->ask;
    mg_result result = mg_result_make(outcome, expectation(r), observed);
    result.no_answer = outcome == MG_OUTCOME_FAIL && r->no_answer;
    result.timed_out = r->timed_out;
    if (r->output_bytes > 0)
        result.detail = tail_text(r);
    mg_arena_free(r->arena); /* and r with it */
    ask->stop = NULL;
    mg_ask_answer(ask, &result);
}

static void answer_error(run *r, mg_status code, const char *text)
{
    mg_ask *ask = r->ask;
    const char *kept = mg_str_cstr(ask->arena, mg_str_of(text));
    mg_arena_free(r->arena);
    ask->stop = NULL;
    mg_ask_error(ask, code, kept);
}

/* Whether the stream has what was asked of it; not MG_OK: it cannot be known. */
static mg_status judge_stream(stream *s, int unread, bool *found)
{
    MG_TRY(s->status);
    MG_TRY(unread != 0 ? mg_search_flush(s->search, &s->err) : mg_search_end(s->search, &s->err));
    *found = mg_search_count(s->search) > 0;
    if (*found || unread == 0)
        return MG_OK;
    if (unread == EBUSY)
        return mg_fail(&s->err, MG_ERR_UNAVAILABLE,
                       "a process that the command left behind still holds it open");
    errno = unread;
    return mg_fail_errno(&s->err, "it could not be read to its end");
}

static mg_str no_match(const run *r, const stream *s)
{
    const bool both = r->streams[0].spoke && r->streams[1].spoke;
    return mg_strf(r->ask->arena, "exit code %" PRId64 ", but no match in %s%s",
                   mg_arg_int(r->args, "exit_code"), s->name,
                   both ? " (what is shown is stdout and stderr together)" : "");
}

/* The exit code is right; what is left are the patterns. One that is absent decides before
 * one that could not be searched. */
static void judge_output(run *r, const int unread[static 2])
{
    const stream *unsearched = NULL;
    for (size_t i = 0; i < MG_COUNT(r->streams); i++) {
        stream *s = &r->streams[i];
        bool found = false;
        if (s->regex == NULL)
            continue;
        s->status = judge_stream(s, unread[i], &found);
        if (s->status != MG_OK) {
            unsearched = s;
        } else if (!found) {
            answer(r, MG_OUTCOME_FAIL, no_match(r, s));
            return;
        }
    }
    if (unsearched != NULL) {
        const mg_str text = mg_strf(r->arena, "%s: %s", unsearched->name, unsearched->err.text);
        answer_error(r, unsearched->status, text.ptr);
        return;
    }
    answer(r, MG_OUTCOME_PASS,
           mg_strf(r->ask->arena, "exit code %" PRId64, mg_arg_int(r->args, "exit_code")));
}

static void on_ended(void *data, const mg_process_exit *exit)
{
    run *r = data;
    r->process = NULL;
    r->no_answer = exit->how != MG_PROCESS_EXITED;
    r->timed_out = exit->how == MG_PROCESS_TIMED_OUT;
    if (exit->how == MG_PROCESS_TIMED_OUT) {
        const mg_str limit = mg_duration_text(r->arena, mg_arg_amount(r->args, "timeout"));
        answer(r, MG_OUTCOME_FAIL,
               mg_strf(r->ask->arena, "timed out after " MG_FMT "; the process group was killed",
                       MG_ARG(limit)));
    } else if (exit->how == MG_PROCESS_SIGNALLED) {
        answer(r, MG_OUTCOME_FAIL, signal_text(r, exit->code));
    } else if (exit->how != MG_PROCESS_EXITED) {
        answer_error(r, exit->why.code, exit->why.text);
    } else if (exit->code != mg_arg_int(r->args, "exit_code")) {
        answer(r, MG_OUTCOME_FAIL, exit_text(r, exit->code));
    } else {
        judge_output(r, exit->unread);
    }
}

/* What it left behind was ended with it. If that is not certain, it may still change what is
 * looked at next: nothing was seen. */
static void on_all_ended(void *data, const mg_supervised_end *end)
{
    run *r = data;
    r->supervised = NULL;
    if (end->whole)
        on_ended(r, &end->exit);
    else
        answer_error(r, MG_ERR_UNAVAILABLE,
                     end->why.text[0] != '\0' ? end->why.text
                                              : "whether every process of it ended is not known");
}

static void stop(mg_ask *ask)
{
    run *r = ask->state;
    if (r->process != NULL)
        mg_process_stop(r->process);
    mg_supervised_free(r->supervised);
    mg_arena_free(r->arena);
}

/* --- The start --- */

static void watch_stream(run *r, size_t index, const mg_view *view)
{
    static const char *const names[] = {"stdout", "stderr"};
    stream *s = &r->streams[index];
    s->name = names[index];
    if (!mg_arg_set(r->args, s->name))
        return;
    s->regex = mg_arg_regex(r->args, s->name);
    s->search = mg_search_new(s->regex, view->limits, 1, 0, r->arena);
}

static run *run_new(const mg_view *view, const mg_args *args, mg_ask *ask)
{
    mg_arena *arena = mg_arena_new(ask->arena);
    run *r = mg_new(arena, run);
    *r = (run){.ask = ask, .args = args, .arena = arena, .tail_max = view->limits->output_tail};
    r->tail = mg_arena_alloc(arena, r->tail_max);
    watch_stream(r, 0, view);
    watch_stream(r, 1, view);
    return r;
}

static mg_status start_process(const mg_view *view, mg_loop *loop, const mg_process_options *o,
                               run *r, mg_err *err)
{
    if (view->supervisor == NULL)
        return mg_process_start(loop, o, &r->process, err);
    const mg_supervise_options options = {
        .supervisor = view->supervisor,
        .argv = o->argv,
        .env = o->env,
        .cwd = o->cwd,
        .timeout_ms = o->timeout_ms,
        .output = o->output,
        .ended = on_all_ended,
        .data = r,
    };
    return mg_supervise_start(loop, &options, &r->supervised, err);
}

static mg_status start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    const mg_value *env = mg_arg(args, "env");
    const mg_str where = mg_arg_text(args, "cwd");
    mg_loop *loop;
    MG_TRY(mg_ask_loop(ask, &loop, err));
    if (view->programs != NULL)
        MG_TRY(mg_programs_same(view->programs, view->world, args, err));
    if (view->began_ms > 0)
        MG_TRY(mg_programs_unshadowed(view->world, args, view->began_ms, err));
    MG_AUTO_FD cwd = mg_open_beneath(view->world->root, where, O_RDONLY | O_DIRECTORY);
    if (cwd < 0)
        return mg_fail_errno(err, "directory '" MG_FMT "'", MG_ARG(where));
    run *r = run_new(view, args, ask);
    const mg_process_options options = {
        .argv = mg_command_argv(mg_arg(args, "run"), r->arena),
        .env = mg_environment(view->world->environ, env->env.items, env->set ? env->env.count : 0,
                              r->arena),
        .cwd = cwd,
        .timeout_ms = mg_arg_amount(args, "timeout"),
        .output = on_output,
        .ended = on_ended,
        .data = r,
    };
    const mg_status s = start_process(view, loop, &options, r, err);
    if (s == MG_ERR_NOT_FOUND) { /* as sh's 127 */
        r->no_answer = true;
        answer(r, MG_OUTCOME_FAIL, mg_str_copy(ask->arena, mg_str_of(err->text)));
        return MG_OK;
    }
    if (s != MG_OK) {
        mg_arena_free(r->arena);
        return s;
    }
    ask->state = r;
    ask->stop = stop;
    return MG_OK;
}

/* --- At load --- */

static mg_status validate(const mg_args *args, mg_err *err)
{
    const mg_value *command = mg_arg(args, "run");
    const mg_str text = mg_str_trim(command->text);
    if (text.len == 0 && (command->text.len > 0 || command->texts.count == 0))
        return mg_fail(err, MG_ERR_INVALID,
                       "'run' is empty; write a command, as in run: make test");
    if (text.len == 0 && command->texts.items[0].len == 0)
        return mg_fail(err, MG_ERR_INVALID, "the first word of 'run' names a program and is empty");
    if (mg_arg_amount(args, "timeout") == 0)
        return mg_fail(err, MG_ERR_INVALID, "a timeout of 0 leaves no time; write one as in 2m");
    return MG_OK;
}

/* A hidden exit code does not matter where the output is judged; a constant one always does. */
static const char *vacuous(const mg_args *args)
{
    const mg_value *command = mg_arg(args, "run");
    const bool output_judged = mg_arg_set(args, "stdout") || mg_arg_set(args, "stderr");
    const char *why = NULL;
    const mg_shell_verdict verdict = command->text.len > 0
                                         ? mg_shell_judge(command->text, &why)
                                         : mg_shell_judge_argv(&command->texts, &why);
    if (verdict == MG_SHELL_TELLS || (verdict == MG_SHELL_MASKED && output_judged))
        return NULL;
    return why;
}

const mg_check_kind mg_check_command_returns = {
    .name = "command_returns",
    .summary = "a command ends with an exit code, and its output has a pattern",
    .example =
        "command_returns: {run: make test, exit_code: 0, stdout: '\\b0 failed', timeout: 2m}",
    .params = params,
    .runs_command = true,
    .validate = validate,
    .vacuous = vacuous,
    .start = start,
};
