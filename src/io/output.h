/* output.h - the two output pipes of a child: read as they fill, and to a certain end.
 *
 * Nothing is kept: a piece is handed on before the next is read, so a child that writes faster
 * than its output is taken waits in write(2).
 */
#ifndef MG_IO_OUTPUT_H
#define MG_IO_OUTPUT_H

#include "io/loop.h"

enum { MG_OUTPUT_PIECE = 64 * 1024 }; /* what a pipe holds */

typedef struct mg_output {
    mg_loop *loop;
    /* Stream 1 is stdout, 2 is stderr. False: the owner is gone, and this with it. */
    bool (*take)(void *owner, int stream, mg_str bytes);
    void *owner;
    int pipes[2]; /* -1 once they ended */
    mg_watch *watches[2];
    int unread[2]; /* the errno with which reading a pipe ended too early, or 0 */
    char piece[MG_OUTPUT_PIECE];
} mg_output;

void mg_output_init(mg_output *output, mg_loop *loop,
                    bool (*take)(void *owner, int stream, mg_str bytes), void *owner);

/* Makes the pipes; the ends for the child are the caller's to close, also after a failure
 * (-1: not made). They are no lower than lowest. */
MG_MUST_CHECK mg_status mg_output_open(mg_output *output, int lowest, int theirs[static 2],
                                       mg_err *err);
MG_MUST_CHECK mg_status mg_output_watch(mg_output *output, mg_err *err);

/* Takes what is left when the writers are dead. Somebody we know nothing of may hold a pipe open
 * for ever; it is waited for only a moment. False: the owner is gone. */
MG_MUST_CHECK bool mg_output_finish(mg_output *output);

void mg_output_close(mg_output *output);

#endif
