/* Commands that talk too much, do not end, or leave things behind. */
#include "check/ask_goal.h"
#include "io/alive.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

TEST(a_pattern_is_found_behind_much_output_in_little_memory)
{
    struct rusage before, after;
    (void)getrusage(RUSAGE_SELF, &before);
    EXPECT_ASK(
        MG_OUTCOME_PASS, "exit code 0",
        ask_entry(t,
                  "{command_returns: {run: 'yes | head -c 200000000; cat /dev/null; echo needle; "
                  "test -d .', stdout: '^needle$'}}"));
    (void)getrusage(RUSAGE_SELF, &after);
    EXPECT(after.ru_maxrss - before.ru_maxrss < 20 * 1024);
}

TEST(the_end_of_the_output_is_kept_and_cannot_steer_a_terminal)
{
    const mg_result r = ask_entry(
        t,
        "{command_returns: {run: 'seq 1 100000; printf \"\\033[31mred\\000\\377\\n\"; ls /nope; exit 9'}}");
    EXPECT_EQ(MG_OUTCOME_FAIL, r.outcome);
    EXPECT_STR("exit code 9", r.observed);
    EXPECT(r.detail.len < 3 * mg_limits_default.output_tail);
    EXPECT_CONTAINS(r.detail, "100000");
    EXPECT_CONTAINS(r.detail, "red");
    EXPECT_CONTAINS(r.detail, "/nope"); /* stderr stands there, too */
    EXPECT(!mg_str_has(r.detail, "\x1b"));
    EXPECT(!mg_str_has(r.detail, "\n1\n"));
}

TEST(a_short_output_is_shown_whole)
{
    const mg_result r = ask_entry(t, "{command_returns: {run: 'echo one; ls . ; exit 1'}}");
    EXPECT_STR("one\n", r.detail);
}

TEST(a_timeout_says_so_and_nothing_runs_on)
{
    const mg_result r = ask_entry(
        t,
        "{command_returns: {run: '(trap \"\" TERM; echo $$ > pid; sleep 300) & sleep 300', timeout: 300ms}}");
    EXPECT_ASK(MG_OUTCOME_FAIL, "timed out after 300ms; the process group was killed", r);
    EXPECT(group_gone(pid_in(t, "pid")));
}

/* `not` must not take a command that said nothing for one that said no. */
TEST(a_command_that_gave_no_answer_is_marked)
{
    static const struct {
        const char *fields;
        bool no_answer;
    } all[] = {{"run: 'test -f none'", false},
               {"run: 'test -d .', stdout: x", false},
               {"run: 'exit 125'", false},
               {"run: 'test -d .; exit 200'", false},
               {"run: 'test -d .; sleep 60', timeout: 100ms", true},
               {"run: 'kill -9 $$'", true},
               {"run: 'sh -c \"kill -9 \\$\\$\"; exit $?'", true},
               {"run: no-such-program", true},
               {"run: [no-such-program]", true},
               {"run: [./none]", true},
               {"run: ./.", true}};
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        const mg_result r =
            ask_entry(t, mg_strf(t->arena, "{command_returns: {%s}}", all[i].fields).ptr);
        EXPECT_EQ(MG_OUTCOME_FAIL, r.outcome);
        if (r.no_answer != all[i].no_answer)
            test_fail(__FILE__, __LINE__, "%s: " MG_FMT, all[i].fields, MG_ARG(r.message));
    }
    EXPECT(!ask_entry(t, "{command_returns: {run: 'exit 127', exit_code: 127}}").no_answer);
}

TEST(of_several_lines_the_first_that_fails_decides)
{
    EXPECT_ASK(MG_OUTCOME_FAIL, "exit code 1",
               ask_entry(t, "{command_returns: \"test -f none\\ntouch after\\n\"}"));
    EXPECT(faccessat(t->dir_fd, "after", F_OK, 0) < 0);
    EXPECT_ASK(MG_OUTCOME_PASS, "exit code 0",
               ask_entry(t, "{command_returns: \"\\n test -f none; test -d . \\n\"}"));
    EXPECT_ASK(MG_OUTCOME_PASS, "exit code 0",
               ask_entry(t, "{command_returns: \"test -f none || test -d .\\ntest -d .\\n\"}"));
}

TEST(it_is_said_when_both_streams_are_shown)
{
    EXPECT_ASK(MG_OUTCOME_FAIL, "stdout and stderr together",
               ask_entry(t, "{command_returns: {run: 'echo a; ls; echo b >&2', stdout: b}}"));
    const mg_result one = ask_entry(t, "{command_returns: {run: 'ls; echo b >&2', stdout: b}}");
    EXPECT(!mg_str_has(one.message, "together"));
}

TEST(the_deadline_of_the_check_is_unknown_and_kills_too)
{
    const mg_report r =
        ask_goal(t,
                 "assert:\n"
                 "  - command_returns: {run: 'echo $$ > pid; sleep 300', timeout: 5m}\n"
                 "check: {deadline: 400ms}\n",
                 &mg_limits_default);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[0].outcome);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT(group_gone(pid_in(t, "pid")));
}

