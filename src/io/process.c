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
#include "io/output.h"
#include "io/program.h"
#include "io/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ASK_EVERY_MS = 10, /* without a pidfd */
    KILL_GRACE_MS = 5000,
    STOP_WAIT_MS = 2000,
    LATE_MS = 100, /* so much, and a tenth of the timeout, we may be late ourselves */
};

#ifndef PIDFD_SIGNAL_PROCESS_GROUP /* Linux 6.9; older headers do not know it */
#define PIDFD_SIGNAL_PROCESS_GROUP (1UL << 2)
#endif

struct mg_process {
    mg_loop *loop;
    mg_tenant tenant;
    pid_t pid;
    int pidfd; /* -1: the kernel has none */
    mg_watch *pid_watch;
    mg_timer *deadline, *next_ask;
    uint64_t started_ms, timeout_ms; /* on the loop's clock; 0: no timeout */
    bool timed_out;
    bool calling, stopped; /* stopped while calling: freed when the callback returns */
    bool over;             /* its end is being told; there is nothing to stop any more */
    void (*output)(void *data, int stream, mg_str bytes);
    void (*ended)(void *data, const mg_process_exit *exit);
    void *data;
    mg_output pipes;
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
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
    mg_output_close(&p->pipes);
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
static bool deliver(void *data, int stream, mg_str bytes)
{
    mg_process *p = data;
    if (p->output == NULL)
        return true;
    p->calling = true;
    p->output(p->data, stream, bytes);
    p->calling = false;
    if (!p->stopped)
        return true;
    free(p);
    return false;
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
    if (!mg_output_finish(&p->pipes))
        return;
    mg_process_exit exit = {0};
    reap(p, &exit);
    memcpy(exit.unread, p->pipes.unread, sizeof exit.unread);
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

static void did_not_die(void *data)
{
    mg_process *p = data;
    mg_process_exit exit = {.how = MG_PROCESS_LOST};
    p->deadline = NULL;
    (void)mg_fail(&exit.why, MG_ERR_SYSTEM,
                  "the time was up, but process %ld could not be killed (it may belong to another "
                  "user, or wait for a device)",
                  (long)p->pid);
    mg_child_reap_later(p->pid);
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

/* --- The start --- */

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
    MG_AUTO_FD in = mg_fd_above(open("/dev/null", O_RDONLY | O_CLOEXEC), 3);
    if (in < 0)
        return mg_fail_errno(err, "'/dev/null'");
    int theirs[2];
    const mg_status opened = mg_output_open(&p->pipes, 3, theirs, err);
    MG_AUTO_FD out = theirs[0];
    MG_AUTO_FD errors = theirs[1];
    MG_TRY(opened);
    const mg_spawn_options options = {
        .path = path,
        .argv = o->argv,
        .env = o->env,
        .cwd = o->cwd,
        .fds = (const int[3]){in, out, errors},
        .fd_count = 3,
    };
    const int rc = mg_spawn(&options, &p->pid);
    return rc != 0 ? spawn_failed(rc, o->argv[0], err) : MG_OK;
}

static mg_status watch_program(mg_process *p, uint64_t timeout_ms, mg_err *err)
{
    MG_TRY(mg_output_watch(&p->pipes, err));
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
    p->pidfd = -1;
    mg_output_init(&p->pipes, loop, deliver, p);
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

void mg_process_stop(mg_process *p)
{
    if (p == NULL || p->stopped || p->over)
        return;
    kill_group(p);
    if (!mg_child_wait(p->pid, p->pidfd, STOP_WAIT_MS))
        mg_child_reap_later(p->pid);
    release(p);
    p->stopped = true;
    if (!p->calling)
        free(p);
}
