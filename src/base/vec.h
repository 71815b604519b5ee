/* vec.h - a list that grows in an arena.
 *
 *     typedef struct mg_strs { mg_str *items; size_t count, cap; } mg_strs;
 *     mg_vec_push(arena, &strs, s);
 *
 * The three members are the whole contract. Growing leaves the old block to the arena;
 * since capacity doubles, the waste is bounded by the final size.
 */
#ifndef MG_BASE_VEC_H
#define MG_BASE_VEC_H

#include "base/arena.h"

static inline void *mg_vec_room(mg_arena *arena, void *items, size_t count, size_t *cap,
                                size_t size)
{
    if (count < *cap)
        return items;
    const size_t room = *cap > 0 ? *cap * 2 : 4;
    void *bigger = mg_arena_array(arena, room, size);
    if (count > 0)
        memcpy(bigger, items, count * size);
    *cap = room;
    return bigger;
}

#define mg_vec_push(arena, vec, ...)                                                           \
    ((vec)->items =                                                                            \
         mg_vec_room((arena), (vec)->items, (vec)->count, &(vec)->cap, sizeof(*(vec)->items)), \
     (vec)->items[(vec)->count++] = (__VA_ARGS__))

#endif
