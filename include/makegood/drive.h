/* makegood/drive.h - attempts, again and again, until a goal over the real world holds.
 *
 *     mg_watcher watcher;
 *     const mg_aim goal = mg_until(tests_pass, NULL, "tests still fail: read them", &watcher);
 *     const mg_drive_request request = {.size = sizeof request,
 *                                       .attempt = run_my_agent,
 *                                       .prompt = "Fix the build.",
 *                                       .goal = &goal,
 *                                       .watcher = &watcher};
 *     mg_drive_options options = MG_DRIVE_INIT;
 *     mg_drive_outcome outcome = MG_DRIVE_OUTCOME_INIT;
 *     options.max_attempts = 4;
 *     if (mg_drive(&request, &options, &outcome, &error) != MG_OK)
 *         ...
 *     if (outcome.status == MG_DRIVE_SUCCEEDED && outcome.verified)
 *         ...
 *
 * An attempt ends for a reason (mg_end); none of them means that the work is done. The goal is
 * asked after every attempt, whatever its end, and has the last word also where a watcher saw it
 * hold before. Zeroed memory is never a success.
 *
 * The attempt runs on a thread of its own; goal, watcher and callbacks run on the thread that
 * called mg_drive(). Nothing is printed, no signal handler is installed.
 */
#ifndef MAKEGOOD_DRIVE_H
#define MAKEGOOD_DRIVE_H

#include <makegood/check.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Attempts --- */

typedef enum mg_end { /* why an attempt ended */
                      MG_END_UNKNOWN = 0,
                      MG_END_COMPLETED, /* it stopped by itself, in its own opinion done */
                      MG_END_MAX_ITERATIONS,
                      MG_END_CANCELLED,
                      MG_END_TIMEOUT,
                      MG_END_ERROR,
} mg_end;

typedef struct mg_try { /* what an attempt is given; lives until it returns */
    size_t size;
    unsigned number;    /* from 1 */
    const char *prompt; /* first the request's own, later the goal's feedback */
    void *messages;     /* what the attempt before left; NULL in the first */
    int cancel_fd;      /* becomes readable when it is to stop: a watcher, a timeout, a cancel */
} mg_try;

typedef struct mg_try_result {
    size_t size;
    mg_end end;        /* UNKNOWN counts as an error: say why it ended */
    const char *text;  /* its last words, or NULL; alive until the next attempt begins */
    const char *error; /* of MG_END_ERROR: what went wrong; as long alive */
    void *messages;    /* for the next attempt */
} mg_try_result;

/* result comes with size set and the rest zero. */
typedef void (*mg_attempt_fn)(void *data, const mg_try *given, mg_try_result *result);

/* --- Goals --- */

typedef enum mg_decided {
    MG_DECIDED_NOTHING = 0, /* it cannot be told: driving on is pointless */
    MG_DECIDED_RETRY,
    MG_DECIDED_DONE,
} mg_decided;

typedef struct mg_decision {
    mg_decided what;
    char feedback[4096]; /* of RETRY: the next attempt's prompt, empty keeps the one before; of
                          * NOTHING: why */
} mg_decision;

MG_API void mg_done(mg_decision *decision);
MG_API void mg_retry(mg_decision *decision, const char *feedback); /* cut to fit; NULL: empty */
MG_API void mg_undecided(mg_decision *decision, const char *why);

/* 1: it holds; 0: it does not; anything else: it cannot be told. */
typedef int (*mg_holds_fn)(void *data);
/* The feedback of an attempt that did not get there; alive until the next attempt begins. */
typedef const char *(*mg_feedback_fn)(void *data, const mg_try_result *attempt);
typedef void (*mg_decide_fn)(void *data, const mg_try_result *attempt, mg_decision *decision);

typedef struct mg_aim { /* made by the functions below; copied freely */
    size_t size;
    mg_holds_fn holds;
    const char *feedback;
    mg_feedback_fn feedback_fn;
    mg_decide_fn decide;
    void *data;
    int looks_at_world; /* only then a success is verified */
} mg_aim;

/* --- Watchers --- */

