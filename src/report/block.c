/* block.c - one result in full, as a person wants to read it at two in the morning:
 *
 *     FAIL     file_contains style.css  (0.300 s, 3 tries)
 *                expected  a match of 'darkgreen'
 *                observed  no match in 12 lines
 *                to fix    Edit the body rule.
 *                at        makegood.yaml:7
 *
 * Text paints and wraps it; the other formats take it plain.
 */
#include "report/parts.h"

#include "data/text.h"

enum {
    MARK_WIDTH = 9,   /* "unknown" and two blanks */
    LABEL_WIDTH = 10, /* "expected" and two blanks */
    NARROWEST = 24,   /* columns of text below which wrapping helps nobody */
    SLOW_US = 100000,
};

typedef struct mark {
    const char *word, *color;
} mark;

static const mark marks[] = {
    [MG_OUTCOME_UNKNOWN] = {"unknown", "33"},
    [MG_OUTCOME_PASS] = {"ok", "32"},
    [MG_OUTCOME_FAIL] = {"FAIL", "1;31"},
};

static const mark *mark_of(mg_outcome outcome)
{
    return (size_t)outcome < MG_COUNT(marks) ? &marks[outcome] : &marks[MG_OUTCOME_UNKNOWN];
}

void mg_pen_paint(const mg_pen *pen, const char *color, mg_str text)
{
    if (pen->style->color)
        mg_buf_addf(pen->out, "\x1b[%sm", color);
    mg_buf_add(pen->out, text);
    if (pen->style->color)
        mg_buf_adds(pen->out, "\x1b[0m");
}

void mg_pen_wrap(const mg_pen *pen, size_t indent, mg_str text)
{
    const size_t width = pen->style->width;
    const bool wraps = width >= indent + NARROWEST;
    size_t column = indent;
    mg_str rest = text, word;
    for (bool first = true; mg_str_split(&rest, ' ', &word); first = false) {
        const size_t columns = mg_utf8_columns(word);
        if (wraps && !first && column + 1 + columns > width) {
            mg_buf_addc(pen->out, '\n');
            mg_buf_fill(pen->out, ' ', indent);
            column = indent;
        } else if (!first) {
            mg_buf_addc(pen->out, ' ');
            column++;
        }
        mg_buf_add(pen->out, word); /* a long one stays whole, so that it can be copied */
        column += columns;
    }
}

static size_t holding(const mg_result *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->child_count; i++)
        count += group->children[i].outcome == MG_OUTCOME_PASS;
    return count;
}

/* "(0.300 s, 3 tries, invariant)", or nothing. */
static mg_str note(const mg_pen *pen, const mg_result *row, bool at_top)
{
    mg_buf buf = mg_buf_new(pen->scratch, 200);
    const char *between = "";
    if (row->duration_us >= SLOW_US) {
        const mg_str seconds = mg_report_seconds(pen->scratch, row->duration_us);
        mg_buf_addf(&buf, MG_FMT " s", MG_ARG(seconds));
        between = ", ";
    }
    if (row->tries > 1) {
        mg_buf_addf(&buf, "%s%u tries", between, row->tries);
        between = ", ";
    }
    if (row->outcome == MG_OUTCOME_PASS && strcmp(mg_row_kind(row), "any") == 0) {
        const size_t held = holding(row);
        mg_buf_addf(&buf, "%s%zu of %zu %s", between, held, row->child_count,
                    held == 1 ? "holds" : "hold");
        between = ", ";
    }
    if (row->invariant)
        mg_buf_addf(&buf, "%sinvariant", between);
    else if (at_top && row->outcome == MG_OUTCOME_PASS && !row->proves)
        mg_buf_addf(&buf, "%sproves nothing", between);
    return buf.len > 0 ? mg_strf(pen->scratch, "(" MG_FMT ")", MG_ARG(mg_buf_str(&buf)))
                       : (mg_str){"", 0};
}

static void put_head(const mg_pen *pen, const mg_result *row, size_t indent, size_t pad,
                     bool at_top)
{
    const mark *m = mark_of(row->outcome);
    const mg_str name = mg_report_line(pen->scratch, row->name, MG_REPORT_NAME);
    const mg_str more = note(pen, row, at_top);
    mg_buf_fill(pen->out, ' ', indent);
    mg_pen_paint(pen, m->color, mg_str_of(m->word));
    mg_buf_fill(pen->out, ' ', MARK_WIDTH - strlen(m->word));
    mg_buf_add(pen->out, name);
    if (more.len > 0) {
        const size_t columns = mg_utf8_columns(name);
        mg_buf_fill(pen->out, ' ', 2 + (pad > columns ? pad - columns : 0));
        mg_pen_paint(pen, "2", more);
    }
    mg_buf_addc(pen->out, '\n');
}

void mg_pen_head(const mg_pen *pen, const mg_result *row, size_t indent, size_t pad)
{
    put_head(pen, row, indent, pad, true);
}

static void put_field(const mg_pen *pen, size_t indent, const char *label, mg_str text)
{
    if (text.len == 0)
        return;
    const mg_str line = mg_report_line(pen->scratch, text, MG_REPORT_SENTENCE);
    mg_buf_fill(pen->out, ' ', indent);
    mg_pen_paint(pen, "2", mg_str_of(label));
    mg_buf_fill(pen->out, ' ', LABEL_WIDTH - strlen(label));
    mg_pen_wrap(pen, indent + LABEL_WIDTH, line);
    mg_buf_addc(pen->out, '\n');
}

