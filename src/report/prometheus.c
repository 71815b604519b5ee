/* prometheus.c - gauges in the text exposition format 0.0.4, for the textfile collector.
 *
 * A gauge is 1 only for what was seen to hold; fail and unknown are 0, and the `verdict`
 * gauges tell those two apart. Every series carries the goal file, so that several goals can
 * live on one machine; entries of the same kind and name are told apart by `index`.
 */
#include "report/parts.h"

#include <inttypes.h>

enum { LABEL_BYTES = 200 };

typedef struct page {
    const mg_report *report;
    mg_arena *scratch;
    mg_buf *out;
} page;

static void put_type(const page *p, const char *name, const char *help)
{
    mg_buf_addf(p->out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void put_label(const page *p, char before, const char *name, mg_str value)
{
    const mg_str line = mg_report_line(p->scratch, value, LABEL_BYTES);
    mg_buf_addf(p->out, "%c%s=\"", before, name);
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '"' || line.ptr[i] == '\\')
            mg_buf_addc(p->out, '\\');
        mg_buf_addc(p->out, line.ptr[i]);
    }
    mg_buf_addc(p->out, '"');
}

/* To the microsecond: most entries take less than a millisecond. */
static void put_seconds(const page *p, uint64_t duration_us)
{
    mg_buf_addf(p->out, "} %" PRIu64 ".%06" PRIu64 "\n", duration_us / 1000000,
                duration_us % 1000000);
}

static void put_name(const page *p, const char *name)
{
    mg_buf_adds(p->out, name);
    put_label(p, '{', "file", p->report->goal_file);
}

/* One series for each word; 1 where it is the one. */
static void put_words(const page *p, const char *metric, const char *const *words, mg_str labels,
                      const char *is)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        put_name(p, metric);
        mg_buf_add(p->out, labels);
        put_label(p, ',', "verdict", mg_str_of(words[i]));
        mg_buf_addf(p->out, "} %d\n", strcmp(words[i], is) == 0);
    }
}

static void put_goal(const page *p)
{
    static const char *const words[] = {"met", "not_met", "unknown", NULL};
    const mg_verdict verdict = mg_report_verdict(p->report);
    put_type(p, "makegood_goal_met", "Whether the goal was seen to hold.");
    put_name(p, "makegood_goal_met");
    mg_buf_addf(p->out, "} %d\n", verdict == MG_VERDICT_MET);
    put_type(p, "makegood_goal_verdict", "The verdict on the goal: 1 for the one that applies.");
    put_words(p, "makegood_goal_verdict", words, MG_STR(""), mg_verdict_name(verdict));
}

static void put_counts(const page *p)
{
    const mg_counts n = mg_report_counts(p->report);
    const struct {
        const char *word;
        size_t count;
    } rows[] = {{"pass", n.passed}, {"fail", n.failed}, {"unknown", n.unknown}};
    put_type(p, "makegood_assertions", "Entries of the goal file by verdict.");
    for (size_t i = 0; i < MG_COUNT(rows); i++) {
        put_name(p, "makegood_assertions");
        put_label(p, ',', "verdict", mg_str_of(rows[i].word));
        mg_buf_addf(p->out, "} %zu\n", rows[i].count);
    }
}

static void put_times(const page *p)
{
    const uint64_t started = p->report->started_ms > 0 ? (uint64_t)p->report->started_ms : 0;
    put_type(p, "makegood_check_duration_seconds", "How long the check took.");
    put_name(p, "makegood_check_duration_seconds");
    put_seconds(p, p->report->duration_us);
    put_type(p, "makegood_check_timestamp_seconds", "When the check began, since 1970.");
    put_name(p, "makegood_check_timestamp_seconds");
    mg_buf_addf(p->out, "} %" PRIu64 ".%03" PRIu64 "\n", started / 1000, started % 1000);
}

/* ,name="...",kind="..." and, from the second of the same on, ,index="2" */
static mg_str labels_of(const page *p, const mg_result *row, mg_map *seen)
{
    mg_buf buf = mg_buf_new(p->scratch, (size_t)LABEL_BYTES * 8);
    const page labels = {p->report, p->scratch, &buf};
    const mg_str name = mg_report_line(p->scratch, row->name, LABEL_BYTES);
    const size_t times = mg_report_occurrence(seen, mg_str_of(mg_row_kind(row)), name);
    put_label(&labels, ',', "name", row->name);
    put_label(&labels, ',', "kind", mg_str_of(mg_row_kind(row)));
    if (times > 1)
        mg_buf_addf(&buf, ",index=\"%zu\"", times);
    return mg_buf_str(&buf);
}

static void put_assertions(const page *p)
{
    static const char *const words[] = {"pass", "fail", "unknown", NULL};
    const size_t count = p->report->result_count;
    mg_str *labels = mg_new_array(p->scratch, mg_str, count);
    mg_map seen = mg_map_new(p->scratch);
    put_type(p, "makegood_assertion_pass", "Whether the entry was seen to hold.");
    for (size_t i = 0; i < count; i++) {
        labels[i] = labels_of(p, &p->report->results[i], &seen);
        put_name(p, "makegood_assertion_pass");
        mg_buf_add(p->out, labels[i]);
        mg_buf_addf(p->out, "} %d\n", p->report->results[i].outcome == MG_OUTCOME_PASS);
    }
    put_type(p, "makegood_assertion_verdict",
             "The verdict on the entry: 1 for the one that applies.");
    for (size_t i = 0; i < count; i++)
        put_words(p, "makegood_assertion_verdict", words, labels[i],
                  mg_outcome_name(p->report->results[i].outcome));
    put_type(p, "makegood_assertion_duration_seconds", "How long the entry took.");
    for (size_t i = 0; i < count; i++) {
        put_name(p, "makegood_assertion_duration_seconds");
        mg_buf_add(p->out, labels[i]);
        put_seconds(p, p->report->results[i].duration_us);
    }
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    const page p = {report, scratch, out};
    put_goal(&p);
    put_counts(&p);
    put_times(&p);
    put_assertions(&p);
}

const mg_reporter mg_reporter_prometheus = {
    .name = "prometheus",
    .summary = "gauges in Prometheus' text format, for the textfile collector",
    .write = write,
};
