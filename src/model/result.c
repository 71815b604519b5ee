/* result.c - the words for outcomes and verdicts, and results as kinds make them.
 *
 * The words are the contract with programs that read our reports. A value that is none of
 * the known ones reads as unknown: nothing here turns a surprise into a success.
 */
#include "model/result.h"

const char *mg_outcome_name(mg_outcome outcome)
{
    static const char *const names[] = {
        [MG_OUTCOME_UNKNOWN] = "unknown",
        [MG_OUTCOME_PASS] = "pass",
        [MG_OUTCOME_FAIL] = "fail",
    };
    return (size_t)outcome < MG_COUNT(names) ? names[outcome] : names[MG_OUTCOME_UNKNOWN];
}

const char *mg_verdict_name(mg_verdict verdict)
{
    static const char *const names[] = {
        [MG_VERDICT_UNKNOWN] = "unknown",
        [MG_VERDICT_MET] = "met",
        [MG_VERDICT_NOT_MET] = "not_met",
    };
    return (size_t)verdict < MG_COUNT(names) ? names[verdict] : names[MG_VERDICT_UNKNOWN];
}

mg_result mg_result_make(mg_outcome outcome, mg_str expected, mg_str observed)
{
    return (mg_result){.outcome = outcome, .expected = expected, .observed = observed};
}
