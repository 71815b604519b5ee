/* mg_supervise.c - the program that stands between makegood and an agent.
 *
 *     mg-supervise [--scan] DRAIN_MS PATH ARGV0 [ARG...]
 *
 * Runs PATH with the environment, the directory and the stdin, stdout and stderr it was given,
 * and sees to it that nothing of it is left at the end. Descriptor 3 is the control socket
 * (SOCK_SEQPACKET, one line each way is one packet):
 *
 *     from us   started PID                       the process is there, in a session PID
 *               failed ERRNO                      exec(2) did not work
 *               exited CODE | signalled SIGNAL    the program itself is over
 *               done LEFTOVERS                    nothing is left; LEFTOVERS outlived the program
 *               killing PID                       every second: this one is still there
 *               stuck PID                         SIGKILL does not end this one
 *     to us     stop                              SIGINT, DRAIN_MS, SIGTERM, DRAIN_MS, SIGKILL
 *               kill                              SIGKILL now
 *
 * When the socket closes, or whoever started us is gone, everything is killed. What outlives the
 * program gets SIGTERM, a moment, and SIGKILL.
 *
 * The idea it rests on: we are a subreaper, so waitpid(2) says ECHILD only when no descendant is
 * left, wherever it hid. The agent runs as the same user. Of its signals only SIGKILL can end us,
 * which the other side sees as a socket that closed before `done`; and since we are not dumpable
 * it cannot take the socket from us to write a `done` of its own. --scan is for tests.
 */
#include "io/mg_supervise_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CONTROL = 3,
    GRACE_MS = 500,     /* for what outlives the program, unless the drain time is shorter */
    KILL_EVERY_MS = 20, /* until nothing is left */
    KILL_ROUNDS = 240,  /* without one more end (5 s, or longer on a machine that a fork bomb
                         * keeps busy): what is left cannot be killed */
    KILL_LIMIT_MS = 60000,
    KILL_SAY_MS = 1000,
    DRAIN_MAX_MS = 24 * 60 * 60 * 1000,
};

typedef enum stage { RUNNING, INTERRUPTED, TERMINATED, LEFT_OVER, KILLING, STUCK } stage;

static struct {
    uint64_t drain_ms;
    int signals, exec_result, parent; /* descriptors; -1: none */
    pid_t program;                    /* 0 once it was waited for */
    bool failed, closed;              /* exec(2) failed; nobody listens any more */
    unsigned leftovers;
    stage stage;
    uint64_t next_ms; /* when the stage goes on; 0: never by itself */
    uint64_t kill_began_ms, kill_said_ms;
    unsigned rounds; /* of killing since the last one ended */
    pid_t unkilled;
} my = {.signals = -1, .exec_result = -1, .parent = -1};

static uint64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void say(const char *word, long number)
{
    char line[64];
    const int n = snprintf(line, sizeof line, "%s %ld\n", word, number);
    (void)send(CONTROL, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* --- The program --- */

static _Noreturn void become_program(char **argv, pid_t supervisor, int result)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)setsid();
    /* A second net, should we be killed; between fork(2) and here we may have been. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor)
        _exit(127);
    say("started", getpid()); /* here, or the agent could kill us before we have said it */
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execv(argv[0], argv + 1);
    const int error = errno;
    (void)!write(result, &error, sizeof error);
    _exit(127);
}

/* Nothing of the program's is held by us: its pipes end when it does. */
static void let_go(void)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++)
        if (null < 0 || dup2(null, fd) < 0)
            (void)close(fd);
    if (null > CONTROL)
        (void)close(null);
    (void)!chdir("/");
}

static void start(char **argv)
{
    int result[2];
    const pid_t supervisor = getpid();
    if (pipe2(result, O_CLOEXEC | O_NONBLOCK) < 0 || (my.program = fork()) < 0) {
        my.program = 0;
        my.failed = true;
        say("failed", errno);
        return;
    }
    if (my.program == 0)
        become_program(argv, supervisor, result[1]);
    (void)close(result[1]);
    my.exec_result = result[0];
}

static void learn_exec_result(void)
{
    int error;
    if (my.exec_result < 0)
        return;
    const ssize_t n = read(my.exec_result, &error, sizeof error);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    my.failed = n == (ssize_t)sizeof error;
    if (my.failed)
        say("failed", error);
    (void)close(my.exec_result);
    my.exec_result = -1;
}

static void program_ended(int status)
{
    learn_exec_result();
    my.program = 0;
    if (!my.failed && WIFEXITED(status))
        say("exited", WEXITSTATUS(status));
    else if (!my.failed)
        say("signalled", WTERMSIG(status));
}

/* --- The end of everything --- */

static void enter(stage next, uint64_t wait_ms)
{
    my.stage = next;
    my.next_ms = now_ms() + wait_ms;
}

static void kill_round(void)
{
    my.rounds++;
    my.unkilled = tree_kill(my.program);
    my.next_ms = now_ms() + KILL_EVERY_MS;
}

static void start_killing(void)
{
    if (my.stage >= KILLING)
        return;
    my.kill_began_ms = my.kill_said_ms = now_ms();
    my.rounds = 0;
    my.stage = KILLING;
    kill_round();
}

