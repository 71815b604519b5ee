/* makegood/check.h - evaluating a goal against the real world, and reading what was found.
 *
 *     mg_goal *goal;
 *     mg_report *report;
 *     mg_error error;
 *     if (mg_goal_open_file("makegood.yaml", &goal, &error) != MG_OK) ...
 *     if (mg_goal_check(goal, NULL, &report, &error) != MG_OK) ...
 *     if (mg_report_verdict(report) == MG_VERDICT_MET) ...
 *
 * A status of MG_OK means that the goal was evaluated, not that it holds.
 *
 * The library prints nothing, installs no signal handler and starts no thread, except that
 * libcurl resolves host names in one.
 * Commands of the goal run as children in process groups of their own. If the embedder
 * ignores SIGCHLD their exit status is lost, and such entries are unknown.
 */
#ifndef MAKEGOOD_CHECK_H
#define MAKEGOOD_CHECK_H

#include <makegood/goal.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mg_report mg_report;
typedef struct mg_result mg_result;

typedef struct mg_run_options {
    size_t size;          /* of this struct, so that it can grow: MG_RUN_INIT sets it */
    const char *root;     /* instead of the goal's own; NULL: as the goal says */
    const char *only;     /* entries by name or kind, * for any text; NULL: all */
    uint32_t jobs;        /* slow assertions side by side; 0: as the goal says */
    int fail_fast;        /* not 0: stop at the first failure */
    uint64_t deadline_ms; /* for one evaluation; 0: as the goal says */
    uint64_t wait_ms;     /* evaluate again until it holds, at most this long; 0: once */
    uint64_t every_ms;    /* the pause between two evaluations; 0: one second */
    int cancel_fd;        /* becomes readable when the check is to stop; -1: none */
} mg_run_options;

#define MG_RUN_INIT                                     \
    {                                                   \
        sizeof(mg_run_options), 0, 0, 0, 0, 0, 0, 0, -1 \
    }

/* Evaluates the goal. What cannot be evaluated is unknown in the report; an error is returned
 * only where there is no report: MG_ERR_CANCELLED, MG_ERR_NOT_FOUND (no entry is called
 * `only`, or no such root), MG_ERR_INVALID (options), MG_ERR_SYSTEM.
 * options may be NULL. The caller frees *out. */
MG_API MG_MUST_CHECK mg_status mg_goal_check(const mg_goal *goal, const mg_run_options *options,
                                             mg_report **out, mg_error *error);

MG_API void mg_report_free(mg_report *report); /* takes NULL */

/* Whether the goal holds. Of NULL: unknown. */
MG_API mg_verdict mg_report_verdict(const mg_report *report);

/* One word for why: assertions_hold, assertion_failed, unknown_results, no_assertions,
 * vacuous; results_disagree where a verdict and its results do not fit. Static. */
MG_API const char *mg_report_reason(const mg_report *report);

/* The report in a format of `makegood check --format`: "json", "text", "junit", ... Belongs
 * to the report. MG_ERR_NOT_FOUND: no such format. */
MG_API MG_MUST_CHECK mg_status mg_report_write(mg_report *report, const char *format,
                                               const char **text, size_t *length, mg_error *error);

/* Results at the top level, in the order of the goal. They belong to the report. */
MG_API size_t mg_report_result_count(const mg_report *report);
MG_API const mg_result *mg_report_result(const mg_report *report, size_t index); /* or NULL */

/* Of one result. Texts end in NUL, are valid UTF-8 and "" where there is nothing to say. */
MG_API mg_outcome mg_result_outcome(const mg_result *result); /* of NULL: unknown */
MG_API const char *mg_result_kind(const mg_result *result);
MG_API const char *mg_result_name(const mg_result *result);
MG_API const char *mg_result_message(const mg_result *result);
MG_API const char *mg_result_expected(const mg_result *result);
MG_API const char *mg_result_observed(const mg_result *result);
MG_API const char *mg_result_recovery(const mg_result *result);
MG_API uint64_t mg_result_duration_us(const mg_result *result);
MG_API size_t mg_result_child_count(const mg_result *result); /* of a group */
MG_API const mg_result *mg_result_child(const mg_result *result, size_t index);

#ifdef __cplusplus
}
#endif

#endif
