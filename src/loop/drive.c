/* drive.c - the loop itself: baseline, then attempt after attempt until something ends it.
 *
 * docs/drive.md, "How an attempt goes" and "When it ends". The running verdict
 * comes from memory alone; the store is written as things happen and never asked what was proved.
 */
#include "base/vec.h"
#include "data/glob.h"
#include "data/text.h"
#include "loop/state.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* --- Beginning and end --- */

static void end_with(mg_driver *d, mg_pursuit_status status, mg_why reason, mg_str message)
{
    d->p->status = status;
    d->p->reason = reason;
    d->p->message = message;
}

static mg_status make_dir(int at, const char *name, int *out, mg_err *err)
{
    if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
        return mg_fail_errno(err, "directory '%s' of the state cannot be made", name);
    *out = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return *out >= 0 ? MG_OK : mg_fail_errno(err, "directory '%s' of the state", name);
}

/* The state must not lie where the agent works: it would be part of what changed. */
static mg_status outside_root(const mg_driver *d, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    char *real = realpath(d->o->state_dir, NULL);
    if (real == NULL)
        return mg_fail_errno(err, "state directory '%s'", d->o->state_dir);
    const mg_str state = mg_str_copy(scratch, mg_str_of(real));
    free(real);
    const mg_str root = d->p->root;
    const bool inside = mg_str_starts(state, mg_str_cstr(scratch, root)) &&
                        (state.len == root.len || root.len == 1 || state.ptr[root.len] == '/');
    if (inside)
        return mg_fail(err, MG_ERR_INVALID,
                       "the state directory '" MG_FMT "' lies beneath the root '" MG_FMT
                       "'; set XDG_STATE_HOME to a directory outside of it",
                       MG_ARG(state), MG_ARG(root));
    return MG_OK;
}

