/* Programs of verification commands: what they meant when a loop began is what they must mean. */
#include "check/programs.h"

#include "test.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct bench {
    mg_world world;
    const mg_goal *goal;
    const mg_programs *programs;
} bench;

static void put_program(test *t, const char *path, const char *script)
{
    test_write(t, path, mg_str_of(script));
    EXPECT_EQ(0, fchmodat(t->dir_fd, path, 0755, 0));
}

/* A root with PATH leading first to bin/ outside of it, then to the system's. */
static bench freeze(test *t, const char *yaml)
{
    bench b = {0};
    mg_problems problems = {0};
    const char **env = mg_new_array(t->arena, const char *, 2);
    test_mkdir(t, "root");
    test_mkdir(t, "first");
    test_mkdir(t, "second");
    env[0] = mg_strf(t->arena, "PATH=%s/first:%s/second:/usr/bin:/bin", t->dir, t->dir).ptr;
    if (mg_goal_read(mg_str_of(yaml), MG_STR("t"), mg_check_kinds, &mg_limits_default, t->arena,
                     &b.goal, &problems) != MG_OK)
        test_fail(__FILE__, __LINE__, MG_FMT, MG_ARG(problems.items[0].text));
    EXPECT_OK(mg_world_open(mg_strf(t->arena, "%s/root", t->dir).ptr, t->arena, &b.world, &t->err));
    b.world.environ = env;
    EXPECT_OK(mg_programs_freeze(b.goal, &b.world, t->arena, &b.programs, &t->err));
    return b;
}

static mg_report judge(test *t, const bench *b)
{
    mg_report report = {0};
    const mg_view view = {.world = &b->world,
                          .limits = &mg_limits_default,
                          .clock = &mg_clock_system,
                          .deadline_ms = UINT64_MAX,
                          .programs = b->programs};
    EXPECT_OK(mg_check_once(b->goal, &view, &(mg_check_options){0}, t->arena, &report, &t->err));
    return report;
}

TEST(what_did_not_move_is_judged_as_ever)
{
    put_program(t, "second/verify", "#!/bin/sh\nexit 0\n");
    const bench b = freeze(t, "assert: [{command_returns: verify now}]");
    EXPECT_EQ(MG_VERDICT_MET, judge(t, &b).verdict);
}

TEST(a_program_put_first_in_path_makes_the_answer_unknown)
{
    put_program(t, "second/verify", "#!/bin/sh\nexit 1\n");
    const bench b = freeze(t, "assert: [{command_returns: verify}]");
    put_program(t, "first/verify", "#!/bin/sh\nexit 0\n");
    const mg_report r = judge(t, &b);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_CONTAINS(r.results[0].message, "first/verify' now");
}

TEST(words_behind_the_first_count_too)
{
    static const char *const yamls[] = {
        "assert: [{command_returns: 'timeout 5 verify'}]",
        "assert: [{command_returns: 'A=1 env B=2 verify --x'}]",
        "assert: [{command_returns: 'test -d . && verify'}]",
        "assert: [{command_returns: {run: [env, verify]}}]",
        "assert: [{all: [{command_returns: 'verify'}]}]",
    };
    put_program(t, "second/verify", "#!/bin/sh\nexit 1\n");
    for (size_t i = 0; i < MG_COUNT(yamls); i++) {
        const bench b = freeze(t, yamls[i]);
        put_program(t, "first/verify", "#!/bin/sh\nexit 0\n");
        EXPECT_EQ(MG_VERDICT_UNKNOWN, judge(t, &b).verdict);
        EXPECT_EQ(0, unlinkat(t->dir_fd, "first/verify", 0));
    }
}

TEST(a_program_outside_the_root_that_was_written_over_is_unknown)
{
    put_program(t, "second/verify", "#!/bin/sh\nexit 1\n");
    const bench b = freeze(t, "assert: [{command_returns: verify}]");
    const int fd = openat(t->dir_fd, "second/verify", O_WRONLY);
    EXPECT_EQ(18, write(fd, "#!/bin/sh\nexit 0\n\n", 18));
    (void)close(fd);
    const mg_report r = judge(t, &b);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_CONTAINS(r.results[0].message, "is not the file it was");
}

