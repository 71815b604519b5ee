/* tree.c - finding things in a snapshot, and on disk without following a link. */
#include "world/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

mg_str mg_path_join(mg_arena *arena, mg_str dir, mg_str name)
{
    if (dir.len == 0)
        return mg_str_copy(arena, name);
    char *p = mg_arena_alloc(arena, dir.len + 1 + name.len + 1);
    memcpy(p, dir.ptr, dir.len);
    p[dir.len] = '/';
    memcpy(p + dir.len + 1, name.ptr, name.len);
    return (mg_str){p, dir.len + 1 + name.len};
}

void mg_path_split(mg_str path, mg_str *dir, mg_str *name)
{
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/')
        at--;
    *dir = mg_str_first(path, at > 0 ? at - 1 : 0);
    *name = mg_str_from(path, at);
}

const mg_dir *mg_tree_dir(const mg_snapshot *snapshot, mg_str path)
{
    size_t low = 0, high = snapshot->dir_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = mg_str_cmp(snapshot->dirs[middle].path, path);
        if (order == 0)
            return &snapshot->dirs[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const mg_leaf *mg_tree_leaf(const mg_snapshot *snapshot, mg_str path)
{
    mg_str where, name;
    mg_path_split(path, &where, &name);
    const mg_dir *dir = mg_tree_dir(snapshot, where);
    size_t low = 0, high = dir != NULL ? dir->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = mg_str_cmp(dir->leaves[middle].name, name);
        if (order == 0)
            return &dir->leaves[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool mg_leaf_same(const mg_leaf *a, const mg_leaf *b)
{
    if (((a->flags | b->flags) & MG_LEAF_UNREAD) != 0)
        return (a->flags & b->flags & MG_LEAF_UNREAD) != 0 && a->mode != 0 &&
               mg_leaf_unmoved(a, b); /* mode 0: not even its stat could be had */
    if (a->mode != b->mode || !mg_hash_eq(a->hash, b->hash))
        return false;
    /* Of a FIFO, a socket or a device nothing but its being there is known. */
    return a->size == b->size;
}

int mg_open_dir_walk(int root, const char *path, int flags)
{
    flags |= O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    MG_AUTO_FD at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char part[NAME_MAX + 1];
    while (at >= 0) {
        const size_t len = strcspn(path, "/");
        if (len > NAME_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(part, path, len);
        part[len] = '\0';
        path += len;
        if (*path == '\0')
            return openat(at, part, flags);
        path++;
        const int next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        (void)close(at);
        at = next;
    }
    return -1;
}

int mg_open_dir(int root, mg_str path, int flags)
{
    char p[PATH_MAX];
    if (path.len >= sizeof p) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(p, path.len > 0 ? path.ptr : ".", MG_MAX(path.len, (size_t)1));
    p[MG_MAX(path.len, (size_t)1)] = '\0';
    flags |= O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct open_how how = {
        .flags = (unsigned)flags,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    const long fd = syscall(SYS_openat2, root, p, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EAGAIN))
        return (int)fd;
    return mg_open_dir_walk(root, p, flags);
}

static int64_t nanoseconds(struct statx_timestamp t)
{
    return (int64_t)((uint64_t)t.tv_sec * 1000000000u + t.tv_nsec);
}

int mg_leaf_stat(int dir, const char *name, mg_leaf *out)
{
    struct statx st;
    if (statx(dir, name,
              AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == '\0' ? AT_EMPTY_PATH : 0),
              STATX_BASIC_STATS | STATX_BTIME, &st) < 0)
        return -1;
    out->mode = st.stx_mode;
    out->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
    out->ino = st.stx_ino;
    out->size = S_ISREG(st.stx_mode) || S_ISLNK(st.stx_mode) ? (int64_t)st.stx_size
                : S_ISCHR(st.stx_mode) || S_ISBLK(st.stx_mode)
                    ? (int64_t)makedev(st.stx_rdev_major, st.stx_rdev_minor)
                    : 0;
    out->mtime_ns = nanoseconds(st.stx_mtime);
    out->ctime_ns = nanoseconds(st.stx_ctime);
    out->btime_ns = (st.stx_mask & STATX_BTIME) != 0 ? nanoseconds(st.stx_btime) : 0;
    out->text_at = -1;
    return 0;
}
