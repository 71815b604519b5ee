/* github.c - workflow commands for GitHub Actions: an annotation a problem.
 *
 * GitHub keeps ten errors and ten warnings of a step and drops the rest in silence; we write
 * that many and say how many more there are. Foreign text never begins a line here, so it
 * cannot be taken for a command of its own.
 */
#include "report/parts.h"

enum { MOST_EACH = 10 };

typedef struct annotations {
    const mg_report *report;
    mg_arena *scratch;
    mg_buf *out;
    size_t errors, warnings; /* asked for, also those past the limit */
} annotations;

/* In a message `%` and line ends are escaped; in a property `:` and `,` as well. */
static void put_escaped(mg_buf *out, mg_str text, bool property)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool escaped =
            c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        if (escaped)
            mg_buf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
        else
            mg_buf_addc(out, c);
    }
}

static void put_property(const annotations *a, char before, const char *name, mg_str value)
{
    mg_buf_addf(a->out, "%c%s=", before, name);
    put_escaped(a->out, mg_report_line(a->scratch, value, MG_REPORT_NAME), true);
}

static void annotate(annotations *a, bool error, mg_str title, uint32_t line, mg_str message)
{
    size_t *count = error ? &a->errors : &a->warnings;
    if (++*count > MOST_EACH)
        return;
    char before = ' ';
    mg_buf_adds(a->out, error ? "::error" : "::warning");
    if (a->report->goal_file.len > 0) {
        put_property(a, before, "file", a->report->goal_file);
        before = ',';
        if (line > 0)
            mg_buf_addf(a->out, ",line=%u", line);
    }
    put_property(a, before, "title", title);
    mg_buf_adds(a->out, "::");
    put_escaped(a->out, message, false);
    mg_buf_addc(a->out, '\n');
}

static void put_rows(annotations *a, bool errors)
{
    const mg_rows rows = mg_report_rows(a->report, a->scratch);
    for (size_t i = 0; i < rows.count; i++) {
        const mg_result *row = rows.items[i];
        const bool error = row->outcome == MG_OUTCOME_FAIL || mg_row_is_ours(row);
        if (row->outcome == MG_OUTCOME_PASS || error != errors)
            continue;
        const mg_str name = mg_report_line(a->scratch, row->name, MG_REPORT_NAME);
        const mg_str title =
            mg_strf(a->scratch, "%s: " MG_FMT,
                    row->outcome == MG_OUTCOME_FAIL ? "fails" : "unknown", MG_ARG(name));
        annotate(a, error, title, row->line,
                 mg_str_trim(mg_report_block(a->report, row, a->scratch)));
    }
}

static void put_more(const annotations *a)
{
    const size_t more = (a->errors > MOST_EACH ? a->errors - MOST_EACH : 0) +
                        (a->warnings > MOST_EACH ? a->warnings - MOST_EACH : 0);
    if (more > 0)
        mg_buf_addf(a->out, "makegood: %zu more %s not shown as annotations\n", more,
                    more == 1 ? "is" : "are");
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    annotations a = {.report = report, .scratch = scratch, .out = out};
    put_rows(&a, true);
    put_rows(&a, false);
    for (size_t i = 0; i < report->warnings.count; i++)
        annotate(&a, false, MG_STR("makegood"), 0,
                 mg_report_line(scratch, report->warnings.items[i], MG_REPORT_SENTENCE));
    put_more(&a);
    const mg_str summary = mg_report_summary(report, scratch);
    mg_buf_addf(out, "makegood: " MG_FMT "\n", MG_ARG(summary));
}

const mg_reporter mg_reporter_github = {
    .name = "github",
    .summary = "annotations for GitHub Actions, ten errors and ten warnings at most",
    .write = write,
};
