/* The table of src/judge/README.md row by row, and then over random evidence: nothing but row 5
 * says met. */
#include "judge/tier1.h"

#include "test.h"

static const mg_check_kind world = {.name = "file_contains"};
static const mg_check_kind word = {.name = "response_contains", .about_attempt = true};
static const mg_check_kind changed = {.name = "content_changed"};

static const mg_entry world_entry = {.kind = &world, .name = {"green", 5}};
static const mg_entry word_entry = {.kind = &word, .name = {"says done", 9}};
static const mg_entry changed_entry = {.kind = &changed, .name = {"changed", 7}};
static const mg_entry vacuous_entry = {.kind = &world, .name = {"true", 4}, .vacuous = "constant"};
static const mg_entry invariant_entry = {.kind = &world, .name = {"lint", 4}, .invariant = true};

static const mg_result pass = {.outcome = MG_OUTCOME_PASS, .proves = true};
static const mg_result word_pass = {.outcome = MG_OUTCOME_PASS};
static const mg_result fail = {.outcome = MG_OUTCOME_FAIL};
static const mg_result unknown = {.outcome = MG_OUTCOME_UNKNOWN};
static const mg_result invariant_pass = {
    .outcome = MG_OUTCOME_PASS, .proves = true, .invariant = true};

/* One world entry that was red and is green, with an effect: met. */
static const mg_entry *const one_entry[] = {&world_entry};
static const mg_facts good = {
    .results = &pass,
    .result_count = 1,
    .baseline = &fail,
    .baseline_count = 1,
    .entries = one_entry,
    .entry_count = 1,
    .effect_required = true,
    .effect = true,
};

static void expect(const char *file, int line, const mg_facts *facts, unsigned row,
                   mg_verdict verdict, const char *reason)
{
    const mg_tier1 got = mg_tier1_decide(facts);
    if (got.row != row || got.verdict != verdict || strcmp(got.reason, reason) != 0)
        test_fail(file, line, "expected row %u %s %s, got row %u %s %s", row,
                  mg_verdict_name(verdict), reason, got.row, mg_verdict_name(got.verdict),
                  got.reason);
}

