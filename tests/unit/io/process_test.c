/* Real process trees: how they end, that they end, and that nothing of them is left. */
#include "io/alive.h"
#include "io/process.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct outcome {
    mg_loop *loop;
    mg_process *process;
    mg_process_exit exit;
    int ended;
    uint64_t bytes[3];
    mg_buf text[3];
    bool stop_on_output, stop_on_end;
} outcome;

static const char *const plain_env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};

static void on_output(void *data, int stream, mg_str bytes)
{
    outcome *o = data;
    EXPECT(stream == 1 || stream == 2);
    EXPECT_EQ(0, o->ended);
    o->bytes[stream] += bytes.len;
    mg_buf_add(&o->text[stream], bytes);
    if (o->stop_on_output) {
        mg_process_stop(o->process);
        o->ended = -1;
    }
}

static void on_ended(void *data, const mg_process_exit *exit)
{
    outcome *o = data;
    o->exit = *exit;
    o->ended++;
    if (o->stop_on_end)
        mg_process_stop(o->process);
}

static uint64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static mg_status start(test *t, outcome *o, const char *const *argv, const char *const *env,
                       uint64_t timeout_ms)
{
    if (o->loop == NULL)
        EXPECT_OK(mg_loop_open(&o->loop, &t->err));
    o->text[1] = mg_buf_new(t->arena, 65536);
    o->text[2] = mg_buf_new(t->arena, 65536);
    const mg_process_options options = {
        .argv = argv,
        .env = env,
        .cwd = t->dir_fd,
        .timeout_ms = timeout_ms,
        .output = on_output,
        .ended = on_ended,
        .data = o,
    };
    return mg_process_start(o->loop, &options, &o->process, &t->err);
}

static void wait_for(outcome *o)
{
    while (o->ended == 0)
        mg_loop_turn(o->loop);
}

static outcome run_env(test *t, const char *script, const char *const *env, uint64_t timeout_ms)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, (const char *[]){"sh", "-c", script, NULL}, env, timeout_ms));
    wait_for(&o);
    EXPECT_EQ(1, o.ended);
    mg_loop_close(o.loop);
    return o;
}

static outcome run(test *t, const char *script, uint64_t timeout_ms)
{
    return run_env(t, script, plain_env, timeout_ms);
}

static mg_str text(const outcome *o, int stream)
{
    return mg_buf_str(&o->text[stream]);
}

TEST(the_exit_code_and_both_streams_arrive)
{
    const outcome o = run(t, "echo out; echo err >&2; exit 7", 5000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(7, o.exit.code);
    EXPECT_STR("out\n", text(&o, 1));
    EXPECT_STR("err\n", text(&o, 2));
}

TEST(a_signal_is_told_from_an_exit)
{
    const outcome o = run(t, "kill -SEGV $$", 5000);
    EXPECT_EQ(MG_PROCESS_SIGNALLED, o.exit.how);
    EXPECT_EQ(SIGSEGV, o.exit.code);
}

TEST(stdin_is_empty_and_the_directory_is_the_given_one)
{
    const outcome o = run(t, "cat; pwd", 5000);
    EXPECT_STR(mg_strf(t->arena, "%s\n", t->dir).ptr, text(&o, 1));
}

TEST(only_the_given_environment_is_there)
{
    (void)setenv("LEAKED", "yes", 1);
    const char *const env[] = {"PATH=/usr/bin:/bin", "GIVEN=1", NULL};
    const outcome o = run_env(t, "echo $GIVEN-$LEAKED", env, 5000);
    EXPECT_STR("1-\n", text(&o, 1));
}

TEST(descriptors_of_ours_are_not_inherited)
{
    const int open_one = open("/dev/null", O_RDONLY); /* without O_CLOEXEC, as embedders do */
    EXPECT(dup2(open_one, 77) == 77);
    const outcome o = run(t, "ls /proc/self/fd | sort -n | tr '\\n' ' '", 5000);
    EXPECT_STR("0 1 2 3 ", text(&o, 1)); /* 3 is the directory that ls reads */
}

TEST(signals_are_as_in_a_fresh_shell)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    sigset_t block;
    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &block, NULL);
    const outcome o = run(t, "sed -n 's/^SigBlk:.//p;s/^SigIgn:.//p' /proc/self/status", 5000);
    unsigned long long blocked, ignored, own = 3ull << 31; /* 32 and 33 are libc's, not ours */
    EXPECT_EQ(2, sscanf(mg_str_cstr(t->arena, text(&o, 1)), "%llx %llx", &blocked, &ignored));
    EXPECT_EQ(0, blocked);
    EXPECT_EQ(0, ignored & ~own);
}

