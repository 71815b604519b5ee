/* .gitignore rules: one by one, then git's own answer on made-up trees. */
#include "data/ignore.h"

#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static mg_ignore *rules(test *t, const char *text)
{
    mg_ignore *ignore = mg_ignore_new(t->arena);
    EXPECT_OK(mg_ignore_add(ignore, MG_STR(""), mg_str_of(text), &t->err));
    return ignore;
}

static bool ignored(const mg_ignore *ignore, const char *path)
{
    const mg_str s = mg_str_of(path);
    const bool is_dir = mg_str_ends(s, "/");
    return mg_ignore_path(ignore, mg_str_first(s, s.len - (is_dir ? 1 : 0)), is_dir);
}

TEST(a_name_is_ignored_at_every_depth_and_a_path_only_where_it_is_anchored)
{
    const mg_ignore *i = rules(t, "name\n/top\na/b\n*.log\n");
    EXPECT(ignored(i, "name") && ignored(i, "x/y/name") && ignored(i, "name/inside"));
    EXPECT(ignored(i, "top") && !ignored(i, "x/top"));
    EXPECT(ignored(i, "a/b") && !ignored(i, "x/a/b"));
    EXPECT(ignored(i, "x/.log") && ignored(i, "y.log") && !ignored(i, "y.logs"));
}

TEST(the_last_rule_wins_but_nothing_comes_back_out_of_an_ignored_directory)
{
    const mg_ignore *i = rules(t, "*.txt\n!keep.txt\nout/\n!out/keep.txt\nbin/*\n!bin/keep\n");
    EXPECT(ignored(i, "a.txt") && !ignored(i, "keep.txt") && !ignored(i, "x/keep.txt"));
    EXPECT(ignored(i, "out/keep.txt"));
    EXPECT(ignored(i, "bin/x") && !ignored(i, "bin/keep") && !ignored(i, "bin/"));
}

TEST(a_slash_at_the_end_is_about_directories)
{
    const mg_ignore *i = rules(t, "build/\n");
    EXPECT(ignored(i, "build/") && ignored(i, "x/build/") && ignored(i, "build/a"));
    EXPECT(!ignored(i, "build"));
}

TEST(comments_blanks_escapes_and_line_ends)
{
    const mg_ignore *i = rules(t, "\xef\xbb\xbf"
                                  "first\n# no\n\\#yes\n\\!yes\nblank   \nkept\\ \n\ncr\r\n!\n/\n");
    EXPECT(ignored(i, "first"));
    EXPECT(!ignored(i, "# no") && ignored(i, "#yes") && ignored(i, "!yes"));
    EXPECT(ignored(i, "blank") && ignored(i, "kept ") && !ignored(i, "kept") && ignored(i, "cr"));
    EXPECT(!ignored(i, "anything"));
}

TEST(deeper_files_win)
{
    mg_ignore *i = rules(t, "*.o\n");
    EXPECT_OK(mg_ignore_add(i, MG_STR("a"), MG_STR("!keep.o\n/here\n"), &t->err));
    EXPECT_OK(mg_ignore_add(i, MG_STR("a/b"), MG_STR("keep.o\n"), &t->err));
    EXPECT(ignored(i, "keep.o") && !ignored(i, "a/keep.o") && !ignored(i, "a/c/keep.o"));
    EXPECT(ignored(i, "a/b/keep.o") && ignored(i, "a/b/c/keep.o"));
    EXPECT(ignored(i, "a/here") && !ignored(i, "a/b/here") && !ignored(i, "here"));
}

