/* What every agent keeps, whatever it is: it ends exactly once, it stops when it is asked to, it
 * says whether anything is left of it, and it can be forgotten in the middle.
 *
 * Where a preset is tried, a small program of the test that bears its name stands for the real one
 * and prints a recording of it; ./dev test-agents drives the real ones. */
#include "agent/agent.h"
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

typedef struct watch {
    int ended;
    mg_agent_end end;
    mg_buf out;
    mg_agent_run *run;
    bool stop_on_output, free_on_output, free_on_end;
} watch;

static void on_output(void *data, int stream, mg_str bytes)
{
    watch *w = data;
    EXPECT_EQ(0, w->ended);
    if (stream == 1)
        mg_buf_add(&w->out, bytes);
    if (w->stop_on_output)
        mg_agent_stop(w->run);
    if (w->free_on_output) {
        mg_agent_free(w->run);
        w->ended = -100;
    }
}

static void on_ended(void *data, const mg_agent_end *end)
{
    watch *w = data;
    w->ended++;
    w->end = *end;
    if (w->free_on_end)
        mg_agent_free(w->run);
}

typedef struct trial {
    mg_loop *loop;
    mg_world world;
    mg_agent_request request;
    watch watch;
} trial;

static trial trial_new(test *t)
{
    trial tr = {.watch = {.out = mg_buf_new(t->arena, 1 << 20)}};
    EXPECT_OK(mg_loop_open(&tr.loop, &t->err));
    EXPECT_OK(mg_world_open(t->dir, t->arena, &tr.world, &t->err));
    tr.request = (mg_agent_request){.number = 1,
                                    .prompt = MG_STR("-n do it"),
                                    .goal = MG_STR("the goal"),
                                    .timeout_ms = 20000 * test_slowness(),
                                    .drain_ms = 300};
    return tr;
}

static void start(test *t, trial *tr, const mg_agent *agent)
{
    const mg_agent_calls calls = {on_output, on_ended, &tr->watch};
    tr->request.world = &tr->world;
    EXPECT_OK(
        mg_agent_start(agent, tr->loop, &tr->request, &calls, t->arena, &tr->watch.run, &t->err));
    EXPECT_EQ(0, tr->watch.ended); /* not from start */
}

static void never(void *data)
{
    (void)data;
    test_fail(__FILE__, __LINE__, "nothing ended within a minute");
}

static void wait_for_end(trial *tr)
{
    mg_timer *limit = mg_timer_start(tr->loop, 60000, never, NULL);
    while (tr->watch.ended == 0)
        mg_loop_turn(tr->loop);
    mg_timer_stop(limit);
}

/* The end, and that nothing comes after it. */
static const mg_agent_end *run_to_end(test *t, trial *tr, const mg_agent *agent)
{
    start(t, tr, agent);
    wait_for_end(tr);
    mg_agent_stop(tr->watch.run); /* harmless now */
    mg_agent_free(tr->watch.run);
    mg_agent_free(tr->watch.run);
    mg_loop_close(tr->loop);
    EXPECT_EQ(1, tr->watch.ended);
    return &tr->watch.end;
}

static mg_agent_spec spec_of(test *t)
{
    return (mg_agent_spec){.cwd = t->dir_fd, .environ = (const char *const *)environ};
}

static const mg_agent *open_agent(test *t, const mg_agent_spec *spec)
{
    const mg_agent *agent;
    EXPECT_OK(mg_agent_open(spec, t->arena, &agent, &t->err));
    return agent;
}

static const mg_agent *shell(test *t, const char *script)
{
    mg_agent_spec spec = spec_of(t);
    spec.shell = mg_str_of(script);
    return open_agent(t, &spec);
}

