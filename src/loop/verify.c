/* verify.c - looking at the world after an attempt, and saying what it proves.
 *
 * Nothing the agent says is evidence. What cannot be trusted any more (a process of the attempt may
 * still live, a protected path could not be restored, the workspace could not be read) makes the
 * whole attempt unknown; it is never quietly left out.
 */
#include "base/map.h"
#include "base/vec.h"
#include "data/text.h"
#include "judge/gap.h"
#include "loop/state.h"

static mg_status still_wanted(const void *data, mg_err *err)
{
    const mg_driver *d = data;
    if (mg_drive_cancelled(d) && !d->tidying)
        return mg_fail(err, MG_ERR_CANCELLED, "the loop was cancelled");
    if (mg_clock_ms(d->o->clock) >= d->look_until_ms)
        return mg_fail(err, MG_ERR_TIMEOUT,
                       "the workspace could not be read within check.deadline");
    return MG_OK;
}

mg_status mg_moment_take(mg_driver *d, const mg_snapshot *like, mg_moment *out, mg_err *err)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_live live = {still_wanted, d};
    const mg_snapshot *snapshot;
    d->look_until_ms = mg_clock_ms(d->o->clock) + d->o->goal->deadline_ms;
    MG_TRY(mg_snapshot_take(&d->world, d->scope, like, d->pack, live, arena, &snapshot, err));
    *out = (mg_moment){MG_TAKE(arena), snapshot};
    return MG_OK;
}

/* --- Entries --- */

static void tell_result(void *data, const mg_result *result, size_t settled, size_t total)
{
    mg_driver *d = data;
    const mg_attempt *attempt =
        d->p->attempt_count > 0 ? &d->p->attempts[d->p->attempt_count - 1] : NULL;
    mg_drive_tell(d, (mg_event){.type = MG_EVENT_ASSERTION,
                                .attempt = attempt,
                                .result = result,
                                .settled = settled,
                                .total = total});
}

/* What was seen while a service was not ready says nothing about the goal. Before the first attempt
 * it is different: a server that is not written yet is what makes an entry red. But one that was
 * only slow then and answers later is nobody's work. */
static void doubt(mg_result *results, size_t count, bool after_attempt, mg_str why)
{
    for (size_t i = 0; i < count; i++) {
        doubt(results[i].children, results[i].child_count, after_attempt, why);
        if (results[i].outcome == MG_OUTCOME_FAIL && !after_attempt) {
            results[i].timed_out = true;
            continue;
        }
        results[i].outcome = MG_OUTCOME_UNKNOWN;
        results[i].proves = false;
        results[i].message = why;
    }
}

static void note_slowest(const mg_entry *entry, const mg_result *result, uint64_t *us)
{
    if (entry->type == MG_ENTRY_LEAF && entry->kind->runs_command)
        *us = MG_MAX(*us, result->duration_us);
    for (size_t i = 0; i < entry->children.count && i < result->child_count; i++)
        note_slowest(entry->children.items[i], &result->children[i], us);
}

mg_status mg_verify_entries(mg_driver *d, const mg_evidence *evidence, bool after_attempt,
                            mg_arena *arena, mg_report *out, mg_str *trouble, mg_err *err)
{
    const mg_goal *goal = d->o->goal;
    const mg_view view = {.world = &d->world,
                          .attempt = evidence,
                          .limits = d->o->limits,
                          .clock = d->o->clock,
                          .deadline_ms = UINT64_MAX,
                          .cancel = &d->cancel,
                          .programs = d->programs,
                          .began_ms = d->p->created_ms,
                          .supervisor = d->o->supervisor};
    const mg_check_options options = {
        .no_retry = !after_attempt, .loop = d->loop, .progress = tell_result, .progress_data = d};
    mg_services *services = NULL;
    d->service_taken = false;
    mg_status s = mg_services_start(d, &view, arena, &services, trouble, err);
    if (s == MG_OK)
        s = mg_check_once(goal, &view, &options, arena, out, err);
    mg_services_stop(services, arena, trouble);
    MG_TRY(s);
    if (trouble->len > 0) {
        doubt(out->results, out->result_count, after_attempt, *trouble);
        if (out->verdict == MG_VERDICT_MET)
            out->verdict = MG_VERDICT_UNKNOWN;
    }
    uint64_t slowest_us = 0;
    for (size_t i = 0; i < out->result_count; i++)
        note_slowest(goal->entries.items[i], &out->results[i], &slowest_us);
    d->command_ms = slowest_us / 1000;
    return MG_OK;
}

