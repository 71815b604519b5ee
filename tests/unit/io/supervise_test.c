/* Agents that hide, fight back, bomb and flood: how they end is told, and nothing is left. */
#include "io/alive.h"
#include "io/supervise.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct outcome {
    mg_loop *loop;
    mg_supervised *supervised;
    mg_supervised_end end;
    int ended;
    uint64_t bytes[3];
    mg_buf text[3];
    bool free_on_output, free_on_end, stop_on_output, count_only;
} outcome;

static void on_output(void *data, int stream, mg_str bytes)
{
    outcome *o = data;
    EXPECT(stream == 1 || stream == 2);
    EXPECT_EQ(0, o->ended);
    o->bytes[stream] += bytes.len;
    if (!o->count_only)
        mg_buf_add(&o->text[stream], bytes);
    if (o->stop_on_output)
        mg_supervised_stop(o->supervised);
    if (o->free_on_output) {
        mg_supervised_free(o->supervised);
        o->ended = -1;
    }
}

static void on_ended(void *data, const mg_supervised_end *end)
{
    outcome *o = data;
    o->end = *end;
    o->ended++;
    if (o->free_on_end)
        mg_supervised_free(o->supervised);
}

static uint64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static const mg_supervisor *supervisor(test *t)
{
    const mg_supervisor *found;
    EXPECT_OK(mg_supervisor_find((const char *const *)environ, t->arena, &found, &t->err));
    return found;
}

/* A file that is to be taken for the supervisor. */
static const mg_supervisor *supervisor_at(test *t, const char *path)
{
    mg_supervisor *it = mg_new(t->arena, mg_supervisor);
    it->path = path;
    (void)stat(path, &it->is);
    return it;
}

/* Everything that comes from the test carries its directory in the environment. */
static const char *mark(test *t)
{
    return mg_strf(t->arena, "MARK=%s", t->dir).ptr;
}

static bool has_mark(const char *pid, mg_str marked)
{
    char path[300], text[8192];
    (void)snprintf(path, sizeof path, "/proc/%s/environ", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0)
        (void)close(fd);
    return n > 0 && memmem(text, (size_t)n, marked.ptr, marked.len + 1) != NULL;
}

/* How many processes of the test run, in whatever session they hide. */
static unsigned running(test *t)
{
    unsigned count = 0;
    const mg_str marked = mg_str_of(mark(t));
    DIR *proc = opendir("/proc");
    EXPECT(proc != NULL);
    for (const struct dirent *e = readdir(proc); e != NULL; e = readdir(proc))
        count += e->d_name[0] >= '1' && e->d_name[0] <= '9' && has_mark(e->d_name, marked);
    (void)closedir(proc);
    return count;
}

static bool all_gone(test *t)
{
    for (int i = 0; i < 1000 && running(t) > 0; i++)
        (void)usleep(10000);
    return running(t) == 0;
}

typedef struct plan {
    const char *script; /* of sh, unless argv is there */
    const char *const *argv;
    const char *variable;
    mg_str input;
    uint64_t timeout_ms, drain_ms;
    const mg_supervisor *supervisor;
} plan;

static mg_status start(test *t, outcome *o, const plan *p)
{
    const char *const env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", mark(t), p->variable, NULL};
    if (o->loop == NULL)
        EXPECT_OK(mg_loop_open(&o->loop, &t->err));
    o->text[1] = mg_buf_new(t->arena, 1 << 24);
    o->text[2] = mg_buf_new(t->arena, 1 << 24);
    const mg_supervise_options options = {
        .supervisor = p->supervisor != NULL ? p->supervisor : supervisor(t),
        .argv = p->argv != NULL ? p->argv : (const char *[]){"sh", "-c", p->script, NULL},
        .env = env,
        .cwd = t->dir_fd,
        .input = p->input,
        .timeout_ms = p->timeout_ms,
        .drain_ms = p->drain_ms,
        .output = on_output,
        .ended = on_ended,
        .data = o,
    };
    return mg_supervise_start(o->loop, &options, &o->supervised, &t->err);
}

static void wait_for(outcome *o)
{
    while (o->ended == 0)
        mg_loop_turn(o->loop);
}

static outcome run(test *t, plan p)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, &p));
    wait_for(&o);
    EXPECT_EQ(1, o.ended);
    mg_loop_close(o.loop);
    return o;
}

static mg_str text(const outcome *o, int stream)
{
    return mg_buf_str(&o->text[stream]);
}

