/* stream.h - writing while a loop runs, without ever holding it up.
 *
 * A thread writes what is added. Whoever adds waits for nobody, except that a reader who falls
 * far behind is given a moment; one that stays behind, or goes away, loses the stream, and the
 * loop goes on without it.
 */
#ifndef MG_CLI_STREAM_H
#define MG_CLI_STREAM_H

#include "base/str.h"

typedef struct mg_stream mg_stream;

typedef struct mg_stream_options {
    int fd;            /* borrowed until the stream is closed */
    uint64_t every_ms; /* how often the status is drawn anew; 0: there is none */
    /* One line that stands below everything else on a terminal; called on the stream's thread,
     * without a lock. An empty one is not drawn. */
    mg_str (*status)(void *data, mg_arena *scratch);
    void *data;
} mg_stream_options;

/* NULL where there is no thread to be had. */
mg_stream *mg_stream_open(const mg_stream_options *options);

/* Takes NULL, and a stream that was lost. */
void mg_stream_add(mg_stream *stream, mg_str bytes);

/* Why it was lost, once: the first call after it happened gets the sentence, later ones NULL. */
const char *mg_stream_lost(mg_stream *stream);

/* Writes what is left, as long as somebody reads, and clears the status line. Takes NULL. A
 * sentence in the arena where it was lost and nobody was told yet; else NULL. */
const char *mg_stream_close(mg_stream *stream, mg_arena *arena);

#endif
