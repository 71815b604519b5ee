/* supervise.h - a program with everything that comes from it, ended for certain.
 *
 * mg-supervise (libexec, libc only) stands between us and the program: it is the subreaper of
 * whatever the program leaves behind, and when we are gone (its control socket closes) it ends
 * everything. So a daemon that left its group and its session is found, and a killed driver
 * leaves no agent running. Neither signal handlers nor a subreaper are put upon the embedder.
 *
 * The program runs in a session of its own, without a terminal. Its stdin is `input` and then
 * ends; every descriptor above stderr is closed.
 */
#ifndef MG_IO_SUPERVISE_H
#define MG_IO_SUPERVISE_H

#include "io/process.h"

#include <sys/stat.h>

/* The file that is run, as it was before any agent ran: an agent may be able to put another in its
 * place, one that says `done` of whatever we ask. */
typedef struct mg_supervisor {
    const char *path;
    struct stat is;
} mg_supervisor;

typedef struct mg_supervised mg_supervised;

typedef struct mg_supervised_end {
    mg_process_exit exit; /* of the program itself; TIMED_OUT: our limit ended it; LOST where
                           * it could not be executed, too, and exit.why says why */
    bool stopped;         /* mg_supervised_stop() ended it, not its own will */
    bool whole; /* seen by the supervisor: no process of it is left. Zero is "not known": then
                 * nothing that is read from now on can be trusted, and `why` says why */
    unsigned leftovers; /* processes that were still there when the program had ended */
    mg_err why;
} mg_supervised_end;

typedef struct mg_supervise_options {
    const mg_supervisor *supervisor; /* until start returns */
    const char *const *argv;         /* ends with NULL; argv[0] as in mg_process_options */
    const char *const *env;
    int cwd;             /* a directory descriptor, borrowed until start returns */
    mg_str input;        /* for its stdin; copied */
    uint64_t timeout_ms; /* 0: none; then it is stopped as by mg_supervised_stop() */
    uint64_t drain_ms;   /* between SIGINT, SIGTERM and SIGKILL */
    int hold; /* a descriptor that the supervisor keeps until everything has ended, also when we are
               * gone: a lock on it is not free before. 0: none */
    void (*output)(void *data, int stream, mg_str bytes);    /* 1 stdout, 2 stderr; may be NULL */
    void (*ended)(void *data, const mg_supervised_end *end); /* exactly once */
    void *data;
} mg_supervise_options;

/* Where mg-supervise (or another program of libexec) is: $MAKEGOOD_LIBEXEC, beside the running
 * program, ../libexec/makegood beside it, where it was installed to. MG_ERR_UNAVAILABLE. */
MG_MUST_CHECK mg_status mg_libexec_find(const char *name, const char *const *env, mg_arena *arena,
                                        const char **out, mg_err *err);

/* mg-supervise, found and remembered, in the arena. MG_ERR_UNAVAILABLE. */
MG_MUST_CHECK mg_status mg_supervisor_find(const char *const *env, mg_arena *arena,
                                           const mg_supervisor **out, mg_err *err);

/* MG_ERR_NOT_FOUND if there is no such program, MG_ERR_UNAVAILABLE if there is no supervisor,
 * MG_ERR_DENIED if it is not the file it was: then nothing was run. */
MG_MUST_CHECK mg_status mg_supervise_start(mg_loop *loop, const mg_supervise_options *options,
                                           mg_supervised **out, mg_err *err);

/* SIGINT, after the drain time SIGTERM, after it SIGKILL to everything; ended() follows. Calling
 * it again changes nothing. */
void mg_supervised_stop(mg_supervised *supervised);

/* SIGKILL to everything now; ended() follows. */
void mg_supervised_kill(mg_supervised *supervised);

/* Ends everything at once and forgets it; no callback follows. Waits a moment for the end. May be
 * called from a callback. Takes NULL. */
void mg_supervised_free(mg_supervised *supervised);

#endif