TEST(a_status_that_is_lost_is_unknown)
{
    (void)signal(SIGCHLD, SIG_IGN);
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "SIGCHLD", ask_entry(t, "{command_returns: test -d .}"));
}

TEST(a_pattern_that_needs_too_much_text_is_unknown_unless_the_code_decides)
{
    mg_limits small = mg_limits_default;
    small.search_bytes = 200 * 1024;
    EXPECT_ASK(
        MG_OUTCOME_UNKNOWN, "stdout",
        ask_with(
            t, &small,
            "{command_returns: {run: 'cat /dev/zero | head -c 3000000', stdout: '(?s)\\x00.*b'}}"));
    EXPECT_ASK(
        MG_OUTCOME_FAIL, "exit code 2",
        ask_with(t, &small,
                 "{command_returns: {run: 'cat /dev/zero | head -c 3000000; exit 2', stdout: "
                 "'(?s)\\x00.*b'}}"));
}

TEST(secrets_are_not_inherited_unless_they_are_named)
{
    (void)setenv("TEST_API_KEY", "k-1", 1);
    (void)setenv("TEST_PLAIN", "p-1", 1);
    EXPECT_ASK(
        MG_OUTCOME_PASS, "exit code 0",
        ask_entry(
            t,
            "{command_returns: {run: 'test -z \"$TEST_API_KEY\" && test \"$TEST_PLAIN\" = p-1'}}"));
    EXPECT_ASK(
        MG_OUTCOME_PASS, "exit code 0",
        ask_entry(t,
                  "{command_returns: {run: 'test \"$TEST_API_KEY\" = k-1', env: [TEST_API_KEY]}}"));
}

TEST(commands_run_side_by_side_and_each_gets_its_own_answer)
{
    mg_buf yaml = mg_buf_new(t->arena, 65536);
    mg_buf_adds(&yaml, "check: {jobs: 8}\nassert:\n");
    for (int i = 0; i < 24; i++)
        mg_buf_addf(&yaml, "  - command_returns: {run: 'test -d . && exit %d', exit_code: %d}\n", i,
                    i % 3 == 0 ? i : 100);
    const mg_report r = ask_goal(t, mg_str_cstr(t->arena, mg_buf_str(&yaml)), &mg_limits_default);
    for (size_t i = 0; i < 24; i++)
        EXPECT_EQ(i % 3 == 0 ? MG_OUTCOME_PASS : MG_OUTCOME_FAIL, r.results[i].outcome);
}

TEST(a_retry_runs_it_again)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "exit code 0",
               ask_entry(t, "{command_returns: {run: 'echo x >> log; test $(wc -l < log) -ge 3', "
                            "retry: {times: 5, every: 10ms}}}"));
}

/* Whatever the system refuses at whatever step, a question that does not hold never passes. */
TEST(without_descriptors_nothing_passes_by_mistake)
{
    static const char yaml[] = "assert:\n"
                               "  - command_returns: {run: test -d nope}\n"
                               "  - command_returns: {run: [test, -d, nope], stdout: x}\n"
                               "  - http_200: {url: 'http://127.0.0.1:1/', timeout: 200ms}\n"
                               "  - socket_open: {host: localhost, port: 1, timeout: 200ms}\n"
                               "  - socket_open: {path: nope.sock, timeout: 200ms}\n";
    const mg_goal *goal;
    mg_problems problems = {0};
    mg_world world;
    struct rlimit all;
    unsigned unknown = 0;
    EXPECT_OK(mg_goal_read(mg_str_of(yaml), MG_STR("t"), mg_check_kinds, &mg_limits_default,
                           t->arena, &goal, &problems));
    EXPECT_OK(mg_world_open(t->dir, t->arena, &world, &t->err));
    world.probe_allow = goal->probe_allow;
    const mg_view view = {.world = &world,
                          .limits = &mg_limits_default,
                          .clock = &mg_clock_system,
                          .deadline_ms = UINT64_MAX};
    EXPECT_EQ(0, getrlimit(RLIMIT_NOFILE, &all));
    for (int extra = 0; extra < 30; extra++) {
        const struct rlimit few = {.rlim_cur = (rlim_t)(world.root + 1 + extra),
                                   .rlim_max = all.rlim_max};
        mg_report report = {0};
        EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
        const mg_status s =
            mg_check_run(goal, &view, &(mg_check_options){0}, t->arena, &report, &t->err);
        EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &all));
        EXPECT(report.verdict != MG_VERDICT_MET);
        for (size_t i = 0; s == MG_OK && i < report.result_count; i++) {
            EXPECT(report.results[i].outcome != MG_OUTCOME_PASS);
            EXPECT(report.results[i].message.len > 0);
            unknown += report.results[i].outcome == MG_OUTCOME_UNKNOWN;
        }
    }
    EXPECT(unknown > 10); /* it was short of them indeed */
}
