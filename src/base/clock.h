/* clock.h - time is passed in, so that runs can be replayed. */
#ifndef MG_BASE_CLOCK_H
#define MG_BASE_CLOCK_H

#include "base/str.h"

typedef struct mg_clock {
    uint64_t (*now_ns)(void *self); /* monotonic; only differences mean something */
    int64_t (*wall_ms)(void *self); /* milliseconds since 1970, UTC */
    void *self;
} mg_clock;

extern const mg_clock mg_clock_system;

static inline uint64_t mg_clock_ns(const mg_clock *clock)
{
    return clock->now_ns(clock->self);
}

static inline uint64_t mg_clock_ms(const mg_clock *clock)
{
    return mg_clock_ns(clock) / 1000000;
}

/* "2026-11-15T01:50:03.120Z" */
mg_str mg_time_rfc3339(mg_arena *arena, int64_t wall_ms);

#endif
