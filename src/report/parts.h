/* parts.h - what the formats share; private to report/.
 *
 * Two ideas keep every format honest. Foreign text passes through one of the functions below
 * before it is written anywhere. And formats that list results walk mg_report_rows(), which
 * adds a row that does not pass where the verdict is not MET but nothing else would show it.
 */
#ifndef MG_REPORT_PARTS_H
#define MG_REPORT_PARTS_H

#include "base/map.h"
#include "report/kinds.h"

enum {
    MG_REPORT_NAME = 500,      /* bytes of a name that are shown */
    MG_REPORT_SENTENCE = 4000, /* bytes of a sentence that are shown */
    MG_REPORT_LINE = 500,      /* bytes of a line of output that are shown */
    MG_REPORT_TAIL = 20,       /* lines of output that are shown */
    MG_REPORT_DEPTH = 24,      /* groups inside groups that are shown */
};

typedef struct mg_counts { /* of the results at the top */
    size_t passed, failed, unknown;
} mg_counts;

mg_counts mg_report_counts(const mg_report *report);

typedef struct mg_rows {
    const mg_result **items;
    size_t count, cap;
} mg_rows;

/* The results in their order. Where the verdict is not MET although each of them passes, or
 * there is none, the last row is one of ours (mg_row_is_ours) that says so and is not a pass. */
mg_rows mg_report_rows(const mg_report *report, mg_arena *scratch);
bool mg_row_is_ours(const mg_result *row);

/* The kind's name, never NULL. */
const char *mg_row_kind(const mg_result *row);

/* "not met - 3 of 5 passed, 1 failed, 1 unknown; 2 entries were not asked (--only) (0.004 s)" */
mg_str mg_report_summary(const mg_report *report, mg_arena *scratch);

/* "0.004": seconds, whatever the locale says about decimal points. */
mg_str mg_report_seconds(mg_arena *scratch, uint64_t duration_us);

/* One line that is safe in a terminal, in XML and in YAML. */
mg_str mg_report_line(mg_arena *scratch, mg_str s, size_t max_bytes);

/* The last lines of some output, each as safe as that (tabs stay); left_out: lines before. */
mg_strs mg_report_tail(mg_arena *scratch, mg_str output, size_t *left_out);

/* How often this pair of texts was seen before, 1 for the first time. Texts must stay alive. */
size_t mg_report_occurrence(mg_map *seen, mg_str kind, mg_str name);

/* --- block.c: one result in full, for people --- */

typedef struct mg_pen {
    const mg_report *report;
    const mg_report_style *style;
    mg_arena *scratch;
    mg_buf *out;
} mg_pen;

/* Text in a colour where the style has any: "31", "1;32". */
void mg_pen_paint(const mg_pen *pen, const char *color, mg_str text);

/* Words wrapped to the style's width, later lines indented; the cursor stands at `indent`. */
void mg_pen_wrap(const mg_pen *pen, size_t indent, mg_str text);

/* "FAIL     name  (3 tries)" and a line end; the note begins at column `pad` or later. */
void mg_pen_head(const mg_pen *pen, const mg_result *row, size_t indent, size_t pad);

/* The head, then expected, observed, recovery, place, output, and the children. */
void mg_pen_block(const mg_pen *pen, const mg_result *row, size_t indent);

/* The same without the head, plain: for formats that have a place of their own for the name. */
mg_str mg_report_block(const mg_report *report, const mg_result *row, mg_arena *scratch);

/* One sentence: the message, or what was expected and observed. Never empty. */
mg_str mg_report_sentence(const mg_result *row, mg_arena *scratch);

#endif
