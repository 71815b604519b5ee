/* samples.h - made-up reports: what every format is tried on, by the unit tests and by the
 * program whose output outside readers judge (tests/integration/reports/emit.c). */
#ifndef MG_TESTS_REPORT_SAMPLES_H
#define MG_TESTS_REPORT_SAMPLES_H

#include "model/result.h"
#include "report/report.h"

typedef struct sample {
    const char *name;
    mg_report (*make)(mg_arena *arena);
} sample;

static const char hostile_text[] =
    "\x1b[2J\x1b]0;owned\x07 \x00 null \x80\xff bad \xc2\x9b"
    "31m \xef\xbf\xbe nonchar\r\n"
    "::error file=x,line=1::forged\r::warning::%0A%0Aforged\nok 99 - forged # SKIP\n1..0\n"
    "Bail out! forged\n]]></failure><![CDATA[ <b>&amp;\"'`|*_# \\ \\n {a=\"b\"} 1\n"
    "# TYPE forged gauge\n  ---\n  ...\n```\n<script>alert(1)</script> @everyone \xe2\x80\xa8";

static inline mg_str hostile(void)
{
    return (mg_str){hostile_text, sizeof hostile_text - 1};
}

static inline mg_result sample_row(mg_outcome outcome, const char *kind, const char *name,
                                   uint32_t line)
{
    const bool pass = outcome == MG_OUTCOME_PASS;
    return (mg_result){
        .outcome = outcome,
        .kind = kind,
        .name = mg_str_of(name),
        .line = line,
        .tries = 1,
        .proves = pass,
        .duration_us = 41 + line,
    };
}

static inline mg_report sample_report(mg_arena *arena, size_t count, mg_verdict verdict,
                                      const char *reason)
{
    return (mg_report){
        .goal = MG_STR("Change the background to dark green."),
        .goal_file = MG_STR("makegood.yaml"),
        .verdict = verdict,
        .reason = reason,
        .duration_us = 4217,
        .started_ms = 1763171403120,
        .results = mg_new_array(arena, mg_result, count),
        .result_count = count,
    };
}