/* A program called `name` in a directory that is first in PATH. */
static const mg_agent *preset(test *t, const char *name, const char *script, mg_strs *args)
{
    test_write(t, mg_strf(t->arena, "bin/%s", name).ptr,
               mg_strf(t->arena, "#!/bin/sh\n%s\n", script));
    EXPECT_EQ(0, chmod(mg_strf(t->arena, "%s/bin/%s", t->dir, name).ptr, 0755));
    const char *old = getenv("PATH");
    mg_env_var *path = mg_new(t->arena, mg_env_var);
    *path = (mg_env_var){MG_STR("PATH"), true, mg_strf(t->arena, "%s/bin:%s", t->dir, old)};
    mg_agent_spec spec = spec_of(t);
    spec.preset = name;
    spec.args = args;
    spec.env = path;
    spec.env_count = 1;
    return open_agent(t, &spec);
}

static const mg_agent *scripted(test *t, const char *yaml)
{
    static mg_strs args;
    args = (mg_strs){0};
    test_write(t, "script.yaml", mg_str_of(yaml));
    mg_strs_add(t->arena, &args, MG_STR("script.yaml"));
    mg_agent_spec spec = spec_of(t);
    spec.preset = "scripted";
    spec.args = &args;
    return open_agent(t, &spec);
}

static const char *recording(test *t, const char *file)
{
    const char *dir = getenv("MG_TEST_CASES");
    return mg_strf(t->arena, "cat '%s/agents/%s'", dir != NULL ? dir : "tests/cases", file).ptr;
}

/* --- Every kind --- */

static bool wait_cancelled(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, ms) > 0;
}

static void function_until_cancelled(void *data, const mg_agent_request *request, int cancel_fd,
                                     mg_agent_end *out)
{
    (void)data;
    (void)request;
    (void)wait_cancelled(cancel_fd, 30000);
    out->terminal = MG_TERMINAL_COMPLETED;
    out->response = MG_STR("stopped as asked");
}

typedef struct kind {
    const char *name;
    const mg_agent *(*waits)(test *t); /* one that does not end by itself */
} kind;

static const mg_agent *waiting_shell(test *t)
{
    return shell(t, "echo begun; sleep 60 & setsid sleep 60 & wait");
}

static const mg_agent *waiting_preset(test *t)
{
    return preset(t, "codex", "echo '{\"type\":\"thread.started\",\"thread_id\":\"x\"}'; sleep 60",
                  NULL);
}

static const mg_agent *waiting_script(test *t)
{
    return scripted(t, "- - run: sleep 60\n");
}

static const mg_agent *waiting_function(test *t)
{
    const mg_agent_function f = {.run = function_until_cancelled, .name = "waits"};
    return mg_agent_of_function(&f, t->arena);
}

static const kind kinds[] = {
    {"exec", waiting_shell},
    {"preset", waiting_preset},
    {"scripted", waiting_script},
    {"function", waiting_function},
};

TEST(every_kind_stops_when_it_is_asked_and_is_whole)
{
    for (size_t i = 0; i < MG_COUNT(kinds); i++) {
        trial tr = trial_new(t);
        start(t, &tr, kinds[i].waits(t));
        mg_timer *pause =
            mg_timer_start(tr.loop, 50, (void (*)(void *))mg_agent_stop, tr.watch.run);
        (void)pause;
        wait_for_end(&tr);
        EXPECT_EQ(1, tr.watch.ended);
        EXPECT_EQ(MG_TERMINAL_CANCELLED, tr.watch.end.terminal);
        EXPECT(tr.watch.end.whole);
        EXPECT(!tr.watch.end.resume_failed);
        mg_agent_free(tr.watch.run);
        mg_loop_close(tr.loop);
    }
}

TEST(every_kind_ends_when_its_time_is_up)
{
    for (size_t i = 0; i < MG_COUNT(kinds); i++) {
        trial tr = trial_new(t);
        tr.request.timeout_ms = 100;
        const mg_agent_end *end = run_to_end(t, &tr, kinds[i].waits(t));
        EXPECT_EQ(MG_TERMINAL_TIMEOUT, end->terminal);
        EXPECT(end->whole);
    }
}