typedef struct mg_watcher {
    size_t size;
    mg_holds_fn probe; /* NULL never fires */
    void *data;
    uint64_t every_ms;
} mg_watcher;

/* Asks the probe at once and then every every_ms (0: 100) while an attempt runs; the attempt is
 * cancelled when it answers 1. */
MG_API mg_watcher mg_poll_watcher(mg_holds_fn probe, void *data, uint64_t every_ms);

/* A predicate over the world, with the same words each time; *watcher (may be NULL) polls it. */
MG_API mg_aim mg_until(mg_holds_fn holds, void *data, const char *feedback, mg_watcher *watcher);

/* The same with feedback computed after each attempt: name what blocks. */
MG_API mg_aim mg_until_fn(mg_holds_fn holds, mg_feedback_fn feedback, void *data,
                          mg_watcher *watcher);

/* Full control. Its success is not verified, unless mg_verified() says that it looks at the world
 * and not at what the attempt said. */
MG_API mg_aim mg_goal_fn(mg_decide_fn decide, void *data);
MG_API mg_aim mg_verified(mg_aim aim);

/* --- Driving --- */

typedef enum mg_drive_status {
    MG_DRIVE_UNKNOWN = 0,
    MG_DRIVE_SUCCEEDED, /* the goal held; see verified */
    MG_DRIVE_GAVE_UP,   /* the budget is spent, or it cannot be told whether the goal holds */
    MG_DRIVE_ERRORED,   /* an attempt did not stop, or two in a row failed */
    MG_DRIVE_CANCELLED,
} mg_drive_status;

typedef struct mg_attempt_report {
    size_t size;
    unsigned number;
    const char *label; /* "goal met", "agent stopped, goal not met", ...; static */
    mg_end end;
    int watched; /* the watcher ended it */
    mg_decided decided;
    const char *feedback;
} mg_attempt_report;

typedef void (*mg_on_attempt_fn)(void *data, const mg_attempt_report *report);

typedef struct mg_drive_request {
    size_t size;
    mg_attempt_fn attempt;
    void *attempt_data;
    const char *prompt;        /* of the first attempt; NULL: empty */
    const mg_aim *goal;        /* NULL: a supervised run, which proves nothing */
    const mg_watcher *watcher; /* NULL: none */
} mg_drive_request;

typedef struct mg_drive_options {
    size_t size;
    unsigned max_attempts;       /* 0: one */
    uint64_t attempt_timeout_ms; /* 0: none */
    uint64_t drain_timeout_ms;   /* how long one may take to stop; 0: 5 s */
    uint64_t time_ms;            /* over all attempts; 0: no limit */
    mg_on_attempt_fn on_attempt; /* once after each attempt; may be NULL */
    void *on_attempt_data;
    int cancel_fd; /* becomes readable when everything is to stop; -1: none */
} mg_drive_options;

#define MG_DRIVE_INIT                                  \
    {                                                  \
        sizeof(mg_drive_options), 0, 0, 0, 0, 0, 0, -1 \
    }

typedef struct mg_drive_outcome {
    size_t size;
    mg_drive_status status;
    int verified; /* the goal was seen to hold in the world */
    unsigned attempts;
    void *messages;   /* what the last attempt left */
    char error[1024]; /* why it errored, or could not be told; or empty */
} mg_drive_outcome;

#define MG_DRIVE_OUTCOME_INIT                                \
    {                                                        \
        sizeof(mg_drive_outcome), MG_DRIVE_UNKNOWN, 0, 0, 0, \
        {                                                    \
            0                                                \
        }                                                    \
    }

/* Drives until the goal holds or the budget is spent. MG_OK means that it came to an end that
 * *outcome tells, not that the goal holds. options may be NULL. MG_ERR_INVALID: no attempt
 * function, or options that make no sense; MG_ERR_SYSTEM: no thread, no event loop. */
MG_API MG_MUST_CHECK mg_status mg_drive(const mg_drive_request *request,
                                        const mg_drive_options *options, mg_drive_outcome *outcome,
                                        mg_error *error);

#ifdef __cplusplus
}
#endif

#endif
