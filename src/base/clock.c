/* clock.c - the system's clock behind the interface, and times as text. */
#include "base/clock.h"

static uint64_t now_ns(void *self)
{
    (void)self;
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int64_t wall_ms(void *self)
{
    (void)self;
    struct timespec ts;
    (void)clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

const mg_clock mg_clock_system = {.now_ns = now_ns, .wall_ms = wall_ms};

mg_str mg_time_rfc3339(mg_arena *arena, int64_t wall_ms_)
{
    /* Rounded down, so that a time before 1970 does not get negative milliseconds. */
    const int64_t ms = (wall_ms_ % 1000 + 1000) % 1000;
    const time_t seconds = (time_t)((wall_ms_ - ms) / 1000);
    struct tm tm = {0};
    (void)gmtime_r(&seconds, &tm);
    return mg_strf(arena, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ms);
}