TEST(a_program_that_was_not_there_and_appears_is_unknown)
{
    const bench b = freeze(t, "assert: [{command_returns: verify}]");
    EXPECT_EQ(MG_VERDICT_NOT_MET, judge(t, &b).verdict);
    put_program(t, "first/verify", "#!/bin/sh\nexit 0\n");
    const mg_report r = judge(t, &b);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, r.verdict);
    EXPECT_CONTAINS(r.results[0].message, "was not there when the loop began");
}

TEST(a_program_beneath_the_root_named_by_its_path_may_be_built)
{
    const bench b = freeze(t, "assert: [{command_returns: ./app --selftest}]");
    EXPECT_EQ(MG_VERDICT_NOT_MET, judge(t, &b).verdict);
    put_program(t, "root/app", "#!/bin/sh\nexit 0\n");
    EXPECT_EQ(MG_VERDICT_MET, judge(t, &b).verdict);
}

TEST(arguments_that_name_nothing_do_not_matter)
{
    const bench b = freeze(t, "assert: [{command_returns: 'test -d . -a x = x'}]");
    put_program(t, "first/x", "#!/bin/sh\nexit 0\n");
    EXPECT_EQ(MG_VERDICT_MET, judge(t, &b).verdict);
}

TEST(a_program_outside_the_root_named_by_its_path_is_held_too)
{
    put_program(t, "second/verify", "#!/bin/sh\nexit 1\n");
    const char *absolute =
        mg_strf(t->arena, "assert: [{command_returns: '%s/second/verify --now'}]", t->dir).ptr;
    const char *const yamls[] = {absolute, "assert: [{command_returns: ../second/verify}]"};
    for (size_t i = 0; i < MG_COUNT(yamls); i++) {
        put_program(t, "second/verify", "#!/bin/sh\nexit 1\n");
        const bench b = freeze(t, yamls[i]);
        EXPECT_EQ(MG_VERDICT_NOT_MET, judge(t, &b).verdict);
        put_program(t, "second/verify", "#!/bin/sh\nexit 0\n");
        EXPECT_EQ(MG_VERDICT_UNKNOWN, judge(t, &b).verdict);
    }
}

TEST(a_program_named_by_its_path_that_is_not_there_yet_may_be_made)
{
    const char *yaml =
        mg_strf(t->arena, "assert: [{command_returns: '%s/second/made'}]", t->dir).ptr;
    const bench b = freeze(t, yaml);
    EXPECT_EQ(MG_VERDICT_NOT_MET, judge(t, &b).verdict);
    put_program(t, "second/made", "#!/bin/sh\nexit 0\n");
    EXPECT_EQ(MG_VERDICT_MET, judge(t, &b).verdict);
}

static mg_status unshadowed(test *t, const bench *b)
{
    const int64_t now = mg_clock_system.wall_ms(mg_clock_system.self);
    return mg_programs_unshadowed(&b->world, b->goal->entries.items[0]->args, now - 60000, &t->err);
}

TEST(whatever_comes_in_front_of_another_program_is_seen)
{
    const bench b = freeze(t, "assert: [{command_returns: make test}]");
    EXPECT_OK(unshadowed(t, &b));
    put_program(t, "first/tool", "#!/bin/sh\nexit 0\n"); /* hides nothing */
    test_write(t, "first/grep", MG_STR("not a program"));
    EXPECT_OK(unshadowed(t, &b));
    put_program(t, "first/grep", "#!/bin/sh\nexit 0\n");
    EXPECT_EQ(MG_ERR_DENIED, unshadowed(t, &b));
    EXPECT_ERR_CONTAINS("first/grep' came while the loop ran");
    const int64_t later = mg_clock_system.wall_ms(mg_clock_system.self) + 60000;
    EXPECT_OK(mg_programs_unshadowed(&b.world, b.goal->entries.items[0]->args, later, &t->err));
}