static mg_status open_dir(mg_driver *d, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    MG_TRY(outside_root(d, err));
    MG_AUTO_FD state = open(d->o->state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (state < 0)
        return mg_fail_errno(err, "state directory '%s'", d->o->state_dir);
    MG_AUTO_FD loops = -1;
    MG_TRY(make_dir(state, "loops", &loops, err));
    return make_dir(loops, mg_str_cstr(scratch, d->p->id), &d->dir, err);
}

static void collect_secrets(mg_driver *d)
{
    mg_strs secrets = {0};
    for (const char *const *env = d->world.environ; env != NULL && *env != NULL; env++) {
        const mg_str var = mg_str_of(*env);
        const size_t equals = mg_str_find(var, '=', 0);
        const mg_str value = mg_str_from(var, equals + 1);
        if (equals < var.len && mg_env_secret(mg_str_first(var, equals), value))
            mg_strs_add(d->arena, &secrets, value);
    }
    d->scrub = mg_scrub_new(&secrets, d->arena);
}

static mg_status open_drive(mg_driver *d, mg_err *err)
{
    const mg_value *services = mg_arg(d->o->goal->settings, "service");
    d->runs = services->set && services->objects.count > 0;
    for (size_t i = 0; i < d->o->goal->entries.count; i++)
        d->runs = d->runs || mg_entry_runs(d->o->goal->entries.items[i]);
    collect_secrets(d);
    MG_TRY(mg_loop_open(&d->loop, err));
    MG_TRY(open_dir(d, err));
    return mg_drive_cancel_open(d, err);
}

static void close_drive(mg_driver *d)
{
    mg_drive_cancel_close(d);
    mg_loop_close(d->loop);
    mg_arena_free(d->before.arena);
    mg_arena_free(d->start.arena);
    mg_arena_free(d->first.arena);
    mg_fd_auto_close(&d->dir);
    mg_fd_auto_close(&d->tree_fd);
    mg_fd_auto_close(&d->root_lock);
}

/* --- Before attempt 1 --- */

static mg_status invariants_hold(const mg_driver *d, mg_err *err)
{
    for (size_t i = 0; i < d->p->baseline_count; i++) {
        const mg_result *r = &d->p->baseline[i];
        if (r->invariant && r->outcome != MG_OUTCOME_PASS)
            return mg_fail(err, MG_ERR_INVALID,
                           "the invariant '" MG_FMT
                           "' does not hold before the first attempt: " MG_FMT
                           "; make it an assertion if the agent should fix it",
                           MG_ARG(r->name), MG_ARG(r->message));
    }
    return MG_OK;
}

/* docs/drive.md, "Red to green, and effect". */
static void decide_before(mg_driver *d, const mg_report *report)
{
    mg_str advice = {0};
    const bool single = d->o->budget.attempts == 1 && d->o->goal->entries.count == 0;
    if (report->verdict == MG_VERDICT_MET && !d->o->effect_required) {
        d->p->last = MG_VERDICT_MET;
        d->p->verified = true;
        end_with(d, MG_PURSUIT_SUCCEEDED, MG_WHY_ALREADY_MET,
                 MG_STR("The goal holds already; the agent was not started."));
    } else if (!single && !mg_provable(d->o->goal, d->p->baseline, d->p->baseline_count,
                                       d->o->effect_required, d->arena, &advice)) {
        d->p->last = MG_VERDICT_UNKNOWN; /* nothing was tried, so nothing was found wanting */
        end_with(d, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE, advice);
    }
}

static mg_status baseline(mg_driver *d, mg_err *err)
{
    mg_report report = {0};
    mg_str trouble = {0};
    const mg_changes none = {0};
    const mg_evidence evidence = {.changes = &none};
    d->verified_ms = d->o->clock->wall_ms(d->o->clock->self);
    mg_drive_phase(d, NULL, "baseline");
    MG_TRY(mg_programs_freeze(d->o->goal, &d->world, d->arena, &d->programs, err));
    MG_TRY(mg_verify_entries(d, &evidence, false, d->arena, &report, &trouble, err));
    d->p->baseline = report.results;
    d->p->baseline_count = report.result_count;
    d->p->last = report.verdict == MG_VERDICT_MET ? MG_VERDICT_UNKNOWN : report.verdict;
    for (size_t i = 0; i < report.warnings.count; i++)
        mg_strs_add(d->arena, &d->p->warnings, report.warnings.items[i]);
    mg_drive_tell(d, (mg_event){.type = MG_EVENT_BASELINE});
    if (d->service_taken)
        return mg_fail(err, MG_ERR_INVALID, MG_FMT, MG_ARG(trouble));
    MG_TRY(invariants_hold(d, err));
    decide_before(d, &report);
    return MG_OK;
}

static void note_named(mg_driver *d, const mg_strs *paths)
{
    d->subjects = *paths;
    d->named = mg_new_array(d->arena, mg_baseline_file, paths->count);
    for (size_t i = 0; i < paths->count; i++) /* what is not known has no baseline */
        d->named_count +=
            mg_snapshot_file(d->start.snapshot, paths->items[i], &d->named[d->named_count]);
}

static mg_status freeze_scope(mg_driver *d, const mg_strs *paths, mg_err *err)
{
    mg_strs protect = {0};
    MG_TRY(mg_guard_follow(&d->world, d->o->protect, d->arena, &d->protect, err));
    for (size_t i = 0; i < d->protect.count; i++)
        mg_strs_add(d->arena, &protect, d->protect.items[i]);
    if (d->o->goal_path.len > 0)
        mg_strs_add(d->arena, &protect, mg_glob_literal(d->o->goal_path, d->arena));
    const mg_scope_rules rules = {.ignore = d->o->ignore, .protect = &protect, .named = paths};
    MG_TRY(mg_scope_freeze(&d->world, &rules, d->arena, &d->scope, err));
    return mg_pack_open(d->dir, "pack", d->arena, &d->pack, err);
}

/* What verification writes itself is seen when it runs for the first time. Only protected paths,
 * and entries about all that changed, need to know. */
static mg_status look_first(mg_driver *d, mg_err *err)
{
    const mg_strs paths = mg_goal_paths(d->o->goal, d->arena);
    bool matters = d->o->protect != NULL && d->o->protect->count > 0;
    for (size_t i = 0; i < d->o->goal->entries.count; i++)
        matters = matters || mg_entry_asks_changes(d->o->goal->entries.items[i]);
    MG_TRY(freeze_scope(d, &paths, err));
    return matters && d->runs ? mg_moment_take(d, NULL, &d->first, err) : MG_OK;
}

/* How everything is when the loop begins: what later is compared with. */
static mg_status freeze(mg_driver *d, mg_err *err)
{
    const mg_strs paths = mg_goal_paths(d->o->goal, d->arena);
    mg_strs always = {0}, habit = {0};
    mg_drive_phase(d, NULL, "snapshot");
    MG_TRY(mg_moment_take(d, d->first.snapshot, &d->start, err));
    if (d->first.snapshot != NULL)
        MG_TRY(mg_guard_habit(d->first.snapshot, d->start.snapshot, d->arena, &habit, err));
    mg_arena_free(d->first.arena);
    d->first = (mg_moment){0};
    d->before = (mg_moment){NULL, d->start.snapshot};
    d->wrote = d->runs && mg_snapshot_touched(d->start.snapshot, d->verified_ms);
    note_named(d, &paths);
    if (d->o->goal_path.len > 0)
        mg_strs_add(d->arena, &always, d->o->goal_path);
    const mg_guard_rules rules = {.protect = &d->protect, .always = &always, .habit = &habit};
    MG_TRY(mg_guard_open(&d->world, d->scope, &rules, d->start.snapshot, d->dir, d->arena,
                         &d->guard, &d->p->warnings, err));
    return mg_resume_save(d, err);
}

/* --- Attempts --- */

/* Whatever the store calls it: it is no mistake of the user's, and no refusal. */
static mg_status store_result(mg_driver *d, mg_err *err)
{
    if (d->store_status == MG_OK)
        return MG_OK;
    *err = d->store_err;
    return MG_ERR_SYSTEM;
}

static void tell_finished(mg_driver *d, const mg_attempt *attempt)
{
    mg_drive_tell(d, (mg_event){.type = MG_EVENT_ATTEMPT_FINISHED, .attempt = attempt});
    if (attempt->gap.detector != NULL)
        mg_drive_tell(d, (mg_event){.type = MG_EVENT_GAP, .attempt = attempt});
}

static mg_status record(mg_driver *d, const mg_attempt *attempt, mg_err *err)
{
    if (d->o->store != NULL && d->store_status == MG_OK)
        d->store_status = mg_store_attempt(d->o->store, d->p, attempt, &d->store_err);
    tell_finished(d, attempt);
    return store_result(d, err);
}

/* A driver may have died between keeping an attempt and telling of it. */
static mg_status tell_what_was_lost(mg_driver *d, mg_err *err)
{
    uint64_t told;
    MG_TRY(
        mg_store_told(d->o->store, d->p->id, mg_event_name(MG_EVENT_ATTEMPT_FINISHED), &told, err));
    for (size_t i = told; i < d->p->attempt_count; i++)
        tell_finished(d, &d->p->attempts[i]);
    return store_result(d, err);
}

/* Stopped by the user in the middle: nothing was judged, and it costs no attempt. */
static mg_status record_cancelled(mg_driver *d, mg_attempt *attempt, mg_err *err)
{
    mg_verify_cancelled(d, attempt);
    attempt->terminal = MG_TERMINAL_CANCELLED;
    attempt->counted = false;
    attempt->verdict = MG_VERDICT_UNKNOWN;
    attempt->status = MG_ATTEMPT_UNVERIFIED;
    attempt->reason = "cancelled";
    attempt->results = NULL;
    attempt->result_count = 0;
    d->p->spent.time_ms = mg_drive_elapsed_ms(d);
    end_with(d, MG_PURSUIT_CANCELLED, MG_WHY_CANCELLED, MG_STR(""));
    return record(d, attempt, err);
}

typedef struct nap {
    bool over, cancelled;
} nap;

static void nap_over(void *data)
{
    ((nap *)data)->over = true;
}

static void nap_cancelled(void *data, int ready)
{
    (void)ready;
    ((nap *)data)->cancelled = true;
}

/* Waits for a rate limit to pass; the loop gives up if the time budget ends before that. */
static mg_status wait_for_reset(mg_driver *d, const mg_attempt *attempt, const mg_agent_end *end,
                                mg_err *err)
{
    enum { UNTOLD_MS = 30000 };
    const int64_t now = d->o->clock->wall_ms(d->o->clock->self);
    const uint64_t told = end->reset_ms > now ? (uint64_t)(end->reset_ms - now) : 0;
    const uint64_t wait = end->reset_ms > 0 ? told : (uint64_t)UNTOLD_MS * d->limited_in_a_row;
    if (wait >= mg_drive_left_ms(d)) {
        end_with(d, MG_PURSUIT_GAVE_UP, MG_WHY_TIME_EXHAUSTED,
                 mg_strf(d->arena,
                         "The agent is rate limited for another " MG_FMT
                         ", longer than the time that is left.",
                         MG_ARG(mg_duration_text(d->arena, wait))));
        return MG_OK;
    }
    nap n = {0};
    mg_drive_tell(
        d, (mg_event){
               .type = MG_EVENT_PHASE, .attempt = attempt, .phase = "waiting", .wait_ms = wait});
    mg_watch *cancel = mg_watch_start(d->loop, d->cancel.fd, MG_READABLE, nap_cancelled, &n, err);
    if (cancel == NULL)
        return MG_ERR_SYSTEM;
    mg_timer *timer = mg_timer_start(d->loop, wait, nap_over, &n);
    while (!n.over && !n.cancelled)
        mg_loop_turn(d->loop);
    if (!n.over)
        mg_timer_stop(timer);
    mg_watch_stop(cancel);
    return MG_OK;
}

static mg_attempt *next_attempt(mg_driver *d)
{
    mg_pursuit *p = d->p;
    const uint32_t last = p->attempt_count > 0 ? p->attempts[p->attempt_count - 1].number : 0;
    p->attempts =
        mg_vec_room(d->arena, p->attempts, p->attempt_count, &p->attempt_cap, sizeof *p->attempts);
    mg_attempt *attempt = &p->attempts[p->attempt_count++];
    *attempt = (mg_attempt){.number = last + 1, .counted = true};
    attempt->started_ms = d->o->clock->wall_ms(d->o->clock->self);
    p->attempt_total = (uint32_t)p->attempt_count;
    return attempt;
}

static mg_status one_attempt(mg_driver *d, mg_err *err)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL); /* what the agent said, until it is recorded */
    mg_attempt *attempt = next_attempt(d);
    const mg_spent spent = d->p->spent;
    mg_agent_end end = {0};
    mg_status s = mg_attempt_run(d, attempt, arena, &end, err);
    if (s == MG_OK && !mg_drive_cancelled(d))
        s = mg_verify_attempt(d, &end, attempt, err);
    if (s == MG_ERR_CANCELLED || mg_drive_cancelled(d)) {
        d->p->spent = spent;
        return record_cancelled(d, attempt, err);
    }
    MG_TRY(s);
    d->p->verified = attempt->verdict == MG_VERDICT_MET;
    MG_TRY(mg_resume_note(d, err));
    MG_TRY(record(d, attempt, err));
    if (end.rate_limited && d->p->status == MG_PURSUIT_RUNNING)
        return wait_for_reset(d, attempt, &end, err);
    return MG_OK;
}

