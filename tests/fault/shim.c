/* shim.c - makes the n-th system call of a sort fail, for tests; loaded with LD_PRELOAD.
 *
 *     MG_FAULT=read:3:5      the third read fails with errno 5 (EIO)
 *     MG_FAULT_LOG=FILE      a line is added when the fault was struck; of a pipe it says which,
 *                            counted from the one made last, and how many reads it had before
 *
 * Children do not inherit the fault: what is tested is how makegood takes it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static char wanted[32];
static long countdown;
static int error_number;
static int log_fd = -1;

enum { FDS = 1024 };
static int pipes_made, pipe_of[FDS], reads_of[FDS]; /* by the number of the end that is read */

__attribute__((constructor)) static void prepare(void)
{
    const char *fault = getenv("MG_FAULT"), *log = getenv("MG_FAULT_LOG");
    if (fault == NULL ||
        sscanf(fault, "%31[a-z0-9_]:%ld:%d", wanted, &countdown, &error_number) != 3)
        countdown = 0;
    if (log != NULL)
        log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                              0666);
    (void)unsetenv("LD_PRELOAD");
    (void)unsetenv("MG_FAULT");
    (void)unsetenv("MG_FAULT_LOG");
}

/* Whether this call, of descriptor fd or -1, is the one that fails. */
static bool strikes_fd(const char *name, int fd)
{
    const bool known = fd >= 0 && fd < FDS && pipe_of[fd] > 0;
    const int reads = known ? reads_of[fd] : 0;
    if (countdown <= 0 || strcmp(name, wanted) != 0 || --countdown > 0)
        return false;
    char line[80];
    const int len = known ? snprintf(line, sizeof line, "struck pipe %d after %d\n",
                                     pipes_made - pipe_of[fd] + 1, reads)
                          : snprintf(line, sizeof line, "struck\n");
    if (log_fd >= 0)
        (void)!syscall(SYS_write, log_fd, line, (size_t)len);
    errno = error_number;
    return true;
}

static bool strikes(const char *name)
{
    return strikes_fd(name, -1);
}

#define REAL(type, name) (__extension__(type) dlsym(RTLD_NEXT, name))

ssize_t read(int fd, void *to, size_t bytes)
{
    if (strikes_fd("read", fd))
        return -1;
    if (fd >= 0 && fd < FDS)
        reads_of[fd]++;
    return syscall(SYS_read, fd, to, bytes);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return strikes("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return strikes("open") ? -1 : (int)syscall(SYS_openat, dir, path, flags, mode);
}

int fstat(int fd, struct stat *out)
{
    typedef int (*fn)(int, struct stat *);
    return strikes("stat") ? -1 : REAL(fn, "fstat")(fd, out);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *const argument = va_arg(args, void *);
    va_end(args);
    return request == FIONREAD && strikes_fd("fionread", fd)
               ? -1
               : (int)syscall(SYS_ioctl, fd, request, argument);
}

int pipe2(int fds[2], int flags)
{
    if (strikes("pipe"))
        return -1;
    const int rc = (int)syscall(SYS_pipe2, fds, flags);
    if (rc == 0 && fds[0] < FDS) {
        pipe_of[fds[0]] = ++pipes_made;
        reads_of[fds[0]] = 0;
    }
    return rc;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const env[])
{
    typedef int (*fn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                      const posix_spawnattr_t *, char *const[], char *const[]);
    if (strikes("fork"))
        return error_number;
    return REAL(fn, "posix_spawn")(pid, path, actions, attributes, argv, env);
}

pid_t fork(void)
{
    typedef pid_t (*fn)(void);
    return strikes("fork") ? -1 : REAL(fn, "fork")();
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    typedef int (*fn)(idtype_t, id_t, siginfo_t *, int);
    return strikes("wait") ? -1 : REAL(fn, "waitid")(type, id, info, options);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    typedef pid_t (*fn)(pid_t, int *, int);
    return strikes("wait") ? -1 : REAL(fn, "waitpid")(pid, status, options);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    return strikes("write") ? -1 : syscall(SYS_write, fd, from, bytes);
}

/* openat2 and pidfd_open have no wrapper in this libc: they come through here. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    va_list args;
    va_start(args, number);
    const long a = va_arg(args, long), b = va_arg(args, long), c = va_arg(args, long);
    const long d = va_arg(args, long), e = va_arg(args, long), f = va_arg(args, long);
    va_end(args);
    if (real == NULL)
        real = __extension__(long (*)(long, ...)) dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_openat2 && strikes("open"))
        return -1;
    if (number == SYS_pidfd_open && strikes("pidfd"))
        return -1;
    return real(number, a, b, c, d, e, f);
}
