/* macros.h - the few macros that every file may use. */
#ifndef MG_BASE_MACROS_H
#define MG_BASE_MACROS_H

#include "base/banned.h"

#include <makegood/status.h>

#define MG_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Handles on the stack close themselves:  MG_AUTO(mg_arena) scratch = mg_arena_new(arena); */
#define MG_DEFINE_AUTO(type, destroy)              \
    static inline void type##_auto_(type **handle) \
    {                                              \
        destroy(*handle);                          \
    }
#define MG_AUTO(type) __attribute__((cleanup(type##_auto_))) type *

/* Gives a self-closing handle away: the variable is emptied, its value goes to the caller. */
#define MG_TAKE(handle)                       \
    __extension__({                           \
        __typeof__(handle) taken_ = (handle); \
        (handle) = NULL;                      \
        taken_;                               \
    })

#define MG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define MG_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MG_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
