/* page_attempt.c - one attempt on the page: what it changed, what is missing, what it was told. */
#include "report/page.h"

#include <inttypes.h>

/* "1,234" would be nicer; what a program cannot misread is better. */
static void put_size(const mg_page *page, int64_t bytes)
{
    if (bytes < 0)
        mg_buf_adds(page->out, "&ndash;");
    else if (bytes < 10000)
        mg_buf_addf(page->out, "%" PRId64 " B", bytes);
    else if (bytes < 10000000)
        mg_buf_addf(page->out, "%" PRId64 " KiB", bytes / 1024);
    else
        mg_buf_addf(page->out, "%" PRId64 " MiB", bytes / 1048576);
}

static void put_lines(const mg_page *page, const mg_change *c)
{
    mg_buf_adds(page->out, "<td class=\"num\">");
    if (c->lines_added >= 0 && c->lines_deleted >= 0)
        mg_buf_addf(page->out,
                    "<span class=\"good\">+%" PRId64 "</span> <span class=\"bad\">&minus;%" PRId64
                    "</span>",
                    c->lines_added, c->lines_deleted);
    else
        mg_buf_adds(page->out, "&ndash;");
    mg_buf_adds(page->out, "</td>");
}

static void put_change(const mg_page *page, const mg_change *c)
{
    mg_buf_adds(page->out, "<tr><td class=\"path\">");
    if (c->old_path.len > 0) {
        mg_page_text(page, c->old_path);
        mg_buf_adds(page->out, " &rarr; ");
    }
    mg_page_text(page, c->path);
    mg_buf_addf(page->out, "</td><td>%s%s</td><td class=\"num\">", mg_change_name(c->type),
                c->no_op ? ", same content" : "");
    put_size(page, c->size_before);
    mg_buf_adds(page->out, " &rarr; ");
    put_size(page, c->size_after);
    mg_buf_adds(page->out, "</td>");
    put_lines(page, c);
    mg_buf_adds(page->out, "</tr>\n");
}

static void put_changes(const mg_page *page, const mg_attempt *a)
{
    if (a->changes.count == 0 && !mg_attempt_judged(a))
        return; /* nobody may have looked */
    mg_buf_adds(page->out, "<h3>Changed files</h3>\n");
    if (a->changes.count == 0) {
        mg_buf_adds(page->out, "<p class=\"plain\">Nothing changed.</p>\n");
        return;
    }
    mg_buf_adds(page->out, "<div class=\"scroll\"><table>\n<thead><tr><th>path</th><th>change</th>"
                           "<th class=\"num\">size</th><th class=\"num\">lines</th></tr></thead>\n"
                           "<tbody>\n");
    for (size_t i = 0; i < MG_MIN(a->changes.count, (size_t)MG_PAGE_FILES); i++)
        put_change(page, &a->changes.items[i]);
    mg_buf_adds(page->out, "</tbody></table></div>\n");
    if (a->changes.count > MG_PAGE_FILES)
        mg_buf_addf(page->out,
                    "<p class=\"note\">%zu more changed files are not shown; "
                    "<code>makegood loop show --format json</code> lists all of them.</p>\n",
                    a->changes.count - MG_PAGE_FILES);
}

static void put_labelled(const mg_page *page, const char *label, mg_str text)
{
    if (text.len == 0)
        return;
    mg_buf_addf(page->out, "<dt>%s</dt><dd>", label);
    mg_page_text(page, text);
    mg_buf_adds(page->out, "</dd>");
}

static void put_missing(const mg_page *page, const mg_attempt *a)
{
    size_t missing = 0, shown = 0;
    for (size_t i = 0; i < a->result_count; i++)
        missing += a->results[i].outcome != MG_OUTCOME_PASS;
    if (missing == 0)
        return;
    mg_buf_adds(page->out, "<h3>Does not hold</h3>\n<ul class=\"entries\">\n");
    for (size_t i = 0; i < a->result_count && shown < MG_PAGE_ENTRIES; i++) {
        const mg_result *r = &a->results[i];
        if (r->outcome == MG_OUTCOME_PASS)
            continue;
        shown++;
        mg_buf_addf(page->out, "<li class=\"%s\">", mg_page_outcome(r->outcome));
        mg_page_text(page, r->name);
        mg_buf_adds(page->out, r->outcome == MG_OUTCOME_FAIL
                                   ? "<dl class=\"facts\">"
                                   : " <span class=\"note\">(unknown)</span><dl class=\"facts\">");
        put_labelled(page, "expected", r->expected);
        put_labelled(page, "observed", r->observed);
        if (r->observed.len == 0)
            put_labelled(page, "because", r->message);
        put_labelled(page, "to fix", r->recovery);
        mg_buf_adds(page->out, "</dl></li>\n");
    }
    mg_buf_adds(page->out, "</ul>\n");
    if (missing > shown)
        mg_buf_addf(page->out, "<p class=\"note\">And %zu more.</p>\n", missing - shown);
}

static void put_finding(const mg_page *page, const mg_finding *f)
{
    mg_str rest = mg_str_trim(f->message), line;
    if (f->path.len > 0) {
        mg_page_text(page, f->path);
        mg_buf_adds(page->out, ": ");
    }
    for (bool first = true; mg_str_split(&rest, '\n', &line); first = false) {
        mg_buf_adds(page->out, first ? "" : "<br>");
        mg_page_text(page, line);
    }
}

