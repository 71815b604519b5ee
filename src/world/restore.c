/* restore.c - making protected paths what they were.
 *
 * Everything goes through descriptors of directories that were opened without following a link:
 * what stands in the way of a directory is removed, files are written beside their place and
 * renamed into it, and only when the bytes that were written have the digest from memory. At the
 * end a new snapshot is taken, and nothing may be left to tell.
 */
#include "world/guarded.h"

#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { DEPTH_MAX = 200, REMOVALS_MAX = MG_TREE_LEAVES_MAX, ROUNDS_MAX = 16 };

/* --- Removing --- */

/* Gives us the run of a directory whose owner we are. */
static void open_up(int fd)
{
    struct stat st;
    char path[64]; /* fchmod does not take a descriptor that was opened by O_PATH */
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
        (void)chmod(path, (st.st_mode & 07777) | 0700);
}

/* A directory that may be closed to us; opened for reading all the same if that can be helped. */
static int open_closed(int at, const char *name)
{
    const int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = openat(at, name, O_RDONLY | flags);
    if (fd >= 0) {
        open_up(fd);
        return fd;
    }
    if (errno != EACCES)
        return -1;
    MG_AUTO_FD path = openat(at, name, O_PATH | flags);
    if (path < 0)
        return -1;
    open_up(path);
    return openat(at, name, O_RDONLY | flags);
}

static mg_status remove_at(int at, const char *name, unsigned depth, size_t *left, mg_err *err);

