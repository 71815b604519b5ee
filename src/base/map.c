/* map.c - open addressing with linear probing, at most half full. */
#include "base/map.h"

mg_map mg_map_new(mg_arena *arena)
{
    return (mg_map){.arena = arena};
}

static uint64_t hash(mg_str key) /* FNV-1a: short keys, counts bounded by whoever fills the map */
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < key.len; i++)
        h = (h ^ (unsigned char)key.ptr[i]) * 1099511628211u;
    return h;
}

/* The slot that holds key, or the free one where it belongs. */
static mg_map_slot *slot_of(mg_map_slot *slots, size_t cap, mg_str key)
{
    size_t at = (size_t)hash(key) & (cap - 1);
    while (slots[at].used && !mg_str_eq(slots[at].key, key))
        at = (at + 1) & (cap - 1);
    return &slots[at];
}

static void grow(mg_map *map)
{
    const size_t cap = map->cap > 0 ? map->cap * 2 : 16;
    mg_map_slot *slots = mg_new_array(map->arena, mg_map_slot, cap);
    for (size_t i = 0; i < map->cap; i++) {
        if (map->slots[i].used)
            *slot_of(slots, cap, map->slots[i].key) = map->slots[i];
    }
    map->slots = slots;
    map->cap = cap;
}

void *mg_map_get(const mg_map *map, mg_str key)
{
    return map->cap > 0 ? slot_of(map->slots, map->cap, key)->value : NULL;
}

void *mg_map_put(mg_map *map, mg_str key, void *value)
{
    if (map->count * 2 >= map->cap)
        grow(map);
    mg_map_slot *slot = slot_of(map->slots, map->cap, key);
    if (slot->used)
        return slot->value;
    *slot = (mg_map_slot){key, value, true};
    map->count++;
    return NULL;
}
