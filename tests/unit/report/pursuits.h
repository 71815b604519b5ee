/* pursuits.h - made-up loops: what the text and the page of a loop are tried on. */
#ifndef MG_TESTS_REPORT_PURSUITS_H
#define MG_TESTS_REPORT_PURSUITS_H

#include "report/pursuit.h"
#include "report/samples.h"

static inline mg_result *pursuit_rows(mg_arena *arena, const char *outcomes)
{
    static const char *const names[] = {
        "the page uses the style sheet", "the style sheet makes it dark green",
        "no script paints over it", "the text can be read on it", "file_contains index.html"};
    mg_result *rows = mg_new_array(arena, mg_result, strlen(outcomes));
    for (size_t i = 0; outcomes[i] != '\0'; i++) {
        const mg_outcome outcome = outcomes[i] == '+'   ? MG_OUTCOME_PASS
                                   : outcomes[i] == '-' ? MG_OUTCOME_FAIL
                                                        : MG_OUTCOME_UNKNOWN;
        rows[i] =
            sample_row(outcome, "file_contains", names[i % MG_COUNT(names)], (uint32_t)(7 * i + 6));
        rows[i].invariant = i == 4;
        rows[i].expected = MG_STR("a match of 'background(-color)?:\\s*(darkgreen|#006400)'");
        rows[i].observed = outcome == MG_OUTCOME_PASS ? MG_STR("a match in line 6")
                                                      : MG_STR("no match in 11 lines");
        rows[i].message = rows[i].observed;
        if (outcome != MG_OUTCOME_PASS)
            rows[i].recovery = MG_STR("Set the background in the body rule of style.css.");
    }
    return rows;
}

static inline mg_attempt pursuit_attempt(mg_arena *arena, uint32_t number, const char *outcomes,
                                         mg_verdict verdict, mg_attempt_status status,
                                         const char *reason)
{
    return (mg_attempt){
        .number = number,
        .started_ms = 1763171403120 + (int64_t)number * 61000,
        .duration_ms = 42500 + number * 4000,
        .terminal = number == 1 ? MG_TERMINAL_MAX_ITERATIONS : MG_TERMINAL_COMPLETED,
        .counted = true,
        .status = status,
        .verdict = verdict,
        .tier = 1,
        .reason = reason,
        .results = pursuit_rows(arena, outcomes),
        .result_count = strlen(outcomes),
        .has_exit = true,
        .usage = {true, true, 12000, 900, 0.0712},
        .response = MG_STR("All done! The background is dark green now."),
        .gap = verdict == MG_VERDICT_MET
                   ? (mg_gap){0}
                   : (mg_gap){"no_mutations", MG_STR("nothing changed in this attempt"),
                              MG_STR("nothing changed in this attempt\n\nStill missing:\n- the "
                                     "style sheet makes it dark green")},
    };
}

static inline void pursuit_changes(mg_arena *arena, mg_attempt *a, size_t count)
{
    mg_change *items = mg_new_array(arena, mg_change, count);
    for (size_t i = 0; i < count; i++)
        items[i] = (mg_change){.path = mg_strf(arena, "src/part-%zu/style.css", i),
                               .type = MG_CHANGE_MODIFIED,
                               .size_before = 160,
                               .size_after = 171 + (int64_t)i,
                               .lines_added = 2,
                               .lines_deleted = 1};
    a->changes = (mg_changes){items, count};
    a->goal_actions_executed = count > 0;
}

/* Three attempts, the last of which does it. */
static inline mg_pursuit pursuit_sample(mg_arena *arena)
{
    mg_pursuit p = {
        .id = MG_STR("019a85c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f"),
        .user = MG_STR("1000"),
        .root = MG_STR("/home/ada/garden"),
        .goal = MG_STR("Change the background to dark green."),
        .goal_file = MG_STR("makegood.yaml"),
        .frozen = MG_STR("version: 1\ngoal: Change the background to dark green.\n"),
        .frozen_sha256 = MG_STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        .agent = MG_STR("claude"),
        .status = MG_PURSUIT_SUCCEEDED,
        .reason = MG_WHY_GOAL_MET,
        .verified = true,
        .last = MG_VERDICT_MET,
        .created_ms = 1763171403120 + 58000,
        .finished_ms = 1763171403120 + 240000,
        .budget = {.attempts = 5, .time_ms = 3600000, .stagnation = 3},
        .spent = {.attempts = 3, .time_ms = 182000, .usage = {true, true, 36000, 2700, 0.2136}},
        .baseline = pursuit_rows(arena, "+---+"),
        .baseline_count = 5,
        .attempts = mg_new_array(arena, mg_attempt, 3),
        .attempt_count = 3,
        .attempt_total = 3,
    };
    p.attempts[0] = pursuit_attempt(arena, 1, "+---+", MG_VERDICT_NOT_MET, MG_ATTEMPT_PARTIAL,
                                    "assertion_failed");
    p.attempts[1] = pursuit_attempt(arena, 2, "+-+?+", MG_VERDICT_NOT_MET, MG_ATTEMPT_PARTIAL,
                                    "assertion_failed");
    p.attempts[2] =
        pursuit_attempt(arena, 3, "+++++", MG_VERDICT_MET, MG_ATTEMPT_SUCCESS, "assertions_hold");
    pursuit_changes(arena, &p.attempts[1], 1);
    pursuit_changes(arena, &p.attempts[2], 3);
    return p;
}

/* Every text in it is hostile. */
static inline mg_pursuit pursuit_hostile(mg_arena *arena)
{
    mg_pursuit p = pursuit_sample(arena);
    p.id = p.user = p.root = p.goal = p.goal_file = p.frozen = p.frozen_sha256 = p.agent =
        p.message = hostile();
    mg_strs_add(arena, &p.warnings, hostile());
    for (size_t i = 0; i < p.attempt_count; i++) {
        mg_attempt *a = &p.attempts[i];
        a->response = a->error = a->note = a->session = hostile();
        a->gap = (mg_gap){"other", hostile(), hostile()};
        for (size_t k = 0; k < a->result_count; k++)
            a->results[k].name = a->results[k].expected = a->results[k].observed =
                a->results[k].recovery = a->results[k].message = hostile();
        mg_change *c = mg_new(arena, mg_change);
        *c = (mg_change){hostile(), hostile(), MG_CHANGE_RENAMED, false, -1, 1, -1, -1};
        a->changes = (mg_changes){c, 1};
        mg_strs_add(arena, &a->tampered, hostile());
        a->findings.items = mg_new(arena, mg_finding);
        a->findings.items[0] = (mg_finding){"empty_file", MG_LEVEL_HIGH, hostile(), hostile()};
        a->findings.count = 1;
    }
    return p;
}

#endif
