/* page_parts.c - foreign text made harmless on the page, the timeline and the matrix. */
#include "report/page.h"

#include "base/clock.h"
#include "data/text.h"

#include <inttypes.h>

static void add_escaped(mg_buf *out, mg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '&')
            mg_buf_adds(out, "&amp;");
        else if (c == '<')
            mg_buf_adds(out, "&lt;");
        else if (c == '>')
            mg_buf_adds(out, "&gt;");
        else if (c == '"')
            mg_buf_adds(out, "&quot;");
        else if (c == '\'')
            mg_buf_adds(out, "&#39;");
        else
            mg_buf_addc(out, c);
    }
}

void mg_page_text(const mg_page *page, mg_str text)
{
    add_escaped(page->out, mg_report_line(page->scratch, text, MG_REPORT_SENTENCE));
}

void mg_page_block(const mg_page *page, mg_str text)
{
    mg_str shown = mg_str_first(text, MG_PAGE_BLOCK), line;
    if (shown.len < text.len)
        shown.len -= mg_utf8_cut(shown);
    mg_str rest = mg_str_trim(shown);
    mg_buf_adds(page->out, "<pre>");
    for (bool first = true; mg_str_split(&rest, '\n', &line); first = false) {
        mg_buf_adds(page->out, first ? "" : "\n");
        /* A line at a time: a control byte that is harmless on one is not hidden in a block. */
        add_escaped(page->out, mg_report_line(page->scratch, line, MG_PAGE_BLOCK));
    }
    mg_buf_adds(page->out, "</pre>\n");
    if (shown.len < text.len)
        mg_buf_addf(page->out, "<p class=\"note\">Cut here: %zu more bytes.</p>\n",
                    text.len - shown.len);
}

void mg_page_time(const mg_page *page, uint64_t ms)
{
    if (ms < 1000)
        mg_buf_addf(page->out, "%" PRIu64 " ms", ms);
    else if (ms < 60000)
        mg_buf_addf(page->out, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms / 100 % 10);
    else if (ms < 3600000)
        mg_buf_addf(page->out, "%" PRIu64 " min %" PRIu64 " s", ms / 60000, ms / 1000 % 60);
    else
        mg_buf_addf(page->out, "%" PRIu64 " h %" PRIu64 " min", ms / 3600000, ms / 60000 % 60);
}

const char *mg_page_verdict(mg_verdict verdict)
{
    if (verdict == MG_VERDICT_MET)
        return "good";
    return verdict == MG_VERDICT_NOT_MET ? "bad" : "open";
}

const char *mg_page_outcome(mg_outcome outcome)
{
    if (outcome == MG_OUTCOME_PASS)
        return "good";
    return outcome == MG_OUTCOME_FAIL ? "bad" : "open";
}

bool mg_page_shows(size_t index, size_t count, size_t most)
{
    const size_t first = most / 5; /* how it began; the rest for how it ended */
    return count <= most || index < first || index >= count - (most - first);
}

/* --- The timeline: each attempt where and as wide as it was in time --- */

void mg_page_timeline(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    if (p->attempt_count == 0)
        return;
    const mg_attempt *last = &p->attempts[p->attempt_count - 1];
    const int64_t begin = MG_MIN(p->created_ms, p->attempts[0].started_ms);
    const int64_t end = MG_MAX(
        p->finished_ms, last->started_ms + (int64_t)MG_MIN(last->duration_ms, INT64_MAX / 4));
    const double whole = end > begin ? (double)(end - begin) : 1;
    mg_buf_adds(page->out, "<h2>Timeline</h2>\n<div class=\"timeline\">\n");
    for (size_t i = 0; i < p->attempt_count; i++) {
        const mg_attempt *a = &p->attempts[i];
        const double left = (double)(a->started_ms - begin) / whole * 100;
        const double width = (double)a->duration_ms / whole * 100;
        if (!mg_page_shows(i, p->attempt_count, MG_PAGE_ATTEMPTS))
            continue;
        mg_buf_addf(page->out,
                    "<a class=\"bar %s\" href=\"#attempt-%u\" style=\"left:%.3f%%;width:%.3f%%\" "
                    "title=\"attempt %u: %s\">%u</a>\n",
                    mg_page_verdict(a->verdict), a->number, MG_MAX(0.0, MG_MIN(left, 99.5)),
                    MG_MAX(0.0, MG_MIN(width, 100.0)), a->number,
                    mg_attempt_judged(a) ? mg_attempt_label(a) : "cancelled, not judged",
                    a->number);
    }
    mg_buf_adds(page->out, "</div>\n<div class=\"axis\"><span>");
    mg_page_text(page, mg_time_rfc3339(page->scratch, begin));
    mg_buf_adds(page->out, "</span><span>");
    mg_page_time(page, (uint64_t)(end - begin));
    mg_buf_adds(page->out, "</span></div>\n");
}

