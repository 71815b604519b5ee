/* page.h - the parts of the page about a loop; private to report/.
 *
 * Everything that is not a literal of ours goes through mg_page_text() or mg_page_block(), so no
 * foreign text can become markup.
 */
#ifndef MG_REPORT_PAGE_H
#define MG_REPORT_PAGE_H

#include "report/parts.h"
#include "report/pursuit.h"

enum {
    MG_PAGE_FILES = 200,    /* changed files of an attempt that are listed */
    MG_PAGE_ENTRIES = 300,  /* rows of the matrix */
    MG_PAGE_ATTEMPTS = 100, /* attempts that are told in full: the first and the last ones */
    MG_PAGE_COLUMNS = 40,   /* attempts in the matrix */
    MG_PAGE_BLOCK = 10000,  /* bytes of a gap, an answer, a goal file */
};

typedef struct mg_page {
    const mg_pursuit *pursuit;
    mg_arena *scratch;
    mg_buf *out;
} mg_page;

extern const char *const mg_page_style[]; /* the style sheet, in pieces; ends with NULL */

/* One line, made harmless. */
void mg_page_text(const mg_page *page, mg_str text);

/* Several lines in <pre>, made harmless; what is longer is cut, and that is said. */
void mg_page_block(const mg_page *page, mg_str text);

/* "12.3 s", "4 min 10 s" */
void mg_page_time(const mg_page *page, uint64_t ms);

/* "good", "bad", "open": the class of a verdict, an outcome. */
const char *mg_page_verdict(mg_verdict verdict);
const char *mg_page_outcome(mg_outcome outcome);

/* The attempts that are shown where there are too many: 0 for those between. */
bool mg_page_shows(size_t index, size_t count, size_t most);

void mg_page_timeline(const mg_page *page);
void mg_page_matrix(const mg_page *page);
void mg_page_attempts(const mg_page *page);

#endif
