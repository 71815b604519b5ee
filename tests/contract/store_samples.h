/* store_samples.h - made-up loops for the tests and the bench of stores. */
#ifndef MG_TESTS_STORE_SAMPLES_H
#define MG_TESTS_STORE_SAMPLES_H

#include "store/kinds.h"

#include <unistd.h>

static const int64_t sample_now = 1763171403120;

/* Nobody: a process that was alive at another boot. */
static inline mg_owner dead_owner(void)
{
    return (mg_owner){
        .boot = MG_STR("00000000-0000-0000-0000-000000000000"), .pid = 1, .started = 1};
}

static inline mg_pursuit sample_loop(mg_arena *arena, const char *scope)
{
    mg_str id = {0};
    mg_err err;
    if (mg_id_new(arena, sample_now, &id, &err) != MG_OK)
        abort();
    return (mg_pursuit){
        .id = id,
        .user = MG_STR("1000"),
        .root = MG_STR("/home/me/site"),
        .scope = mg_str_of(scope),
        .goal = MG_STR("Change the background to dark green."),
        .goal_file = MG_STR("makegood.yaml"),
        .frozen = MG_STR("version: 1\nassert:\n  - file_exists: index.html\n"),
        .frozen_sha256 = MG_STR("0123456789abcdef"),
        .request = MG_STR("{\"agent\":\"claude\"}"),
        .agent = MG_STR("claude"),
        .status = MG_PURSUIT_RUNNING,
        .created_ms = sample_now,
        .budget =
            {.attempts = 5, .time_ms = 3600000, .tokens = 7, .cost_usd = 2.5, .stagnation = 3},
    };
}

static inline mg_attempt sample_attempt(mg_arena *arena, uint32_t number, mg_verdict verdict)
{
    mg_result *rows = mg_new_array(arena, mg_result, 2);
    for (size_t i = 0; i < 2; i++)
        rows[i] = (mg_result){
            .outcome = verdict == MG_VERDICT_MET ? MG_OUTCOME_PASS : MG_OUTCOME_FAIL,
            .kind = "file_contains",
            .name = MG_STR("file_contains style.css"),
            .message = MG_STR("'style.css' does not match"),
            .expected = MG_STR("a match of 'background: darkgreen'"),
            .observed = MG_STR("no match in 120 bytes"),
            .tries = 1,
            .duration_us = 120,
        };
    return (mg_attempt){
        .number = number,
        .started_ms = sample_now + number,
        .duration_ms = 1200,
        .terminal = MG_TERMINAL_COMPLETED,
        .counted = true,
        .status = verdict == MG_VERDICT_MET ? MG_ATTEMPT_SUCCESS : MG_ATTEMPT_FAILED,
        .verdict = verdict,
        .tier = 1,
        .reason = verdict == MG_VERDICT_MET ? "assertions_hold" : "assertion_failed",
        .results = rows,
        .result_count = 2,
        .gap = {"no_mutations", MG_STR("Nothing was changed."),
                MG_STR("Nothing was changed.\n\nstyle.css: expected darkgreen")},
        .response = MG_STR("Done! The background is now dark green."),
    };
}

/* Ended as one that met its goal in its last attempt. */
static inline void sample_success(mg_arena *arena, mg_pursuit *loop, uint32_t number)
{
    loop->attempts = mg_new(arena, mg_attempt);
    loop->attempts[0] = sample_attempt(arena, number, MG_VERDICT_MET);
    loop->attempt_count = 1;
    loop->status = MG_PURSUIT_SUCCEEDED;
    loop->reason = MG_WHY_GOAL_MET;
    loop->verified = true;
    loop->last = MG_VERDICT_MET;
    loop->finished_ms = sample_now + 9000;
}

#endif
