/* tap.c - TAP version 14: a test point an entry, a subtest a group, YAML on what is wrong.
 *
 * The plan stands first, so that output which was cut off is a failure. Unknown is `not ok`.
 * In an `any` or `not` that holds, a branch that does not pass is what was asked for: it is
 * marked TODO, which no reader counts as a failure of the whole.
 */
#include "report/parts.h"

#include "data/json.h"

typedef struct tap {
    mg_buf *out;
    mg_arena *scratch;
} tap;

static const char excuse[] = "the group holds without it";

/* `#` would begin a directive, and a backslash escapes. */
static void put_name(const tap *t, mg_str name)
{
    const mg_str line = mg_report_line(t->scratch, name, MG_REPORT_NAME);
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '#' || line.ptr[i] == '\\')
            mg_buf_addc(t->out, '\\');
        mg_buf_addc(t->out, line.ptr[i]);
    }
}

/* A JSON text is a YAML text too, and needs no rules about quoting. */
static void put_quoted(const tap *t, mg_str text)
{
    mg_json_str(&(mg_json_out){.buf = t->out}, text);
}

static void put_field(const tap *t, size_t indent, const char *key, mg_str text)
{
    const mg_str line = mg_report_line(t->scratch, text, MG_REPORT_SENTENCE);
    if (line.len == 0)
        return;
    mg_buf_fill(t->out, ' ', indent);
    mg_buf_addf(t->out, "%s: ", key);
    put_quoted(t, line);
    mg_buf_addc(t->out, '\n');
}

static void put_place(const tap *t, size_t indent, mg_str file, uint32_t line)
{
    if (file.len == 0 || line == 0)
        return;
    put_field(t, indent, "file", file);
    mg_buf_fill(t->out, ' ', indent);
    mg_buf_addf(t->out, "line: %u\n", line);
}

static void put_output(const tap *t, size_t indent, mg_str detail)
{
    size_t left_out;
    const mg_strs lines = mg_report_tail(t->scratch, detail, &left_out);
    if (lines.count == 0)
        return;
    mg_buf_fill(t->out, ' ', indent);
    mg_buf_adds(t->out, "output:\n");
    for (size_t i = 0; i < lines.count; i++) {
        mg_buf_fill(t->out, ' ', indent);
        mg_buf_adds(t->out, "  - ");
        put_quoted(t, lines.items[i]);
        mg_buf_addc(t->out, '\n');
    }
}

static void put_diagnosis(const tap *t, const mg_report *report, const mg_result *row,
                          size_t indent)
{
    const size_t in = indent + 2;
    mg_buf_fill(t->out, ' ', in);
    mg_buf_adds(t->out, "---\n");
    put_field(t, in, "verdict", mg_str_of(mg_outcome_name(row->outcome)));
    put_field(t, in, "kind", mg_str_of(mg_row_kind(row)));
    put_field(t, in, "message", mg_report_sentence(row, t->scratch));
    put_field(t, in, "expected", row->expected);
    put_field(t, in, "observed", row->observed);
    put_field(t, in, "recovery", row->recovery);
    put_place(t, in, report->goal_file, row->line);
    put_output(t, in, row->detail);
    mg_buf_fill(t->out, ' ', in);
    mg_buf_adds(t->out, "...\n");
}

static void put_point(const tap *t, const mg_report *report, const mg_result *row, size_t number,
                      bool excused, unsigned depth);

static void put_subtest(const tap *t, const mg_report *report, const mg_result *row, bool excused,
                        unsigned depth)
{
    const bool may_miss = strcmp(mg_row_kind(row), "all") != 0;
    const bool child_excused = excused || (may_miss && row->outcome == MG_OUTCOME_PASS);
    const size_t indent = (size_t)depth * 4;
    mg_buf_fill(t->out, ' ', indent);
    mg_buf_adds(t->out, "# Subtest: ");
    put_name(t, row->name);
    mg_buf_addc(t->out, '\n');
    mg_buf_fill(t->out, ' ', indent + 4);
    mg_buf_addf(t->out, "1..%zu\n", row->child_count);
    for (size_t i = 0; i < row->child_count; i++)
        put_point(t, report, &row->children[i], i + 1, child_excused, depth + 1);
}

static void put_point(const tap *t, const mg_report *report, const mg_result *row, size_t number,
                      bool excused, unsigned depth)
{
    const bool ok = row->outcome == MG_OUTCOME_PASS;
    const size_t indent = (size_t)depth * 4;
    if (row->child_count > 0 && depth < MG_REPORT_DEPTH)
        put_subtest(t, report, row, excused, depth);
    mg_buf_fill(t->out, ' ', indent);
    mg_buf_addf(t->out, "%s %zu - ", ok ? "ok" : "not ok", number);
    put_name(t, row->name);
    if (!ok && excused)
        mg_buf_addf(t->out, " # TODO %s", excuse);
    mg_buf_addc(t->out, '\n');
    if (!ok)
        put_diagnosis(t, report, row, indent);
}

static void put_comment(const tap *t, const char *label, mg_str text)
{
    const mg_str line = mg_report_line(t->scratch, text, MG_REPORT_SENTENCE);
    if (line.len > 0)
        mg_buf_addf(t->out, "# %s" MG_FMT "\n", label, MG_ARG(line));
}

static void write(const mg_report *report, __attribute__((unused)) const mg_report_style *style,
                  mg_arena *scratch, mg_buf *out)
{
    const tap t = {out, scratch};
    const mg_rows rows = mg_report_rows(report, scratch);
    mg_buf_addf(out, "TAP version 14\n1..%zu\n", rows.count);
    for (size_t i = 0; i < rows.count; i++)
        put_point(&t, report, rows.items[i], i + 1, false, 0);
    for (size_t i = 0; i < report->warnings.count; i++)
        put_comment(&t, "warning: ", report->warnings.items[i]);
    put_comment(&t, "makegood: ", mg_report_summary(report, scratch));
    put_comment(&t, "next: ", report->advice);
}

const mg_reporter mg_reporter_tap = {
    .name = "tap",
    .summary = "TAP version 14, with YAML on what does not pass",
    .write = write,
};
