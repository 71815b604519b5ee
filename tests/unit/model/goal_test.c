/* A goal file as a whole: names, defaults, bounds. Its mistakes are cases in tests/cases/goals. */
#include "model/goal.h"

#include "check/check.h"
#include "test.h"

static const mg_goal *read_with(test *t, const char *yaml, const mg_limits *limits,
                                mg_problems *problems)
{
    const mg_goal *goal = NULL;
    const mg_status s = mg_goal_read(mg_str_of(yaml), MG_STR("t.yaml"), mg_check_kinds, limits,
                                     t->arena, &goal, problems);
    EXPECT_EQ(s == MG_OK, goal != NULL);
    EXPECT_EQ(s != MG_OK, problems->count > 0);
    return goal;
}

static const mg_goal *read_goal(test *t, const char *yaml)
{
    mg_problems problems = {0};
    const mg_goal *goal = read_with(t, yaml, &mg_limits_default, &problems);
    if (goal == NULL)
        test_fail(__FILE__, __LINE__, MG_FMT, MG_ARG(problems.items[0].text));
    return goal;
}

static void expect_refused(test *t, const char *yaml, const mg_limits *limits, const char *part)
{
    mg_problems problems = {0};
    EXPECT(read_with(t, yaml, limits, &problems) == NULL);
    EXPECT_CONTAINS(problems.items[problems.count - 1].text, part);
}

