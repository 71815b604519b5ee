/* loop_asked.h - what the actions of `makegood loop` share: what was typed, and the store. */
#ifndef MG_CLI_LOOP_ASKED_H
#define MG_CLI_LOOP_ASKED_H

#include "cli/cli.h"
#include "store/store.h"

typedef struct mg_loop_asked {
    mg_cli *cli;
    const mg_cli_args *args;
    mg_store *store;
    const char *state_dir;
    mg_str user;
    bool json;
} mg_loop_asked;

/* One loop, by its id or its beginning. owner may be NULL. MG_EXIT_MET to go on, or the code to
 * end with, the sentence said. */
int mg_loop_load(const mg_loop_asked *a, mg_str id, mg_pursuit *out, mg_owner *owner);

/* Asks the driver of a loop to stop, and waits until it has. */
int mg_loop_cancel(const mg_loop_asked *a);

#endif
