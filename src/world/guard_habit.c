/* guard_habit.c - what happens to paths while commands of the goal run.
 *
 * These commands run what the agent wrote, so what they do to a protected path is the agent's
 * doing; but for what they were seen to write before any agent ran. That is a set of exact paths:
 * a test that keeps a log excuses its log, and nothing that appears beside it.
 */
#include "world/guarded.h"

mg_status mg_guard_habit(const mg_snapshot *before, const mg_snapshot *after, mg_arena *arena,
                         mg_strs *out, mg_err *err)
{
    mg_changes changes;
    MG_TRY(mg_snapshot_delta(before, after, NULL, arena, &changes, err));
    for (size_t i = 0; i < changes.count; i++) {
        const mg_change *c = &changes.items[i];
        if (c->type == MG_CHANGE_NONE)
            continue; /* nobody saw that it was written */
        mg_strs_add(arena, out, c->path);
        if (c->type == MG_CHANGE_RENAMED)
            mg_strs_add(arena, out, c->old_path);
    }
    return MG_OK;
}

void mg_guard_take_habit(mg_guard *guard, const mg_strs *habit, mg_arena *arena)
{
    for (size_t i = 0; habit != NULL && i < habit->count; i++)
        mg_strs_add(arena, &guard->habit, mg_str_copy(arena, habit->items[i]));
    mg_guard_sort(&guard->habit);
}

static bool is_habit(const mg_guard *guard, mg_str path)
{
    size_t low = 0, high = guard->habit.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = mg_str_cmp(guard->habit.items[middle], path);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

mg_status mg_guard_touched(const mg_guard *guard, const mg_snapshot *before,
                           const mg_snapshot *after, mg_arena *arena, mg_strs *out, mg_err *err)
{
    mg_breaches found = {0};
    mg_strs touched = {0};
    MG_TRY(mg_guard_look(guard, after, arena, &found, err));
    for (size_t i = 0; i < found.count; i++) {
        const mg_breach *b = &found.items[i];
        if (b->kind != MG_BREACH_EMPTY && !b->planted && !is_habit(guard, b->path))
            mg_strs_add(arena, &touched, b->path);
    }
    for (size_t i = 0; i < guard->kept.count; i++) {
        const mg_str path = guard->kept.items[i].path;
        const mg_leaf *was = mg_tree_leaf(before, path), *is = mg_tree_leaf(after, path);
        const bool unmoved = was != NULL && is != NULL && mg_leaf_unmoved(was, is);
        if (!unmoved && !is_habit(guard, path))
            mg_strs_add(arena, &touched, path);
    }
    mg_guard_sort(&touched);
    *out = touched;
    return MG_OK;
}

void mg_guard_altered(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena, mg_strs *out)
{
    for (size_t i = 0; i < guard->start->dir_count; i++) {
        const mg_dir *dir = &guard->start->dirs[i];
        const mg_dir *there = mg_tree_dir(now, dir->path);
        for (size_t k = 0, at = 0; k < dir->count; k++) { /* both are sorted by name */
            const mg_leaf *was = &dir->leaves[k];
            while (there != NULL && at < there->count &&
                   mg_str_cmp(there->leaves[at].name, was->name) < 0)
                at++;
            const bool same = there != NULL && at < there->count &&
                              mg_str_eq(there->leaves[at].name, was->name) &&
                              mg_leaf_same(was, &there->leaves[at]);
            const mg_str path = same ? MG_STR("") : mg_path_join(arena, dir->path, was->name);
            if (!same && !is_habit(guard, path))
                mg_strs_add(arena, out, path);
        }
    }
}