static mg_status go_round(mg_driver *d, mg_err *err)
{
    while (d->p->status == MG_PURSUIT_RUNNING) {
        if (mg_drive_cancelled(d))
            end_with(d, MG_PURSUIT_CANCELLED, MG_WHY_CANCELLED, MG_STR(""));
        else if (mg_drive_left_ms(d) == 0)
            end_with(d, MG_PURSUIT_GAVE_UP, MG_WHY_TIME_EXHAUSTED, MG_STR(""));
        else
            MG_TRY(one_attempt(d, err));
    }
    return MG_OK;
}

/* --- The whole --- */

/* A loop that could not go on ends as what it is; it is stored as far as that is possible. */
static void end_broken(mg_driver *d, mg_status s, const mg_err *err)
{
    if (s == MG_ERR_CANCELLED)
        end_with(d, MG_PURSUIT_CANCELLED, MG_WHY_CANCELLED, MG_STR(""));
    else if (s == MG_ERR_INVALID)
        end_with(d, MG_PURSUIT_GAVE_UP, MG_WHY_UNVERIFIABLE,
                 mg_str_copy(d->arena, mg_str_of(err->text)));
    else
        end_with(d, MG_PURSUIT_ERRORED,
                 d->store_status != MG_OK ? MG_WHY_STORE_ERROR : MG_WHY_AGENT_ERROR,
                 mg_str_copy(d->arena, mg_str_of(err->text)));
    d->p->verified = false;
    d->p->last = MG_VERDICT_UNKNOWN;
}