static inline mg_report sample_pass(mg_arena *arena)
{
    mg_report r = sample_report(arena, 3, MG_VERDICT_MET, "assertions_hold");
    r.results[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists index.html", 5);
    r.results[1] = sample_row(MG_OUTCOME_PASS, "command_returns", "the tests pass", 6);
    r.results[1].duration_us = 1234567;
    r.results[1].tries = 2;
    r.results[2] = sample_row(MG_OUTCOME_PASS, "command_returns", "command_returns make lint", 9);
    r.results[2].invariant = true;
    return r;
}

static inline mg_result sample_failing(void)
{
    mg_result row = sample_row(MG_OUTCOME_FAIL, "file_contains", "file_contains style.css", 7);
    row.expected = MG_STR("a match of 'background(-color)?:\\s*(darkgreen|#006400)'");
    row.observed = MG_STR("'style.css' has no match in 12 lines");
    row.message = MG_STR("'style.css' has no match in 12 lines");
    row.recovery = MG_STR("Edit the body rule.");
    return row;
}

static inline mg_report sample_fail(mg_arena *arena)
{
    mg_report r = sample_report(arena, 2, MG_VERDICT_NOT_MET, "assertion_failed");
    r.results[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists index.html", 5);
    r.results[1] = sample_failing();
    return r;
}

static inline mg_result sample_unanswered(void)
{
    mg_result row =
        sample_row(MG_OUTCOME_UNKNOWN, "http_200", "http_200 http://127.0.0.1:3000/", 8);
    row.expected = MG_STR("status 200");
    row.message = MG_STR("'http://127.0.0.1:3000/' did not answer within 5s");
    row.duration_us = 5000123;
    return row;
}

static inline mg_report sample_unknown(mg_arena *arena)
{
    mg_report r = sample_report(arena, 2, MG_VERDICT_UNKNOWN, "unknown_results");
    r.results[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists index.html", 5);
    r.results[1] = sample_unanswered();
    return r;
}

static inline mg_report sample_empty(mg_arena *arena)
{
    mg_report r = sample_report(arena, 0, MG_VERDICT_UNKNOWN, "no_assertions");
    r.advice = MG_STR("Add an entry under 'assert:' that can fail.");
    return r;
}

/* Everything passes, and nothing is proved by it. */
static inline mg_report sample_vacuous(mg_arena *arena)
{
    mg_report r = sample_report(arena, 1, MG_VERDICT_UNKNOWN, "no_assertions");
    r.results[0] = sample_row(MG_OUTCOME_PASS, "command_returns", "command_returns true", 5);
    r.results[0].proves = false;
    r.advice = MG_STR("Give 'command_returns true' a command that can fail.");
    mg_strs_add(arena, &r.warnings, MG_STR("makegood.yaml:5: 'true' always succeeds"));
    return r;
}

/* Every entry passes, and still the goal does not hold. */
static inline mg_report sample_no_effect(mg_arena *arena)
{
    mg_report r = sample_pass(arena);
    r.verdict = MG_VERDICT_NOT_MET;
    r.reason = "no_effect";
    return r;
}

/* What a bug of ours would look like: MET without a single pass to show for it. */
static inline mg_report sample_zeroed_met(mg_arena *arena)
{
    mg_report r = sample_report(arena, 1, MG_VERDICT_MET, "assertions_hold");
    r.results[0] = (mg_result){0};
    return r;
}

static inline mg_report sample_empty_met(mg_arena *arena)
{
    return sample_report(arena, 0, MG_VERDICT_MET, "assertions_hold");
}

static inline mg_report sample_failed_met(mg_arena *arena)
{
    mg_report r = sample_fail(arena);
    r.verdict = MG_VERDICT_MET;
    return r;
}

static inline mg_result sample_group(mg_arena *arena, mg_outcome outcome, const char *kind,
                                     const char *name, size_t children)
{
    mg_result row = sample_row(outcome, kind, name, 20);
    row.children = mg_new_array(arena, mg_result, children);
    row.child_count = children;
    return row;
}

static inline mg_report sample_groups(mg_arena *arena)
{
    mg_report r = sample_report(arena, 4, MG_VERDICT_NOT_MET, "assertion_failed");
    r.results[0] = sample_group(arena, MG_OUTCOME_PASS, "any", "one of the two ways", 2);
    r.results[0].children[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists a", 21);
    r.results[0].children[1] = sample_failing();
    r.results[1] = sample_group(arena, MG_OUTCOME_PASS, "not", "no leftovers", 1);
    r.results[1].children[0] = sample_group(arena, MG_OUTCOME_FAIL, "all", "all", 2);
    r.results[1].children[0].children[0] = sample_failing();
    r.results[1].children[0].children[1] = sample_unanswered();
    r.results[2] = sample_group(arena, MG_OUTCOME_FAIL, "not", "no debug output", 1);
    r.results[2].expected = MG_STR("that it does not hold");
    r.results[2].observed = MG_STR("it holds");
    r.results[2].children[0] =
        sample_row(MG_OUTCOME_PASS, "file_contains", "file_contains app.js", 25);
    r.results[2].children[0].observed = MG_STR("a match on line 3");
    r.results[3] = sample_group(arena, MG_OUTCOME_FAIL, "all", "the page is whole", 2);
    r.results[3].observed = MG_STR("1 of 2 hold");
    r.results[3].children[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists b", 27);
    r.results[3].children[1] = sample_failing();
    return r;
}

/* The goal holds although branches of groups do not. */
static inline mg_report sample_groups_met(mg_arena *arena)
{
    mg_report r = sample_groups(arena);
    r.verdict = MG_VERDICT_MET;
    r.reason = "assertions_hold";
    r.result_count = 2;
    return r;
}

static inline mg_report sample_many(mg_arena *arena)
{
    mg_report r = sample_report(arena, 1000, MG_VERDICT_NOT_MET, "assertion_failed");
    for (uint32_t i = 0; i < 1000; i++) {
        r.results[i] = i % 3 == 0   ? sample_failing()
                       : i % 3 == 1 ? sample_unanswered()
                                    : sample_row(MG_OUTCOME_PASS, "file_exists", "same name", i);
    }
    return r;
}

static inline mg_str sample_long(mg_arena *arena, size_t bytes)
{
    mg_buf buf = mg_buf_new(arena, bytes);
    while (buf.len < bytes)
        mg_buf_adds(&buf, "\xc3\xa4 long\x1b[31m\n");
    return mg_buf_str(&buf);
}

/* Every field that comes from outside, filled by somebody who wants to forge a report. */
static inline mg_result sample_hostile_row(mg_arena *arena, mg_outcome outcome, mg_str text)
{
    mg_result row = sample_row(outcome, "file_contains", "", 3);
    row.name = row.message = row.expected = row.observed = row.recovery = row.detail = text;
    row.observed = mg_str_from(text, 1);
    row.children = mg_new_array(arena, mg_result, 1);
    row.children[0] = row;
    row.children[0].child_count = 0;
    row.child_count = 1;
    return row;
}

static inline mg_report sample_of_text(mg_arena *arena, mg_str text)
{
    mg_report r = sample_report(arena, 3, MG_VERDICT_NOT_MET, "assertion_failed");
    r.goal = r.goal_file = r.advice = text;
    mg_strs_add(arena, &r.warnings, text);
    r.results[0] = sample_hostile_row(arena, MG_OUTCOME_PASS, text);
    r.results[1] = sample_hostile_row(arena, MG_OUTCOME_FAIL, text);
    r.results[2] = sample_hostile_row(arena, MG_OUTCOME_UNKNOWN, text);
    return r;
}

static inline mg_report sample_hostile(mg_arena *arena)
{
    return sample_of_text(arena, hostile());
}

static inline mg_report sample_huge(mg_arena *arena)
{
    return sample_of_text(arena, sample_long(arena, 256u << 10));
}

/* Names that are not ASCII, and output longer than is shown. */
static inline mg_report sample_mixed(mg_arena *arena)
{
    mg_report r = sample_report(arena, 6, MG_VERDICT_NOT_MET, "assertion_failed");
    r.results[0] = sample_row(MG_OUTCOME_PASS, "file_exists", "file_exists index.html", 5);
    r.results[1] = sample_failing();
    r.results[2] = sample_unanswered();
    r.results[3] = sample_row(MG_OUTCOME_PASS, "command_returns", "die Grüße stehen da", 10);
    r.results[3].duration_us = 1234567;
    r.results[3].tries = 3;
    r.results[4] = sample_row(MG_OUTCOME_FAIL, "command_returns", "the tests pass", 11);
    r.results[4].expected = MG_STR("exit code 0");
    r.results[4].observed = MG_STR("exit code 1");
    r.results[4].message = MG_STR("'make test' returned 1, expected 0");
    r.results[4].duration_us = 812345;
    mg_buf output = mg_buf_new(arena, 4096);
    for (int i = 1; i <= 30; i++)
        mg_buf_addf(&output, "test %d: %s\n", i, i == 30 ? "FAILED" : "ok");
    r.results[4].detail = mg_buf_str(&output);
    r.results[5] = sample_row(MG_OUTCOME_PASS, "command_returns", "command_returns make lint", 14);
    r.results[5].invariant = true;
    mg_strs_add(arena, &r.warnings,
                MG_STR("makegood.yaml:12: 'true' always succeeds, so this entry proves nothing"));
    r.advice = MG_STR("Make the failing entries hold, beginning with 'file_contains style.css'.");
    return r;
}

static const sample samples[] = {
    {"pass", sample_pass},
    {"fail", sample_fail},
    {"unknown", sample_unknown},
    {"empty", sample_empty},
    {"vacuous", sample_vacuous},
    {"no_effect", sample_no_effect},
    {"zeroed_met", sample_zeroed_met},
    {"empty_met", sample_empty_met},
    {"failed_met", sample_failed_met},
    {"groups", sample_groups},
    {"groups_met", sample_groups_met},
    {"many", sample_many},
    {"hostile", sample_hostile},
    {"huge", sample_huge},
    {"mixed", sample_mixed},
};

#endif
