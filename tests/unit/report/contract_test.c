/* contract_test.c - what holds for every format, tried on every made-up report. */
#include "report/samples.h"

#include "data/json.h"
#include "data/text.h"
#include "test.h"

static const mg_report_style plain = {.version = "0.0.0"};

static mg_str written(test *t, const mg_reporter *reporter, const mg_report *report,
                      const mg_report_style *style)
{
    mg_buf out = mg_buf_new(t->arena, mg_limits_default.report_bytes);
    reporter->write(report, style, t->arena, &out);
    EXPECT(!out.cut);
    return mg_buf_str(&out);
}

/* --- What a reader of the format would conclude --- */

static bool has_line(mg_str text, const char *prefix)
{
    mg_str rest = text, line;
    while (mg_str_split(&rest, '\n', &line)) {
        if (mg_str_starts(line, prefix))
            return true;
    }
    return false;
}

static bool text_green(__attribute__((unused)) test *t, mg_str out)
{
    return has_line(out, "makegood: met");
}

static bool json_green(test *t, mg_str out)
{
    const mg_json *json, *verdict;
    mg_str word;
    EXPECT_OK(mg_json_parse(out, &(mg_limits){.json_bytes = 256u << 20, .json_depth = 100},
                            MG_JSON_UNIQUE_KEYS, t->arena, &json, &t->err));
    EXPECT_OK(mg_json_at(json, MG_STR("/verdict"), &verdict, &t->err));
    EXPECT(mg_json_is_text(verdict, &word));
    return mg_str_is(word, "met");
}

static bool junit_green(__attribute__((unused)) test *t, mg_str out)
{
    return !mg_str_has(out, "<failure") && !mg_str_has(out, "<error") &&
           mg_str_has(out, " failures=\"0\" errors=\"0\"") && !mg_str_has(out, " tests=\"0\"");
}

static bool tap_green(__attribute__((unused)) test *t, mg_str out)
{
    return !has_line(out, "not ok") && !has_line(out, "1..0") && has_line(out, "ok 1 ");
}

static bool sarif_green(test *t, mg_str out)
{
    const mg_json *json, *first;
    EXPECT_OK(mg_json_parse(out, &(mg_limits){.json_bytes = 256u << 20, .json_depth = 100},
                            MG_JSON_UNIQUE_KEYS, t->arena, &json, &t->err));
    return mg_json_at(json, MG_STR("/runs/0/results/0/level"), &first, NULL) != MG_OK;
}

static bool github_green(__attribute__((unused)) test *t, mg_str out)
{
    return !has_line(out, "::error") && !has_line(out, "::warning") &&
           has_line(out, "makegood: met");
}

static bool prometheus_green(__attribute__((unused)) test *t, mg_str out)
{
    mg_str rest = out, line;
    while (mg_str_split(&rest, '\n', &line)) {
        if (mg_str_starts(line, "makegood_goal_met{") && mg_str_ends(line, " 1"))
            return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*green)(test *t, mg_str out);
} readers[] = {
    {"text", text_green},
    {"json", json_green},
    {"junit", junit_green},
    {"tap", tap_green},
    {"sarif", sarif_green},
    {"github", github_green},
    {"prometheus", prometheus_green},
};

static bool green(test *t, const mg_reporter *reporter, const mg_report *report)
{
    for (size_t i = 0; i < MG_COUNT(readers); i++) {
        if (strcmp(readers[i].name, reporter->name) == 0)
            return readers[i].green(t, written(t, reporter, report, &plain));
    }
    test_fail(__FILE__, __LINE__, "no reader for the format '%s'", reporter->name);
}

/* --- The contract --- */

TEST(every_row_of_the_table_is_complete_and_can_be_found)
{
    for (size_t i = 0; mg_reporters[i] != NULL; i++) {
        EXPECT(mg_reporters[i]->summary != NULL && strlen(mg_reporters[i]->summary) > 10);
        EXPECT(mg_reporter_find(mg_reporters[i]->name) == mg_reporters[i]);
    }
    EXPECT(mg_reporter_find("xml") == NULL);
    EXPECT(mg_reporter_find("") == NULL);
}

