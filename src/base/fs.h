/* fs.h - files, always beneath a directory that is already open.
 *
 * What an agent left behind is hostile: links that lead out of the workspace, FIFOs that
 * would hang a reader, files that grow while they are read. Every path of a goal is opened
 * through mg_open_beneath().
 */
#ifndef MG_BASE_FS_H
#define MG_BASE_FS_H

#include "base/buf.h"

#include <sys/stat.h>

void mg_fd_auto_close(int *fd);
#define MG_AUTO_FD __attribute__((cleanup(mg_fd_auto_close))) int

/* Gives a self-closing descriptor away. */
static inline int mg_fd_take(int *fd)
{
    const int taken = *fd;
    *fd = -1;
    return taken;
}

/* A descriptor beneath root, O_CLOEXEC, or -1 with errno: EXDEV where the path, or a link on
 * it, leaves root. Links that stay inside are followed. "." is root itself. */
int mg_open_beneath(int root, mg_str path, int flags);

/* The same by walking component by component, for kernels without openat2 (before 5.6). */
int mg_open_beneath_walk(int root, mg_str path, int flags);

/* What is at path, links that stay beneath root followed. MG_ERR_NOT_FOUND if nothing is. */
MG_MUST_CHECK mg_status mg_file_stat(int root, mg_str path, struct stat *out, mg_err *err);

/* A regular file for reading; anything else is MG_ERR_INVALID and says what it is. */
MG_MUST_CHECK mg_status mg_file_open(int root, mg_str path, int *fd, struct stat *st, mg_err *err);

/* The whole of a regular file; MG_ERR_LIMIT past max_bytes, even if it grows while read. */
MG_MUST_CHECK mg_status mg_file_read(int root, mg_str path, size_t max_bytes, mg_arena *arena,
                                     mg_str *out, mg_err *err);

MG_MUST_CHECK mg_status mg_fd_read_all(int fd, mg_buf *buf, mg_err *err);
MG_MUST_CHECK mg_status mg_fd_write_all(int fd, mg_str bytes, mg_err *err);

/* read(2) that goes on after EINTR. */
ssize_t mg_fd_read(int fd, void *to, size_t bytes);

/* Writes beside the target and renames over it, so that a reader sees the old file or the
 * new one and a full disk loses nothing. */
MG_MUST_CHECK mg_status mg_file_replace(const char *path, mg_str bytes, mg_err *err);

/* "a directory", "a FIFO", "a regular file", ... */
const char *mg_file_type(mode_t mode);

#endif
