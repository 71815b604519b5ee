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

/* The check was stopped before its turn came; of a group, before that of all its entries. */
static bool is_untried(const mg_result *row)
{
    for (size_t i = 0; i < row->child_count; i++)
        if (!is_untried(&row->children[i]))
            return false;
    return is(row, MG_OUTCOME_UNKNOWN) && (row->tries == 0 || row->child_count > 0);
}

/* Why, in the words of the first entry in it; those of a group only count. */
static mg_str untried_because(const mg_result *row)
{
    while (row->child_count > 0)
        row = &row->children[0];
    static const char prefix[] = "not evaluated: ";
    return mg_str_starts(row->message, prefix) ? mg_str_from(row->message, sizeof prefix - 1)
                                               : row->message;
}

/* When a check is stopped, all that is left has the same reason: a line for each reason. */
static void put_untried(const mg_pen *pen)
{
    mg_map seen = mg_map_new(pen->scratch);
    mg_strs reasons = {0};
    for (size_t i = 0; i < pen->report->result_count; i++) {
        if (!is_untried(&pen->report->results[i]))
            continue;
        const mg_str why = untried_because(&pen->report->results[i]);
        if (mg_report_occurrence(&seen, MG_STR(""), why) == 1)
            mg_strs_add(pen->scratch, &reasons, why);
    }
    for (size_t i = 0; i < reasons.count; i++) {
        const size_t count = mg_report_occurrence(&seen, MG_STR(""), reasons.items[i]) - 1;
        if (pen->out->len > 0)
            mg_buf_addc(pen->out, '\n');
        mg_buf_fill(pen->out, ' ', INDENT);
        const mg_str line =
            mg_strf(pen->scratch, "%zu %s not evaluated: " MG_FMT, count,
                    count == 1 ? "entry was" : "entries were",
                    MG_ARG(mg_report_line(pen->scratch, reasons.items[i], MG_REPORT_SENTENCE)));
        put_labelled(pen, "33", "unknown ", line);
    }
}

static size_t count_untried(const mg_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->result_count; i++)
        count += is_untried(&report->results[i]);
    return count;
}

/* Those with one outcome, a block each, set apart from what stands before. */
static void put_blocks(const mg_pen *pen, mg_outcome outcome)
{
    const bool folds = count_untried(pen->report) > 1;
    for (size_t i = 0; i < pen->report->result_count; i++) {
        const mg_result *row = &pen->report->results[i];
        if (!is(row, outcome) || (folds && is_untried(row)))
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
    if (count_untried(report) > 1)
        put_untried(&pen);
    put_blocks(&pen, MG_OUTCOME_UNKNOWN);
    put_blocks(&pen, MG_OUTCOME_FAIL);
    if (out->len > 0)
        mg_buf_addc(out, '\n');
    const bool warns = !style->quiet || strcmp(mg_report_reason(report), "vacuous") == 0;
    for (size_t i = 0; i < report->warnings.count && warns; i++)
        put_labelled(&pen, "33", "warning:", report->warnings.items[i]);
    put_summary(&pen);
}

const mg_reporter mg_reporter_text = {
    .name = "text",
    .summary = "for people; what fails comes last, with what was expected and what was seen",
    .write = write,
};