/* Every entry, unknown, for the record of an attempt that could not be judged. */
static void results_unknown(const mg_driver *d, mg_str why, mg_attempt *attempt)
{
    const mg_entries *entries = &d->o->goal->entries;
    attempt->result_count = entries->count;
    attempt->results = mg_new_array(d->arena, mg_result, entries->count);
    for (size_t i = 0; i < entries->count; i++)
        attempt->results[i] = (mg_result){.kind = mg_entry_kind_name(entries->items[i]),
                                          .name = entries->items[i]->name,
                                          .invariant = entries->items[i]->invariant,
                                          .line = entries->items[i]->line,
                                          .message = why};
}

/* --- What changed --- */

static bool contains(const mg_strs *list, mg_str text)
{
    for (size_t i = 0; i < list->count; i++)
        if (mg_str_eq(list->items[i], text))
            return true;
    return false;
}

/* Without what verification itself wrote and nobody touched since. */
static void leave_out_ours(const mg_driver *d, const mg_snapshot *now, mg_arena *arena,
                           mg_changes *changes)
{
    if (d->ours.count == 0)
        return;
    mg_map ours = mg_map_new(arena);
    for (size_t i = 0; i < d->ours.count; i++)
        (void)mg_map_put(&ours, d->ours.items[i], &d->ours.items[i]);
    mg_change *kept = mg_new_array(arena, mg_change, changes->count);
    size_t count = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const mg_change *c = &changes->items[i];
        if (mg_map_get(&ours, c->path) == NULL ||
            !mg_snapshot_same(d->before.snapshot, now, c->path))
            kept[count++] = *c;
    }
    *changes = (mg_changes){kept, count};
}

/* Whether a change is the agent's work: a no-op is none, and what was put back is none. */
static bool is_effect(const mg_driver *d, const mg_change *c)
{
    return !c->no_op && c->type != MG_CHANGE_NONE && !mg_scope_protects(d->scope, c->path);
}

static bool any_effect(const mg_driver *d, const mg_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (is_effect(d, &changes->items[i]))
            return true;
    return false;
}

/* Whether an entry that was red is green now, and was not in the attempt before. */
static bool turned_green(const mg_driver *d, const mg_attempt *attempt, const mg_attempt *previous)
{
    for (size_t i = 0; i < attempt->result_count; i++) {
        const mg_result *baseline = i < d->p->baseline_count ? &d->p->baseline[i] : NULL;
        const bool green = attempt->results[i].outcome == MG_OUTCOME_PASS &&
                           attempt->results[i].proves &&
                           mg_entry_was_red(d->o->goal->entries.items[i], baseline) &&
                           !(baseline != NULL && baseline->timed_out);
        const bool before = previous != NULL && i < previous->result_count &&
                            previous->results[i].outcome == MG_OUTCOME_PASS;
        if (green && !before)
            return true;
    }
    return false;
}

/* What verification left behind is ours from now on; what the agent touched of it no more. */
static void note_ours(mg_driver *d, const mg_moment *seen, const mg_moment *after,
                      const mg_changes *written)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_map known = mg_map_new(scratch);
    mg_strs ours = {0};
    for (size_t i = 0; i < d->ours.count; i++) {
        if (mg_snapshot_same(d->before.snapshot, seen->snapshot, d->ours.items[i]) &&
            mg_snapshot_same(seen->snapshot, after->snapshot, d->ours.items[i])) {
            mg_strs_add(d->arena, &ours, d->ours.items[i]);
            (void)mg_map_put(&known, d->ours.items[i], d);
        }
    }
    for (size_t i = 0; i < written->count; i++) {
        const mg_change *c = &written->items[i];
        if (!c->no_op && mg_map_get(&known, c->path) == NULL)
            mg_strs_add(d->arena, &ours, mg_str_copy(d->arena, c->path));
    }
    d->ours = ours;
}

