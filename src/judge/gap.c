/* gap.c - what is missing, said to the next attempt.
 *
 * The headline comes from a table of detectors, of which the first that fires speaks. The body
 * is a list of items (gap_body.c). Every foreign text is scrubbed before it is put into a
 * sentence, and cut only then.
 */
#include "judge/gap.h"

#include "data/text.h"
#include "judge/gap_body.h"

#include <inttypes.h>

enum { NAME_CHARS = 60, OBSERVED_CHARS = 90, LISTED = 3 };

/* --- What the detectors look at --- */

static size_t with_outcome(const mg_attempt *a, mg_outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < a->result_count; i++)
        count += a->results[i].outcome == outcome;
    return count;
}

static const mg_result *first_with(const mg_attempt *a, mg_outcome outcome)
{
    for (size_t i = 0; i < a->result_count; i++) {
        if (a->results[i].outcome == outcome)
            return &a->results[i];
    }
    return NULL;
}

static bool is_real(const mg_change *change)
{
    return !change->no_op && change->type != MG_CHANGE_NONE;
}

static bool is_emptied(const mg_change *change)
{
    return is_real(change) && change->size_after == 0 &&
           (change->type == MG_CHANGE_CREATED || change->type == MG_CHANGE_MODIFIED);
}

static const mg_change *first_change(const mg_attempt *a, bool (*pick)(const mg_change *))
{
    for (size_t i = 0; i < a->changes.count; i++) {
        if (pick(&a->changes.items[i]))
            return &a->changes.items[i];
    }
    return NULL;
}

static bool is_filled(const mg_change *change)
{
    return is_real(change) && change->size_after > 0;
}

static const mg_finding *worst_finding(const mg_attempt *a)
{
    const mg_finding *worst = NULL;
    for (size_t i = 0; i < a->findings.count; i++) {
        const mg_finding *f = &a->findings.items[i];
        if (f->level >= MG_LEVEL_MEDIUM && (worst == NULL || f->level > worst->level))
            worst = f;
    }
    return worst;
}

/* --- Their sentences --- */

/* "'make test' fails: exit code 2" */
static mg_str failing_text(const mg_gap_work *w, const mg_result *result)
{
    const mg_str name = mg_gap_words(w, result->name, NAME_CHARS);
    const mg_str observed = mg_gap_words(w, result->observed, OBSERVED_CHARS);
    if (result->outcome == MG_OUTCOME_UNKNOWN)
        return mg_strf(
            w->arena, "'" MG_FMT "' could not be checked: " MG_FMT, MG_ARG(name),
            MG_ARG(mg_gap_words(w, result->message.len > 0 ? result->message : result->observed,
                                OBSERVED_CHARS)));
    return observed.len > 0
               ? mg_strf(w->arena, "'" MG_FMT "' fails: " MG_FMT, MG_ARG(name), MG_ARG(observed))
               : mg_strf(w->arena, "'" MG_FMT "' fails", MG_ARG(name));
}

/* What is wrong with the world, to end a sentence with; empty where nothing is known to be. */
static mg_str still_wrong(const mg_gap_work *w, const char *before)
{
    const mg_attempt *a = w->facts->attempt;
    const mg_result *result = first_with(a, MG_OUTCOME_FAIL);
    if (result == NULL)
        result = first_with(a, MG_OUTCOME_UNKNOWN);
    return result != NULL ? mg_strf(w->arena, "%s" MG_FMT, before, MG_ARG(failing_text(w, result)))
                          : MG_STR("");
}

static mg_str judge_gap(const mg_gap_work *w)
{
    return mg_gap_words(w, mg_str_trim(w->facts->judge_gap), MG_GAP_HEADLINE);
}

static mg_str blocked_step(const mg_gap_work *w)
{
    const mg_strs *denials = w->facts->denials;
    if (denials == NULL || denials->count == 0)
        return MG_STR("");
    mg_str what = mg_text_cut(w->arena, mg_gap_denial(w, denials->items[0]), OBSERVED_CHARS);
    what.len -= mg_str_ends(what, ".") && !mg_str_ends(what, "...");
    const mg_str more =
        denials->count > 1 ? mg_strf(w->arena, " (and %zu more)", denials->count - 1) : MG_STR("");
    return mg_strf(w->arena,
                   "A step was denied: " MG_FMT MG_FMT ". Take a way that does not need it" MG_FMT,
                   MG_ARG(what), MG_ARG(more), MG_ARG(still_wrong(w, "; ")));
}

/* A goal that is reached without files has an effect of its own (a red entry is green, a signal
 * was sent); and where nothing fails, a missing change is nothing to mend. */
static mg_str no_mutations(const mg_gap_work *w)
{
    const mg_attempt *a = w->facts->attempt;
    const bool wanted = with_outcome(a, MG_OUTCOME_FAIL) > 0 ||
                        (a->reason != NULL && strcmp(a->reason, "no_effect") == 0);
    if (a->goal_actions_executed || !wanted || a->tampered.count > 0 ||
        first_change(a, is_real) != NULL)
        return MG_STR("");
    if (a->changes.count > 0)
        return mg_strf(w->arena,
                       "This attempt changed nothing: '" MG_FMT
                       "' was written with the content it already had" MG_FMT,
                       MG_ARG(mg_gap_words(w, a->changes.items[0].path, NAME_CHARS)),
                       MG_ARG(still_wrong(w, "; ")));
    return mg_strf(w->arena,
                   "This attempt changed nothing: no file was created, modified or deleted" MG_FMT,
                   MG_ARG(still_wrong(w, "; ")));
}

