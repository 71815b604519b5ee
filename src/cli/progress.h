/* progress.h - one line on stderr while a check takes long, gone when it ends. */
#ifndef MG_CLI_PROGRESS_H
#define MG_CLI_PROGRESS_H

#include "check/check.h"
#include "cli/cli.h"

typedef struct mg_progress mg_progress;

/* NULL where nobody would see it: stderr is no terminal, TERM is dumb, --quiet. wait_until_ms:
 * on the clock, until when it is tried again; 0: it is tried once. */
mg_progress *mg_progress_start(mg_cli *cli, uint64_t wait_until_ms);
void mg_progress_stop(mg_progress *progress); /* clears the line; takes NULL */
MG_DEFINE_AUTO(mg_progress, mg_progress_stop)

/* This goal comes next, in this round from 1. whole: every entry of it is going to be evaluated,
 * so that those which are missing can be named. The goal stays alive. Takes NULL. */
void mg_progress_goal(mg_progress *progress, const mg_goal *goal, bool whole, unsigned round);

/* For mg_check_options.progress, with the progress as its data; takes NULL. What it costs does
 * not depend on how many entries there are. */
void mg_progress_note(void *progress, const mg_result *result, size_t settled, size_t total);

#endif