/* How the next attempt will find the workspace; `known` is that, or empty. Takes both over. */
static mg_status settle_before(mg_driver *d, mg_moment *seen, const mg_moment *known,
                               bool look_again, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_moment after = known->arena != NULL ? *known : *seen;
    mg_changes written = {0};
    mg_status s = MG_OK;
    if (look_again) {
        if (known->arena == NULL)
            s = mg_moment_take(d, seen->snapshot, &after, err);
        if (s == MG_OK)
            s = mg_snapshot_delta(seen->snapshot, after.snapshot, NULL, scratch, &written, err);
        if (s == MG_OK)
            note_ours(d, seen, &after, &written);
        mg_arena_free(seen->arena);
    }
    d->wrote = written.count > 0;
    mg_arena_free(d->before.arena);
    d->before = s == MG_OK ? after : (mg_moment){NULL, d->start.snapshot};
    return s;
}

/* --- The attempt --- */

typedef struct seen {
    mg_moment now;
    mg_moment rest;  /* after protected paths were put back, if they had to be */
    mg_moment after; /* verification, if that was looked at and nothing was changed since */
    mg_changes since_start;
    bool restored;
    mg_str unsafe; /* why nothing that was read can be trusted; or empty */
} seen;

static void distrust(mg_driver *d, seen *s, const char *why)
{
    if (s->unsafe.len == 0)
        s->unsafe = mg_str_copy(d->arena, mg_str_of(why));
}

/* Snapshot and delta. Only a cancel is an error; a workspace that cannot be read is unsafe. */
static mg_status look(mg_driver *d, mg_attempt *attempt, mg_arena *scratch, seen *s, mg_err *err)
{
    mg_drive_phase(d, attempt, "delta");
    mg_status status = mg_moment_take(d, d->before.snapshot, &s->now, err);
    if (status == MG_OK)
        status = mg_snapshot_delta(d->before.snapshot, s->now.snapshot, d->pack, d->arena,
                                   &attempt->changes, err);
    if (status == MG_OK)
        status = mg_snapshot_delta(d->start.snapshot, s->now.snapshot, d->pack, scratch,
                                   &s->since_start, err);
    if (status == MG_ERR_CANCELLED)
        return status;
    if (status != MG_OK)
        distrust(d, s, err->text);
    else
        leave_out_ours(d, s->now.snapshot, scratch, &s->since_start);
    return MG_OK;
}

static mg_status protect(mg_driver *d, mg_attempt *attempt, mg_arena *scratch, seen *s, mg_err *err)
{
    mg_strs counted = {0}, planted = {0};
    if (s->unsafe.len > 0)
        return MG_OK;
    mg_status status =
        mg_guard_compare(d->guard, s->now.snapshot, scratch, &counted, &planted, err);
    if (status == MG_OK && counted.count + planted.count > 0) {
        mg_drive_phase(d, attempt, "restore");
        mg_undone_keep(d, attempt, &counted);
        status = mg_guard_restore(d->guard, s->now.snapshot, scratch, err);
        s->restored = true;
        if (status == MG_OK && d->runs && !d->tidying)
            status = mg_moment_take(d, s->now.snapshot, &s->rest, err);
    }
    if (status != MG_OK)
        distrust(d, s, err->text);
    attempt->restored = status == MG_OK;
    for (size_t i = 0; i < counted.count; i++) {
        const mg_str path = counted.items[i]; /* restored in any case, but whose doing was it? */
        if (!contains(&d->ours, path) ||
            !mg_snapshot_same(d->before.snapshot, s->now.snapshot, path))
            mg_strs_add(d->arena, &attempt->tampered, mg_str_copy(d->arena, path));
    }
    return status == MG_ERR_CANCELLED ? status : MG_OK;
}

/* A path of the start that verification has altered, now or in an earlier attempt; or empty. */
static mg_str altered_by_us(const mg_driver *d, const mg_snapshot *before, const mg_snapshot *after,
                            mg_arena *scratch)
{
    mg_strs altered = {0};
    mg_guard_altered(d->guard, after, scratch, &altered);
    for (size_t i = 0; i < altered.count; i++)
        if (contains(&d->ours, altered.items[i]) ||
            !mg_snapshot_same(before, after, altered.items[i]))
            return altered.items[i];
    return MG_STR("");
}

/* What the agent wrote may delete a file only when a command of the goal runs it: entries about all
 * that changed were told what was so before. */
