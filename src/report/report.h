/* report.h - showing what a check found: one file a format, one row in kinds.c.
 *
 * A reporter turns a finished report into bytes. It prints nothing and decides nothing; and
 * whatever reads its output must never see success where the verdict is not MET.
 */
#ifndef MG_REPORT_REPORT_H
#define MG_REPORT_REPORT_H

#include "base/buf.h"
#include "model/result.h"

#include <makegood/check.h>

typedef struct mg_report_style {
    bool color;          /* escape sequences may be used */
    bool quiet;          /* only what is wrong, and the summary */
    unsigned width;      /* of the terminal; 0: unknown */
    const char *version; /* of makegood, for formats that name their tool */
} mg_report_style;

typedef struct mg_reporter {
    const char *name;    /* as in --format: "junit" */
    const char *summary; /* one line */
    void (*write)(const mg_report *report, const mg_report_style *style, mg_arena *scratch,
                  mg_buf *out);
} mg_reporter;

extern const mg_reporter *const mg_reporters[]; /* ends with NULL */

const mg_reporter *mg_reporter_find(const char *name); /* NULL where there is none */

/* mg_report_verdict(), of the public face, is the verdict that every format shows and that
 * exit codes follow: the report's own, except that MET needs results and every one of them
 * to pass. */

/* A page of Markdown for people, as $GITHUB_STEP_SUMMARY takes it; stays far below its 1 MiB. */
void mg_report_markdown(const mg_report *report, mg_arena *scratch, mg_buf *out);

/* Gauges of several reports as one page, each under its file; of the same file twice, the later
 * carries the label `run`. */
void mg_reports_prometheus(const mg_report *reports, size_t count, mg_arena *scratch, mg_buf *out);

#endif
