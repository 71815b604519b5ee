/* supervise.c - our side of mg-supervise: starts it, listens to it, and believes only it.
 *
 * What it says on the control socket (mg_supervise.c has the words) decides: only `done` makes the
 * end whole. A socket that closes before that means that the supervisor was killed, and by whom
 * is plain enough; then what can still be found of the program's session is killed here.
 */
#include "io/supervise.h"

#include "base/fs.h"
#include "io/input.h"
#include "io/output.h"
#include "io/proc_stat.h"
#include "io/program.h"
#include "io/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FDS = 6, /* stdin, stdout, stderr, the control socket, its own file, what it may hold */
    ITS_FILE = 4,
    WAKE_EVERY_MS = 1000,
    /* While it kills, the supervisor says so every second. One that is silent for longer was
     * stopped, and is killed. */
    SILENCE_MS = 15000,
    DRAIN_MAX_MS = 24 * 60 * 60 * 1000, /* as over there */
    WAIT_MS = 2000, /* for the end of a supervisor that has nothing left to do */
};

struct mg_supervised {
    mg_loop *loop;
    mg_tenant tenant;
    pid_t supervisor, program; /* 0: not started, not heard of yet */
    int pidfd, control;        /* of the supervisor; -1: none */
    mg_watch *control_watch;
    mg_timer *deadline, *silence, *wake;
    uint64_t drain_ms;
    bool timed_out, killing;
    bool program_over;   /* its end was told; `end.exit` has it */
    bool calling, freed; /* freed while calling: done when the callback returns */
    bool over;           /* its end is being told; there is nothing to stop any more */
    mg_supervised_end end;
    void (*output)(void *data, int stream, mg_str bytes);
    void (*ended)(void *data, const mg_supervised_end *end);
    void *data;
    mg_output pipes;
    char name[]; /* argv[0] */
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void signal_supervisor(const mg_supervised *s, int sig)
{
    if (s->pidfd >= 0 && syscall(SYS_pidfd_send_signal, s->pidfd, sig, NULL, 0) == 0)
        return;
    siginfo_t info = {0};
    if (s->supervisor > 0 &&
        waitid(P_PID, (id_t)s->supervisor, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        (void)kill(s->supervisor, sig);
}

/* Everything but the memory. The closed socket makes the supervisor end whatever is left. */
static void release(mg_supervised *s)
{
    mg_loop_leave(&s->tenant);
    mg_watch_stop(s->control_watch);
    mg_timer_stop(s->deadline);
    mg_timer_stop(s->silence);
    mg_timer_stop(s->wake);
    s->control_watch = NULL;
    s->deadline = s->silence = s->wake = NULL;
    mg_output_close(&s->pipes);
    close_fd(&s->control);
    if (s->supervisor > 0) {
        signal_supervisor(s, SIGCONT); /* the agent may have stopped it */
        if (!mg_child_wait(s->supervisor, s->pidfd, WAIT_MS))
            mg_child_reap_later(s->supervisor);
    }
    s->supervisor = 0;
    close_fd(&s->pidfd);
}

/* --- The end --- */

static bool deliver(void *data, int stream, mg_str bytes)
{
    mg_supervised *s = data;
    if (s->output == NULL)
        return true;
    s->calling = true;
    s->output(s->data, stream, bytes);
    s->calling = false;
    if (!s->freed)
        return true;
    free(s);
    return false;
}

static bool listen_to_supervisor(mg_supervised *s);

/* Says how it was; what is not known stays unknown. */
static void finish(mg_supervised *s)
{
    /* What the output tells may make the caller stop us; it is over all the same. */
    if (!mg_output_finish(&s->pipes))
        return;
    mg_supervised_end *end = &s->end;
    if (!s->program_over && end->exit.how == MG_PROCESS_LOST && end->exit.why.code == MG_OK)
        (void)mg_fail(&end->exit.why, MG_ERR_SYSTEM,
                      "how '%s' ended is not known: its supervisor did not say it", s->name);
    if (s->timed_out)
        end->exit.how = MG_PROCESS_TIMED_OUT;
    memcpy(end->exit.unread, s->pipes.unread, sizeof end->exit.unread);
    release(s);
    s->over = true;
    s->ended(s->data, end);
    free(s);
}

/* Of a program whose supervisor is gone. Whoever left its session is not found any more, which is
 * why such an end is never whole. */
static void kill_what_is_found(const mg_supervised *s)
{
    mg_proc_stat stranger;
    /* Waited for, the number may be somebody else's by now, though not while the session lives. */
    if (s->program > 0 && !(s->program_over && mg_proc_stat_read(s->program, &stranger)))
        mg_session_kill(s->program);
}

static void supervisor_is_gone(mg_supervised *s)
{
    struct pollfd dead = {.fd = s->pidfd, .events = POLLIN}; /* the socket closes a bit earlier */
    (void)poll(&dead, s->pidfd >= 0, WAIT_MS);
    siginfo_t info = {0};
    const int rc = waitid(P_PID, (id_t)s->supervisor, &info, WEXITED | WNOHANG | WNOWAIT);
    const bool killed = rc == 0 && info.si_pid != 0 && info.si_code != CLD_EXITED;
    kill_what_is_found(s);
    (void)mg_fail(&s->end.why, MG_ERR_SYSTEM,
                  "the supervisor of '%s' (mg-supervise, process %ld) was %s before it had "
                  "seen the end of every process; some may still run and change files",
                  s->name, (long)s->supervisor,
                  killed ? "killed by a signal, perhaps by what it supervised," : "gone");
    finish(s);
}

static void supervisor_is_silent(void *data)
{
    mg_supervised *s = data;
    s->silence = NULL;
    if (!listen_to_supervisor(s))
        return; /* it did, and we are late */
    signal_supervisor(s, SIGKILL);
    (void)mg_child_wait(s->supervisor, s->pidfd, WAIT_MS);
    kill_what_is_found(s);
    (void)mg_fail(&s->end.why, MG_ERR_SYSTEM,
                  "the supervisor of '%s' (mg-supervise, process %ld) did not answer, and was "
                  "killed; some processes may still run and change files",
                  s->name, (long)s->supervisor);
    finish(s);
}

/* From now on the supervisor has to come to an end. */
static void expect_end(mg_supervised *s, uint64_t within_ms)
{
    mg_timer_stop(s->silence);
    s->silence = mg_timer_start(s->loop, within_ms, supervisor_is_silent, s);
}

/* --- What the supervisor says --- */

static void say_started(mg_supervised *s, int pid)
{
    s->program = pid;
}

static void say_failed(mg_supervised *s, int error)
{
    s->program_over = true;
    if (error == ENOENT) { /* the program was there a moment ago */
        (void)mg_fail(&s->end.exit.why, MG_ERR_NOT_FOUND,
                      "program '%s' is there, but the interpreter that it names is not", s->name);
        return;
    }
    errno = error;
    (void)mg_fail_errno(&s->end.exit.why, "program '%s' cannot be started", s->name);
}

static void program_ended(mg_supervised *s, mg_process_end how, int code)
{
    s->program_over = true;
    s->end.exit.how = how;
    s->end.exit.code = code;
    mg_timer_stop(s->deadline);
    s->deadline = NULL;
    expect_end(s, SILENCE_MS);
}

static void say_exited(mg_supervised *s, int code)
{
    program_ended(s, MG_PROCESS_EXITED, code);
}

static void say_signalled(mg_supervised *s, int sig)
{
    program_ended(s, MG_PROCESS_SIGNALLED, sig);
}

static void say_killing(mg_supervised *s, int pid)
{
    (void)pid;
    expect_end(s, SILENCE_MS);
}

static void say_done(mg_supervised *s, int leftovers)
{
    s->end.whole = true;
    s->end.leftovers = (unsigned)leftovers;
    finish(s);
}

static void say_stuck(mg_supervised *s, int pid)
{
    (void)mg_fail(&s->end.why, MG_ERR_SYSTEM,
                  "process %d of '%s' could not be killed (it may belong to another user, or "
                  "wait for a device) and may still change files",
                  pid, s->name);
    finish(s);
}

static const struct {
    const char *word;
    void (*said)(mg_supervised *s, int number);
    bool last; /* s is gone afterwards */
} words[] = {
    {"started ", say_started, false}, {"failed ", say_failed, false},
    {"exited ", say_exited, false},   {"signalled ", say_signalled, false},
    {"killing ", say_killing, false}, {"done ", say_done, true},
    {"stuck ", say_stuck, true},
};

/* False: it was the last word, and s is gone. */
static bool understand(mg_supervised *s, const char *line)
{
    for (size_t i = 0; i < MG_COUNT(words); i++) {
        const size_t len = strlen(words[i].word);
        if (strncmp(line, words[i].word, len) == 0) {
            words[i].said(s, (int)strtol(line + len, NULL, 10));
            return !words[i].last;
        }
    }
    return true; /* a newer supervisor says more; only `done` is believed to be the end */
}

/* Everything that was said until now. False: s is gone. */
static bool listen_to_supervisor(mg_supervised *s)
{
    for (;;) {
        char line[64];
        const ssize_t n = recv(s->control, line, sizeof line - 1, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return true;
        if (n <= 0) {
            supervisor_is_gone(s);
            return false;
        }
        line[n] = '\0';
        if (!understand(s, line))
            return false;
    }
}

static void control_ready(void *data, int ready)
{
    (void)ready;
    (void)listen_to_supervisor(data);
}

/* --- What we say --- */

static void tell(mg_supervised *s, const char *line)
{
    (void)send(s->control, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
    signal_supervisor(s, SIGCONT); /* the agent may have stopped it */
}

/* An agent that stops its supervisor and ends would keep us until the time is up, for nobody says
 * that it ended. No descriptor tells of a stopped process, but one signal a second costs nothing,
 * and one that runs does not notice it: it has them all blocked. */
static void keep_awake(void *data)
{
    mg_supervised *s = data;
    signal_supervisor(s, SIGCONT);
    s->wake = mg_timer_start(s->loop, WAKE_EVERY_MS, keep_awake, s);
}

static void stop(mg_supervised *s)
{
    tell(s, "stop\n");
    expect_end(s, 2 * s->drain_ms + SILENCE_MS);
}

static void time_is_up(void *data)
{
    mg_supervised *s = data;
    s->deadline = NULL;
    if (!listen_to_supervisor(s) || s->program_over || s->end.stopped)
        return; /* it was in time, and we are late */
    s->timed_out = true;
    stop(s);
}

void mg_supervised_stop(mg_supervised *s)
{
    if (s == NULL || s->over || s->freed || s->program_over || s->timed_out || s->end.stopped)
        return;
    s->end.stopped = true;
    stop(s);
}

void mg_supervised_kill(mg_supervised *s)
{
    if (s == NULL || s->over || s->freed || s->killing)
        return;
    s->killing = true;
    s->end.stopped = s->end.stopped || !(s->program_over || s->timed_out);
    tell(s, "kill\n");
    expect_end(s, SILENCE_MS);
}

void mg_supervised_free(mg_supervised *s)
{
    if (s == NULL || s->freed || s->over)
        return;
    siginfo_t info = {0};
    if (s->supervisor > 0 &&
        waitid(P_PID, (id_t)s->supervisor, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0)
        kill_what_is_found(s); /* killed behind our back */
    release(s);
    s->freed = true;
    if (!s->calling)
        free(s);
}

/* --- The start --- */

static mg_status open_control(int *ours, int *theirs, mg_err *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return mg_fail_errno(err, "a socket to the supervisor");
    *ours = mg_fd_above(ends[0], FDS);
    *theirs = mg_fd_above(ends[1], FDS);
    return *ours >= 0 && *theirs >= 0 ? MG_OK : mg_fail_errno(err, "a socket to the supervisor");
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* The file itself, for what its path leads to may change between the look and exec(2). Whoever
 * writes into it cannot set its ctime back. */
static mg_status open_supervisor(const mg_supervisor *it, int *out, mg_err *err)
{
    struct stat now;
    MG_AUTO_FD fd = mg_fd_above(open(it->path, O_PATH | O_CLOEXEC), FDS);
    if (fd < 0 || fstat(fd, &now) < 0) {
        (void)mg_fail_errno(err, "the supervisor '%s' cannot be started", it->path);
        return MG_ERR_UNAVAILABLE;
    }
    if (now.st_dev != it->is.st_dev || now.st_ino != it->is.st_ino ||
        now.st_size != it->is.st_size || now.st_mode != it->is.st_mode ||
        !same_time(now.st_mtim, it->is.st_mtim) || !same_time(now.st_ctim, it->is.st_ctim))
        return mg_fail(
            err, MG_ERR_DENIED,
            "the supervisor '%s' is not the file it was when makegood began, and was not "
            "run; if makegood was upgraded meanwhile, start it again, and if not, "
            "install it anew where the agent cannot write",
            it->path);
    *out = mg_fd_take(&fd);
    return MG_OK;
}

/* mg-supervise DRAIN_MS PATH ARGV... */
static const char *const *supervisor_argv(const mg_supervise_options *o, const char *path,
                                          mg_arena *arena)
{
    size_t count = 0;
    while (o->argv[count] != NULL)
        count++;
    const char **argv = mg_new_array(arena, const char *, count + 4);
    argv[0] = "mg-supervise";
    argv[1] = mg_strf(arena, "%" PRIu64, o->drain_ms).ptr;
    argv[2] = path;
    for (size_t i = 0; i < count; i++)
        argv[3 + i] = o->argv[i];
    argv[3 + count] = NULL;
    return argv;
}

/* Starts the supervisor; s->supervisor, s->control and s->pipes are set. */
static mg_status start_supervisor(mg_supervised *s, const mg_supervise_options *o, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const char *path;
    MG_TRY(mg_program_find(o->argv[0], o->env, o->cwd, scratch, &path, err));
    MG_AUTO_FD file = -1;
    MG_TRY(open_supervisor(o->supervisor, &file, err));
    MG_AUTO_FD in = -1;
    MG_TRY(mg_input_open(o->input, FDS, &in, err));
    int theirs[2];
    const mg_status opened = mg_output_open(&s->pipes, FDS, theirs, err);
    MG_AUTO_FD out = theirs[0];
    MG_AUTO_FD errors = theirs[1];
    MG_TRY(opened);
    MG_AUTO_FD control = -1;
    MG_TRY(open_control(&s->control, &control, err));
    MG_AUTO_FD hold = o->hold > 0 ? fcntl(o->hold, F_DUPFD_CLOEXEC, FDS) : -1;
    if (o->hold > 0 && hold < 0)
        return mg_fail_errno(err, "a descriptor for the supervisor to hold");
    const mg_spawn_options options = {
        .path = mg_strf(scratch, "/proc/self/fd/%d", ITS_FILE).ptr, /* of the child */
        .argv = supervisor_argv(o, path, scratch),
        .env = o->env,
        .cwd = o->cwd,
        .fds = (const int[FDS]){in, out, errors, control, [ITS_FILE] = file, hold},
        .fd_count = hold >= 0 ? FDS : FDS - 1,
    };
    const int rc = mg_spawn(&options, &s->supervisor);
    if (rc == 0)
        return MG_OK;
    s->supervisor = 0;
    errno = rc;
    (void)mg_fail_errno(err, "the supervisor '%s' cannot be started", o->supervisor->path);
    return rc == ENOENT || rc == EACCES ? MG_ERR_UNAVAILABLE : mg_status_of_errno(rc);
}

static mg_status watch_supervisor(mg_supervised *s, uint64_t timeout_ms, mg_err *err)
{
    s->pidfd = (int)syscall(SYS_pidfd_open, s->supervisor, 0);
    MG_TRY(mg_output_watch(&s->pipes, err));
    s->control_watch = mg_watch_start(s->loop, s->control, MG_READABLE, control_ready, s, err);
    if (s->control_watch == NULL)
        return MG_ERR_SYSTEM;
    if (timeout_ms > 0)
        s->deadline = mg_timer_start(s->loop, timeout_ms, time_is_up, s);
    s->wake = mg_timer_start(s->loop, WAKE_EVERY_MS, keep_awake, s);
    return MG_OK;
}

static void evict(void *supervised)
{
    mg_supervised_free(supervised);
}

static mg_supervised *supervised_new(mg_loop *loop, const mg_supervise_options *o)
{
    const mg_str name = mg_str_of(o->argv[0] != NULL ? o->argv[0] : "");
    mg_supervised *s = calloc(1, sizeof *s + name.len + 1);
    if (s == NULL)
        abort(); /* out of memory, as in the arena */
    memcpy(s->name, name.ptr, name.len);
    s->loop = loop;
    s->pidfd = s->control = -1;
    s->drain_ms = MG_MIN(o->drain_ms, (uint64_t)DRAIN_MAX_MS);
    s->output = o->output;
    s->ended = o->ended;
    s->data = o->data;
    s->tenant = (mg_tenant){.evict = evict, .data = s};
    mg_output_init(&s->pipes, loop, deliver, s);
    return s;
}

mg_status mg_supervise_start(mg_loop *loop, const mg_supervise_options *options,
                             mg_supervised **out, mg_err *err)
{
    mg_supervised *s = supervised_new(loop, options);
    mg_status status = start_supervisor(s, options, err);
    if (status == MG_OK) {
        mg_loop_join(loop, &s->tenant);
        status = watch_supervisor(s, options->timeout_ms, err);
    }
    if (status != MG_OK) {
        mg_supervised_free(s);
        return status;
    }
    *out = s;
    return MG_OK;
}
