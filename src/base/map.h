/* map.h - texts to pointers, in an arena. Keys are not copied; entries are never removed. */
#ifndef MG_BASE_MAP_H
#define MG_BASE_MAP_H

#include "base/str.h"

typedef struct mg_map_slot {
    mg_str key;
    void *value;
    bool used;
} mg_map_slot;

typedef struct mg_map {
    mg_arena *arena;
    mg_map_slot *slots;
    size_t count, cap; /* cap is a power of two, or 0 before the first entry */
} mg_map;

mg_map mg_map_new(mg_arena *arena);

/* The value under key, or NULL. */
void *mg_map_get(const mg_map *map, mg_str key);

/* Puts value under key unless the key is there; returns what is there then (NULL: it was new). */
void *mg_map_put(mg_map *map, mg_str key, void *value);

#endif
