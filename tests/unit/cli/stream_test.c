/* Writing beside a loop: everything arrives, and nobody is waited for who does not read. */
#include "cli/stream.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

TEST(everything_arrives_in_order)
{
    int ends[2];
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC));
    mg_stream *s = mg_stream_open(&(mg_stream_options){.fd = ends[1]});
    mg_buf want = mg_buf_new(t->arena, 1u << 20), got = mg_buf_new(t->arena, 1u << 20);
    for (unsigned i = 0; i < 1000; i++) {
        const mg_str line = mg_strf(t->arena, "line %u\n", i);
        mg_buf_add(&want, line);
        mg_stream_add(s, line);
    }
    EXPECT(mg_stream_close(s, t->arena) == NULL);
    (void)close(ends[1]);
    EXPECT_OK(mg_fd_read_all(ends[0], &got, &t->err));
    EXPECT(mg_str_eq(mg_buf_str(&want), mg_buf_str(&got)));
    (void)close(ends[0]);
}

TEST(a_reader_that_is_gone_is_told_of_once)
{
    int ends[2];
    (void)signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC));
    (void)close(ends[0]);
    mg_stream *s = mg_stream_open(&(mg_stream_options){.fd = ends[1]});
    mg_stream_add(s, MG_STR("x\n"));
    const char *why = NULL;
    for (int i = 0; i < 500 && why == NULL; i++) {
        (void)usleep(10000);
        why = mg_stream_lost(s);
    }
    EXPECT(why != NULL);
    EXPECT_CONTAINS(mg_str_of(why), "went away");
    EXPECT(mg_stream_lost(s) == NULL);
    mg_stream_add(s, MG_STR("more\n"));
    EXPECT(mg_stream_close(s, t->arena) == NULL);
    (void)close(ends[1]);
}

TEST(a_reader_that_sleeps_holds_nobody_up_for_ever)
{
    int ends[2];
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC));
    mg_stream *s = mg_stream_open(&(mg_stream_options){.fd = ends[1]});
    char *block = mg_arena_alloc(t->arena, 1u << 20);
    memset(block, 'x', 1u << 20);
    const uint64_t began = now_ms();
    mg_stream_add(s, (mg_str){block, 1u << 20});
    EXPECT(now_ms() - began < 1000); /* adding does not wait */
    EXPECT_CONTAINS(mg_str_of(mg_stream_close(s, t->arena)), "does not read");
    EXPECT(now_ms() - began < 20000);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(more_than_the_queue_takes_ends_the_stream_not_the_loop)
{
    int ends[2];
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC));
    mg_stream *s = mg_stream_open(&(mg_stream_options){.fd = ends[1]});
    char *block = mg_arena_alloc(t->arena, 3u << 20);
    const uint64_t began = now_ms();
    for (int i = 0; i < 50; i++)
        mg_stream_add(s, (mg_str){block, 3u << 20});
    EXPECT(now_ms() - began < 20000);
    EXPECT_CONTAINS(mg_str_of(mg_stream_lost(s)), "does not keep up");
    (void)mg_stream_close(s, t->arena);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static mg_str status(void *data, mg_arena *scratch)
{
    unsigned *times = data;
    return mg_strf(scratch, "status %u", ++*times);
}

TEST(a_status_line_is_drawn_anew_and_cleared_at_the_end)
{
    int ends[2];
    unsigned times = 0;
    EXPECT_EQ(0, pipe2(ends, O_CLOEXEC));
    mg_stream *s = mg_stream_open(&(mg_stream_options){ends[1], 10, status, &times});
    (void)usleep(100000);
    mg_stream_add(s, MG_STR("a line\n"));
    (void)usleep(50000);
    EXPECT(mg_stream_close(s, t->arena) == NULL);
    (void)close(ends[1]);
    mg_buf got = mg_buf_new(t->arena, 1u << 20);
    EXPECT_OK(mg_fd_read_all(ends[0], &got, &t->err));
    EXPECT_CONTAINS(mg_buf_str(&got), "status 1\r\033[Kstatus 2");
    EXPECT_CONTAINS(mg_buf_str(&got), "\r\033[Ka line\nstatus ");
    EXPECT(mg_str_ends(mg_buf_str(&got), "\r\033[K"));
    (void)close(ends[0]);
}

TEST(no_stream_takes_everything)
{
    mg_stream_add(NULL, MG_STR("x"));
    EXPECT(mg_stream_lost(NULL) == NULL && mg_stream_close(NULL, t->arena) == NULL);
}
