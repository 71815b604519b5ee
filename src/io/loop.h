/* loop.h - everything that waits, waits here: libuv behind timers and descriptors.
 *
 * One thread owns a loop. Handles are made by starting and gone by stopping; a callback may
 * stop its own handle or any other. No signal handler is installed.
 */
#ifndef MG_IO_LOOP_H
#define MG_IO_LOOP_H

#include "base/err.h"
#include "base/str.h"

typedef struct mg_loop mg_loop;
typedef struct mg_timer mg_timer;
typedef struct mg_watch mg_watch;

enum { MG_READABLE = 1, MG_WRITABLE = 2 };

MG_MUST_CHECK mg_status mg_loop_open(mg_loop **out, mg_err *err);
void mg_loop_close(mg_loop *loop); /* stops what is still running */
MG_DEFINE_AUTO(mg_loop, mg_loop_close)

/* Waits for events and handles them once. Returns at once when nothing could ever happen. */
void mg_loop_turn(mg_loop *loop);

/* A clock whose differences mean something: now, and when the loop last woke up, so that
 * whatever it tells now had happened by then. */
uint64_t mg_loop_now_ms(mg_loop *loop);
uint64_t mg_loop_woke_ms(const mg_loop *loop);

/* Calls fn(data) once, after ms milliseconds, unless it is stopped before; then it is gone. */
mg_timer *mg_timer_start(mg_loop *loop, uint64_t ms, void (*fn)(void *data), void *data);
void mg_timer_stop(mg_timer *timer); /* takes NULL */

/* Calls fn(data, ready) whenever fd is ready for what was asked. The descriptor stays the
 * caller's and is closed only after stopping. NULL with err where the system refuses. */
mg_watch *mg_watch_start(mg_loop *loop, int fd, int events, void (*fn)(void *data, int ready),
                         void *data, mg_err *err);
void mg_watch_stop(mg_watch *watch); /* takes NULL */

/* What a loop ends when it is closed: processes, the network. Embedded in the thing itself;
 * leaving a loop twice is harmless. */
typedef struct mg_tenant mg_tenant;
struct mg_tenant {
    void (*evict)(void *data); /* must leave */
    void *data;
    mg_tenant *next, **link;
};

void mg_loop_join(mg_loop *loop, mg_tenant *tenant);
void mg_loop_leave(mg_tenant *tenant);

#endif
