/* Protected paths: whatever an agent does to them is told and undone, or nothing is verified. */
#include "world/guard.h"

#include "tree_tools.h"

typedef struct watched {
    place p;
    mg_guard *guard;
    const mg_snapshot *start;
    mg_strs warnings;
} watched;

static watched guard_with(test *t, const char *ignore, const char *protect, const char *always)
{
    watched w = {.p = open_place(t, ignore, protect, always)};
    const mg_strs globs = texts(t, protect), paths = texts(t, always);
    mg_world *world = mg_new(t->arena, mg_world); /* it lives as long as the guard */
    *world = w.p.world;
    w.start = snap(t, &w.p, NULL);
    EXPECT_OK(mg_guard_open(world, w.p.scope,
                            &(mg_guard_rules){.protect = &globs, .always = &paths}, w.start,
                            w.p.state, t->arena, &w.guard, &w.warnings, &t->err));
    return w;
}

static const char *joined(test *t, const mg_strs *list)
{
    mg_buf buf = mg_buf_new(t->arena, 1u << 16);
    for (size_t i = 0; i < list->count; i++)
        mg_buf_addf(&buf, "%s" MG_FMT, i > 0 ? " " : "", MG_ARG(list->items[i]));
    return mg_str_cstr(t->arena, mg_buf_str(&buf));
}

/* Told as these paths, planted as those, and afterwards nothing is left to tell. */
static void expect_breach(test *t, watched *w, const char *counted, const char *planted,
                          const char *file, int line)
{
    const mg_snapshot *now = snap(t, &w->p, w->start);
    mg_strs c = {0}, q = {0};
    EXPECT_OK(mg_guard_compare(w->guard, now, t->arena, &c, &q, &t->err));
    test_expect_str(file, line, mg_str_of(counted), mg_str_of(joined(t, &c)));
    test_expect_str(file, line, mg_str_of(planted), mg_str_of(joined(t, &q)));
    if (mg_guard_restore(w->guard, now, t->arena, &t->err) != MG_OK)
        test_fail(file, line, "restore: %s", t->err.text);
    now = snap(t, &w->p, now);
    EXPECT_OK(mg_guard_compare(w->guard, now, t->arena, &c, &q, &t->err));
    test_expect_str(file, line, mg_str_of(""), mg_str_of(joined(t, &c)));
    test_expect_str(file, line, mg_str_of(""), mg_str_of(joined(t, &q)));
}
#define BREACH(counted, planted) expect_breach(t, &w, counted, planted, __FILE__, __LINE__)

static mg_str content(test *t, const char *path)
{
    return test_read(t, mg_strf(t->arena, "%s/%s", t->dir, path).ptr);
}

static void a_workspace(test *t)
{
    test_write(t, "w/tests/a_test.py", MG_STR("assert 1 == 1\n"));
    test_write(t, "w/tests/sub/b_test.py", MG_STR("assert 2 == 2\n"));
    test_write(t, "w/Makefile", MG_STR("test:\n\tfalse\n"));
    test_write(t, "w/src/main.py", MG_STR("print(1)\n"));
    test_write(t, "w/makegood.yaml", MG_STR("goal: x\n"));
    let_time_pass();
}

TEST(nothing_happened_and_nothing_is_told)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/** Makefile", "makegood.yaml");
    EXPECT_EQ(0, w.warnings.count);
    BREACH("", "");
    test_write(t, "w/src/main.py", MG_STR("print(2)\n")); /* not protected */
    test_write(t, "w/src/new.py", MG_STR("x\n"));
    BREACH("", "");
    EXPECT_STR("print(2)\n", content(t, "w/src/main.py"));
}

