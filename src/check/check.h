/* check.h - evaluating a goal: every entry asked, groups folded, a verdict reached.
 *
 * To add a kind: one file with its parameters and its eval() or start(), one line in
 * kinds.c, one case file in tests/cases/kinds/.
 */
#ifndef MG_CHECK_CHECK_H
#define MG_CHECK_CHECK_H

#include "base/clock.h"
#include "base/limits.h"
#include "io/loop.h"
#include "io/net.h"
#include "model/evidence.h"
#include "model/goal.h"
#include "world/world.h"

#include <stdatomic.h>

extern const mg_check_kind *const mg_check_kinds[]; /* ends with NULL, in help order */

/* How the caller stops a check: sets asked, and makes fd readable if somebody may be waiting. */
typedef struct mg_cancel {
    atomic_bool asked;
    bool only_fd;                 /* nobody sets asked: fd itself has to be looked at */
    int fd;                       /* -1: none */
    const struct mg_cancel *also; /* somebody else who may ask; seen where time is looked at */
} mg_cancel;

/* What a kind may look at. */
typedef struct mg_view {
    const mg_world *world;
    const mg_evidence *attempt; /* NULL: there was none */
    const mg_limits *limits;
    const mg_clock *clock;
    uint64_t deadline_ms;               /* on the clock; UINT64_MAX: none */
    const mg_cancel *cancel;            /* may be NULL */
    const struct mg_programs *programs; /* what commands resolved to when a loop began; or NULL */
    int64_t began_ms;                   /* wall clock: when that was; 0: no loop */
    const struct mg_supervisor *supervisor; /* commands run beneath it, so that nothing of them is
                                             * left, wherever it hid. NULL: in a group of their
                                             * own */
} mg_view;

/* MG_OK while there is time; MG_ERR_TIMEOUT or MG_ERR_CANCELLED with a sentence. Long work
 * asks this now and then. */
MG_MUST_CHECK mg_status mg_view_live(const mg_view *view, mg_err *err);

/* A question that is answered later. start() either fails, or answers (at once or later) by
 * mg_ask_answer() or mg_ask_error() exactly once. If it can be interrupted it sets `stop`,
 * which releases everything and after which no answer comes. */
typedef struct mg_ask mg_ask;
struct mg_ask {
    mg_arena *arena; /* for the result, and whatever must live until the answer */
    void (*stop)(mg_ask *ask);
    void *state;   /* the kind's own */
    void *engine_; /* the engine's own */
};

void mg_ask_answer(mg_ask *ask, const mg_result *result);
void mg_ask_error(mg_ask *ask, mg_status code, const char *text);

/* The loop and the network of the check that asks, opened on first use. */
MG_MUST_CHECK mg_status mg_ask_loop(mg_ask *ask, mg_loop **out, mg_err *err);
MG_MUST_CHECK mg_status mg_ask_net(mg_ask *ask, mg_net **out, mg_err *err);

typedef struct mg_check_options {
    const char *only; /* a glob over entry names; NULL: all */
    uint32_t jobs;    /* 0: as the goal says */
    bool fail_fast;
    uint64_t deadline_ms; /* for the whole check; 0: as the goal says */
    uint64_t wait_ms;     /* keep trying until it holds, this long; 0: once */
    uint64_t every_ms;    /* pause between tries; 0: 1 s */
    bool no_retry;        /* ask each entry once, whatever its `retry` says */
    mg_loop *loop;        /* to wait on, where the caller has one; NULL: one of its own */
    /* Called as entries are settled, for progress; may be NULL. */
    void (*progress)(void *data, const mg_result *result, size_t settled, size_t total);
    void *progress_data;
} mg_check_options;

/* Evaluates the goal once, whatever options->wait_ms says; otherwise as mg_check_run(). */
MG_MUST_CHECK mg_status mg_check_once(const mg_goal *goal, const mg_view *view,
                                      const mg_check_options *options, mg_arena *arena,
                                      mg_report *out, mg_err *err);

/* The same while the caller goes on with something else on options->loop, which must be given.
 * done() is called once, from the loop, never from start; no cancel is looked at. The check lives
 * in the arena, which must outlive it. mg_check_stop(): no callback follows, NULL is fine; after
 * done() it must not be called. */
typedef struct mg_check mg_check;
typedef struct mg_check_end {
    void (*done)(void *data, const mg_report *report);
    void *data;
} mg_check_end;

MG_MUST_CHECK mg_status mg_check_start(const mg_goal *goal, const mg_view *view,
                                       const mg_check_options *options, const mg_check_end *end,
                                       mg_arena *arena, mg_check **out, mg_err *err);
void mg_check_stop(mg_check *check);

/* Pauses; MG_ERR_CANCELLED if the caller wants to stop meanwhile. */
MG_MUST_CHECK mg_status mg_check_pause(const mg_view *view, uint64_t ms, mg_err *err);

/* Evaluates the goal; whatever cannot be evaluated is unknown in the report. Fails only when
 * nothing could be evaluated at all (no entry matches `only`, the system gives no event loop)
 * or with MG_ERR_CANCELLED. The report lives in the arena. */
MG_MUST_CHECK mg_status mg_check_run(const mg_goal *goal, const mg_view *view,
                                     const mg_check_options *options, mg_arena *arena,
                                     mg_report *out, mg_err *err);

#endif
