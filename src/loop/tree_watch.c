/* tree_watch.c - inotify on directories, re-armed as they come and go.
 *
 * A file is watched by its directory, so that being replaced, renamed over or removed is seen like
 * being written; the directory by the one above it, and so on up to the root. What is not there
 * yet is waited for in the nearest one that is.
 * inotify gives the same number for a directory it watches already, so arming again is cheap and
 * needs no books.
 */
#include "loop/tree_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    MOST_DIRECTORIES = 4096, /* of the whole tree; the kernel's own bound is not far */
    DEEPEST = 64,
    EVENTS = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE |
             IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
};

struct mg_tree_watch {
    mg_tree_watch_options o;
    mg_watch *watch;
    size_t directories; /* of the whole tree, in this arming */
    bool stale_ways;    /* something came that may be on the way to a path */
    bool stale_whole;   /* a directory came or went */
};

/* What the events mean for what is to be watched. A link to a directory comes like a file. */
static void note_stale(mg_tree_watch *t, const char *bytes, size_t count)
{
    for (size_t at = 0; at + sizeof(struct inotify_event) <= count;) {
        const struct inotify_event *event =
            (const struct inotify_event *)(const void *)(bytes + at);
        const bool lost = (event->mask & (IN_IGNORED | IN_Q_OVERFLOW | IN_MOVE_SELF)) != 0;
        const bool came = (event->mask & (IN_CREATE | IN_MOVED_TO)) != 0;
        t->stale_ways = t->stale_ways || lost || came;
        t->stale_whole = t->stale_whole || lost || (came && (event->mask & IN_ISDIR) != 0);
        at += sizeof *event + event->len;
    }
}

static void ready(void *data, int events)
{
    (void)events;
    mg_tree_watch *t = data;
    _Alignas(struct inotify_event) char bytes[16384];
    bool any = false;
    for (ssize_t n; (n = mg_fd_read(t->o.fd, bytes, sizeof bytes)) > 0; any = true)
        note_stale(t, bytes, (size_t)n);
    if (any)
        t->o.changed(t->o.data);
}

/* False where there is no such directory, or it cannot be watched. */
static bool add_directory(mg_tree_watch *t, int fd)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return inotify_add_watch(t->o.fd, path, EVENTS) >= 0;
}

/* Every directory on the way to the path, from the root to the nearest that is there. Each is
 * watched before the next is looked for: nothing comes unseen between the two. */
static void add_way(mg_tree_watch *t, mg_str path)
{
    mg_str dir = MG_STR(".");
    for (size_t slash = 0;; dir = mg_str_first(path, slash)) {
        MG_AUTO_FD fd = mg_open_beneath(t->o.world->root, dir, O_RDONLY | O_DIRECTORY);
        if (fd < 0 || !add_directory(t, fd))
            return;
        slash = mg_str_find(path, '/', slash + 1);
        if (slash >= path.len)
            return;
    }
}

static mg_str directory_of(mg_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path;
}

/* Entries about one directory stand together, and have one way. */
static void add_ways(mg_tree_watch *t)
{
    const mg_strs *paths = &t->o.paths;
    for (size_t i = 0; i < paths->count; i++)
        if (i == 0 || !mg_str_eq(directory_of(paths->items[i]), directory_of(paths->items[i - 1])))
            add_way(t, paths->items[i]);
}

static void add_whole(mg_tree_watch *t, int at, mg_str path, unsigned depth);

static void add_child(mg_tree_watch *t, DIR *dir, const struct dirent *entry, mg_str path,
                      unsigned depth, mg_arena *scratch)
{
    const bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (dots || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
        return;
    const mg_str child = path.len > 0 ? mg_strf(scratch, MG_FMT "/%s", MG_ARG(path), entry->d_name)
                                      : mg_strf(scratch, "%s", entry->d_name);
    if (mg_scope_ignores(t->o.scope, child, true))
        return;
    const int fd =
        openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        add_whole(t, fd, child, depth + 1);
}

/* Takes the descriptor over. */
static void add_whole(mg_tree_watch *t, int at, mg_str path, unsigned depth)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const bool room =
        depth < DEEPEST && t->directories++ < MOST_DIRECTORIES && add_directory(t, at);
    DIR *dir = room ? fdopendir(at) : NULL;
    if (dir == NULL) {
        (void)close(at);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        add_child(t, dir, entry, path, depth, scratch);
    (void)closedir(dir);
}

void mg_tree_watch_arm(mg_tree_watch *t)
{
    if (t->stale_ways)
        add_ways(t);
    t->stale_ways = false;
    if (!t->o.whole || !t->stale_whole)
        return;
    t->stale_whole = false;
    t->directories = 0;
    const int root = mg_open_beneath(t->o.world->root, MG_STR("."), O_RDONLY | O_DIRECTORY);
    if (root >= 0)
        add_whole(t, root, MG_STR(""), 0);
}

mg_status mg_tree_watch_open(int *out, mg_err *err)
{
    const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0)
        return mg_fail_errno(err, "the workspace cannot be watched (set 'watch: false')");
    *out = fd;
    return MG_OK;
}

mg_status mg_tree_watch_start(const mg_tree_watch_options *options, mg_arena *arena,
                              mg_tree_watch **out, mg_err *err)
{
    mg_tree_watch *t = mg_new(arena, mg_tree_watch);
    *t = (mg_tree_watch){.o = *options, .stale_ways = true, .stale_whole = true};
    char before[16384];
    while (mg_fd_read(t->o.fd, before, sizeof before) > 0)
        ;
    t->watch = mg_watch_start(options->loop, t->o.fd, MG_READABLE, ready, t, err);
    if (t->watch == NULL)
        return MG_ERR_SYSTEM;
    mg_tree_watch_arm(t);
    *out = t;
    return MG_OK;
}

void mg_tree_watch_stop(mg_tree_watch *t)
{
    if (t == NULL)
        return;
    mg_watch_stop(t->watch);
}
