/* live.h - what is to be seen of a loop while it runs, on stderr.
 *
 * On a terminal one line stands below everything and is drawn anew: attempt, phase, time, what
 * holds so far, what is left of the budget. What has happened is a line that stays. Without a
 * terminal there are only those lines.
 */
#ifndef MG_CLI_LIVE_H
#define MG_CLI_LIVE_H

#include "cli/cli.h"
#include "loop/drive.h"

enum { MG_ID_SHOWN = 13 }; /* of an id, the time in it: two of one user are never that near */

typedef struct mg_display mg_display;

/* NULL with --quiet. verbose: the agent's own output as well, each line marked. */
mg_display *mg_display_start(mg_cli *cli, bool verbose);
void mg_display_note(mg_display *display, const mg_event *event); /* takes NULL */
void mg_display_stop(mg_display *display);                        /* takes NULL */

/* A sentence among the lines of the display; takes NULL, then it is said all the same. */
void mg_display_say(mg_display *display, mg_cli *cli, mg_str sentence);

/* The same for "warning: sentence". */
void mg_display_warn(mg_display *display, mg_cli *cli, mg_str sentence);

#endif