#define EXPECT_ROW(facts, row, verdict, reason) \
    expect(__FILE__, __LINE__, (facts), (row), MG_VERDICT_##verdict, (reason))

TEST(row_0_what_cannot_be_trusted_is_unknown_and_nothing_for_a_judge)
{
    mg_facts facts = good;
    facts.unsafe = true;
    EXPECT_ROW(&facts, 0, UNKNOWN, "unsafe_to_verify");
    EXPECT(!mg_tier1_decide(&facts).ambiguous);
    EXPECT(!mg_tier1_decide(&facts).red_to_green);
    facts.tampered = true; /* not even a no */
    EXPECT_ROW(&facts, 0, UNKNOWN, "unsafe_to_verify");
}

TEST(row_1_a_protected_path_changed)
{
    mg_facts facts = good;
    facts.tampered = true;
    EXPECT_ROW(&facts, 1, NOT_MET, "tampered");
    facts.results = &fail; /* before row 2 */
    EXPECT_ROW(&facts, 1, NOT_MET, "tampered");
    EXPECT(!mg_tier1_decide(&facts).ambiguous);
}

TEST(row_2_an_entry_or_an_invariant_fails)
{
    static const mg_entry *const entries[] = {&world_entry, &invariant_entry};
    static const mg_result results[] = {
        {.outcome = MG_OUTCOME_PASS, .proves = true},
        {.outcome = MG_OUTCOME_FAIL, .invariant = true},
    };
    static const mg_result baseline[] = {{.outcome = MG_OUTCOME_FAIL},
                                         {.outcome = MG_OUTCOME_PASS, .invariant = true}};
    mg_facts facts = good;
    facts.results = &fail;
    EXPECT_ROW(&facts, 2, NOT_MET, "assertion_failed");
    facts.effect = false; /* before row 3 */
    EXPECT_ROW(&facts, 2, NOT_MET, "assertion_failed");
    facts = good;
    facts.entries = entries;
    facts.results = results;
    facts.baseline = baseline;
    facts.result_count = facts.baseline_count = facts.entry_count = 2;
    EXPECT_ROW(&facts, 2, NOT_MET, "assertion_failed");
    EXPECT(mg_tier1_decide(&facts).red_to_green);
}

TEST(row_2_a_failure_counts_even_where_the_lists_do_not_fit)
{
    mg_facts facts = good;
    facts.results = &fail;
    facts.baseline_count = 0;
    EXPECT_ROW(&facts, 2, NOT_MET, "assertion_failed");
}

TEST(row_3_an_effect_is_required_and_there_is_none)
{
    mg_facts facts = good;
    facts.effect = false;
    facts.baseline = &pass;
    EXPECT_ROW(&facts, 3, NOT_MET, "no_effect");
    facts.results = &unknown;
    EXPECT_ROW(&facts, 3, NOT_MET, "no_effect");
    const mg_facts discovery_only = {.effect_required = true}; /* A118 */
    EXPECT_ROW(&discovery_only, 3, NOT_MET, "no_effect");
}

TEST(row_3_a_red_entry_that_is_green_is_an_effect_without_files)
{
    mg_facts facts = good;
    facts.effect = false;
    EXPECT_ROW(&facts, 5, MET, "assertions_hold");
}

TEST(row_3_words_that_turned_green_are_no_effect)
{
    static const mg_entry *const entries[] = {&word_entry};
    mg_facts facts = good;
    facts.entries = entries;
    facts.results = &word_pass;
    facts.effect = false;
    EXPECT_ROW(&facts, 3, NOT_MET, "no_effect");
}

TEST(row_4_a_budget_ran_out_before_every_step_ran)
{
    mg_facts facts = good;
    facts.steps_unfinished = true;
    EXPECT_ROW(&facts, 4, NOT_MET, "steps_unfinished");
}

TEST(row_5_everything_holds)
{
    EXPECT_ROW(&good, 5, MET, "assertions_hold");
    EXPECT(mg_tier1_decide(&good).red_to_green);
    EXPECT(!mg_tier1_decide(&good).ambiguous);
    mg_facts facts = good;
    facts.effect_required = facts.effect = false;
    facts.baseline = &pass;
    EXPECT_ROW(&facts, 5, MET, "assertions_hold");
    EXPECT(!mg_tier1_decide(&facts).red_to_green);
}

TEST(row_5_what_is_red_by_definition_needs_no_red_baseline)
{
    static const mg_entry *const entries[] = {&changed_entry};
    mg_facts facts = good;
    facts.entries = entries;
    facts.baseline = &unknown;
    EXPECT_ROW(&facts, 5, MET, "assertions_hold");
}

TEST(row_5_low_and_medium_findings_do_not_matter_but_high_ones_do)
{
    mg_finding items[] = {{.rule = "a", .level = MG_LEVEL_LOW},
                          {.rule = "b", .level = MG_LEVEL_MEDIUM}};
    mg_findings findings = {items, 2, 2};
    mg_facts facts = good;
    facts.findings = &findings;
    EXPECT_ROW(&facts, 5, MET, "assertions_hold");
    items[1].level = MG_LEVEL_HIGH;
    EXPECT_ROW(&facts, 6, UNKNOWN, "findings");
    EXPECT(mg_tier1_decide(&facts).ambiguous);
    items[1].level = MG_LEVEL_NONE; /* not known to be lower */
    EXPECT_ROW(&facts, 6, UNKNOWN, "findings");
}

TEST(row_6_names_why)
{
    static const mg_entry *const words[] = {&word_entry};
    static const mg_entry *const vacuous[] = {&vacuous_entry};
    static const mg_entry *const invariants[] = {&invariant_entry};
    mg_facts facts = {0};
    EXPECT_ROW(&facts, 6, UNKNOWN, "no_assertions");
    EXPECT(mg_tier1_decide(&facts).ambiguous);
    facts = good;
    facts.results = &unknown;
    EXPECT_ROW(&facts, 6, UNKNOWN, "unknown_results");
    EXPECT(mg_tier1_decide(&facts).ambiguous);
    facts = good;
    facts.baseline = &pass;
    EXPECT_ROW(&facts, 6, UNKNOWN, "already_green");
    facts.baseline = &unknown; /* nobody saw it red */
    EXPECT_ROW(&facts, 6, UNKNOWN, "unknown_results");
    facts = good;
    facts.entries = words;
    EXPECT_ROW(&facts, 6, UNKNOWN, "vacuous");
    facts.entries = vacuous;
    EXPECT_ROW(&facts, 6, UNKNOWN, "vacuous");
    facts.entries = invariants;
    facts.results = facts.baseline = &invariant_pass;
    EXPECT_ROW(&facts, 6, UNKNOWN, "no_assertions");
}

TEST(a_result_that_says_of_itself_that_it_proves_is_not_believed)
{
    static const mg_entry *const words[] = {&word_entry};
    mg_facts facts = good;
    facts.entries = words; /* about the agent's words, yet .proves is set */
    facts.effect_required = false;
    EXPECT_ROW(&facts, 6, UNKNOWN, "vacuous");
    facts = good;
    facts.results = &word_pass; /* and the other way round */
    EXPECT_ROW(&facts, 6, UNKNOWN, "vacuous");
}

TEST(lists_that_do_not_fit_are_unknown_and_nothing_for_a_judge)
{
    static const mg_result other = {.outcome = MG_OUTCOME_PASS, .proves = true, .kind = "http"};
    static const mg_entry *const none[] = {NULL};
    mg_facts facts[8] = {good, good, good, good, good, good, good, good};
    facts[0].baseline_count = 0;
    facts[1].baseline_count = 2;
    facts[2].entries = NULL;
    facts[3].baseline = NULL;
    facts[4].results = &other; /* the same number in another order */
    facts[5].entries = none;
    facts[6].entry_count = 0;
    facts[7].entry_count = 2;
    for (size_t i = 0; i < MG_COUNT(facts); i++) {
        EXPECT_ROW(&facts[i], 6, UNKNOWN, "unknown_results");
        EXPECT(!mg_tier1_decide(&facts[i]).ambiguous);
    }
    mg_facts no_results = good;
    no_results.results = NULL;
    EXPECT_ROW(&no_results, 6, UNKNOWN, "unknown_results");
}

TEST(an_outcome_out_of_range_is_unknown)
{
    static const mg_result odd = {.outcome = (mg_outcome)7, .proves = true};
    mg_facts facts = good;
    facts.results = &odd;
    EXPECT_ROW(&facts, 6, UNKNOWN, "unknown_results");
}

/* --- Groups --- */

TEST(a_group_that_holds_something_red_by_definition_is_red)
{
    mg_entry *both[] = {(mg_entry *)(uintptr_t)&changed_entry, (mg_entry *)(uintptr_t)&world_entry};
    mg_result children[] = {unknown, pass};
    const mg_result baseline = {.children = children, .child_count = 2};
    const mg_entry all = {.type = MG_ENTRY_ALL, .children = {both, 2, 2}};
    const mg_entry any = {.type = MG_ENTRY_ANY, .min = 1, .children = {both, 2, 2}};
    const mg_entry two = {.type = MG_ENTRY_ANY, .min = 2, .children = {both, 2, 2}};
    const mg_entry not_all = {.type = MG_ENTRY_NOT, .children = {both, 1, 1}};
    EXPECT(mg_entry_was_red(&all, &baseline));
    EXPECT(!mg_entry_was_red(&any, &baseline));
    EXPECT(mg_entry_was_red(&two, &baseline));
    EXPECT(!mg_entry_was_red(&not_all, &baseline)); /* unknown then, and nothing else is known */
    EXPECT(!mg_entry_was_red(&all, NULL));
    EXPECT(!mg_entry_was_red(NULL, &fail));
    EXPECT(mg_entry_was_red(&changed_entry, NULL));
}

/* --- Random evidence --- */

static uint64_t random_next(uint64_t *state) /* xorshift64*, so that a failure can be repeated */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

static bool chance(uint64_t *state, unsigned in)
{
    return random_next(state) % in == 0;
}

enum { MOST = 4 };

typedef struct evidence {
    mg_facts facts;
    const mg_entry *entries[MOST];
    mg_result results[MOST], baseline[MOST];
    mg_finding finding[2];
    mg_findings findings;
} evidence;

/* Mostly good, so that met is reached often; every part may be bad. */
static void make(evidence *e, uint64_t *rng)
{
    static const mg_entry *const kinds[] = {&world_entry,   &world_entry,     &word_entry,
                                            &changed_entry, &invariant_entry, &vacuous_entry};
    memset(e, 0, sizeof *e);
    const size_t count = random_next(rng) % (MOST + 1);
    for (size_t i = 0; i < count; i++) {
        mg_result *now = &e->results[i];
        e->entries[i] = kinds[random_next(rng) % MG_COUNT(kinds)];
        now->outcome = chance(rng, 8) ? (mg_outcome)(random_next(rng) % 4) : MG_OUTCOME_PASS;
        now->proves = !chance(rng, 5);
        now->invariant = e->entries[i]->invariant && !chance(rng, 9);
        now->kind = chance(rng, 40) ? "http" : chance(rng, 2) ? e->entries[i]->kind->name : NULL;
        e->baseline[i].outcome = (mg_outcome)(random_next(rng) % 3);
    }
    e->finding[0].level = (mg_level)(random_next(rng) % 4);
    e->findings = (mg_findings){e->finding, random_next(rng) % 2, 2};
    e->facts = (mg_facts){
        .results = e->results,
        .result_count = count,
        .baseline = chance(rng, 40) ? NULL : e->baseline,
        .baseline_count = chance(rng, 20) ? random_next(rng) % (MOST + 1) : count,
        .entries = chance(rng, 40) ? NULL : e->entries,
        .entry_count = chance(rng, 20) ? random_next(rng) % (MOST + 1) : count,
        .effect_required = chance(rng, 2),
        .effect = !chance(rng, 4),
        .tampered = chance(rng, 12),
        .unsafe = chance(rng, 12),
        .steps_unfinished = chance(rng, 12),
        .findings = chance(rng, 2) ? NULL : &e->findings,
    };
}

/* The rule of row 5 written down a second time, from the outside. */
static bool may_be_met(const evidence *e)
{
    const mg_facts *f = &e->facts;
    bool proved = false, turned = false;
    if (f->unsafe || f->tampered || f->steps_unfinished || f->result_count == 0 ||
        f->baseline_count != f->result_count || f->entry_count != f->result_count ||
        f->entries == NULL || f->baseline == NULL)
        return false;
    for (size_t i = 0; i < f->result_count; i++) {
        const mg_entry *entry = f->entries[i];
        if (f->results[i].outcome != MG_OUTCOME_PASS)
            return false;
        if (f->results[i].kind != NULL && strcmp(f->results[i].kind, entry->kind->name) != 0)
            return false;
        const bool evidence_of_world = f->results[i].proves && !f->results[i].invariant &&
                                       (entry == &world_entry || entry == &changed_entry);
        proved = proved || evidence_of_world;
        turned = turned || (evidence_of_world &&
                            (entry == &changed_entry || f->baseline[i].outcome == MG_OUTCOME_FAIL));
    }
    const bool high =
        f->findings != NULL && f->findings->count > 0 &&
        (e->finding[0].level == MG_LEVEL_HIGH || e->finding[0].level == MG_LEVEL_NONE);
    return proved && !high && (turned || !f->effect_required);
}

/* Taking any one thing away from evidence that is enough leaves too little. */
static void expect_fragile(evidence *e)
{
    for (size_t i = 0; i < e->facts.result_count; i++) {
        const mg_outcome kept = e->results[i].outcome;
        e->results[i].outcome = MG_OUTCOME_FAIL;
        EXPECT_EQ(MG_VERDICT_NOT_MET, mg_tier1_decide(&e->facts).verdict);
        e->results[i].outcome = MG_OUTCOME_UNKNOWN;
        EXPECT(mg_tier1_decide(&e->facts).verdict != MG_VERDICT_MET);
        e->results[i].outcome = kept;
    }
    mg_facts without = e->facts;
    without.baseline_count++;
    EXPECT(mg_tier1_decide(&without).verdict != MG_VERDICT_MET);
    without = e->facts;
    without.result_count = without.baseline_count = without.entry_count = 0;
    EXPECT(mg_tier1_decide(&without).verdict != MG_VERDICT_MET);
}

TEST(over_random_evidence_only_row_5_yields_met_and_only_where_everything_holds)
{
    uint64_t rng = 0x6d616b65676f6f64;
    const size_t cases = 400000 / test_slowness();
    size_t met = 0, rows[7] = {0};
    for (size_t i = 0; i < cases; i++) {
        evidence e;
        make(&e, &rng);
        const mg_tier1 got = mg_tier1_decide(&e.facts);
        EXPECT(got.row <= 6 && got.reason != NULL);
        rows[got.row]++;
        EXPECT_EQ(got.row == 5, got.verdict == MG_VERDICT_MET);
        EXPECT_EQ(got.row == 0 || got.row == 6, got.verdict == MG_VERDICT_UNKNOWN);
        EXPECT(!got.ambiguous || got.row == 6);
        EXPECT_EQ(may_be_met(&e), got.verdict == MG_VERDICT_MET);
        if (got.verdict == MG_VERDICT_MET) {
            met++;
            expect_fragile(&e);
        }
    }
    for (size_t row = 0; row < MG_COUNT(rows); row++)
        EXPECT(rows[row] > cases / 200); /* each was really tried */
    EXPECT(met > cases / 50);
}

TEST(random_bytes_as_flags_never_turn_nothing_into_met)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        const mg_facts facts = {
            .effect_required = (bits & 1) != 0,
            .effect = (bits & 2) != 0,
            .tampered = (bits & 4) != 0,
            .unsafe = (bits & 8) != 0,
            .steps_unfinished = (bits & 16) != 0,
        };
        EXPECT(mg_tier1_decide(&facts).verdict != MG_VERDICT_MET);
    }
}