TEST(it_leads_a_group_of_its_own)
{
    const outcome o = run(t, "ps -o pid=,pgid= -p $$ | awk '{exit $1 != $2}'", 5000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(0, o.exit.code);
}

TEST(a_timeout_kills_grandchildren_that_ignore_signals)
{
    const uint64_t began = now_ms();
    const outcome o = run(t,
                          "trap '' TERM INT HUP\n"
                          "sh -c 'trap \"\" TERM INT HUP; echo $$ > a; sleep 300' &\n"
                          "(sh -c 'echo $$ > b; sleep 300' &)\n"
                          "echo $$ > leader; sleep 300",
                          400);
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.exit.how);
    EXPECT(now_ms() - began < 5000);
    EXPECT(pid_in(t, "a") != pid_in(t, "b")); /* they did run */
    EXPECT(group_gone(pid_in(t, "leader")));
}

TEST(what_a_command_leaves_in_its_group_dies_with_it)
{
    const uint64_t began = now_ms();
    const outcome o = run(
        t,
        "echo $$ > leader; sh -c 'echo $$ > left; exec sleep 300' & while ! [ -s left ]; do :; done",
        9000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(0, o.exit.code);
    EXPECT(now_ms() - began < 5000); /* although `left` held the pipes */
    EXPECT(group_gone(pid_in(t, "leader")));
}

TEST(one_that_left_the_group_and_holds_the_pipe_cannot_hold_us)
{
    const uint64_t began = now_ms();
    const outcome o = run(t,
                          "setsid sh -c 'echo $$ > away; exec sleep 300' &\n"
                          "while ! [ -s away ]; do sleep 0.01; done; echo done",
                          9000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_STR("done\n", text(&o, 1));
    EXPECT(now_ms() - began < 5000);
    (void)kill(-pid_in(t, "away"), SIGKILL);
}

TEST(one_that_left_the_group_and_writes_for_ever_cannot_hold_us)
{
    const uint64_t began = now_ms();
    const outcome o = run(t,
                          "setsid sh -c 'echo $$ > away; exec yes' &\n"
                          "while ! [ -s away ]; do sleep 0.01; done; exit 3",
                          9000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(3, o.exit.code);
    EXPECT(now_ms() - began < 5000);
    (void)kill(-pid_in(t, "away"), SIGKILL);
}

TEST(a_gigabyte_of_output_passes_through)
{
    const outcome o = run(t, "yes | head -c 1000000000", 50000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(1000000000, o.bytes[1]);
}

TEST(the_last_words_are_not_lost)
{
    for (int i = 0; i < 20; i++) {
        const outcome o = run(t, "head -c 60000 /dev/zero; echo end >&2", 5000);
        EXPECT_EQ(60000, o.bytes[1]);
        EXPECT_STR("end\n", text(&o, 2));
    }
}

TEST(binary_output_is_passed_on_as_it_is)
{
    const outcome o = run(t, "printf 'a\\000b\\377\\033[31m'", 5000);
    EXPECT(mg_str_eq((mg_str){"a\0b\xff\x1b[31m", 9}, text(&o, 1)));
}

TEST(a_command_that_closes_its_output_is_still_waited_for)
{
    const outcome o = run(t, "exec >&- 2>&-; sleep 0.2; exit 4", 5000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(4, o.exit.code);
}

TEST(a_program_that_is_not_there_is_said_so_before_anything_runs)
{
    outcome o = {0};
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              start(t, &o, (const char *[]){"no-such-program", NULL}, plain_env, 0));
    EXPECT_ERR_CONTAINS("'no-such-program' was not found in PATH");
    EXPECT_EQ(MG_ERR_NOT_FOUND, start(t, &o, (const char *[]){"./missing", NULL}, plain_env, 0));
    test_write(t, "script", MG_STR("#!/no/such/interpreter\n"));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "script", 0755, 0));
    EXPECT_EQ(MG_ERR_NOT_FOUND, start(t, &o, (const char *[]){"./script", NULL}, plain_env, 0));
    EXPECT_ERR_CONTAINS("interpreter");
    test_write(t, "text", MG_STR("x"));
    EXPECT_EQ(MG_ERR_DENIED, start(t, &o, (const char *[]){"./text", NULL}, plain_env, 0));
    EXPECT_EQ(MG_ERR_DENIED, start(t, &o, (const char *[]){"/tmp", NULL}, plain_env, 0));
    EXPECT_ERR_CONTAINS("directory");
    EXPECT_EQ(MG_ERR_INVALID, start(t, &o, (const char *[]){"", NULL}, plain_env, 0));
    mg_loop_close(o.loop);
}

TEST(a_path_that_could_not_be_looked_at_is_not_one_without_the_program)
{
    outcome o = {0};
    EXPECT_EQ(0, symlinkat("loop", t->dir_fd, "loop"));
    const char *const round[] = {"PATH=loop:/nowhere", NULL};
    const char *const behind[] = {"PATH=loop:/usr/bin:/bin", NULL};
    const mg_status s = start(t, &o, (const char *[]){"true", NULL}, round, 0);
    EXPECT(s != MG_OK && s != MG_ERR_NOT_FOUND);
    const mg_status direct = start(t, &o, (const char *[]){"./loop", NULL}, plain_env, 0);
    EXPECT(direct != MG_OK && direct != MG_ERR_NOT_FOUND);
    EXPECT_OK(start(t, &o, (const char *[]){"true", NULL}, behind, 0));
    wait_for(&o);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    mg_loop_close(o.loop);
}

TEST(programs_are_found_relative_to_the_directory_of_the_command)
{
    outcome o = {0};
    test_write(t, "bin/tool", MG_STR("#!/bin/sh\necho tool\n"));
    EXPECT_EQ(0, fchmodat(t->dir_fd, "bin/tool", 0755, 0));
    EXPECT_OK(start(t, &o, (const char *[]){"bin/tool", NULL}, plain_env, 5000));
    wait_for(&o);
    EXPECT_STR("tool\n", text(&o, 1));
    o.ended = 0;
    EXPECT_OK(start(t, &o, (const char *[]){"tool", NULL},
                    (const char *[]){"PATH=/nowhere:bin:/usr/bin", NULL}, 5000));
    wait_for(&o);
    EXPECT_STR("tool\n", text(&o, 1));
    mg_loop_close(o.loop);
}

TEST(stopping_kills_the_group_and_calls_nobody)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, (const char *[]){"sh", "-c", "echo $$ > a; sleep 300 & sleep 300", NULL},
                    plain_env, 0));
    const pid_t pid = pid_in(t, "a");
    mg_process_stop(o.process);
    EXPECT_EQ(0, o.ended);
    EXPECT(group_gone(pid));
    EXPECT(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* no zombie either */
    mg_loop_turn(o.loop);
    EXPECT_EQ(0, o.ended);
    mg_loop_close(o.loop);
    mg_process_stop(NULL);
}

