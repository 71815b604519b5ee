/* guard_links.c - protected paths that lead through a link.
 *
 * Snapshots never follow a link, so `tests` says nothing about what is in `real` if it is a
 * link to it; but who wrote it meant the tests. Before an agent runs, such a path is written out:
 * the link itself, and the place that it leads to.
 */
#include "world/guarded.h"

#include "data/glob.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { FOLLOWED_MAX = 40 }; /* links in links, as the kernel has it */

static bool real_path(int fd, mg_arena *arena, mg_str *out)
{
    char link[64], path[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(link, path, sizeof path);
    if (len <= 0 || (size_t)len >= sizeof path)
        return false;
    *out = mg_str_copy(arena, (mg_str){path, (size_t)len});
    return true;
}

typedef struct end { /* where a link leads to */
    bool there, is_dir, inside;
    mg_str real; /* beneath the root if it is inside; "" is the root itself */
} end;

static end follow(const mg_world *world, mg_str path, mg_arena *arena)
{
    end e = {0};
    mg_str root;
    struct stat st;
    MG_AUTO_FD fd = openat(world->root, mg_str_cstr(arena, path), O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0 || !real_path(fd, arena, &e.real) ||
        !real_path(world->root, arena, &root))
        return e;
    e.there = true;
    e.is_dir = S_ISDIR(st.st_mode);
    const size_t len = mg_str_is(root, "/") ? 0 : root.len;
    e.inside = mg_str_eq(mg_str_first(e.real, root.len), root) &&
               (e.real.len == root.len || e.real.ptr[len] == '/');
    if (e.inside)
        e.real = mg_str_from(e.real, len + 1);
    return e;
}

static bool is_link(const mg_world *world, mg_str path, mg_arena *arena)
{
    struct stat st;
    return fstatat(world->root, mg_str_cstr(arena, path), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(st.st_mode);
}

/* How much of the glob is the first link in the part before its first wildcard; 0: there is none.
 */
static size_t link_in(const mg_world *world, mg_str glob, mg_arena *arena)
{
    for (size_t at = 0; at < glob.len;) {
        const size_t slash = mg_str_find(glob, '/', at);
        for (size_t i = at; i < slash; i++)
            if (strchr("*?[\\", glob.ptr[i]) != NULL)
                return 0;
        if (slash > at && is_link(world, mg_str_first(glob, slash), arena))
            return slash;
        at = slash + 1;
    }
    return 0;
}

static mg_status leads_out(mg_str glob, mg_str link, const end *e, mg_err *err)
{
    if (e->inside)
        return mg_fail(err, MG_ERR_INVALID,
                       "protect: '" MG_FMT "' cannot be protected: '" MG_FMT
                       "' is a link to the root itself; name the paths that are meant",
                       MG_ARG(glob), MG_ARG(link));
    return mg_fail(err, MG_ERR_INVALID,
                   "protect: '" MG_FMT "' cannot be protected: '" MG_FMT "' is a link to '" MG_FMT
                   "', which is outside the root; protect paths beneath the root, or choose a root "
                   "that has both",
                   MG_ARG(glob), MG_ARG(link), MG_ARG(e->real));
}

static mg_status follow_one(const mg_world *world, mg_str given, mg_arena *arena, mg_strs *out,
                            mg_err *err)
{
    mg_str glob = given;
    for (int i = 0; i < FOLLOWED_MAX; i++) {
        const size_t len = link_in(world, glob, arena);
        const mg_str link = mg_str_first(glob, len), rest = mg_str_from(glob, len);
        const end e = len > 0 ? follow(world, link, arena) : (end){0};
        if (e.there && e.is_dir && (!e.inside || e.real.len == 0))
            return leads_out(given, link, &e, err);
        if (!e.there || !e.inside) { /* no link, or one to nothing or to a file elsewhere */
            mg_strs_add(arena, out, glob);
            return MG_OK;
        }
        mg_strs_add(arena, out, link);
        glob = mg_strf(arena, MG_FMT MG_FMT, MG_ARG(mg_glob_literal(e.real, arena)),
                       MG_ARG(e.is_dir && rest.len == 0 ? MG_STR("/**") : rest));
    }
    return mg_fail(err, MG_ERR_INVALID,
                   "protect: '" MG_FMT "' leads through too many links; protect what is meant",
                   MG_ARG(given));
}

mg_status mg_guard_follow(const mg_world *world, const mg_strs *protect, mg_arena *arena,
                          mg_strs *out, mg_err *err)
{
    for (size_t i = 0; protect != NULL && i < protect->count; i++) {
        mg_str glob = protect->items[i];
        while (mg_str_starts(glob, "./"))
            glob = mg_str_from(glob, 2);
        MG_TRY(follow_one(world, glob, arena, out, err));
    }
    return MG_OK;
}

/* A link among protected paths, or where a wildcard leads through: the link is guarded, and what
 * is behind it may not be. */
static void warn_link(const mg_guard *guard, mg_str path, mg_arena *arena, mg_strs *warnings)
{
    const end e = follow(guard->world, path, arena);
    if (!e.there || !e.is_dir ||
        (e.inside &&
         (mg_scope_guards(guard->scope, e.real, true) || mg_scope_protects(guard->scope, e.real))))
        return;
    mg_strs_add(arena, warnings,
                mg_strf(arena,
                        "protect: '" MG_FMT "' is a link to the directory '" MG_FMT
                        "', and what is in there is not protected%s",
                        MG_ARG(path), MG_ARG(e.real),
                        e.inside ? "; add it to protect if it should be"
                                 : " (it is outside the "
                                   "root)"));
}

void mg_guard_warn_links(const mg_guard *guard, mg_arena *arena, mg_strs *warnings)
{
    enum { MOST = 20 };
    const size_t most = warnings->count + MOST;
    for (size_t i = 0; i < guard->start->dir_count; i++) {
        const mg_dir *dir = &guard->start->dirs[i];
        for (size_t k = 0; k < dir->count && warnings->count < most; k++) {
            if (!S_ISLNK(dir->leaves[k].mode))
                continue;
            const mg_str path = mg_path_join(arena, dir->path, dir->leaves[k].name);
            if ((dir->leaves[k].flags & MG_LEAF_PROTECTED) != 0 ||
                mg_scope_guards(guard->scope, path, true))
                warn_link(guard, path, arena, warnings);
        }
    }
}
