/* text.c - for people: what holds in a line each, then what is unknown, then what fails.
 *
 * The last lines of a terminal are the ones that are read, so the order is the order of
 * importance, upwards: failures, warnings, one line that sums up, one with the next step.
 * Colour repeats what a word already says.
 */
#include "report/parts.h"

#include "data/text.h"

enum {
    INDENT = 2,
    WIDEST_PAD = 60, /* names longer than this do not push the notes of the others away */
};

static size_t name_columns(const mg_report *report, mg_arena *scratch)
{
    size_t widest = 0;
    for (size_t i = 0; i < report->result_count; i++) {
        const mg_result *row = &report->results[i];
        if (row->outcome != MG_OUTCOME_PASS)
            continue;
        const size_t columns = mg_utf8_columns(mg_report_line(scratch, row->name, MG_REPORT_NAME));
        widest = columns <= WIDEST_PAD ? MG_MAX(widest, columns) : widest;
    }
    return widest;
}

static void put_labelled(const mg_pen *pen, const char *color, const char *label, mg_str text)
{
    mg_pen_paint(pen, color, mg_str_of(label));
    mg_buf_addc(pen->out, ' ');
    mg_pen_wrap(pen, strlen(label) + 1, mg_report_line(pen->scratch, text, MG_REPORT_SENTENCE));
    mg_buf_addc(pen->out, '\n');
}

static bool is(const mg_result *row, mg_outcome outcome)
{
    const bool settled = row->outcome == MG_OUTCOME_PASS || row->outcome == MG_OUTCOME_FAIL;
    return (settled ? row->outcome : MG_OUTCOME_UNKNOWN) == outcome;
}

static void put_passing(const mg_pen *pen)
{
    const size_t pad = name_columns(pen->report, pen->scratch);
    for (size_t i = 0; i < pen->report->result_count; i++) {
        if (is(&pen->report->results[i], MG_OUTCOME_PASS))
            mg_pen_head(pen, &pen->report->results[i], INDENT, pad);
    }
}

/* Those with one outcome, a block each, set apart from what stands before. */
static void put_blocks(const mg_pen *pen, mg_outcome outcome)
{
    for (size_t i = 0; i < pen->report->result_count; i++) {
        if (!is(&pen->report->results[i], outcome))
            continue;
        if (pen->out->len > 0)
            mg_buf_addc(pen->out, '\n');
        mg_pen_block(pen, &pen->report->results[i], INDENT);
    }
}

static void put_summary(const mg_pen *pen)
{
    static const char *const colors[] = {
        [MG_VERDICT_UNKNOWN] = "1;33",
        [MG_VERDICT_MET] = "1;32",
        [MG_VERDICT_NOT_MET] = "1;31",
    };
    mg_pen_paint(pen, "1", MG_STR("makegood:"));
    mg_buf_addc(pen->out, ' ');
    mg_pen_paint(pen, colors[mg_report_verdict(pen->report)],
                 mg_report_summary(pen->report, pen->scratch));
    mg_buf_addc(pen->out, '\n');
    if (pen->report->advice.len > 0)
        put_labelled(pen, "1", "next:", pen->report->advice);
}

static void write(const mg_report *report, const mg_report_style *style, mg_arena *scratch,
                  mg_buf *out)
{
    const mg_pen pen = {report, style, scratch, out};
    if (!style->quiet && report->goal.len > 0)
        put_labelled(&pen, "1", "goal:", report->goal);
    if (!style->quiet)
        put_passing(&pen);
    put_blocks(&pen, MG_OUTCOME_UNKNOWN);
    put_blocks(&pen, MG_OUTCOME_FAIL);
    if (out->len > 0)
        mg_buf_addc(out, '\n');
    for (size_t i = 0; i < report->warnings.count && !style->quiet; i++)
        put_labelled(&pen, "33", "warning:", report->warnings.items[i]);
    put_summary(&pen);
}

const mg_reporter mg_reporter_text = {
    .name = "text",
    .summary = "for people; what fails comes last, with what was expected and what was seen",
    .write = write,
};
