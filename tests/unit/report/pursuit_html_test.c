/* The page about a loop: whole in itself, harmless, honest, and bounded. */
#include "report/pursuits.h"
#include "test.h"

#include <stdlib.h>

static mg_str page_of(test *t, const mg_pursuit *p)
{
    mg_buf out = mg_buf_new(t->arena, 16u << 20);
    mg_pursuit_html(p, "1.2.3", t->arena, &out);
    EXPECT_OK(mg_buf_ok(&out, "the page", &t->err));
    /* MG_PAGE_OUT=DIR keeps the pages, to be looked at in a browser. */
    const char *keep = getenv("MG_PAGE_OUT");
    if (keep != NULL)
        EXPECT_OK(mg_file_replace(mg_strf(t->arena, "%s/%zu-%s.html", keep, p->attempt_count,
                                          mg_pursuit_status_name(p->status))
                                      .ptr,
                                  mg_buf_str(&out), &t->err));
    return mg_buf_str(&out);
}

TEST(the_page_tells_the_whole_story)
{
    const mg_pursuit p = pursuit_sample(t->arena);
    const mg_str page = page_of(t, &p);
    static const char *const parts[] = {
        "<!DOCTYPE html>",
        "The goal holds, verified",
        "Change the background to dark green.",
        "Timeline",
        "id=\"attempt-3\" open",
        "the style sheet makes it dark green",
        "src/part-2/",
        "+2</span>",
        "160 B",
        "no_mutations",
        "a claim, not evidence",
        "version: 1",
        "$0.21",
    };
    for (size_t i = 0; i < MG_COUNT(parts); i++)
        EXPECT_CONTAINS(page, parts[i]);
}

TEST(nothing_is_fetched_and_nothing_runs)
{
    const mg_pursuit p = pursuit_hostile(t->arena);
    const mg_str page = page_of(t, &p);
    static const char *const never[] = {"<script", "http://", "https://", "<img",   "<link",
                                        "url(",    "<b>&amp", "@import",  "onclick"};
    for (size_t i = 0; i < MG_COUNT(never); i++)
        EXPECT(!mg_str_has(page, never[i]));
    EXPECT_CONTAINS(page, "default-src 'none'");
    EXPECT_CONTAINS(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    for (size_t i = 0; i < page.len; i++)
        EXPECT(page.ptr[i] == '\n' || (unsigned char)page.ptr[i] >= 0x20);
}

TEST(a_success_that_nothing_proves_is_not_shown_as_one)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.verified = false;
    const mg_str page = page_of(t, &p);
    EXPECT(!mg_str_has(page, "The goal holds"));
    EXPECT_CONTAINS(page, "badge big open\">Not verified");
    const mg_pursuit nothing = {0};
    EXPECT(!mg_str_has(page_of(t, &nothing), "badge big good"));
}

/* An entry that was not looked at in an attempt must not look green there. */
TEST(a_cell_without_a_result_is_unknown)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.attempts[1].results = NULL;
    p.attempts[1].result_count = 0;
    EXPECT_CONTAINS(page_of(t, &p), "<td class=\"open\" title=\"was not looked at\">?</td>");
}

TEST(ten_thousand_files_and_a_thousand_attempts_are_cut_with_a_note)
{
    mg_pursuit p = pursuit_sample(t->arena);
    mg_attempt *all = mg_new_array(t->arena, mg_attempt, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        all[i] = pursuit_attempt(t->arena, i + 1, "+---+", MG_VERDICT_NOT_MET, MG_ATTEMPT_FAILED,
                                 "assertion_failed");
    all[999] = p.attempts[2];
    all[999].number = 1000;
    pursuit_changes(t->arena, &all[999], 10000);
    p.attempts = all;
    p.attempt_count = p.attempt_total = 1000;
    const mg_str page = page_of(t, &p);
    EXPECT_CONTAINS(page, "9800 more changed files are not shown");
    EXPECT_CONTAINS(page, "900 attempts are not shown here");
    EXPECT_CONTAINS(page, "id=\"attempt-1000\" open");
    EXPECT(page.len < 2u << 20);
}

TEST(a_loop_that_gave_up_before_its_first_attempt_has_a_page_too)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.attempt_count = p.attempt_total = 0;
    p.status = MG_PURSUIT_GAVE_UP;
    p.reason = MG_WHY_UNVERIFIABLE;
    p.verified = false;
    p.last = MG_VERDICT_UNKNOWN;
    p.message = MG_STR("Nothing in the goal can prove it; add an entry about the world.");
    const mg_str page = page_of(t, &p);
    EXPECT_CONTAINS(page, "Gave up: nothing is proved");
    EXPECT_CONTAINS(page, "add an entry about the world");
}

TEST(a_cancelled_attempt_is_not_judged_on_the_page_either)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.status = MG_PURSUIT_CANCELLED;
    p.verified = false;
    p.attempt_count = p.attempt_total = 1;
    p.attempts[0] =
        (mg_attempt){.number = 1, .terminal = MG_TERMINAL_CANCELLED, .reason = "cancelled"};
    const mg_str page = page_of(t, &p);
    EXPECT_CONTAINS(page, "Cancelled: the goal was not judged");
    EXPECT_CONTAINS(page, "cancelled, not judged");
    EXPECT(!mg_str_has(page, "0 of 0 hold") && !mg_str_has(page, "Nothing changed"));
}

TEST(the_page_says_whether_tampering_was_undone)
{
    mg_pursuit p = pursuit_sample(t->arena);
    mg_attempt *last = &p.attempts[2];
    mg_strs_add(t->arena, &last->tampered, MG_STR("tests/run.sh"));
    EXPECT_CONTAINS(page_of(t, &p), "could not be put back");
    last->restored = true;
    EXPECT(!mg_str_has(page_of(t, &p), "could not be put back"));
    EXPECT_CONTAINS(page_of(t, &p), "everything protected is as it was again");
}