static void expect_whole(const outcome *o)
{
    if (!o->end.whole)
        test_fail(__FILE__, __LINE__, "not whole: %s", o->end.why.text);
}

static bool is_there(test *t, const char *name)
{
    return faccessat(t->dir_fd, name, F_OK, 0) == 0;
}

static void tick(void *data)
{
    (void)data;
}

static void turn_until_there(test *t, outcome *o, const char *name)
{
    while (!is_there(t, name)) {
        EXPECT_EQ(0, o->ended);
        (void)mg_timer_start(o->loop, 5, tick, NULL);
        mg_loop_turn(o->loop);
    }
}

/* --- What is told --- */

TEST(the_exit_code_and_both_streams_arrive)
{
    const outcome o = run(t, (plan){.script = "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(7, o.end.exit.code);
    EXPECT_STR("out\n", text(&o, 1));
    EXPECT_STR("err\n", text(&o, 2));
    expect_whole(&o);
    EXPECT_EQ(0, o.end.leftovers);
    EXPECT(!o.end.stopped);
}

TEST(a_signal_is_told_from_an_exit)
{
    const outcome o = run(t, (plan){.script = "kill -SEGV $$"});
    EXPECT_EQ(MG_PROCESS_SIGNALLED, o.end.exit.how);
    EXPECT_EQ(SIGSEGV, o.end.exit.code);
    expect_whole(&o);
}

TEST(it_runs_in_a_session_of_its_own_with_fresh_signals_and_no_descriptors_of_ours)
{
    (void)signal(SIGPIPE, SIG_IGN);
    sigset_t block;
    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &block, NULL);
    EXPECT(dup2(open("/dev/null", O_RDONLY), 77) == 77);
    const outcome o =
        run(t, (plan){.script = "set -- $(cat /proc/$$/stat); [ $1 = $6 ] && echo leads\n"
                                "sed -n 's/^SigBlk:.//p;s/^SigIgn:.//p' /proc/self/status\n"
                                "ls /proc/self/fd | sort -n | tr '\\n' ' '; pwd"});
    unsigned long long blocked, ignored, own = 3ull << 31; /* 32 and 33 are libc's */
    char rest[200];
    EXPECT_EQ(3, sscanf(mg_str_cstr(t->arena, text(&o, 1)), "leads\n%llx %llx %199[^\n]", &blocked,
                        &ignored, rest));
    EXPECT_EQ(0, blocked);
    EXPECT_EQ(0, ignored & ~own);
    EXPECT_STR(mg_strf(t->arena, "0 1 2 3 %s", t->dir).ptr, mg_str_of(rest));
}

TEST(a_program_that_is_not_there_is_said_so_before_anything_runs)
{
    outcome o = {0};
    const plan p = {.argv = (const char *[]){"no-such-program", NULL}};
    EXPECT_EQ(MG_ERR_NOT_FOUND, start(t, &o, &p));
    EXPECT_ERR_CONTAINS("no-such-program");
    mg_loop_close(o.loop);
}

TEST(a_program_that_cannot_be_executed_is_no_exit_code)
{
    test_write(t, "agent", mg_str_of("#!/no/such/interpreter\n"));
    EXPECT(fchmodat(t->dir_fd, "agent", 0755, 0) == 0);
    const outcome o = run(t, (plan){.argv = (const char *[]){"./agent", NULL}});
    EXPECT_EQ(MG_PROCESS_LOST, o.end.exit.how);
    EXPECT_CONTAINS(mg_str_of(o.end.exit.why.text), "'./agent' is there, but the interpreter");
    expect_whole(&o);
}

TEST(a_missing_supervisor_is_said_so)
{
    outcome o = {0};
    const plan p = {.script = ":", .supervisor = supervisor_at(t, "/no/such/mg-supervise")};
    EXPECT_EQ(MG_ERR_UNAVAILABLE, start(t, &o, &p));
    EXPECT_ERR_CONTAINS("/no/such/mg-supervise");
    mg_loop_close(o.loop);
}

TEST(a_supervisor_that_says_nothing_is_no_success)
{
    const outcome o =
        run(t, (plan){.script = "exit 0", .supervisor = supervisor_at(t, "/bin/true")});
    EXPECT(!o.end.whole);
    EXPECT_EQ(MG_PROCESS_LOST, o.end.exit.how);
    EXPECT(o.end.exit.why.code != MG_OK);
    EXPECT_CONTAINS(mg_str_of(o.end.why.text), "gone");
}

static const char liar[] = "#!/bin/sh\n: > ran\n"
                           "for said in 'started 1' 'exited 0' 'done 0'; do echo $said >&3; done\n";

/* A copy of the supervisor where an agent could write. */
static const mg_supervisor *copy_supervisor(test *t)
{
    MG_AUTO_FD at = open(supervisor(t)->path, O_RDONLY | O_CLOEXEC);
    const char *const env[] = {mg_strf(t->arena, "MAKEGOOD_LIBEXEC=%s", t->dir).ptr, NULL};
    const mg_supervisor *found;
    mg_buf bytes = mg_buf_new(t->arena, 1 << 26);
    EXPECT(at >= 0);
    EXPECT_OK(mg_fd_read_all(at, &bytes, &t->err));
    test_write(t, "mg-supervise", mg_buf_str(&bytes));
    EXPECT(fchmodat(t->dir_fd, "mg-supervise", 0755, 0) == 0);
    EXPECT_OK(mg_supervisor_find(env, t->arena, &found, &t->err));
    EXPECT_STR(mg_strf(t->arena, "%s/mg-supervise", t->dir).ptr, mg_str_of(found->path));
    return found;
}

static void expect_refused(test *t, const mg_supervisor *changed)
{
    outcome o = {0};
    const plan p = {.script = ": > ran; exit 1", .supervisor = changed};
    EXPECT_EQ(MG_ERR_DENIED, start(t, &o, &p));
    EXPECT_ERR_CONTAINS("is not the file it was");
    EXPECT(!is_there(t, "ran"));
    mg_loop_close(o.loop);
}

TEST(a_liar_in_the_place_of_the_supervisor_would_be_believed)
{
    /* So the next tests refuse what matters. */
    test_write(t, "liar", mg_str_of(liar));
    EXPECT(fchmodat(t->dir_fd, "liar", 0755, 0) == 0);
    const mg_supervisor *it = supervisor_at(t, mg_strf(t->arena, "%s/liar", t->dir).ptr);
    const outcome o = run(t, (plan){.script = "exit 1", .supervisor = it});
    EXPECT(o.end.whole && o.end.exit.how == MG_PROCESS_EXITED && o.end.exit.code == 0);
}

TEST(another_file_in_the_place_of_the_supervisor_is_not_run)
{
    const mg_supervisor *it = copy_supervisor(t);
    const outcome o = run(t, (plan){.script = "exit 7", .supervisor = it});
    EXPECT_EQ(7, o.end.exit.code);
    expect_whole(&o);
    test_write(t, "liar", mg_str_of(liar));
    EXPECT(fchmodat(t->dir_fd, "liar", 0755, 0) == 0);
    EXPECT(renameat(t->dir_fd, "liar", t->dir_fd, "mg-supervise") == 0);
    expect_refused(t, it);
}

TEST(a_link_in_the_place_of_the_supervisor_is_not_followed_to_another_file)
{
    const mg_supervisor *it = copy_supervisor(t);
    test_write(t, "liar", mg_str_of(liar));
    EXPECT(fchmodat(t->dir_fd, "liar", 0755, 0) == 0);
    EXPECT(unlinkat(t->dir_fd, "mg-supervise", 0) == 0);
    EXPECT(symlinkat("liar", t->dir_fd, "mg-supervise") == 0);
    expect_refused(t, it);
}

TEST(a_supervisor_that_was_written_into_is_not_run_whatever_its_time_says)
{
    const mg_supervisor *it = copy_supervisor(t);
    MG_AUTO_FD file = openat(t->dir_fd, "mg-supervise", O_WRONLY | O_CLOEXEC);
    (void)usleep(20000); /* the clock of files is a coarse one */
    EXPECT(file >= 0 && pwrite(file, liar, sizeof liar - 1, 0) == (ssize_t)sizeof liar - 1);
    EXPECT(futimens(file, (const struct timespec[]){it->is.st_atim, it->is.st_mtim}) == 0);
    (void)close(file);
    file = -1;
    expect_refused(t, it);
}

TEST(a_supervisor_that_was_deleted_is_no_failure_of_the_program)
{
    outcome o = {0};
    const plan p = {.script = ": > ran", .supervisor = copy_supervisor(t)};
    EXPECT(unlinkat(t->dir_fd, "mg-supervise", 0) == 0);
    EXPECT_EQ(MG_ERR_UNAVAILABLE, start(t, &o, &p));
    EXPECT(!is_there(t, "ran"));
    mg_loop_close(o.loop);
}

TEST(libexec_is_found_by_the_variable_first_and_missed_with_a_sentence)
{
    const char *path;
    test_write(t, "mg-supervise", mg_str_of("#!/bin/sh\n"));
    EXPECT(fchmodat(t->dir_fd, "mg-supervise", 0755, 0) == 0);
    const char *const env[] = {mg_strf(t->arena, "MAKEGOOD_LIBEXEC=%s", t->dir).ptr, NULL};
    EXPECT_OK(mg_libexec_find("mg-supervise", env, t->arena, &path, &t->err));
    EXPECT_STR(mg_strf(t->arena, "%s/mg-supervise", t->dir).ptr, mg_str_of(path));
    EXPECT_EQ(MG_ERR_UNAVAILABLE, mg_libexec_find("mg-none", env, t->arena, &path, &t->err));
    EXPECT_ERR_CONTAINS("MAKEGOOD_LIBEXEC");
}

/* --- Input and output --- */

static void expect_input(test *t, size_t bytes)
{
    char *input = mg_arena_alloc(t->arena, bytes);
    for (size_t i = 0; i < bytes; i++)
        input[i] = (char)(i * 31 + i / 251);
    const outcome o = run(t, (plan){.script = "cat", .input = {input, bytes}});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT(mg_str_eq((mg_str){input, bytes}, text(&o, 1)));
}

TEST(stdin_arrives_whole_and_ends)
{
    expect_input(t, 5);
    expect_input(t, 65536);
    expect_input(t, 1000000);
    expect_input(t, 6000000); /* no pipe holds that */
}

TEST(without_input_stdin_is_empty)
{
    const outcome o = run(t, (plan){.script = "cat; echo end"});
    EXPECT_STR("end\n", text(&o, 1));
}

TEST(an_agent_that_never_reads_its_input_is_fine)
{
    char *input = mg_arena_alloc(t->arena, 1000000);
    memset(input, 'x', 1000000);
    const outcome o = run(t, (plan){.script = "exec <&-; exit 4", .input = {input, 1000000}});
    EXPECT_EQ(4, o.end.exit.code);
    expect_whole(&o);
}

TEST(output_is_complete_and_in_order)
{
    mg_buf want = mg_buf_new(t->arena, 1 << 24);
    for (int i = 1; i <= 300000; i++)
        mg_buf_addf(&want, "%d\n", i);
    const outcome o = run(t, (plan){.script = "seq 1 300000; echo last >&2"});
    EXPECT(mg_str_eq(mg_buf_str(&want), text(&o, 1)));
    EXPECT_STR("last\n", text(&o, 2));
    EXPECT_EQ(0, o.end.exit.unread[0]);
}

TEST(a_gigabyte_passes_through_in_bounded_memory)
{
    struct rusage before, after;
    EXPECT(getrusage(RUSAGE_SELF, &before) == 0);
    outcome o = {.count_only = true};
    const plan p = {.script = "yes | head -c 1000000000"};
    EXPECT_OK(start(t, &o, &p));
    wait_for(&o);
    EXPECT(getrusage(RUSAGE_SELF, &after) == 0);
    EXPECT_EQ(1000000000, o.bytes[1]);
    EXPECT(after.ru_maxrss - before.ru_maxrss < 16 * 1024); /* KiB */
    expect_whole(&o);
    mg_loop_close(o.loop);
}

TEST(somebody_outside_who_holds_the_pipes_cannot_hold_us)
{
    /* Not of the tree: this test opens the agent's stdout by /proc, as a stranger would. */
    outcome o = {0};
    const plan p = {.script = "echo $$ > pid; read line < go; echo out"};
    EXPECT(mkfifoat(t->dir_fd, "go", 0600) == 0);
    EXPECT_OK(start(t, &o, &p));
    const pid_t pid = pid_in(t, "pid");
    const int held = open(mg_strf(t->arena, "/proc/%d/fd/1", (int)pid).ptr, O_WRONLY);
    EXPECT(held >= 0);
    const int go = openat(t->dir_fd, "go", O_RDWR);
    EXPECT(go >= 0 && write(go, "\n", 1) == 1);
    const uint64_t began = now_ms();
    wait_for(&o);
    EXPECT(now_ms() - began < 5000);
    EXPECT_STR("out\n", text(&o, 1));
    EXPECT_EQ(EBUSY, o.end.exit.unread[0]); /* and that something may be missing is told */
    expect_whole(&o);
    mg_loop_close(o.loop);
}

/* --- Stopping --- */

TEST(stop_interrupts_and_what_obeys_is_not_terminated)
{
    outcome o = {0};
    const plan p = {.script = "trap 'echo int; exit 9' INT; trap 'echo term' TERM; : > ready\n"
                              "while :; do sleep 0.05; done",
                    .drain_ms = 20000};
    EXPECT_OK(start(t, &o, &p));
    turn_until_there(t, &o, "ready");
    const uint64_t began = now_ms();
    mg_supervised_stop(o.supervised);
    mg_supervised_stop(o.supervised);
    wait_for(&o);
    EXPECT(now_ms() - began < 10000);
    EXPECT_STR("int\n", text(&o, 1));
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(9, o.end.exit.code);
    EXPECT(o.end.stopped);
    expect_whole(&o);
    mg_loop_close(o.loop);
}

TEST(whoever_ignores_all_gets_int_then_term_then_kill_with_the_drain_between)
{
    outcome o = {0};
    const plan p = {.script =
                        "trap 'echo int $(date +%s%3N)' INT; trap 'echo term $(date +%s%3N)' TERM\n"
                        ": > ready; while :; do sleep 0.02; done",
                    .drain_ms = 400};
    EXPECT_OK(start(t, &o, &p));
    turn_until_there(t, &o, "ready");
    const uint64_t began = now_ms();
    mg_supervised_stop(o.supervised);
    wait_for(&o);
    const uint64_t took = now_ms() - began;
    long long interrupted, terminated;
    EXPECT_EQ(2, sscanf(mg_str_cstr(t->arena, text(&o, 1)), "int %lld term %lld", &interrupted,
                        &terminated));
    EXPECT(terminated - interrupted > 200);
    EXPECT(took >= 800 && took < 6000);
    EXPECT_EQ(MG_PROCESS_SIGNALLED, o.end.exit.how);
    EXPECT_EQ(SIGKILL, o.end.exit.code);
    EXPECT(o.end.stopped);
    expect_whole(&o);
    EXPECT_EQ(0, running(t));
    mg_loop_close(o.loop);
}

TEST(stop_reaches_processes_that_left_the_session)
{
    /* A shell lets what it starts in the background ignore SIGINT. */
    outcome o = {0};
    const plan p = {
        .script = "env --default-signal=INT setsid sh -c 'trap \"echo far; exit\" INT; : > ready\n"
                  "while :; do sleep 0.02; done' &\n"
                  "trap 'wait; exit 3' INT; wait; wait",
        .drain_ms = 5000};
    EXPECT_OK(start(t, &o, &p));
    turn_until_there(t, &o, "ready");
    mg_supervised_stop(o.supervised);
    wait_for(&o);
    EXPECT_STR("far\n", text(&o, 1));
    EXPECT_EQ(3, o.end.exit.code);
    mg_loop_close(o.loop);
}

TEST(kill_does_not_ask)
{
    outcome o = {0};
    const plan p = {.script = "trap '' INT TERM; : > ready; while :; do sleep 1; done",
                    .drain_ms = 60000};
    EXPECT_OK(start(t, &o, &p));
    turn_until_there(t, &o, "ready");
    const uint64_t began = now_ms();
    mg_supervised_kill(o.supervised);
    wait_for(&o);
    EXPECT(now_ms() - began < 5000);
    EXPECT_EQ(SIGKILL, o.end.exit.code);
    EXPECT(o.end.stopped);
    expect_whole(&o);
    EXPECT_EQ(0, running(t));
    mg_loop_close(o.loop);
}

TEST(the_time_is_up_for_a_group_that_ignores_signals)
{
    const uint64_t began = now_ms();
    const outcome o = run(t, (plan){.script = "trap '' INT TERM HUP\n"
                                              "(while :; do sleep 1; done) & (sleep 300 &)\n"
                                              "while :; do sleep 1; done",
                                    .timeout_ms = 300,
                                    .drain_ms = 100});
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.end.exit.how);
    EXPECT(now_ms() - began >= 500 && now_ms() - began < 6000);
    EXPECT(!o.end.stopped);
    expect_whole(&o);
    EXPECT_EQ(0, running(t));
}

