/* combine.h - the reports of several goal files as one output. */
#ifndef MG_CLI_COMBINE_H
#define MG_CLI_COMBINE_H

#include "report/report.h"

typedef struct mg_reports {
    mg_report *items;
    size_t count, cap;
    bool several;   /* several files were given, though there may be one report only */
    size_t unasked; /* entries of files that have no report, because --only matches none of them */
} mg_reports;

/* The worst of them: not met, else unknown, else met; unknown where there is none. */
mg_verdict mg_reports_verdict(const mg_reports *reports);

/* One report is written as it is. Several become one document that a reader of the format
 * takes whole: see combine.c. */
void mg_reports_write(const mg_reports *reports, const mg_reporter *reporter,
                      const mg_report_style *style, mg_arena *arena, mg_buf *out);

#endif
