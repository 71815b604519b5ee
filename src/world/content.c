/* content.c - hashing one file, and keeping its text while it is at hand.
 *
 * The file was statted before it is read. So whatever is written to it from then on moves its
 * times beyond those that were noted, and the next snapshot reads it again.
 */
#include "world/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { BINARY_PREFIX = 8000 }; /* git looks for a NUL as far as this */

static mg_status unread(mg_leaf *leaf)
{
    leaf->flags |= MG_LEAF_UNREAD;
    leaf->hash = (mg_hash){0};
    return MG_OK;
}

/* Gone, closed to us, or no means left; by errno. */
static mg_status not_opened(mg_walker *walker, const char *name, mg_leaf *leaf, bool *gone)
{
    if (errno == ENOENT) {
        *gone = true;
        return MG_OK;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        return mg_fail_errno(&walker->err, "'%s'", name);
    return unread(leaf);
}

static mg_status still_wanted(const void *walker, mg_err *err)
{
    return mg_walk_alive(walker, err);
}

/* A long file: read once more from its beginning, in bounded memory. */
static mg_status hash_long(mg_walker *walker, int fd, mg_leaf *leaf)
{
    if (lseek(fd, 0, SEEK_SET) != 0)
        return unread(leaf);
    const mg_status s = mg_hash_fd(fd, still_wanted, walker, &leaf->hash, &walker->err);
    if (s != MG_OK && mg_walk_alive(walker, &walker->err) == MG_OK)
        return unread(leaf);
    return s;
}

/* Reads into the block until it is full or the file ends. */
static ssize_t fill_block(mg_walker *walker, int fd, int64_t size)
{
    size_t have = 0;
    while (have < MG_TEXT_MAX + 1) {
        const ssize_t n = mg_fd_read(fd, walker->block + have, MG_TEXT_MAX + 1 - have);
        if (n < 0)
            return -1;
        have += (size_t)n;
        if (n == 0 || (int64_t)have == size) /* a file that grows now moves its times */
            break;
    }
    return (ssize_t)have;
}

static mg_status file_content(mg_walker *walker, int fd, const mg_leaf *before, mg_leaf *leaf)
{
    if (walker->block == NULL)
        walker->block = mg_arena_alloc(walker->scratch, MG_TEXT_MAX + 1);
    const ssize_t have = fill_block(walker, fd, leaf->size);
    if (have < 0)
        return unread(leaf);
    const mg_str text = {walker->block, (size_t)have};
    if (have > MG_TEXT_MAX)
        return hash_long(walker, fd, leaf);
    leaf->hash = mg_hash_bytes(text);
    if ((int64_t)text.len != leaf->size) { /* it changes under our eyes */
        leaf->size = have;
        leaf->flags |= MG_LEAF_YOUNG;
    }
    if (memchr(text.ptr, '\0', MG_MIN(text.len, (size_t)BINARY_PREFIX)) != NULL)
        return MG_OK;
    if (before != NULL && before->text_at >= 0 && mg_hash_eq(before->hash, leaf->hash)) {
        leaf->text_at = before->text_at; /* kept then, and the same now */
        return MG_OK;
    }
    return mg_pack_keep(&walker->pack, text, &leaf->text_at, &walker->err);
}

static mg_status link_content(mg_walker *walker, int dir, const char *name, mg_leaf *leaf,
                              bool *gone)
{
    char target[PATH_MAX];
    const ssize_t len = readlinkat(dir, name, target, sizeof target);
    if (len < 0)
        return not_opened(walker, name, leaf, gone);
    leaf->hash = mg_hash_bytes((mg_str){target, (size_t)len});
    return MG_OK;
}

mg_status mg_walk_content(mg_walker *walker, int dir, const char *name, const mg_leaf *before,
                          mg_leaf *leaf, bool *gone)
{
    if (S_ISLNK(leaf->mode))
        return link_content(walker, dir, name, leaf, gone);
    if (!S_ISREG(leaf->mode))
        return MG_OK;
    MG_AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return not_opened(walker, name, leaf, gone);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return unread(leaf); /* another thing took its place just now */
    return file_content(walker, fd, before, leaf);
}