TEST(no_format_looks_green_unless_the_goal_is_met)
{
    for (size_t s = 0; s < MG_COUNT(samples); s++) {
        const mg_report report = samples[s].make(t->arena);
        const bool met = mg_report_verdict(&report) == MG_VERDICT_MET;
        for (size_t i = 0; mg_reporters[i] != NULL; i++) {
            if (green(t, mg_reporters[i], &report) != met)
                test_fail(__FILE__, __LINE__, "the sample '%s' %s as %s", samples[s].name,
                          met ? "does not look green" : "looks green", mg_reporters[i]->name);
        }
    }
}

TEST(met_needs_results_that_all_pass)
{
    EXPECT_EQ(MG_VERDICT_MET, mg_report_verdict(&(mg_report[]){sample_pass(t->arena)}[0]));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_report_verdict(&(mg_report){0}));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_report_verdict(NULL));
    EXPECT_STR("not_given", mg_str_of(mg_report_reason(NULL)));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_report_verdict(&(mg_report[]){sample_empty_met(t->arena)}[0]));
    EXPECT_EQ(MG_VERDICT_UNKNOWN,
              mg_report_verdict(&(mg_report[]){sample_zeroed_met(t->arena)}[0]));
    EXPECT_EQ(MG_VERDICT_NOT_MET,
              mg_report_verdict(&(mg_report[]){sample_failed_met(t->arena)}[0]));
}

TEST(zeroed_memory_is_shown_and_is_not_green)
{
    const mg_report report = {0};
    for (size_t i = 0; mg_reporters[i] != NULL; i++)
        EXPECT(!green(t, mg_reporters[i], &report));
}

TEST(an_outcome_or_verdict_that_does_not_exist_is_not_green)
{
    for (int wrong = 3; wrong < 300; wrong += 99) {
        mg_report report = sample_pass(t->arena);
        report.results[1].outcome = (mg_outcome)wrong;
        for (size_t i = 0; mg_reporters[i] != NULL; i++)
            EXPECT(!green(t, mg_reporters[i], &report));
        report = sample_pass(t->arena);
        report.verdict = (mg_verdict)wrong;
        for (size_t i = 0; mg_reporters[i] != NULL; i++)
            EXPECT(!green(t, mg_reporters[i], &report));
    }
}

/* Valid UTF-8, no control bytes but tab and newline, none of C1. */
static void expect_safe(mg_str out, const char *format, const char *sample_name)
{
    for (size_t i = 0; i < out.len;) {
        const unsigned char c = (unsigned char)out.ptr[i];
        const size_t len = mg_utf8_len(mg_str_from(out, i));
        const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
        const bool c1 = len == 2 && c == 0xc2 && (unsigned char)out.ptr[i + 1] < 0xa0;
        if (len == 0 || control || c1)
            test_fail(__FILE__, __LINE__, "%s of '%s' has byte 0x%02x at %zu", format, sample_name,
                      c, i);
        i += len;
    }
}

TEST(no_byte_can_steer_a_terminal_and_every_output_ends_its_last_line)
{
    for (size_t s = 0; s < MG_COUNT(samples); s++) {
        const mg_report report = samples[s].make(t->arena);
        for (size_t i = 0; mg_reporters[i] != NULL; i++) {
            const mg_str out = written(t, mg_reporters[i], &report, &plain);
            expect_safe(out, mg_reporters[i]->name, samples[s].name);
            EXPECT(mg_str_ends(out, "\n"));
        }
        mg_buf markdown = mg_buf_new(t->arena, 1u << 20);
        mg_report_markdown(&report, t->arena, &markdown);
        EXPECT(!markdown.cut);
        expect_safe(mg_buf_str(&markdown), "markdown", samples[s].name);
        EXPECT(mg_str_ends(mg_buf_str(&markdown), "\n"));
    }
}

