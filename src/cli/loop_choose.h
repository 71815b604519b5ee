/* loop_choose.h - which loop is meant where no id is given: the newest of those that are here.
 *
 * A loop is here if its root is the working directory or a directory above it.
 */
#ifndef MG_CLI_LOOP_CHOOSE_H
#define MG_CLI_LOOP_CHOOSE_H

#include "store/store.h"

typedef struct mg_choice {
    const mg_pursuit *loop; /* NULL: there is none */
    bool here;
} mg_choice;

/* all: the newest first. to_resume: one that can be gone on with, where there is one; a loop that
 * lies elsewhere only where none is here. */
mg_choice mg_loop_choose(const mg_pursuits *all, mg_str cwd, bool to_resume);

#endif
