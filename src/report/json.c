/* json.c - everything that was found, for programs. The keys are a contract (docs: check). */
#include "report/parts.h"

#include "base/clock.h"
#include "data/json.h"
#include "model/pursuit.h"

static void put_text(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_str(json, text);
}

static void put_count(mg_json_out *json, const char *key, size_t count)
{
    mg_json_key(json, key);
    mg_json_int(json, (int64_t)count);
}

static void put_summary(mg_json_out *json, const mg_report *report, mg_arena *scratch)
{
    const mg_counts n = mg_report_counts(report);
    mg_json_key(json, "schema");
    mg_json_int(json, 1);
    put_text(json, "goal", report->goal);
    put_text(json, "goal_file", report->goal_file);
    put_text(json, "verdict", mg_str_of(mg_verdict_name(mg_report_verdict(report))));
    put_text(json, "reason", mg_str_of(mg_report_reason(report)));
    put_text(json, "advice", report->advice);
    mg_json_key(json, "warnings");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < report->warnings.count; i++)
        mg_json_str(json, report->warnings.items[i]);
    mg_json_end(json, ']');
    put_text(json, "started", mg_time_rfc3339(scratch, report->started_ms));
    mg_json_key(json, "duration_ms");
    mg_json_milli(json, report->duration_us);
    mg_json_key(json, "counts");
    mg_json_begin(json, '{');
    put_count(json, "passed", n.passed);
    put_count(json, "failed", n.failed);
    put_count(json, "unknown", n.unknown);
    mg_json_end(json, '}');
    if (report->left_out > 0)
        put_count(json, "left_out", report->left_out);
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    put_summary(&json, report, scratch);
    mg_json_key(&json, "results");
    mg_results_write(&json, report->results, report->result_count);
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

const mg_reporter mg_reporter_json = {
    .name = "json",
    .summary = "for programs; everything that was found",
    .write = write,
};