TEST(an_exit_0_after_the_time_was_up_is_still_timed_out)
{
    const outcome o = run(t, (plan){.script = "trap 'exit 0' INT; while :; do sleep 0.02; done",
                                    .timeout_ms = 300,
                                    .drain_ms = 5000});
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.end.exit.how);
    expect_whole(&o);
}

TEST(one_that_ended_in_time_is_not_timed_out_because_we_look_late)
{
    outcome o = {0};
    const plan p = {.script = "exit 6", .timeout_ms = 500};
    EXPECT_OK(start(t, &o, &p));
    (void)usleep(900 * 1000);
    wait_for(&o);
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(6, o.end.exit.code);
    mg_loop_close(o.loop);
}

/* --- What is left behind --- */

static const char daemon_script[] =
    /* Double fork, session, closed descriptors; deaf; rewrites a file every 10 ms. */
    "(setsid sh -c 'trap \"\" INT TERM HUP; cd /; exec <&- >&- 2>&-\n"
    "  (while :; do echo $$ > \"$0/beat\"; sleep 0.01; done) & ' \"$PWD\" &)\n"
    "while ! [ -s beat ]; do sleep 0.01; done; exit 0";

static void expect_daemon_gone(test *t, const mg_supervisor *with)
{
    const outcome o = run(t, (plan){.script = daemon_script, .drain_ms = 100, .supervisor = with});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(0, o.end.exit.code);
    expect_whole(&o);
    EXPECT(o.end.leftovers >= 1);
    EXPECT_EQ(0, running(t));
    EXPECT(is_there(t, "beat"));
    EXPECT(unlinkat(t->dir_fd, "beat", 0) == 0);
    (void)usleep(100 * 1000);
    EXPECT(!is_there(t, "beat"));
}