TEST(closing_the_loop_leaves_nothing_running)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, (const char *[]){"sh", "-c", "echo $$ > a; sleep 300 & sleep 300", NULL},
                    plain_env, 0));
    const pid_t pid = pid_in(t, "a");
    mg_loop_close(o.loop);
    EXPECT(group_gone(pid));
    EXPECT_EQ(0, o.ended);
}

TEST(it_can_be_stopped_from_its_own_callbacks)
{
    outcome o = {.stop_on_output = true};
    EXPECT_OK(start(t, &o, (const char *[]){"yes", NULL}, plain_env, 0));
    wait_for(&o);
    EXPECT_EQ(-1, o.ended);
    o = (outcome){.loop = o.loop, .stop_on_end = true};
    EXPECT_OK(start(t, &o, (const char *[]){"true", NULL}, plain_env, 0));
    wait_for(&o);
    EXPECT_EQ(1, o.ended);
    mg_loop_close(o.loop);
}

TEST(a_status_that_somebody_else_took_is_lost_not_zero)
{
    (void)signal(SIGCHLD, SIG_IGN); /* the kernel then reaps by itself */
    const outcome o = run(t, "exit 0", 5000);
    EXPECT_EQ(MG_PROCESS_LOST, o.exit.how);
    EXPECT_CONTAINS(mg_str_of(o.exit.why.text), "SIGCHLD");
    const outcome late = run(t, "sleep 300", 200);
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, late.exit.how);
}

