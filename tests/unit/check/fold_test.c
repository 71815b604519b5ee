/* Three-valued logic and the verdict, over every combination of outcomes. */
#include "check/fold.h"

#include "test.h"

static const mg_check_kind world_kind = {.name = "world"};
static const mg_check_kind word_kind = {.name = "word", .about_attempt = true};

static const mg_outcome outcomes[] = {MG_OUTCOME_UNKNOWN, MG_OUTCOME_PASS, MG_OUTCOME_FAIL};

static mg_entry *leaf(test *t, const mg_check_kind *kind, const char *vacuous)
{
    mg_entry *entry = mg_new(t->arena, mg_entry);
    entry->kind = kind;
    entry->vacuous = vacuous;
    return entry;
}

static mg_entry *group(test *t, mg_entry_type type, size_t min, mg_entry **children, size_t count)
{
    mg_entry *entry = mg_new(t->arena, mg_entry);
    entry->type = type;
    entry->min = min;
    entry->children = (mg_entries){children, count, count};
    return entry;
}

static mg_outcome fold3(test *t, mg_entry_type type, size_t min, const mg_outcome got[3])
{
    mg_entry *children[3];
    mg_result *results = mg_new_array(t->arena, mg_result, 3);
    for (size_t i = 0; i < 3; i++) {
        children[i] = leaf(t, &world_kind, NULL);
        results[i].outcome = got[i];
    }
    mg_result r = {.children = results, .child_count = 3};
    mg_fold_group(group(t, type, min, children, 3), t->arena, &r);
    return r.outcome;
}

/* For every outcome of three children, unknown is replaced by both answers: if they agree that
 * is the outcome, else it is unknown. This is what three-valued logic means. */
static void expect_sound(test *t, mg_entry_type type, size_t min,
                         bool (*holds)(size_t pass, size_t min))
{
    for (size_t n = 0; n < 27; n++) {
        const mg_outcome got[3] = {outcomes[n % 3], outcomes[n / 3 % 3], outcomes[n / 9]};
        bool can_hold = false, can_fail = false;
        for (size_t guess = 0; guess < 8; guess++) {
            size_t pass = 0;
            for (size_t i = 0; i < 3; i++) {
                const bool yes = got[i] == MG_OUTCOME_UNKNOWN ? (guess >> i & 1) != 0
                                                              : got[i] == MG_OUTCOME_PASS;
                pass += yes;
            }
            can_hold = can_hold || holds(pass, min);
            can_fail = can_fail || !holds(pass, min);
        }
        const mg_outcome want = can_hold && can_fail ? MG_OUTCOME_UNKNOWN
                                : can_hold           ? MG_OUTCOME_PASS
                                                     : MG_OUTCOME_FAIL;
        EXPECT_EQ(want, fold3(t, type, min, got));
    }
}

static bool all_hold(size_t pass, size_t min)
{
    (void)min;
    return pass == 3;
}

static bool enough_hold(size_t pass, size_t min)
{
    return pass >= min;
}

TEST(all_is_the_strongest_answer_that_is_certain)
{
    expect_sound(t, MG_ENTRY_ALL, 0, all_hold);
}

TEST(any_is_the_strongest_answer_that_is_certain_for_every_minimum)
{
    for (size_t min = 1; min <= 3; min++)
        expect_sound(t, MG_ENTRY_ANY, min, enough_hold);
}

TEST(not_turns_pass_and_fail_and_keeps_unknown)
{
    static const mg_outcome want[] = {MG_OUTCOME_UNKNOWN, MG_OUTCOME_FAIL, MG_OUTCOME_PASS};
    mg_entry *child = leaf(t, &world_kind, NULL);
    for (size_t i = 0; i < 3; i++) {
        mg_result inner = {.outcome = outcomes[i]};
        mg_result r = {.children = &inner, .child_count = 1};
        mg_fold_group(group(t, MG_ENTRY_NOT, 0, &child, 1), t->arena, &r);
        EXPECT_EQ(want[i], r.outcome);
    }
}

TEST(a_group_without_children_never_passes)
{
    for (int type = MG_ENTRY_ALL; type <= MG_ENTRY_NOT; type++) {
        for (size_t min = 0; min <= 1; min++) {
            mg_result r = {0};
            mg_fold_group(group(t, (mg_entry_type)type, min, NULL, 0), t->arena, &r);
            EXPECT(r.outcome != MG_OUTCOME_PASS);
        }
    }
}

static mg_verdict verdict_of(mg_result *results, size_t count, const char *reason)
{
    mg_report report = {.results = results, .result_count = count};
    mg_fold_report(&report);
    EXPECT_STR(reason, mg_str_of(report.reason));
    return report.verdict;
}

TEST(an_empty_report_is_unknown)
{
    EXPECT_EQ(MG_VERDICT_UNKNOWN, verdict_of(NULL, 0, "no_assertions"));
}

TEST(zeroed_results_are_unknown)
{
    mg_result results[2] = {0};
    EXPECT_EQ(MG_VERDICT_UNKNOWN, verdict_of(results, 2, "unknown_results"));
}

TEST(invariants_alone_prove_nothing)
{
    mg_result r = {.outcome = MG_OUTCOME_PASS, .proves = true, .invariant = true};
    EXPECT_EQ(MG_VERDICT_UNKNOWN, verdict_of(&r, 1, "no_assertions"));
}

TEST(a_failed_invariant_fails_the_goal)
{
    mg_result r[] = {{.outcome = MG_OUTCOME_PASS, .proves = true},
                     {.outcome = MG_OUTCOME_FAIL, .invariant = true}};
    EXPECT_EQ(MG_VERDICT_NOT_MET, verdict_of(r, 2, "assertion_failed"));
}

