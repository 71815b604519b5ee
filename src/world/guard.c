/* guard.c - what is protected, and whether it is still as it was.
 *
 * A path that has not moved since the start needs no reading. One that has moved is compared by
 * SHA-256: the fast hash of snapshots notices change, but was not made to withstand somebody who
 * looks for two files that share it.
 */
#include "world/guarded.h"

#include "base/map.h"
#include "base/vec.h"
#include "data/glob.h"
#include "world/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* --- Opening --- */

static void close_copies(void *data)
{
    (void)close(((mg_guard *)data)->copies);
}

static mg_status new_guard(const mg_world *world, const mg_scope *scope, const mg_snapshot *start,
                           int dir, mg_arena *arena, mg_guard **out, mg_err *err)
{
    if (mkdirat(dir, "restore", 0700) < 0 && errno != EEXIST)
        return mg_fail_errno(err, "'restore' in the state directory");
    const int copies = openat(dir, "restore", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (copies < 0)
        return mg_fail_errno(err, "'restore' in the state directory");
    mg_guard *guard = mg_new(arena, mg_guard);
    *guard = (mg_guard){.world = world, .scope = scope, .start = start, .copies = copies};
    mg_arena_on_free(arena, close_copies, guard);
    *out = guard;
    return MG_OK;
}

/* The rules must be those that decided what the snapshots look at. */
static mg_status take_rules(mg_guard *guard, const mg_guard_rules *rules, mg_arena *arena,
                            mg_err *err)
{
    for (size_t i = 0; rules->protect != NULL && i < rules->protect->count; i++) {
        if (!mg_strs_has(&guard->scope->protect, rules->protect->items[i]))
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' is to be protected, but the scope does not know it",
                           MG_ARG(rules->protect->items[i]));
    }
    for (size_t i = 0; rules->always != NULL && i < rules->always->count; i++) {
        mg_str path = rules->always->items[i];
        while (mg_str_starts(path, "./"))
            path = mg_str_from(path, 2);
        if (mg_scope_ignores(guard->scope, path, false) && !mg_scope_names(guard->scope, path) &&
            !mg_scope_protects(guard->scope, path))
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' is to be protected, but the scope ignores it",
                           MG_ARG(path));
        mg_strs_add(arena, &guard->always, mg_str_copy(arena, path));
    }
    return MG_OK;
}

static mg_status keep_dirs(mg_guard *guard, mg_str path, mg_map *seen, mg_arena *arena, mg_err *err)
{
    for (size_t at = 1; at < path.len; at++) {
        const mg_str dir = mg_str_first(path, at);
        if (path.ptr[at] != '/' || mg_map_put(seen, dir, guard) != NULL)
            continue;
        MG_AUTO_FD fd = mg_open_dir(guard->world->root, dir, O_PATH);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) < 0)
            return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(dir));
        mg_vec_push(arena, &guard->dirs, (mg_kept_dir){.path = dir, .mode = st.st_mode});
    }
    return MG_OK;
}

static int kept_by_path(const void *a, const void *b)
{
    return mg_str_cmp(((const mg_kept *)a)->path, ((const mg_kept *)b)->path);
}

static int dir_by_path(const void *a, const void *b)
{
    return mg_str_cmp(((const mg_kept_dir *)a)->path, ((const mg_kept_dir *)b)->path);
}

static const mg_kept *find_kept(const mg_guard *guard, mg_str path)
{
    const mg_kept key = {.path = path};
    return guard->kept.count > 0 ? bsearch(&key, guard->kept.items, guard->kept.count,
                                           sizeof *guard->kept.items, kept_by_path)
                                 : NULL;
}

typedef struct chosen { /* what is to be kept, in order: a copy is named after its place */
    struct choice {
        mg_str path;
        const mg_leaf *leaf;
    } * items;
    size_t count, cap;
} chosen;

static int choice_by_path(const void *a, const void *b)
{
    return mg_str_cmp(((const struct choice *)a)->path, ((const struct choice *)b)->path);
}

static mg_status choose(const mg_guard *guard, mg_arena *arena, chosen *out, mg_err *err)
{
    for (size_t i = 0; i < guard->start->dir_count; i++) {
        const mg_dir *dir = &guard->start->dirs[i];
        if (dir->unread && mg_scope_guards(guard->scope, dir->path, false))
            return mg_fail(err, MG_ERR_DENIED,
                           "'" MG_FMT "' cannot be read, and what is beneath it is to be "
                           "protected; make it readable or protect less",
                           MG_ARG(dir->path));
        for (size_t k = 0; k < dir->count; k++) {
            if ((dir->leaves[k].flags & MG_LEAF_PROTECTED) != 0)
                mg_vec_push(arena, out,
                            (struct choice){mg_path_join(arena, dir->path, dir->leaves[k].name),
                                            &dir->leaves[k]});
        }
    }
    for (size_t i = 0; i < guard->always.count; i++) {
        const mg_leaf *leaf = mg_tree_leaf(guard->start, guard->always.items[i]);
        if (leaf != NULL && (leaf->flags & MG_LEAF_PROTECTED) == 0)
            mg_vec_push(arena, out, (struct choice){guard->always.items[i], leaf});
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, choice_by_path);
    return MG_OK;
}

