/* Several reports in one: nothing that did not hold can get lost on the way. */
#include "cli/combine.h"
#include "test.h"

#include "data/json.h"

static mg_result result(mg_outcome outcome)
{
    return (mg_result){.outcome = outcome,
                       .kind = "file_exists",
                       .name = MG_STR("entry"),
                       .message = MG_STR("said"),
                       .proves = outcome == MG_OUTCOME_PASS,
                       .tries = 1};
}

static mg_report report(test *t, const char *file, mg_verdict verdict, mg_outcome outcome)
{
    mg_result *results = mg_new(t->arena, mg_result);
    *results = result(outcome);
    return (mg_report){.goal_file = mg_str_of(file),
                       .verdict = verdict,
                       .reason = "because",
                       .results = results,
                       .result_count = 1};
}

static mg_reports pair(test *t, mg_report a, mg_report b)
{
    mg_report *items = mg_new_array(t->arena, mg_report, 2);
    items[0] = a;
    items[1] = b;
    return (mg_reports){.items = items, .count = 2, .cap = 2, .several = true};
}

TEST(the_worst_verdict_is_the_verdict)
{
    const mg_report met = report(t, "a", MG_VERDICT_MET, MG_OUTCOME_PASS);
    const mg_report not_met = report(t, "b", MG_VERDICT_NOT_MET, MG_OUTCOME_FAIL);
    const mg_report unknown = report(t, "c", MG_VERDICT_UNKNOWN, MG_OUTCOME_UNKNOWN);
    mg_reports r = pair(t, met, met);
    EXPECT_EQ(MG_VERDICT_MET, mg_reports_verdict(&r));
    r = pair(t, met, unknown);
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_reports_verdict(&r));
    r = pair(t, unknown, not_met);
    EXPECT_EQ(MG_VERDICT_NOT_MET, mg_reports_verdict(&r));
}

TEST(no_reports_and_zeroed_reports_are_unknown)
{
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_reports_verdict(&(mg_reports){0}));
    const mg_report met = report(t, "a", MG_VERDICT_MET, MG_OUTCOME_PASS);
    mg_reports r = pair(t, met, (mg_report){0});
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_reports_verdict(&r));
    r = pair(t, met, (mg_report){.verdict = MG_VERDICT_MET}); /* met, with nothing to show for it */
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_reports_verdict(&r));
}

TEST(every_format_shows_the_second_file_s_failure)
{
    const mg_reports r = pair(t, report(t, "good.yaml", MG_VERDICT_MET, MG_OUTCOME_PASS),
                              report(t, "bad.yaml", MG_VERDICT_NOT_MET, MG_OUTCOME_FAIL));
    static const struct {
        const char *format, *shows;
    } formats[] = {
        {"text", "not met"},        {"json", "\"verdict\":\"not_met\""},
        {"junit", "<failure"},      {"tap", "not ok 2"},
        {"sarif", "bad.yaml"},      {"github", "::error"},
        {"prometheus", "bad.yaml"},
    };
    for (size_t i = 0; i < MG_COUNT(formats); i++) {
        mg_buf out = mg_buf_new(t->arena, 1u << 20);
        mg_reports_write(&r, mg_reporter_find(formats[i].format),
                         &(mg_report_style){.version = "0"}, t->arena, &out);
        EXPECT_CONTAINS(mg_buf_str(&out), formats[i].shows);
    }
}

TEST(json_and_sarif_stay_json)
{
    const mg_reports r = pair(t, report(t, "a\"b", MG_VERDICT_MET, MG_OUTCOME_PASS),
                              report(t, "c\n", MG_VERDICT_UNKNOWN, MG_OUTCOME_UNKNOWN));
    static const char *const formats[] = {"json", "sarif"};
    for (size_t i = 0; i < MG_COUNT(formats); i++) {
        mg_buf out = mg_buf_new(t->arena, 1u << 20);
        const mg_json *json;
        mg_reports_write(&r, mg_reporter_find(formats[i]), &(mg_report_style){.version = "0"},
                         t->arena, &out);
        EXPECT_OK(mg_json_parse(mg_buf_str(&out), &mg_limits_default, MG_JSON_UNIQUE_KEYS, t->arena,
                                &json, &t->err));
    }
}

TEST(what_only_left_out_is_in_every_document)
{
    mg_reports r = pair(t, report(t, "a.yaml", MG_VERDICT_MET, MG_OUTCOME_PASS),
                        report(t, "b.yaml", MG_VERDICT_MET, MG_OUTCOME_PASS));
    r.items[1].left_out = 2;
    r.unasked = 3;
    static const struct {
        const char *format, *shows;
    } formats[] = {
        {"text", "; 2 entries were not asked"},
        {"json", "\"left_out\":5,"},
        {"junit", "name=\"left_out\" value=\"5\""},
        {"tap", "; 5 entries were not asked"},
        {"sarif", "\"left_out\":2"},
        {"github", "; 2 entries were not asked"},
        {"prometheus", "makegood_goal_met{file=\"b.yaml\"} 0\n"},
    };
    for (size_t i = 0; i < MG_COUNT(formats); i++) {
        mg_buf out = mg_buf_new(t->arena, 1u << 20);
        mg_reports_write(&r, mg_reporter_find(formats[i].format),
                         &(mg_report_style){.version = "0"}, t->arena, &out);
        EXPECT_CONTAINS(mg_buf_str(&out), formats[i].shows);
    }
}
