/* process.c - posix_spawn into a group of its own, pipes, and a certain end.
 *
 * The end is learnt from a pidfd (or, on kernels before 5.3, by asking now and then). As long
 * as the leader has not been waited for, its number, which is also the number of the group,
 * belongs to nobody else; so the order is always: the leader ended, kill what is left of the
 * group, take what the pipes still hold, and only then wait for the leader. Somebody else may
 * have waited for it all the same (SIGCHLD ignored, an embedder that waits for everything);
 * then the number may be a stranger's by now, and nothing is killed by it.
 *
 * The system does not say when a process ended, only that it has. What we see late may have
 * been in time or not; beyond a small slack it counts as timed out: what nobody saw in time is
 * no success.
 */
#include "io/process.h"

#include "base/fs.h"
#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PIECE = 64 * 1024, /* what a pipe holds */
    ASK_EVERY_MS = 10, /* without a pidfd */
    KILL_GRACE_MS = 5000,
    STOP_WAIT_MS = 2000,
    CLOSE_WAIT_MS = 50,
    LATE_MS = 100, /* so much, and a tenth of the timeout, we may be late ourselves */
};

#ifndef PIDFD_SIGNAL_PROCESS_GROUP /* Linux 6.9; older headers do not know it */
#define PIDFD_SIGNAL_PROCESS_GROUP (1UL << 2)
#endif

struct mg_process {
    mg_loop *loop;
    mg_tenant tenant;
    pid_t pid;
    int pidfd;    /* -1: the kernel has none */
    int pipes[2]; /* stdout, stderr; -1 once they ended */
    mg_watch *pid_watch, *pipe_watches[2];
    mg_timer *deadline, *next_ask;
    uint64_t started_ms, timeout_ms; /* on the loop's clock; 0: no timeout */
    bool timed_out;
    int unread[2];         /* the errno with which reading a pipe ended too early, or 0 */
    bool calling, stopped; /* stopped while calling: freed when the callback returns */
    bool over;             /* its end is being told; there is nothing to stop any more */
    void (*output)(void *data, int stream, mg_str bytes);
    void (*ended)(void *data, const mg_process_exit *exit);
    void *data;
    char piece[PIECE];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void forget_pipe(mg_process *p, int index)
{
    mg_watch_stop(p->pipe_watches[index]);
    p->pipe_watches[index] = NULL;
    close_fd(&p->pipes[index]);
}

/* Everything but the memory. */
static void release(mg_process *p)
{
    mg_loop_leave(&p->tenant);
    mg_watch_stop(p->pid_watch);
    mg_timer_stop(p->deadline);
    mg_timer_stop(p->next_ask);
    p->pid_watch = NULL;
    p->deadline = p->next_ask = NULL;
    forget_pipe(p, 0);
    forget_pipe(p, 1);
    close_fd(&p->pidfd);
}

/* Whether the number is still its own: it runs, or is a zombie that nobody waited for. */
static bool still_ours(const mg_process *p)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* Through the pidfd it is never the wrong group, whoever waited for the leader. */
static void kill_group(const mg_process *p)
{
    if (p->pidfd >= 0 &&
        syscall(SYS_pidfd_send_signal, p->pidfd, SIGKILL, NULL, PIDFD_SIGNAL_PROCESS_GROUP) == 0)
        return;
    if (still_ours(p))
        (void)kill(-p->pid, SIGKILL);
}

/* --- The end --- */

static void finish(mg_process *p, const mg_process_exit *exit)
{
    release(p);
    p->over = true;
    p->ended(p->data, exit);
    free(p);
}

/* Hands bytes on; false if the process was stopped meanwhile, and is gone. */
static bool deliver(mg_process *p, int index, size_t bytes)
{
    if (p->output == NULL)
        return true;
    p->calling = true;
    p->output(p->data, index + 1, (mg_str){p->piece, bytes});
    p->calling = false;
    if (!p->stopped)
        return true;
    free(p);
    return false;
}

/* What the pipe holds now and no more: somebody who left the group may write for ever. */
static bool drain(mg_process *p, int index)
{
    int left = 0;
    if (p->pipes[index] < 0)
        return true;
    if (ioctl(p->pipes[index], FIONREAD, &left) < 0)
        p->unread[index] = errno;
    while (left > 0) {
        const ssize_t n =
            mg_fd_read(p->pipes[index], p->piece, MG_MIN((size_t)left, (size_t)PIECE));
        if (n < 0)
            p->unread[index] = errno;
        if (n <= 0)
            return true;
        left -= (int)n;
        if (!deliver(p, index, (size_t)n))
            return false;
    }
    return true;
}

/* Takes what is left in a pipe. Whoever was killed closes it in a moment; whoever left the group
 * may hold it open for ever, and then nobody knows what is still to come. */
static bool drain_to_end(mg_process *p, int index)
{
    if (!drain(p, index))
        return false;
    if (p->pipes[index] < 0)
        return true;
    struct pollfd end = {.fd = p->pipes[index], .events = POLLIN};
    for (int waited = 0; waited < CLOSE_WAIT_MS; waited += ASK_EVERY_MS) {
        end.revents = 0;
        (void)poll(&end, 1, ASK_EVERY_MS);
        if ((end.revents & POLLIN) != 0 && !drain(p, index))
            return false;
        if ((end.revents & POLLHUP) != 0)
            return true;
    }
    p->unread[index] = EBUSY;
    return true;
}

static void reap(mg_process *p, mg_process_exit *out)
{
    siginfo_t info = {0};
    int rc;
    do
        rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG);
    while (rc < 0 && errno == EINTR);
    if (p->timed_out) {
        *out = (mg_process_exit){.how = MG_PROCESS_TIMED_OUT, .code = SIGKILL};
        return;
    }
    if (rc < 0 || info.si_pid == 0) {
        *out = (mg_process_exit){.how = MG_PROCESS_LOST};
        (void)mg_fail(
            &out->why, MG_ERR_SYSTEM,
            "how the command ended is not known: somebody else in this process waited for "
            "it, or SIGCHLD is ignored");
        return;
    }
    out->how = info.si_code == CLD_EXITED ? MG_PROCESS_EXITED : MG_PROCESS_SIGNALLED;
    out->code = info.si_status;
}