TEST(patterns_match_as_git_has_it)
{
    static const struct {
        const char *pattern, *text;
        bool match;
    } rows[] = {
        {"a/**", "a/b/c", true},
        {"a/**", "a", false},
        {"**/c", "c", true},
        {"**/c", "a/b/c", true},
        {"a/**/c", "a/c", true},
        {"a/**/c", "a/x/y/c", true},
        {"a/**/c", "ac", false},
        {"a**c", "abc", true},
        {"a**c", "a/c", false},
        {"a/*", "a/b/c", false},
        {"a?c", "a/c", false},
        {"[a-c]x", "bx", true},
        {"[!a-c]x", "dx", true},
        {"[^a]", "/", false},
        {"[]x]", "]", true},
        {"[[:digit:]]", "7", true},
        {"[[:digit:]]", "x", false},
        {"[[:nope:]]", "n", false},
        {"[a", "[a", false},
        {"a\\", "a\\", false},
        {"a\\*", "a*", true},
        {"a\\*", "ab", false},
        {"[\\]]", "]", true},
        {"[a-]", "-", true},
        {"*/*/x", "a/b/x", true},
        {"***/x", "a/b/x", true},
        {"**", "a/b", true},
        {"a/**/**/c", "a/c", true},
        {"*a*b*c", "xaybzc", true},
        {"*a*b*c", "xaybz", false},
        {"**/a/*.x", "a/b/a/q.x", true},
        {"\xc3?", "\xc3\xa9", true},
        {"[[:upper:][:digit:]]", "Q", true},
    };
    for (size_t i = 0; i < MG_COUNT(rows); i++) {
        if (mg_ignore_wildmatch(mg_str_of(rows[i].pattern), mg_str_of(rows[i].text)) !=
            rows[i].match)
            test_fail(__FILE__, __LINE__, "'%s' and '%s'", rows[i].pattern, rows[i].text);
    }
}

TEST(a_hostile_pattern_takes_no_time)
{
    mg_buf p = mg_buf_new(t->arena, 100000), s = mg_buf_new(t->arena, 100000);
    for (int i = 0; i < 500; i++)
        mg_buf_adds(&p, "**/*a");
    mg_buf_fill(&s, 'a', 4000);
    mg_buf_adds(&p, "b");
    EXPECT(!mg_ignore_wildmatch(mg_buf_str(&p), mg_buf_str(&s)));
}

TEST(too_many_rules_are_an_error)
{
    mg_buf text = mg_buf_new(t->arena, 1u << 20);
    for (int i = 0; i < 110000; i++)
        mg_buf_adds(&text, "x\n");
    mg_ignore *ignore = mg_ignore_new(t->arena);
    EXPECT_EQ(MG_ERR_LIMIT, mg_ignore_add(ignore, MG_STR(""), mg_buf_str(&text), &t->err));
}

/* --- Beside git --- */

static uint32_t seed = 99;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static const char *const names[] = {"a",   "b",   "ab",    "a.o", "b.c",
                                    "x y", "[z]", "build", "c#",  "!d"};
static const char *const parts[] = {"a",   "b",   "*",     "**",    "*.o",         "?b",  "[ab]",
                                    "a*",  "*b*", "[!a]",  "build", "x\\ y",       "x y", "\\[z]",
                                    "b.c", "***", "[a-c]", "**b",   "[[:alpha:]]", "*.?"};

static mg_str made_up_rules(test *t)
{
    mg_buf buf = mg_buf_new(t->arena, 4096);
    for (uint32_t i = 0, n = pick(6) + 1; i < n; i++) {
        mg_buf_adds(&buf, pick(4) == 0 ? "!" : "");
        mg_buf_adds(&buf, pick(4) == 0 ? "/" : "");
        for (uint32_t k = 0, depth = pick(3) + 1; k < depth; k++)
            mg_buf_addf(&buf, "%s%s", k > 0 ? "/" : "", parts[pick(MG_COUNT(parts))]);
        mg_buf_adds(&buf, pick(4) == 0 ? "/" : "");
        mg_buf_adds(&buf, pick(6) == 0 ? "  \n" : "\n");
    }
    return mg_buf_str(&buf);
}

typedef struct tree {
    mg_strs paths; /* a directory ends in '/' */
    mg_ignore *ignore;
} tree;

