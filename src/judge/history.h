/* history.h - the attempts so far, compressed. Private to judge/. */
#ifndef MG_JUDGE_HISTORY_H
#define MG_JUDGE_HISTORY_H

#include "base/buf.h"
#include "model/attempt.h"

/* A heading and a bullet for each attempt that left a gap, oldest first, with its true number:
 * the newest two in full, older ones in 60 characters. What does not fit into the buffer any
 * more is left out from the oldest on, and counted in a line. */
void mg_history_add(mg_buf *buf, const mg_attempt *attempts, size_t count, mg_arena *arena);

#endif