TEST(a_daemon_is_gone_when_the_end_is_told)
{
    expect_daemon_gone(t, NULL);
}

TEST(a_daemon_is_found_where_the_kernel_does_not_list_children)
{
    const char *wrapper = mg_strf(t->arena, "%s/scanning", t->dir).ptr;
    test_write(t, "scanning",
               mg_strf(t->arena, "#!/bin/sh\nexec '%s' --scan \"$@\"\n", supervisor(t)->path));
    EXPECT(chmod(wrapper, 0755) == 0);
    expect_daemon_gone(t, supervisor_at(t, wrapper));
}

TEST(a_leftover_that_obeys_gets_the_time_to_clean_up)
{
    const outcome o = run(t, (plan){.script = "setsid sh -c 'trap \"sleep 0.1; : > clean; exit\" "
                                              "TERM; : > ready; while :; do sleep 0.01; done' &\n"
                                              "while ! [ -e ready ]; do sleep 0.01; done",
                                    .drain_ms = 5000});
    expect_whole(&o);
    EXPECT(o.end.leftovers >= 1);
    EXPECT(is_there(t, "clean"));
}

/* --- Against the supervisor --- */

TEST(signals_do_not_end_the_supervisor)
{
    const outcome o = run(t, (plan){.script = "for s in HUP INT QUIT PIPE ALRM TERM USR1 USR2 TSTP "
                                              "SEGV ABRT; do kill -$s $PPID; done\n"
                                              "kill -TERM -$PPID; sleep 0.1; exit 5"});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(5, o.end.exit.code);
    expect_whole(&o);
}

