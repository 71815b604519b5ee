/* pursuit.h - showing a loop: as text for a terminal, as a page for a browser, as a list.
 *
 * A reader must never see success where mg_pursuit_holds() does not say so; whatever the stored
 * status claims, these ask that.
 */
#ifndef MG_REPORT_PURSUIT_H
#define MG_REPORT_PURSUIT_H

#include "model/pursuit.h"
#include "report/report.h"

/* The attempts as a table, the evidence of the last one, and how it ended. */
void mg_pursuit_text(const mg_pursuit *pursuit, const mg_report_style *style, mg_arena *scratch,
                     mg_buf *out);

/* Loops as a table, in the order that is given. now_ms: wall clock, for their age. */
void mg_pursuits_text(const mg_pursuit *items, size_t count, int64_t now_ms,
                      const mg_report_style *style, mg_arena *scratch, mg_buf *out);

/* One page that needs nothing else: no network, no script. Long lists are cut, with a note. */
void mg_pursuit_html(const mg_pursuit *pursuit, const char *version, mg_arena *scratch,
                     mg_buf *out);

/* "succeeded", "gave up", "cancelled", and "not verified" where it says succeeded but nothing
 * proves it. */
const char *mg_pursuit_word(const mg_pursuit *pursuit);

/* What the last look at the world saw: of the last attempt that was looked at, or the baseline. */
typedef struct mg_look {
    const mg_result *results;
    size_t count, holding;
    const mg_attempt *after; /* NULL: the baseline, before any attempt */
} mg_look;

mg_look mg_pursuit_last_look(const mg_pursuit *pursuit);

/* Whether that look tells of now: nothing was begun, and not judged, after it. */
bool mg_look_is_current(const mg_pursuit *pursuit, const mg_look *look);

/* False for an attempt that was cancelled before anybody looked at the world. */
bool mg_attempt_judged(const mg_attempt *attempt);

/* What a loop is called: its sentence, or the first command of --until, or empty. */
mg_str mg_pursuit_title(const mg_pursuit *pursuit, mg_arena *arena);

size_t mg_attempt_changed(const mg_attempt *attempt); /* without what was written as it was */

#endif