static bool matches_something(mg_str glob, const mg_guard *guard)
{
    for (size_t i = 0; i < guard->kept.count; i++) {
        mg_str path = guard->kept.items[i].path;
        while (path.len > 0) { /* the path itself, or a directory it is in */
            if (mg_glob_match(glob, path))
                return true;
            mg_str name;
            mg_path_split(path, &path, &name);
        }
    }
    return false;
}

mg_status mg_guard_open(const mg_world *world, const mg_scope *scope, const mg_guard_rules *rules,
                        const mg_snapshot *start, int dir, mg_arena *arena, mg_guard **out,
                        mg_strs *warnings, mg_err *err)
{
    mg_guard *guard = NULL;
    MG_TRY(new_guard(world, scope, start, dir, arena, &guard, err));
    MG_TRY(take_rules(guard, rules, arena, err));
    mg_guard_take_habit(guard, rules->habit, arena);
    chosen all = {0};
    MG_TRY(choose(guard, arena, &all, err));
    mg_map seen = mg_map_new(arena);
    int64_t total = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (i > 0 && mg_str_eq(all.items[i - 1].path, all.items[i].path))
            continue; /* named twice */
        MG_TRY(mg_keep(guard, all.items[i].leaf, all.items[i].path, &total, arena, err));
        MG_TRY(keep_dirs(guard, all.items[i].path, &seen, arena, err));
    }
    if (guard->dirs.count > 0)
        qsort(guard->dirs.items, guard->dirs.count, sizeof *guard->dirs.items, dir_by_path);
    MG_TRY(mg_keep_manifest(guard, arena, err));
    for (size_t i = 0; rules->protect != NULL && i < rules->protect->count; i++) {
        const mg_str glob = rules->protect->items[i];
        if (!matches_something(glob, guard))
            mg_strs_add(arena, warnings,
                        mg_strf(arena,
                                "protect: '" MG_FMT "' matches nothing now; it only keeps the "
                                "agent from creating such a path",
                                MG_ARG(glob)));
    }
    for (size_t i = 0; i < guard->always.count; i++) {
        if (find_kept(guard, guard->always.items[i]) == NULL)
            mg_strs_add(arena, warnings,
                        mg_strf(arena,
                                "'" MG_FMT "' is to be protected, but no such file is in the "
                                "workspace; it only must not be created",
                                MG_ARG(guard->always.items[i])));
    }
    mg_guard_warn_links(guard, arena, warnings);
    *out = guard;
    return MG_OK;
}

mg_status mg_guard_reopen(const mg_world *world, const mg_scope *scope, const mg_snapshot *start,
                          int dir, mg_str sha256_hex, mg_arena *arena, mg_guard **out, mg_err *err)
{
    mg_guard *guard = NULL;
    MG_TRY(new_guard(world, scope, start, dir, arena, &guard, err));
    MG_TRY(mg_keep_load(guard, sha256_hex, arena, err));
    *out = guard;
    return MG_OK;
}

mg_str mg_guard_sha256(const mg_guard *guard)
{
    return guard->sha256_hex;
}

/* --- Looking --- */

static mg_status is_intact(const mg_guard *guard, const mg_kept *kept, const mg_snapshot *now,
                           bool *out, mg_err *err)
{
    const mg_leaf *is = mg_tree_leaf(now, kept->path);
    const mg_leaf *was = mg_tree_leaf(guard->start, kept->path);
    *out = false;
    if (is == NULL || was == NULL || is->mode != kept->mode || !mg_leaf_same(was, is))
        return MG_OK;
    if (mg_leaf_unmoved(was, is)) {
        *out = true;
        return MG_OK;
    }
    return mg_keep_intact(guard, kept, out, err);
}