TEST(an_agent_that_kills_its_supervisor_is_never_whole_and_its_session_ends)
{
    const outcome o = run(t, (plan){.script = "echo before; sleep 300 & (sleep 300 &)\n"
                                              "trap '' HUP; kill -9 $PPID; sleep 300"});
    EXPECT(!o.end.whole);
    EXPECT_EQ(MG_PROCESS_LOST, o.end.exit.how);
    EXPECT_CONTAINS(mg_str_of(o.end.why.text), "was killed by a signal");
    EXPECT_CONTAINS(mg_str_of(o.end.why.text), "'sh'");
    EXPECT_STR("before\n", text(&o, 1));
    EXPECT(all_gone(t));
}

TEST(an_agent_that_stops_its_supervisor_does_not_gain_time)
{
    const uint64_t began = now_ms();
    const outcome o =
        run(t, (plan){.script = "kill -STOP $PPID; sleep 300", .timeout_ms = 300, .drain_ms = 100});
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.end.exit.how);
    EXPECT(now_ms() - began < 6000);
    expect_whole(&o);
    EXPECT_EQ(0, running(t));
}

TEST(an_agent_that_stops_its_supervisor_and_ends_does_not_keep_us)
{
    const uint64_t began = now_ms();
    const outcome o = run(t, (plan){.script = "kill -STOP $PPID; exit 6", .timeout_ms = 60000});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(6, o.end.exit.code);
    EXPECT(now_ms() - began < 10000);
    expect_whole(&o);
    EXPECT_EQ(0, running(t));
}

