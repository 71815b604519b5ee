/* program.h - which file a command's first word means. */
#ifndef MG_IO_PROGRAM_H
#define MG_IO_PROGRAM_H

#include "base/err.h"
#include "base/str.h"

/* The path to execute, relative to the directory cwd where it is not absolute. Looks in PATH
 * of env unless name has a '/'. MG_ERR_NOT_FOUND, or MG_ERR_DENIED where it is there but
 * cannot be executed, or another error where the system did not say. */
MG_MUST_CHECK mg_status mg_program_find(const char *name, const char *const *env, int cwd,
                                        mg_arena *arena, const char **out, mg_err *err);

#endif