static mg_str partial_completion(const mg_gap_work *w);
static mg_str step_failure(const mg_gap_work *w);

/* Silence says the least: it is the headline only where nothing more telling is. */
static mg_str silence(const mg_gap_work *w)
{
    if (!w->facts->agent_silent || w->facts->attempt->tampered.count > 0 ||
        partial_completion(w).len > 0 || step_failure(w).len > 0)
        return MG_STR("");
    return mg_strf(w->arena, "The agent ended without any output" MG_FMT,
                   MG_ARG(still_wrong(w, ", and ")));
}

static mg_str empty_output(const mg_gap_work *w)
{
    const mg_attempt *a = w->facts->attempt;
    const mg_change *empty = first_change(a, is_emptied), *filled = first_change(a, is_filled);
    size_t count = 0;
    mg_buf buf = mg_buf_new(w->arena, 4096);
    if (empty == NULL)
        return silence(w);
    if (filled != NULL)
        mg_buf_addf(&buf, "'" MG_FMT "' was %s, but ",
                    MG_ARG(mg_gap_words(w, filled->path, NAME_CHARS)),
                    mg_change_name(filled->type));
    for (size_t i = 0; i < a->changes.count; i++) {
        const mg_change *change = &a->changes.items[i];
        if (is_emptied(change) && count++ < LISTED)
            mg_buf_addf(&buf, "%s'" MG_FMT "'", count > 1 ? ", " : "",
                        MG_ARG(mg_gap_words(w, change->path, NAME_CHARS)));
    }
    if (count > LISTED)
        mg_buf_addf(&buf, " and %zu more", count - LISTED);
    mg_buf_addf(&buf, count > 1 ? " are empty" : " is empty (%s with no content)",
                empty->type == MG_CHANGE_CREATED ? "created" : "left");
    mg_buf_add(&buf, still_wrong(w, "; "));
    return mg_buf_str(&buf);
}

static void add_names(const mg_gap_work *w, mg_outcome outcome, mg_buf *buf)
{
    const mg_attempt *a = w->facts->attempt;
    size_t count = 0;
    for (size_t i = 0; i < a->result_count; i++) {
        if (a->results[i].outcome == outcome && count++ < LISTED)
            mg_buf_addf(buf, "%s'" MG_FMT "'", count > 1 ? ", " : "",
                        MG_ARG(mg_gap_words(w, a->results[i].name, NAME_CHARS / 2)));
    }
    if (count > LISTED)
        mg_buf_addf(buf, " and %zu more", count - LISTED);
}

static mg_str partial_completion(const mg_gap_work *w)
{
    const mg_attempt *a = w->facts->attempt;
    const size_t hold = with_outcome(a, MG_OUTCOME_PASS), fail = with_outcome(a, MG_OUTCOME_FAIL);
    mg_buf buf = mg_buf_new(w->arena, 4096);
    if (hold == 0 || fail == 0)
        return MG_STR("");
    mg_buf_add(&buf, failing_text(w, first_with(a, MG_OUTCOME_FAIL)));
    if (fail > 1)
        mg_buf_addf(&buf, "; %zu more fail%s", fail - 1, fail == 2 ? "s" : "");
    mg_buf_addf(&buf, "; %zu of %zu hold: ", hold, a->result_count);
    add_names(w, MG_OUTCOME_PASS, &buf);
    return mg_buf_str(&buf);
}

/* An agent that was stopped from outside has an exit code that says nothing about it. */
static bool was_stopped(const mg_attempt *a)
{
    return a->terminal == MG_TERMINAL_TIMEOUT || a->terminal == MG_TERMINAL_CANCELLED ||
           a->terminal == MG_TERMINAL_MAX_ITERATIONS;
}

static mg_str step_failure(const mg_gap_work *w)
{
    const mg_attempt *a = w->facts->attempt;
    const bool bad_exit = a->has_exit && a->exit_code != 0 && !was_stopped(a);
    if (!bad_exit && !w->facts->errors && a->terminal != MG_TERMINAL_ERROR)
        return MG_STR("");
    const mg_str error = mg_gap_words(w, a->error, OBSERVED_CHARS);
    mg_buf buf = mg_buf_new(w->arena, 4096);
    mg_buf_adds(&buf, bad_exit ? "The agent ended" : "The agent ended with an error");
    if (bad_exit)
        mg_buf_addf(&buf, " with exit code %" PRId64, a->exit_code);
    if (error.len > 0)
        mg_buf_addf(&buf, " (" MG_FMT ")", MG_ARG(error));
    mg_buf_add(&buf, still_wrong(w, "; "));
    return mg_buf_str(&buf);
}

