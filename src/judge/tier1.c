/* tier1.c - the table of README.md as a function: the first row that matches decides.
 *
 * The rows above 5 look for a reason to say no, row 5 asks for everything at once, and whatever
 * is left is row 6. So a fact that is missing, zeroed or out of range can only take a verdict
 * away: there is one place in this file that says MET.
 */
#include "judge/tier1.h"

#include "base/buf.h"

/* --- What one entry can say --- */

static bool all_can_tell(const mg_entry *entry);

/* Whether the entry could ever be evidence about the world. For groups
 * this is what check/ asks of results (fold.c, mg_fold_proves), asked before there are any. */
static bool can_prove(const mg_entry *entry)
{
    if (entry == NULL || entry->vacuous != NULL)
        return false;
    if (entry->type == MG_ENTRY_LEAF)
        return entry->kind != NULL && !entry->kind->about_attempt;
    if (entry->type == MG_ENTRY_NOT)
        return entry->children.count == 1 && all_can_tell(entry->children.items[0]);
    size_t able = 0;
    for (size_t i = 0; i < entry->children.count; i++)
        able += can_prove(entry->children.items[i]);
    return able >= (entry->type == MG_ENTRY_ANY ? MG_MAX(entry->min, (size_t)1) : 1);
}

/* Under `not` every part has to be able to fail because of the world. */
static bool all_can_tell(const mg_entry *entry)
{
    if (entry->type == MG_ENTRY_LEAF || entry->vacuous != NULL)
        return can_prove(entry);
    for (size_t i = 0; i < entry->children.count; i++) {
        if (!all_can_tell(entry->children.items[i]))
            return false;
    }
    return entry->children.count > 0;
}

/* Before attempt 1 nothing has changed, whatever could or could not be asked then. */
static bool red_by_definition(const mg_entry *entry)
{
    static const char *const kinds[] = {"content_changed", "changes"};
    for (size_t i = 0; i < MG_COUNT(kinds); i++) {
        if (entry->kind != NULL && strcmp(entry->kind->name, kinds[i]) == 0)
            return true;
    }
    return false;
}

/* The outcome at the baseline, with what is red by definition put into the groups that hold it. */
static mg_outcome outcome_before(const mg_entry *entry, const mg_result *baseline)
{
    if (entry->type == MG_ENTRY_LEAF)
        return red_by_definition(entry) ? MG_OUTCOME_FAIL
               : baseline != NULL       ? baseline->outcome
                                        : MG_OUTCOME_UNKNOWN;
    if (baseline == NULL)
        return MG_OUTCOME_UNKNOWN;
    if (entry->type == MG_ENTRY_NOT || baseline->child_count != entry->children.count)
        return baseline->outcome;
    size_t fail = 0;
    for (size_t i = 0; i < baseline->child_count; i++)
        fail += outcome_before(entry->children.items[i], &baseline->children[i]) == MG_OUTCOME_FAIL;
    const size_t most = entry->type == MG_ENTRY_ALL
                            ? 0
                            : baseline->child_count - MG_MIN(entry->min, baseline->child_count);
    return fail > most ? MG_OUTCOME_FAIL : baseline->outcome;
}

bool mg_entry_was_red(const mg_entry *entry, const mg_result *baseline)
{
    return entry != NULL && outcome_before(entry, baseline) == MG_OUTCOME_FAIL;
}

/* --- What all of them say --- */

typedef struct tally {
    bool matched; /* results, baseline and entries speak of the same things */
    size_t asserted, fail, unknown;
    size_t proving;     /* assertions that pass and are evidence about the world */
    size_t turned;      /* of those: red at the baseline */
    size_t mended;      /* of those: not only because its time ran out then */
    size_t never_asked; /* of those: unknown at the baseline */
    bool red_to_green;
} tally;

/* A list that came in another order than it left is as bad as one that is too short. */
static bool same_kind(const mg_entry *entry, const mg_result *result)
{
    if (entry == NULL || (entry->type == MG_ENTRY_LEAF && entry->kind == NULL))
        return false;
    return result->kind == NULL || strcmp(result->kind, mg_entry_kind_name(entry)) == 0;
}