TEST(the_control_socket_is_not_the_agents_to_take)
{
    const outcome o = run(t, (plan){.script = "ls -l /proc/$PPID/fd >/dev/null 2>&1 && exit 8\n"
                                              "ls /proc/$$/fd | grep -qx 3 && exit 9; exit 0"});
    EXPECT_EQ(MG_PROCESS_EXITED, o.end.exit.how);
    EXPECT_EQ(geteuid() == 0 ? 8 : 0, o.end.exit.code); /* root may look everywhere */
}

/* --- Our own end --- */

/* A process that drives an agent and is killed; `twin` keeps its descriptors open. */
static void expect_nothing_left_of_a_killed_driver(test *t, bool twin)
{
    const pid_t driver = fork();
    EXPECT(driver >= 0);
    if (driver == 0) {
        outcome o = {0};
        const plan p = {.script = "setsid sh -c ': > far; trap \"\" INT TERM; while :; do sleep 1; "
                                  "done' & while ! [ -e far ]; do :; done; : > ready; sleep 300"};
        EXPECT_OK(start(t, &o, &p));
        if (twin && fork() == 0)
            for (;;)
                (void)pause();
        wait_for(&o);
        _exit(0);
    }
    while (!is_there(t, "ready"))
        (void)usleep(5000);
    EXPECT(running(t) >= 2);
    EXPECT(kill(driver, SIGKILL) == 0);
    EXPECT(waitpid(driver, NULL, 0) == driver);
    EXPECT(all_gone(t));
}