/* Waits until the process is a zombie, without the loop. */
static void wait_for_zombie(pid_t pid)
{
    siginfo_t info;
    EXPECT_EQ(0, waitid(pid > 0 ? P_PID : P_ALL, (id_t)pid, &info, WEXITED | WNOWAIT));
}

TEST(one_that_ended_in_time_is_not_timed_out_because_we_were_a_little_late)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, (const char *[]){"true", NULL}, plain_env, 20000));
    wait_for_zombie(0); /* we are busy elsewhere */
    wait_for(&o);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    mg_loop_close(o.loop);
}

TEST(one_that_nobody_saw_end_in_time_has_timed_out)
{
    outcome o = {0};
    EXPECT_OK(start(t, &o, (const char *[]){"sh", "-c", "sleep 0.3; exit 0", NULL}, plain_env, 50));
    wait_for_zombie(0); /* the loop is blocked meanwhile: it sees the end before the time is up */
    wait_for(&o);
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, o.exit.how);
    mg_loop_close(o.loop);
}

static uint64_t busy_ms;

static void on_ended_busy(void *data, const mg_process_exit *exit)
{
    on_ended(data, exit);
    (void)usleep((useconds_t)busy_ms * 1000);
}

/* Two ended before the loop woke up; that the first one's callback takes long is not the fault
 * of the second. */
TEST(what_the_loop_saw_in_time_was_in_time)
{
    static outcome two[2];
    const mg_process_options options = {.argv = (const char *[]){"true", NULL},
                                        .env = plain_env,
                                        .cwd = t->dir_fd,
                                        .timeout_ms = 2000,
                                        .ended = on_ended_busy};
    mg_loop *loop;
    EXPECT_OK(mg_loop_open(&loop, &t->err));
    busy_ms = 2500;
    for (int i = 0; i < 2; i++) {
        mg_process_options mine = options;
        mine.data = &two[i];
        EXPECT_OK(mg_process_start(loop, &mine, &two[i].process, &t->err));
    }
    (void)usleep(300000); /* both are over */
    for (int i = 0; i < 2; i++) {
        two[i].loop = loop;
        wait_for(&two[i]);
        EXPECT_EQ(MG_PROCESS_EXITED, two[i].exit.how);
    }
    mg_loop_close(loop);
}

TEST(without_stdio_of_our_own_the_child_still_has_its_own)
{
    outcome o = {0};
    EXPECT_OK(mg_loop_open(&o.loop, &t->err));
    const int kept = fcntl(1, F_DUPFD, 100);
    (void)close(0);
    (void)close(1);
    (void)close(2);
    const mg_status s = start(
        t, &o, (const char *[]){"sh", "-c", "cat; echo out; echo err >&2", NULL}, plain_env, 5000);
    if (s == MG_OK)
        wait_for(&o);
    (void)dup2(kept, 1);
    EXPECT_OK(s);
    EXPECT_STR("out\n", text(&o, 1));
    EXPECT_STR("err\n", text(&o, 2));
    mg_loop_close(o.loop);
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir) != NULL)
        count++;
    (void)closedir(dir);
    return count;
}

TEST(many_at_once_and_no_descriptor_is_left)
{
    mg_loop *loop;
    static outcome all[40];
    EXPECT_OK(mg_loop_open(&loop, &t->err));
    const size_t before = open_descriptors();
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        all[i].loop = loop;
        EXPECT_OK(start(t, &all[i], (const char *[]){"sh", "-c", "echo x; exit 5", NULL}, plain_env,
                        30000));
    }
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        wait_for(&all[i]);
        EXPECT_EQ(5, all[i].exit.code);
        EXPECT_EQ(2, all[i].bytes[1]);
    }
    EXPECT_EQ(before, open_descriptors());
    mg_loop_close(loop);
}

/* A system call answers with an error from now on, as an old kernel or a container's filter
 * does; with `second` only where that is its second argument. */
static void forbid(unsigned number, int error, unsigned second)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, second != 0 ? 1 : 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = MG_COUNT(code), .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
        test_skip("the kernel has no seccomp");
}

static void forbid_pidfd(void)
{
    forbid(SYS_pidfd_open, ENOSYS, 0);
    EXPECT(syscall(SYS_pidfd_open, getpid(), 0) < 0 && errno == ENOSYS);
}

