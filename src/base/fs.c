/* fs.c - opening beneath a root, and reading with bounds. */
#include "base/fs.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

void mg_fd_auto_close(int *fd)
{
    if (*fd >= 0) {
        const int kept = errno; /* closing must not change what the caller is about to report */
        (void)close(*fd);
        errno = kept;
    }
}

/* A path for the kernel: NUL-terminated, without a NUL inside, not absolute. */
static int as_c_path(mg_str path, char out[static PATH_MAX])
{
    if (path.len >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (path.len == 0 || memchr(path.ptr, '\0', path.len) != NULL) {
        errno = path.len == 0 ? ENOENT : EINVAL;
        return -1;
    }
    memcpy(out, path.ptr, path.len);
    out[path.len] = '\0';
    return 0;
}

int mg_open_beneath(int root, mg_str path, int flags)
{
    char p[PATH_MAX];
    if (as_c_path(path, p) < 0)
        return -1;
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC),
        .mode = (flags & O_CREAT) != 0 ? 0666 : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    for (int tries = 0; tries < 16; tries++) {
        const long fd = syscall(SYS_openat2, root, p, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        /* EAGAIN: something was renamed while the kernel looked for ".."; ask again. */
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    /* EPERM: a seccomp filter that knows no openat2 (older containers) answers so. EAGAIN: the
     * machine renames faster than we look. The walk then gives the true answer, a refusal
     * included. */
    if (errno == ENOSYS || errno == EPERM || errno == EAGAIN)
        return mg_open_beneath_walk(root, path, flags);
    return -1;
}

/* --- The walk: the same answer where the kernel cannot give it --- */

enum { LINKS_MAX = 40, DEPTH_MAX = 256 };

typedef struct walk {
    int dirs[DEPTH_MAX]; /* open directories from root downwards; dirs[0] is root, not ours */
    size_t depth;
    char rest[2 * PATH_MAX]; /* what is still to be walked */
    int links;
} walk;

static void walk_done(walk *w)
{
    const int kept = errno;
    while (w->depth > 1)
        (void)close(w->dirs[--w->depth]);
    errno = kept;
}

/* Sets errno and returns -1, as the calls around it do. */
static int walk_fail(int error)
{
    errno = error;
    return -1;
}

/* Cuts the next component off w->rest; "" when nothing is left. */
static const char *next_part(walk *w, char part[static NAME_MAX + 1], bool *last, bool *slash)
{
    const char *p = w->rest;
    while (*p == '/')
        p++;
    const size_t len = strcspn(p, "/");
    if (len > NAME_MAX)
        return NULL;
    memcpy(part, p, len);
    part[len] = '\0';
    p += len;
    *slash = *p == '/';
    while (*p == '/')
        p++;
    *last = *p == '\0';
    memmove(w->rest, p, strlen(p) + 1);
    return part;
}

/* Puts the target of a link in front of what is left. */
static int splice_link(walk *w, int at, const char *part, bool slash)
{
    char target[PATH_MAX];
    if (++w->links > LINKS_MAX)
        return walk_fail(ELOOP);
    const ssize_t len = readlinkat(at, part, target, sizeof target - 1);
    if (len < 0)
        return -1;
    target[len] = '\0';
    if (target[0] == '/')
        return walk_fail(EXDEV);
    const size_t rest = strlen(w->rest);
    if ((size_t)len + 1 + rest + 1 > sizeof w->rest)
        return walk_fail(ENAMETOOLONG);
    const size_t sep = rest > 0 || slash ? 1 : 0;
    memmove(w->rest + len + sep, w->rest, rest + 1);
    memcpy(w->rest, target, (size_t)len);
    if (sep > 0)
        w->rest[len] = '/';
    return 0;
}

static int step_up(walk *w)
{
    if (w->depth == 1)
        return walk_fail(EXDEV);
    struct stat st; /* the kernel asks for the right to search a directory before it leaves it */
    if (fstatat(w->dirs[w->depth - 1], "..", &st, 0) < 0)
        return -1;
    (void)close(w->dirs[--w->depth]);
    return 0;
}

static int step_down(walk *w, const char *part)
{
    if (w->depth == DEPTH_MAX)
        return walk_fail(ENAMETOOLONG);
    const int dir =
        openat(w->dirs[w->depth - 1], part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;
    w->dirs[w->depth++] = dir;
    return 0;
}

static int walk_open(walk *w, int flags)
{
    const bool link_is_last =
        (flags & O_NOFOLLOW) != 0 || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    for (;;) {
        char part[NAME_MAX + 1];
        bool last, slash;
        if (next_part(w, part, &last, &slash) == NULL)
            return walk_fail(ENAMETOOLONG);
        const int at = w->dirs[w->depth - 1];
        if (part[0] == '\0' || strcmp(part, ".") == 0) {
            if (last)
                return openat(at, ".", flags | O_CLOEXEC);
            continue;
        }
        if (strcmp(part, "..") == 0) {
            if (step_up(w) < 0)
                return -1;
            if (last)
                return openat(w->dirs[w->depth - 1], ".", flags | O_CLOEXEC);
            continue;
        }
        struct stat st;
        const bool there = fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW) == 0;
        if (!there && (errno != ENOENT || !(flags & O_CREAT) || !last))
            return -1;
        if (there && S_ISLNK(st.st_mode) && !(last && !slash && link_is_last)) {
            if (splice_link(w, at, part, slash) < 0)
                return -1;
            continue;
        }
        if (last) /* O_NOFOLLOW: were it swapped for a link just now, the answer is ELOOP */
            return openat(at, part, flags | (slash ? O_DIRECTORY : 0) | O_NOFOLLOW | O_CLOEXEC,
                          0666);
        if (step_down(w, part) < 0)
            return -1;
    }
}

int mg_open_beneath_walk(int root, mg_str path, int flags)
{
    walk w = {.dirs = {root}, .depth = 1};
    char p[PATH_MAX];
    if (as_c_path(path, p) < 0)
        return -1;
    if (p[0] == '/')
        return walk_fail(EXDEV);
    memcpy(w.rest, p, path.len + 1);
    const int fd = walk_open(&w, flags);
    walk_done(&w);
    return fd;
}

/* --- Reading and writing --- */

const char *mg_file_type(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a regular file";
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFCHR:
    case S_IFBLK:
        return "a device";
    case S_IFLNK:
        return "a symbolic link";
    default:
        return "of an unknown type";
    }
}

mg_status mg_file_stat(int root, mg_str path, struct stat *out, mg_err *err)
{
    MG_AUTO_FD fd = mg_open_beneath(root, path, O_PATH);
    if (fd < 0)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(path));
    struct stat st;
    if (fstat(fd, &st) < 0)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(path));
    *out = st;
    return MG_OK;
}

