/* goals.h - goal files on disk, read with the piece of the world that each is about. */
#ifndef MG_CLI_GOALS_H
#define MG_CLI_GOALS_H

#include "api/target.h"
#include "check/check.h"
#include "cli/cli.h"

#define MG_GOAL_FILE "makegood.yaml"

typedef struct mg_target {
    const mg_goal *goal;
    mg_world world;
} mg_target;

/* The text of a goal file ("-": standard input), and the directory it stands in. */
MG_MUST_CHECK mg_status mg_goal_source(mg_cli *cli, const char *file, mg_source *out, mg_err *err);

/* Reads a goal file ("-": standard input) and opens its root; `root` overrides the one in the
 * file and is relative to the working directory. On failure `complaint` has the sentences, a
 * line each. Nothing is run. */
MG_MUST_CHECK mg_status mg_target_open(mg_cli *cli, const char *file, const char *root,
                                       mg_target *out, mg_buf *complaint);

#endif