TEST(every_kind_can_be_forgotten_in_the_middle)
{
    for (size_t i = 0; i < MG_COUNT(kinds); i++) {
        trial tr = trial_new(t);
        start(t, &tr, kinds[i].waits(t));
        mg_agent_free(tr.watch.run);
        mg_agent_free(tr.watch.run);
        mg_loop_turn(tr.loop);
        EXPECT_EQ(0, tr.watch.ended);
        mg_loop_close(tr.loop);
    }
}

TEST(every_kind_ends_with_its_loop)
{
    for (size_t i = 0; i < MG_COUNT(kinds); i++) {
        trial tr = trial_new(t);
        mg_arena *arena = mg_arena_new(NULL);
        const mg_agent_calls calls = {on_output, on_ended, &tr.watch};
        tr.request.world = &tr.world;
        EXPECT_OK(mg_agent_start(kinds[i].waits(t), tr.loop, &tr.request, &calls, arena,
                                 &tr.watch.run, &t->err));
        if (i % 2 == 0)
            mg_arena_free(arena); /* nobody called free: the arena does */
        mg_loop_close(tr.loop);
        EXPECT_EQ(0, tr.watch.ended);
        if (i % 2 == 1)
            mg_arena_free(arena);
    }
}

TEST(a_run_may_be_freed_from_its_own_callbacks)
{
    trial tr = trial_new(t);
    tr.watch.free_on_end = true;
    (void)run_to_end(t, &tr, shell(t, "echo hi"));
    tr = trial_new(t);
    tr.watch.free_on_output = true;
    start(t, &tr, shell(t, "echo hi; sleep 60"));
    wait_for_end(&tr);
    mg_loop_close(tr.loop);
    EXPECT_EQ(-100, tr.watch.ended);
}

/* --- Programs --- */

TEST(a_command_gets_prompt_environment_and_directory)
{
    trial tr = trial_new(t);
    tr.request.number = 7;
    tr.request.feedback = MG_STR("style.css is empty");
    const mg_agent_end *end =
        run_to_end(t, &tr,
                   shell(t, "cat; echo \"|$MAKEGOOD_ATTEMPT|$MAKEGOOD_GOAL|$MAKEGOOD_FEEDBACK\"; "
                            "[ \"$MAKEGOOD_ROOT\" = \"$(pwd -P)\" ] && echo same"));
    EXPECT_EQ(MG_TERMINAL_COMPLETED, end->terminal);
    EXPECT(end->whole && end->has_exit && !end->silent && !end->steps_known);
    EXPECT_STR("-n do it|7|the goal|style.css is empty\nsame", end->response);
    EXPECT_STR("-n do it|7|the goal|style.css is empty\nsame\n", mg_buf_str(&tr.watch.out));
}

TEST(a_prompt_in_an_argument_is_not_on_stdin_too)
{
    static const char *const words[] = {"/bin/sh", "-c", "printf '%s' \"$1\"; cat", "x",
                                        "<{prompt}|{prompt}>"};
    mg_strs command = {0};
    for (size_t i = 0; i < MG_COUNT(words); i++)
        mg_strs_add(t->arena, &command, mg_str_of(words[i]));
    mg_agent_spec spec = spec_of(t);
    spec.command = &command;
    trial tr = trial_new(t);
    tr.request.prompt = MG_STR("a {prompt} $(b) \"c\"");
    const mg_agent_end *end = run_to_end(t, &tr, open_agent(t, &spec));
    EXPECT_STR("<a {prompt} $(b) \"c\"|a {prompt} $(b) \"c\">", end->response);
}

TEST(a_large_goal_does_not_keep_a_command_from_starting)
{
    trial tr = trial_new(t);
    char *large = mg_arena_alloc(t->arena, 300000);
    memset(large, 'g', 300000);
    tr.request.goal = tr.request.feedback = (mg_str){large, 300000};
    const mg_agent_end *end = run_to_end(t, &tr, shell(t, "printf %s \"$MAKEGOOD_GOAL\" | wc -c"));
    EXPECT_STR("100000", end->response);
}

