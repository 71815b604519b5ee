/* Ids, owners, and where state lives. */
#include "store/store.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(an_id_is_a_uuid_of_version_7_and_sorts_by_time)
{
    mg_str a, b, same;
    EXPECT_OK(mg_id_new(t->arena, 0x0123456789ab, &a, &t->err));
    EXPECT_OK(mg_id_new(t->arena, 0x0123456789ac, &b, &t->err));
    EXPECT_OK(mg_id_new(t->arena, 0x0123456789ab, &same, &t->err));
    EXPECT_EQ(36, a.len);
    EXPECT(mg_str_starts(a, "01234567-89ab-7"));
    EXPECT(strchr("89ab", a.ptr[19]) != NULL);
    EXPECT(mg_str_cmp(a, b) < 0);
    EXPECT(!mg_str_eq(a, same));
}

TEST(we_are_alive)
{
    mg_owner self;
    EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
    EXPECT_EQ(getpid(), self.pid);
    EXPECT(self.started > 0);
    EXPECT_EQ(36, self.boot.len);
    EXPECT(mg_owner_alive(&self));
}

TEST(another_boot_another_start_and_nobody_are_dead)
{
    mg_owner self;
    EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
    mg_owner other = self;
    other.started++;
    EXPECT(!mg_owner_alive(&other));
    other = self;
    other.boot = MG_STR("00000000-0000-0000-0000-000000000000");
    EXPECT(!mg_owner_alive(&other));
    EXPECT(!mg_owner_alive(&(mg_owner){0}));
}

TEST(a_child_is_alive_until_it_is_killed)
{
    int told[2];
    mg_owner child = {0}, self;
    EXPECT_EQ(0, pipe(told));
    const pid_t pid = fork();
    if (pid == 0) {
        EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
        (void)!write(told[1], &self.started, sizeof self.started);
        (void)pause();
        _exit(0);
    }
    EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
    EXPECT_EQ(sizeof child.started, read(told[0], &child.started, sizeof child.started));
    child.pid = pid;
    child.boot = self.boot;
    EXPECT(mg_owner_alive(&child));
    EXPECT_EQ(0, kill(pid, SIGKILL));
    siginfo_t seen;
    EXPECT_EQ(0, waitid(P_PID, (id_t)pid, &seen, WEXITED | WNOWAIT));
    EXPECT(!mg_owner_alive(&child)); /* a zombie drives nothing */
    EXPECT_EQ(pid, waitpid(pid, NULL, 0));
    EXPECT(!mg_owner_alive(&child));
}

/* --- The state directory --- */

static mg_status state_of(test *t, const char *state, const char *home, const char **out)
{
    const char *env[3] = {NULL};
    size_t n = 0;
    if (state != NULL)
        env[n++] = mg_strf(t->arena, "XDG_STATE_HOME=%s", state).ptr;
    if (home != NULL)
        env[n++] = mg_strf(t->arena, "HOME=%s", home).ptr;
    return mg_state_dir(env, t->arena, out, &t->err);
}

TEST(the_state_directory_is_made_for_us_alone)
{
    const char *dir, *state = mg_strf(t->arena, "%s/a/b", t->dir).ptr;
    struct stat st;
    EXPECT_OK(state_of(t, state, "/nonexistent", &dir));
    EXPECT_STR(mg_strf(t->arena, "%s/makegood", state).ptr, mg_str_of(dir));
    EXPECT_EQ(0, stat(dir, &st));
    EXPECT_EQ(0700, st.st_mode & 07777);
    EXPECT_OK(state_of(t, state, NULL, &dir)); /* and is there the next time */
    EXPECT_OK(state_of(t, NULL, t->dir, &dir));
    EXPECT_STR(mg_strf(t->arena, "%s/.local/state/makegood", t->dir).ptr, mg_str_of(dir));
    EXPECT_OK(state_of(t, "relative", t->dir, &dir)); /* to be ignored, says the standard */
    EXPECT_STR(mg_strf(t->arena, "%s/.local/state/makegood", t->dir).ptr, mg_str_of(dir));
}

TEST(without_a_place_for_state_it_says_what_to_set)
{
    const char *dir;
    EXPECT_EQ(MG_ERR_UNAVAILABLE, state_of(t, NULL, NULL, &dir));
    EXPECT_ERR_CONTAINS("XDG_STATE_HOME");
    test_write(t, "file", MG_STR("x"));
    EXPECT(state_of(t, mg_strf(t->arena, "%s/file", t->dir).ptr, NULL, &dir) != MG_OK);
    test_write(t, "x/makegood", MG_STR("x"));
    EXPECT_EQ(MG_ERR_INVALID, state_of(t, mg_strf(t->arena, "%s/x", t->dir).ptr, NULL, &dir));
    EXPECT_ERR_CONTAINS("not a directory");
}

TEST(another_users_state_directory_is_refused)
{
    const char *dir;
    if (geteuid() != 0)
        test_skip("only root can give a directory away");
    test_mkdir(t, "makegood");
    EXPECT_EQ(0, fchownat(t->dir_fd, "makegood", 12345, 12345, 0));
    EXPECT_EQ(MG_ERR_DENIED, state_of(t, t->dir, NULL, &dir));
    EXPECT_ERR_CONTAINS("belongs to another user (12345)");
}
