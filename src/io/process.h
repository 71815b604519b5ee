/* process.h - a command in a process group of its own, with a deadline and bounded output.
 *
 * stdin is closed (/dev/null), and so is every descriptor above stderr. When the command
 * ends, or its time is up, or it is stopped, everything that is left of its group is killed,
 * grandchildren included. A process that left the group (setsid) is not found by this; it
 * cannot hold us up either. Output goes to the caller piece by piece; nothing is kept here.
 */
#ifndef MG_IO_PROCESS_H
#define MG_IO_PROCESS_H

#include "io/loop.h"

typedef struct mg_process mg_process;

typedef enum mg_process_end {
    MG_PROCESS_LOST = 0, /* how it ended could not be learnt */
    MG_PROCESS_EXITED,
    MG_PROCESS_SIGNALLED,
    MG_PROCESS_TIMED_OUT, /* and was killed for it, or was seen to be over only later */
} mg_process_end;

typedef struct mg_process_exit {
    mg_process_end how;
    int code;   /* exit code, or the signal */
    mg_err why; /* of LOST */
    /* The errno with which reading stdout, stderr ended too early; 0: all of it was passed on. */
    int unread[2];
} mg_process_exit;

typedef struct mg_process_options {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH of env, or beneath
                              * cwd where it has a '/' */
    const char *const *env;  /* ends with NULL */
    int cwd;                 /* a directory descriptor, borrowed until start returns */
    uint64_t timeout_ms;     /* 0: none */
    /* stream 1 is stdout, 2 is stderr. Not called after `ended`. May be NULL. */
    void (*output)(void *data, int stream, mg_str bytes);
    /* Called exactly once, unless mg_process_stop() came before. */
    void (*ended)(void *data, const mg_process_exit *exit);
    void *data;
} mg_process_options;

/* MG_ERR_NOT_FOUND if there is no such program. */
MG_MUST_CHECK mg_status mg_process_start(mg_loop *loop, const mg_process_options *options,
                                         mg_process **out, mg_err *err);

/* Kills the group, forgets the process; no callback follows. May be called from a callback.
 * Takes NULL. */
void mg_process_stop(mg_process *process);

#endif