/* --- The status of an attempt --- */

TEST(the_status_follows_verdict_end_and_progress)
{
    for (int terminal = 0; terminal <= MG_TERMINAL_ERROR; terminal++) {
        const mg_terminal end = (mg_terminal)terminal;
        const bool limited = end == MG_TERMINAL_TIMEOUT || end == MG_TERMINAL_MAX_ITERATIONS;
        for (int bits = 0; bits < 4; bits++) {
            const bool green = (bits & 1) != 0, judge = (bits & 2) != 0;
            EXPECT_EQ(MG_ATTEMPT_SUCCESS, mg_attempt_status_of(MG_VERDICT_MET, end, green, judge));
            EXPECT_EQ(MG_ATTEMPT_UNVERIFIED,
                      mg_attempt_status_of(MG_VERDICT_UNKNOWN, end, green, judge));
            EXPECT_EQ(MG_ATTEMPT_UNVERIFIED,
                      mg_attempt_status_of((mg_verdict)9, end, green, judge));
            EXPECT_EQ(limited || green || judge ? MG_ATTEMPT_PARTIAL : MG_ATTEMPT_FAILED,
                      mg_attempt_status_of(MG_VERDICT_NOT_MET, end, green, judge));
        }
    }
}

/* --- Before attempt 1 --- */