/* Whether the leader is over; a zombie stays one. */
static bool leader_ended(const mg_process *p)
{
    siginfo_t info = {0};
    const int rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc < 0 ? errno == ECHILD : info.si_pid != 0;
}

/* It was over at seen_ms at the latest. */
static void end(mg_process *p, uint64_t seen_ms)
{
    const uint64_t latest = p->started_ms + p->timeout_ms + p->timeout_ms / 10 + LATE_MS;
    p->timed_out = p->timed_out || (p->timeout_ms > 0 && seen_ms > latest);
    kill_group(p);
    if (!drain_to_end(p, 0) || !drain_to_end(p, 1))
        return;
    mg_process_exit exit = {0};
    reap(p, &exit);
    memcpy(exit.unread, p->unread, sizeof exit.unread);
    finish(p, &exit);
}

static void pid_ready(void *data, int ready)
{
    (void)ready;
    mg_process *p = data;
    end(p, mg_loop_woke_ms(p->loop)); /* readable when it is over, whoever waited for it */
}

static void ask_again(void *data)
{
    mg_process *p = data;
    p->next_ask = NULL;
    if (leader_ended(p))
        end(p, mg_loop_now_ms(p->loop));
    else
        p->next_ask = mg_timer_start(p->loop, ASK_EVERY_MS, ask_again, p);
}

static void *wait_on_a_thread(void *pid)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)(uintptr_t)pid, &info, WEXITED) < 0 && errno == EINTR)
        ;
    return NULL;
}

