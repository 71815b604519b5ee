/* Timers and descriptors, and that nothing of the embedder's is touched. */
#include "io/loop.h"
#include "test.h"

#include <signal.h>
#include <unistd.h>

typedef struct notes {
    mg_loop *loop;
    char order[16];
    size_t count;
    mg_timer *other;
    mg_watch *watch;
    int fd;
} notes;

static uint64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void note_a(void *data)
{
    notes *n = data;
    n->order[n->count++] = 'a';
}

static void note_b(void *data)
{
    notes *n = data;
    n->order[n->count++] = 'b';
}

static void stop_other(void *data)
{
    notes *n = data;
    mg_timer_stop(n->other);
    note_a(data);
}

static void start_another(void *data)
{
    notes *n = data;
    note_a(data);
    (void)mg_timer_start(n->loop, 1, note_b, n);
}

static void read_one(void *data, int ready)
{
    notes *n = data;
    char c;
    EXPECT_EQ(MG_READABLE, ready);
    if (read(n->fd, &c, 1) == 1) {
        n->order[n->count++] = c;
    } else {
        mg_watch_stop(n->watch);
        n->order[n->count++] = '.';
    }
}

TEST(timers_run_in_the_order_of_their_time_and_once)
{
    notes n = {0};
    EXPECT_OK(mg_loop_open(&n.loop, &t->err));
    (void)mg_timer_start(n.loop, 30, note_b, &n);
    (void)mg_timer_start(n.loop, 1, note_a, &n);
    while (n.count < 2)
        mg_loop_turn(n.loop);
    mg_loop_turn(n.loop);
    mg_loop_turn(n.loop);
    EXPECT_STR("ab", mg_str_of(n.order));
    mg_loop_close(n.loop);
}

TEST(a_turn_of_an_empty_loop_returns_at_once)
{
    MG_AUTO(mg_loop) loop = NULL;
    EXPECT_OK(mg_loop_open(&loop, &t->err));
    const uint64_t began = now_ms();
    mg_loop_turn(loop);
    EXPECT(now_ms() - began < 1000);
}

TEST(a_timer_is_not_shortened_by_work_since_the_last_turn)
{
    notes n = {0};
    EXPECT_OK(mg_loop_open(&n.loop, &t->err));
    (void)mg_timer_start(n.loop, 1, note_a, &n);
    mg_loop_turn(n.loop);
    (void)usleep(60000); /* the work */
    const uint64_t began = now_ms();
    (void)mg_timer_start(n.loop, 50, note_b, &n);
    while (n.count < 2)
        mg_loop_turn(n.loop);
    EXPECT(now_ms() - began >= 49);
    mg_loop_close(n.loop);
}

TEST(a_callback_may_stop_another_and_start_one)
{
    notes n = {0};
    EXPECT_OK(mg_loop_open(&n.loop, &t->err));
    n.other = mg_timer_start(n.loop, 2, note_b, &n);
    (void)mg_timer_start(n.loop, 1, stop_other, &n);
    while (n.count < 1)
        mg_loop_turn(n.loop);
    (void)usleep(5000);
    mg_loop_turn(n.loop);
    EXPECT_STR("a", mg_str_of(n.order));
    (void)mg_timer_start(n.loop, 1, start_another, &n);
    while (n.count < 3)
        mg_loop_turn(n.loop);
    EXPECT_STR("aab", mg_str_of(n.order));
    mg_loop_close(n.loop);
}

TEST(a_descriptor_is_read_until_its_end)
{
    int ends[2];
    notes n = {0};
    EXPECT_EQ(0, pipe(ends));
    EXPECT_OK(mg_loop_open(&n.loop, &t->err));
    n.fd = ends[0];
    n.watch = mg_watch_start(n.loop, ends[0], MG_READABLE, read_one, &n, &t->err);
    EXPECT(n.watch != NULL);
    EXPECT_EQ(2, write(ends[1], "xy", 2));
    (void)close(ends[1]);
    while (n.count < 3)
        mg_loop_turn(n.loop);
    EXPECT_STR("xy.", mg_str_of(n.order));
    /* The same number can be watched again at once. */
    n.watch = mg_watch_start(n.loop, ends[0], MG_READABLE, read_one, &n, &t->err);
    EXPECT(n.watch != NULL);
    mg_loop_close(n.loop); /* with a watch still running */
    (void)close(ends[0]);
}

TEST(a_descriptor_that_cannot_be_watched_is_an_error)
{
    MG_AUTO(mg_loop) loop = NULL;
    notes n = {0};
    EXPECT_OK(mg_loop_open(&loop, &t->err));
    EXPECT(mg_watch_start(loop, 999, MG_READABLE, read_one, &n, &t->err) == NULL);
    EXPECT_ERR_CONTAINS("999");
    test_write(t, "file", MG_STR("x")); /* epoll refuses regular files */
    char path[128];
    (void)snprintf(path, sizeof path, "%s/file", t->dir);
    FILE *file = fopen(path, "r");
    EXPECT(file != NULL);
    EXPECT(mg_watch_start(loop, fileno(file), MG_READABLE, read_one, &n, &t->err) == NULL);
    (void)fclose(file);
}

TEST(no_signal_handler_is_installed)
{
    struct sigaction before[65], after;
    for (int sig = 1; sig < 65; sig++)
        (void)sigaction(sig, NULL, &before[sig]);
    notes n = {0};
    EXPECT_OK(mg_loop_open(&n.loop, &t->err));
    (void)mg_timer_start(n.loop, 1, note_a, &n);
    mg_loop_turn(n.loop);
    for (int sig = 1; sig < 65; sig++) {
        (void)sigaction(sig, NULL, &after);
        EXPECT(before[sig].sa_handler == after.sa_handler);
    }
    mg_loop_close(n.loop);
}

typedef struct guest {
    mg_tenant tenant;
    int evicted;
} guest;

static void evict_guest(void *data)
{
    guest *g = data;
    g->evicted++;
    mg_loop_leave(&g->tenant);
}

TEST(closing_ends_what_lives_on_the_loop)
{
    mg_loop *loop;
    guest a = {.tenant = {.evict = evict_guest, .data = &a}};
    guest b = {.tenant = {.evict = evict_guest, .data = &b}};
    guest c = {.tenant = {.evict = evict_guest, .data = &c}};
    EXPECT_OK(mg_loop_open(&loop, &t->err));
    mg_loop_join(loop, &a.tenant);
    mg_loop_join(loop, &b.tenant);
    mg_loop_join(loop, &c.tenant);
    mg_loop_leave(&b.tenant);
    mg_loop_leave(&b.tenant);
    mg_loop_close(loop);
    EXPECT_EQ(1, a.evicted);
    EXPECT_EQ(0, b.evicted);
    EXPECT_EQ(1, c.evicted);
    mg_loop_close(NULL);
}