TEST(a_killed_driver_leaves_no_agent_running)
{
    expect_nothing_left_of_a_killed_driver(t, false);
}

TEST(a_killed_driver_whose_fork_holds_the_socket_leaves_no_agent_running)
{
    expect_nothing_left_of_a_killed_driver(t, true);
}

TEST(a_driver_and_a_supervisor_killed_at_once_leave_no_program_running)
{
    const pid_t driver = fork();
    EXPECT(driver >= 0);
    if (driver == 0) {
        outcome o = {0};
        const plan p = {.script = "trap '' HUP; echo $PPID > pid; exec sleep 300"};
        EXPECT_OK(start(t, &o, &p));
        wait_for(&o);
        _exit(0);
    }
    const pid_t its_supervisor = pid_in(t, "pid");
    EXPECT(kill(its_supervisor, SIGSTOP) == 0); /* it cannot do anything about it */
    EXPECT(kill(driver, SIGKILL) == 0);
    EXPECT(waitpid(driver, NULL, 0) == driver);
    EXPECT(running(t) >= 1);
    EXPECT(kill(its_supervisor, SIGKILL) == 0);
    EXPECT(all_gone(t));
}

static const char deaf[] = "trap '' INT TERM; setsid sleep 300 & (sleep 300 & : > ready)\n"
                           "echo here; while :; do sleep 1; done";

