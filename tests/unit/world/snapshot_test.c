/* Looking at a workspace: what is seen, and what cannot hide. */
#include "tree_tools.h"

#include "world/tree.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

static bool has(const mg_snapshot *s, const char *path)
{
    mg_baseline_file file;
    return mg_snapshot_file(s, mg_str_of(path), &file) && file.existed;
}

TEST(a_snapshot_lists_files_and_knows_their_content)
{
    test_write(t, "w/a.txt", MG_STR("hello\n"));
    test_write(t, "w/sub/b.txt", MG_STR("there\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    EXPECT_EQ(2, mg_snapshot_count(s));
    mg_baseline_file file;
    EXPECT(mg_snapshot_file(s, MG_STR("./a.txt"), &file) && file.existed);
    EXPECT(mg_hash_eq(file.hash, mg_hash_bytes(MG_STR("hello\n"))));
    EXPECT(mg_snapshot_file(s, MG_STR("sub/b.txt"), &file) && file.existed);
    EXPECT(mg_snapshot_file(s, MG_STR("none"), &file) && !file.existed);
    EXPECT(mg_snapshot_file(s, MG_STR("sub"), &file) && !file.existed);
}

TEST(what_a_link_leads_to_is_not_known_rather_than_absent)
{
    test_write(t, "w/real", MG_STR("x"));
    test_write(t, "w/dir/f", MG_STR("x"));
    EXPECT(symlinkat("real", t->dir_fd, "w/link") == 0);
    EXPECT(symlinkat("dir", t->dir_fd, "w/dirlink") == 0);
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    mg_baseline_file file;
    EXPECT(!mg_snapshot_file(s, MG_STR("link"), &file));
    EXPECT(!mg_snapshot_file(s, MG_STR("dirlink/f"), &file));
    EXPECT(!mg_snapshot_file(s, MG_STR("dir/../real"), &file));
}

TEST(git_and_what_is_ignored_are_out_of_scope_unless_named_or_protected)
{
    test_write(t, "w/.gitignore", MG_STR("out/\n*.log\n"));
    test_write(t, "w/sub/.gitignore", MG_STR("!keep.log\n"));
    test_write(t, "w/.git/config", MG_STR("x"));
    test_write(t, "w/.git/hooks/pre-commit", MG_STR("x"));
    test_write(t, "w/out/a/b", MG_STR("x"));
    test_write(t, "w/out/a/named", MG_STR("x"));
    test_write(t, "w/out/guarded/c", MG_STR("x"));
    test_write(t, "w/x.log", MG_STR("x"));
    test_write(t, "w/sub/keep.log", MG_STR("x"));
    test_write(t, "w/vendor/big", MG_STR("x"));
    test_write(t, "w/cache/x", MG_STR("x"));
    const place p =
        open_place(t, "vendor/** cache", "out/guarded/** .git/hooks/**", "./out/a//named");
    const mg_snapshot *s = snap(t, &p, NULL);
    EXPECT(has(s, "out/a/named") && has(s, "out/guarded/c") && has(s, "sub/keep.log"));
    EXPECT(has(s, ".git/hooks/pre-commit") && has(s, ".gitignore"));
    EXPECT(!has(s, "out/a/b") && !has(s, "x.log") && !has(s, "vendor/big") && !has(s, "cache/x") &&
           !has(s, ".git/config"));
    EXPECT_EQ(6, mg_snapshot_count(s));
    EXPECT(mg_scope_ignores(p.scope, MG_STR("out/a/named"), false));
    EXPECT(!mg_scope_ignores(p.scope, MG_STR("sub/keep.log"), false));
    EXPECT(mg_scope_protects(p.scope, MG_STR("out/guarded/new/thing")));
    EXPECT(!mg_scope_protects(p.scope, MG_STR("out/guarded")));
    /* The same again, by way of the snapshot before. */
    EXPECT_EQ(6, mg_snapshot_count(snap(t, &p, s)));
}

TEST(stars_do_not_reach_into_the_repository)
{
    test_write(t, "w/.git/config", MG_STR("x"));
    test_write(t, "w/a", MG_STR("x"));
    const place p = open_place(t, NULL, "**", NULL);
    EXPECT_EQ(1, mg_snapshot_count(snap(t, &p, NULL)));
    EXPECT(!mg_scope_protects(p.scope, MG_STR(".git/config")));
}

TEST(rules_that_are_written_later_hide_nothing)
{
    test_write(t, "w/a", MG_STR("x\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    test_write(t, "w/.gitignore", MG_STR("*\n"));
    test_write(t, "w/new", MG_STR("x\ny\n"));
    EXPECT_CHANGES("created .gitignore +1 -0 | created new +2 -0", s);
}

TEST(ignored_directories_are_not_even_opened)
{
    be_ordinary(t);
    test_write(t, "w/.gitignore", MG_STR("closed/\n"));
    test_write(t, "w/closed/x", MG_STR("x"));
    EXPECT(fchmodat(t->dir_fd, "w/closed", 0, 0) == 0);
    const place p = open_place(t, NULL, NULL, NULL);
    EXPECT_EQ(1, mg_snapshot_count(snap(t, &p, NULL)));
    EXPECT(fchmodat(t->dir_fd, "w/closed", 0700, 0) == 0);
}

TEST(odd_names_are_just_names)
{
    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    test_write(t, "w/with\nnewline", MG_STR("x"));
    test_write(t, "w/\xff\xfe", MG_STR("x"));
    test_write(t, "w/ blank ", MG_STR("x"));
    test_write(t, mg_strf(t->arena, "w/%s", longest).ptr, MG_STR("x"));
    test_write(t, "w/-rf", MG_STR("x"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    EXPECT(has(s, "with\nnewline") && has(s, "\xff\xfe") && has(s, " blank ") && has(s, longest));
    EXPECT_EQ(5, mg_snapshot_count(s));
}

/* mkdir and chdir, level by level: no path is ever too long for that. */
static void dig(test *t, unsigned levels)
{
    test_mkdir(t, "w");
    MG_AUTO_FD at = openat(t->dir_fd, "w", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; i < levels; i++) {
        EXPECT(mkdirat(at, "dddddddddd", 0777) == 0);
        const int next = openat(at, "dddddddddd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        (void)close(at);
        at = next;
    }
    MG_AUTO_FD file = openat(at, "leaf", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    EXPECT(file >= 0);
}

TEST(deep_trees_are_walked_and_bottomless_ones_are_an_error)
{
    dig(t, 300);
    place p = open_place(t, NULL, NULL, NULL);
    EXPECT_EQ(1, mg_snapshot_count(snap(t, &p, NULL)));
    sh(t, "rm -rf *");
    dig(t, 600);
    const mg_snapshot *s = NULL;
    EXPECT_EQ(MG_ERR_LIMIT, mg_snapshot_take(&p.world, p.scope, NULL, p.pack, (mg_live){0},
                                             t->arena, &s, &t->err));
    EXPECT(s == NULL);
    EXPECT_ERR_CONTAINS("nested too deeply");
    sh(t, "rm -rf *");
}

TEST(links_are_never_followed)
{
    test_write(t, "outside/secret", MG_STR("x"));
    test_write(t, "w/d/f", MG_STR("x"));
    EXPECT(symlinkat("../outside", t->dir_fd, "w/out") == 0);
    EXPECT(symlinkat(".", t->dir_fd, "w/loop") == 0);
    EXPECT(symlinkat("self", t->dir_fd, "w/self") == 0);
    const place p = open_place(t, NULL, NULL, NULL);
    EXPECT_EQ(4, mg_snapshot_count(snap(t, &p, NULL)));
}

TEST(a_root_that_is_a_link_is_fine)
{
    test_write(t, "w/a", MG_STR("x"));
    EXPECT(symlinkat("w", t->dir_fd, "alias") == 0);
    place p = open_place(t, NULL, NULL, NULL);
    EXPECT_OK(
        mg_world_open(mg_strf(t->arena, "%s/alias", t->dir).ptr, t->arena, &p.world, &t->err));
    EXPECT_EQ(1, mg_snapshot_count(snap(t, &p, NULL)));
}

TEST(fifos_and_sockets_are_noted_and_never_opened)
{
    test_mkdir(t, "w");
    EXPECT(mkfifoat(t->dir_fd, "w/fifo", 0600) == 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/w/socket", t->dir);
    MG_AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    EXPECT_EQ(2, mg_snapshot_count(s));
    EXPECT(!has(s, "fifo"));
    EXPECT_CHANGES("", s);
    EXPECT(unlinkat(t->dir_fd, "w/fifo", 0) == 0);
    test_write(t, "w/fifo", MG_STR("a file now\n"));
    EXPECT_CHANGES("modified fifo +-1 --1", s);
}

/* --- What cannot hide --- */

TEST(an_edit_of_the_same_size_with_the_old_time_is_seen)
{
    test_write(t, "w/a", MG_STR("good\n"));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    struct stat st;
    EXPECT(fstatat(t->dir_fd, "w/a", &st, 0) == 0);
    let_time_pass();
    test_write(t, "w/a", MG_STR("evil\n"));
    EXPECT(utimensat(t->dir_fd, "w/a", (struct timespec[2]){st.st_atim, st.st_mtim}, 0) == 0);
    EXPECT_CHANGES("modified a +1 -1", s);
    EXPECT(!mg_snapshot_same(s, snap(t, &p, s), MG_STR("a")));
}

TEST(an_edit_within_the_same_tick_of_the_clock_is_seen)
{
    const place p = open_place(t, NULL, NULL, NULL);
    for (int i = 0; i < 200; i++) {
        test_write(t, "w/a", MG_STR("one\n"));
        const mg_snapshot *s = snap(t, &p, NULL);
        MG_AUTO_FD fd = openat(t->dir_fd, "w/a", O_WRONLY | O_CLOEXEC);
        EXPECT(pwrite(fd, "two\n", 4, 0) == 4);
        EXPECT_CHANGES("modified a +1 -1", s);
    }
}

TEST(a_file_that_is_replaced_by_another_of_the_same_size_and_time_is_seen)
{
    test_write(t, "w/a", MG_STR("good\n"));
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "printf 'evil\\n' > b; touch -r a b; mv b a");
    EXPECT_CHANGES("modified a +1 -1", s);
}

TEST(committing_and_resetting_hides_nothing)
{
    test_write(t, "w/tracked", MG_STR("1\n"));
    test_write(t, "w/untracked", MG_STR("1\n"));
    sh(t, "git init -q . && git add tracked && git -c user.name=n -c user.email=e commit -qm 1");
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    sh(t, "echo 2 >> tracked; echo 2 >> untracked; echo 1 > new; git add -A; "
          "git -c user.name=n -c user.email=e commit -qm 2");
    EXPECT_CHANGES("created new +1 -0 | modified tracked +1 -0 | modified untracked +1 -0", s);
    sh(t, "git reset -q --hard HEAD~1");
    EXPECT_CHANGES("modified! tracked +0 -0 | deleted untracked +0 -1", s);
}

TEST(what_cannot_be_read_is_never_silently_unchanged)
{
    be_ordinary(t);
    test_write(t, "w/closed", MG_STR("12345\n"));
    test_write(t, "w/dir/inside", MG_STR("x\n"));
    test_write(t, "w/always/x", MG_STR("x\n"));
    EXPECT(fchmodat(t->dir_fd, "w/closed", 0200, 0) == 0);
    EXPECT(fchmodat(t->dir_fd, "w/always", 0, 0) == 0);
    let_time_pass();
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    mg_baseline_file file;
    EXPECT(!mg_snapshot_file(s, MG_STR("closed"), &file));
    EXPECT(!mg_snapshot_file(s, MG_STR("always/x"), &file));
    EXPECT_CHANGES("", s);
    EXPECT(mg_snapshot_same(s, snap(t, &p, s), MG_STR("closed")));
    let_time_pass();
    MG_AUTO_FD fd = openat(t->dir_fd, "w/closed", O_WRONLY | O_CLOEXEC);
    EXPECT(pwrite(fd, "54321\n", 6, 0) == 6);
    EXPECT(fchmodat(t->dir_fd, "w/dir", 0, 0) == 0);
    EXPECT_CHANGES("unknown closed +-1 --1 | unknown dir +-1 --1 | unknown dir/inside +-1 --1", s);
    EXPECT(!mg_snapshot_same(s, snap(t, &p, s), MG_STR("closed")));
    EXPECT(!mg_snapshot_same(s, snap(t, &p, s), MG_STR("dir/inside")));
    EXPECT(fchmodat(t->dir_fd, "w/dir", 0700, 0) == 0);
    EXPECT(fchmodat(t->dir_fd, "w/always", 0700, 0) == 0);
}

/* --- Threads --- */

static void make_many(test *t, unsigned dirs, unsigned files)
{
    for (unsigned d = 0; d < dirs; d++) {
        for (unsigned f = 0; f < files; f++)
            test_write(t, mg_strf(t->arena, "w/d%u/e%u/f%u", d % 7, d, f).ptr,
                       mg_strf(t->arena, "%u %u\n", d, f));
    }
}

TEST(two_threads_give_the_same_answer_every_time)
{
    make_many(t, 40, 8);
    const place p = open_place(t, NULL, NULL, NULL);
    mg_str first = {0};
    let_time_pass();
    for (int i = 0; i < 50; i++) {
        MG_AUTO(mg_arena) round = mg_arena_new(t->arena);
        const mg_snapshot *s = NULL;
        mg_str sha = {0};
        EXPECT_OK(
            mg_snapshot_take(&p.world, p.scope, NULL, NULL, (mg_live){0}, round, &s, &t->err));
        EXPECT_OK(mg_snapshot_save(s, p.state, "s", &sha, t->arena, &t->err));
        if (i == 0)
            first = sha;
        EXPECT_STR(mg_str_cstr(t->arena, first), sha);
    }
}

static void churn(test *t)
{
    for (unsigned i = 0;; i++) {
        char a[64], b[80];
        (void)snprintf(a, sizeof a, "w/d%u/e%u", i % 7, i % 40);
        (void)snprintf(b, sizeof b, "w/d%u/moved", i % 7);
        (void)renameat(t->dir_fd, a, t->dir_fd, b);
        if (symlinkat("/", t->dir_fd, a) < 0)
            (void)usleep(10);
        (void)unlinkat(t->dir_fd, a, 0);
        (void)mkfifoat(t->dir_fd, a, 0600);
        (void)unlinkat(t->dir_fd, a, 0);
        (void)renameat(t->dir_fd, b, t->dir_fd, a);
        (void)snprintf(b, sizeof b, "%s/f0", a);
        (void)unlinkat(t->dir_fd, b, 0);
        const int fd = openat(t->dir_fd, b, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd >= 0 && write(fd, "churn\n", 6) == 6)
            (void)close(fd);
    }
}

TEST(a_tree_that_changes_under_our_eyes_is_survived)
{
    make_many(t, 40, 5);
    const place p = open_place(t, NULL, NULL, NULL);
    const pid_t pid = fork();
    if (pid == 0)
        churn(t);
    const mg_snapshot *s = NULL;
    for (int i = 0; i < 100; i++) {
        MG_AUTO(mg_arena) round = mg_arena_new(NULL);
        const mg_snapshot *a = NULL, *b = NULL;
        mg_changes changes;
        EXPECT_OK(
            mg_snapshot_take(&p.world, p.scope, NULL, p.pack, (mg_live){0}, round, &a, &t->err));
        EXPECT_OK(mg_snapshot_take(&p.world, p.scope, a, p.pack, (mg_live){0}, round, &b, &t->err));
        EXPECT_OK(mg_snapshot_delta(a, b, p.pack, round, &changes, &t->err));
    }
    EXPECT(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    s = snap(t, &p, NULL);
    EXPECT_CHANGES("", s); /* and when all is quiet, it is quiet */
}

static mg_status no_more(const void *data, mg_err *err)
{
    (void)data;
    return mg_fail(err, MG_ERR_TIMEOUT, "the time is over");
}

TEST(it_stops_when_it_is_told_to)
{
    make_many(t, 4, 2);
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = NULL;
    EXPECT_EQ(MG_ERR_TIMEOUT, mg_snapshot_take(&p.world, p.scope, NULL, p.pack,
                                               (mg_live){no_more, NULL}, t->arena, &s, &t->err));
    EXPECT(s == NULL);
    EXPECT_ERR_CONTAINS("the time is over");
}

TEST(running_out_of_descriptors_is_an_error_and_not_an_empty_tree)
{
    make_many(t, 4, 2);
    const place p = open_place(t, NULL, NULL, NULL);
    int last = -1, fd;
    while ((fd = openat(t->dir_fd, ".", O_PATH | O_CLOEXEC)) >= 0)
        last = fd;
    const mg_snapshot *s = NULL;
    for (int spare = 0; spare < 2; spare++) {
        EXPECT_EQ(MG_ERR_LIMIT, mg_snapshot_take(&p.world, p.scope, NULL, NULL, (mg_live){0},
                                                 t->arena, &s, &t->err));
        EXPECT(s == NULL);
        (void)close(last);
    }
}

/* --- Saved and loaded --- */

TEST(a_loaded_snapshot_and_scope_are_as_good_as_taken_ones)
{
    test_write(t, "w/.gitignore", MG_STR("*.log\n"));
    test_write(t, "w/a", MG_STR("1\n2\n"));
    test_write(t, "w/d/b", MG_STR("1\n"));
    EXPECT(symlinkat("a", t->dir_fd, "w/l") == 0);
    place p = open_place(t, NULL, NULL, "named.log");
    const mg_snapshot *taken = snap(t, &p, NULL), *s = NULL;
    mg_str sha, scope_sha;
    EXPECT_OK(mg_snapshot_save(taken, p.state, "snapshot", &sha, t->arena, &t->err));
    EXPECT_OK(mg_scope_save(p.scope, p.state, "scope", &scope_sha, t->arena, &t->err));
    EXPECT_OK(mg_snapshot_load(p.state, "snapshot", sha, t->arena, &s, &t->err));
    test_write(t, "w/.gitignore", MG_STR("*\n"));
    EXPECT_OK(mg_scope_load(p.state, "scope", scope_sha, t->arena, &p.scope, &t->err));
    EXPECT_OK(mg_pack_open(p.state, "pack", t->arena, &p.pack, &t->err));
    EXPECT(has(s, "d/b"));
    EXPECT_EQ(4, mg_snapshot_count(s));
    test_write(t, "w/a", MG_STR("1\n3\n"));
    test_write(t, "w/x.log", MG_STR("1\n"));
    test_write(t, "w/named.log", MG_STR("1\n"));
    EXPECT_CHANGES("modified .gitignore +1 -1 | modified a +1 -1 | created named.log +1 -0", s);
    EXPECT_EQ(MG_ERR_INVALID,
              mg_snapshot_load(p.state, "snapshot", scope_sha, t->arena, &s, &t->err));
    EXPECT_EQ(MG_ERR_INVALID, mg_scope_load(p.state, "scope", sha, t->arena, &p.scope, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_snapshot_load(p.state, "none", sha, t->arena, &s, &t->err));
}

TEST(every_cut_and_every_flipped_byte_of_a_saved_snapshot_is_refused)
{
    test_write(t, "w/a", MG_STR("1\n"));
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_snapshot *s = snap(t, &p, NULL);
    mg_str sha;
    EXPECT_OK(mg_snapshot_save(s, p.state, "s", &sha, t->arena, &t->err));
    const mg_str whole = test_read(t, mg_strf(t->arena, "%s/state/s", t->dir).ptr);
    for (size_t len = 0; len < whole.len; len++) {
        const mg_str cut = mg_str_first(whole, len);
        test_write(t, "state/s", cut);
        s = NULL; /* not even with a SHA-256 that fits */
        EXPECT_EQ(MG_ERR_INVALID, mg_snapshot_load(p.state, "s", mg_sha256_hex(t->arena, cut),
                                                   t->arena, &s, &t->err));
        char *flipped = (char *)(uintptr_t)mg_str_cstr(t->arena, whole);
        flipped[len] = (char)(flipped[len] ^ 0x40);
        test_write(t, "state/s", (mg_str){flipped, whole.len});
        EXPECT_EQ(MG_ERR_INVALID, mg_snapshot_load(p.state, "s", sha, t->arena, &s, &t->err));
        EXPECT(s == NULL);
    }
}

TEST(directories_are_opened_without_a_link_on_the_way_with_openat2_and_without)
{
    test_mkdir(t, "a/b/c");
    test_write(t, "a/file", MG_STR("x"));
    EXPECT(symlinkat("b", t->dir_fd, "a/link") == 0);
    EXPECT(symlinkat("/", t->dir_fd, "a/out") == 0);
    static const struct {
        const char *path;
        bool opens;
    } rows[] = {
        {".", true},         {"a", true},         {"a/b/c", true},      {"a/link", false},
        {"a/link/c", false}, {"a/out", false},    {"a/out/etc", false}, {"a/file", false},
        {"a/none", false},   {"a/file/x", false},
    };
    for (size_t i = 0; i < MG_COUNT(rows); i++) {
        const mg_str path = mg_str_of(rows[i].path);
        MG_AUTO_FD one = mg_open_dir(t->dir_fd, path, O_RDONLY);
        MG_AUTO_FD other = mg_open_dir_walk(t->dir_fd, rows[i].path, O_RDONLY);
        if ((one >= 0) != rows[i].opens || (other >= 0) != rows[i].opens)
            test_fail(__FILE__, __LINE__, "'%s': %d, %d", rows[i].path, one, other);
    }
    struct stat a, b;
    MG_AUTO_FD deep = mg_open_dir_walk(t->dir_fd, "a/b/c", O_PATH);
    EXPECT(fstat(deep, &a) == 0 && fstatat(t->dir_fd, "a/b/c", &b, 0) == 0 && a.st_ino == b.st_ino);
}
