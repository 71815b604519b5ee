/* attempt.h - one attempt at a goal, as it is judged, stored and shown.
 *
 * Why it ended (terminal) and whether the goal holds (verdict) are two fields, here and
 * everywhere. Zeroed memory is an attempt that ended for no known reason, with the verdict
 * unknown.
 */
#ifndef MG_MODEL_ATTEMPT_H
#define MG_MODEL_ATTEMPT_H

#include "model/evidence.h"
#include "model/result.h"

typedef enum mg_terminal { /* why an attempt ended; never whether it did any good */
                           MG_TERMINAL_NONE = 0,  /* not known */
                           MG_TERMINAL_COMPLETED, /* the agent stopped by itself, in its own opinion
                                                     done */
                           MG_TERMINAL_MAX_ITERATIONS,
                           MG_TERMINAL_CANCELLED, /* by the user, or by a watcher that saw the goal
                                                     hold */
                           MG_TERMINAL_TIMEOUT,
                           MG_TERMINAL_ERROR,
} mg_terminal;

typedef enum mg_attempt_status {
    MG_ATTEMPT_UNVERIFIED = 0,
    MG_ATTEMPT_SUCCESS,
    MG_ATTEMPT_PARTIAL,
    MG_ATTEMPT_FAILED,
} mg_attempt_status;

typedef enum mg_level {
    MG_LEVEL_NONE = 0,
    MG_LEVEL_LOW,
    MG_LEVEL_MEDIUM,
    MG_LEVEL_HIGH,
} mg_level;

typedef struct mg_finding { /* something about a changed file that a person should know */
    const char *rule;       /* "empty_file", "verifier_changed" */
    mg_level level;
    mg_str path;
    mg_str message; /* one sentence, with the next step */
} mg_finding;

typedef struct mg_findings {
    mg_finding *items;
    size_t count, cap;
} mg_findings;

typedef struct mg_usage { /* as far as the agent reports it */
    bool tokens_known, cost_known;
    int64_t input_tokens, output_tokens; /* input includes what came from a cache */
    double cost_usd;
} mg_usage;

typedef struct mg_gap {
    const char *detector; /* judge_gap blocked_step no_mutations ... other; NULL: there is no gap */
    mg_str headline;      /* the one most blocking thing, at most 200 characters */
    mg_str text;          /* headline and body as the next attempt is told, sanitised */
} mg_gap;

typedef struct mg_attempt {
    uint32_t number; /* from 1, true for ever */
    int64_t started_ms;
    uint64_t duration_ms;
    mg_terminal terminal;
    bool watched; /* a watcher saw the goal hold and stopped it */
    bool counted; /* against the attempts of the budget; false after a rate limit */
    mg_attempt_status status;
    mg_verdict verdict;
    unsigned tier;         /* which one decided: 1 or 2; 0: none did */
    const char *reason;    /* assertions_hold, assertion_failed, tampered, ... */
    const char *proved_by; /* "user", "plan", "judge"; NULL where nothing was proved */
    bool goal_actions_executed;
    bool effect;             /* something differs since the loop began */
    mg_changes changes;      /* of this attempt alone */
    size_t changes_left_out; /* that are not in changes: of an attempt that was stored */
    mg_result *results;      /* of every entry, invariants included */
    size_t result_count;
    mg_findings findings;
    mg_strs tampered; /* protected paths that it changed, created or removed */
    bool restored;    /* and they are all as they were; seen after it was done */
    mg_gap gap;
    mg_usage usage;
    bool has_exit;
    int64_t exit_code;  /* 128 + n after a signal */
    mg_str session;     /* the agent's own name for the conversation, or empty */
    mg_str response;    /* its last words, cut; what it claims, not what is so */
    mg_str error;       /* why it went wrong, in a sentence; or empty */
    mg_str note;        /* what a reader should know: "resume failed, history was sent" */
    unsigned leftovers; /* processes that outlived the agent and had to be ended */
} mg_attempt;

const char *mg_terminal_name(mg_terminal terminal);           /* "completed"; "unknown" of NONE */
const char *mg_attempt_status_name(mg_attempt_status status); /* "success" */
const char *mg_change_name(mg_change_type type);              /* "created"; "unknown" of NONE */
const char *mg_level_name(mg_level level);                    /* "high" */

/* The value with that name, or the zero value. */
mg_terminal mg_terminal_named(mg_str name);
mg_attempt_status mg_attempt_status_named(mg_str name);
mg_change_type mg_change_named(mg_str name);
mg_level mg_level_named(mg_str name);

/* "goal met"; "agent stopped, goal not met"; "hit iteration cap, goal not met"; "timed out, goal
 * not met"; "run error"; ...: the label of an attempt, static. */
const char *mg_attempt_label(const mg_attempt *attempt);

#endif
