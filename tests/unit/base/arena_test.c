/* Memory by lifetime: what dies with whom, in which order, and what happens at the edges. */
#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char closed[64];

static void *letter(char c) /* as data for note(): a pointer that is never followed */
{
    return (void *)(uintptr_t)c;
}

static void note(void *data)
{
    const size_t len = strlen(closed);
    if (len + 1 < sizeof closed)
        closed[len] = (char)(uintptr_t)data;
}

TEST(closes_run_newest_first)
{
    mg_arena *arena = mg_arena_new(NULL);
    mg_arena_on_free(arena, note, letter('a'));
    mg_arena_on_free(arena, note, letter('b'));
    mg_arena_on_free(arena, note, letter('c'));
    mg_arena_free(arena);
    EXPECT_STR("cba", mg_str_of(closed));
}

TEST(children_are_freed_before_their_parent_closes)
{
    mg_arena *parent = mg_arena_new(NULL);
    mg_arena_on_free(parent, note, letter('p'));
    mg_arena *child = mg_arena_new(parent);
    mg_arena_on_free(child, note, letter('c'));
    mg_arena *grandchild = mg_arena_new(child);
    mg_arena_on_free(grandchild, note, letter('g'));
    mg_arena_free(parent);
    EXPECT_STR("gcp", mg_str_of(closed));
}

TEST(a_child_that_was_freed_alone_is_forgotten_by_its_parent)
{
    mg_arena *parent = mg_arena_new(NULL);
    mg_arena *a = mg_arena_new(parent), *b = mg_arena_new(parent), *c = mg_arena_new(parent);
    mg_arena_on_free(a, note, letter('a'));
    mg_arena_on_free(b, note, letter('b'));
    mg_arena_on_free(c, note, letter('c'));
    mg_arena_free(b);
    EXPECT_STR("b", mg_str_of(closed));
    mg_arena_free(c);
    mg_arena_free(a);
    EXPECT_STR("bca", mg_str_of(closed));
    mg_arena_free(parent);
    EXPECT_STR("bca", mg_str_of(closed));
}

static void register_more(void *data)
{
    mg_arena *arena = data;
    note(letter('1'));
    mg_arena_on_free(arena, note, letter('2'));
    mg_arena *late = mg_arena_new(arena); /* lost, if children were only freed once */
    mg_arena_on_free(late, note, letter('3'));
}

TEST(a_close_may_register_another_close_and_make_a_child)
{
    mg_arena *arena = mg_arena_new(NULL);
    mg_arena_on_free(arena, register_more, arena);
    mg_arena_free(arena);
    EXPECT_STR("132", mg_str_of(closed));
}

TEST(freeing_nothing_is_allowed)
{
    mg_arena_free(NULL);
}

TEST(memory_is_zeroed_aligned_and_distinct)
{
    unsigned char *last = NULL;
    for (size_t bytes = 0; bytes < 5000; bytes += 7) {
        unsigned char *p = mg_arena_alloc(t->arena, bytes);
        EXPECT(p != last);
        EXPECT_EQ(0, (uintptr_t)p % _Alignof(max_align_t));
        for (size_t i = 0; i < bytes; i++)
            EXPECT_EQ(0, p[i]);
        memset(p, 0xff, bytes);
        last = p;
    }
}

TEST(the_last_block_grows_in_place)
{
    char *p = mg_arena_grow(t->arena, NULL, 0, 100);
    memset(p, 'x', 100);
    char *q = mg_arena_grow(t->arena, p, 100, 200);
    EXPECT(p == q);
    (void)mg_arena_alloc(t->arena, 1);
    char *moved = mg_arena_grow(t->arena, q, 200, 300);
    EXPECT(moved != q);
    for (size_t i = 0; i < 100; i++)
        EXPECT_EQ('x', moved[i]);
}

TEST(large_blocks_keep_their_bytes_while_small_ones_go_on)
{
    enum { LARGE = 3 << 20 };
    unsigned char *small = mg_arena_alloc(t->arena, 10);
    unsigned char *large = mg_arena_alloc(t->arena, LARGE);
    unsigned char *after = mg_arena_alloc(t->arena, 10);
    memset(small, 1, 10);
    memset(large, 2, LARGE);
    memset(after, 3, 10);
    EXPECT_EQ(1, small[9]);
    EXPECT_EQ(2, large[0]);
    EXPECT_EQ(2, large[LARGE - 1]);
    EXPECT_EQ(3, after[0]);
    /* The small ones share a chunk: the large one did not close it. */
    EXPECT((size_t)(after - small) < 4096);
    unsigned char *grown = mg_arena_grow(t->arena, large, LARGE, 2 * LARGE);
    EXPECT_EQ(2, grown[LARGE - 1]);
}

static void exit_with_42(void *data, size_t bytes)
{
    (void)bytes;
    _exit(*(int *)data);
}

/* What becomes of a child process that runs fn: its wait status. */
static int status_of(void (*fn)(void))
{
    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit no_core = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &no_core);
        (void)signal(SIGABRT, SIG_DFL);
        fn();
        _exit(0);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    return status;
}

static volatile size_t huge = SIZE_MAX / 2;
static int code_42 = 42;
static mg_arena *volatile root; /* not lost when the process ends in the middle */

static void overflow_with_handler(void)
{
    root = mg_arena_new_root(exit_with_42, &code_42);
    (void)mg_arena_array(mg_arena_new(root), huge, 3); /* a child inherits the handler */
}

static void too_many_bytes_with_handler(void)
{
    root = mg_arena_new_root(exit_with_42, &code_42);
    (void)mg_arena_alloc(root, huge * 2 + 1);
}

static void overflow_without_handler(void)
{
    root = mg_arena_new(NULL);
    (void)mg_arena_array(root, huge, 3);
}

TEST(a_size_that_overflows_is_out_of_memory_not_a_small_block)
{
    int status = status_of(overflow_with_handler);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    status = status_of(too_many_bytes_with_handler);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

TEST(without_a_handler_out_of_memory_aborts)
{
    const int status = status_of(overflow_without_handler);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(a_handle_on_the_stack_frees_itself_and_can_be_given_away)
{
    mg_arena *kept;
    {
        MG_AUTO(mg_arena) gone = mg_arena_new(NULL);
        mg_arena_on_free(gone, note, letter('g'));
        MG_AUTO(mg_arena) given = mg_arena_new(NULL);
        mg_arena_on_free(given, note, letter('k'));
        kept = MG_TAKE(given);
        EXPECT(given == NULL);
    }
    EXPECT_STR("g", mg_str_of(closed));
    mg_arena_free(kept);
    EXPECT_STR("gk", mg_str_of(closed));
}
