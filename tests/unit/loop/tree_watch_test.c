/* Being told of changes: whatever the moment in which a directory appears. */
#include "base/vec.h"
#include "loop/tree_watch.h"
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct watched {
    int fd;
    mg_loop *loop;
    mg_world world;
    const mg_scope *scope;
    mg_tree_watch *watch;
    unsigned told;
    bool over;
} watched;

static void told(void *data)
{
    ((watched *)data)->told++;
}

static void over(void *data)
{
    ((watched *)data)->over = true;
}

static watched *begin(test *t, const char *path, bool whole)
{
    watched *w = mg_new(t->arena, watched);
    mg_strs paths = {0};
    if (path != NULL)
        mg_strs_add(t->arena, &paths, mg_str_of(path));
    EXPECT_OK(mg_world_open(t->dir, t->arena, &w->world, &t->err));
    EXPECT_OK(mg_scope_freeze(&w->world, &(mg_scope_rules){0}, t->arena, &w->scope, &t->err));
    EXPECT_OK(mg_loop_open(&w->loop, &t->err));
    EXPECT_OK(mg_tree_watch_open(&w->fd, &t->err));
    const mg_tree_watch_options options = {.fd = w->fd,
                                           .loop = w->loop,
                                           .world = &w->world,
                                           .scope = w->scope,
                                           .paths = paths,
                                           .whole = whole,
                                           .changed = told,
                                           .data = w};
    EXPECT_OK(mg_tree_watch_start(&options, t->arena, &w->watch, &t->err));
    return w;
}

static void end(watched *w)
{
    mg_tree_watch_stop(w->watch);
    mg_loop_close(w->loop);
    (void)close(w->fd);
}

/* Turns for that long; whether something was told meanwhile. Arms as the watcher does. */
static bool told_within(watched *w, uint64_t ms)
{
    const unsigned before = w->told;
    mg_timer *timer = mg_timer_start(w->loop, ms, over, w);
    w->over = false;
    while (!w->over && w->told == before)
        mg_loop_turn(w->loop);
    if (!w->over)
        mg_timer_stop(timer);
    mg_tree_watch_arm(w->watch);
    return w->told != before;
}

static void settle(watched *w)
{
    while (told_within(w, 30))
        ;
}

static bool is_there(const watched *w, const char *path)
{
    struct stat st;
    return fstatat(w->world.root, path, &st, 0) == 0;
}

static const char deep[] = "a/b/c/d/out.txt";

/* A process that makes the way directory by directory, with pauses of chance in between. */
static pid_t make_way(const watched *w, unsigned seed)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    char dir[sizeof deep];
    (void)memcpy(dir, deep, sizeof deep);
    for (char *slash = dir; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        (void)mkdirat(w->world.root, dir, 0700);
        seed = seed * 1103515245 + 12345;
        if ((seed >> 16) % 3 > 0)
            (void)usleep((seed >> 18) % 200);
    }
    (void)close(openat(w->world.root, deep, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    _exit(0);
}

TEST(no_moment_is_missed_while_directories_appear)
{
    for (unsigned round = 0; round < 300 / test_slowness(); round++) {
        watched *w = begin(t, deep, false);
        const pid_t pid = make_way(w, round);
        bool seen = false; /* whoever looks only when told must see it in the end */
        while (!seen && told_within(w, 5000UL * test_slowness()))
            seen = is_there(w, deep);
        EXPECT_EQ(pid, waitpid(pid, NULL, 0));
        EXPECT(seen);
        end(w);
        static const char *const ways[] = {deep, "a/b/c/d", "a/b/c", "a/b", "a"};
        for (size_t i = 0; i < MG_COUNT(ways); i++)
            EXPECT_EQ(0, unlinkat(t->dir_fd, ways[i], i > 0 ? AT_REMOVEDIR : 0));
    }
}

TEST(an_ancestor_that_is_renamed_is_told_of)
{
    test_write(t, "a/b/c/out.txt", MG_STR("x"));
    watched *w = begin(t, "a/b/c/out.txt", false);
    settle(w);
    EXPECT_EQ(0, renameat(t->dir_fd, "a", t->dir_fd, "z"));
    EXPECT(told_within(w, 5000));
    settle(w);
    EXPECT_EQ(0, renameat(t->dir_fd, "z", t->dir_fd, "a"));
    EXPECT(told_within(w, 5000));
    settle(w);
    test_write(t, "a/b/c/out.txt", MG_STR("y"));
    EXPECT(told_within(w, 5000));
    end(w);
}

TEST(what_is_elsewhere_is_not_told_of)
{
    test_write(t, "a/out.txt", MG_STR("x"));
    test_write(t, "other/deep/file", MG_STR("x"));
    watched *w = begin(t, "a/out.txt", false);
    settle(w);
    test_write(t, "other/deep/file", MG_STR("y"));
    EXPECT(!told_within(w, 200));
    end(w);
}

TEST(the_whole_tree_is_watched_but_for_what_is_ignored)
{
    test_write(t, ".gitignore", MG_STR("build/\n"));
    test_write(t, "src/a/b/file", MG_STR("x"));
    test_write(t, "build/deep/file", MG_STR("x"));
    watched *w = begin(t, NULL, true);
    settle(w);
    test_write(t, "src/a/b/file", MG_STR("y"));
    EXPECT(told_within(w, 5000));
    settle(w);
    test_write(t, "src/new/er/est", MG_STR("y"));
    EXPECT(told_within(w, 5000));
    settle(w);
    test_write(t, "src/new/er/est", MG_STR("z"));
    EXPECT(told_within(w, 5000));
    settle(w);
    test_write(t, "build/deep/file", MG_STR("y"));
    EXPECT(!told_within(w, 200));
    end(w);
}

TEST(a_link_out_of_the_root_is_not_followed)
{
    char outside[] = "/tmp/makegood-outside-XXXXXX";
    EXPECT(mkdtemp(outside) != NULL);
    EXPECT_EQ(0, symlinkat(outside, t->dir_fd, "link"));
    watched *w = begin(t, "link/out.txt", true);
    settle(w);
    const int fd =
        open(mg_strf(t->arena, "%s/out.txt", outside).ptr, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    EXPECT(fd >= 0);
    (void)close(fd);
    const bool heard = told_within(w, 200);
    (void)unlink(mg_strf(t->arena, "%s/out.txt", outside).ptr);
    (void)rmdir(outside);
    EXPECT(!heard);
    end(w);
}

TEST(one_descriptor_serves_one_watch_after_the_other)
{
    watched *w = begin(t, "a/out.txt", false);
    mg_tree_watch_stop(w->watch);
    test_write(t, "a/out.txt", MG_STR("x")); /* while nobody watched */
    const mg_tree_watch_options options = {.fd = w->fd,
                                           .loop = w->loop,
                                           .world = &w->world,
                                           .scope = w->scope,
                                           .whole = true,
                                           .changed = told,
                                           .data = w};
    EXPECT_OK(mg_tree_watch_start(&options, t->arena, &w->watch, &t->err));
    EXPECT(!told_within(w, 100));
    test_write(t, "a/out.txt", MG_STR("y"));
    EXPECT(told_within(w, 5000));
    end(w);
}

TEST(stopping_nothing_is_fine)
{
    mg_tree_watch_stop(NULL);
}