TEST(modified_files_come_back_with_their_mode_and_time)
{
    a_workspace(t);
    EXPECT(fchmodat(t->dir_fd, "w/tests/a_test.py", 0751, 0) == 0);
    struct stat before, after;
    EXPECT(fstatat(t->dir_fd, "w/tests/a_test.py", &before, 0) == 0);
    watched w = guard_with(t, NULL, "tests/** Makefile", "makegood.yaml");
    let_time_pass();
    test_write(t, "w/tests/a_test.py", MG_STR("assert True\n"));
    test_write(t, "w/Makefile", MG_STR("test:\n\ttrue\n"));
    test_write(t, "w/makegood.yaml", MG_STR("goal: nothing\n"));
    BREACH("Makefile makegood.yaml tests/a_test.py", "");
    EXPECT_STR("assert 1 == 1\n", content(t, "w/tests/a_test.py"));
    EXPECT_STR("goal: x\n", content(t, "w/makegood.yaml"));
    EXPECT(fstatat(t->dir_fd, "w/tests/a_test.py", &after, 0) == 0);
    EXPECT_EQ(before.st_mode, after.st_mode);
    EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    EXPECT_STR("modified! Makefile +0 -0 | modified! makegood.yaml +0 -0 | "
               "modified! tests/a_test.py +0 -0",
               mg_str_of(changes_since(t, &w.p, w.start)));
}

TEST(an_edit_with_its_time_put_back_is_told)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/**", NULL);
    let_time_pass();
    sh(t, "touch -r tests/a_test.py ref; sed -i 's/1/7/' tests/a_test.py; "
          "touch -r ref tests/a_test.py; rm ref");
    BREACH("tests/a_test.py", "");
    EXPECT_STR("assert 1 == 1\n", content(t, "w/tests/a_test.py"));
}

TEST(deleted_renamed_created_retyped_relinked_remoded)
{
    a_workspace(t);
    EXPECT(symlinkat("a_test.py", t->dir_fd, "w/tests/link") == 0);
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "rm tests/a_test.py");
    BREACH("tests/a_test.py", "");
    sh(t, "mv tests/a_test.py tests/c_test.py");
    BREACH("tests/a_test.py tests/c_test.py", "");
    sh(t, "mv tests/a_test.py src/");
    BREACH("tests/a_test.py", "");
    sh(t, "echo x > tests/conftest.py; mkdir -p tests/deep/er; echo x > tests/deep/er/x");
    BREACH("tests/conftest.py tests/deep/er/x", "");
    EXPECT(faccessat(t->dir_fd, "w/tests/deep", F_OK, 0) < 0);
    sh(t, "rm tests/a_test.py; mkdir -p tests/a_test.py/in; echo x > tests/a_test.py/in/x");
    BREACH("tests/a_test.py tests/a_test.py/in/x", "");
    sh(t,
       "rm tests/a_test.py; ln -s ../src/main.py tests/a_test.py; ln -sfn /etc/passwd tests/link");
    BREACH("tests/a_test.py tests/link", "");
    sh(t, "rm tests/a_test.py; mkfifo tests/a_test.py");
    BREACH("tests/a_test.py", "");
    sh(t, "chmod 777 tests/a_test.py; chmod 777 tests/sub");
    BREACH("tests/a_test.py tests/sub", "");
    sh(t, "rm -rf tests");
    BREACH("tests/a_test.py tests/link tests/sub/b_test.py", "");
    EXPECT_STR("assert 2 == 2\n", content(t, "w/tests/sub/b_test.py"));
    char target[32] = {0};
    EXPECT(readlinkat(t->dir_fd, "w/tests/link", target, sizeof target - 1) == 9);
    EXPECT_STR("a_test.py", mg_str_of(target));
}

TEST(a_parent_that_became_a_link_out_of_the_root_is_undone_and_nothing_outside_is_touched)
{
    a_workspace(t);
    test_write(t, "outside/a_test.py", MG_STR("theirs\n"));
    test_write(t, "outside/sub/b_test.py", MG_STR("theirs\n"));
    test_write(t, "outside/more", MG_STR("theirs\n"));
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "mv tests hidden; ln -s ../outside tests");
    BREACH("tests tests/a_test.py tests/sub/b_test.py", "");
    EXPECT_STR("assert 1 == 1\n", content(t, "w/tests/a_test.py"));
    EXPECT_STR("theirs\n", content(t, "outside/a_test.py"));
    EXPECT_STR("theirs\n", content(t, "outside/sub/b_test.py"));
    EXPECT_STR("theirs\n", content(t, "outside/more"));
    struct stat st;
    EXPECT(fstatat(t->dir_fd, "w/tests", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode));
    sh(t, "mv tests/sub tests/elsewhere; ln -s ../../outside/sub tests/sub; "
          "mkdir tests/plant; ln -s ../../../outside tests/plant/out");
    BREACH("tests/elsewhere/b_test.py tests/plant/out tests/sub tests/sub/b_test.py", "");
    EXPECT_STR("theirs\n", content(t, "outside/sub/b_test.py"));
    EXPECT_STR("theirs\n", content(t, "outside/more"));
}

TEST(a_glob_that_matches_nothing_warns_and_guards_against_creation)
{
    a_workspace(t);
    test_write(t, "outside/x", MG_STR("theirs\n"));
    watched w = guard_with(t, NULL, "secret/** **/conftest.py", NULL);
    EXPECT_EQ(2, w.warnings.count);
    EXPECT_CONTAINS(w.warnings.items[0], "'secret/**' matches nothing");
    sh(t, "mkdir secret; echo x > secret/x; echo x > conftest.py; echo x > src/conftest.py");
    BREACH("conftest.py secret/x src/conftest.py", "");
    sh(t, "rm -rf secret; ln -s ../outside secret"); /* a link makes secret/x appear as well */
    BREACH("secret", "");
    sh(t, "mkdir -p deep; ln -s ../../outside deep/out; ln -s main.py src/alias");
    BREACH("deep/out", "");
    EXPECT(faccessat(t->dir_fd, "w/src/alias", F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    EXPECT_STR("theirs\n", content(t, "outside/x"));
}

TEST(a_directory_by_its_bare_name_is_protected_whole)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests", NULL);
    EXPECT_EQ(0, w.warnings.count);
    sh(t, "echo x >> tests/sub/b_test.py; echo x > tests/new");
    BREACH("tests/new tests/sub/b_test.py", "");
}

