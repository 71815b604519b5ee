/* A loop as text: what happened, and never more success than was seen. */
#include "report/pursuits.h"
#include "test.h"

static mg_str text_of(test *t, const mg_pursuit *p, mg_report_style style)
{
    mg_buf out = mg_buf_new(t->arena, 8u << 20);
    mg_pursuit_text(p, &style, t->arena, &out);
    return mg_buf_str(&out);
}

TEST(a_loop_that_holds_says_so_on_its_last_line)
{
    const mg_pursuit p = pursuit_sample(t->arena);
    const mg_str text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "goal: Change the background to dark green.");
    EXPECT_CONTAINS(text, "max_iterations");
    EXPECT_CONTAINS(text, "3 files +6 -3");
    EXPECT_CONTAINS(text,
                    "makegood: succeeded, verified (goal_met) - 5 of 5 hold after 3 attempts");
    EXPECT_CONTAINS(text, "$0.21");
    EXPECT(!mg_str_has(text, "FAIL"));
}

TEST(columns_stand_under_their_heads)
{
    const mg_pursuit p = pursuit_sample(t->arena);
    mg_str rest = text_of(t, &p, (mg_report_style){0}), line;
    size_t verdict = 0, seen = 0;
    while (mg_str_split(&rest, '\n', &line)) {
        if (mg_str_starts(line, "  attempt"))
            verdict = (size_t)((const char *)memmem(line.ptr, line.len, "verdict", 7) - line.ptr);
        const bool row = verdict > 0 && line.len > verdict && line.ptr[2] >= '1' &&
                         line.ptr[2] <= '3' && line.ptr[3] == ' ';
        if (row)
            EXPECT(mg_str_starts(mg_str_from(line, verdict), seen < 2 ? "not met" : "met"));
        seen += row;
    }
    EXPECT_EQ(3, seen);
}

TEST(what_is_missing_is_told_in_full)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.attempt_count = p.attempt_total = 2;
    p.status = MG_PURSUIT_GAVE_UP;
    p.reason = MG_WHY_ATTEMPTS_EXHAUSTED;
    p.verified = false;
    p.last = MG_VERDICT_NOT_MET;
    p.message = MG_STR("Give it more attempts.");
    const mg_str text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "FAIL     the style sheet makes it dark green");
    EXPECT_CONTAINS(text, "no match in 11 lines");
    EXPECT_CONTAINS(text, "makegood.yaml:13");
    EXPECT_CONTAINS(text, "gave up, the goal is not met (attempts_exhausted) - 3 of 5 hold");
    EXPECT_CONTAINS(text, "next: Give it more attempts.");
}

/* Whatever the store says: without proof the word is another one. */
TEST(a_success_that_nothing_proves_is_not_called_one)
{
    for (int way = 0; way < 5; way++) {
        mg_pursuit p = pursuit_sample(t->arena);
        p.verified = way != 0;
        p.last = way == 1 ? MG_VERDICT_UNKNOWN : MG_VERDICT_MET;
        if (way == 2)
            p.attempts[2].verdict = MG_VERDICT_NOT_MET;
        if (way == 3)
            p.reason = MG_WHY_NONE;
        if (way == 4)
            p.status = (mg_pursuit_status)77;
        const mg_str text = text_of(t, &p, (mg_report_style){.color = true});
        EXPECT(!mg_str_has(text, "succeeded"));
        EXPECT(!mg_str_has(text, ", verified"));
        EXPECT(!mg_str_has(text, "\x1b[1;32m"));
    }
    const mg_pursuit nothing = {0};
    EXPECT_CONTAINS(text_of(t, &nothing, (mg_report_style){0}), "makegood: queued");
}

TEST(foreign_text_cannot_steer_the_terminal)
{
    const mg_pursuit p = pursuit_hostile(t->arena);
    const mg_str text = text_of(t, &p, (mg_report_style){0});
    for (size_t i = 0; i < text.len; i++)
        EXPECT(text.ptr[i] == '\n' || (unsigned char)text.ptr[i] >= 0x20);
    EXPECT(!mg_str_has(text, "\nok 99"));
}

TEST(quiet_shows_what_is_wrong_and_the_end)
{
    mg_pursuit p = pursuit_sample(t->arena);
    const mg_str text = text_of(t, &p, (mg_report_style){.quiet = true});
    EXPECT(!mg_str_has(text, "goal:") && !mg_str_has(text, "attempt  "));
    EXPECT_CONTAINS(text, "makegood: succeeded, verified");
}

TEST(ten_thousand_changed_files_are_a_few_lines)
{
    mg_pursuit p = pursuit_sample(t->arena);
    pursuit_changes(t->arena, &p.attempts[2], 10000);
    const mg_str text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "and 9970 more");
    EXPECT(text.len < 20000);
}