static bool lists_match(const mg_facts *facts)
{
    if (facts->baseline_count != facts->result_count || facts->entry_count != facts->result_count)
        return false;
    if (facts->result_count == 0)
        return true;
    if (facts->results == NULL || facts->baseline == NULL || facts->entries == NULL)
        return false;
    for (size_t i = 0; i < facts->result_count; i++) {
        if (!same_kind(facts->entries[i], &facts->results[i]) ||
            !same_kind(facts->entries[i], &facts->baseline[i]))
            return false;
    }
    return true;
}

static void count_evidence(const mg_facts *facts, size_t i, tally *t)
{
    const mg_entry *entry = facts->entries[i];
    const bool red = mg_entry_was_red(entry, &facts->baseline[i]);
    t->red_to_green = t->red_to_green || red;
    if (facts->results[i].invariant || entry->invariant || !facts->results[i].proves ||
        !can_prove(entry))
        return;
    t->proving++;
    t->turned += red;
    t->mended += red && !facts->baseline[i].timed_out;
    t->never_asked += !red && facts->baseline[i].outcome != MG_OUTCOME_PASS;
}

static tally count(const mg_facts *facts)
{
    tally t = {.matched = lists_match(facts)};
    for (size_t i = 0; facts->results != NULL && i < facts->result_count; i++) {
        const mg_result *result = &facts->results[i];
        t.asserted += !result->invariant;
        t.fail += result->outcome == MG_OUTCOME_FAIL;
        t.unknown += result->outcome != MG_OUTCOME_FAIL && result->outcome != MG_OUTCOME_PASS;
        if (result->outcome == MG_OUTCOME_PASS && t.matched)
            count_evidence(facts, i, &t);
    }
    return t;
}

/* A level that is not known to be lower counts as high. */
static bool has_high(const mg_findings *findings)
{
    for (size_t i = 0; findings != NULL && i < findings->count; i++) {
        const mg_level level = findings->items[i].level;
        if (level != MG_LEVEL_LOW && level != MG_LEVEL_MEDIUM)
            return true;
    }
    return false;
}

/* Why row 5 does not hold, the most telling reason first; NULL: it does. */
static const char *why_not_proved(const mg_facts *facts, const tally *t)
{
    if (!t->matched || t->unknown > 0)
        return "unknown_results";
    if (t->asserted == 0)
        return "no_assertions";
    if (t->proving == 0)
        return "vacuous";
    if (has_high(facts->findings))
        return "findings";
    if (facts->effect_required && t->turned == 0)
        return t->never_asked > 0 ? "unknown_results" : "already_green";
    return NULL;
}

mg_tier1 mg_tier1_decide(const mg_facts *facts)
{
    /* What was read while somebody may still have been writing is no evidence, for a judge
     * neither. */
    if (facts->unsafe)
        return (mg_tier1){.reason = "unsafe_to_verify"};
    const tally t = count(facts);
    mg_tier1 said = {.verdict = MG_VERDICT_NOT_MET, .red_to_green = t.red_to_green};
    if (facts->tampered) {
        said.row = 1;
        said.reason = "tampered";
    } else if (t.fail > 0) {
        said.row = 2;
        said.reason = "assertion_failed";
    } else if (facts->effect_required && !facts->effect && t.mended == 0) {
        said.row = 3;
        said.reason = "no_effect";
    } else if (facts->steps_unfinished) {
        said.row = 4;
        said.reason = "steps_unfinished";
    } else if ((said.reason = why_not_proved(facts, &t)) != NULL) {
        said.row = 6;
        said.verdict = MG_VERDICT_UNKNOWN;
        said.ambiguous = t.matched; /* lists that do not fit are a fault of ours, not evidence */
    } else {
        said.row = 5;
        said.verdict = MG_VERDICT_MET;
        said.reason = "assertions_hold";
    }
    return said;
}