TEST(a_program_that_exits_badly_is_an_error_with_its_words)
{
    trial tr = trial_new(t);
    const mg_agent_end *end = run_to_end(t, &tr, shell(t, "echo no luck >&2; exit 3"));
    EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
    EXPECT(end->has_exit && end->silent && end->whole);
    EXPECT_EQ(3, end->exit_code);
    EXPECT_STR("it exited with 3: no luck", end->error);
    tr = trial_new(t);
    end = run_to_end(t, &tr, shell(t, "kill -9 $$"));
    EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
    EXPECT_EQ(137, end->exit_code);
}

TEST(what_outlives_the_agent_is_counted_and_ended)
{
    trial tr = trial_new(t);
    const mg_agent_end *end =
        run_to_end(t, &tr, shell(t, "setsid sleep 60 >/dev/null 2>&1 & sleep 0.1; echo done"));
    EXPECT(end->whole);
    EXPECT(end->leftovers >= 1);
}

TEST(the_program_is_found_once_and_stays_the_same)
{
    const mg_agent *agent = preset(t, "codex", recording(t, "codex.jsonl"), NULL);
    trial tr = trial_new(t);
    EXPECT_EQ(MG_TERMINAL_COMPLETED, run_to_end(t, &tr, agent)->terminal);
    /* An agent that plants a program of the same name in the workspace changes nothing. */
    test_write(t, "codex", MG_STR("#!/bin/sh\necho planted\n"));
    EXPECT_EQ(0, chmod(mg_strf(t->arena, "%s/codex", t->dir).ptr, 0755));
    tr = trial_new(t);
    EXPECT_STR("Done: hello.txt written.", run_to_end(t, &tr, agent)->response);
}

TEST(what_cannot_be_opened_is_refused_before_anything_runs)
{
    const mg_agent *agent;
    mg_agent_spec spec = spec_of(t);
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    spec.preset = "cluade";
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    EXPECT_ERR_CONTAINS("did you mean 'claude'?");
    spec.shell = MG_STR("true");
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    EXPECT_ERR_CONTAINS("more than one agent");
    spec.preset = NULL;
    spec.shell = MG_STR("agent {prompt}");
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    spec.shell = (mg_str){0};
    mg_strs command = {0};
    spec.command = &command;
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    mg_strs_add(t->arena, &command, MG_STR("./no-such-agent"));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_agent_open(&spec, t->arena, &agent, &t->err));
    EXPECT_ERR_CONTAINS("'./no-such-agent' was not found");
    spec.command = NULL;
    spec.preset = "scripted";
    EXPECT_EQ(MG_ERR_INVALID, mg_agent_open(&spec, t->arena, &agent, &t->err));
    const mg_env_var path = {MG_STR("PATH"), true, MG_STR("/nowhere")};
    spec.preset = "pi";
    spec.env = &path;
    spec.env_count = 1;
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_agent_open(&spec, t->arena, &agent, &t->err));
    EXPECT_ERR_CONTAINS("agent 'pi': program 'pi' was not found");
}

/* --- Presets --- */

static mg_str said_argv(test *t, const char *name, mg_str session, const char *arg,
                        const char *value)
{
    mg_strs args = {0};
    if (arg != NULL)
        mg_strs_add(t->arena, &args, mg_str_of(arg));
    if (value != NULL)
        mg_strs_add(t->arena, &args, mg_str_of(value));
    const mg_agent *agent =
        preset(t, name, "for a; do printf '[%s]' \"$a\" >>argv; done; cat >>argv", &args);
    trial tr = trial_new(t);
    tr.request.session = session;
    (void)run_to_end(t, &tr, agent);
    const mg_str said = test_read(t, mg_strf(t->arena, "%s/argv", t->dir).ptr);
    EXPECT_EQ(0, unlinkat(t->dir_fd, "argv", 0));
    return said;
}

