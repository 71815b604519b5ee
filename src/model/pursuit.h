/* pursuit.h - a loop as users know it: a goal, a budget, attempts, and how it ended.
 *
 * Users say loop; here that word belongs to the event loop of io/. A pursuit is what the store
 * keeps, `loop show` prints and `drive --format json` answers.
 */
#ifndef MG_MODEL_PURSUIT_H
#define MG_MODEL_PURSUIT_H

#include "data/json.h"
#include "model/attempt.h"

typedef enum mg_pursuit_status {
    MG_PURSUIT_QUEUED = 0,
    MG_PURSUIT_RUNNING,
    MG_PURSUIT_SUCCEEDED,
    MG_PURSUIT_GAVE_UP,
    MG_PURSUIT_ERRORED,
    MG_PURSUIT_CANCELLED,
} mg_pursuit_status;

typedef enum mg_why {                  /* the loop's reason */
                      MG_WHY_NONE = 0, /* it goes on */
                      MG_WHY_GOAL_MET,
                      MG_WHY_ALREADY_MET,
                      MG_WHY_ATTEMPTS_EXHAUSTED,
                      MG_WHY_TIME_EXHAUSTED,
                      MG_WHY_TOKENS_EXHAUSTED,
                      MG_WHY_COST_EXHAUSTED,
                      MG_WHY_STAGNATED,
                      MG_WHY_UNVERIFIABLE,
                      MG_WHY_TAMPERED,
                      MG_WHY_AGENT_ERROR,
                      MG_WHY_STORE_ERROR,
                      MG_WHY_ABANDONED,
                      MG_WHY_CANCELLED,
} mg_why;

typedef struct mg_budget {
    uint32_t attempts;
    uint64_t time_ms;
    int64_t tokens;  /* 0: no limit */
    double cost_usd; /* 0: no limit */
    uint32_t stagnation;
} mg_budget;

typedef struct mg_spent {
    uint32_t attempts; /* those that count */
    uint64_t time_ms;
    mg_usage usage; /* the sum of what was reported */
} mg_spent;

typedef struct mg_pursuit {
    mg_str id;        /* UUIDv7 */
    mg_str user;      /* who may see it: the numeric user id, locally */
    mg_str root;      /* absolute path */
    mg_str scope;     /* of which only one may be active: "dev:inode" of the root, locally */
    mg_str goal;      /* the sentence, or empty */
    mg_str goal_file; /* as it was named, or empty */
    mg_str frozen;    /* the goal's text as it was read, with what the command line added */
    mg_str frozen_sha256;
    mg_str request; /* JSON: how it was asked for (agent, arguments, budgets), for a resume */
    mg_str agent;   /* preset or program, for people */
    mg_str keep;    /* JSON: what a resume must find unchanged (hashes, programs); or empty */
    mg_pursuit_status status;
    mg_why reason;
    bool verified;   /* the goal was seen to hold; never true by default */
    bool stale;      /* it says running, but nobody runs it any more */
    mg_verdict last; /* of the last attempt, or of the baseline: what an exit code after giving
                      * up follows */
    mg_str message;  /* a sentence for people: what to do next; or empty */
    int64_t created_ms, finished_ms; /* finished 0: not yet */
    mg_budget budget;
    mg_spent spent;
    mg_result *baseline; /* every entry before attempt 1 */
    size_t baseline_count;
    mg_attempt *attempts;
    size_t attempt_count, attempt_cap;
    uint32_t attempt_total; /* as stored; a list does not load the attempts themselves */
    mg_strs warnings;
} mg_pursuit;

const char *mg_pursuit_status_name(mg_pursuit_status status);
const char *mg_why_name(mg_why why);                    /* NULL of NONE: null in JSON */
mg_pursuit_status mg_pursuit_status_named(mg_str name); /* of no such name: QUEUED */
mg_why mg_why_named(mg_str name);

/* Whether it may end a program with success: succeeded, verified, and proved by its last attempt
 * or its baseline. Everything that reports success asks this. */
bool mg_pursuit_holds(const mg_pursuit *pursuit);

/* --- JSON (pursuit_json.c); docs/drive.md, "Events and JSON" --- */

enum {
    MG_RESULT_DEPTH = 24,           /* groups inside groups that are written */
    MG_ATTEMPT_CHANGES_MAX = 10000, /* mutations that are listed; the others are counted */
};

void mg_result_write(mg_json_out *json, const mg_result *result);
void mg_results_write(mg_json_out *json, const mg_result *results, size_t count); /* a list */
void mg_attempt_write(mg_json_out *json, const mg_attempt *attempt);
void mg_pursuit_write(mg_json_out *json, const mg_pursuit *pursuit); /* with "schema" */
/* The members from "loop_id" to "finished", inside an object that is begun: for lists, events. */
void mg_pursuit_write_head(mg_json_out *json, const mg_pursuit *pursuit);

mg_verdict mg_verdict_named(mg_str name); /* of no such name: UNKNOWN */

/* What mg_attempt_write() and mg_results_write() wrote, but for what a kind notes for a `not`
 * around it (no_answer). Bytes that were no UTF-8 come back as U+FFFD, a result tried less than
 * twice as tried once. MG_ERR_INVALID for anything else; an outcome, verdict or status that is not
 * known is never read as a good one. Texts are copied. */
MG_MUST_CHECK mg_status mg_attempt_read(const mg_json *json, mg_arena *arena, mg_attempt *out,
                                        mg_err *err);
MG_MUST_CHECK mg_status mg_results_read(const mg_json *json, mg_arena *arena, mg_result **out,
                                        size_t *count, mg_err *err);

#endif
