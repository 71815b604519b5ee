/* The words for attempts: what has a name is read back as itself, and what has none as zero. */
#include "model/attempt.h"

#include "test.h"

TEST(every_name_is_read_back_as_itself)
{
    for (int i = MG_TERMINAL_COMPLETED; i <= MG_TERMINAL_ERROR; i++)
        EXPECT_EQ(i, mg_terminal_named(mg_str_of(mg_terminal_name((mg_terminal)i))));
    for (int i = MG_ATTEMPT_UNVERIFIED; i <= MG_ATTEMPT_FAILED; i++)
        EXPECT_EQ(i,
                  mg_attempt_status_named(mg_str_of(mg_attempt_status_name((mg_attempt_status)i))));
    for (int i = MG_CHANGE_CREATED; i <= MG_CHANGE_LINK; i++)
        EXPECT_EQ(i, mg_change_named(mg_str_of(mg_change_name((mg_change_type)i))));
    for (int i = MG_LEVEL_LOW; i <= MG_LEVEL_HIGH; i++)
        EXPECT_EQ(i, mg_level_named(mg_str_of(mg_level_name((mg_level)i))));
}

TEST(a_name_that_is_not_known_is_never_a_good_one)
{
    static const char *const names[] = {"",         "SUCCESS", "success ", "succes",
                                        "successs", "ok",      "met",      "unknown"};
    for (size_t i = 0; i < MG_COUNT(names); i++) {
        EXPECT_EQ(MG_ATTEMPT_UNVERIFIED, mg_attempt_status_named(mg_str_of(names[i])));
        EXPECT_EQ(MG_TERMINAL_NONE, mg_terminal_named(mg_str_of(names[i])));
        EXPECT_EQ(MG_CHANGE_NONE, mg_change_named(mg_str_of(names[i])));
        EXPECT_EQ(MG_LEVEL_NONE, mg_level_named(mg_str_of(names[i])));
    }
    EXPECT_EQ(MG_ATTEMPT_UNVERIFIED, mg_attempt_status_named((mg_str){"success\0x", 9}));
}

TEST(a_value_that_is_not_known_has_the_name_of_zero)
{
    EXPECT_STR("unknown", mg_str_of(mg_terminal_name((mg_terminal)77)));
    EXPECT_STR("unverified", mg_str_of(mg_attempt_status_name((mg_attempt_status)-1)));
    EXPECT_STR("unknown", mg_str_of(mg_change_name((mg_change_type)1000)));
    EXPECT_STR("none", mg_str_of(mg_level_name((mg_level)9)));
}

TEST(a_label_says_why_it_ended_and_whether_the_goal_holds)
{
    static const struct {
        mg_terminal terminal;
        mg_verdict verdict;
        const char *label;
    } rows[] = {
        {MG_TERMINAL_COMPLETED, MG_VERDICT_MET, "goal met"},
        {MG_TERMINAL_ERROR, MG_VERDICT_MET, "goal met"},
        {MG_TERMINAL_COMPLETED, MG_VERDICT_NOT_MET, "agent stopped, goal not met"},
        {MG_TERMINAL_MAX_ITERATIONS, MG_VERDICT_NOT_MET, "hit iteration cap, goal not met"},
        {MG_TERMINAL_TIMEOUT, MG_VERDICT_NOT_MET, "timed out, goal not met"},
        {MG_TERMINAL_CANCELLED, MG_VERDICT_NOT_MET, "cancelled, goal not met"},
        {MG_TERMINAL_ERROR, MG_VERDICT_NOT_MET, "run error"},
        {MG_TERMINAL_NONE, MG_VERDICT_UNKNOWN, "goal not verified"},
        {MG_TERMINAL_COMPLETED, MG_VERDICT_UNKNOWN, "agent stopped, goal not verified"},
    };
    for (size_t i = 0; i < MG_COUNT(rows); i++) {
        const mg_attempt attempt = {.terminal = rows[i].terminal, .verdict = rows[i].verdict};
        EXPECT_STR(rows[i].label, mg_str_of(mg_attempt_label(&attempt)));
    }
}

TEST(only_a_goal_that_is_met_is_labelled_so)
{
    for (int terminal = -1; terminal < 9; terminal++) {
        for (int verdict = -1; verdict < 5; verdict++) {
            const mg_attempt attempt = {.terminal = (mg_terminal)terminal,
                                        .verdict = (mg_verdict)verdict};
            const bool met = mg_str_is(mg_str_of(mg_attempt_label(&attempt)), "goal met");
            EXPECT_EQ(verdict == MG_VERDICT_MET, met);
        }
    }
}