TEST(ignored_files_that_appear_are_planted_and_removed_and_protect_beats_ignore)
{
    a_workspace(t);
    test_write(t, "w/.gitignore", MG_STR("__pycache__/\n*.pyc\ngolden/\n"));
    test_write(t, "w/tests/golden/out", MG_STR("42\n"));
    let_time_pass();
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "mkdir -p tests/__pycache__ src/__pycache__; echo x > tests/__pycache__/a.pyc; "
          "echo x > tests/z.pyc; echo x > src/__pycache__/b.pyc");
    BREACH("", "tests/__pycache__/a.pyc tests/z.pyc");
    EXPECT(faccessat(t->dir_fd, "w/tests/__pycache__", F_OK, 0) < 0);
    EXPECT(faccessat(t->dir_fd, "w/src/__pycache__/b.pyc", F_OK, 0) == 0);
    sh(t, "echo 43 > tests/golden/out"); /* ignored, but it was there */
    BREACH("tests/golden/out", "");
    EXPECT_STR("42\n", content(t, "w/tests/golden/out"));
    sh(t, "echo '!*' > .gitignore; echo x > tests/y.pyc"); /* the rules are those of the start */
    BREACH("", "tests/y.pyc");
}

TEST(the_goal_file_is_guarded_even_when_it_is_ignored_or_absent)
{
    a_workspace(t);
    test_write(t, "w/.gitignore", MG_STR("makegood.yaml\n"));
    watched w = guard_with(t, NULL, NULL, "makegood.yaml other.yaml");
    sh(t, "rm makegood.yaml; echo x > other.yaml");
    BREACH("makegood.yaml other.yaml", "");
    EXPECT_STR("goal: x\n", content(t, "w/makegood.yaml"));

    const mg_strs always = texts(t, "makegood.yaml"), none = {0};
    const place blind = open_place(t, NULL, NULL, NULL); /* the scope was not told of it */
    mg_guard *guard = NULL;
    mg_strs warnings = {0};
    EXPECT_EQ(MG_ERR_INVALID, mg_guard_open(&blind.world, blind.scope,
                                            &(mg_guard_rules){.protect = &none, .always = &always},
                                            snap(t, &blind, NULL), blind.state, t->arena, &guard,
                                            &warnings, &t->err));
    EXPECT(guard == NULL);
}