TEST(output_that_cannot_be_read_to_its_end_is_said_to_be_so)
{
    static const unsigned calls[][2] = {{SYS_ioctl, FIONREAD}, {SYS_read, 0}};
    EXPECT_EQ(0, run(t, "echo x", 5000).exit.unread[0]);
    for (size_t i = 0; i < MG_COUNT(calls); i++) {
        outcome o = {0};
        EXPECT_OK(start(t, &o, (const char *[]){"sh", "-c", "echo x; exit 3", NULL}, plain_env, 0));
        wait_for_zombie(0);
        forbid(calls[i][0], EIO, calls[i][1]);
        wait_for(&o);
        EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
        EXPECT_EQ(3, o.exit.code);
        EXPECT_EQ(EIO, o.exit.unread[0]);
        mg_loop_close(o.loop);
    }
}

/* Once somebody else has waited for the leader, the number of its group may be a stranger's. */
TEST(a_group_whose_leader_was_taken_is_not_killed_by_its_number)
{
    forbid(SYS_pidfd_send_signal, ENOSYS, 0);
    (void)signal(SIGCHLD, SIG_IGN);
    const outcome o = run(t,
                          "(echo $$ > leader; exec sleep 300 >&- 2>&-) & "
                          "while ! [ -s leader ]; do sleep 0.01; done",
                          5000);
    EXPECT_EQ(MG_PROCESS_LOST, o.exit.how);
    const pid_t group = pid_in(t, "leader");
    EXPECT(kill(-group, 0) == 0);
    (void)kill(-group, SIGKILL);
    EXPECT(group_gone(group));
}

TEST(one_that_cannot_be_killed_is_no_zombie_in_the_end)
{
    outcome late = {0}, stopped = {0};
    EXPECT_OK(mg_loop_open(&late.loop, &t->err));
    stopped.loop = late.loop;
    forbid(SYS_pidfd_send_signal, EPERM, 0);
    forbid(SYS_kill, EPERM, 0);
    EXPECT_OK(start(t, &stopped, (const char *[]){"sleep", "3", NULL}, plain_env, 0));
    EXPECT_OK(start(t, &late, (const char *[]){"sleep", "9", NULL}, plain_env, 100));
    mg_process_stop(stopped.process);
    wait_for(&late);
    EXPECT_EQ(MG_PROCESS_LOST, late.exit.how);
    EXPECT_CONTAINS(mg_str_of(late.exit.why.text), "could not be killed");
    mg_loop_close(late.loop);
    siginfo_t info;
    int rc; /* sees children that run, and takes none */
    while ((rc = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG)) == 0)
        (void)usleep(20000);
    EXPECT_EQ(ECHILD, errno);
}

TEST(without_a_pidfd_the_end_is_seen_all_the_same)
{
    forbid_pidfd();
    const outcome o = run(t, "echo out; sleep 0.1; exit 6", 5000);
    EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
    EXPECT_EQ(6, o.exit.code);
    EXPECT_STR("out\n", text(&o, 1));
    const outcome late = run(t, "echo $$ > leader; sleep 300 & sleep 300", 200);
    EXPECT_EQ(MG_PROCESS_TIMED_OUT, late.exit.how);
    EXPECT(group_gone(pid_in(t, "leader")));
    (void)signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(MG_PROCESS_LOST, run(t, "exit 0", 5000).exit.how);
}

TEST(without_descriptors_it_is_an_error_and_none_is_lost)
{
    struct rlimit limit, all;
    outcome o = {0};
    EXPECT_OK(mg_loop_open(&o.loop, &t->err));
    EXPECT_EQ(0, getrlimit(RLIMIT_NOFILE, &all));
    const size_t before = open_descriptors();
    const int lowest = dup(t->dir_fd);
    EXPECT(lowest > 0 && close(lowest) == 0);
    unsigned refused = 0;
    for (int extra = 0; extra < 12; extra++) {
        limit = (struct rlimit){.rlim_cur = (rlim_t)(lowest + extra), .rlim_max = all.rlim_max};
        EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
        o.ended = 0;
        const mg_status s = start(t, &o, (const char *[]){"true", NULL}, plain_env, 5000);
        EXPECT_EQ(0, setrlimit(RLIMIT_NOFILE, &all));
        if (s == MG_OK) {
            wait_for(&o);
            EXPECT_EQ(MG_PROCESS_EXITED, o.exit.how);
        } else {
            refused++;
            EXPECT(t->err.text[0] != '\0');
        }
        EXPECT_EQ(before, open_descriptors());
    }
    EXPECT(refused >= 5 && refused < 12);
    mg_loop_close(o.loop);
}