TEST(passing_entries_that_prove_nothing_do_not_meet_a_goal)
{
    mg_result r[] = {{.outcome = MG_OUTCOME_PASS}, {.outcome = MG_OUTCOME_PASS}};
    EXPECT_EQ(MG_VERDICT_UNKNOWN, verdict_of(r, 2, "vacuous"));
}

TEST(one_unknown_beside_passes_is_unknown_and_a_failure_beats_it)
{
    mg_result r[] = {{.outcome = MG_OUTCOME_PASS, .proves = true}, {0}, {0}};
    EXPECT_EQ(MG_VERDICT_UNKNOWN, verdict_of(r, 2, "unknown_results"));
    r[2].outcome = MG_OUTCOME_FAIL;
    EXPECT_EQ(MG_VERDICT_NOT_MET, verdict_of(r, 3, "assertion_failed"));
}

TEST(a_goal_is_met_when_all_pass_and_one_proves)
{
    mg_result r[] = {{.outcome = MG_OUTCOME_PASS, .proves = true}, {.outcome = MG_OUTCOME_PASS}};
    EXPECT_EQ(MG_VERDICT_MET, verdict_of(r, 2, "assertions_hold"));
}

static bool proves(test *t, mg_entry *entry, const mg_outcome *got, size_t count)
{
    mg_result *results = mg_new_array(t->arena, mg_result, count);
    for (size_t i = 0; i < count; i++) {
        results[i].outcome = got[i];
        results[i].proves = mg_fold_proves(entry->children.items[i], &results[i]);
    }
    mg_result r = {.children = results, .child_count = count};
    mg_fold_group(entry, t->arena, &r);
    return mg_fold_proves(entry, &r);
}

TEST(any_proves_only_with_enough_children_that_prove)
{
    const mg_outcome both[] = {MG_OUTCOME_PASS, MG_OUTCOME_PASS};
    mg_entry *children[] = {leaf(t, &world_kind, NULL), leaf(t, &world_kind, "constant")};
    EXPECT(proves(t, group(t, MG_ENTRY_ANY, 1, children, 2), both, 2));
    EXPECT(!proves(t, group(t, MG_ENTRY_ANY, 2, children, 2), both, 2));
    EXPECT(proves(t, group(t, MG_ENTRY_ALL, 0, children, 2), both, 2));
}

TEST(an_attempts_own_words_prove_nothing_in_any_group)
{
    const mg_outcome pass[] = {MG_OUTCOME_PASS}, fail[] = {MG_OUTCOME_FAIL};
    mg_entry *word[] = {leaf(t, &word_kind, NULL)};
    EXPECT(!proves(t, group(t, MG_ENTRY_ALL, 0, word, 1), pass, 1));
    EXPECT(!proves(t, group(t, MG_ENTRY_ANY, 1, word, 1), pass, 1));
    EXPECT(!proves(t, group(t, MG_ENTRY_NOT, 0, word, 1), fail, 1));
}

TEST(not_proves_when_its_child_could_tell)
{
    const mg_outcome fail[] = {MG_OUTCOME_FAIL};
    mg_entry *world[] = {leaf(t, &world_kind, NULL)},
             *constant[] = {leaf(t, &world_kind, "constant")};
    EXPECT(proves(t, group(t, MG_ENTRY_NOT, 0, world, 1), fail, 1));
    EXPECT(!proves(t, group(t, MG_ENTRY_NOT, 0, constant, 1), fail, 1));
}

static mg_outcome not_of(test *t, mg_entry_type type, size_t min, const bool unseen[2])
{
    mg_entry *leaves[2] = {leaf(t, &world_kind, NULL), leaf(t, &world_kind, NULL)};
    mg_entry *inner = group(t, type, min, leaves, 2);
    mg_result results[2] = {{.outcome = MG_OUTCOME_FAIL, .no_answer = unseen[0]},
                            {.outcome = MG_OUTCOME_FAIL, .no_answer = unseen[1]}};
    mg_result folded = {.children = results, .child_count = 2};
    mg_fold_group(inner, t->arena, &folded);
    EXPECT_EQ(MG_OUTCOME_FAIL, folded.outcome);
    mg_result r = {.children = &folded, .child_count = 1};
    mg_fold_group(group(t, MG_ENTRY_NOT, 0, &inner, 1), t->arena, &r);
    return r.outcome;
}

TEST(the_opposite_of_a_failure_without_an_answer_is_unknown)
{
    mg_entry *child = leaf(t, &world_kind, NULL);
    mg_result inner = {.outcome = MG_OUTCOME_FAIL, .no_answer = true};
    mg_result r = {.children = &inner, .child_count = 1};
    mg_fold_group(group(t, MG_ENTRY_NOT, 0, &child, 1), t->arena, &r);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.outcome);
    EXPECT(!mg_fold_proves(group(t, MG_ENTRY_NOT, 0, &child, 1), &r));
}

TEST(groups_hand_on_whether_a_failure_was_seen)
{
    const bool none[] = {false, false}, one[] = {true, false}, both[] = {true, true};
    EXPECT_EQ(MG_OUTCOME_PASS, not_of(t, MG_ENTRY_ALL, 0, none));
    EXPECT_EQ(MG_OUTCOME_PASS, not_of(t, MG_ENTRY_ALL, 0, one)); /* one that was seen is enough */
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, not_of(t, MG_ENTRY_ALL, 0, both));
    EXPECT_EQ(MG_OUTCOME_PASS, not_of(t, MG_ENTRY_ANY, 1, none));
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, not_of(t, MG_ENTRY_ANY, 1, one)); /* the other might have held */
    EXPECT_EQ(MG_OUTCOME_PASS, not_of(t, MG_ENTRY_ANY, 2, one));    /* but not both */
}