mg_status mg_file_open(int root, mg_str path, int *out, struct stat *st_out, mg_err *err)
{
    /* O_NONBLOCK: a FIFO left there must not hang us. O_NOCTTY: nor a terminal adopt us. */
    MG_AUTO_FD fd = mg_open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        if (errno == ENXIO) /* a socket, or a device without a driver */
            return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a regular file", MG_ARG(path));
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(path));
    }
    struct stat st;
    if (fstat(fd, &st) < 0)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(path));
    if (!S_ISREG(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is %s, not a regular file", MG_ARG(path),
                       mg_file_type(st.st_mode));
    *st_out = st;
    *out = mg_fd_take(&fd);
    return MG_OK;
}

mg_status mg_file_read(int root, mg_str path, size_t max_bytes, mg_arena *arena, mg_str *out,
                       mg_err *err)
{
    MG_AUTO_FD fd = -1;
    struct stat st;
    MG_TRY(mg_file_open(root, path, &fd, &st, err));
    mg_buf buf = mg_buf_new(arena, max_bytes);
    const mg_status s = mg_fd_read_all(fd, &buf, err);
    if (s != MG_OK)
        return mg_context(err, s, "'" MG_FMT "'", MG_ARG(path));
    *out = mg_buf_str(&buf);
    return MG_OK;
}

