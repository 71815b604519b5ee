/* store.c - how long a list of 10,000 stored attempts takes.
 *
 *     bench-store DIR     a fresh directory of the caller's; it is left filled
 *
 * Prints a line each: what, milliseconds. The list is what `loop list` asks: opened, every loop
 * read, closed.
 */
#include "../contract/store_samples.h"

#include "base/clock.h"

#include <unistd.h>

enum { LOOPS = 1000, ATTEMPTS = 10 };

static void must(mg_status s, const mg_err *err)
{
    if (s != MG_OK) {
        (void)fprintf(stderr, "bench-store: %s\n", err->text);
        exit(1);
    }
}

/* Whoever runs this may list it with the program, too. */
static mg_str user(mg_arena *arena)
{
    return mg_strf(arena, "%ju", (uintmax_t)getuid());
}

static void fill_one(mg_store *store, const char *scope, mg_err *err)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_owner owner = dead_owner();
    mg_pursuit loop = sample_loop(arena, scope);
    loop.user = user(arena);
    mg_pursuit_status stored;
    mg_str other;
    must(mg_store_begin(store, &loop, &owner, sample_now, arena, &other, err), err);
    must(mg_store_baseline(store, &loop, err), err);
    for (uint32_t n = 1; n <= ATTEMPTS; n++) {
        mg_attempt attempt = sample_attempt(arena, n, MG_VERDICT_NOT_MET);
        attempt.gap.text = (mg_str){mg_arena_alloc(arena, 3000), 3000}; /* as gaps are */
        memset((char *)(uintptr_t)attempt.gap.text.ptr, 'g', 3000);
        must(mg_store_attempt(store, &loop, &attempt, err), err);
    }
    loop.status = MG_PURSUIT_GAVE_UP;
    loop.reason = MG_WHY_ATTEMPTS_EXHAUSTED;
    must(mg_store_finish(store, &loop, &stored, err), err);
}

static double since(uint64_t from_ns)
{
    return (double)(mg_clock_ns(&mg_clock_system) - from_ns) / 1e6;
}

static void fill(const char *dir, mg_err *err)
{
    MG_AUTO(mg_store) store = NULL;
    must(mg_store_open(dir, &store, err), err);
    for (int i = 0; i < LOOPS; i++) {
        char scope[32];
        (void)snprintf(scope, sizeof scope, "%d", i);
        fill_one(store, scope, err);
    }
}

/* The best of several: what the machine does besides is not ours. */
static void list(const char *dir, mg_err *err)
{
    double best_open = 1e9, best_list = 1e9;
    for (int i = 0; i < 7; i++) {
        MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
        MG_AUTO(mg_store) store = NULL;
        mg_pursuits all;
        uint64_t from = mg_clock_ns(&mg_clock_system);
        must(mg_store_open(dir, &store, err), err);
        best_open = MG_MIN(best_open, since(from));
        from = mg_clock_ns(&mg_clock_system);
        must(mg_store_list(store, user(arena), 0, arena, &all, err), err);
        best_list = MG_MIN(best_list, since(from));
        if (all.count != LOOPS)
            exit(1);
    }
    printf("open %.3f\nlist %.3f\n", best_open, best_list);
}

int main(int argc, char **argv)
{
    mg_err err = {0};
    if (argc != 2) {
        (void)fprintf(stderr, "usage: bench-store DIR\n");
        return 2;
    }
    const uint64_t from = mg_clock_ns(&mg_clock_system);
    fill(argv[1], &err);
    printf("fill %.3f\n", since(from));
    list(argv[1], &err);
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    MG_AUTO(mg_store) store = NULL;
    mg_pursuit loop;
    must(mg_store_open(argv[1], &store, &err), &err);
    const uint64_t at = mg_clock_ns(&mg_clock_system);
    must(mg_store_load(store, user(arena), MG_STR("last"), arena, &loop, NULL, &err), &err);
    printf("load %.3f\n", since(at));
    return loop.attempt_count == ATTEMPTS ? 0 : 1;
}
