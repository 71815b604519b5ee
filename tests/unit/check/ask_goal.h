/* ask_goal.h - one entry of a goal, judged by the real engine. */
#ifndef MG_TESTS_CHECK_ASK_GOAL_H
#define MG_TESTS_CHECK_ASK_GOAL_H

#include "check/check.h"
#include "test.h"

static inline mg_report ask_goal_in(test *t, const char *root, const char *yaml,
                                    const mg_limits *limits)
{
    const mg_goal *goal;
    mg_problems problems = {0};
    mg_world *world = mg_new(t->arena, mg_world);
    mg_report report = {0};
    if (mg_goal_read(mg_str_of(yaml), MG_STR("t"), mg_check_kinds, limits, t->arena, &goal,
                     &problems) != MG_OK)
        test_fail(__FILE__, __LINE__, MG_FMT, MG_ARG(problems.items[0].text));
    EXPECT_OK(mg_world_open(root, t->arena, world, &t->err));
    world->probe_allow = goal->probe_allow;
    const mg_view view = {
        .world = world, .limits = limits, .clock = &mg_clock_system, .deadline_ms = UINT64_MAX};
    EXPECT_OK(mg_check_run(goal, &view, &(mg_check_options){0}, t->arena, &report, &t->err));
    return report;
}

static inline mg_report ask_goal(test *t, const char *yaml, const mg_limits *limits)
{
    return ask_goal_in(t, t->dir, yaml, limits);
}

/* The result of one entry, written as a YAML flow mapping. */
static inline mg_result ask_with(test *t, const mg_limits *limits, const char *entry)
{
    return ask_goal(t, mg_strf(t->arena, "assert: [%s]", entry).ptr, limits).results[0];
}

static inline mg_result ask_entry(test *t, const char *entry)
{
    return ask_with(t, &mg_limits_default, entry);
}

#define EXPECT_ASK(want, part, result)                                                           \
    do {                                                                                         \
        const mg_result r_ = (result);                                                           \
        if (r_.outcome != (want))                                                                \
            test_fail(__FILE__, __LINE__, "expected %s, got %s: " MG_FMT, mg_outcome_name(want), \
                      mg_outcome_name(r_.outcome), MG_ARG(r_.message));                          \
        EXPECT_CONTAINS(r_.message, part);                                                       \
    } while (0)

#endif
