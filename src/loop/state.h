/* state.h - what a loop knows while it runs. Private to loop/.
 *
 * drive.c goes round; the files beside it each do one phase of docs/drive.md,
 * "How an attempt goes", on this state. Everything that waits, waits on one event loop.
 */
#ifndef MG_LOOP_STATE_H
#define MG_LOOP_STATE_H

#include "check/programs.h"
#include "data/scrub.h"
#include "judge/tier1.h"
#include "loop/drive.h"
#include "world/guard.h"

typedef struct mg_moment { /* a snapshot with an arena of its own, so that it can go */
    mg_arena *arena;
    const mg_snapshot *snapshot;
} mg_moment;

typedef struct mg_driver {
    const mg_drive_setup *o;
    mg_arena *arena; /* the caller's: what the pursuit keeps */
    mg_pursuit *p;
    mg_loop *loop;
    mg_world world;
    int dir; /* the loop's own directory beneath the state directory; -1: nothing is kept */
    int root_lock;
    int tree_fd; /* what the watchers are told by; -1: not yet */

    mg_cancel cancel; /* ours: fed by the caller's and by `loop cancel` */
    int cancel_write; /* makes cancel.fd readable */
    int notice;       /* inotify on dir: the file `cancel` appears */
    mg_watch *caller_watch, *notice_watch;

    uint64_t began_ms, spent_before_ms;
    uint64_t seq;           /* of the last event */
    mg_status store_status; /* what the store said first, once it failed */
    mg_err store_err;

    const mg_programs *programs;
    const mg_scrub *scrub;
    const mg_scope *scope;
    mg_pack *pack;
    mg_guard *guard;
    mg_strs protect;         /* globs, links in them followed */
    mg_moment first;         /* before the baseline: what that writes is known by it; or empty */
    mg_moment start;         /* when the loop began */
    mg_moment before;        /* when the next attempt begins; without an arena it is the start */
    mg_strs ours;            /* paths that are in `before` as verification left them */
    mg_strs subjects;        /* paths that entries ask about */
    mg_baseline_file *named; /* how the paths of entries were at the start */
    size_t named_count;
    bool runs; /* verification runs commands or services: it may write files itself */

    mg_str session;      /* of the agent, to be resumed */
    void *messages;      /* of a C function */
    uint64_t command_ms; /* the longest command of the last verification; for the watcher */
    bool wrote;          /* the last verification left files behind */
    int64_t verified_ms; /* when the baseline began */

    unsigned denied_in_a_row, limited_in_a_row, failed_in_a_row, same_in_a_row;
    mg_hash last_stand; /* headline and delta of the attempt before */
    bool last_tampered;
    bool tidying;           /* after a cancel: what protects the user's files is still done */
    uint64_t look_until_ms; /* reading the workspace has a deadline, too */
    bool service_failed;    /* in the last verification: the agent can mend what it wrote */
    bool service_taken;     /* something that is not ours answers in its place: only the user can */
} mg_driver;

/* --- claim.c --- */

/* Our claim on the workspace; MG_ERR_DENIED where another loop has it, `other` if it is known. */
MG_MUST_CHECK mg_status mg_drive_claim(mg_driver *d, bool resume, mg_str *other, mg_err *err);

/* --- event.c --- */

/* Numbers it, stores it, tells it. A store that fails is remembered, and ends the loop. */
void mg_drive_tell(mg_driver *d, mg_event event);
void mg_drive_phase(mg_driver *d, const mg_attempt *attempt, const char *phase);

/* --- cancel.c --- */

MG_MUST_CHECK mg_status mg_drive_cancel_open(mg_driver *d, mg_err *err);
void mg_drive_cancel_close(mg_driver *d);
bool mg_drive_cancelled(const mg_driver *d);

/* --- services.c --- */

typedef struct mg_services mg_services;

/* Starts every service of the goal and waits until each is ready. One that does not get there is
 * not an error of ours: `trouble` says which, with the end of its output. */
MG_MUST_CHECK mg_status mg_services_start(mg_driver *d, const mg_view *view, mg_arena *arena,
                                          mg_services **out, mg_str *trouble, mg_err *err);
/* Ends them and waits for it; `trouble` says which had ended by itself before. Takes NULL. */
void mg_services_stop(mg_services *services, mg_arena *arena, mg_str *trouble);

