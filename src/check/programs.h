/* programs.h - which files the commands of a goal mean, held from when a loop begins.
 *
 * An agent that puts a program of its own first in PATH, or writes over the one that is there,
 * would be judged by it. So every word of a command that names a program is resolved before
 * attempt 1; if it means another file later, or that file is not what it was, the answer of the
 * command is not known.
 */
#ifndef MG_CHECK_PROGRAMS_H
#define MG_CHECK_PROGRAMS_H

#include "check/check.h"

typedef struct mg_programs mg_programs;

/* Of every command_returns in the goal, also inside groups. */
MG_MUST_CHECK mg_status mg_programs_freeze(const mg_goal *goal, const mg_world *world,
                                           mg_arena *arena, const mg_programs **out, mg_err *err);

/* Whether the words of this command_returns still mean the same; else MG_ERR_DENIED says which does
 * not. What lies beneath the root may have been built by the agent: that is what protect is for. */
MG_MUST_CHECK mg_status mg_programs_same(const mg_programs *programs, const mg_world *world,
                                         const mg_args *args, mg_err *err);

/* MG_ERR_DENIED if since then (wall clock) a program came into a directory of PATH, as this command
 * has it, before another of the same name: who knows what the command runs. */
MG_MUST_CHECK mg_status mg_programs_unshadowed(const mg_world *world, const mg_args *args,
                                               int64_t since_ms, mg_err *err);

/* All of it as a line each: two of them are equal when nothing moved. For a loop that is resumed.
 */
mg_str mg_programs_text(const mg_programs *programs, const mg_world *world, mg_arena *arena);

#endif
