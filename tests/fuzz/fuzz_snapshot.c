/* Saved snapshots: any bytes are refused or make a snapshot that can be asked and compared. */
#include "fuzz.h"
#include "world/tree.h"

static void check(const mg_snapshot *s, mg_arena *arena)
{
    size_t leaves = 0;
    for (size_t i = 0; i < s->dir_count; i++) {
        const mg_dir *dir = &s->dirs[i];
        MUST(mg_tree_dir(s, dir->path) == dir);
        for (size_t k = 0; k < dir->count; k++, leaves++) {
            const mg_str path = mg_path_join(arena, dir->path, dir->leaves[k].name);
            mg_baseline_file file;
            MUST(mg_tree_leaf(s, path) == &dir->leaves[k]);
            (void)mg_snapshot_file(s, path, &file);
            (void)mg_snapshot_same(s, s, path);
        }
    }
    MUST(mg_snapshot_count(s) == leaves);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_snapshot *s = NULL;
    mg_err err = {0};
    if (mg_snapshot_parse((mg_str){(const char *)data, size}, arena, &s, &err) != MG_OK) {
        MUST(s == NULL && err.text[0] != '\0');
        return 0;
    }
    check(s, arena);
    mg_dir root = {.path = MG_STR("")};
    const mg_snapshot empty = {.dirs = &root, .dir_count = 1};
    mg_changes changes = {0};
    MUST(mg_snapshot_delta(&empty, s, NULL, arena, &changes, &err) == MG_OK);
    MUST(changes.count >= (s->dirs[0].unread ? 1 : 0));
    MUST(mg_snapshot_delta(s, &empty, NULL, arena, &changes, &err) == MG_OK);
    MUST(mg_snapshot_delta(s, s, NULL, arena, &changes, &err) == MG_OK);
    return 0;
}
