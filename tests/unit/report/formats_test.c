/* formats_test.c - the rules of each format that a program relies on. */
#include "report/samples.h"

#include "base/map.h"
#include "data/json.h"
#include "test.h"

static mg_str as(test *t, const char *format, mg_report report)
{
    mg_buf out = mg_buf_new(t->arena, 64u << 20);
    mg_reporter_find(format)->write(&report, &(mg_report_style){.version = "1.2.3"}, t->arena,
                                    &out);
    EXPECT(!out.cut);
    return mg_buf_str(&out);
}

static size_t count(mg_str text, const char *part)
{
    size_t times = 0;
    for (const char *at = text.ptr;
         (at = memmem(at, text.len - (size_t)(at - text.ptr), part, strlen(part))) != NULL; at++)
        times++;
    return times;
}

static const mg_json *parsed(test *t, mg_str text)
{
    const mg_json *json;
    EXPECT_OK(mg_json_parse(text, &(mg_limits){.json_bytes = 64u << 20, .json_depth = 100},
                            MG_JSON_UNIQUE_KEYS, t->arena, &json, &t->err));
    return json;
}

static mg_str at(test *t, const mg_json *json, const char *pointer)
{
    const mg_json *value;
    EXPECT_OK(mg_json_at(json, mg_str_of(pointer), &value, &t->err));
    return mg_json_text(value, t->arena);
}

static bool absent(const mg_json *json, const char *pointer)
{
    const mg_json *value;
    return mg_json_at(json, mg_str_of(pointer), &value, NULL) == MG_ERR_NOT_FOUND;
}

TEST(json_has_the_shape_that_scripts_rely_on)
{
    const mg_json *json = parsed(t, as(t, "json", sample_mixed(t->arena)));
    EXPECT_STR("1", at(t, json, "/schema"));
    EXPECT_STR("\"not_met\"", at(t, json, "/verdict"));
    EXPECT_STR("\"assertion_failed\"", at(t, json, "/reason"));
    EXPECT_STR("4.217", at(t, json, "/duration_ms"));
    EXPECT_STR("\"2025-11-15T01:50:03.120Z\"", at(t, json, "/started"));
    EXPECT_STR("{\"passed\":3,\"failed\":2,\"unknown\":1}", at(t, json, "/counts"));
    EXPECT_STR("\"file_contains\"", at(t, json, "/results/1/kind"));
    EXPECT_STR("\"fail\"", at(t, json, "/results/1/verdict"));
    EXPECT_STR("\"Edit the body rule.\"", at(t, json, "/results/1/recovery"));
    EXPECT_STR("\"unknown\"", at(t, json, "/results/2/verdict"));
    EXPECT_STR("3", at(t, json, "/results/3/tries"));
    EXPECT_STR("true", at(t, json, "/results/5/invariant"));
    EXPECT(absent(json, "/results/0/invariant"));
    EXPECT(absent(json, "/results/0/tries"));
    EXPECT(absent(json, "/results/0/detail"));
    EXPECT(absent(json, "/results/0/children"));
}

TEST(json_never_says_that_something_proves_which_did_not_pass)
{
    mg_report report = sample_fail(t->arena);
    report.results[1].proves = true;
    EXPECT_STR("false", at(t, parsed(t, as(t, "json", report)), "/results/1/proves"));
}

TEST(json_keeps_the_tree_of_groups)
{
    const mg_json *json = parsed(t, as(t, "json", sample_groups(t->arena)));
    EXPECT_STR("\"http_200\"", at(t, json, "/results/1/children/0/children/1/kind"));
}

TEST(junit_separates_failure_from_error)
{
    const mg_str out = as(t, "junit", sample_mixed(t->arena));
    EXPECT_CONTAINS(out, "tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"0\" time=\"0.004\" "
                         "timestamp=\"2025-11-15T01:50:03\"");
    EXPECT_EQ(2, count(out, "<failure message="));
    EXPECT_EQ(1, count(out, "<error message="));
    EXPECT_CONTAINS(out, "<testcase classname=\"file_contains\" name=\"file_contains style.css\" "
                         "time=\"0.000\" file=\"makegood.yaml\" line=\"7\">");
    EXPECT_CONTAINS(out, "test 30: FAILED\n</system-out>");
}

