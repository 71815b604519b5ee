/* kinds.h - the reporters, for the table. To add one: one file, one line here and in kinds.c. */
#ifndef MG_REPORT_KINDS_H
#define MG_REPORT_KINDS_H

#include "report/report.h"

extern const mg_reporter mg_reporter_text;
extern const mg_reporter mg_reporter_json;
extern const mg_reporter mg_reporter_junit;
extern const mg_reporter mg_reporter_tap;
extern const mg_reporter mg_reporter_sarif;
extern const mg_reporter mg_reporter_github;
extern const mg_reporter mg_reporter_prometheus;

#endif