static void make_tree(test *t, const char *dir, unsigned depth, tree *out)
{
    if (depth == 0 || pick(3) == 0) {
        const mg_str text = made_up_rules(t);
        test_write(t, mg_strf(t->arena, "%s.gitignore", dir).ptr, text);
        const mg_str where = mg_str_of(dir);
        EXPECT_OK(mg_ignore_add(out->ignore, mg_str_first(where, where.len > 0 ? where.len - 1 : 0),
                                text, &t->err));
    }
    for (size_t i = 0; i < MG_COUNT(names); i++) {
        if (pick(3) == 0)
            continue;
        if (depth < 3 && pick(3) == 0) {
            const char *sub = mg_strf(t->arena, "%s%s/", dir, names[i]).ptr;
            test_mkdir(t, mg_str_cstr(t->arena, mg_str_first(mg_str_of(sub), strlen(sub) - 1)));
            mg_strs_add(t->arena, &out->paths, mg_str_of(sub));
            make_tree(t, sub, depth + 1, out);
        } else {
            const mg_str file = mg_strf(t->arena, "%s%s", dir, names[i]);
            test_write(t, file.ptr, MG_STR("x"));
            mg_strs_add(t->arena, &out->paths, file);
        }
    }
}

static int run_git(test *t, const char *const argv[])
{
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
        (void)setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
        (void)setenv("XDG_CONFIG_HOME", t->dir, 1);
        if (chdir(t->dir) < 0)
            _exit(126);
        if (strcmp(argv[1], "check-ignore") == 0 &&
            (freopen(".git/in", "r", stdin) == NULL || freopen(".git/out", "w", stdout) == NULL))
            _exit(126);
        (void)execvp("git", (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == 127)
        test_skip("there is no git");
    return WEXITSTATUS(status);
}

static void clear_tree(test *t)
{
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execlp("rm", "rm", "-rf", t->dir, NULL);
        _exit(127);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
    EXPECT(mkdir(t->dir, 0700) == 0);
    (void)close(t->dir_fd);
    t->dir_fd = open(t->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

TEST(the_answers_are_those_of_git)
{
    for (unsigned round = 0; round < 25 / test_slowness() + 1; round++) {
        tree made = {.ignore = mg_ignore_new(t->arena)};
        clear_tree(t);
        EXPECT_EQ(0, run_git(t, (const char *const[]){"git", "init", "-q", ".", NULL}));
        make_tree(t, "", 0, &made);
        mg_buf ask = mg_buf_new(t->arena, 1u << 20);
        for (size_t i = 0; i < made.paths.count; i++) {
            const mg_str path = made.paths.items[i]; /* git looks itself what is a directory */
            mg_buf_add(&ask, mg_str_first(path, path.len - (mg_str_ends(path, "/") ? 1 : 0)));
            mg_buf_addc(&ask, '\0');
        }
        test_write(t, ".git/in", mg_buf_str(&ask));
        EXPECT(run_git(t, (const char *const[]){"git", "check-ignore", "--stdin", "-z",
                                                "--no-index", NULL}) <= 1);
        mg_str said = test_read(t, mg_strf(t->arena, "%s/.git/out", t->dir).ptr);
        for (size_t i = 0; i < made.paths.count; i++) {
            const mg_str path = made.paths.items[i];
            const mg_str next = mg_str_first(said, mg_str_find(said, '\0', 0));
            const size_t len = path.len - (mg_str_ends(path, "/") ? 1 : 0);
            const bool theirs = said.len > 0 && mg_str_eq(next, mg_str_first(path, len));
            if (theirs)
                said = mg_str_from(said, next.len + 1);
            if (theirs != ignored(made.ignore, path.ptr))
                test_fail(__FILE__, __LINE__, "round %u: git says %d of '%s', root rules: " MG_FMT,
                          round, theirs, path.ptr,
                          MG_ARG(test_read(t, mg_strf(t->arena, "%s/.gitignore", t->dir).ptr)));
        }
        EXPECT_EQ(0, said.len);
    }
}
