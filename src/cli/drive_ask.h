/* drive_ask.h - what a loop was asked for, apart from the goal itself.
 *
 * It is what the command line said, made independent of where it was said: every path in it is
 * absolute. Stored as JSON with the loop, so that `loop resume` asks for the same again.
 */
#ifndef MG_CLI_DRIVE_ASK_H
#define MG_CLI_DRIVE_ASK_H

#include "cli/cli.h"

typedef struct mg_drive_ask {
    mg_str file;       /* the goal file as it was named; empty: there is none */
    mg_str file_path;  /* where it lies, without links; empty: nowhere (stdin, a pipe) */
    size_t file_bytes; /* how much of the frozen text is the file's */
    mg_str directory;  /* what its root is relative to; ends in a slash */
    mg_str root;       /* --root; empty: as the goal says */
    mg_str cwd;        /* the caller's, against which a program after `--` resolves */
    mg_str preset;     /* --agent; empty: not given */
    mg_strs words;     /* after `--` */
    uint32_t attempts; /* these five: 0 where the goal file decides */
    uint64_t time_ms;
    int64_t tokens;
    double cost_usd;
    uint64_t attempt_timeout_ms;
} mg_drive_ask;

mg_str mg_drive_ask_json(const mg_drive_ask *ask, mg_arena *arena);

/* What that wrote; anything else is MG_ERR_INVALID. */
MG_MUST_CHECK mg_status mg_drive_ask_read(mg_str json, mg_arena *arena, mg_drive_ask *out,
                                          mg_err *err);

#endif