/* --- The matrix: every entry against every attempt --- */

/* The results that name the rows: of the baseline, or of the first attempt that has any. */
static mg_look row_names(const mg_pursuit *p)
{
    mg_look look = {.results = p->baseline, .count = p->baseline_count};
    for (size_t i = 0; i < p->attempt_count && look.count == 0; i++)
        look = (mg_look){.results = p->attempts[i].results, .count = p->attempts[i].result_count};
    return look;
}

/* Missing is unknown: an entry that was not looked at holds nothing. */
static void put_cell(const mg_page *page, const mg_result *results, size_t count, size_t row)
{
    static const char *const marks[] = {
        [MG_OUTCOME_UNKNOWN] = "?",
        [MG_OUTCOME_PASS] = "&#10003;",
        [MG_OUTCOME_FAIL] = "&#10007;",
    };
    const mg_result *r = row < count ? &results[row] : NULL;
    const mg_outcome outcome =
        r != NULL && (size_t)r->outcome < MG_COUNT(marks) ? r->outcome : MG_OUTCOME_UNKNOWN;
    mg_buf_addf(page->out, "<td class=\"%s\" title=\"", mg_page_outcome(outcome));
    mg_page_text(page, r == NULL             ? MG_STR("was not looked at")
                       : r->observed.len > 0 ? r->observed
                                             : r->message);
    mg_buf_addf(page->out, "\">%s</td>", marks[outcome]);
}

static void put_row(const mg_page *page, const mg_result *name, size_t row)
{
    const mg_pursuit *p = page->pursuit;
    mg_buf_adds(page->out, "<tr><th scope=\"row\">");
    mg_page_text(page, name->name);
    if (name->invariant)
        mg_buf_adds(page->out, " <span class=\"note\">(invariant)</span>");
    mg_buf_adds(page->out, "</th>");
    put_cell(page, p->baseline, p->baseline_count, row);
    for (size_t i = 0; i < p->attempt_count; i++)
        if (mg_page_shows(i, p->attempt_count, MG_PAGE_COLUMNS))
            put_cell(page, p->attempts[i].results, p->attempts[i].result_count, row);
    mg_buf_adds(page->out, "</tr>\n");
}

void mg_page_matrix(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    const mg_look rows = row_names(p);
    if (rows.count == 0)
        return;
    mg_buf_adds(page->out, "<h2>What holds, attempt by attempt</h2>\n<div class=\"scroll\">"
                           "<table class=\"matrix\">\n<thead><tr><th>entry</th><th>before</th>");
    for (size_t i = 0; i < p->attempt_count; i++)
        if (mg_page_shows(i, p->attempt_count, MG_PAGE_COLUMNS))
            mg_buf_addf(page->out, "<th>%u</th>", p->attempts[i].number);
    mg_buf_adds(page->out, "</tr></thead>\n<tbody>\n");
    for (size_t row = 0; row < MG_MIN(rows.count, (size_t)MG_PAGE_ENTRIES); row++)
        put_row(page, &rows.results[row], row);
    mg_buf_adds(page->out, "</tbody></table></div>\n");
    if (rows.count > MG_PAGE_ENTRIES)
        mg_buf_addf(page->out, "<p class=\"note\">%zu more entries are not shown.</p>\n",
                    rows.count - MG_PAGE_ENTRIES);
    if (p->attempt_count > MG_PAGE_COLUMNS)
        mg_buf_addf(page->out,
                    "<p class=\"note\">%zu attempts between the first and the last ones are not "
                    "shown.</p>\n",
                    p->attempt_count - MG_PAGE_COLUMNS);
}
