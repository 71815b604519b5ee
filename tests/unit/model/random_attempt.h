/* random_attempt.h - attempts made from a seed: what is written must be read back as it was. */
#ifndef MG_TESTS_RANDOM_ATTEMPT_H
#define MG_TESTS_RANDOM_ATTEMPT_H

#include "model/pursuit.h"

typedef struct dice {
    uint64_t state;
    mg_arena *arena;
} dice;

static inline uint64_t roll(dice *d, uint64_t sides) /* 0 to sides - 1; xorshift64* */
{
    d->state ^= d->state >> 12;
    d->state ^= d->state << 25;
    d->state ^= d->state >> 27;
    return (d->state * 2685821657736338717u >> 16) % sides;
}

static inline mg_str random_text(dice *d)
{
    static const mg_str pieces[] = {
        {"a", 1},     {"\"", 1},           {"\\", 1},   {"\n", 1},      {"\x1b[2J", 4},
        {"\0", 1},    {"\xc3\xa9", 2},     {"{}", 2},   {",", 1},       {"null", 4},
        {"\x7f", 1},  {"\xc2\x9b", 2},     {"/../", 4}, {"success", 7}, {"\xf0\x9f\x98\x80", 4},
        {"\t \r", 3}, {"\xe2\x80\xa8", 3},
    };
    mg_buf buf = mg_buf_new(d->arena, 4096);
    for (uint64_t n = roll(d, 12); n > 0; n--)
        mg_buf_add(&buf, pieces[roll(d, MG_COUNT(pieces))]);
    return mg_buf_str(&buf);
}

static inline const char *random_word(dice *d)
{
    static const char *const words[] = {NULL, "user", "assertions_hold", "tampered", "other"};
    return words[roll(d, MG_COUNT(words))];
}

static inline int64_t random_size(dice *d) /* -1 now and then */
{
    return (int64_t)(roll(d, 4) == 0 ? 0 : roll(d, UINT64_C(1) << (1 + roll(d, 47)))) -
           (roll(d, 3) == 0 ? 1 : 0);
}

static inline mg_result random_result(dice *d, unsigned depth)
{
    const mg_outcome outcome = (mg_outcome)roll(d, 3);
    mg_result r = {
        .outcome = outcome,
        .expected = random_text(d),
        .observed = random_text(d),
        .detail = random_text(d),
        .kind = "file_exists",
        .name = random_text(d),
        .message = random_text(d),
        .recovery = random_text(d),
        .line = (uint32_t)roll(d, 100),
        .invariant = roll(d, 2) == 0,
        .proves = outcome == MG_OUTCOME_PASS && roll(d, 2) == 0,
        .tries = 1 + (unsigned)roll(d, 3),
        .duration_us = roll(d, UINT64_C(1) << 40),
    };
    r.child_count = depth < 4 && roll(d, 3) == 0 ? roll(d, 3) : 0;
    r.children = r.child_count > 0 ? mg_new_array(d->arena, mg_result, r.child_count) : NULL;
    for (size_t i = 0; i < r.child_count; i++)
        r.children[i] = random_result(d, depth + 1);
    return r;
}

static inline void random_lists(dice *d, mg_attempt *a)
{
    a->changes.count = roll(d, 5);
    mg_change *changes = mg_new_array(d->arena, mg_change, a->changes.count + 1);
    for (size_t i = 0; i < a->changes.count; i++)
        changes[i] = (mg_change){.path = random_text(d),
                                 .old_path = random_text(d),
                                 .type = (mg_change_type)roll(d, MG_CHANGE_LINK + 1),
                                 .no_op = roll(d, 2) == 0,
                                 .size_before = random_size(d),
                                 .size_after = random_size(d),
                                 .lines_added = random_size(d),
                                 .lines_deleted = random_size(d)};
    a->changes.items = changes;
    a->changes_left_out = roll(d, 2) * roll(d, 100000);
    a->result_count = roll(d, 5);
    a->results = mg_new_array(d->arena, mg_result, a->result_count + 1);
    for (size_t i = 0; i < a->result_count; i++)
        a->results[i] = random_result(d, 0);
    a->findings.count = roll(d, 3);
    a->findings.items = mg_new_array(d->arena, mg_finding, a->findings.count + 1);
    for (size_t i = 0; i < a->findings.count; i++)
        a->findings.items[i] = (mg_finding){random_word(d), (mg_level)roll(d, MG_LEVEL_HIGH + 1),
                                            random_text(d), random_text(d)};
    for (uint64_t n = roll(d, 3); n > 0; n--)
        mg_strs_add(d->arena, &a->tampered, random_text(d));
    a->restored = a->tampered.count % 2 == 1;
}

static inline mg_attempt random_attempt(dice *d)
{
    const mg_verdict verdict = (mg_verdict)roll(d, 3);
    mg_attempt a = {
        .number = 1 + (uint32_t)roll(d, UINT32_MAX),
        .started_ms = (int64_t)roll(d, 4102444800000),
        .duration_ms = roll(d, UINT64_C(1) << 50),
        .terminal = (mg_terminal)roll(d, MG_TERMINAL_ERROR + 1),
        .watched = roll(d, 2) == 0,
        .counted = roll(d, 2) == 0,
        .verdict = verdict,
        .status = verdict == MG_VERDICT_MET       ? MG_ATTEMPT_SUCCESS
                  : verdict == MG_VERDICT_UNKNOWN ? MG_ATTEMPT_UNVERIFIED
                  : roll(d, 2) == 0               ? MG_ATTEMPT_PARTIAL
                                                  : MG_ATTEMPT_FAILED,
        .tier = (unsigned)roll(d, 3),
        .reason = random_word(d),
        .proved_by = random_word(d),
        .goal_actions_executed = roll(d, 2) == 0,
        .effect = roll(d, 2) == 0,
        .session = random_text(d),
        .response = random_text(d),
        .error = random_text(d),
        .note = random_text(d),
        .leftovers = (unsigned)roll(d, UINT32_MAX),
        .has_exit = roll(d, 2) == 0,
        .gap.detector = random_word(d),
    };
    a.exit_code = a.has_exit ? random_size(d) : 0;
    if (a.gap.detector != NULL)
        a.gap = (mg_gap){a.gap.detector, random_text(d), random_text(d)};
    if (roll(d, 2) == 0)
        a.usage = (mg_usage){.tokens_known = true,
                             .input_tokens = (int64_t)roll(d, 1u << 30),
                             .output_tokens = (int64_t)roll(d, 1u << 30)};
    if (roll(d, 2) == 0) {
        a.usage.cost_known = true;
        a.usage.cost_usd = (double)roll(d, 1u << 30) / 7919;
    }
    random_lists(d, &a);
    return a;
}

#endif