/* Stored before it is told: nobody hears of an end that is not kept. */
static mg_status finish(mg_driver *d, mg_status s, mg_err *err)
{
    if (s == MG_ERR_INVALID && d->p->attempt_count > 0)
        s = MG_ERR_SYSTEM; /* what was asked made sense: attempts were made of it */
    if (s != MG_OK)
        end_broken(d, s, err);
    d->p->spent.time_ms = mg_drive_elapsed_ms(d);
    d->p->finished_ms = d->o->clock->wall_ms(d->o->clock->self);
    if (d->o->store != NULL) {
        mg_err why = {0};
        mg_pursuit_status stored = d->p->status;
        const mg_status kept = mg_store_finish(d->o->store, d->p, &stored, &why);
        if (kept != MG_OK && s == MG_OK) {
            *err = why;
            s = MG_ERR_SYSTEM;
            d->store_status = kept;
            end_broken(d, s, err);
        } else if (kept == MG_OK && stored != d->p->status) { /* a cancel that arrived meanwhile */
            end_with(d, stored, MG_WHY_CANCELLED, MG_STR(""));
            d->p->verified = false;
        }
    }
    mg_drive_tell(d, (mg_event){.type = MG_EVENT_LOOP_FINISHED});
    return s == MG_ERR_CANCELLED ? MG_OK : s;
}