TEST(colour_adds_only_colour)
{
    const mg_report_style style = {.color = true};
    for (size_t s = 0; s < MG_COUNT(samples); s++) {
        const mg_report report = samples[s].make(t->arena);
        const mg_str colored = written(t, mg_reporter_find("text"), &report, &style);
        mg_buf bare = mg_buf_new(t->arena, colored.len);
        for (size_t i = 0; i < colored.len; i++) {
            if (colored.ptr[i] == '\x1b') {
                const size_t end = mg_str_find(colored, 'm', i);
                const mg_str code = mg_str_first(mg_str_from(colored, i + 2), end - i - 2);
                EXPECT(colored.ptr[i + 1] == '[' && code.len <= 4);
                EXPECT(strspn(mg_str_cstr(t->arena, code), "0123456789;") == code.len);
                i = end;
            } else
                mg_buf_addc(&bare, colored.ptr[i]);
        }
        EXPECT(mg_str_eq(mg_buf_str(&bare), written(t, mg_reporter_find("text"), &report, &plain)));
    }
}

TEST(foreign_text_is_bounded_in_everything_but_json)
{
    const mg_report report = sample_huge(t->arena);
    for (size_t i = 0; mg_reporters[i] != NULL; i++) {
        if (strcmp(mg_reporters[i]->name, "json") == 0)
            continue; /* whole, because programs want it whole; the buffer bounds it */
        const mg_str out = written(t, mg_reporters[i], &report, &plain);
        /* SARIF names the file by its whole path, percent-encoded. */
        EXPECT(out.len < (strcmp(mg_reporters[i]->name, "sarif") == 0 ? 2u << 20 : 256u << 10));
    }
}

TEST(a_buffer_that_is_too_small_is_marked_as_cut)
{
    const mg_report report = sample_mixed(t->arena);
    for (size_t i = 0; mg_reporters[i] != NULL; i++) {
        mg_buf out = mg_buf_new(t->arena, 100);
        mg_reporters[i]->write(&report, &plain, t->arena, &out);
        EXPECT(out.cut);
        EXPECT(out.len <= 100);
    }
}

TEST(groups_nested_deeper_than_any_format_shows_are_survived)
{
    mg_report report = sample_report(t->arena, 1, MG_VERDICT_NOT_MET, "assertion_failed");
    mg_result *at = report.results;
    for (int depth = 0; depth < 200; depth++) {
        *at = sample_group(t->arena, MG_OUTCOME_FAIL, "not", "not", 1);
        at = at->children;
    }
    *at = sample_failing();
    for (size_t i = 0; mg_reporters[i] != NULL; i++)
        EXPECT(!green(t, mg_reporters[i], &report));
}

TEST(the_words_for_programs_are_fixed)
{
    EXPECT_STR("pass", mg_str_of(mg_outcome_name(MG_OUTCOME_PASS)));
    EXPECT_STR("fail", mg_str_of(mg_outcome_name(MG_OUTCOME_FAIL)));
    EXPECT_STR("unknown", mg_str_of(mg_outcome_name(MG_OUTCOME_UNKNOWN)));
    EXPECT_STR("unknown", mg_str_of(mg_outcome_name((mg_outcome)77)));
    EXPECT_STR("met", mg_str_of(mg_verdict_name(MG_VERDICT_MET)));
    EXPECT_STR("not_met", mg_str_of(mg_verdict_name(MG_VERDICT_NOT_MET)));
    EXPECT_STR("unknown", mg_str_of(mg_verdict_name((mg_verdict)77)));
}

TEST(the_markdown_page_stays_below_what_github_takes)
{
    mg_report report = sample_many(t->arena);
    mg_buf worst = mg_buf_new(t->arena, 64u << 10);
    mg_buf_fill(&worst, '@', 64u << 10); /* a byte that takes five */
    const mg_str text = mg_buf_str(&worst);
    report.goal = report.advice = text;
    for (size_t i = 0; i < report.result_count; i++) {
        mg_result *row = &report.results[i];
        row->name = row->message = row->expected = row->observed = row->detail = text;
        mg_strs_add(t->arena, &report.warnings, text);
    }
    mg_buf page = mg_buf_new(t->arena, 1u << 20);
    mg_report_markdown(&report, t->arena, &page);
    EXPECT(!page.cut);
}