TEST(each_preset_passes_the_prompt_so_that_it_is_no_option)
{
    static const char *const want[][3] = {
        {"claude",
         "[-p][--output-format][stream-json][--verbose][--permission-mode][acceptEdits]-n do it",
         "[-p][--output-format][stream-json][--verbose][--resume][S][--permission-mode][acceptEdits]-n do it"},
        {"codex", "[exec][--json][--skip-git-repo-check][--sandbox][workspace-write][-]-n do it",
         "[exec][--json][--skip-git-repo-check][--sandbox][workspace-write][resume][S][-]-n do it"},
        {"gemini", "[--output-format][stream-json][--approval-mode][auto_edit][--prompt=-n do it]",
         "[--output-format][stream-json][--resume][S][--approval-mode][auto_edit][--prompt=-n do it]"},
        {"opencode", "[run][--format][json][--][-n do it]",
         "[run][--format][json][--session][S][--][-n do it]"},
        {"qwen", "[--output-format][json][--approval-mode][auto-edit][--prompt=-n do it]",
         "[--output-format][json][--resume][S][--approval-mode][auto-edit][--prompt=-n do it]"},
        {"pi", "[--mode][json][-p]-n do it", "[--mode][json][-p][--session][S]-n do it"},
        {"cn", "[-p][--format][json][--auto][--][-n do it]", NULL},
        {"copilot", "[--prompt=-n do it]", NULL},
        {"aider", "[--no-stream][--yes-always][--message=-n do it]", NULL},
        {"goose", "[run][-i][-]-n do it", NULL},
    };
    for (size_t i = 0; i < MG_COUNT(want); i++) {
        EXPECT_STR(want[i][1], said_argv(t, want[i][0], MG_STR(""), NULL, NULL));
        const char *again = want[i][2] != NULL ? want[i][2] : want[i][1];
        EXPECT_STR(again, said_argv(t, want[i][0], MG_STR("S"), NULL, NULL));
    }
}

TEST(the_users_own_arguments_replace_a_default)
{
    EXPECT_STR("[exec][--json][--skip-git-repo-check][--sandbox][read-only][-]-n do it",
               said_argv(t, "codex", MG_STR(""), "--sandbox", "read-only"));
    EXPECT_STR("[exec][--json][--skip-git-repo-check][-s][read-only][-]-n do it",
               said_argv(t, "codex", MG_STR(""), "-s", "read-only"));
    EXPECT_STR("[-p][--output-format][stream-json][--verbose][--permission-mode=plan]-n do it",
               said_argv(t, "claude", MG_STR(""), "--permission-mode=plan", NULL));
    EXPECT_STR(
        "[-p][--output-format][stream-json][--verbose][--permission-mode][acceptEdits][--model][x]-n do it",
        said_argv(t, "claude", MG_STR(""), "--model", "x"));
}

TEST(a_preset_reads_its_own_format)
{
    static const char *const files[][2] = {
        {"claude", "claude.stream"},
        {"codex", "codex.jsonl"},
        {"gemini", "gemini.json"},
        {"opencode", "opencode.jsonl"},
        {"qwen", "qwen.json"},
        {"pi", "pi.jsonl"},
        {"cn", "cn.out"},
    };
    for (size_t i = 0; i < MG_COUNT(files); i++) {
        trial tr = trial_new(t);
        const mg_agent *agent = preset(t, files[i][0], recording(t, files[i][1]), NULL);
        const mg_agent_end *end = run_to_end(t, &tr, agent);
        EXPECT_EQ(MG_TERMINAL_COMPLETED, end->terminal);
        EXPECT_STR("Done: hello.txt written.", end->response);
        EXPECT(!end->errors && !end->fatal && end->whole);
        EXPECT_EQ(mg_agent_resumes(agent), end->session.len > 0);
        EXPECT_STR(files[i][0], mg_str_of(mg_agent_name(agent)));
        EXPECT(mg_agent_denial_setting(agent) != NULL);
    }
}