/* --- Copies that cannot be trusted --- */

TEST(a_copy_that_was_changed_is_never_put_back)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "Makefile", NULL);
    sh(t, "chmod -R u+w ../state; printf 'test:\\n\\ttrue \\n' > ../state/restore/0; rm Makefile");
    const mg_snapshot *now = snap(t, &w.p, w.start);
    EXPECT_EQ(MG_ERR_INVALID, mg_guard_restore(w.guard, now, t->arena, &t->err));
    EXPECT_ERR_CONTAINS("not what was put there");
    EXPECT_ERR_CONTAINS("'Makefile'");
    EXPECT(faccessat(t->dir_fd, "w/Makefile", F_OK, 0) < 0);
    sh(t, "test -z \"$(ls -A | grep mg-restore)\""); /* and nothing is left lying about */
    sh(t, "head -c 3000000 /dev/zero > ../state/restore/0");
    EXPECT_EQ(MG_ERR_INVALID, mg_guard_restore(w.guard, now, t->arena, &t->err));
    sh(t, "rm ../state/restore/0; ln -s ../../w/src/main.py ../state/restore/0");
    EXPECT(mg_guard_restore(w.guard, now, t->arena, &t->err) != MG_OK);
    sh(t, "rm ../state/restore/0; mkfifo ../state/restore/0");
    EXPECT(mg_guard_restore(w.guard, now, t->arena, &t->err) != MG_OK);
    sh(t, "rm -r ../state/restore");
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_guard_restore(w.guard, now, t->arena, &t->err));
    EXPECT(faccessat(t->dir_fd, "w/Makefile", F_OK, 0) < 0);
}

TEST(a_resumed_loop_opens_the_same_guard_again)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/**", "makegood.yaml");
    mg_str sha, scope_sha;
    EXPECT_OK(mg_snapshot_save(w.start, w.p.state, "start", &sha, t->arena, &t->err));
    EXPECT_OK(mg_scope_save(w.p.scope, w.p.state, "scope", &scope_sha, t->arena, &t->err));
    sh(t, "echo x >> tests/a_test.py; rm makegood.yaml; echo x > tests/new");
    watched again = {.p = w.p};
    EXPECT_OK(mg_scope_load(w.p.state, "scope", scope_sha, t->arena, &again.p.scope, &t->err));
    EXPECT_OK(mg_snapshot_load(w.p.state, "start", sha, t->arena, &again.start, &t->err));
    EXPECT_OK(mg_guard_reopen(&again.p.world, again.p.scope, again.start, again.p.state,
                              mg_guard_sha256(w.guard), t->arena, &again.guard, &t->err));
    expect_breach(t, &again, "makegood.yaml tests/a_test.py tests/new", "", __FILE__, __LINE__);
    EXPECT_STR("assert 1 == 1\n", content(t, "w/tests/a_test.py"));

    mg_guard *forged = NULL;
    sh(t, "printf x >> ../state/restore/manifest");
    EXPECT_EQ(MG_ERR_INVALID,
              mg_guard_reopen(&again.p.world, again.p.scope, again.start, again.p.state,
                              mg_guard_sha256(w.guard), t->arena, &forged, &t->err));
    EXPECT(forged == NULL);
}

/* --- Closed to us --- */

