/* Lines added and deleted: known answers, then git's own on made-up texts. */
#include "data/diff.h"

#include "test.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect(const char *before, const char *after, int64_t added, int64_t deleted,
                   const char *file, int line)
{
    int64_t a = -7, d = -7;
    const bool known = mg_diff_lines(mg_str_of(before), mg_str_of(after), &a, &d);
    if (!known || a != added || d != deleted)
        test_fail(file, line, "expected +%d -%d, got +%d -%d", (int)added, (int)deleted, (int)a,
                  (int)d);
}
#define LINES(before, after, added, deleted) \
    expect(before, after, added, deleted, __FILE__, __LINE__)

TEST(lines_are_counted)
{
    LINES("", "", 0, 0);
    LINES("", "a\n", 1, 0);
    LINES("", "a", 1, 0);
    LINES("a\nb\n", "", 0, 2);
    LINES("a\nb\nc\n", "a\nx\nc\n", 1, 1);
    LINES("a\nb\nc\n", "c\nb\na\n", 2, 2);
    LINES("a\n", "a\na\n", 1, 0);
    LINES("a\nb\na\nb\n", "b\na\nb\na\n", 1, 1);
    LINES("\n\n\n", "\n\n", 0, 1);
}

TEST(a_line_end_that_is_missing_makes_a_line_another_one)
{
    LINES("a\nb", "a\nb\n", 1, 1);
    LINES("a\r\n", "a\n", 1, 1);
}

TEST(rewriting_everything_is_cheap_and_shuffling_too_much_is_not_known)
{
    mg_buf a = mg_buf_new(t->arena, 8u << 20), b = mg_buf_new(t->arena, 8u << 20);
    for (int i = 0; i < 50000; i++) {
        mg_buf_addf(&a, "old %d\n", i);
        mg_buf_addf(&b, "new %d\n", i);
    }
    int64_t added = 0, deleted = 0;
    EXPECT(mg_diff_lines(mg_buf_str(&a), mg_buf_str(&b), &added, &deleted));
    EXPECT_EQ(50000, added);
    EXPECT_EQ(50000, deleted);

    mg_buf c = mg_buf_new(t->arena, 8u << 20);
    for (int i = 0; i < 50000; i++)
        mg_buf_addf(&c, "old %d\n", (i * 7919) % 50000);
    added = deleted = -7;
    EXPECT(!mg_diff_lines(mg_buf_str(&a), mg_buf_str(&c), &added, &deleted));
    EXPECT_EQ(-7, added); /* nothing is written where nothing is known */
}

/* --- Beside git --- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static mg_str made_up(test *t, uint32_t *seed)
{
    mg_buf buf = mg_buf_new(t->arena, 1u << 16);
    for (uint32_t i = 0, n = next_random(seed) % 120; i < n; i++)
        mg_buf_addf(&buf, "line %u\n", next_random(seed) % 60);
    if (next_random(seed) % 4 == 0)
        mg_buf_adds(&buf, "no end");
    return mg_buf_str(&buf);
}

/* A few lines dropped, doubled or replaced. */
static mg_str edited(test *t, mg_str text, uint32_t *seed)
{
    mg_buf buf = mg_buf_new(t->arena, 1u << 17);
    mg_str rest = text;
    while (rest.len > 0) {
        const mg_str line = mg_str_first(rest, mg_str_find(rest, '\n', 0) + 1);
        rest = mg_str_from(rest, line.len);
        const uint32_t what = next_random(seed) % 12;
        if (what == 0)
            continue;
        if (what == 1)
            mg_buf_adds(&buf, "something else\n");
        mg_buf_add(&buf, line);
        if (what == 2)
            mg_buf_add(&buf, line);
    }
    return mg_buf_str(&buf);
}

/* "3\t1\t..." of git, or nothing where the files are equal. */
static mg_str ask_git(test *t)
{
    const char *argv[] = {"git",       "-c",        "core.autocrlf=false", "diff", "--no-index",
                          "--minimal", "--numstat", "--no-ext-diff",       "a",    "b",
                          NULL};
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(t->dir) == 0 && freopen("out", "w", stdout) != NULL)
            (void)execvp("git", (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 127)
        test_skip("there is no git");
    EXPECT(WEXITSTATUS(status) <= 1);
    return test_read(t, mg_strf(t->arena, "%s/out", t->dir).ptr);
}

TEST(the_numbers_are_those_of_git)
{
    uint32_t seed = 4711;
    for (unsigned i = 0; i < 60 / test_slowness() + 2; i++) {
        const mg_str a = made_up(t, &seed);
        const mg_str b = next_random(&seed) % 5 == 0 ? made_up(t, &seed) : edited(t, a, &seed);
        test_write(t, "a", a);
        test_write(t, "b", b);
        const mg_str said = ask_git(t);
        int64_t added = -7, deleted = -7;
        EXPECT(mg_diff_lines(a, b, &added, &deleted));
        const mg_str ours = mg_strf(t->arena, "%" PRId64 "\t%" PRId64 "\t", added, deleted);
        if (said.len == 0)
            EXPECT(added == 0 && deleted == 0);
        else
            EXPECT_STR(mg_str_cstr(t->arena, ours), mg_str_first(said, ours.len));
    }
}