TEST(the_table_of_presets_is_whole)
{
    size_t count = 0;
    for (const mg_preset_info *info; (info = mg_preset_at(count)) != NULL; count++) {
        EXPECT(info->name[0] != '\0' && info->program[0] != '\0' && info->summary[0] != '\0');
        for (size_t i = 0; i < count; i++)
            EXPECT(strcmp(mg_preset_at(i)->name, info->name) != 0);
        EXPECT(!(info->unproven && info->resumes));
    }
    EXPECT_EQ(11, count);
}

/* --- Scripted --- */

TEST(a_script_does_what_it_says_attempt_by_attempt)
{
    const mg_agent *agent = scripted(
        t,
        "- - read: script.yaml\n  - end: max_iterations\n"
        "- - write: {path: sub/dir/a.txt, text: hello}\n  - patch: {path: sub/dir/a.txt, old: ll, new: LL}\n"
        "  - run: 'echo out; exit 4'\n  - usage: {input_tokens: 10, output_tokens: 5, cost_usd: 0.5}\n"
        "  - print: All done!\n"
        "- - patch: {path: sub/dir/a.txt, old: nowhere, new: x}\n  - fail: no luck\n");
    trial tr = trial_new(t);
    const mg_agent_end *end = run_to_end(t, &tr, agent);
    EXPECT_EQ(MG_TERMINAL_MAX_ITERATIONS, end->terminal);
    EXPECT_EQ(1, end->step_count);
    EXPECT_STR("file_read", end->steps[0].tool);

    tr = trial_new(t);
    tr.request.number = 2;
    end = run_to_end(t, &tr, agent);
    EXPECT_EQ(MG_TERMINAL_COMPLETED, end->terminal);
    EXPECT_EQ(3, end->step_count);
    EXPECT_STR("shell", end->steps[2].tool);
    EXPECT_STR("out\n", end->steps[2].output);
    EXPECT_EQ(4, end->steps[2].exit_code);
    EXPECT_STR("All done!", end->response);
    EXPECT_EQ(10, end->usage.input_tokens);
    EXPECT_STR("heLLo", test_read(t, mg_strf(t->arena, "%s/sub/dir/a.txt", t->dir).ptr));

    for (uint32_t number = 3; number < 5; number++) { /* the last stands for all after it */
        tr = trial_new(t);
        tr.request.number = number;
        end = run_to_end(t, &tr, agent);
        EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
        EXPECT_EQ(1, end->exit_code);
        EXPECT_EQ(1, end->steps[0].exit_code);
        EXPECT_CONTAINS(end->steps[0].output, "the old text is not in");
        EXPECT_STR("no luck", end->error);
        EXPECT(!end->fatal && end->errors);
    }
}

TEST(a_script_stays_beneath_its_directory)
{
    EXPECT_EQ(0, symlinkat("/tmp", t->dir_fd, "out"));
    trial tr = trial_new(t);
    const mg_agent_end *end =
        run_to_end(t, &tr,
                   scripted(t, "- - write: {path: ../escaped-makegood, text: x}\n"
                               "  - write: {path: /tmp/escaped-makegood, text: x}\n"
                               "  - write: {path: out/escaped-makegood, text: x}\n"
                               "  - read: /etc/passwd\n"));
    EXPECT_EQ(4, end->step_count);
    for (size_t i = 0; i < 4; i++)
        EXPECT_EQ(1, end->steps[i].exit_code);
    EXPECT(access("/tmp/escaped-makegood", F_OK) != 0);
}

TEST(a_bad_script_does_nothing_and_names_its_line)
{
    static const char *const bad[][2] = {
        {"- - write: {path: a, text: b}\n  - wrte: {path: a}\n", "line 2: a step is one of"},
        {"a: b\n", "line 1: the script is a list"},
        {"- - sleep: 5 bananas\n", "line 1"},
        {"- - end: maybe\n", "line 1: end is one of"},
        {"- - read: [a\n", "line"},
        {"[]\n", "line 1: the script is a list"},
    };
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        trial tr = trial_new(t);
        const mg_agent_end *end = run_to_end(t, &tr, scripted(t, bad[i][0]));
        EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
        EXPECT_EQ(2, end->exit_code);
        EXPECT(end->fatal);
        EXPECT_CONTAINS(end->error, bad[i][1]);
        EXPECT(faccessat(t->dir_fd, "a", F_OK, 0) != 0);
    }
}