TEST(directories_that_were_closed_are_opened_and_searched)
{
    be_ordinary(t);
    a_workspace(t);
    test_mkdir(t, "w/tests/data/more");
    test_write(t, "w/tests/data/more/x", MG_STR("x\n"));
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "echo evil > tests/data/more/x; echo evil > tests/data/more/y; "
          "mkdir -p tests/trap/inner; echo evil > tests/trap/inner/z; chmod 0 tests/trap/inner; "
          "chmod 0 tests/trap tests/data/more; chmod 0555 tests");
    BREACH("tests/data/more tests/data/more/x tests/trap", "");
    EXPECT_STR("x\n", content(t, "w/tests/data/more/x"));
    EXPECT(faccessat(t->dir_fd, "w/tests/data/more/y", F_OK, 0) < 0);
    EXPECT(faccessat(t->dir_fd, "w/tests/trap", F_OK, 0) < 0);
    sh(t, "test \"$(stat -c %a tests/data/more)\" = \"$(stat -c %a src)\"");
}

TEST(what_cannot_be_read_cannot_be_protected)
{
    be_ordinary(t);
    a_workspace(t);
    EXPECT(fchmodat(t->dir_fd, "w/Makefile", 0, 0) == 0);
    const place p = open_place(t, NULL, "Makefile", NULL);
    const mg_strs globs = texts(t, "Makefile");
    mg_guard *guard = NULL;
    mg_strs warnings = {0};
    EXPECT_EQ(MG_ERR_DENIED,
              mg_guard_open(&p.world, p.scope, &(mg_guard_rules){.protect = &globs},
                            snap(t, &p, NULL), p.state, t->arena, &guard, &warnings, &t->err));
    EXPECT_ERR_CONTAINS("'Makefile' cannot be read");
    EXPECT(guard == NULL);
}

TEST(a_place_that_cannot_be_written_is_an_error_and_not_a_success)
{
    be_ordinary(t);
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "rm tests/a_test.py");
    const mg_snapshot *now = snap(t, &w.p, w.start);
    EXPECT(fchmodat(t->dir_fd, "state/restore", 0, 0) == 0);
    EXPECT(mg_guard_restore(w.guard, now, t->arena, &t->err) != MG_OK);
    EXPECT(fchmodat(t->dir_fd, "state/restore", 0700, 0) == 0);
    EXPECT_OK(mg_guard_restore(w.guard, now, t->arena, &t->err));
}

TEST(a_file_that_changed_since_the_start_was_taken_is_an_error)
{
    a_workspace(t);
    const place p = open_place(t, NULL, "Makefile", NULL);
    const mg_strs globs = texts(t, "Makefile");
    const mg_snapshot *start = snap(t, &p, NULL);
    let_time_pass();
    test_write(t, "w/Makefile", MG_STR("all:\n"));
    mg_guard *guard = NULL;
    mg_strs warnings = {0};
    EXPECT_EQ(MG_ERR_UNAVAILABLE,
              mg_guard_open(&p.world, p.scope, &(mg_guard_rules){.protect = &globs}, start, p.state,
                            t->arena, &guard, &warnings, &t->err));
    EXPECT(guard == NULL);
}

TEST(odd_names_come_back_too)
{
    test_write(t, "w/p/with\nnewline", MG_STR("1\n"));
    test_write(t, "w/p/\xff", MG_STR("2\n"));
    test_write(t, "w/p/-rf *", MG_STR("3\n"));
    test_write(t, "w/p/empty", MG_STR(""));
    watched w = guard_with(t, NULL, "p/**", NULL);
    sh(t, "rm -rf p; echo x > p");
    BREACH("p/-rf * p/empty p/with\nnewline p/\xff", "");
    EXPECT_STR("2\n", content(t, "w/p/\xff"));
    EXPECT_STR("", content(t, "w/p/empty"));
}

/* --- While commands run --- */

static const char *touched(test *t, const watched *w, const mg_snapshot *before)
{
    mg_strs out = {0};
    const mg_snapshot *after = snap(t, &w->p, before);
    EXPECT_OK(mg_guard_touched(w->guard, before, after, t->arena, &out, &t->err));
    return joined(t, &out);
}

