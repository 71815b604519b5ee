/* junit.c - for CI servers: an entry is a testcase, `fail` a failure, `unknown` an error.
 *
 * A group is one testcase: that an `any` holds is no failure of the branch that does not.
 * The order of elements is that of the Ant schema, which the strict readers want.
 */
#include "report/parts.h"

#include "base/clock.h"

typedef struct xml {
    mg_buf *out;
    mg_arena *scratch;
} xml;

/* Text that is safe already (parts.h), with XML's own characters replaced. `>` too, so that
 * "]]>" cannot appear. Line ends in attributes would be read as blanks. */
static void put_escaped(const xml *x, mg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const char *entity = c == '&'   ? "&amp;"
                             : c == '<' ? "&lt;"
                             : c == '>' ? "&gt;"
                             : c == '"' ? "&quot;"
                                        : NULL;
        if (entity != NULL)
            mg_buf_adds(x->out, entity);
        else
            mg_buf_addc(x->out, c);
    }
}

static void put_attribute(const xml *x, const char *name, mg_str value)
{
    mg_buf_addf(x->out, " %s=\"", name);
    put_escaped(x, mg_report_line(x->scratch, value, MG_REPORT_SENTENCE));
    mg_buf_addc(x->out, '"');
}

static void put_property(const xml *x, const char *name, mg_str value)
{
    mg_buf_adds(x->out, "      <property");
    put_attribute(x, "name", mg_str_of(name));
    put_attribute(x, "value", value);
    mg_buf_adds(x->out, "/>\n");
}

static void put_problem(const xml *x, const mg_report *report, const mg_result *row)
{
    const char *element = row->outcome == MG_OUTCOME_FAIL ? "failure" : "error";
    mg_buf_addf(x->out, "      <%s", element);
    put_attribute(x, "message", mg_report_sentence(row, x->scratch));
    put_attribute(x, "type", mg_str_of(mg_outcome_name(row->outcome)));
    mg_buf_addc(x->out, '>');
    put_escaped(x, mg_report_block(report, row, x->scratch));
    mg_buf_addf(x->out, "</%s>\n", element);
}

static void put_output(const xml *x, const mg_result *row)
{
    size_t left_out;
    const mg_strs lines = mg_report_tail(x->scratch, row->detail, &left_out);
    if (lines.count == 0)
        return;
    mg_buf_adds(x->out, "      <system-out>");
    for (size_t i = 0; i < lines.count; i++) {
        put_escaped(x, lines.items[i]);
        mg_buf_addc(x->out, '\n');
    }
    mg_buf_adds(x->out, "</system-out>\n");
}

static void put_case(const xml *x, const mg_report *report, const mg_result *row)
{
    mg_buf_adds(x->out, "    <testcase");
    put_attribute(x, "classname", mg_str_of(mg_row_kind(row)));
    put_attribute(x, "name", mg_report_line(x->scratch, row->name, MG_REPORT_NAME));
    put_attribute(x, "time", mg_report_seconds(x->scratch, row->duration_us));
    if (report->goal_file.len > 0)
        put_attribute(x, "file", report->goal_file);
    if (report->goal_file.len > 0 && row->line > 0)
        mg_buf_addf(x->out, " line=\"%u\"", row->line);
    if (row->outcome == MG_OUTCOME_PASS && row->detail.len == 0) {
        mg_buf_adds(x->out, "/>\n");
        return;
    }
    mg_buf_adds(x->out, ">\n");
    if (row->outcome != MG_OUTCOME_PASS)
        put_problem(x, report, row);
    put_output(x, row);
    mg_buf_adds(x->out, "    </testcase>\n");
}

static void put_totals(const xml *x, const mg_report *report, const mg_rows *rows, mg_str name)
{
    size_t failures = 0, passes = 0;
    for (size_t i = 0; i < rows->count; i++) {
        failures += rows->items[i]->outcome == MG_OUTCOME_FAIL;
        passes += rows->items[i]->outcome == MG_OUTCOME_PASS;
    }
    put_attribute(x, "name", name);
    mg_buf_addf(x->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\"", rows->count,
                failures, rows->count - failures - passes);
    put_attribute(x, "time", mg_report_seconds(x->scratch, report->duration_us));
    /* To the second and without a zone (it is UTC): what the Ant schema allows. */
    put_attribute(x, "timestamp",
                  mg_str_first(mg_time_rfc3339(x->scratch, report->started_ms), 19));
}

static void put_warnings(const xml *x, const mg_report *report)
{
    if (report->warnings.count == 0)
        return;
    mg_buf_adds(x->out, "    <system-err>");
    for (size_t i = 0; i < report->warnings.count; i++) {
        put_escaped(x, mg_report_line(x->scratch, report->warnings.items[i], MG_REPORT_SENTENCE));
        mg_buf_addc(x->out, '\n');
    }
    mg_buf_adds(x->out, "</system-err>\n");
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    const xml x = {out, scratch};
    const mg_rows rows = mg_report_rows(report, scratch);
    mg_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_totals(&x, report, &rows, MG_STR("makegood"));
    mg_buf_adds(out, ">\n  <testsuite");
    put_totals(&x, report, &rows,
               report->goal_file.len > 0 ? report->goal_file : MG_STR("makegood"));
    mg_buf_adds(out, ">\n    <properties>\n");
    put_property(&x, "goal", report->goal);
    put_property(&x, "verdict", mg_str_of(mg_verdict_name(mg_report_verdict(report))));
    put_property(&x, "reason", mg_str_of(mg_report_reason(report)));
    put_property(&x, "advice", report->advice);
    if (report->left_out > 0)
        put_property(&x, "left_out", mg_strf(scratch, "%zu", report->left_out));
    mg_buf_adds(out, "    </properties>\n");
    for (size_t i = 0; i < rows.count; i++)
        put_case(&x, report, rows.items[i]);
    put_warnings(&x, report);
    mg_buf_adds(out, "  </testsuite>\n</testsuites>\n");
}

const mg_reporter mg_reporter_junit = {
    .name = "junit",
    .summary = "JUnit XML for CI servers; unknown is an error, never a pass",
    .write = write,
};
