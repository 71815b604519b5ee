/* progress.h - one line on stderr while a check takes long, gone when it ends. */
#ifndef MG_CLI_PROGRESS_H
#define MG_CLI_PROGRESS_H

#include "check/check.h"
#include "cli/cli.h"

typedef struct mg_progress mg_progress;

/* NULL where nobody would see it: stderr is no terminal, TERM is dumb, --quiet. whole: every
 * entry of the goal is going to be evaluated, so that those which are missing can be named. */
mg_progress *mg_progress_start(mg_cli *cli, const mg_goal *goal, bool whole);
void mg_progress_stop(mg_progress *progress); /* clears the line; takes NULL */
MG_DEFINE_AUTO(mg_progress, mg_progress_stop)

/* For mg_check_options.progress, with the progress as its data; takes NULL. */
void mg_progress_note(void *progress, const mg_result *result, size_t settled, size_t total);

#endif