static mg_status look_at_kept(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena,
                              mg_breaches *out, mg_err *err)
{
    for (size_t i = 0; i < guard->kept.count; i++) {
        bool intact;
        MG_TRY(is_intact(guard, &guard->kept.items[i], now, &intact, err));
        if (!intact)
            mg_vec_push(arena, out,
                        (mg_breach){.kind = MG_BREACH_CHANGED,
                                    .path = guard->kept.items[i].path,
                                    .index = i});
    }
    for (size_t i = 0; i < guard->dirs.count; i++) {
        const mg_kept_dir *dir = &guard->dirs.items[i];
        MG_AUTO_FD fd = mg_open_dir(guard->world->root, dir->path, O_PATH);
        struct stat st; /* where it is gone, what was in it is, too */
        if (fd >= 0 && fstat(fd, &st) == 0 && st.st_mode != dir->mode &&
            mg_scope_protects(guard->scope, dir->path))
            mg_vec_push(arena, out,
                        (mg_breach){.kind = MG_BREACH_MODE, .path = dir->path, .index = i});
    }
    return MG_OK;
}

/* Whether a link that is new or leads elsewhere now stands where a protected name goes through:
 * `tests` for `tests/x`; or anywhere a glob reaches, if it leads out of the root. */
static bool diverts(const mg_guard *guard, mg_str path, const mg_leaf *leaf)
{
    const mg_leaf *was = mg_tree_leaf(guard->start, path);
    if (!S_ISLNK(leaf->mode) || (was != NULL && mg_leaf_same(was, leaf)))
        return false;
    if (mg_scope_guards(guard->scope, path, true))
        return true;
    if (!mg_scope_guards(guard->scope, path, false))
        return false;
    MG_AUTO_FD fd = mg_open_beneath(guard->world->root, path, O_PATH);
    return fd < 0 && errno == EXDEV;
}

static void look_at_leaf(const mg_guard *guard, mg_str dir, const mg_leaf *leaf, mg_arena *arena,
                         mg_breaches *out)
{
    const bool protected = (leaf->flags & MG_LEAF_PROTECTED) != 0;
    if (!protected && !S_ISLNK(leaf->mode))
        return;
    const mg_str path = mg_path_join(arena, dir, leaf->name);
    if (find_kept(guard, path) != NULL || !(protected || diverts(guard, path, leaf)))
        return;
    mg_vec_push(arena, out,
                (mg_breach){.kind = MG_BREACH_EXTRA,
                            .path = path,
                            .planted = (leaf->flags & MG_LEAF_IGNORED) != 0});
}

static void look_at_dir(const mg_guard *guard, const mg_dir *dir, mg_arena *arena, mg_breaches *out)
{
    const mg_dir *was = mg_tree_dir(guard->start, dir->path);
    if (dir->unread && mg_scope_guards(guard->scope, dir->path, false))
        mg_vec_push(arena, out,
                    (mg_breach){.kind = MG_BREACH_CLOSED,
                                .path = dir->path,
                                .planted = was == NULL && dir->ignored});
    else if (was == NULL && mg_scope_protects(guard->scope, dir->path))
        mg_vec_push(arena, out, (mg_breach){.kind = MG_BREACH_EMPTY, .path = dir->path});
    for (size_t i = 0; i < dir->count; i++)
        look_at_leaf(guard, dir->path, &dir->leaves[i], arena, out);
}

mg_status mg_guard_look(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena,
                        mg_breaches *out, mg_err *err)
{
    MG_TRY(look_at_kept(guard, now, arena, out, err));
    for (size_t i = 0; i < now->dir_count; i++)
        look_at_dir(guard, &now->dirs[i], arena, out);
    for (size_t i = 0; i < guard->always.count; i++) {
        const mg_str path = guard->always.items[i];
        const mg_leaf *leaf = mg_tree_leaf(now, path);
        if (leaf != NULL && (leaf->flags & MG_LEAF_PROTECTED) == 0 &&
            find_kept(guard, path) == NULL)
            mg_vec_push(arena, out, (mg_breach){.kind = MG_BREACH_EXTRA, .path = path});
    }
    return MG_OK;
}

static int str_order(const void *a, const void *b)
{
    return mg_str_cmp(*(const mg_str *)a, *(const mg_str *)b);
}

void mg_guard_sort(mg_strs *list)
{
    size_t kept = 0;
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(mg_str), str_order);
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || !mg_str_eq(list->items[kept - 1], list->items[i]))
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

mg_status mg_guard_compare(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena,
                           mg_strs *counted, mg_strs *planted, mg_err *err)
{
    mg_breaches found = {0};
    MG_TRY(mg_guard_look(guard, now, arena, &found, err));
    mg_strs lists[2] = {0};
    for (size_t i = 0; i < found.count; i++) {
        if (found.items[i].kind != MG_BREACH_EMPTY)
            mg_strs_add(arena, &lists[found.items[i].planted ? 1 : 0], found.items[i].path);
    }
    mg_guard_sort(&lists[0]);
    mg_guard_sort(&lists[1]);
    *counted = lists[0];
    *planted = lists[1];
    return MG_OK;
}
