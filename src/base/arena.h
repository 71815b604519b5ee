/* arena.h - memory by lifetime.
 *
 * Everything that is born for one purpose dies with it: an arena per goal, per check, per
 * attempt, per scratch piece of work, each the child of a longer one. Freeing an arena
 * frees its children and runs the closes that were registered on it, newest first.
 *
 * Allocation does not return NULL. When the system has no memory left the root's handler
 * runs, and if it returns (or there is none) the process aborts: inputs are bounded before
 * they are read, so ordinary code carries no untested out-of-memory branch.
 */
#ifndef MG_BASE_ARENA_H
#define MG_BASE_ARENA_H

#include "base/macros.h"

#include <stddef.h>

typedef struct mg_arena mg_arena;

typedef void (*mg_oom_fn)(void *data, size_t bytes); /* must not return */

/* A new arena; parent may be NULL. A child inherits its parent's handler. */
mg_arena *mg_arena_new(mg_arena *parent);

/* A root with a handler of its own for the case that memory runs out. */
mg_arena *mg_arena_new_root(mg_oom_fn on_oom, void *data);

/* Frees children first, then runs the registered closes, then gives the memory back. */
void mg_arena_free(mg_arena *arena);

/* Zeroed memory, aligned for any type. Zero bytes give a valid, distinct pointer. */
void *mg_arena_alloc(mg_arena *arena, size_t bytes);

/* count * size with the overflow checked; more than the address space is out of memory. */
void *mg_arena_array(mg_arena *arena, size_t count, size_t size);

/* Makes the block larger, in place where it was the last one; the new part is not zeroed. */
void *mg_arena_grow(mg_arena *arena, void *old, size_t old_bytes, size_t new_bytes);

/* Runs fn(data) when the arena is freed. */
void mg_arena_on_free(mg_arena *arena, void (*fn)(void *data), void *data);

#define mg_new(arena, type)              ((type *)mg_arena_alloc((arena), sizeof(type)))
#define mg_new_array(arena, type, count) ((type *)mg_arena_array((arena), (count), sizeof(type)))

MG_DEFINE_AUTO(mg_arena, mg_arena_free)

#endif