TEST(free_in_the_middle_leaves_nothing)
{
    outcome o = {0};
    const plan p = {.script = deaf, .drain_ms = 60000};
    EXPECT_OK(start(t, &o, &p));
    turn_until_there(t, &o, "ready");
    EXPECT(running(t) >= 3);
    const uint64_t began = now_ms();
    mg_supervised_free(o.supervised);
    EXPECT(now_ms() - began < 1900);
    EXPECT_EQ(0, running(t));
    EXPECT_EQ(0, o.ended);
    EXPECT(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* no zombie either */
    mg_loop_close(o.loop);
}

TEST(closing_the_loop_leaves_nothing)
{
    outcome o = {0};
    const plan p = {.script = deaf};
    EXPECT_OK(start(t, &o, &p));
    mg_loop_close(o.loop);
    EXPECT(all_gone(t));
    EXPECT_EQ(0, o.ended);
}

TEST(it_may_be_freed_and_stopped_from_its_own_callbacks)
{
    outcome o = {.free_on_output = true};
    const plan p = {.script = deaf};
    EXPECT_OK(start(t, &o, &p));
    wait_for(&o);
    EXPECT_EQ(-1, o.ended);
    EXPECT_EQ(0, running(t));
    mg_loop_close(o.loop);

    outcome again = {.free_on_end = true, .stop_on_output = true};
    const plan obedient = {.script = "echo 1; sleep 300", .drain_ms = 1000};
    EXPECT_OK(start(t, &again, &obedient));
    wait_for(&again);
    EXPECT_EQ(1, again.ended);
    EXPECT(again.end.stopped);
    mg_loop_close(again.loop);
}

/* --- As another user; this program plays the bomb and the one that cannot be killed --- */

static _Noreturn void be_a_bomb(void)
{
    for (;;)
        if (fork() == 0)
            (void)setsid();
}

static _Noreturn void be_unkillable(void)
{
    FILE *pid = setuid(0) == 0 ? fopen("pid", "we") : NULL;
    if (pid != NULL && fprintf(pid, "%d\n", (int)getpid()) > 0)
        (void)fclose(pid);
    (void)sleep(60);
    _exit(0);
}

__attribute__((constructor)) static void play(void)
{
    const char *part = getenv("PART");
    if (part != NULL && strcmp(part, "bomb") == 0)
        be_a_bomb();
    if (part != NULL && strcmp(part, "unkillable") == 0)
        be_unkillable();
}

/* A user of its own, so that nobody else's processes count against the limit. */
static void become_somebody(test *t)
{
    const uid_t somebody = 60000 + (uid_t)getpid() % 5000;
    EXPECT(fchmod(t->dir_fd, 0777) == 0);
    if (geteuid() != 0)
        return;
    EXPECT(setgroups(0, NULL) == 0 && setgid(somebody) == 0 && setuid(somebody) == 0);
}

static unsigned tasks_of_user(void)
{
    unsigned count = 0;
    DIR *proc = opendir("/proc");
    EXPECT(proc != NULL);
    for (const struct dirent *e = readdir(proc); e != NULL; e = readdir(proc)) {
        char path[300];
        struct stat st;
        (void)snprintf(path, sizeof path, "/proc/%s/task", e->d_name);
        if (stat(path, &st) == 0 && st.st_uid == getuid())
            count += (unsigned)st.st_nlink - 2;
    }
    (void)closedir(proc);
    return count;
}

TEST(a_fork_bomb_ends)
{
    char self[4096] = {0};
    EXPECT(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const mg_supervisor *with = supervisor(t);
    become_somebody(t);
    if (access(with->path, X_OK) != 0 || access(self, X_OK) != 0)
        test_skip("the build directory is not for other users");
    const rlim_t most = tasks_of_user() + 150;
    EXPECT(setrlimit(RLIMIT_NPROC, &(struct rlimit){most, most}) == 0);
    const uint64_t began = now_ms();
    const outcome o = run(t, (plan){.argv = (const char *[]){self, NULL},
                                    .variable = "PART=bomb",
                                    .supervisor = with,
                                    .timeout_ms = 700,
                                    .drain_ms = 100});
    expect_whole(&o);
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.end.exit.how);
    EXPECT_EQ(0, running(t));
    EXPECT(now_ms() - began < 30000);
}

TEST(one_that_cannot_be_killed_is_named_and_the_end_is_not_whole)
{
    char self[4096] = {0};
    EXPECT(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (geteuid() != 0)
        test_skip("only root can make a program that another user cannot kill");
    test_write(t, "helper", test_read(t, self));
    EXPECT(fchmodat(t->dir_fd, "helper", 04755, 0) == 0);
    const mg_supervisor *with = supervisor(t);
    const pid_t user = fork();
    if (user == 0) {
        become_somebody(t);
        if (access(with->path, X_OK) != 0)
            _exit(77);
        const outcome o = run(t, (plan){.argv = (const char *[]){"./helper", NULL},
                                        .variable = "PART=unkillable",
                                        .supervisor = with,
                                        .timeout_ms = 500,
                                        .drain_ms = 50});
        const int pid = (int)pid_in(t, "pid");
        EXPECT(!o.end.whole);
        EXPECT_CONTAINS(mg_str_of(o.end.why.text), mg_strf(t->arena, "process %d of", pid).ptr);
        _exit(0);
    }
    int status = 0;
    EXPECT(user > 0 && waitpid(user, &status, 0) == user);
    if (is_there(t, "pid"))
        (void)kill(pid_in(t, "pid"), SIGKILL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        test_skip("the build directory is not for other users");
    EXPECT_EQ(0, status);
}
