/* input.h - a stdin that holds all of its input from the start.
 *
 * So nobody has to write while the child runs, an embedder gets no SIGPIPE, and a child that does
 * not read waits for nobody.
 */
#ifndef MG_IO_INPUT_H
#define MG_IO_INPUT_H

#include "base/err.h"
#include "base/str.h"

/* A descriptor to read input from, and then its end; no lower than lowest, O_CLOEXEC. */
MG_MUST_CHECK mg_status mg_input_open(mg_str input, int lowest, int *out, mg_err *err);

#endif