static void interrupt(void)
{
    if (my.stage != RUNNING)
        return;
    (void)tree_signal(SIGINT, my.program);
    enter(INTERRUPTED, my.drain_ms);
}

static void end_leftovers(void)
{
    if (my.stage >= LEFT_OVER)
        return;
    my.leftovers = tree_signal(SIGTERM, 0);
    enter(LEFT_OVER, my.drain_ms < GRACE_MS ? my.drain_ms : GRACE_MS);
}

static void kill_on(void)
{
    const uint64_t now = now_ms();
    if (now - my.kill_said_ms >= KILL_SAY_MS) {
        say("killing", my.unkilled);
        my.kill_said_ms = now;
    }
    if (my.rounds < KILL_ROUNDS && now - my.kill_began_ms < KILL_LIMIT_MS) {
        kill_round();
        return;
    }
    if (my.closed)
        _exit(1);
    say("stuck", my.unkilled);
    my.stage = STUCK; /* until the other side has read it and closes */
    my.next_ms = 0;
}

static void time_is_up(void)
{
    if (my.stage == INTERRUPTED) {
        (void)tree_signal(SIGTERM, my.program);
        enter(TERMINATED, my.drain_ms);
    } else if (my.stage == KILLING) {
        kill_on();
    } else {
        start_killing();
    }
}

/* Waits for whoever ended. Leaves when nobody is left. */
static void reap(void)
{
    int status;
    pid_t pid;
    const bool ran = my.program > 0;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
        my.rounds = 0;
        if (pid == my.program)
            program_ended(status);
    }
    if (pid < 0 && errno == ECHILD) {
        say("done", my.leftovers);
        _exit(0);
    }
    if (ran && my.program == 0)
        end_leftovers();
}

/* --- Events --- */

static void nobody_listens(void)
{
    my.closed = true;
    if (my.stage == STUCK)
        _exit(1);
    start_killing();
}

static void read_command(void)
{
    char line[16];
    const ssize_t n = recv(CONTROL, line, sizeof line, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n == 5 && memcmp(line, "stop\n", 5) == 0)
        interrupt();
    else if (n == 5 && memcmp(line, "kill\n", 5) == 0)
        start_killing();
    else
        nobody_listens(); /* or somebody who does not speak our language */
}

static int wait_ms(void)
{
    if (my.next_ms == 0)
        return -1;
    const uint64_t now = now_ms();
    return my.next_ms <= now ? 0 : (int)(my.next_ms - now);
}

static void turn(void)
{
    struct pollfd on[] = {
        {.fd = my.signals, .events = POLLIN},
        {.fd = my.exec_result, .events = POLLIN},
        {.fd = my.closed ? -1 : CONTROL, .events = POLLIN},
        {.fd = my.closed ? -1 : my.parent, .events = POLLIN},
    };
    (void)poll(on, sizeof on / sizeof *on, wait_ms());
    struct signalfd_siginfo ended;
    while (on[0].revents != 0 && read(my.signals, &ended, sizeof ended) > 0)
        ;
    if (on[1].revents != 0)
        learn_exec_result();
    reap();
    if (on[2].revents != 0)
        read_command();
    if (on[3].revents != 0 && !my.closed)
        nobody_listens();
    if (my.next_ms != 0 && now_ms() >= my.next_ms)
        time_is_up();
}

/* --- The start --- */

/* Everything is blocked: nothing but SIGKILL and SIGSTOP reaches us. */
static bool prepare(void)
{
    sigset_t all, child;
    (void)sigfillset(&all);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, it would hide the ends from waitpid(2) */
    (void)setpgid(0, 0);
    my.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    my.parent = (int)syscall(SYS_pidfd_open, getppid(), 0); /* a second net for a second fork */
    (void)prctl(PR_SET_NAME, "mg-supervise");      /* we were started by a descriptor's number */
    (void)fcntl(CONTROL + 1, F_SETFD, FD_CLOEXEC); /* that one: our own file */
    (void)fcntl(CONTROL + 2, F_SETFD, FD_CLOEXEC); /* what we were given to hold, if anything */
    return sigprocmask(SIG_SETMASK, &all, NULL) == 0 && my.signals >= 0 &&
           prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0 &&
           fcntl(CONTROL, F_SETFD, FD_CLOEXEC) == 0;
}

static bool read_drain(const char *text)
{
    char *end;
    errno = 0;
    my.drain_ms = strtoull(text, &end, 10);
    if (my.drain_ms > DRAIN_MAX_MS)
        my.drain_ms = DRAIN_MAX_MS;
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

int main(int argc, char **argv)
{
    const bool scan = argc > 1 && strcmp(argv[1], "--scan") == 0;
    argv += 1 + scan;
    int type = 0;
    socklen_t size = sizeof type;
    if (argc < 4 + scan || !read_drain(argv[0]) ||
        getsockopt(CONTROL, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET) {
        (void)fputs(
            "mg-supervise is started by makegood: mg-supervise [--scan] DRAIN_MS PATH ARGV0 "
            "[ARG...], with its control socket as descriptor 3.\n",
            stderr);
        return 2;
    }
    if (!prepare()) {
        say("failed", errno);
        return 1;
    }
    tree_init(scan);
    start(argv + 1);
    let_go();
    if (my.failed)
        reap(); /* leaves: there is nobody */
    for (;;)
        turn();
}
