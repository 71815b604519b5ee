/* drive_plan.h - from what was asked to everything that mg_drive_run() needs. Nothing is run.
 *
 * One frozen text describes the whole goal: the file as it was read, and after it what the command
 * line added, as one more document. A resumed loop is planned from that text again, by the same
 * functions, so that it cannot come out differently.
 */
#ifndef MG_CLI_DRIVE_PLAN_H
#define MG_CLI_DRIVE_PLAN_H

#include "cli/drive_ask.h"
#include "loop/drive.h"

typedef struct mg_drive_plan { /* stays where it is: options point into it */
    mg_goal goal;
    mg_world world;
    mg_strs ignore;
    mg_drive_setup options; /* without store, state, supervisor, cancel and events */
    mg_pursuit pursuit;     /* as mg_drive_run() wants it, but for its id */
} mg_drive_plan;

/* The frozen text. sentence: ptr NULL where --goal was not given; until: commands that must
 * succeed. Without a goal file an effect is optional. */
mg_str mg_drive_freeze(mg_str file_text, bool has_file, mg_str sentence, const mg_strs *until,
                       mg_arena *arena);

/* The goal that a frozen text describes, of which file_bytes are those of the file. On failure
 * `complaint` has the sentences, a line each. */
MG_MUST_CHECK mg_status mg_drive_thaw(mg_str frozen, size_t file_bytes, mg_str name,
                                      mg_arena *arena, mg_goal *out, mg_buf *complaint);

/* Everything that can be wrong is found here, before anything runs: a goal that cannot be read, a
 * root or an agent that is not there, a means that this version does not have. */
MG_MUST_CHECK mg_status mg_drive_plan_make(mg_cli *cli, const mg_drive_ask *ask, mg_str frozen,
                                           mg_drive_plan **out, mg_buf *complaint);

/* What we write ourselves while the loop runs is not the agent's work: if the descriptor is a file
 * beneath the root, it is not part of the snapshot. */
void mg_drive_plan_overlook(mg_drive_plan *plan, int fd, mg_arena *arena);

#endif