TEST(junit_of_nothing_has_one_testcase_in_error)
{
    const mg_str out = as(t, "junit", sample_empty(t->arena));
    EXPECT_CONTAINS(out, "tests=\"1\" failures=\"0\" errors=\"1\"");
    EXPECT_CONTAINS(out, "<testcase classname=\"makegood\" name=\"nothing was asserted\"");
    EXPECT_CONTAINS(out, "can fail."); /* the advice */
}

TEST(tap_has_its_plan_first_and_escapes_names)
{
    mg_report report = sample_fail(t->arena);
    report.results[0].name = MG_STR("a # SKIP b \\ c\nnot ok 7");
    const mg_str out = as(t, "tap", report);
    EXPECT(mg_str_starts(out, "TAP version 14\n1..2\nok 1 - a \\# SKIP b \\\\ c\\\\nnot ok 7\n"
                              "not ok 2 - file_contains style.css\n  ---\n  verdict: \"fail\"\n"));
}

TEST(tap_counts_unknown_as_not_ok)
{
    const mg_str out = as(t, "tap", sample_unknown(t->arena));
    EXPECT_CONTAINS(out, "not ok 2 - http_200");
    EXPECT_CONTAINS(out, "  verdict: \"unknown\"\n");
}

TEST(tap_excuses_only_branches_of_groups_that_hold_without_them)
{
    const mg_str out = as(t, "tap", sample_groups(t->arena));
    EXPECT_CONTAINS(out, "    not ok 2 - file_contains style.css # TODO the group holds");
    EXPECT_CONTAINS(out, "        not ok 2 - http_200 http://127.0.0.1:3000/ # TODO");
    EXPECT_CONTAINS(out, "    ok 1 - file_exists b\n    not ok 2 - file_contains style.css\n");
    EXPECT_CONTAINS(out, "\nnot ok 4 - the page is whole\n");
}

TEST(sarif_points_at_the_line_and_encodes_the_path)
{
    mg_report report = sample_fail(t->arena);
    report.goal_file = MG_STR("my goals/a:b%\xff.yaml");
    const mg_json *json = parsed(t, as(t, "sarif", report));
    EXPECT_STR("\"my%20goals/a%3Ab%25%FF.yaml\"",
               at(t, json, "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri"));
    EXPECT_STR("7", at(t, json, "/runs/0/results/0/locations/0/physicalLocation/region/startLine"));
    EXPECT_STR("\"error\"", at(t, json, "/runs/0/results/0/level"));
    EXPECT_STR("\"1.2.3\"", at(t, json, "/runs/0/tool/driver/version"));
    EXPECT(absent(json, "/runs/0/results/1"));
}

TEST(sarif_fingerprints_stay_when_texts_and_lines_change_and_differ_between_entries)
{
    static const char print[] = "/runs/0/results/%d/partialFingerprints/makegoodEntry~1v1";
    mg_report report = sample_many(t->arena);
    report.result_count = 4; /* fail, unknown, pass, the same fail again */
    mg_str prints[3];
    const mg_json *json = parsed(t, as(t, "sarif", report));
    for (int i = 0; i < 3; i++)
        prints[i] = at(t, json, mg_strf(t->arena, print, i).ptr);
    EXPECT(!mg_str_eq(prints[0], prints[1]));
    EXPECT(!mg_str_eq(prints[0], prints[2]));
    report.results[0].line = 99;
    report.results[0].observed = report.results[0].message = MG_STR("something else");
    json = parsed(t, as(t, "sarif", report));
    EXPECT(mg_str_eq(prints[0], at(t, json, mg_strf(t->arena, print, 0).ptr)));
}

TEST(sarif_shows_unknown_as_a_warning_and_a_vacuous_goal_as_an_error)
{
    EXPECT_STR("\"warning\"", at(t, parsed(t, as(t, "sarif", sample_unknown(t->arena))),
                                 "/runs/0/results/0/level"));
    const mg_json *json = parsed(t, as(t, "sarif", sample_vacuous(t->arena)));
    EXPECT_STR("\"error\"", at(t, json, "/runs/0/results/0/level"));
    EXPECT_STR("\"makegood\"", at(t, json, "/runs/0/results/0/ruleId"));
}

TEST(github_escapes_properties_and_messages_by_its_own_rules)
{
    mg_report report = sample_fail(t->arena);
    report.goal_file = MG_STR("a,b:c%.yaml");
    report.results[1].name = MG_STR("x::y, 100%");
    report.results[1].observed = MG_STR("100%: a, b\n::error::forged");
    const mg_str out = as(t, "github", report);
    EXPECT(mg_str_starts(out, "::error file=a%2Cb%3Ac%25.yaml,line=7,"
                              "title=fails%3A x%3A%3Ay%2C 100%25::expected  a match"));
    EXPECT_CONTAINS(out, "%0Aobserved  100%25: a, b\\n::error::forged%0A");
    EXPECT_EQ(2, count(out, "\n")); /* the annotation and the summary */
}

