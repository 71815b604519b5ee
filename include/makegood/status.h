/* makegood/status.h - the three answers that must never be confused.
 *
 * "The call worked" is mg_status, "the assertion passes" is mg_outcome and "the goal
 * holds" is mg_verdict. They are three types so that a compiler can tell them apart, and
 * zeroed memory means unknown in the two that speak about the world.
 */
#ifndef MAKEGOOD_STATUS_H
#define MAKEGOOD_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MG_API        __attribute__((visibility("default")))
#define MG_MUST_CHECK __attribute__((warn_unused_result))
#else
#define MG_API
#define MG_MUST_CHECK
#endif

/* Whether a call worked. Few codes, for callers that branch; the detail is in the text. */
typedef enum mg_status {
    MG_OK = 0,
    MG_ERR_INVALID,     /* what was asked or given makes no sense as it stands */
    MG_ERR_NOT_FOUND,   /* a file, a host, a program that is not there */
    MG_ERR_DENIED,      /* permission, or a rule of ours that protects the machine */
    MG_ERR_LIMIT,       /* larger, deeper or more than the bound that protects us */
    MG_ERR_TIMEOUT,     /* no answer within the time that was given */
    MG_ERR_CANCELLED,   /* the caller asked us to stop */
    MG_ERR_UNAVAILABLE, /* a means that is missing here: a library, a baseline, an attempt */
    MG_ERR_SYSTEM,      /* the operating system said no for a reason of its own */
} mg_status;

/* Of one assertion. */
typedef enum mg_outcome {
    MG_OUTCOME_UNKNOWN = 0, /* not asked, or could not be: zeroed memory is never a pass */
    MG_OUTCOME_PASS,
    MG_OUTCOME_FAIL,
} mg_outcome;

/* Of the goal as a whole. */
typedef enum mg_verdict {
    MG_VERDICT_UNKNOWN = 0,
    MG_VERDICT_MET,
    MG_VERDICT_NOT_MET,
} mg_verdict;

/* "pass", "fail", "unknown"; static. */
MG_API const char *mg_outcome_name(mg_outcome outcome);

/* "met", "not_met", "unknown"; static. */
MG_API const char *mg_verdict_name(mg_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