/* Of one that could not be killed: whenever it ends, no zombie is to stay behind. */
static void reap_later(const mg_process *p)
{
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the embedder's signals are not for it */
    if (pthread_create(&thread, NULL, wait_on_a_thread, (void *)(uintptr_t)p->pid) == 0)
        (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void did_not_die(void *data)
{
    mg_process *p = data;
    mg_process_exit exit = {.how = MG_PROCESS_LOST};
    p->deadline = NULL;
    (void)mg_fail(&exit.why, MG_ERR_SYSTEM,
                  "the time was up, but process %ld could not be killed (it may belong to another "
                  "user, or wait for a device)",
                  (long)p->pid);
    reap_later(p);
    finish(p, &exit);
}

static void time_is_up(void *data)
{
    mg_process *p = data;
    p->deadline = NULL;
    if (leader_ended(p)) { /* in time if we are not late */
        end(p, mg_loop_now_ms(p->loop));
        return;
    }
    p->timed_out = true;
    kill_group(p);
    p->deadline = mg_timer_start(p->loop, KILL_GRACE_MS, did_not_die, p);
}

/* --- Output --- */

static void pipe_ready(mg_process *p, int index)
{
    const ssize_t n = mg_fd_read(p->pipes[index], p->piece, PIECE);
    if (n > 0)
        (void)deliver(p, index, (size_t)n);
    if (n > 0 || (n < 0 && errno == EAGAIN))
        return;
    p->unread[index] = n < 0 ? errno : 0;
    forget_pipe(p, index);
}

static void stdout_ready(void *data, int ready)
{
    (void)ready;
    pipe_ready(data, 0);
}

static void stderr_ready(void *data, int ready)
{
    (void)ready;
    pipe_ready(data, 1);
}

/* --- The start --- */

/* A caller without stdin, stdout or stderr gets low numbers; the child needs those itself. */
static int above_stdio(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    const int kept = errno;
    (void)close(fd);
    errno = kept;
    return higher;
}

static mg_status open_pipe(int *ours, int *theirs, mg_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return mg_fail_errno(err, "a pipe for the output of a command");
    *ours = above_stdio(ends[0]);
    *theirs = above_stdio(ends[1]);
    if (*ours < 0 || *theirs < 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) < 0)
        return mg_fail_errno(err, "a pipe for the output of a command");
    return MG_OK;
}

/* Own group, default signals, nothing blocked: what a fresh login shell would give it. */
static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    int rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                POSIX_SPAWN_SETSIGMASK);
    rc = rc != 0 ? rc : posix_spawnattr_setpgroup(attr, 0);
    rc = rc != 0 ? rc : posix_spawnattr_setsigdefault(attr, &all);
    return rc != 0 ? rc : posix_spawnattr_setsigmask(attr, &none);
}

/* The directory first: its descriptor may be one that the others are put upon. */
static int set_actions(posix_spawn_file_actions_t *actions, int cwd, const int stdio[static 3])
{
    int rc = posix_spawn_file_actions_addfchdir_np(actions, cwd);
    for (int fd = 0; fd < 3 && rc == 0; fd++)
        rc = posix_spawn_file_actions_adddup2(actions, stdio[fd], fd);
    return rc != 0 ? rc : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int spawn(const char *path, const mg_process_options *o, const int stdio[static 3],
                 pid_t *pid)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawnattr_init(&attr);
    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0) {
        rc = set_attributes(&attr);
        rc = rc != 0 ? rc : set_actions(&actions, o->cwd, stdio);
        /* The two are const in all but name (POSIX, posix_spawn, rationale). */
        char *const *argv = (char *const *)(uintptr_t)o->argv;
        char *const *env = (char *const *)(uintptr_t)o->env;
        rc = rc != 0 ? rc : posix_spawn(pid, path, &actions, &attr, argv, env);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)posix_spawnattr_destroy(&attr);
    return rc;
}

static mg_status spawn_failed(int error, const char *name, mg_err *err)
{
    if (error == ENOENT) /* the program was there a moment ago */
        return mg_fail(err, MG_ERR_NOT_FOUND,
                       "program '%s' is there, but the interpreter that it names is not", name);
    errno = error;
    return mg_fail_errno(err, "program '%s' cannot be started", name);
}