static bool provable(test *t, const mg_entry *const *entries, size_t count,
                     const mg_result *baseline, size_t results, bool effect, mg_str *advice)
{
    mg_goal goal = {0};
    for (size_t i = 0; i < count; i++) {
        goal.entries.items = mg_new_array(t->arena, mg_entry *, count);
        goal.entries.count = count;
    }
    for (size_t i = 0; i < count; i++)
        goal.entries.items[i] = (mg_entry *)(uintptr_t)entries[i];
    return mg_provable(&goal, baseline, results, effect, t->arena, advice);
}

TEST(a_goal_with_a_red_world_entry_can_be_proved)
{
    mg_str advice;
    EXPECT(provable(t, one_entry, 1, &fail, 1, true, &advice));
    EXPECT_STR("", advice);
    EXPECT(provable(t, one_entry, 1, &pass, 1, false, &advice));
    const mg_entry *const change[] = {&changed_entry};
    EXPECT(provable(t, change, 1, &unknown, 1, true, &advice));
}

TEST(a_goal_that_can_never_be_proved_says_what_to_add)
{
    const mg_entry *const words[] = {&word_entry};
    const mg_entry *const vacuous[] = {&vacuous_entry};
    const mg_entry *const invariant[] = {&invariant_entry};
    mg_str advice;
    EXPECT(!provable(t, NULL, 0, NULL, 0, false, &advice));
    EXPECT_CONTAINS(advice, "Nothing is asserted");
    EXPECT_CONTAINS(advice, "'assert:'");
    EXPECT_CONTAINS(advice, "--until");
    EXPECT(!provable(t, words, 1, &fail, 1, true, &advice));
    EXPECT_CONTAINS(advice, "'says done'");
    EXPECT(!provable(t, vacuous, 1, &fail, 1, false, &advice));
    EXPECT_CONTAINS(advice, "'true'");
    EXPECT(!provable(t, invariant, 1, &pass, 1, false, &advice));
    EXPECT_CONTAINS(advice, "Nothing is asserted");
    EXPECT(!provable(t, one_entry, 1, &pass, 1, true, &advice));
    EXPECT_CONTAINS(advice, "'green'");
    EXPECT_CONTAINS(advice, "effect: optional");
    mg_result unasked = unknown;
    unasked.name = MG_STR("green");
    unasked.message = MG_STR("no permission to read");
    EXPECT(!provable(t, one_entry, 1, &unasked, 1, true, &advice));
    EXPECT_CONTAINS(advice, "no permission to read");
}

TEST(a_baseline_that_does_not_fit_proves_nothing)
{
    mg_str advice;
    EXPECT(!provable(t, one_entry, 1, NULL, 0, false, &advice));
    EXPECT_CONTAINS(advice, "baseline");
    EXPECT(!provable(t, one_entry, 1, NULL, 1, false, &advice));
    EXPECT(!provable(t, NULL, 0, &fail, 1, false, &advice));
}