static bool contains(mg_str text, mg_str part)
{
    return part.len == 0 ||
           (text.len >= part.len && memmem(text.ptr, text.len, part.ptr, part.len) != NULL);
}

static void put_place(const mg_pen *pen, const mg_result *row, size_t indent)
{
    const mg_str file = pen->report->goal_file;
    if (file.len == 0 || row->line == 0)
        return;
    const bool kind_in_name = mg_str_starts(row->name, mg_row_kind(row));
    const mg_str shown = mg_report_line(pen->scratch, file, MG_REPORT_NAME);
    mg_buf place = mg_buf_new(pen->scratch, (size_t)MG_REPORT_NAME * 2);
    mg_buf_addf(&place, MG_FMT ":%u", MG_ARG(shown), row->line);
    if (!kind_in_name)
        mg_buf_addf(&place, " (%s)", mg_row_kind(row));
    put_field(pen, indent, "at", mg_buf_str(&place));
}

static void put_tail(const mg_pen *pen, const mg_result *row, size_t indent)
{
    size_t left_out;
    const mg_strs lines = mg_report_tail(pen->scratch, row->detail, &left_out);
    if (lines.count == 0)
        return;
    /* What was cut before it came to us begins with dots; how much that was nobody knows. */
    mg_str label = MG_STR("");
    if (mg_str_starts(row->detail, "..."))
        label = mg_strf(pen->scratch, "the last %zu lines of more:", lines.count);
    else if (left_out > 0)
        label = mg_strf(pen->scratch, "the last %zu lines (%zu more before them):", lines.count,
                        left_out);
    mg_buf_fill(pen->out, ' ', indent);
    mg_pen_paint(pen, "2", MG_STR("output"));
    if (label.len > 0)
        mg_buf_addf(pen->out, "    " MG_FMT, MG_ARG(label));
    mg_buf_addc(pen->out, '\n');
    for (size_t i = 0; i < lines.count; i++) {
        mg_buf_fill(pen->out, ' ', indent);
        mg_pen_paint(pen, "2", MG_STR("|"));
        if (lines.items[i].len > 0)
            mg_buf_addc(pen->out, ' ');
        mg_buf_add(pen->out, lines.items[i]);
        mg_buf_addc(pen->out, '\n');
    }
}

static void put_details(const mg_pen *pen, const mg_result *row, size_t indent, unsigned depth);

/* Inside `not`, what passes is what is wrong, so it is shown in full as well. */
static void put_children(const mg_pen *pen, const mg_result *row, size_t indent, unsigned depth)
{
    const bool negated = strcmp(mg_row_kind(row), "not") == 0;
    if (depth >= MG_REPORT_DEPTH)
        return;
    for (size_t i = 0; i < row->child_count; i++) {
        const mg_result *child = &row->children[i];
        put_head(pen, child, indent, 0, false);
        if (negated || child->outcome != MG_OUTCOME_PASS)
            put_details(pen, child, indent + MARK_WIDTH, depth + 1);
    }
}

static void put_details(const mg_pen *pen, const mg_result *row, size_t indent, unsigned depth)
{
    put_field(pen, indent, "expected", row->expected);
    put_field(pen, indent, "observed", row->observed);
    /* Of what failed the two lines say it all; why something is unknown must not be lost. */
    const bool more = row->outcome != MG_OUTCOME_PASS && row->outcome != MG_OUTCOME_FAIL &&
                      !contains(row->message, row->observed);
    if (row->observed.len == 0 || more)
        put_field(pen, indent, "because", row->message);
    put_field(pen, indent, "to fix", row->recovery);
    put_place(pen, row, indent);
    put_tail(pen, row, indent);
    put_children(pen, row, indent, depth);
}

void mg_pen_block(const mg_pen *pen, const mg_result *row, size_t indent)
{
    put_head(pen, row, indent, 0, true);
    put_details(pen, row, indent + MARK_WIDTH, 0);
}

mg_str mg_report_block(const mg_report *report, const mg_result *row, mg_arena *scratch)
{
    static const mg_report_style plain = {0};
    mg_buf buf = mg_buf_new(scratch, 1u << 20);
    put_details(&(mg_pen){report, &plain, scratch, &buf}, row, 0, 0);
    return mg_buf_str(&buf);
}

mg_str mg_report_sentence(const mg_result *row, mg_arena *scratch)
{
    const mg_str message = mg_report_line(scratch, row->message, MG_REPORT_SENTENCE);
    const mg_str expected = mg_report_line(scratch, row->expected, MG_REPORT_SENTENCE);
    const mg_str observed = mg_report_line(scratch, row->observed, MG_REPORT_SENTENCE);
    if (message.len > 0)
        return message;
    if (expected.len > 0 && observed.len > 0)
        return mg_strf(scratch, "expected " MG_FMT ", observed " MG_FMT, MG_ARG(expected),
                       MG_ARG(observed));
    if (expected.len > 0 || observed.len > 0)
        return expected.len > 0 ? mg_strf(scratch, "expected " MG_FMT, MG_ARG(expected)) : observed;
    return mg_str_of(mg_outcome_name(row->outcome));
}
