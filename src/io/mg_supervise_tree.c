/* mg_supervise_tree.c - finding every descendant while it tries not to be found.
 *
 * As we are a subreaper, whoever loses its parent becomes our child: the tree beneath us is whole
 * at every moment. A walk through /proc is not, so it is repeated until it finds nobody new. To
 * send SIGSTOP first is what lets that come to an end: fork(2) is refused to a process with a
 * signal pending, so from then on a process has all the children it will ever have; and nothing
 * dies meanwhile, so a fork bomb at its process limit finds no free place.
 *
 * A number read from /proc may be a stranger's a moment later. So a process is held by a pidfd,
 * and signalled only if its parent is one of ours.
 *
 * Memory is fixed. Where there are more processes than fit, those found are killed, their children
 * become ours, and the next round finds them.
 */
#include "io/mg_supervise_tree.h"

#include "io/proc_stat.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

enum {
    PID_LIMIT = 1 << 22, /* the kernel's PID_MAX_LIMIT */
    FOUND_MAX = 1 << 15,
    PASSES = 256,
    POLITE_MS = 200, /* a signal that stops nobody from forking is not sent around for ever */
};

static pid_t self;
static bool scan_all;
static uint8_t known[PID_LIMIT / 8];
static pid_t found[FOUND_MAX];
static size_t found_count;
static unsigned alive_count;
static uint64_t until_ms; /* no new ones after that; 0: for ever */

static bool is_known(pid_t pid)
{
    return pid > 0 && pid < PID_LIMIT && (known[pid / 8] >> (pid % 8) & 1) != 0;
}

static bool is_ours(pid_t parent)
{
    return parent == self || is_known(parent);
}

/* Its state, or 0 if it is gone or not ours; '?' where /proc hides it. */
static char send_signal(pid_t pid, int sig)
{
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0 && errno == ESRCH)
        return 0;
    mg_proc_stat stat;
    const bool seen = mg_proc_stat_read(pid, &stat);
    const char state = !seen ? '?' : (char)(is_ours(stat.parent) ? stat.state : 0);
    if (state != 0 && (fd < 0 || (syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0) < 0 &&
                                  (errno == ENOSYS || errno == EINVAL))))
        (void)kill(pid, sig);
    if (fd >= 0)
        (void)close(fd);
    return state;
}

static uint64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void take(pid_t pid, int sig)
{
    if (pid <= 0 || pid >= PID_LIMIT || is_known(pid) || found_count == FOUND_MAX ||
        (until_ms != 0 && now_ms() > until_ms))
        return;
    const char state = send_signal(pid, sig);
    if (state == 0)
        return;
    known[pid / 8] |= (uint8_t)(1 << (pid % 8));
    found[found_count++] = pid;
    alive_count += state != 'Z';
}

/* Numbers with a space after each, as the kernel writes them. */
static void take_from(int fd, int sig)
{
    char text[4096];
    long pid = 0;
    ssize_t n;
    while ((n = read(fd, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
                continue;
            }
            take((pid_t)pid, sig);
            pid = 0;
        }
    }
}

/* Every thread has children of its own. */
static void take_children(pid_t parent, int sig)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
    DIR *threads = opendir(path);
    if (threads == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(threads)) != NULL) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0)
            continue;
        (void)snprintf(path, sizeof path, "%ld/children", thread);
        const int fd = openat(dirfd(threads), path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        take_from(fd, sig);
        (void)close(fd);
    }
    (void)closedir(threads);
}

static void pass_by_children(int sig)
{
    take_children(self, sig);
    for (size_t i = 0; i < found_count; i++)
        take_children(found[i], sig);
}

/* Where the kernel was built without `children`. */
static void pass_by_parents(int sig)
{
    DIR *all = opendir("/proc");
    if (all == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(all)) != NULL) {
        mg_proc_stat stat;
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && mg_proc_stat_read(pid, &stat) && is_ours(stat.parent))
            take(pid, sig);
    }
    (void)closedir(all);
}

static void find_all(int sig, pid_t child)
{
    memset(known, 0, sizeof known);
    found_count = 0;
    alive_count = 0;
    take(child, sig);
    for (int i = 0; i < PASSES; i++) {
        const size_t before = found_count;
        (scan_all ? pass_by_parents : pass_by_children)(sig);
        if (found_count == before)
            break;
    }
}

void tree_init(bool scan)
{
    self = getpid();
    scan_all = scan || access("/proc/thread-self/children", R_OK) != 0;
}

unsigned tree_signal(int sig, pid_t child)
{
    until_ms = now_ms() + POLITE_MS;
    find_all(sig, child);
    return alive_count;
}

pid_t tree_kill(pid_t child)
{
    pid_t one = 0;
    until_ms = 0;
    find_all(SIGSTOP, child);
    for (size_t i = 0; i < found_count; i++) {
        const char state = send_signal(found[i], SIGKILL);
        if (state != 0 && state != 'Z')
            one = found[i];
    }
    return one;
}
