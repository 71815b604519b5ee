/* The public face: handles, ownership, and that success is never a default. */
#include <makegood/makegood.h>

#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static mg_goal *open_text(test *t, const char *yaml)
{
    mg_goal *goal = NULL;
    mg_error error = {0};
    if (mg_goal_open_text(yaml, strlen(yaml), t->dir, &goal, &error) != MG_OK)
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return goal;
}

TEST(a_goal_from_memory_is_judged_beneath_its_directory)
{
    mg_error error;
    mg_report *report = NULL;
    test_write(t, "a.txt", MG_STR("hello"));
    mg_goal *goal =
        open_text(t, "goal: greet\nassert:\n  - file_contains: {path: a.txt, pattern: hello}\n");
    EXPECT_STR("greet", mg_str_of(mg_goal_sentence(goal)));
    EXPECT_EQ(1, mg_goal_entry_count(goal));
    EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &report, &error));
    mg_goal_close(goal); /* a report outlives its goal */
    EXPECT_EQ(MG_VERDICT_MET, mg_report_verdict(report));
    EXPECT_STR("assertions_hold", mg_str_of(mg_report_reason(report)));
    EXPECT_STR("file_contains a.txt hello", mg_str_of(mg_result_name(mg_report_result(report, 0))));
    const char *text = NULL;
    size_t length = 0;
    EXPECT_EQ(MG_OK, mg_report_write(report, "json", &text, &length, &error));
    EXPECT_EQ(strlen(text), length);
    EXPECT_CONTAINS(mg_str_of(text), "\"verdict\": \"met\"");
    mg_report_free(report);
}

TEST(a_goal_file_finds_its_root_beside_itself)
{
    mg_goal *goal = NULL;
    mg_report *report = NULL;
    mg_error error;
    test_write(t, "sub/goal.yaml", MG_STR("root: site\nassert: [{file_exists: a}]"));
    test_write(t, "sub/site/a", MG_STR("x"));
    EXPECT_EQ(MG_OK,
              mg_goal_open_file(mg_strf(t->arena, "%s/sub/goal.yaml", t->dir).ptr, &goal, &error));
    EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &report, &error));
    EXPECT_EQ(MG_VERDICT_MET, mg_report_verdict(report));
    mg_report_free(report);
    mg_goal_close(goal);
}

TEST(groups_can_be_walked)
{
    mg_report *report = NULL;
    mg_error error;
    mg_goal *goal = open_text(
        t, "assert: [{all: [{file_exists: a}, {not: {file_exists: b}}], recovery: Make a.}]");
    EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &report, &error));
    const mg_result *all = mg_report_result(report, 0);
    EXPECT_EQ(MG_VERDICT_NOT_MET, mg_report_verdict(report));
    EXPECT_EQ(2, mg_result_child_count(all));
    EXPECT_EQ(MG_OUTCOME_FAIL, mg_result_outcome(mg_result_child(all, 0)));
    EXPECT_EQ(MG_OUTCOME_PASS, mg_result_outcome(mg_result_child(all, 1)));
    EXPECT(mg_result_child(all, 2) == NULL);
    EXPECT_STR("Make a.", mg_str_of(mg_result_recovery(all)));
    EXPECT_STR("'a' does not exist", mg_str_of(mg_result_observed(mg_result_child(all, 0))));
    EXPECT_STR("all", mg_str_of(mg_result_kind(all)));
    mg_report_free(report);
    mg_goal_close(goal);
}

TEST(every_mistake_of_a_goal_is_in_the_error)
{
    mg_goal *goal = NULL;
    mg_error error = {0};
    const char *yaml = "gaol: x\nassert:\n  - file_exist: a\n";
    EXPECT_EQ(MG_ERR_INVALID, mg_goal_open_text(yaml, strlen(yaml), NULL, &goal, &error));
    EXPECT(goal == NULL);
    EXPECT_CONTAINS(mg_str_of(error.text), "1:1: unknown key 'gaol' (did you mean 'goal'?)");
    EXPECT_CONTAINS(mg_str_of(error.text), "3:5: unknown assertion 'file_exist'");
}

