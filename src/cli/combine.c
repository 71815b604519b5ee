/* combine.c - several goal files, one document. How depends on the format:
 *
 * text and github are lines, so one stands after the other; json wraps the documents in a
 * list; sarif has a list of runs already; prometheus has the file in a label. In the rest
 * (junit, tap) all results stand in one report, each under the name of its file.
 */
#include "cli/combine.h"

#include "data/json.h"
#include "data/text.h"

mg_verdict mg_reports_verdict(const mg_reports *reports)
{
    size_t met = 0;
    for (size_t i = 0; i < reports->count; i++) {
        const mg_verdict verdict = mg_report_verdict(&reports->items[i]);
        if (verdict == MG_VERDICT_NOT_MET)
            return MG_VERDICT_NOT_MET;
        met += verdict == MG_VERDICT_MET;
    }
    return met > 0 && met == reports->count ? MG_VERDICT_MET : MG_VERDICT_UNKNOWN;
}

static size_t count_left_out(const mg_reports *reports)
{
    size_t count = reports->unasked;
    for (size_t i = 0; i < reports->count; i++)
        count += reports->items[i].left_out;
    return count;
}

typedef struct job {
    const mg_reports *reports;
    const mg_reporter *reporter;
    const mg_report_style *style;
    mg_arena *arena;
    mg_buf *out;
} job;

static void write_one(const job *j, size_t i)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(j->arena);
    j->reporter->write(&j->reports->items[i], j->style, scratch, j->out);
}

static void write_lines(const job *j)
{
    for (size_t i = 0; i < j->reports->count; i++)
        write_one(j, i);
}

static void write_with_headings(const job *j)
{
    for (size_t i = 0; i < j->reports->count; i++) {
        const mg_str file = mg_text_line(j->arena, j->reports->items[i].goal_file, 500);
        mg_buf_addf(j->out, "%s%s== " MG_FMT " ==%s\n", i > 0 ? "\n" : "",
                    j->style->color ? "\033[1m" : "", MG_ARG(file),
                    j->style->color ? "\033[0m" : "");
        write_one(j, i);
    }
}

static void write_json_list(const job *j)
{
    mg_buf_addf(j->out, "{\"schema\":1,\"verdict\":\"%s\",",
                mg_verdict_name(mg_reports_verdict(j->reports)));
    if (count_left_out(j->reports) > 0)
        mg_buf_addf(j->out, "\"left_out\":%zu,", count_left_out(j->reports));
    mg_buf_adds(j->out, "\"checks\":[");
    for (size_t i = 0; i < j->reports->count; i++) {
        mg_buf_adds(j->out, i > 0 ? ",\n" : "\n");
        write_one(j, i);
        while (j->out->len > 0 && j->out->ptr[j->out->len - 1] == '\n')
            j->out->len--;
    }
    mg_buf_adds(j->out, "\n]}\n");
}

/* Every result under its file's name, so that one document can hold them all. */
static mg_report merge(const job *j)
{
    const mg_reports *all = j->reports;
    mg_report sum = {
        .started_ms = all->items[0].started_ms,
        .goal = mg_strf(j->arena, "%zu goal file%s", all->count, all->count == 1 ? "" : "s"),
        .reason = all->items[0].reason,
        .left_out = count_left_out(all),
        .verdict = mg_reports_verdict(all)};
    for (size_t i = 0; i < all->count; i++)
        sum.result_count += all->items[i].result_count;
    sum.results = mg_new_array(j->arena, mg_result, sum.result_count);
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        const mg_report *one = &all->items[i];
        if (mg_report_verdict(one) == sum.verdict) {
            sum.reason = one->reason;
            sum.advice = one->advice;
        }
        sum.duration_us += one->duration_us;
        for (size_t w = 0; w < one->warnings.count; w++)
            mg_strs_add(j->arena, &sum.warnings,
                        mg_strf(j->arena, MG_FMT ": " MG_FMT, MG_ARG(one->goal_file),
                                MG_ARG(one->warnings.items[w])));
        for (size_t r = 0; r < one->result_count; r++) {
            mg_result *copy = &sum.results[at++];
            *copy = one->results[r];
            copy->line = 0; /* of which file, the report could not say */
            copy->name =
                mg_strf(j->arena, MG_FMT ": " MG_FMT, MG_ARG(one->goal_file), MG_ARG(copy->name));
        }
    }
    return sum;
}

static void write_merged(const job *j)
{
    const mg_report sum = merge(j);
    j->reporter->write(&sum, j->style, j->arena, j->out);
}

static void write_gauges(const job *j)
{
    mg_reports_prometheus(j->reports->items, j->reports->count, j->arena, j->out);
}

/* The document of the first file with the runs of all; merged if that does not come apart. */
static void write_runs(const job *j)
{
    mg_buf runs = mg_buf_new(j->arena, j->out->max);
    const mg_json *document = NULL, *run = NULL;
    for (size_t i = 0; i < j->reports->count; i++) {
        mg_buf one = mg_buf_new(j->arena, j->out->max);
        j->reporter->write(&j->reports->items[i], j->style, j->arena, &one);
        if (mg_json_parse(mg_buf_str(&one), &mg_limits_default, MG_JSON_PLAIN, j->arena, &document,
                          NULL) != MG_OK ||
            mg_json_at(document, MG_STR("/runs/0"), &run, NULL) != MG_OK) {
            write_merged(j);
            return;
        }
        mg_buf_adds(&runs, i > 0 ? ",\n" : "");
        mg_buf_add(&runs, mg_json_text(run, j->arena));
    }
    const mg_json *schema;
    mg_buf_adds(j->out, "{");
    if (mg_json_at(document, MG_STR("/$schema"), &schema, NULL) == MG_OK)
        mg_buf_addf(j->out, "\"$schema\":" MG_FMT ",", MG_ARG(mg_json_text(schema, j->arena)));
    mg_buf_addf(j->out, "\"version\":\"2.1.0\",\"runs\":[\n" MG_FMT "\n]}\n",
                MG_ARG(mg_buf_str(&runs)));
}

static const struct {
    const char *format;
    void (*write)(const job *j);
} manners[] = {
    {"text", write_with_headings}, {"github", write_lines},      {"json", write_json_list},
    {"sarif", write_runs},         {"prometheus", write_gauges},
};

void mg_reports_write(const mg_reports *reports, const mg_reporter *reporter,
                      const mg_report_style *style, mg_arena *arena, mg_buf *out)
{
    const job j = {reports, reporter, style, arena, out};
    if (reports->count == 1 && !reports->several) {
        write_one(&j, 0);
        return;
    }
    for (size_t i = 0; i < MG_COUNT(manners); i++) {
        if (strcmp(reporter->name, manners[i].format) == 0) {
            manners[i].write(&j);
            return;
        }
    }
    write_merged(&j);
}
