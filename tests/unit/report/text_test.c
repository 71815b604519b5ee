/* text_test.c - what a person gets to read. */
#include "report/samples.h"

#include "data/text.h"
#include "test.h"

static mg_str shown(test *t, mg_report report, mg_report_style style)
{
    mg_buf out = mg_buf_new(t->arena, 1u << 20);
    mg_reporter_find("text")->write(&report, &style, t->arena, &out);
    return mg_buf_str(&out);
}

static size_t at(mg_str text, const char *part)
{
    const char *found = memmem(text.ptr, text.len, part, strlen(part));
    if (found == NULL)
        test_fail(__FILE__, __LINE__, "'%s' is not in:\n" MG_FMT, part, MG_ARG(text));
    return (size_t)(found - text.ptr);
}

TEST(what_fails_comes_last_then_warnings_then_the_summary)
{
    const mg_str out = shown(t, sample_mixed(t->arena), (mg_report_style){0});
    EXPECT(at(out, "make lint") < at(out, "unknown  http_200"));
    EXPECT(at(out, "unknown  http_200") < at(out, "FAIL     file_contains"));
    EXPECT(at(out, "FAIL     the tests pass") < at(out, "warning: makegood.yaml:12"));
    EXPECT(at(out, "warning:") < at(out, "makegood: not met - 3 of 6 passed, 2 failed, 1 unknown"));
    EXPECT(at(out, "makegood: not met") < at(out, "next: Make the failing"));
}

