/* command.h - a command of a goal file, as it is run and as it is shown. */
#ifndef MG_CHECK_COMMAND_H
#define MG_CHECK_COMMAND_H

#include "model/param.h"

/* A list as it is; a text for /bin/sh, with -e where it has several lines, as in CI: the first line
 * that fails decides. Ends with NULL. */
const char *const *mg_command_argv(const mg_value *run, mg_arena *arena);

/* On one line. */
mg_str mg_command_line(const mg_value *run, size_t max_bytes, mg_arena *arena);

#endif