static void doubt_changes(const mg_driver *d, const mg_snapshot *before, const mg_snapshot *after,
                          mg_arena *scratch, mg_attempt *attempt)
{
    bool asked = false;
    for (size_t i = 0; i < attempt->result_count; i++)
        asked = asked || mg_entry_asks_changes(d->o->goal->entries.items[i]);
    const mg_str path = asked ? altered_by_us(d, before, after, scratch) : MG_STR("");
    for (size_t i = 0; path.len > 0 && i < attempt->result_count; i++) {
        mg_result *r = &attempt->results[i];
        if (r->outcome != MG_OUTCOME_PASS || !mg_entry_asks_changes(d->o->goal->entries.items[i]))
            continue;
        r->outcome = MG_OUTCOME_UNKNOWN;
        r->proves = false;
        r->message = mg_strf(d->arena,
                             "'" MG_FMT "' was changed or deleted while the goal was verified, "
                             "and was not before the first attempt: whose change that is cannot "
                             "be said",
                             MG_ARG(path));
    }
}

/* Commands of the goal run what the agent wrote, and that may change a protected test before the
 * next command is judged by it. */
static mg_status protect_on(mg_driver *d, mg_attempt *attempt, mg_arena *scratch, seen *s,
                            mg_err *err)
{
    const mg_snapshot *before = s->rest.snapshot != NULL ? s->rest.snapshot : s->now.snapshot;
    mg_moment after = {0};
    mg_strs touched = {0};
    if (!d->runs || s->unsafe.len > 0)
        return MG_OK;
    mg_status status = mg_moment_take(d, s->now.snapshot, &after, err);
    if (status == MG_OK)
        status = mg_guard_touched(d->guard, before, after.snapshot, scratch, &touched, err);
    for (size_t i = 0; i < touched.count; i++)
        if (!contains(&attempt->tampered, touched.items[i]))
            mg_strs_add(d->arena, &attempt->tampered, mg_str_copy(d->arena, touched.items[i]));
    if (status == MG_OK && touched.count == 0) {
        doubt_changes(d, before, after.snapshot, scratch, attempt);
        s->after = after;
        return MG_OK;
    }
    if (status == MG_OK) {
        mg_drive_phase(d, attempt, "restore");
        status = mg_guard_restore(d->guard, after.snapshot, scratch, err);
    }
    attempt->restored = status == MG_OK;
    mg_arena_free(after.arena);
    if (status != MG_OK && status != MG_ERR_CANCELLED) {
        distrust(d, s, err->text);
        results_unknown(d, s->unsafe, attempt);
    }
    return status == MG_ERR_CANCELLED ? status : MG_OK;
}

static mg_status judge_entries(mg_driver *d, const mg_agent_end *end, mg_attempt *attempt, seen *s,
                               mg_err *err)
{
    if (s->unsafe.len > 0) {
        results_unknown(d, s->unsafe, attempt);
        return MG_OK;
    }
    const mg_evidence evidence = {.response = &end->response,
                                  .response_cut = end->response_cut,
                                  .steps = end->steps,
                                  .step_count = end->step_count,
                                  .steps_known = end->steps_known,
                                  .changes = &s->since_start,
                                  .baseline = d->named,
                                  .baseline_count = d->named_count};
    mg_report report = {0};
    mg_str trouble = {0};
    mg_drive_phase(d, attempt, "check");
    MG_TRY(mg_verify_entries(d, &evidence, true, d->arena, &report, &trouble, err));
    attempt->results = report.results;
    attempt->result_count = report.result_count;
    d->service_failed = trouble.len > 0;
    if (trouble.len > 0)
        mg_vec_push(d->arena, &attempt->findings,
                    ((mg_finding){"service_not_ready", MG_LEVEL_MEDIUM, MG_STR(""), trouble}));
    return MG_OK;
}

static void decide(mg_driver *d, const seen *s, mg_attempt *attempt)
{
    const mg_goal *goal = d->o->goal;
    const mg_facts facts = {
        .results = attempt->results,
        .result_count = attempt->result_count,
        .baseline = d->p->baseline,
        .baseline_count = d->p->baseline_count,
        .entries = (const mg_entry *const *)goal->entries.items,
        .entry_count = goal->entries.count,
        /* A single run without entries is supervised: it is unverified, not a failure. */
        .effect_required = d->o->effect_required && goal->entries.count > 0,
        .effect = attempt->effect,
        .tampered = attempt->tampered.count > 0,
        .unsafe = s->unsafe.len > 0,
        .findings = &attempt->findings,
    };
    const mg_tier1 tier1 = mg_tier1_decide(&facts);
    attempt->verdict = tier1.verdict;
    attempt->tier = s->unsafe.len == 0; /* an unsafe one is decided by none */
    attempt->reason = tier1.reason;
    attempt->proved_by = tier1.verdict == MG_VERDICT_MET ? "user" : NULL;
    attempt->status =
        mg_attempt_status_of(tier1.verdict, attempt->terminal, tier1.red_to_green, false);
    if (s->unsafe.len > 0 && attempt->error.len == 0)
        attempt->error = s->unsafe;
}