TEST(what_moved_while_commands_ran_is_told_also_if_it_was_put_back)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/** Makefile", NULL);
    EXPECT_STR("", mg_str_of(touched(t, &w, w.start)));
    test_write(t, "w/src/main.py", MG_STR("print(2)\n"));
    EXPECT_STR("", mg_str_of(touched(t, &w, w.start)));
    let_time_pass();
    test_write(t, "w/tests/a_test.py", MG_STR("assert 1 == 1\n")); /* the same again */
    test_write(t, "w/tests/conftest.py", MG_STR("exit(0)\n"));
    EXPECT_STR("tests/a_test.py tests/conftest.py", mg_str_of(touched(t, &w, w.start)));
}

TEST(what_moved_after_we_restored_it_is_told_too)
{
    a_workspace(t);
    watched w = guard_with(t, NULL, "tests/**", NULL);
    sh(t, "rm tests/a_test.py");
    const mg_snapshot *now = snap(t, &w.p, w.start);
    EXPECT_OK(mg_guard_restore(w.guard, now, t->arena, &t->err));
    const mg_snapshot *rest = snap(t, &w.p, now);
    EXPECT_STR("", mg_str_of(touched(t, &w, rest)));
    let_time_pass();
    sh(t, "cp -p tests/a_test.py ../kept; echo x > tests/a_test.py; cp -p ../kept tests/a_test.py");
    EXPECT_STR("tests/a_test.py", mg_str_of(touched(t, &w, rest)));
    EXPECT_STR("tests/a_test.py", mg_str_of(touched(t, &w, now))); /* it was not there then */
}

/* As a loop begins: commands of the goal run once, and what they wrote is a habit of theirs. */
static watched guard_after(test *t, const char *protect, const char *script)
{
    watched w = {.p = open_place(t, NULL, protect, NULL)};
    const mg_strs globs = texts(t, protect);
    mg_strs habit = {0};
    mg_world *world = mg_new(t->arena, mg_world);
    *world = w.p.world;
    const mg_snapshot *first = snap(t, &w.p, NULL);
    sh(t, script);
    w.start = snap(t, &w.p, first);
    EXPECT_OK(mg_guard_habit(first, w.start, t->arena, &habit, &t->err));
    const mg_guard_rules rules = {.protect = &globs, .habit = &habit};
    EXPECT_OK(mg_guard_open(world, w.p.scope, &rules, w.start, w.p.state, t->arena, &w.guard,
                            &w.warnings, &t->err));
    return w;
}

TEST(a_habit_excuses_these_very_paths_and_nothing_beside_them)
{
    a_workspace(t);
    test_write(t, "w/.gitignore", MG_STR("__pycache__/\n"));
    test_write(t, "w/tests/young", MG_STR("as young as all that follows\n"));
    const char *log = "echo x >> tests/log.txt; cat tests/stamp > s; cat s > tests/stamp; rm s";
    test_write(t, "w/tests/stamp", MG_STR("the same again\n"));
    watched w = guard_after(t, "tests/**", log);
    let_time_pass();
    sh(t, log);
    EXPECT_STR("", mg_str_of(touched(t, &w, w.start)));
    sh(t, "mkdir tests/__pycache__; echo x > tests/__pycache__/a.pyc"); /* ignored */
    EXPECT_STR("", mg_str_of(touched(t, &w, w.start)));
    sh(t, "touch tests/pass.flag; echo x > tests/young");
    EXPECT_STR("tests/pass.flag tests/young", mg_str_of(touched(t, &w, w.start)));

    mg_guard *again = NULL; /* a resumed loop knows it as well */
    mg_strs out = {0};
    EXPECT_OK(mg_guard_reopen(&w.p.world, w.p.scope, w.start, w.p.state, mg_guard_sha256(w.guard),
                              t->arena, &again, &t->err));
    EXPECT_OK(mg_guard_touched(again, w.start, snap(t, &w.p, w.start), t->arena, &out, &t->err));
    EXPECT_STR("tests/pass.flag tests/young", mg_str_of(joined(t, &out)));
}

static const char *altered(test *t, const watched *w)
{
    mg_strs out = {0};
    mg_guard_altered(w->guard, snap(t, &w->p, w->start), t->arena, &out);
    return joined(t, &out);
}