ssize_t mg_fd_read(int fd, void *to, size_t bytes)
{
    ssize_t n;
    do
        n = read(fd, to, bytes);
    while (n < 0 && errno == EINTR);
    return n;
}

mg_status mg_fd_read_all(int fd, mg_buf *buf, mg_err *err)
{
    for (;;) {
        size_t room;
        char *to = mg_buf_room(buf, 16384, &room);
        char beyond;
        const ssize_t n = room > 0 ? mg_fd_read(fd, to, room) : mg_fd_read(fd, &beyond, 1);
        if (n < 0)
            return mg_fail_errno(err, "it cannot be read");
        if (n == 0)
            return MG_OK;
        if (room == 0)
            return mg_fail(err, MG_ERR_LIMIT, "it is larger than %zu bytes", buf->max);
        mg_buf_wrote(buf, (size_t)n);
    }
}

mg_status mg_fd_write_all(int fd, mg_str bytes, mg_err *err)
{
    while (bytes.len > 0) {
        const ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) { /* a pipe that somebody else made non-blocking */
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            (void)poll(&wait, 1, -1);
            continue;
        }
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return mg_fail_errno(err, "it cannot be written");
        bytes = mg_str_from(bytes, (size_t)n);
    }
    return MG_OK;
}

/* A new file beside path, under the mode that the user's umask gives. */
static int open_beside(const char *path, char temp[static PATH_MAX])
{
    for (unsigned n = 0; n < 100; n++) {
        const int len = snprintf(temp, PATH_MAX, "%s.%ld-%u.tmp", path, (long)getpid(), n);
        if (len < 0 || len >= PATH_MAX)
            return walk_fail(ENAMETOOLONG);
        const int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static mg_status write_and_rename(int fd, const char *temp, const char *path,
                                  const struct stat *old, mg_str bytes, mg_err *err)
{
    MG_TRY(mg_fd_write_all(fd, bytes, err));
    if (old != NULL && fchown(fd, old->st_uid, old->st_gid) < 0)
        errno = 0; /* only root may give a file away; for others it stays the writer's own */
    if ((old != NULL && fchmod(fd, old->st_mode & 07777u) < 0) || fsync(fd) < 0)
        return mg_fail_errno(err, "it cannot be written");
    if (rename(temp, path) < 0)
        return mg_fail_errno(err, "it cannot be put in place");
    return MG_OK;
}

/* What cannot be replaced is written as it stands: /dev/null, a FIFO, a terminal, and a file
 * that has no name any more (/dev/stdout may lead to one). */
static mg_status write_in_place(const char *path, mg_str bytes, mg_err *err)
{
    MG_AUTO_FD fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return mg_fail_errno(err, "'%s'", path);
    return mg_context(err, mg_fd_write_all(fd, bytes, err), "'%s'", path);
}

mg_status mg_file_replace(const char *path, mg_str bytes, mg_err *err)
{
    char real[PATH_MAX], temp[PATH_MAX];
    const char *target = path;
    struct stat old, link;
    const bool exists = stat(path, &old) == 0;
    if (exists) {
        target = realpath(path, real); /* what a link leads to is replaced, not the link */
        if (!S_ISREG(old.st_mode) || target == NULL)
            return write_in_place(path, bytes, err);
    } else if (lstat(path, &link) == 0) {
        return mg_fail(err, MG_ERR_NOT_FOUND, "'%s' is a link to something that does not exist",
                       path);
    }
    MG_AUTO_FD fd = open_beside(target, temp);
    if (fd < 0)
        return mg_fail_errno(err, "'%s'", path);
    const mg_status s = write_and_rename(fd, temp, target, exists ? &old : NULL, bytes, err);
    if (s != MG_OK)
        (void)unlink(temp);
    return mg_context(err, s, "'%s'", path);
}
