/* pursue.h - driving a C function until a C goal holds.
 *
 * The small sister of drive.c for embedders: the same attempt, barrier and gap, without a
 * workspace, a store or evidence of our own; what is true is the goal function's word.
 */
#ifndef MG_LOOP_PURSUE_H
#define MG_LOOP_PURSUE_H

#include "base/clock.h"
#include "base/err.h"

#include <makegood/drive.h>

/* request, options and outcome are whole (their sizes are this library's). */
MG_MUST_CHECK mg_status mg_pursue(const mg_drive_request *request, const mg_drive_options *options,
                                  const mg_clock *clock, mg_drive_outcome *outcome, mg_err *err);

#endif
