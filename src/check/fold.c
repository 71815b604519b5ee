/* fold.c - the logic of groups and of the verdict. */
#include "check/fold.h"

typedef struct tally {
    size_t pass, fail, unknown, prove;
    size_t unseen; /* of those that fail: without an answer */
    size_t late;   /* of those that fail: because their time ran out */
} tally;

static tally count(const mg_result *results, size_t n)
{
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        t.pass += results[i].outcome == MG_OUTCOME_PASS;
        t.fail += results[i].outcome == MG_OUTCOME_FAIL;
        t.unknown += results[i].outcome == MG_OUTCOME_UNKNOWN;
        t.prove += results[i].proves;
        t.unseen += results[i].outcome == MG_OUTCOME_FAIL && results[i].no_answer;
        t.late += results[i].outcome == MG_OUTCOME_FAIL && results[i].timed_out;
    }
    return t;
}

static mg_outcome at_least(tally t, size_t min)
{
    if (t.pass >= min)
        return MG_OUTCOME_PASS;
    return t.pass + t.unknown < min ? MG_OUTCOME_FAIL : MG_OUTCOME_UNKNOWN;
}

/* A command that was killed has not returned 0, but nobody saw it return anything else: the
 * opposite of a failure without an answer is not known. */
static mg_outcome negated(const mg_result *result)
{
    static const mg_outcome opposite[] = {
        [MG_OUTCOME_UNKNOWN] = MG_OUTCOME_UNKNOWN,
        [MG_OUTCOME_PASS] = MG_OUTCOME_FAIL,
        [MG_OUTCOME_FAIL] = MG_OUTCOME_PASS,
    };
    const bool unseen = result->outcome == MG_OUTCOME_FAIL && result->no_answer;
    return unseen ? MG_OUTCOME_UNKNOWN : opposite[result->outcome];
}

void mg_fold_group(const mg_entry *entry, mg_arena *arena, mg_result *result)
{
    const tally t = count(result->children, result->child_count);
    result->observed = mg_strf(arena, "%zu hold, %zu fail, %zu unknown", t.pass, t.fail, t.unknown);
    result->timed_out = t.fail > 0 && t.late == t.fail;
    switch (entry->type) {
    case MG_ENTRY_ALL:
        /* No children is no evidence; the reader refuses it, and this line does not rely on that.
         */
        result->outcome = t.fail > 0                                  ? MG_OUTCOME_FAIL
                          : result->child_count > 0 && t.unknown == 0 ? MG_OUTCOME_PASS
                                                                      : MG_OUTCOME_UNKNOWN;
        /* One failure that was seen is enough. */
        result->no_answer = t.fail > 0 && t.unseen == t.fail;
        result->expected = mg_strf(arena, "all of %zu hold", result->child_count);
        break;
    case MG_ENTRY_ANY:
        result->outcome = entry->min > 0 ? at_least(t, entry->min) : MG_OUTCOME_UNKNOWN;
        /* Those without an answer might have held. */
        result->no_answer =
            result->outcome == MG_OUTCOME_FAIL && t.pass + t.unknown + t.unseen >= entry->min;
        result->expected =
            mg_strf(arena, "at least %zu of %zu hold", entry->min, result->child_count);
        break;
    case MG_ENTRY_NOT:
        result->outcome =
            result->child_count == 1 ? negated(&result->children[0]) : MG_OUTCOME_UNKNOWN;
        if (result->outcome == MG_OUTCOME_UNKNOWN && result->child_count == 1)
            result->message = result->children[0].message; /* the same reason */
        result->expected = MG_STR("it does not hold");
        result->observed =
            result->child_count == 1 ? result->children[0].observed : result->observed;
        break;
    case MG_ENTRY_LEAF:
        break;
    }
}

/* Whether a failure of this entry would say something about the world. */
static bool can_tell(const mg_entry *entry)
{
    if (entry->vacuous != NULL)
        return false;
    if (entry->type == MG_ENTRY_LEAF)
        return !entry->kind->about_attempt;
    for (size_t i = 0; i < entry->children.count; i++) {
        if (!can_tell(entry->children.items[i]))
            return false;
    }
    return true;
}

bool mg_fold_proves(const mg_entry *entry, const mg_result *result)
{
    if (result->outcome != MG_OUTCOME_PASS || entry->vacuous != NULL)
        return false;
    const tally t = count(result->children, result->child_count);
    switch (entry->type) {
    case MG_ENTRY_LEAF:
        return !entry->kind->about_attempt;
    case MG_ENTRY_ALL:
        return t.prove > 0;
    case MG_ENTRY_ANY:
        return t.prove >= entry->min;
    case MG_ENTRY_NOT:
        return can_tell(entry->children.items[0]);
    }
    return false;
}

static void decide(mg_report *report, mg_verdict verdict, const char *reason, mg_str advice)
{
    report->verdict = verdict;
    report->reason = reason;
    report->advice = advice;
}

void mg_fold_report(mg_report *report)
{
    const tally t = count(report->results, report->result_count);
    size_t asserted = 0, proved = 0;
    for (size_t i = 0; i < report->result_count; i++) {
        asserted += !report->results[i].invariant;
        proved += !report->results[i].invariant && report->results[i].proves;
    }
    if (t.fail > 0)
        decide(report, MG_VERDICT_NOT_MET, "assertion_failed", MG_STR(""));
    else if (t.unknown > 0)
        decide(
            report, MG_VERDICT_UNKNOWN, "unknown_results",
            MG_STR(
                "What could not be evaluated is not known to hold; its reason says what to mend."));
    else if (asserted == 0)
        decide(report, MG_VERDICT_UNKNOWN, "no_assertions",
               MG_STR("Nothing is asserted, so nothing is proved: add entries under 'assert:'."));
    else if (proved == 0)
        decide(
            report, MG_VERDICT_UNKNOWN, "vacuous",
            MG_STR(
                "Every assertion holds, but none of them could prove the goal; see the warnings."));
    else
        decide(report, MG_VERDICT_MET, "assertions_hold", MG_STR(""));
}
