/* snapshot.c - how long looking at a tree takes: bench-snapshot ROOT CHANGES [STATE_DIR]
 *
 * Freezes the scope, takes the first snapshot, appends a line to CHANGES files spread over the
 * tree, then takes a warm snapshot and the delta, nine times over. The pack goes to STATE_DIR
 * (/tmp) and is removed. One line: freeze, first snapshot, median and fastest of warm
 * snapshot and delta.
 */
#include "world/snapshot.h"

#include "data/text.h"
#include "world/tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Noreturn void die(const char *what, const mg_err *err)
{
    (void)fprintf(stderr, "bench-snapshot: %s: %s\n", what, err->text);
    exit(1);
}

static void change_files(const mg_world *world, const mg_snapshot *snapshot, size_t changes,
                         mg_arena *arena)
{
    const size_t step = MG_MAX(snapshot->leaf_count / MG_MAX(changes, (size_t)1), (size_t)1);
    size_t seen = 0, done = 0;
    for (size_t i = 0; i < snapshot->dir_count; i++) {
        const mg_dir *dir = &snapshot->dirs[i];
        for (size_t k = 0; k < dir->count; k++) {
            if (!S_ISREG(dir->leaves[k].mode) || seen++ % step != 0 || done == changes)
                continue;
            const mg_str path = mg_path_join(arena, dir->path, dir->leaves[k].name);
            MG_AUTO_FD fd = mg_open_beneath(world->root, path, O_WRONLY | O_APPEND);
            if (fd >= 0 && write(fd, "changed\n", 8) == 8)
                done++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    mg_arena *arena = mg_arena_new(NULL);
    mg_err err = {0};
    int64_t changes;
    if (argc < 3 || mg_parse_int(mg_str_of(argv[2]), &changes, &err) != MG_OK || changes < 0) {
        (void)fprintf(stderr, "usage: bench-snapshot ROOT CHANGES [STATE_DIR]\n");
        return 2;
    }
    mg_world world = {0};
    const mg_scope *scope;
    const mg_snapshot *first, *warm;
    mg_pack *pack;
    const char *name = mg_strf(arena, "bench-snapshot-pack.%ld", (long)getpid()).ptr;
    const int dir = open(argc > 3 ? argv[3] : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mg_world_open(argv[1], arena, &world, &err) != MG_OK ||
        mg_pack_open(dir, name, arena, &pack, &err) != MG_OK)
        die("open", &err);
    (void)unlinkat(dir, name, 0);

    const double began = now_ms();
    if (mg_scope_freeze(&world, &(mg_scope_rules){0}, arena, &scope, &err) != MG_OK)
        die("freeze", &err);
    const double frozen = now_ms();
    if (mg_snapshot_take(&world, scope, NULL, pack, (mg_live){0}, arena, &first, &err) != MG_OK)
        die("first snapshot", &err);
    const double taken = now_ms();
    change_files(&world, first, (size_t)changes, arena);

    double rounds[ROUNDS];
    mg_changes delta = {0};
    for (size_t i = 0; i < ROUNDS; i++) {
        mg_arena *round = mg_arena_new(arena);
        const double start = now_ms();
        if (mg_snapshot_take(&world, scope, first, pack, (mg_live){0}, round, &warm, &err) !=
                MG_OK ||
            mg_snapshot_delta(first, warm, pack, round, &delta, &err) != MG_OK)
            die("warm delta", &err);
        rounds[i] = now_ms() - start;
        mg_arena_free(round);
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], by_value);
    printf("files %zu freeze_ms %.1f first_ms %.1f delta_ms %.1f fastest_ms %.1f changes %zu\n",
           mg_snapshot_count(first), frozen - began, taken - frozen, rounds[ROUNDS / 2], rounds[0],
           delta.count);
    (void)close(dir);
    mg_arena_free(arena);
    return 0;
}
