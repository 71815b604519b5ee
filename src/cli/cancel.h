/* cancel.h - Ctrl-C: the first asks the check to stop, the second ends the program at once. */
#ifndef MG_CLI_CANCEL_H
#define MG_CLI_CANCEL_H

#include "check/check.h"

/* Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT from now on, except those that our parent ignores
 * (a job in the background, nohup). Before, they end the program as they end any other. One for
 * the whole program; it is never taken back. */
MG_MUST_CHECK mg_status mg_cancel_install(const mg_cancel **out, mg_err *err);

#endif
