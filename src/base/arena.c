/* arena.c - chunks of bump-allocated memory, a list of children, a list of closes.
 *
 * Under the address sanitizer every block is followed by a poisoned gap, so an overflow
 * inside an arena is caught as one on the heap would be.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__SANITIZE_ADDRESS__)
#define MG_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MG_ASAN 1
#endif
#endif

#ifdef MG_ASAN
#include <sanitizer/asan_interface.h>
#define GAP 16u
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define GAP                               0u
#endif

enum { CHUNK_MIN = 4096, CHUNK_MAX = 256 * 1024, ALIGN = alignof(max_align_t) };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} chunk;

typedef struct closer {
    struct closer *next;
    void (*fn)(void *data);
    void *data;
} closer;

struct mg_arena {
    mg_arena *parent, *first_child, *next, *prev;
    chunk *chunks;   /* the newest first; only it is allocated from */
    closer *closers; /* the newest first */
    size_t next_size;
    mg_oom_fn on_oom;
    void *oom_data;
};

static void out_of_memory(const mg_arena *arena, size_t bytes)
{
    if (arena != NULL && arena->on_oom != NULL)
        arena->on_oom(arena->oom_data, bytes);
    abort();
}

static mg_arena *new_arena(mg_arena *parent, mg_oom_fn on_oom, void *data)
{
    mg_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL) {
        if (on_oom != NULL)
            on_oom(data, sizeof *arena);
        abort();
    }
    arena->next_size = CHUNK_MIN;
    arena->on_oom = on_oom;
    arena->oom_data = data;
    if (parent != NULL) {
        arena->parent = parent;
        arena->next = parent->first_child;
        if (arena->next != NULL)
            arena->next->prev = arena;
        parent->first_child = arena;
    }
    return arena;
}

mg_arena *mg_arena_new(mg_arena *parent)
{
    return parent != NULL ? new_arena(parent, parent->on_oom, parent->oom_data)
                          : new_arena(NULL, NULL, NULL);
}

mg_arena *mg_arena_new_root(mg_oom_fn on_oom, void *data)
{
    return new_arena(NULL, on_oom, data);
}

static void unlink_from_parent(mg_arena *arena)
{
    if (arena->prev != NULL)
        arena->prev->next = arena->next;
    else if (arena->parent != NULL)
        arena->parent->first_child = arena->next;
    if (arena->next != NULL)
        arena->next->prev = arena->prev;
}

void mg_arena_free(mg_arena *arena)
{
    if (arena == NULL)
        return;
    /* A close may still register another one or make a child, so both are read anew each time. */
    for (;;) {
        while (arena->first_child != NULL)
            mg_arena_free(arena->first_child); /* NOLINT: it takes itself off the list */
        closer *c = arena->closers;
        if (c == NULL)
            break;
        arena->closers = c->next;
        c->fn(c->data);
    }
    unlink_from_parent(arena);
    for (chunk *c = arena->chunks, *next; c != NULL; c = next) {
        next = c->next;
        ASAN_UNPOISON_MEMORY_REGION(c->bytes, c->size);
        free(c);
    }
    free(arena);
}

static chunk *new_chunk(mg_arena *arena, size_t need)
{
    const bool large = need > arena->next_size / 2;
    const size_t size = large ? need : arena->next_size;
    if (size > SIZE_MAX - sizeof(chunk))
        out_of_memory(arena, size);
    chunk *c = malloc(sizeof *c + size);
    if (c == NULL)
        out_of_memory(arena, size);
    c->used = 0;
    c->size = size;
    ASAN_POISON_MEMORY_REGION(c->bytes, size);
    if (large && arena->chunks != NULL) {
        /* A large block gets a chunk to itself, behind the one that is being filled. */
        c->next = arena->chunks->next;
        arena->chunks->next = c;
        return c;
    }
    c->next = arena->chunks;
    arena->chunks = c;
    if (!large)
        arena->next_size = MG_MIN(arena->next_size * 2, (size_t)CHUNK_MAX);
    return c;
}

static size_t rounded(const mg_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - GAP - ALIGN)
        out_of_memory(arena, bytes);
    const size_t with_gap = MG_MAX(bytes, (size_t)1) + GAP;
    return (with_gap + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static void *raw_alloc(mg_arena *arena, size_t bytes)
{
    assert(arena != NULL);
    const size_t need = rounded(arena, bytes);
    chunk *c = arena->chunks;
    if (c == NULL || c->size - c->used < need)
        c = new_chunk(arena, need);
    void *p = c->bytes + c->used;
    c->used += need;
    ASAN_UNPOISON_MEMORY_REGION(p, bytes);
    return p;
}

void *mg_arena_alloc(mg_arena *arena, size_t bytes)
{
    return memset(raw_alloc(arena, bytes), 0, bytes);
}

void *mg_arena_array(mg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(arena, SIZE_MAX);
    return mg_arena_alloc(arena, bytes);
}

void *mg_arena_grow(mg_arena *arena, void *old, size_t old_bytes, size_t new_bytes)
{
    assert(new_bytes >= old_bytes);
    chunk *c = arena->chunks;
    if (old != NULL && c != NULL) {
        const size_t had = rounded(arena, old_bytes), need = rounded(arena, new_bytes);
        const bool is_last = c->used >= had && (unsigned char *)old == c->bytes + (c->used - had);
        if (is_last && c->size - (c->used - had) >= need) {
            c->used += need - had;
            ASAN_UNPOISON_MEMORY_REGION(old, new_bytes);
            return old;
        }
    }
    void *p = raw_alloc(arena, new_bytes);
    if (old != NULL && old_bytes > 0)
        memcpy(p, old, old_bytes);
    return p;
}

void mg_arena_on_free(mg_arena *arena, void (*fn)(void *data), void *data)
{
    closer *c = mg_new(arena, closer);
    c->fn = fn;
    c->data = data;
    c->next = arena->closers;
    arena->closers = c;
}