/* --- verify.c --- */

/* Every entry, with services around it; after an attempt with retries, and unknown where a service
 * was not ready. */
MG_MUST_CHECK mg_status mg_verify_entries(mg_driver *d, const mg_evidence *evidence,
                                          bool after_attempt, mg_arena *arena, mg_report *out,
                                          mg_str *trouble, mg_err *err);

/* From the end of the agent to the record: delta, restore, entries, findings, Tier 1, gap. */
MG_MUST_CHECK mg_status mg_verify_attempt(mg_driver *d, const mg_agent_end *end,
                                          mg_attempt *attempt, mg_err *err);

/* After a cancel nothing is judged, but protected paths are put back. */
void mg_verify_cancelled(mg_driver *d, mg_attempt *attempt);

/* like: a snapshot whose hashes still count for what did not move; or NULL. */
MG_MUST_CHECK mg_status mg_moment_take(mg_driver *d, const mg_snapshot *like, mg_moment *out,
                                       mg_err *err);

/* --- undone.c --- */

/* Copies what stands in these paths before they are put back, and notes where. */
void mg_undone_keep(mg_driver *d, mg_attempt *attempt, const mg_strs *paths);

/* --- findings.c --- */

/* What is wrong with the changed files since the loop began. */
void mg_findings_add(const mg_driver *d, const mg_changes *since_start, mg_arena *arena,
                     mg_findings *out);

/* --- steering.c --- */

/* Whether the changed file decides what a command of the goal runs; then what to say of it. */
bool mg_steering_find(const mg_driver *d, const mg_change *change, mg_arena *arena,
                      mg_finding *out);

/* --- attempt.c --- */

/* Runs the agent once, watched; what it said (`end`) lives in the arena, what is recorded of it in
 * the driver's. */
MG_MUST_CHECK mg_status mg_attempt_run(mg_driver *d, mg_attempt *attempt, mg_arena *arena,
                                       mg_agent_end *end, mg_err *err);

/* --- watch.c --- */

typedef struct mg_goal_watch mg_goal_watch;

/* Looks at the goal while the agent works; calls fired(data) once when all of it has held for the
 * settle time. *out is NULL where the goal cannot be watched. The arena outlives the watcher. */
MG_MUST_CHECK mg_status mg_goal_watch_start(mg_driver *d, const mg_view *view,
                                            void (*fired)(void *data), void *data, mg_arena *arena,
                                            mg_goal_watch **out, mg_err *err);
void mg_goal_watch_stop(mg_goal_watch *watcher); /* takes NULL */

/* --- budget.c --- */

uint64_t mg_drive_elapsed_ms(const mg_driver *d);
uint64_t mg_drive_left_ms(const mg_driver *d); /* of the time budget */

/* What the attempt costs, and whether the loop ends with it: sets status, reason, message. */
void mg_budget_settle(mg_driver *d, const mg_attempt *attempt, const mg_agent_end *end,
                      const mg_changes *since_start, const mg_snapshot *now);

/* A driver may have died between the last attempt and the end that it made: ends the loop if
 * nothing is left to spend. */
void mg_budget_resume(mg_driver *d);

/* --- entries.c --- */

/* The paths that entries name, also inside groups. */
mg_strs mg_entry_paths(const mg_entry *entry, mg_arena *arena);
mg_strs mg_goal_paths(const mg_goal *goal, mg_arena *arena);

/* Whether a leaf of it runs a command; asks about the attempt, or about all that changed. */
bool mg_entry_runs(const mg_entry *entry);
bool mg_entry_asks_attempt(const mg_entry *entry);
bool mg_entry_asks_changes(const mg_entry *entry);
bool mg_entry_waits(const mg_entry *entry); /* a leaf that is not answered at once */

/* --- resume.c: what a resume needs, and must find unchanged --- */

MG_MUST_CHECK mg_status mg_resume_save(mg_driver *d, mg_err *err); /* once everything is frozen */
MG_MUST_CHECK mg_status mg_resume_note(mg_driver *d, mg_err *err); /* after an attempt */
MG_MUST_CHECK mg_status mg_resume_load(mg_driver *d, mg_err *err); /* start, guard, ours */

#endif
