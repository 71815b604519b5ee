/* drive.h - re-driving an agent until the goal verifiably holds.
 *
 * docs/drive.md, "How an attempt goes", is the plan of drive.c. One thread, one event loop; the
 * caller is called back with events and owns everything it passes in until the call returns.
 */
#ifndef MG_LOOP_DRIVE_H
#define MG_LOOP_DRIVE_H

#include "agent/agent.h"
#include "check/check.h"
#include "judge/prompt.h"
#include "model/pursuit.h"
#include "store/store.h"

typedef enum mg_event_type {
    MG_EVENT_NONE = 0,
    MG_EVENT_LOOP_STARTED,
    MG_EVENT_BASELINE,         /* pursuit->baseline is there */
    MG_EVENT_ATTEMPT_STARTED,  /* attempt->number; prompt */
    MG_EVENT_OUTPUT,           /* stream, bytes: as the agent printed them */
    MG_EVENT_PHASE,            /* phase: what is being done now; for the display, not stored */
    MG_EVENT_ASSERTION,        /* result, settled, total */
    MG_EVENT_ATTEMPT_FINISHED, /* attempt, whole */
    MG_EVENT_GAP,              /* attempt->gap */
    MG_EVENT_LOOP_FINISHED,    /* pursuit, whole */
} mg_event_type;

typedef struct mg_event {
    mg_event_type type;
    uint64_t seq;    /* of those that are stored and streamed; 0 of a phase */
    int64_t time_ms; /* wall clock */
    const mg_pursuit *pursuit;
    const mg_attempt *attempt; /* may be NULL */
    mg_str prompt;
    int stream;
    mg_str bytes;
    const char *phase; /* "agent", "delta", "restore", "services", "check", "waiting" */
    uint64_t wait_ms;  /* of the phase "waiting": how long at most */
    const mg_result *result;
    size_t settled, total;
} mg_event;

typedef struct mg_drive_setup {
    const mg_goal *goal;
    const mg_world *world;
    const mg_agent *agent;
    mg_budget budget;
    bool effect_required;
    uint64_t attempt_timeout_ms, drain_ms;
    mg_context_mode context;
    const mg_strs *protect, *ignore; /* globs; may be NULL */
    mg_str goal_path; /* beneath the root: always protected; empty: it is elsewhere */
    bool watch;
    uint64_t watch_every_ms, watch_settle_ms;
    bool watch_commands;
    mg_store *store;         /* NULL: nothing is kept (an embedder that does not want it) */
    const char *state_dir;   /* where the loop's own directory is made; never beneath the root */
    const mg_cancel *cancel; /* may be NULL */
    const mg_limits *limits;
    const mg_clock *clock;
    const struct mg_supervisor *supervisor; /* for commands and services; io/supervise.h */
    void (*event)(void *data, const mg_event *event); /* may be NULL */
    void *event_data;
} mg_drive_setup;

/* Runs a new loop. `pursuit` comes with id, user, root, scope, goal, goal_file, frozen,
 * frozen_sha256, request, agent filled in and leaves with the rest. MG_OK: the loop came to an end
 * that pursuit->status and reason tell (also cancelled, also errored/agent_error).
 * MG_ERR_DENIED: refused, another loop is active, `other` names it (exit 5). MG_ERR_INVALID: an
 * invariant does not hold before attempt 1, or a means asked for is not there (exit 2). Anything
 * else: the store or we failed (exit 4); pursuit->status is errored where it had begun. */
MG_MUST_CHECK mg_status mg_drive_run(const mg_drive_setup *options, mg_arena *arena,
                                     mg_pursuit *pursuit, mg_str *other, mg_err *err);

/* Goes on with a loop that was loaded from the store, from its last finished attempt. */
MG_MUST_CHECK mg_status mg_drive_resume(const mg_drive_setup *options, mg_arena *arena,
                                        mg_pursuit *pursuit, mg_str *other, mg_err *err);

/* "loop_started"; NULL of NONE and of what is not streamed. */
const char *mg_event_name(mg_event_type type);

/* One event as a JSON object on one line: for --events and the store. */
void mg_event_write(mg_json_out *json, const mg_event *event);

#endif