/* Starts it with pipes; p->pid and p->pipes are set. */
static mg_status start_program(mg_process *p, const mg_process_options *o, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const char *path;
    MG_TRY(mg_program_find(o->argv[0], o->env, o->cwd, scratch, &path, err));
    MG_AUTO_FD in = above_stdio(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (in < 0)
        return mg_fail_errno(err, "'/dev/null'");
    MG_AUTO_FD out = -1;
    MG_AUTO_FD errors = -1;
    MG_TRY(open_pipe(&p->pipes[0], &out, err));
    MG_TRY(open_pipe(&p->pipes[1], &errors, err));
    const int rc = spawn(path, o, (const int[3]){in, out, errors}, &p->pid);
    return rc != 0 ? spawn_failed(rc, o->argv[0], err) : MG_OK;
}

static mg_status watch_program(mg_process *p, uint64_t timeout_ms, mg_err *err)
{
    static void (*const ready[2])(void *, int) = {stdout_ready, stderr_ready};
    for (int i = 0; i < 2; i++) {
        p->pipe_watches[i] = mg_watch_start(p->loop, p->pipes[i], MG_READABLE, ready[i], p, err);
        if (p->pipe_watches[i] == NULL)
            return MG_ERR_SYSTEM;
    }
    p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0) {
        if (errno != ECHILD)
            return mg_fail_errno(err, "process %ld cannot be waited for", (long)p->pid);
        close_fd(&p->pidfd); /* taken before we came: it may be a stranger's */
    }
    if (p->pidfd >= 0) {
        p->pid_watch = mg_watch_start(p->loop, p->pidfd, MG_READABLE, pid_ready, p, err);
        if (p->pid_watch == NULL)
            return MG_ERR_SYSTEM;
    } else { /* an old kernel, a filter that forbids it, or gone already */
        p->next_ask = mg_timer_start(p->loop, 0, ask_again, p);
    }
    p->started_ms = mg_loop_now_ms(p->loop);
    p->timeout_ms = timeout_ms;
    if (timeout_ms > 0)
        p->deadline = mg_timer_start(p->loop, timeout_ms, time_is_up, p);
    return MG_OK;
}

static void evict(void *process)
{
    mg_process_stop(process);
}

mg_status mg_process_start(mg_loop *loop, const mg_process_options *options, mg_process **out,
                           mg_err *err)
{
    mg_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        abort(); /* out of memory, as in the arena */
    p->loop = loop;
    p->pidfd = p->pipes[0] = p->pipes[1] = -1;
    p->output = options->output;
    p->ended = options->ended;
    p->data = options->data;
    p->tenant = (mg_tenant){.evict = evict, .data = p};
    mg_status s = start_program(p, options, err);
    if (s != MG_OK) {
        release(p);
        free(p);
        return s;
    }
    mg_loop_join(loop, &p->tenant);
    s = watch_program(p, options->timeout_ms, err);
    if (s != MG_OK) {
        mg_process_stop(p);
        return s;
    }
    *out = p;
    return MG_OK;
}

/* A killed process is gone in a moment; one that waits for a device is not worth hanging for.
 * False: it has not ended. */
static bool wait_until_dead(const mg_process *p)
{
    for (int waited = 0; waited < STOP_WAIT_MS; waited += ASK_EVERY_MS) {
        siginfo_t info = {0};
        const int rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG);
        if ((rc < 0 && errno != EINTR) || info.si_pid != 0)
            return true;
        struct pollfd ended = {.fd = p->pidfd, .events = POLLIN};
        (void)poll(&ended, p->pidfd >= 0, ASK_EVERY_MS);
    }
    return false;
}

void mg_process_stop(mg_process *p)
{
    if (p == NULL || p->stopped || p->over)
        return;
    kill_group(p);
    if (!wait_until_dead(p))
        reap_later(p);
    release(p);
    p->stopped = true;
    if (!p->calling)
        free(p);
}