TEST(a_failure_says_expected_observed_recovery_and_where)
{
    const mg_str out = shown(t, sample_fail(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "\n  FAIL     file_contains style.css\n"
                         "           expected  a match of 'background");
    EXPECT_CONTAINS(out, "\n           observed  'style.css' has no match in 12 lines\n"
                         "           to fix    Edit the body rule.\n"
                         "           at        makegood.yaml:7\n");
    EXPECT_CONTAINS(out, "makegood: not met - 1 of 2 passed, 1 failed (0.004 s)\n");
}

TEST(what_is_unknown_says_why)
{
    const mg_str out = shown(t, sample_unknown(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "because   'http://127.0.0.1:3000/' did not answer within 5s");
    EXPECT_CONTAINS(out, "makegood: unverified - 1 of 2 passed, 1 unknown");
}

TEST(an_empty_report_says_that_nothing_is_proved)
{
    const mg_str out = shown(t, sample_empty(t->arena), (mg_report_style){.quiet = true});
    EXPECT_STR("makegood: unverified - nothing was asserted, so nothing is proved (0.004 s)\n"
               "next: Add an entry under 'assert:' that can fail.\n",
               out);
}

TEST(a_vacuous_pass_is_marked_and_the_summary_says_it_proves_nothing)
{
    const mg_str out = shown(t, sample_vacuous(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "ok       command_returns true  (proves nothing)");
    EXPECT_CONTAINS(out, "unverified - 1 of 1 passed, but that proves nothing");
}

TEST(notes_line_up_also_behind_names_that_are_not_ascii)
{
    const mg_str out = shown(t, sample_mixed(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "\n  ok       die Gr\xc3\xbc\xc3\x9f"
                         "e stehen da        (1.235 s, 3 tries)\n"
                         "  ok       command_returns make lint  (invariant)\n");
}

TEST(quiet_leaves_only_what_is_wrong_and_the_summary)
{
    const mg_str out = shown(t, sample_mixed(t->arena), (mg_report_style){.quiet = true});
    EXPECT(!mg_str_has(out, "  ok "));
    EXPECT(!mg_str_has(out, "goal:"));
    EXPECT(!mg_str_has(out, "warning:"));
    EXPECT_CONTAINS(out, "FAIL     file_contains style.css");
    EXPECT_CONTAINS(out, "makegood: not met");
    EXPECT_STR("makegood: met - 3 of 3 passed (0.004 s)\n",
               shown(t, sample_pass(t->arena), (mg_report_style){.quiet = true}));
}

TEST(only_the_last_lines_of_output_are_shown_and_the_rest_is_counted)
{
    const mg_str out = shown(t, sample_mixed(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "output    the last 20 lines (10 more before them):");
    EXPECT_CONTAINS(out, "| test 11: ok\n");
    EXPECT_CONTAINS(out, "| test 30: FAILED\n");
    EXPECT(!mg_str_has(out, "| test 10: ok"));
}

TEST(output_of_exactly_the_shown_length_is_shown_whole)
{
    mg_report report = sample_fail(t->arena);
    mg_buf detail = mg_buf_new(t->arena, 1000);
    for (int i = 1; i <= 20; i++)
        mg_buf_addf(&detail, "line %d\r\n", i);
    report.results[1].detail = mg_buf_str(&detail);
    const mg_str out = shown(t, report, (mg_report_style){0});
    EXPECT_CONTAINS(out, "output\n           | line 1\n");
    EXPECT_CONTAINS(out, "| line 20\n");
    EXPECT(!mg_str_has(out, "more before"));
}

TEST(a_group_that_fails_is_shown_as_a_tree)
{
    const mg_str out = shown(t, sample_groups(t->arena), (mg_report_style){0});
    EXPECT_CONTAINS(out, "  ok       one of the two ways  (1 of 2 holds)\n");
    EXPECT_CONTAINS(out, "\n           ok       file_exists b\n"
                         "           FAIL     file_contains style.css\n"
                         "                    expected  ");
    /* Inside a `not` that fails, what passes is what is wrong. */
    EXPECT_CONTAINS(out, "\n           ok       file_contains app.js\n"
                         "                    observed  a match on line 3\n");
}

TEST(sentences_wrap_to_the_terminal_and_words_stay_whole)
{
    const mg_str out = shown(t, sample_mixed(t->arena), (mg_report_style){.width = 60});
    EXPECT_CONTAINS(out, "because   'http://127.0.0.1:3000/' did not answer\n"
                         "                     within 5s\n");
    mg_str rest = out, line;
    while (mg_str_split(&rest, '\n', &line))
        EXPECT(mg_utf8_columns(line) <= 65); /* the pattern is one word and stays whole */
    EXPECT_CONTAINS(out, "'background(-color)?:\\s*(darkgreen|#006400)'");
}

TEST(a_name_can_neither_turn_the_direction_nor_break_the_line)
{
    mg_report report = sample_fail(t->arena);
    report.results[1].name = MG_STR("a\xe2\x80\xae"
                                    "b\xe2\x80\xa8"
                                    "c\xef\xbf\xbf"
                                    "d");
    const mg_str out = shown(t, report, (mg_report_style){0});
    EXPECT_CONTAINS(out, "FAIL     a\xef\xbf\xbd"
                         "b\xef\xbf\xbd"
                         "c\xef\xbf\xbd"
                         "d\n");
}

TEST(output_that_was_cut_before_it_came_here_is_not_counted)
{
    mg_report report = sample_fail(t->arena);
    mg_buf detail = mg_buf_new(t->arena, 10000);
    mg_buf_adds(&detail, "...");
    for (int i = 1; i <= 30; i++)
        mg_buf_addf(&detail, "line %d\n", i);
    report.results[1].detail = mg_buf_str(&detail);
    const mg_str out = shown(t, report, (mg_report_style){0});
    EXPECT_CONTAINS(out, "output    the last 20 lines of more:\n");
    EXPECT(!mg_str_has(out, "more before"));
}

TEST(what_was_not_asked_is_in_the_summary_also_when_quiet)
{
    mg_report report = sample_pass(t->arena);
    report.left_out = 2;
    EXPECT_STR("makegood: met - 3 of 3 passed; 2 entries were not asked (--only) (0.004 s)\n",
               shown(t, report, (mg_report_style){.quiet = true}));
    report.left_out = 1;
    EXPECT_CONTAINS(shown(t, report, (mg_report_style){0}), "; 1 entry was not asked (--only)");
}

TEST(quiet_keeps_the_warnings_that_are_the_reason)
{
    mg_report report = sample_vacuous(t->arena);
    report.reason = "vacuous";
    const mg_str out = shown(t, report, (mg_report_style){.quiet = true});
    EXPECT_CONTAINS(out, "warning: makegood.yaml:5: 'true' always succeeds\n");
}

/* Entries that a check which was stopped never came to. */
static mg_report stopped(test *t, size_t untried)
{
    mg_report report = sample_report(t->arena, untried + 2, MG_VERDICT_NOT_MET, "assertion_failed");
    report.results[0] = sample_failing();
    report.results[1] = sample_unanswered();
    for (size_t i = 2; i < untried + 2; i++) {
        report.results[i] = sample_row(MG_OUTCOME_UNKNOWN, "file_exists", "file_exists x", 9);
        report.results[i].tries = 0;
        report.results[i].message = MG_STR("not evaluated: somebody stopped it");
    }
    return report;
}

TEST(entries_that_were_never_tried_are_one_line)
{
    const mg_str out = shown(t, stopped(t, 298), (mg_report_style){0});
    EXPECT_CONTAINS(out, "  unknown  298 entries were not evaluated: somebody stopped it\n");
    EXPECT_CONTAINS(out, "unknown  http_200");
    EXPECT_CONTAINS(out, "FAIL     file_contains style.css");
    EXPECT_CONTAINS(out, "1 failed, 299 unknown");
    EXPECT(!mg_str_has(out, "file_exists x"));
}

TEST(a_single_entry_that_was_never_tried_is_named)
{
    const mg_str out = shown(t, stopped(t, 1), (mg_report_style){0});
    EXPECT_CONTAINS(out, "unknown  file_exists x\n");
    EXPECT_CONTAINS(out, "because   not evaluated: somebody stopped it");
}

TEST(different_reasons_for_not_trying_are_told_apart)
{
    mg_report report = stopped(t, 5);
    report.results[4].message = MG_STR("the time was up");
    const mg_str out = shown(t, report, (mg_report_style){0});
    EXPECT_CONTAINS(out, "4 entries were not evaluated: somebody stopped it\n");
    EXPECT_CONTAINS(out, "1 entry was not evaluated: the time was up\n");
}