static mg_status empty_dir(int fd, unsigned depth, size_t *left, mg_err *err)
{
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (stream == NULL)
        return mg_fail_errno(err, "a directory that was created");
    mg_status s = MG_OK;
    for (struct dirent *e; s == MG_OK && (e = readdir(stream)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            s = remove_at(fd, e->d_name, depth + 1, left, err);
    }
    (void)closedir(stream);
    return s;
}

/* Whatever is at name, everything beneath it included; nothing there is fine. */
static mg_status remove_at(int at, const char *name, unsigned depth, size_t *left, mg_err *err)
{
    if (depth > DEPTH_MAX || (*left)-- == 0)
        return mg_fail(err, MG_ERR_LIMIT, "what was created is too large to be removed");
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return MG_OK;
    if (errno == EACCES) { /* the directory it is in was closed */
        open_up(at);
        if (unlinkat(at, name, 0) == 0)
            return MG_OK;
    }
    if (errno != EISDIR && errno != EPERM) /* EPERM: POSIX has it for directories */
        return mg_fail_errno(err, "'%s' cannot be removed", name);
    MG_AUTO_FD fd = open_closed(at, name);
    if (fd < 0)
        return mg_fail_errno(err, "'%s' cannot be removed", name);
    MG_TRY(empty_dir(fd, depth, left, err));
    if (unlinkat(at, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
        return mg_fail_errno(err, "'%s' cannot be removed", name);
    return MG_OK;
}

static mg_status remove_path(const mg_guard *guard, mg_str path, mg_arena *arena, mg_err *err)
{
    mg_str dir, name;
    mg_path_split(path, &dir, &name);
    MG_AUTO_FD parent = mg_open_dir(guard->world->root, dir, O_RDONLY);
    if (parent < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return MG_OK; /* went with what it was in; the last look will tell */
    if (parent < 0)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(dir));
    size_t left = REMOVALS_MAX;
    const mg_status s = remove_at(parent, mg_str_cstr(arena, name), 0, &left, err);
    return s != MG_OK ? mg_context(err, s, "'" MG_FMT "'", MG_ARG(path)) : MG_OK;
}

static void remove_if_empty(const mg_guard *guard, mg_str path, mg_arena *arena)
{
    mg_str dir, name;
    mg_path_split(path, &dir, &name);
    MG_AUTO_FD parent = mg_open_dir(guard->world->root, dir, O_RDONLY);
    if (parent >= 0)
        (void)unlinkat(parent, mg_str_cstr(arena, name), AT_REMOVEDIR);
}

/* --- Putting back --- */

/* One step down; what is there and is no directory goes. */
static int step_into(int at, const char *name, mg_err *err)
{
    const int fd = open_closed(at, name);
    if (fd >= 0)
        return fd;
    if (errno == ENOTDIR || errno == ELOOP) {
        size_t left = 1;
        if (remove_at(at, name, 0, &left, err) != MG_OK)
            return -1;
        errno = ENOENT;
    }
    if (errno != ENOENT)
        return -1;
    if (mkdirat(at, name, 0700) < 0) {
        open_up(at);
        if (mkdirat(at, name, 0700) < 0)
            return -1;
    }
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The directory of a kept path, made anew where it is gone. */
static mg_status make_way(const mg_guard *guard, mg_str dir, mg_arena *arena, int *out, mg_err *err)
{
    MG_AUTO_FD at = openat(guard->world->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mg_str rest = dir, part;
    while (at >= 0 && dir.len > 0 && mg_str_split(&rest, '/', &part)) {
        const int next = step_into(at, mg_str_cstr(arena, part), err);
        const int kept = errno;
        (void)close(at);
        at = next;
        errno = kept;
    }
    if (at < 0)
        return mg_fail_errno(err, "'" MG_FMT "' cannot be made", MG_ARG(dir));
    *out = mg_fd_take(&at);
    return MG_OK;
}

static struct timespec time_of(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    if (t.tv_nsec < 0) {
        t.tv_sec--;
        t.tv_nsec += 1000000000;
    }
    return t;
}

static mg_status write_file(const mg_guard *guard, size_t index, int parent, const char *beside,
                            mg_err *err)
{
    const mg_kept *kept = &guard->kept.items[index];
    char copy[32];
    (void)snprintf(copy, sizeof copy, "%zu", index);
    MG_AUTO_FD from = openat(guard->copies, copy, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return mg_fail_errno(err, "its copy in the state directory is gone");
    MG_AUTO_FD to =
        openat(parent, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return mg_fail_errno(err, "it cannot be written");
    int64_t size;
    mg_digest digest;
    const mg_status s = mg_copy_digest(from, to, kept->size, &size, &digest, err);
    if (s != MG_OK && s != MG_ERR_LIMIT)
        return s;
    if (s == MG_ERR_LIMIT || size != kept->size || !mg_digest_eq(digest, kept->digest))
        return mg_fail(err, MG_ERR_INVALID,
                       "its copy in the state directory is not what was put there");
    struct stat st;
    if (fstat(to, &st) == 0 && (st.st_uid != kept->uid || st.st_gid != kept->gid) &&
        fchown(to, kept->uid, kept->gid) < 0) {
        /* Only root may give files away; whoever could not is the owner of the new one. */
    }
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, time_of(kept->mtime_ns)};
    if (fchmod(to, kept->mode & 07777) < 0 || futimens(to, times) < 0)
        return mg_fail_errno(err, "its mode and time cannot be restored");
    return MG_OK;
}

static mg_status write_beside(const mg_guard *guard, size_t index, int parent, const char *beside,
                              mg_arena *arena, mg_err *err)
{
    const mg_kept *kept = &guard->kept.items[index];
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, time_of(kept->mtime_ns)};
    if (S_ISREG(kept->mode))
        return write_file(guard, index, parent, beside, err);
    if (S_ISLNK(kept->mode)) {
        if (symlinkat(mg_str_cstr(arena, kept->target), parent, beside) < 0 ||
            utimensat(parent, beside, times, AT_SYMLINK_NOFOLLOW) < 0)
            return mg_fail_errno(err, "the link cannot be made");
        return MG_OK;
    }
    if (S_ISFIFO(kept->mode)) {
        if (mkfifoat(parent, beside, 0600) < 0 ||
            fchmodat(parent, beside, kept->mode & 07777, 0) < 0)
            return mg_fail_errno(err, "the FIFO cannot be made");
        return MG_OK;
    }
    return mg_fail(err, MG_ERR_UNAVAILABLE, "it was %s, which cannot be made again",
                   mg_file_type(kept->mode));
}

static mg_status put_back(const mg_guard *guard, size_t index, mg_arena *arena, mg_err *err)
{
    mg_str dir, name;
    mg_path_split(guard->kept.items[index].path, &dir, &name);
    const char *cname = mg_str_cstr(arena, name);
    const char *beside = mg_strf(arena, ".mg-restore.%zu.%ld", index, (long)getpid()).ptr;
    MG_AUTO_FD parent = -1;
    MG_TRY(make_way(guard, dir, arena, &parent, err));
    size_t left = REMOVALS_MAX;
    MG_TRY(remove_at(parent, beside, 0, &left, err));
    mg_status s = write_beside(guard, index, parent, beside, arena, err);
    struct stat st;
    if (s == MG_OK && fstatat(parent, cname, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        s = remove_at(parent, cname, 0, &left, err);
    if (s == MG_OK && renameat(parent, beside, parent, cname) < 0)
        s = mg_fail_errno(err, "it cannot be put in its place");
    if (s != MG_OK)
        (void)unlinkat(parent, beside, 0);
    return s;
}

/* --- The whole --- */

/* Modes of directories, the deepest first: a parent may be closed again. */
static mg_status restore_modes(const mg_guard *guard, bool was_open[], mg_err *err)
{
    for (size_t i = guard->dirs.count; i > 0; i--) {
        const mg_kept_dir *dir = &guard->dirs.items[i - 1];
        MG_AUTO_FD fd = mg_open_dir(guard->world->root, dir->path, O_RDONLY);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) < 0)
            return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(dir->path));
        const bool ours = was_open[i - 1] || mg_scope_protects(guard->scope, dir->path);
        if (ours && st.st_mode != dir->mode && fchmod(fd, dir->mode & 07777) < 0)
            return mg_fail_errno(err, "the mode of '" MG_FMT "'", MG_ARG(dir->path));
    }
    return MG_OK;
}

/* Which directories are not there, or closed, and will be made or opened by us. */
static bool *note_missing(const mg_guard *guard, mg_arena *arena)
{
    bool *missing = mg_new_array(arena, bool, guard->dirs.count);
    for (size_t i = 0; i < guard->dirs.count; i++) {
        struct stat st;
        MG_AUTO_FD fd = mg_open_dir(guard->world->root, guard->dirs.items[i].path, O_RDONLY);
        missing[i] = fd < 0 || fstat(fd, &st) < 0 || (st.st_mode & 0700) != 0700;
    }
    return missing;
}

/* Opens the directories on the way that were closed, so that what is in them can be removed. */
static void open_the_way(const mg_guard *guard)
{
    for (size_t i = 0; i < guard->dirs.count; i++) {
        MG_AUTO_FD fd = mg_open_dir(guard->world->root, guard->dirs.items[i].path, O_PATH);
        struct stat st;
        if (fd >= 0 && fstat(fd, &st) == 0 &&
            (st.st_mode & 0700) != (guard->dirs.items[i].mode & 0700))
            open_up(fd);
    }
}

static mg_status repair(const mg_guard *guard, const mg_breaches *found, mg_arena *arena,
                        mg_err *err)
{
    for (size_t i = 0; i < found->count; i++) {
        MG_AUTO_FD closed = found->items[i].kind == MG_BREACH_CLOSED
                                ? mg_open_dir(guard->world->root, found->items[i].path, O_PATH)
                                : -1;
        if (closed >= 0)
            open_up(closed); /* what it hides is seen in the next round */
    }
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].kind == MG_BREACH_EXTRA)
            MG_TRY(remove_path(guard, found->items[i].path, arena, err));
    }
    for (size_t i = 0; i < found->count; i++) {
        const mg_breach *b = &found->items[i];
        if (b->kind != MG_BREACH_CHANGED)
            continue;
        const mg_status s = put_back(guard, b->index, arena, err);
        if (s != MG_OK)
            return mg_context(err, s, "the protected '" MG_FMT "'", MG_ARG(b->path));
    }
    for (size_t i = found->count; i > 0; i--) { /* sorted by path: the deepest first */
        if (found->items[i - 1].kind == MG_BREACH_EMPTY)
            remove_if_empty(guard, found->items[i - 1].path, arena);
    }
    return MG_OK;
}

static mg_status snap(const mg_guard *guard, const mg_snapshot *before, mg_arena *arena,
                      const mg_snapshot **out, mg_err *err)
{
    return mg_snapshot_take(guard->world, guard->scope, before, NULL, (mg_live){0}, arena, out,
                            err);
}

static mg_status look_again(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena,
                            mg_err *err)
{
    const mg_snapshot *after;
    mg_breaches left = {0};
    MG_TRY(snap(guard, now, arena, &after, err));
    MG_TRY(mg_guard_look(guard, after, arena, &left, err));
    for (size_t i = 0; i < left.count; i++) {
        if (left.items[i].kind != MG_BREACH_EMPTY)
            return mg_fail(err, MG_ERR_DENIED,
                           "the protected '" MG_FMT "' could not be made what it was",
                           MG_ARG(left.items[i].path));
    }
    for (size_t i = 0; i < guard->kept.count; i++) {
        bool intact;
        MG_TRY(mg_keep_intact(guard, &guard->kept.items[i], &intact, err));
        if (!intact)
            return mg_fail(err, MG_ERR_DENIED,
                           "the protected '" MG_FMT "' could not be made what it was",
                           MG_ARG(guard->kept.items[i].path));
    }
    return MG_OK;
}

/* Whether anything is left to repair; directories that are not empty may stay. */
static bool is_whole(const mg_breaches *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].kind != MG_BREACH_EMPTY)
            return false;
    }
    return true;
}

mg_status mg_guard_restore(mg_guard *guard, const mg_snapshot *now, mg_arena *arena, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(arena);
    mg_breaches found = {0};
    MG_TRY(mg_guard_look(guard, now, scratch, &found, err));
    if (found.count == 0)
        return MG_OK;
    bool *missing = note_missing(guard, scratch);
    open_the_way(guard);
    /* A directory that was closed may hide others: each round sees one level more. */
    for (int round = 0; round < ROUNDS_MAX; round++) {
        MG_TRY(repair(guard, &found, scratch, err));
        found = (mg_breaches){0};
        MG_TRY(snap(guard, now, scratch, &now, err));
        MG_TRY(mg_guard_look(guard, now, scratch, &found, err));
        if (is_whole(&found))
            break;
    }
    MG_TRY(restore_modes(guard, missing, err));
    return look_again(guard, now, scratch, err);
}
