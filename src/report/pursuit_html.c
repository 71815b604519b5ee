/* pursuit_html.c - one page about a loop, whole in itself: no network, no script, light and dark.
 *
 * The policy in its head forbids everything but its own style, so even a text that slipped
 * through the escaping could neither run nor call home.
 */
#include "report/page.h"

#include "base/clock.h"

#include <inttypes.h>

static const char *class_of(const mg_pursuit *p)
{
    if (mg_pursuit_holds(p))
        return "good";
    const bool failed = p->status == MG_PURSUIT_ERRORED ||
                        (p->status == MG_PURSUIT_GAVE_UP && p->last == MG_VERDICT_NOT_MET);
    return failed ? "bad" : "open";
}

/* "Gave up: the goal is not met", never more than was seen. */
static const char *headline(const mg_pursuit *p)
{
    const mg_look look = mg_pursuit_last_look(p);
    if (mg_pursuit_holds(p))
        return p->reason == MG_WHY_ALREADY_MET ? "It held already, verified"
                                               : "The goal holds, verified";
    if (p->status == MG_PURSUIT_GAVE_UP)
        return p->last == MG_VERDICT_NOT_MET ? "Gave up: the goal is not met"
                                             : "Gave up: nothing is proved";
    if (p->status == MG_PURSUIT_ERRORED)
        return "Ended in an error";
    if (p->status == MG_PURSUIT_CANCELLED)
        return mg_look_is_current(p, &look) ? "Cancelled" : "Cancelled: the goal was not judged";
    return p->status == MG_PURSUIT_RUNNING ? "Still running" : "Not verified";
}

static void put_head(const mg_page *page, const char *version)
{
    mg_buf_addf(page->out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
                "<meta name=\"generator\" content=\"makegood %s\">\n<title>%s",
                version, headline(page->pursuit));
    if (page->pursuit->goal.len > 0) {
        mg_buf_adds(page->out, ": ");
        mg_page_text(page, page->pursuit->goal);
    }
    mg_buf_adds(page->out, "</title>\n<style>\n");
    for (size_t i = 0; mg_page_style[i] != NULL; i++)
        mg_buf_adds(page->out, mg_page_style[i]);
    mg_buf_adds(page->out, "</style>\n</head>\n<body>\n<main>\n");
}

static void put_cards(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    const mg_look look = mg_pursuit_last_look(p);
    size_t changed = 0;
    for (size_t i = 0; i < p->attempt_count; i++)
        changed += mg_attempt_changed(&p->attempts[i]);
    mg_buf_adds(page->out, "<dl class=\"cards\"><div><dt>entries that hold</dt><dd>");
    if (mg_look_is_current(p, &look))
        mg_buf_addf(page->out, "%zu <small>of %zu</small>", look.holding, look.count);
    else
        mg_buf_adds(page->out, "&ndash; <small>not judged</small>");
    mg_buf_addf(page->out,
                "</dd></div><div><dt>attempts</dt><dd>%zu <small>of %u</small></dd>"
                "</div><div><dt>time</dt><dd>",
                p->attempt_count, p->budget.attempts);
    mg_page_time(page, p->spent.time_ms);
    mg_buf_addf(page->out, "</dd></div><div><dt>changes to files</dt><dd>%zu</dd></div>", changed);
    if (p->spent.usage.cost_known)
        mg_buf_addf(page->out, "<div><dt>cost</dt><dd>$%.2f</dd></div>", p->spent.usage.cost_usd);
    if (p->spent.usage.tokens_known)
        mg_buf_addf(page->out, "<div><dt>tokens</dt><dd>%" PRId64 "</dd></div>",
                    p->spent.usage.input_tokens + p->spent.usage.output_tokens);
    mg_buf_adds(page->out, "</dl>\n");
}

static void put_header(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    const char *why = mg_why_name(p->reason);
    mg_buf_adds(page->out, "<header>\n<p class=\"brand\">makegood &middot; loop ");
    mg_page_text(page, p->id);
    mg_buf_adds(page->out, "</p>\n<h1>");
    const mg_str title = mg_pursuit_title(p, page->scratch);
    mg_page_text(page, title.len > 0 ? title : MG_STR("A goal without a sentence"));
    mg_buf_addf(page->out, "</h1>\n<span class=\"badge big %s\">%s</span>", class_of(p),
                headline(p));
    if (why != NULL)
        mg_buf_addf(page->out, " <span class=\"note\">%s</span>", why);
    if (p->message.len > 0) {
        mg_buf_adds(page->out, "\n<p class=\"next\">");
        mg_page_text(page, p->message);
        mg_buf_adds(page->out, "</p>");
    }
    mg_buf_addc(page->out, '\n');
    put_cards(page);
    mg_buf_adds(page->out, "</header>\n");
}

static void put_fact(const mg_page *page, const char *label, mg_str text)
{
    if (text.len == 0)
        return;
    mg_buf_addf(page->out, "<dt>%s</dt><dd>", label);
    mg_page_text(page, text);
    mg_buf_adds(page->out, "</dd>\n");
}

static void put_about(const mg_page *page)
{
    const mg_pursuit *p = page->pursuit;
    mg_buf_adds(page->out, "<h2>About this loop</h2>\n<dl class=\"facts\">\n");
    put_fact(page, "agent", p->agent);
    put_fact(page, "root", p->root);
    put_fact(page, "goal file", p->goal_file);
    put_fact(page, "goal, SHA-256", p->frozen_sha256);
    put_fact(page, "began", mg_time_rfc3339(page->scratch, p->created_ms));
    if (p->finished_ms > 0)
        put_fact(page, "ended", mg_time_rfc3339(page->scratch, p->finished_ms));
    for (size_t i = 0; i < MG_MIN(p->warnings.count, (size_t)MG_PAGE_ENTRIES); i++)
        put_fact(page, "warning", p->warnings.items[i]);
    mg_buf_adds(page->out, "</dl>\n");
    if (p->frozen.len > 0) {
        mg_buf_adds(page->out, "<h3>The goal as it was frozen</h3>\n");
        mg_page_block(page, p->frozen);
    }
}

void mg_pursuit_html(const mg_pursuit *pursuit, const char *version, mg_arena *scratch, mg_buf *out)
{
    const mg_page page = {pursuit, scratch, out};
    put_head(&page, version != NULL ? version : "");
    put_header(&page);
    mg_page_timeline(&page);
    mg_page_matrix(&page);
    mg_page_attempts(&page);
    put_about(&page);
    mg_buf_addf(out,
                "<footer>Written by makegood %s from what it saw itself. What an agent says of "
                "itself decides nothing here.</footer>\n</main>\n</body>\n</html>\n",
                version != NULL ? version : "");
}