/* Never empty: whoever asks for a gap gets a sentence. */
static mg_str other(const mg_gap_work *w)
{
    static const char *const ends[] = {
        [MG_TERMINAL_MAX_ITERATIONS] = "The attempt ran into its limit of turns before it was done",
        [MG_TERMINAL_CANCELLED] = "The attempt was stopped before it was done",
        [MG_TERMINAL_TIMEOUT] = "The attempt ran out of time before it was done",
    };
    const mg_attempt *a = w->facts->attempt;
    const mg_finding *finding = worst_finding(a);
    const mg_str wrong = still_wrong(w, "");
    if ((size_t)a->terminal < MG_COUNT(ends) && ends[a->terminal] != NULL)
        return mg_strf(w->arena, "%s" MG_FMT, ends[a->terminal], MG_ARG(still_wrong(w, "; ")));
    if (a->reason != NULL && strcmp(a->reason, "unsafe_to_verify") == 0)
        return mg_strf(w->arena,
                       "Nothing was checked after this attempt, because what it left could not be "
                       "made safe" MG_FMT,
                       MG_ARG(a->error.len > 0
                                  ? mg_strf(w->arena, ": " MG_FMT,
                                            MG_ARG(mg_gap_words(w, a->error, OBSERVED_CHARS)))
                                  : MG_STR("")));
    if (a->tampered.count > 0)
        return mg_strf(w->arena,
                       "You changed '" MG_FMT "', which is protected; that was undone" MG_FMT,
                       MG_ARG(mg_gap_words(w, a->tampered.items[0], NAME_CHARS)),
                       MG_ARG(still_wrong(w, "; ")));
    if (wrong.len > 0)
        return wrong;
    if (finding != NULL)
        return mg_strf(w->arena, MG_FMT ": " MG_FMT,
                       MG_ARG(mg_gap_words(w, finding->path, NAME_CHARS)),
                       MG_ARG(mg_gap_words(w, finding->message, MG_GAP_HEADLINE)));
    return MG_STR("The goal was not seen to hold, although nothing is known to fail. Take a "
                  "fundamentally different approach, and leave a result that can be checked");
}

/* The first that has something to say speaks. To add one: a row, in its place. */
static const struct {
    const char *name;
    mg_str (*headline)(const mg_gap_work *w);
} detectors[] = {
    {"judge_gap", judge_gap},       /* it has read the evidence as a whole */
    {"blocked_step", blocked_step}, /* more trying does not help */
    {"no_mutations", no_mutations},
    {"empty_output", empty_output},
    {"partial_completion", partial_completion},
    {"step_failure", step_failure},
    {"other", other}, /* always speaks */
};

/* Entries carry the path they are about only in their name. Names are the user's or ours, so what
 * looks like a path there may be said: 'semgrep.yml', not the word alone. */
static void add_paths_in(mg_str name, mg_arena *arena, mg_strs *paths)
{
    mg_str word;
    while (mg_str_split(&name, ' ', &word)) {
        const char *dot = word.len > 0 ? memrchr(word.ptr, '.', word.len) : NULL;
        const bool suffix = dot != NULL && dot > word.ptr && dot + 1 < word.ptr + word.len;
        if (suffix || mg_str_has(word, "/"))
            mg_strs_add(arena, paths, word);
    }
}

static void add_paths_of(const mg_result *results, size_t count, mg_arena *arena, mg_strs *paths)
{
    for (size_t i = 0; i < count; i++) {
        add_paths_in(results[i].name, arena, paths);
        add_paths_of(results[i].children, results[i].child_count, arena, paths);
    }
}

/* Paths that exist may be named, whatever they are called. */
static const mg_scrub *scrub_for(const mg_gap_facts *facts, mg_arena *arena)
{
    const mg_attempt *a = facts->attempt;
    const mg_scrub *scrub = facts->scrub != NULL ? facts->scrub : mg_scrub_new(NULL, arena);
    mg_strs paths = {0};
    for (size_t i = 0; i < a->changes.count; i++) {
        mg_strs_add(arena, &paths, a->changes.items[i].path);
        mg_strs_add(arena, &paths, a->changes.items[i].old_path);
    }
    for (size_t i = 0; i < a->tampered.count; i++)
        mg_strs_add(arena, &paths, a->tampered.items[i]);
    for (size_t i = 0; i < a->findings.count; i++)
        mg_strs_add(arena, &paths, a->findings.items[i].path);
    add_paths_of(a->results, a->result_count, arena, &paths);
    return mg_scrub_keeping(scrub, &paths, arena);
}

void mg_gap_find(const mg_gap_facts *facts, mg_arena *arena, mg_gap *out)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_gap_work w = {facts, scrub_for(facts, scratch), scratch};
    for (size_t i = 0; i < MG_COUNT(detectors); i++) {
        const mg_str headline = detectors[i].headline(&w);
        if (headline.len == 0)
            continue;
        out->detector = detectors[i].name;
        out->headline = mg_str_copy(arena, mg_text_cut(scratch, headline, MG_GAP_HEADLINE));
        out->text = mg_gap_text(&w, out->headline, arena);
        return;
    }
}