static mg_driver driver_of(const mg_drive_setup *o, mg_arena *arena, mg_pursuit *p)
{
    mg_driver d = {.o = o, .arena = arena, .p = p, .world = *o->world};
    d.world.root_path = p->root;
    d.cancel.also = o->cancel;
    d.dir = d.root_lock = d.tree_fd = d.notice = d.cancel_write = d.cancel.fd = -1;
    d.began_ms = mg_clock_ms(o->clock);
    d.spent_before_ms = p->spent.time_ms;
    p->budget = o->budget;
    return d;
}

static mg_status run(mg_driver *d, mg_err *err)
{
    MG_TRY(open_drive(d, err));
    if (d->seq == 0) /* it may have been killed before its baseline was kept */
        mg_drive_tell(d, (mg_event){.type = MG_EVENT_LOOP_STARTED});
    MG_TRY(look_first(d, err));
    MG_TRY(baseline(d, err));
    if (d->p->status == MG_PURSUIT_RUNNING)
        MG_TRY(freeze(d, err));
    if (d->o->store != NULL && d->store_status == MG_OK)
        d->store_status = mg_store_baseline(d->o->store, d->p, &d->store_err);
    MG_TRY(store_result(d, err));
    return go_round(d, err);
}

mg_status mg_drive_run(const mg_drive_setup *options, mg_arena *arena, mg_pursuit *pursuit,
                       mg_str *other, mg_err *err)
{
    mg_driver d = driver_of(options, arena, pursuit);
    pursuit->status = MG_PURSUIT_RUNNING;
    pursuit->created_ms = options->clock->wall_ms(options->clock->self);
    mg_status s = mg_drive_claim(&d, false, other, err);
    if (s == MG_OK)
        s = finish(&d, run(&d, err), err);
    close_drive(&d);
    return s;
}

/* Everything as it was when the loop began, or the resume is refused. */
static mg_status reopen(mg_driver *d, mg_err *err)
{
    const mg_strs paths = mg_goal_paths(d->o->goal, d->arena);
    MG_TRY(open_drive(d, err));
    MG_TRY(mg_programs_freeze(d->o->goal, &d->world, d->arena, &d->programs, err));
    MG_TRY(mg_pack_open(d->dir, "pack", d->arena, &d->pack, err));
    MG_TRY(mg_resume_load(d, err));
    note_named(d, &paths);
    MG_TRY(mg_moment_take(d, d->start.snapshot, &d->before, err));
    d->wrote = d->runs; /* what the last verification did is not known any more */
    if (d->p->attempt_count > 0)
        d->session = d->p->attempts[d->p->attempt_count - 1].session;
    MG_TRY(tell_what_was_lost(d, err));
    mg_budget_resume(d);
    return MG_OK;
}

/* A resume that is refused changes nothing: it may work once what is in its way is mended. */
static mg_status refuse_resume(mg_driver *d, mg_status s, mg_err *err)
{
    const mg_err told = *err;
    end_with(d, MG_PURSUIT_CANCELLED, MG_WHY_CANCELLED,
             mg_str_copy(d->arena, mg_str_of(told.text)));
    (void)finish(d, MG_OK, err);
    *err = told;
    return s;
}

static mg_status run_on(mg_driver *d, mg_err *err)
{
    const mg_status s = reopen(d, err);
    return s == MG_OK ? finish(d, go_round(d, err), err) : refuse_resume(d, s, err);
}

mg_status mg_drive_resume(const mg_drive_setup *options, mg_arena *arena, mg_pursuit *pursuit,
                          mg_str *other, mg_err *err)
{
    mg_driver d = driver_of(options, arena, pursuit);
    mg_status s = mg_drive_claim(&d, true, other, err);
    if (s == MG_OK) {
        pursuit->status = MG_PURSUIT_RUNNING;
        pursuit->reason = MG_WHY_NONE;
        pursuit->verified = false;
        s = mg_store_last_event(options->store, pursuit->id, &d.seq, err);
        if (s != MG_OK)
            s = refuse_resume(&d, s, err);
        else if (pursuit->keep.len > 0)
            s = run_on(&d, err);
        else /* no agent runs before the baseline is kept, so it is taken as for the first time */
            s = finish(&d, run(&d, err), err);
    }
    close_drive(&d);
    return s;
}