TEST(github_shows_ten_of_each_and_says_how_many_more)
{
    const mg_str out = as(t, "github", sample_many(t->arena));
    EXPECT_EQ(10, count(out, "::error "));
    EXPECT_EQ(10, count(out, "::warning "));
    EXPECT_CONTAINS(out, "\nmakegood: 647 more are not shown as annotations\n");
    EXPECT_CONTAINS(out, "\nmakegood: not met - 333 of 1000 passed, 334 failed, 333 unknown");
}

TEST(prometheus_keeps_every_series_unique)
{
    const mg_str out = as(t, "prometheus", sample_many(t->arena));
    mg_map seen = mg_map_new(t->arena);
    mg_str rest = out, line;
    size_t series = 0;
    while (mg_str_split(&rest, '\n', &line)) {
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        while (line.ptr[line.len - 1] != ' ')
            line.len--;
        EXPECT(mg_map_put(&seen, line, &seen) == NULL);
        series++;
    }
    EXPECT_EQ(1 + 3 + 3 + 1 + 1 + 1 + 5 * 1000, series);
}

TEST(prometheus_names_that_differ_only_beyond_what_is_shown_stay_apart)
{
    mg_report report = sample_fail(t->arena);
    const mg_str name = sample_long(t->arena, 5000);
    report.results[1] = report.results[0];
    report.results[0].name = name;
    report.results[1].name = mg_str_first(name, 4000);
    EXPECT_EQ(5, count(as(t, "prometheus", report), ",index=\"2\""));
}

TEST(prometheus_never_counts_unknown_as_one)
{
    const mg_str out = as(t, "prometheus", sample_unknown(t->arena));
    EXPECT_CONTAINS(out, "makegood_goal_met{file=\"makegood.yaml\"} 0\n");
    EXPECT_CONTAINS(out, "kind=\"http_200\"} 0\n");
    EXPECT_CONTAINS(out, "kind=\"http_200\",verdict=\"unknown\"} 1\n");
    EXPECT_CONTAINS(out, "kind=\"http_200\",verdict=\"pass\"} 0\n");
}

TEST(markdown_shows_names_as_they_are_and_cannot_be_broken_out_of)
{
    mg_report report = sample_fail(t->arena);
    report.results[1].name = MG_STR("<b>a|b</b> [x](y) `c` @you");
    report.results[1].detail = MG_STR("````\n# not a heading");
    mg_buf out = mg_buf_new(t->arena, 1u << 20);
    mg_report_markdown(&report, t->arena, &out);
    const mg_str page = mg_buf_str(&out);
    EXPECT_CONTAINS(page, "&lt;b&gt;a\\|b&lt;/b&gt; \\[x\\]\\(y\\) \\`c\\` &#64;you");
    EXPECT_CONTAINS(page, "\n`````text\n");
    EXPECT_CONTAINS(page, "### makegood: not met");
}

TEST(prometheus_does_not_call_a_goal_met_of_which_a_part_was_asked)
{
    mg_report report = sample_pass(t->arena);
    report.left_out = 7;
    const mg_str out = as(t, "prometheus", report);
    EXPECT_CONTAINS(out, "makegood_goal_met{file=\"makegood.yaml\"} 0\n");
    EXPECT_CONTAINS(out, "makegood_goal_verdict{file=\"makegood.yaml\",verdict=\"unknown\"} 1\n");
    EXPECT_CONTAINS(out, "makegood_entries_left_out{file=\"makegood.yaml\"} 7\n");
    report = sample_fail(t->arena);
    report.left_out = 7;
    EXPECT_CONTAINS(as(t, "prometheus", report), "verdict=\"not_met\"} 1\n");
}

TEST(json_counts_what_was_left_out_only_where_something_was)
{
    mg_report report = sample_pass(t->arena);
    EXPECT(absent(parsed(t, as(t, "json", report)), "/left_out"));
    report.left_out = 7;
    EXPECT_STR("7", at(t, parsed(t, as(t, "json", report)), "/left_out"));
    EXPECT_STR("7", at(t, parsed(t, as(t, "sarif", report)), "/runs/0/properties/left_out"));
}