TEST(a_missing_file_and_a_missing_root_are_errors)
{
    mg_goal *goal = NULL;
    mg_report *report = NULL;
    mg_error error = {0};
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_goal_open_file("no/such.yaml", &goal, &error));
    EXPECT_CONTAINS(mg_str_of(error.text), "'no/such.yaml'");
    goal = open_text(t, "root: nowhere\nassert: [{file_exists: a}]");
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_goal_check(goal, NULL, &report, &error));
    EXPECT(report == NULL);
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_goal_open_file("no/such.yaml", &goal, NULL));
    mg_goal_close(goal);
}

TEST(nothing_is_never_success)
{
    mg_report *report = NULL;
    mg_error error;
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_report_verdict(NULL));
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, mg_result_outcome(NULL));
    mg_goal *goal = open_text(t, "goal: nothing is asserted");
    EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &report, &error));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_report_verdict(report));
    EXPECT(mg_report_result(report, 0) == NULL);
    mg_report_free(report);
    mg_goal_close(goal);
    mg_report_free(NULL);
    mg_goal_close(NULL);
}

TEST(options_of_an_older_caller_are_understood)
{
    struct {
        size_t size;
        const char *root;
    } old = {sizeof old, t->dir};
    mg_report *report = NULL;
    mg_error error;
    test_write(t, "a", MG_STR("x"));
    const char *yaml = "root: nowhere\nassert: [{file_exists: a}]";
    mg_goal *goal = open_text(t, yaml);
    EXPECT_EQ(MG_OK,
              mg_goal_check(goal, (const mg_run_options *)(const void *)&old, &report, &error));
    EXPECT_EQ(MG_VERDICT_MET, mg_report_verdict(report));
    mg_report_free(report);
    mg_goal_close(goal);
}

TEST(warnings_can_be_read)
{
    mg_goal *goal = open_text(t, "assert: [{command_returns: 'true'}]");
    EXPECT_EQ(1, mg_goal_warning_count(goal));
    EXPECT_CONTAINS(mg_str_of(mg_goal_warning(goal, 0)), "proves nothing");
    EXPECT(mg_goal_warning(goal, 1) == NULL);
    mg_goal_close(goal);
}

TEST(an_unknown_format_is_an_error)
{
    mg_report *report = NULL;
    mg_error error;
    const char *text = NULL;
    size_t length;
    mg_goal *goal = open_text(t, "assert: [{file_exists: a}]");
    EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &report, &error));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_report_write(report, "xml2", &text, &length, &error));
    EXPECT(text == NULL);
    mg_report_free(report);
    mg_goal_close(goal);
}

TEST(a_cancel_that_was_asked_for_gives_no_report)
{
    int fds[2];
    mg_report *report = NULL;
    mg_error error;
    mg_run_options options = MG_RUN_INIT;
    EXPECT_EQ(0, pipe2(fds, O_CLOEXEC));
    EXPECT_EQ(1, write(fds[1], "x", 1));
    options.cancel_fd = fds[0];
    test_write(t, "a", MG_STR("x"));
    mg_goal *goal = open_text(t, "assert: [{file_exists: a}]");
    EXPECT_EQ(MG_ERR_CANCELLED, mg_goal_check(goal, &options, &report, &error));
    EXPECT(report == NULL);
    options.cancel_fd = t->dir_fd;
    EXPECT_EQ(MG_ERR_INVALID, mg_goal_check(goal, &options, &report, &error));
    mg_goal_close(goal);
}

TEST(a_report_holds_no_descriptor)
{
    mg_report *reports[20] = {0};
    mg_error error;
    mg_goal *goal = open_text(t, "assert: [{file_exists: a}]");
    const int before = dup(0);
    (void)close(before);
    for (size_t i = 0; i < 20; i++)
        EXPECT_EQ(MG_OK, mg_goal_check(goal, NULL, &reports[i], &error));
    const int after = dup(0);
    EXPECT_EQ(before, after);
    for (size_t i = 0; i < 20; i++)
        mg_report_free(reports[i]);
    mg_goal_close(goal);
    (void)close(after);
}