mg_attempt_status mg_attempt_status_of(mg_verdict verdict, mg_terminal terminal, bool red_to_green,
                                       bool judge_partial)
{
    if (verdict == MG_VERDICT_MET)
        return MG_ATTEMPT_SUCCESS;
    if (verdict != MG_VERDICT_NOT_MET)
        return MG_ATTEMPT_UNVERIFIED;
    const bool limited = terminal == MG_TERMINAL_MAX_ITERATIONS || terminal == MG_TERMINAL_TIMEOUT;
    return limited || red_to_green || judge_partial ? MG_ATTEMPT_PARTIAL : MG_ATTEMPT_FAILED;
}

/* --- Before attempt 1 --- */

enum { NAMES_SHOWN = 3, NAMES_BYTES = 600 };

/* "'a', 'b', 'c' and 4 more" of the assertions that are, or are not, world entries. */
static mg_str names_of(const mg_goal *goal, bool world, mg_arena *arena)
{
    mg_buf buf = mg_buf_new(arena, NAMES_BYTES);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < goal->entries.count; i++) {
        const mg_entry *entry = goal->entries.items[i];
        if (entry->invariant || can_prove(entry) != world)
            continue;
        if (shown == NAMES_SHOWN)
            more++;
        else
            mg_buf_addf(&buf, "%s'" MG_FMT "'", shown++ > 0 ? ", " : "",
                        MG_ARG(mg_str_first(entry->name, 120)));
    }
    if (more > 0)
        mg_buf_addf(&buf, " and %zu more", more);
    return mg_buf_str(&buf);
}

static const char example[] =
    "Add one under 'assert:' that fails now and will hold when the work is done, for example "
    "'command_returns: make test' or 'file_contains: {path: ..., pattern: ...}'";

static mg_str advice_no_evidence(const mg_goal *goal, mg_arena *arena)
{
    const mg_str names = names_of(goal, false, arena);
    if (names.len == 0)
        return mg_strf(arena,
                       "Nothing is asserted, so no attempt could be proved to meet the goal. %s, "
                       "or give a command with --until.",
                       example);
    return mg_strf(arena,
                   "No assertion could prove the goal: " MG_FMT
                   " can only ask about the agent's own words, or cannot fail. %s, or give a "
                   "command with --until.",
                   MG_ARG(names), example);
}

static mg_str advice_no_red(const mg_goal *goal, const mg_result *unasked, mg_arena *arena)
{
    if (unasked != NULL)
        return mg_strf(arena,
                       "'" MG_FMT "' could not be evaluated before attempt 1 (" MG_FMT
                       "), and no other assertion fails now, so nothing could show that an "
                       "attempt did the work. Mend that first. Or: %s.",
                       MG_ARG(unasked->name), MG_ARG(mg_str_first(unasked->message, 300)), example);
    const mg_str names = names_of(goal, true, arena);
    return mg_strf(arena,
                   "Every assertion that could prove the goal holds already, before attempt 1 "
                   "(" MG_FMT "), so none of them could show that an attempt did the work. %s; or "
                   "write 'effect: optional' if nothing needs to change.",
                   MG_ARG(names), example);
}

bool mg_provable(const mg_goal *goal, const mg_result *baseline, size_t count, bool effect_required,
                 mg_arena *arena, mg_str *advice)
{
    size_t able = 0, red = 0;
    const mg_result *unasked = NULL;
    *advice = MG_STR("");
    if (count != goal->entries.count || (count > 0 && baseline == NULL)) {
        *advice = mg_strf(arena,
                          "The baseline has %zu results for %zu entries, so it cannot be told what "
                          "held before attempt 1. Start a new loop.",
                          baseline == NULL ? 0 : count, goal->entries.count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const mg_entry *entry = goal->entries.items[i];
        if (entry->invariant || !can_prove(entry))
            continue;
        able++;
        red += mg_entry_was_red(entry, &baseline[i]);
        if (unasked == NULL && baseline[i].outcome == MG_OUTCOME_UNKNOWN)
            unasked = &baseline[i];
    }
    if (able == 0)
        *advice = advice_no_evidence(goal, arena);
    else if (effect_required && red == 0)
        *advice = advice_no_red(goal, unasked, arena);
    return advice->len == 0;
}