static void find_gap(mg_driver *d, const mg_agent_end *end, mg_attempt *attempt)
{
    if (attempt->verdict == MG_VERDICT_MET)
        return;
    const mg_gap_facts facts = {
        .attempt = attempt,
        .denials = &end->denials,
        .denial_setting = mg_str_of(mg_agent_denial_setting(d->o->agent)),
        .errors = end->errors,
        .agent_silent = end->silent,
        .scrub = d->scrub,
    };
    mg_gap_find(&facts, d->arena, &attempt->gap);
}

/* Whether verification wrote a path that the entry asks about, in this look or in an earlier one.
 */
static bool wrote_subject(const mg_driver *d, const seen *s, const mg_entry *entry, mg_arena *arena)
{
    const mg_strs paths = mg_entry_paths(entry, arena);
    for (size_t i = 0; i < paths.count; i++) {
        const bool now = s->after.snapshot != NULL &&
                         !mg_snapshot_same(s->now.snapshot, s->after.snapshot, paths.items[i]);
        const bool then = contains(&d->ours, paths.items[i]) &&
                          mg_snapshot_same(d->before.snapshot, s->now.snapshot, paths.items[i]);
        if (now || then)
            return true;
    }
    return false;
}

/* An agent that changed nothing has not made right what our own commands wrote. (Where it did
 * change something they may have built it from that.) */
static void take_back_ours(const mg_driver *d, const seen *s, mg_arena *arena, mg_attempt *attempt)
{
    if (s->unsafe.len > 0 || any_effect(d, &s->since_start))
        return;
    for (size_t i = 0; i < attempt->result_count; i++)
        if (wrote_subject(d, s, d->o->goal->entries.items[i], arena))
            attempt->results[i].proves = false;
}

void mg_verify_cancelled(mg_driver *d, mg_attempt *attempt)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    seen s = {0};
    mg_err err;
    d->tidying = true;
    if (look(d, attempt, scratch, &s, &err) == MG_OK)
        (void)protect(d, attempt, scratch, &s, &err);
    if (s.unsafe.len > 0 && attempt->note.len == 0)
        attempt->note = s.unsafe;
    d->tidying = false;
    mg_arena_free(s.now.arena);
}

mg_status mg_verify_attempt(mg_driver *d, const mg_agent_end *end, mg_attempt *attempt, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_attempt *previous = d->p->attempt_count > 1 ? attempt - 1 : NULL;
    seen s = {0};
    if (!end->whole)
        distrust(d, &s,
                 end->why.len > 0 ? mg_str_cstr(scratch, end->why)
                                  : "whether every process of the attempt ended is not "
                                    "known");
    mg_status status = look(d, attempt, scratch, &s, err);
    if (status == MG_OK)
        status = protect(d, attempt, scratch, &s, err);
    if (status == MG_OK)
        status = judge_entries(d, end, attempt, &s, err);
    if (status == MG_OK)
        status = protect_on(d, attempt, scratch, &s, err);
    if (status == MG_OK) {
        mg_findings_add(d, &s.since_start, d->arena, &attempt->findings);
        take_back_ours(d, &s, scratch, attempt);
        const bool green = turned_green(d, attempt, NULL);
        attempt->effect = any_effect(d, &s.since_start) || green;
        attempt->goal_actions_executed =
            any_effect(d, &attempt->changes) || turned_green(d, attempt, previous);
        attempt->counted = attempt->counted || attempt->tampered.count > 0;
        decide(d, &s, attempt);
        find_gap(d, end, attempt);
        mg_budget_settle(d, attempt, end, &s.since_start, s.now.snapshot);
    }
    mg_arena_free(s.rest.arena);
    if (s.now.arena == NULL)
        return status;
    if (status != MG_OK || d->p->status != MG_PURSUIT_RUNNING) {
        mg_arena_free(s.now.arena);
        mg_arena_free(s.after.arena);
        return status;
    }
    return settle_before(d, &s.now, &s.after, d->runs || s.restored, err);
}