TEST(a_list_tells_loops_apart)
{
    mg_pursuit all[2] = {pursuit_sample(t->arena), pursuit_sample(t->arena)};
    all[1].id = MG_STR("019a85c4-1a2f-7c3d-8e4f-5a6b7c8d9e0f");
    all[1].status = MG_PURSUIT_RUNNING;
    all[1].reason = MG_WHY_NONE;
    all[1].stale = true;
    mg_buf out = mg_buf_new(t->arena, 1u << 20);
    mg_pursuits_text(all, 2, all[0].created_ms + 7200000, &(mg_report_style){0}, t->arena, &out);
    EXPECT_CONTAINS(mg_buf_str(&out), "019a85c4-1a2b  succeeded  goal_met");
    EXPECT_CONTAINS(mg_buf_str(&out), "019a85c4-1a2f  stale ");
    EXPECT_CONTAINS(mg_buf_str(&out), "2h ");
}

TEST(a_cancelled_attempt_is_not_judged_by_what_was_before)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.status = MG_PURSUIT_CANCELLED;
    p.reason = MG_WHY_CANCELLED;
    p.verified = false;
    p.last = MG_VERDICT_NOT_MET;
    p.attempt_count = p.attempt_total = 1;
    p.attempts[0] =
        (mg_attempt){.number = 1, .terminal = MG_TERMINAL_CANCELLED, .reason = "cancelled"};
    mg_str text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "not judged");
    EXPECT_CONTAINS(text, "before any attempt:\n  ok ");
    EXPECT_CONTAINS(text, "makegood: cancelled; the goal was not judged - 1 attempt");
    EXPECT(!mg_str_has(text, "not met") && !mg_str_has(text, " hold after"));
    EXPECT(!mg_str_has(text_of(t, &p, (mg_report_style){.quiet = true}), "FAIL"));
    p.attempts[1] = p.attempts[0];
    p.attempts[0] = pursuit_sample(t->arena).attempts[0];
    p.attempts[1].number = 2;
    p.attempt_count = p.attempt_total = 2;
    text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "after attempt 1:\n");
}

TEST(tampering_is_undone_only_where_that_was_seen)
{
    mg_pursuit p = pursuit_sample(t->arena);
    mg_attempt *last = &p.attempts[2];
    mg_strs_add(t->arena, &last->tampered, MG_STR("tests/run.sh"));
    last->restored = true;
    EXPECT_CONTAINS(text_of(t, &p, (mg_report_style){0}),
                    "tampered: 'tests/run.sh' is protected and was changed; everything protected "
                    "is as it was again\n");
    last->restored = false;
    EXPECT_CONTAINS(text_of(t, &p, (mg_report_style){0}), "and it could not be put back");
    EXPECT_CONTAINS(text_of(t, &p, (mg_report_style){.color = true}), "\x1b[31m");
}

TEST(findings_of_one_rule_are_cut_and_those_of_others_are_not)
{
    mg_pursuit p = pursuit_sample(t->arena);
    mg_finding items[26];
    for (size_t i = 0; i < 25; i++)
        items[i] = (mg_finding){"empty_file", MG_LEVEL_HIGH, mg_strf(t->arena, "f%zu", i),
                                MG_STR("is empty")};
    items[25] = (mg_finding){"service", MG_LEVEL_MEDIUM, MG_STR(""), MG_STR("the service\nok 99")};
    p.attempts[2].findings = (mg_findings){items, 26, 26};
    const mg_str text = text_of(t, &p, (mg_report_style){0});
    EXPECT_CONTAINS(text, "finding: high: f19: is empty\n         and 5 more\n");
    EXPECT(!mg_str_has(text, "f20"));
    EXPECT_CONTAINS(text, "finding: medium: the service\n         ok 99\n");
}

TEST(a_loop_without_a_sentence_is_called_by_its_command)
{
    mg_pursuit p = pursuit_sample(t->arena);
    p.goal = p.goal_file = MG_STR("");
    p.frozen = MG_STR("{\"effect\":\"optional\",\"assert\":[{\"command_returns\":"
                      "{\"run\":\"make test\",\"timeout\":\"10m\"}}]}\n");
    mg_buf out = mg_buf_new(t->arena, 1u << 20);
    mg_pursuits_text(&p, 1, p.created_ms, &(mg_report_style){0}, t->arena, &out);
    EXPECT_CONTAINS(mg_buf_str(&out), "--until 'make test'");
    p.frozen = MG_STR("rubbish {");
    EXPECT_STR("", mg_pursuit_title(&p, t->arena));
}
