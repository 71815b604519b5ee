/* One walk over the table of kinds: every row is complete, and its example reads. */
#include "check/check.h"

#include "test.h"

#include <unistd.h>

static void expect_rows(const mg_param *params)
{
    for (size_t i = 0; params[i].name != NULL; i++) {
        EXPECT(params[i].type >= MG_PARAM_TEXT && params[i].type <= MG_PARAM_ENTRIES);
        if (params[i].help == NULL || *params[i].help == '\0')
            test_fail(__FILE__, __LINE__, "'%s' has no help", params[i].name);
        EXPECT((params[i].type == MG_PARAM_CHOICE) == (params[i].choices != NULL));
        for (size_t j = 0; j < i; j++)
            EXPECT(strcmp(params[i].name, params[j].name) != 0);
        if (params[i].type == MG_PARAM_OBJECT || params[i].type == MG_PARAM_OBJECTS)
            expect_rows(params[i].fields);
    }
}

TEST(every_kind_has_a_unique_name_a_summary_and_documented_fields)
{
    for (size_t i = 0; mg_check_kinds[i] != NULL; i++) {
        const mg_check_kind *kind = mg_check_kinds[i];
        EXPECT(kind->name != NULL && kind->summary != NULL && kind->params[0].name != NULL);
        EXPECT((kind->eval != NULL) != (kind->start != NULL));
        expect_rows(kind->params);
        for (size_t j = 0; j < i; j++)
            EXPECT(strcmp(kind->name, mg_check_kinds[j]->name) != 0);
        for (size_t j = 0; mg_entry_params[j].name != NULL; j++)
            for (size_t k = 0; kind->params[k].name != NULL; k++)
                EXPECT(strcmp(mg_entry_params[j].name, kind->params[k].name) != 0);
    }
}

TEST(every_example_is_a_goal_that_reads_without_a_warning)
{
    for (size_t i = 0; mg_check_kinds[i] != NULL; i++) {
        const mg_goal *goal;
        mg_problems problems = {0};
        const mg_str text = mg_strf(t->arena, "assert:\n  - %s\n", mg_check_kinds[i]->example);
        if (mg_goal_read(text, MG_STR("example"), mg_check_kinds, &mg_limits_default, t->arena,
                         &goal, &problems) != MG_OK)
            test_fail(__FILE__, __LINE__, "%s: " MG_FMT, mg_check_kinds[i]->name,
                      MG_ARG(problems.items[0].text));
        EXPECT_EQ(0, goal->warnings.count);
        EXPECT_STR(mg_check_kinds[i]->name, mg_str_of(goal->entries.items[0]->kind->name));
    }
}

TEST(the_table_of_the_goal_file_is_complete)
{
    expect_rows(mg_goal_params);
    expect_rows(mg_entry_params);
    expect_rows(mg_any_params);
}

TEST(every_kind_of_the_design_is_there)
{
    static const char *const names[] = {
        "file_exists",       "file_not_empty",  "file_contains",
        "file_not_contains", "content_changed", "response_contains",
        "command_returns",   "file_size_gt",    "output_contains",
        "exit_code_eq",      "socket_open",     "http_200",
        "changes",           "json_value",      "http",
        "dir_exists",
    };
    for (size_t i = 0; i < MG_COUNT(names); i++)
        EXPECT(mg_kind_find(mg_check_kinds, mg_str_of(names[i])) != NULL);
}
