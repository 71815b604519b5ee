/* spawn.c - posix_spawn with our attributes, and the waiting that must not hang. */
#include "io/spawn.h"

#include "io/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ASK_EVERY_MS = 10, /* without a pidfd */
    SESSION_PASSES = 50,
};

int mg_fd_above(int fd, int lowest)
{
    if (fd < 0 || fd >= lowest)
        return fd;
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    const int kept = errno;
    (void)close(fd);
    errno = kept;
    return higher;
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
static int set_actions(posix_spawn_file_actions_t *actions, const mg_spawn_options *o)
{
    int rc = posix_spawn_file_actions_addfchdir_np(actions, o->cwd);
    for (int fd = 0; fd < o->fd_count && rc == 0; fd++)
        rc = posix_spawn_file_actions_adddup2(actions, o->fds[fd], fd);
    return rc != 0 ? rc : posix_spawn_file_actions_addclosefrom_np(actions, o->fd_count);
}

int mg_spawn(const mg_spawn_options *o, pid_t *pid)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t actions;
    int rc = posix_spawnattr_init(&attr);
    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_init(&actions);
    if (rc == 0) {
        rc = set_attributes(&attr);
        rc = rc != 0 ? rc : set_actions(&actions, o);
        /* The two are const in all but name (POSIX, posix_spawn, rationale). */
        char *const *argv = (char *const *)(uintptr_t)o->argv;
        char *const *env = (char *const *)(uintptr_t)o->env;
        rc = rc != 0 ? rc : posix_spawn(pid, o->path, &actions, &attr, argv, env);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    (void)posix_spawnattr_destroy(&attr);
    return rc;
}

bool mg_child_wait(pid_t pid, int pidfd, int wait_ms)
{
    for (int waited = 0; waited < wait_ms; waited += ASK_EVERY_MS) {
        siginfo_t info = {0};
        const int rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG);
        if ((rc < 0 && errno != EINTR) || info.si_pid != 0)
            return true;
        struct pollfd ended = {.fd = pidfd, .events = POLLIN};
        (void)poll(&ended, pidfd >= 0, ASK_EVERY_MS);
    }
    return false;
}

static void *wait_on_a_thread(void *pid)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)(uintptr_t)pid, &info, WEXITED) < 0 && errno == EINTR)
        ;
    return NULL;
}

void mg_child_reap_later(pid_t pid)
{
    sigset_t all, before;
    pthread_t thread;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the embedder's signals are not for it */
    if (pthread_create(&thread, NULL, wait_on_a_thread, (void *)(uintptr_t)pid) == 0)
        (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* One pass through /proc; whether anybody was there. */
static bool session_kill_once(pid_t leader)
{
    bool found = false;
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    while (all != NULL && (entry = readdir(all)) != NULL) {
        mg_proc_stat stat;
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || !mg_proc_stat_read(pid, &stat) || stat.state == 'Z' ||
            (stat.session != leader && stat.group != leader))
            continue;
        found = kill(pid, SIGKILL) == 0 || found;
    }
    if (all != NULL)
        (void)closedir(all);
    return found;
}

void mg_session_kill(pid_t leader)
{
    for (int pass = 0; pass < SESSION_PASSES && session_kill_once(leader); pass++)
        ;
}
