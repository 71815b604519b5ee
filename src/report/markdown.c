/* markdown.c - the page a workflow run shows: the summary, what is wrong, then the rest.
 *
 * GitHub refuses a summary above 1 MiB, so the number of entries shown is bounded.
 */
#include "report/parts.h"

enum {
    MOST_BLOCKS = 50,  /* entries that do not pass, in full */
    MOST_ROWS = 500,   /* lines of the table */
    MOST_BYTES = 8000, /* of one block */
    NAME_BYTES = 120,  /* of a name; a byte may take five once it is escaped */
};

/* Markdown's and HTML's own characters, so that a name is shown as it is. */
static void put_escaped(mg_buf *out, mg_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        const char c = line.ptr[i];
        if (c == '<' || c == '>' || c == '&')
            mg_buf_adds(out, c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;");
        else if (c == '@') /* mentions nobody */
            mg_buf_adds(out, "&#64;");
        else {
            if (strchr("\\`*_{}[]()#+-.!|~:\"'$", c) != NULL)
                mg_buf_addc(out, '\\');
            mg_buf_addc(out, c);
        }
    }
}

static size_t longest_fence(mg_str text)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = MG_MAX(longest, run);
    }
    return longest;
}

static void put_code(mg_buf *out, mg_str text)
{
    const size_t fence = MG_MAX(longest_fence(text) + 1, (size_t)3);
    mg_buf_fill(out, '`', fence);
    mg_buf_adds(out, "text\n");
    mg_buf_add(out, text);
    mg_buf_addc(out, '\n');
    mg_buf_fill(out, '`', fence);
    mg_buf_addc(out, '\n');
}

static const char *word(const mg_result *row)
{
    return row->outcome == MG_OUTCOME_PASS   ? "ok"
           : row->outcome == MG_OUTCOME_FAIL ? "**FAIL**"
                                             : "**unknown**";
}

static void put_problems(const mg_report *report, const mg_rows *rows, mg_arena *scratch,
                         mg_buf *out)
{
    size_t problems = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const mg_result *row = rows->items[i];
        if (row->outcome == MG_OUTCOME_PASS || ++problems > MOST_BLOCKS)
            continue;
        mg_buf_addf(out, "\n%s ", word(row));
        put_escaped(out, mg_report_line(scratch, row->name, NAME_BYTES));
        mg_buf_adds(out, "\n\n");
        mg_str block = mg_str_trim(mg_report_block(report, row, scratch));
        if (block.len > MOST_BYTES) {
            /* Whole lines only: a character is not cut in two. */
            block = mg_str_first(block, MOST_BYTES);
            while (block.len > 0 && block.ptr[block.len - 1] != '\n')
                block.len--;
        }
        put_code(out, block);
    }
    if (problems > MOST_BLOCKS)
        mg_buf_addf(out, "\n%zu more do not pass.\n", problems - MOST_BLOCKS);
}

static void put_table(const mg_rows *rows, mg_arena *scratch, mg_buf *out)
{
    mg_buf_adds(out, "\n| | entry | kind | seconds |\n|---|---|---|--:|\n");
    for (size_t i = 0; i < rows->count && i < MOST_ROWS; i++) {
        const mg_result *row = rows->items[i];
        const mg_str seconds = mg_report_seconds(scratch, row->duration_us);
        mg_buf_addf(out, "| %s | ", word(row));
        put_escaped(out, mg_report_line(scratch, row->name, NAME_BYTES));
        mg_buf_adds(out, " | ");
        put_escaped(out, mg_str_of(mg_row_kind(row)));
        mg_buf_addf(out, " | " MG_FMT " |\n", MG_ARG(seconds));
    }
    if (rows->count > MOST_ROWS)
        mg_buf_addf(out, "\n%zu more entries.\n", rows->count - MOST_ROWS);
}

void mg_report_markdown(const mg_report *report, mg_arena *scratch, mg_buf *out)
{
    const mg_rows rows = mg_report_rows(report, scratch);
    mg_buf_adds(out, "### makegood: ");
    put_escaped(out, mg_report_summary(report, scratch));
    mg_buf_addc(out, '\n');
    if (report->goal.len > 0) {
        mg_buf_adds(out, "\n> ");
        put_escaped(out, mg_report_line(scratch, report->goal, MG_REPORT_SENTENCE));
        mg_buf_addc(out, '\n');
    }
    put_problems(report, &rows, scratch, out);
    put_table(&rows, scratch, out);
    for (size_t i = 0; i < report->warnings.count && i < MOST_BLOCKS; i++) {
        mg_buf_adds(out, "\nWarning: ");
        put_escaped(out, mg_report_line(scratch, report->warnings.items[i], MG_REPORT_NAME));
        mg_buf_addc(out, '\n');
    }
    if (report->advice.len > 0) {
        mg_buf_adds(out, "\nNext: ");
        put_escaped(out, mg_report_line(scratch, report->advice, MG_REPORT_SENTENCE));
        mg_buf_addc(out, '\n');
    }
}