TEST(names_tell_entries_apart)
{
    static const char *const table[][2] = {
        {"{file_exists: a.txt}", "file_exists a.txt"},
        {"{file_contains: {path: a, pattern: 'b c'}}", "file_contains a b c"},
        {"{file_size_gt: {path: a, bytes: 10k}}", "file_size_gt a 10k"},
        {"{json_value: {path: a, pointer: /b, equals: 1}}", "json_value a /b"},
        {"{command_returns: {run: make test, timeout: 5m}}", "command_returns make test"},
        {"{command_returns: {run: [make, test], exit_code: 2}}", "command_returns make test"},
        {"{socket_open: {host: '::1', port: 80}}", "socket_open ::1 80"},
        {"{socket_open: {path: /run/a.sock}}", "socket_open /run/a.sock"},
        {"{http_200: {url: 'http://h/', timeout: 1s}}", "http_200 http://h/"},
        {"{exit_code_eq: 0}", "exit_code_eq 0"},
        {"{file_exists: {path: a, name: mine}}", "mine"},
        {"{all: [{file_exists: a}, {file_exists: b}]}", "all of 2"},
        {"{any: {min: 2, of: [{file_exists: a}, {file_exists: b}]}}", "at least 2 of 2"},
        {"{not: {file_exists: a}, recovery: r}", "not file_exists a"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        const mg_goal *goal = read_goal(t, mg_strf(t->arena, "assert: [%s]", table[i][0]).ptr);
        EXPECT_STR(table[i][1], goal->entries.items[0]->name);
    }
}

TEST(what_is_not_written_has_its_default)
{
    const mg_goal *goal = read_goal(t, "goal: '  x  '");
    EXPECT_STR("x", goal->goal);
    EXPECT_STR(".", goal->root);
    EXPECT_EQ(4, goal->jobs);
    EXPECT_EQ(10 * 60 * 1000, goal->deadline_ms);
    EXPECT_EQ(0, goal->entries.count);
    EXPECT_EQ(5, mg_arg_int(mg_arg_object(goal->settings, "budget"), "attempts"));
    EXPECT(mg_arg(goal->settings, "watch")->boolean);
    EXPECT(!mg_arg(goal->settings, "sandbox")->boolean);
    EXPECT_STR("required", mg_arg_text(goal->settings, "effect"));
}

TEST(an_object_that_is_switched_off_keeps_its_defaults)
{
    const mg_goal *goal = read_goal(t, "watch: false\nsandbox: {network: false}");
    EXPECT(!mg_arg(goal->settings, "watch")->boolean);
    EXPECT_EQ(100, mg_arg_amount(mg_arg_object(goal->settings, "watch"), "every"));
    EXPECT(mg_arg(goal->settings, "sandbox")->boolean);
    EXPECT(!mg_arg(mg_arg_object(goal->settings, "sandbox"), "network")->boolean);
}

TEST(name_recovery_and_retry_stand_inside_or_beside)
{
    const char *yaml =
        "assert:\n"
        "  - file_exists: {path: a, name: n, recovery: r, retry: {times: 2, every: 5ms}}\n"
        "  - {file_exists: b, name: n, recovery: r, retry: {times: 2, every: 5ms}}\n"
        "  - {assert: file_exists, path: c, name: n, recovery: r, retry: {times: 2, every: 5ms}}\n";
    const mg_goal *goal = read_goal(t, yaml);
    for (size_t i = 0; i < 3; i++) {
        const mg_entry *entry = goal->entries.items[i];
        EXPECT_STR("n", entry->name);
        EXPECT_STR("r", entry->recovery);
        EXPECT_EQ(2, entry->retry_times);
        EXPECT_EQ(5, entry->retry_every_ms);
    }
}

TEST(invariants_come_after_the_assertions_and_are_marked)
{
    const mg_goal *goal = read_goal(t, "invariant: [{file_exists: i}]\nassert: [{file_exists: a}]");
    EXPECT_EQ(1, goal->assert_count);
    EXPECT_STR("file_exists a", goal->entries.items[0]->name);
    EXPECT(!goal->entries.items[0]->invariant);
    EXPECT(goal->entries.items[1]->invariant);
}

TEST(groups_too_deep_are_refused)
{
    mg_buf yaml = mg_buf_new(t->arena, 1u << 16);
    mg_buf_adds(&yaml, "assert: [");
    for (int i = 0; i < 20; i++)
        mg_buf_adds(&yaml, "{not: ");
    mg_buf_adds(&yaml, "{file_exists: a}");
    for (int i = 0; i < 20; i++)
        mg_buf_adds(&yaml, "}");
    mg_buf_adds(&yaml, "]");
    expect_refused(t, mg_str_cstr(t->arena, mg_buf_str(&yaml)), &mg_limits_default, "levels deep");
}

TEST(bounds_of_a_goal_file_are_kept)
{
    mg_limits small = mg_limits_default;
    small.goal_bytes = 100;
    expect_refused(t, mg_strf(t->arena, "goal: %0200d", 1).ptr, &small, "larger than 100 bytes");
    small = mg_limits_default;
    small.goal_nodes = 5;
    expect_refused(t, "protect: [a, b, c, d, e, f]", &small, "more than 5 values");
}

TEST(after_fifty_mistakes_a_goal_is_still_refused)
{
    mg_buf yaml = mg_buf_new(t->arena, 1u << 16);
    mg_buf_adds(&yaml, "assert:\n");
    for (int i = 0; i < 60; i++)
        mg_buf_adds(&yaml, "  - nope: x\n");
    mg_buf_adds(&yaml, "  - not: {nope: x}\n  - all: [{nope: x}]\n  - any: {of: [{nope: x}]}\n");
    mg_problems problems = {0};
    EXPECT(read_with(t, mg_str_cstr(t->arena, mg_buf_str(&yaml)), &mg_limits_default, &problems) ==
           NULL);
    EXPECT_EQ(50, problems.count);
}

TEST(an_entry_that_repeats_another_is_warned_of_however_it_is_written)
{
    const mg_goal *goal = read_goal(t, "assert:\n  - file_exists: a\n"
                                       "  - {assert: file_exists, path: a, name: again}\n"
                                       "  - all: [{dir_exists: d}, {dir_exists: {path: d}}]\n"
                                       "  - command_returns: [x, y]\n  - command_returns: [x, z]\n"
                                       "invariant:\n  - file_exists: a\n");
    EXPECT_EQ(2, goal->warnings.count);
    EXPECT_EQ(3, goal->warnings.items[0].line);
    EXPECT_EQ(4, goal->warnings.items[1].line);
}