TEST(paths_of_the_start_that_are_not_as_they_were)
{
    a_workspace(t);
    test_write(t, "w/src/a.py", MG_STR("1\n"));
    test_write(t, "w/src/z.py", MG_STR("1\n"));
    watched w = guard_after(t, NULL, "echo x >> log.txt");
    EXPECT_STR("", mg_str_of(altered(t, &w)));
    sh(t, "echo x >> log.txt; echo x > src/new; cat src/a.py > x; cat x > src/a.py");
    EXPECT_STR("", mg_str_of(altered(t, &w)));
    sh(t, "rm src/a.py; echo 2 > src/main.py; chmod 700 src/z.py; rm -r tests; ln -s src tests");
    EXPECT_STR("src/a.py src/main.py src/z.py tests/a_test.py tests/sub/b_test.py",
               mg_str_of(altered(t, &w)));
}

/* --- Through links --- */

static const char *followed(test *t, const char *protect)
{
    const place p = open_place(t, NULL, NULL, NULL);
    const mg_strs globs = texts(t, protect);
    mg_strs out = {0};
    EXPECT_OK(mg_guard_follow(&p.world, &globs, t->arena, &out, &t->err));
    return joined(t, &out);
}

TEST(a_protected_path_that_leads_through_links_is_written_out)
{
    a_workspace(t);
    test_mkdir(t, "w/od[d]");
    sh(t, "ln -s tests t; ln -s \"$PWD/src\" s; ln -s ../t/sub src/deep; ln -s 'od[d]' odd; "
          "ln -s nowhere gone; ln -s src/main.py m; ln -s /dev/null null");
    EXPECT_STR("tests tests/** src/*.py new/x *.c", mg_str_of(followed(t, "tests tests/** "
                                                                          "./src/*.py new/x *.c")));
    EXPECT_STR("t tests/**", mg_str_of(followed(t, "t")));
    EXPECT_STR("t tests/**", mg_str_of(followed(t, "t/**")));
    EXPECT_STR("t tests/sub/*.py", mg_str_of(followed(t, "./t/sub/*.py")));
    EXPECT_STR("s src/deep tests/sub/x", mg_str_of(followed(t, "s/deep/x")));
    EXPECT_STR("odd od\\[d\\]/**", mg_str_of(followed(t, "odd")));
    EXPECT_STR("m src/main.py", mg_str_of(followed(t, "m")));
    EXPECT_STR("gone null", mg_str_of(followed(t, "gone null")));
}

TEST(a_link_out_of_the_root_cannot_be_protected)
{
    a_workspace(t);
    test_write(t, "outside/x", MG_STR("theirs\n"));
    sh(t, "ln -s ../outside out; ln -s . here; ln -s ../w/src/../../outside round; mkdir -p a; "
          "ln -s \"$PWD-not\" near; mkdir \"$PWD-not\"");
    const place p = open_place(t, NULL, NULL, NULL);
    static const char *const refused[] = {"out", "out/**", "here/**", "round/x/*.c", "near", NULL};
    for (size_t i = 0; refused[i] != NULL; i++) {
        const mg_strs globs = texts(t, refused[i]);
        mg_strs out = {0};
        EXPECT_EQ(MG_ERR_INVALID, mg_guard_follow(&p.world, &globs, t->arena, &out, &t->err));
        EXPECT_ERR_CONTAINS("' is a link to ");
        EXPECT_ERR_CONTAINS(refused[i]);
    }
}

TEST(links_behind_which_nothing_is_protected_are_told)
{
    a_workspace(t);
    sh(t, "ln -s ../src tests/code; ln -s sub tests/same; ln -s ../Makefile tests/file; "
          "ln -s src sources");
    watched w = guard_with(t, NULL, "tests/** sour*/x.py", NULL);
    EXPECT_EQ(3, w.warnings.count);
    EXPECT_CONTAINS(w.warnings.items[0], "'sour*/x.py' matches nothing");
    EXPECT_CONTAINS(w.warnings.items[1], "'sources' is a link to the directory 'src'");
    EXPECT_CONTAINS(w.warnings.items[2], "'tests/code' is a link to the directory 'src'");
}
