/* fold.h - from outcomes to an outcome, and from outcomes to a verdict. Private to check/.
 *
 * Pure: no clock, no world. Three-valued logic; not(unknown) is unknown, and so is not of
 * a failure that saw no answer.
 */
#ifndef MG_CHECK_FOLD_H
#define MG_CHECK_FOLD_H

#include "model/goal.h"

/* Outcome, expected and observed of a group from its children's results. */
void mg_fold_group(const mg_entry *entry, mg_arena *arena, mg_result *result);

/* Whether the result is evidence that can prove a goal (docs/check.md, "Vacuity"). */
bool mg_fold_proves(const mg_entry *entry, const mg_result *result);

/* Verdict, reason and advice of a report whose results are complete. */
void mg_fold_report(mg_report *report);

#endif
