/* place.h - where the report of a check goes: stdout, or the file of --output. */
#ifndef MG_CLI_PLACE_H
#define MG_CLI_PLACE_H

#include "cli/cli.h"

typedef struct mg_place {
    const char *path; /* NULL: stdout */
} mg_place;

/* Before anything is read or run: sees that the report can be written there as far as that can
 * be told, that it would not replace one of the goal files, and removes an older report, so
 * that no success of yesterday is found where today's check gave no answer. `file` as typed,
 * NULL or "-" for stdout. MG_EXIT_MET to go on, or the code to end with, the sentence said. */
int mg_place_prepare(mg_cli *cli, const char *file, const mg_strs *goal_files, mg_place *out);

/* Writes the report there, a file whole or not at all; `code`, or MG_EXIT_ERROR where it could
 * not be delivered. */
int mg_place_put(mg_cli *cli, const mg_place *place, const mg_buf *text, int code);

#endif