static void put_findings(const mg_page *page, const mg_attempt *a)
{
    if (a->findings.count + a->tampered.count == 0)
        return;
    mg_buf_adds(page->out, "<h3>Findings</h3>\n<ul class=\"entries\">\n");
    for (size_t i = 0; i < MG_MIN(a->tampered.count, (size_t)MG_PAGE_FILES); i++) {
        mg_buf_adds(page->out, "<li class=\"bad\"><b>tampered</b> ");
        mg_page_text(page, a->tampered.items[i]);
        mg_buf_adds(page->out,
                    a->restored
                        ? " is protected and was changed; everything protected is as it was "
                          "again.</li>\n"
                        : " is protected and was changed, <b>and it could not be put back</b>."
                          "</li>\n");
    }
    for (size_t i = 0; i < MG_MIN(a->findings.count, (size_t)MG_PAGE_FILES); i++) {
        const mg_finding *f = &a->findings.items[i];
        mg_buf_addf(page->out, "<li class=\"%s\"><b>%s</b> ",
                    f->level == MG_LEVEL_HIGH ? "bad" : "open", mg_level_name(f->level));
        put_finding(page, f);
        mg_buf_adds(page->out, "</li>\n");
    }
    mg_buf_adds(page->out, "</ul>\n");
}

static void put_facts(const mg_page *page, const mg_attempt *a)
{
    mg_arena *scratch = page->scratch;
    mg_buf_adds(page->out, "<dl class=\"facts\">");
    put_labelled(page, "ended",
                 mg_strf(scratch, "%s%s", mg_terminal_name(a->terminal),
                         a->watched ? ", stopped because the goal was seen to hold" : ""));
    put_labelled(page, "verdict",
                 mg_strf(scratch, "%s (%s)",
                         mg_attempt_judged(a) ? mg_verdict_name(a->verdict) : "not judged",
                         a->reason != NULL ? a->reason : "no reason"));
    if (mg_attempt_judged(a))
        put_labelled(page, "did anything",
                     a->goal_actions_executed ? MG_STR("yes, something changed")
                                              : MG_STR("no, the world is as it was before"));
    if (a->has_exit)
        put_labelled(page, "exit code", mg_strf(scratch, "%" PRId64, a->exit_code));
    if (a->usage.tokens_known)
        put_labelled(page, "tokens",
                     mg_strf(scratch, "%" PRId64 " in, %" PRId64 " out", a->usage.input_tokens,
                             a->usage.output_tokens));
    if (a->usage.cost_known)
        put_labelled(page, "cost", mg_strf(scratch, "$%.4f", a->usage.cost_usd));
    if (a->leftovers > 0)
        put_labelled(page, "left running",
                     mg_strf(scratch, "%u processes, which were ended", a->leftovers));
    if (!a->counted)
        put_labelled(page, "counted", MG_STR("no, not against the budget"));
    put_labelled(page, "error", a->error);
    put_labelled(page, "note", a->note);
    mg_buf_adds(page->out, "</dl>\n");
}

static void put_attempt(const mg_page *page, const mg_attempt *a, bool last)
{
    size_t holding = 0;
    for (size_t i = 0; i < a->result_count; i++)
        holding += a->results[i].outcome == MG_OUTCOME_PASS;
    const size_t changed = mg_attempt_changed(a);
    mg_buf_addf(page->out,
                "<details class=\"attempt\" id=\"attempt-%u\"%s><summary><b>Attempt %u</b>"
                "<span class=\"badge %s\">%s</span><span class=\"what\">%s</span>"
                "<span class=\"right\">",
                a->number, last ? " open" : "", a->number, mg_page_verdict(a->verdict),
                mg_attempt_status_name(a->status),
                mg_attempt_judged(a) ? mg_attempt_label(a) : "cancelled, not judged");
    if (mg_attempt_judged(a))
        mg_buf_addf(page->out, "%zu of %zu hold &middot; ", holding, a->result_count);
    if (changed == 0 && mg_attempt_judged(a))
        mg_buf_adds(page->out, "nothing changed &middot; ");
    else if (changed > 0)
        mg_buf_addf(page->out, "%zu %s changed &middot; ", changed,
                    changed == 1 ? "file" : "files");
    mg_page_time(page, a->duration_ms);
    mg_buf_adds(page->out, "</span>");
    if (a->gap.detector != NULL) {
        mg_buf_adds(page->out, "<span class=\"missing\">");
        mg_page_text(page, a->gap.headline);
        mg_buf_adds(page->out, "</span>");
    }
    mg_buf_adds(page->out, "</summary>\n<div class=\"inside\">\n");
    put_facts(page, a);
    put_changes(page, a);
    put_findings(page, a);
    put_missing(page, a);
    if (a->gap.detector != NULL) {
        mg_buf_addf(page->out, "<h3>What the next attempt is told (%s)</h3>\n", a->gap.detector);
        mg_page_block(page, a->gap.text);
    }
    if (a->response.len > 0) {
        mg_buf_adds(page->out, "<h3>What the agent said: a claim, not evidence</h3>\n");
        mg_page_block(page, a->response);
    }
    mg_buf_adds(page->out, "</div></details>\n");
}

void mg_page_attempts(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    if (p->attempt_count == 0)
        return;
    mg_buf_adds(page->out, "<h2>Attempts</h2>\n");
    bool skipped = false;
    for (size_t i = 0; i < p->attempt_count; i++) {
        if (mg_page_shows(i, p->attempt_count, MG_PAGE_ATTEMPTS))
            put_attempt(page, &p->attempts[i], i + 1 == p->attempt_count);
        else if (!skipped)
            mg_buf_addf(page->out,
                        "<p class=\"note\">%zu attempts are not shown here; <code>makegood loop "
                        "show --format json</code> has all of them.</p>\n",
                        p->attempt_count - MG_PAGE_ATTEMPTS);
        skipped = skipped || !mg_page_shows(i, p->attempt_count, MG_PAGE_ATTEMPTS);
    }
}
