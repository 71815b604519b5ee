/* prometheus.c - gauges in the text exposition format 0.0.4, for the textfile collector.
 *
 * A gauge is 1 only for what was seen to hold; fail and unknown are 0, and the `verdict`
 * gauges tell those two apart. Every series carries the goal file, so that several goals can
 * live on one machine and in one page, where all series of a gauge have to stand together; entries
 * of the same kind and name are told apart by `index`.
 */
#include "report/parts.h"

#include "base/vec.h"

#include <inttypes.h>

enum { LABEL_BYTES = 200 };

typedef struct page {
    const mg_report *reports;
    size_t count;
    mg_str *files; /* the first label of each report: file="..." and, where it is not alone, run */
    mg_arena *scratch;
    mg_buf *out;
} page;

static void put_type(const page *p, const char *name, const char *help)
{
    mg_buf_addf(p->out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void put_label(mg_arena *scratch, mg_buf *out, const char *name, mg_str value)
{
    const mg_str line = mg_report_line(scratch, value, LABEL_BYTES);
    mg_buf_addf(out, "%s%s=\"", out->len > 0 ? "," : "", name);
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '"' || line.ptr[i] == '\\')
            mg_buf_addc(out, '\\');
        mg_buf_addc(out, line.ptr[i]);
    }
    mg_buf_addc(out, '"');
}

/* Labels of a report, so that no two series are the same although one file is given twice. */
static mg_str *labels_of_files(const mg_report *reports, size_t count, mg_arena *scratch)
{
    mg_str *labels = mg_new_array(scratch, mg_str, count);
    mg_map seen = mg_map_new(scratch);
    for (size_t i = 0; i < count; i++) {
        mg_buf buf = mg_buf_new(scratch, (size_t)LABEL_BYTES * 4);
        put_label(scratch, &buf, "file", reports[i].goal_file);
        const mg_str file = mg_report_line(scratch, reports[i].goal_file, LABEL_BYTES);
        const size_t times = mg_report_occurrence(&seen, MG_STR(""), file);
        if (times > 1)
            mg_buf_addf(&buf, ",run=\"%zu\"", times);
        labels[i] = mg_buf_str(&buf);
    }
    return labels;
}

/* To the microsecond: most entries take less than a millisecond. */
static void put_seconds(const page *p, uint64_t duration_us)
{
    mg_buf_addf(p->out, "} %" PRIu64 ".%06" PRIu64 "\n", duration_us / 1000000,
                duration_us % 1000000);
}

static void put_name(const page *p, const char *name, size_t report)
{
    mg_buf_addf(p->out, "%s{" MG_FMT, name, MG_ARG(p->files[report]));
}

/* One series for each word; 1 where it is the one. */
static void put_words(const page *p, const char *metric, size_t report, mg_str labels,
                      const char *const *words, const char *is)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        put_name(p, metric, report);
        mg_buf_addf(p->out, MG_FMT ",verdict=\"%s\"} %d\n", MG_ARG(labels), words[i],
                    strcmp(words[i], is) == 0);
    }
}

/* Of the goal as a whole: a part that holds does not verify it. */
static mg_verdict verdict_of(const mg_report *report)
{
    const mg_verdict verdict = mg_report_verdict(report);
    return verdict == MG_VERDICT_MET && report->left_out > 0 ? MG_VERDICT_UNKNOWN : verdict;
}

static void put_goals(const page *p)
{
    static const char *const words[] = {"met", "not_met", "unknown", NULL};
    put_type(p, "makegood_goal_met", "Whether the goal was seen to hold, all of it.");
    for (size_t r = 0; r < p->count; r++) {
        put_name(p, "makegood_goal_met", r);
        mg_buf_addf(p->out, "} %d\n", verdict_of(&p->reports[r]) == MG_VERDICT_MET);
    }
    put_type(p, "makegood_goal_verdict", "The verdict on the goal: 1 for the one that applies.");
    for (size_t r = 0; r < p->count; r++)
        put_words(p, "makegood_goal_verdict", r, MG_STR(""), words,
                  mg_verdict_name(verdict_of(&p->reports[r])));
}