TEST(a_script_tells_of_denials_and_limits)
{
    trial tr = trial_new(t);
    const mg_agent_end *end =
        run_to_end(t, &tr, scripted(t, "- - deny: write to style.css\n  - print: Done.\n"));
    EXPECT_EQ(1, end->denials.count);
    EXPECT_STR("Done.", end->response);
    tr = trial_new(t);
    end = run_to_end(t, &tr, scripted(t, "- - limit: 2s\n"));
    EXPECT(end->rate_limited && end->reset_ms > 0 && !end->fatal);
}

/* --- Functions --- */

static void function_once(void *data, const mg_agent_request *request, int cancel_fd,
                          mg_agent_end *out)
{
    EXPECT(!wait_cancelled(cancel_fd, 0));
    EXPECT_STR("-n do it", request->prompt);
    *(atomic_int *)data += 1;
    int *calls = request->messages;
    *calls += 1;
    out->response = MG_STR("said");
    out->messages = calls;
    out->whole = false; /* not its to say */
}

TEST(a_function_gets_the_messages_of_the_attempt_before)
{
    atomic_int runs = 0;
    int messages = 0;
    const mg_agent_function f = {.run = function_once, .data = &runs, .name = "once"};
    const mg_agent *agent = mg_agent_of_function(&f, t->arena);
    void *passed = &messages;
    for (int i = 1; i <= 3; i++) {
        trial tr = trial_new(t);
        tr.request.messages = passed;
        const mg_agent_end *end = run_to_end(t, &tr, agent);
        EXPECT_EQ(MG_TERMINAL_COMPLETED, end->terminal);
        EXPECT(end->whole && !end->steps_known && !end->has_exit);
        EXPECT_STR("said", end->response);
        EXPECT_EQ(i, messages);
        passed = end->messages;
    }
    EXPECT_EQ(3, runs);
    EXPECT(!mg_agent_resumes(agent));
}

static void function_that_ignores(void *data, const mg_agent_request *request, int cancel_fd,
                                  mg_agent_end *out)
{
    (void)request;
    (void)cancel_fd;
    const atomic_bool *release = data;
    while (!*release)
        (void)usleep(1000);
    out->terminal = MG_TERMINAL_COMPLETED;
    out->response = MG_STR("too late");
}

TEST(a_function_that_ignores_the_cancel_is_an_error_and_not_whole)
{
    static atomic_bool release; /* outlives the test's stack: the thread may, too */
    const mg_agent_function f = {.run = function_that_ignores, .data = &release, .name = "deaf"};
    trial tr = trial_new(t);
    tr.request.timeout_ms = 30;
    tr.request.drain_ms = 50;
    const mg_agent_end *end = run_to_end(t, &tr, mg_agent_of_function(&f, t->arena));
    EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
    EXPECT(!end->whole);
    EXPECT_CONTAINS(end->why, "'deaf' did not stop within 50ms");
    EXPECT(end->errors);
    release = true;
    (void)usleep(50000);
}

static void function_that_fails(void *data, const mg_agent_request *request, int cancel_fd,
                                mg_agent_end *out)
{
    (void)data;
    (void)request;
    (void)cancel_fd;
    out->error = MG_STR("no model answers");
}

TEST(a_function_that_tells_an_error_ends_as_one)
{
    const mg_agent_function f = {.run = function_that_fails};
    trial tr = trial_new(t);
    const mg_agent_end *end = run_to_end(t, &tr, mg_agent_of_function(&f, t->arena));
    EXPECT_EQ(MG_TERMINAL_ERROR, end->terminal);
    EXPECT(end->errors && end->silent && end->whole);
    EXPECT_STR("no model answers", end->error);
}