static void put_counts(const page *p)
{
    put_type(p, "makegood_assertions", "Entries of the goal file by verdict.");
    for (size_t r = 0; r < p->count; r++) {
        const mg_counts n = mg_report_counts(&p->reports[r]);
        const struct {
            const char *word;
            size_t count;
        } rows[] = {{"pass", n.passed}, {"fail", n.failed}, {"unknown", n.unknown}};
        for (size_t i = 0; i < MG_COUNT(rows); i++) {
            put_name(p, "makegood_assertions", r);
            mg_buf_addf(p->out, ",verdict=\"%s\"} %zu\n", rows[i].word, rows[i].count);
        }
    }
    put_type(p, "makegood_entries_left_out", "Entries that were not asked for (--only).");
    for (size_t r = 0; r < p->count; r++) {
        put_name(p, "makegood_entries_left_out", r);
        mg_buf_addf(p->out, "} %zu\n", p->reports[r].left_out);
    }
}

static void put_times(const page *p)
{
    put_type(p, "makegood_check_duration_seconds", "How long the check took.");
    for (size_t r = 0; r < p->count; r++) {
        put_name(p, "makegood_check_duration_seconds", r);
        put_seconds(p, p->reports[r].duration_us);
    }
    put_type(p, "makegood_check_timestamp_seconds", "When the check began, since 1970.");
    for (size_t r = 0; r < p->count; r++) {
        const int64_t ms = MG_MAX(p->reports[r].started_ms, (int64_t)0);
        put_name(p, "makegood_check_timestamp_seconds", r);
        mg_buf_addf(p->out, "} %" PRId64 ".%03" PRId64 "\n", ms / 1000, ms % 1000);
    }
}

/* ,name="...",kind="..." and, from the second of the same on, ,index="2" */
static mg_str labels_of(mg_arena *scratch, const mg_result *row, mg_map *seen)
{
    mg_buf buf = mg_buf_new(scratch, (size_t)LABEL_BYTES * 8);
    const mg_str name = mg_report_line(scratch, row->name, LABEL_BYTES);
    const size_t times = mg_report_occurrence(seen, mg_str_of(mg_row_kind(row)), name);
    put_label(scratch, &buf, "name", row->name);
    put_label(scratch, &buf, "kind", mg_str_of(mg_row_kind(row)));
    if (times > 1)
        mg_buf_addf(&buf, ",index=\"%zu\"", times);
    return mg_strf(scratch, "," MG_FMT, MG_ARG(mg_buf_str(&buf)));
}

typedef struct entry { /* one result, and what its series are called */
    size_t report;
    const mg_result *row;
    mg_str labels;
} entry;

static void put_entries(const page *p, const entry *entries, size_t count)
{
    static const char *const words[] = {"pass", "fail", "unknown", NULL};
    put_type(p, "makegood_assertion_pass", "Whether the entry was seen to hold.");
    for (size_t i = 0; i < count; i++) {
        put_name(p, "makegood_assertion_pass", entries[i].report);
        mg_buf_addf(p->out, MG_FMT "} %d\n", MG_ARG(entries[i].labels),
                    entries[i].row->outcome == MG_OUTCOME_PASS);
    }
    put_type(p, "makegood_assertion_verdict",
             "The verdict on the entry: 1 for the one that applies.");
    for (size_t i = 0; i < count; i++)
        put_words(p, "makegood_assertion_verdict", entries[i].report, entries[i].labels, words,
                  mg_outcome_name(entries[i].row->outcome));
    put_type(p, "makegood_assertion_duration_seconds", "How long the entry took.");
    for (size_t i = 0; i < count; i++) {
        put_name(p, "makegood_assertion_duration_seconds", entries[i].report);
        mg_buf_add(p->out, entries[i].labels);
        put_seconds(p, entries[i].row->duration_us);
    }
}

void mg_reports_prometheus(const mg_report *reports, size_t count, mg_arena *scratch, mg_buf *out)
{
    const page p = {reports, count, labels_of_files(reports, count, scratch), scratch, out};
    struct {
        entry *items;
        size_t count, cap;
    } entries = {0};
    for (size_t r = 0; r < count; r++) {
        mg_map seen = mg_map_new(scratch);
        for (size_t i = 0; i < reports[r].result_count; i++) {
            const mg_result *row = &reports[r].results[i];
            mg_vec_push(scratch, &entries, (entry){r, row, labels_of(scratch, row, &seen)});
        }
    }
    put_goals(&p);
    put_counts(&p);
    put_times(&p);
    put_entries(&p, entries.items, entries.count);
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    mg_reports_prometheus(report, 1, scratch, out);
}

const mg_reporter mg_reporter_prometheus = {
    .name = "prometheus",
    .summary = "gauges in Prometheus' text format, for the textfile collector",
    .write = write,
};
