/* guarded.h - what a guard is made of. Private to guard*.c, keep.c and restore.c. */
#ifndef MG_WORLD_GUARDED_H
#define MG_WORLD_GUARDED_H

#include "world/guard.h"
#include "world/tree.h"

typedef struct mg_kept { /* a protected path, and what it must be */
    mg_str path;
    uint32_t mode; /* st_mode */
    uint32_t uid, gid;
    int64_t size, mtime_ns;
    mg_digest digest; /* of a file's bytes; its copy is dir/restore/<index> */
    mg_str target;    /* of a link */
} mg_kept;

typedef struct mg_kept_dir { /* a directory on the way to one */
    mg_str path;
    uint32_t mode;
} mg_kept_dir;

struct mg_guard {
    const mg_world *world;
    const mg_scope *scope;
    const mg_snapshot *start;
    int copies; /* dir/restore */
    mg_strs always;
    mg_strs habit; /* sorted: what verification writes itself */
    struct {
        mg_kept *items; /* sorted by path */
        size_t count, cap;
    } kept;
    struct {
        mg_kept_dir *items; /* sorted by path: parents first */
        size_t count, cap;
    } dirs;
    mg_str sha256_hex; /* of the manifest */
};

typedef enum mg_breach_kind {
    MG_BREACH_NONE = 0,
    MG_BREACH_CHANGED, /* a kept path is not what it was */
    MG_BREACH_EXTRA,   /* something is there that was not */
    MG_BREACH_MODE,    /* a directory has another mode */
    MG_BREACH_CLOSED,  /* a directory that a glob reaches into cannot be read */
    MG_BREACH_EMPTY,   /* a new directory beneath a protected one: removed, never told */
} mg_breach_kind;

typedef struct mg_breach {
    mg_breach_kind kind;
    mg_str path;
    size_t index; /* of CHANGED in kept, of MODE in dirs */
    bool planted; /* ignored: removed, not counted */
} mg_breach;

typedef struct mg_breaches {
    mg_breach *items;
    size_t count, cap;
} mg_breaches;

/* guard.c: everything that is not as it was. */
MG_MUST_CHECK mg_status mg_guard_look(const mg_guard *guard, const mg_snapshot *now,
                                      mg_arena *arena, mg_breaches *out, mg_err *err);

/* In order, and each only once. */
void mg_guard_sort(mg_strs *list);

/* guard_habit.c, guard_links.c: their parts of opening. */
void mg_guard_take_habit(mg_guard *guard, const mg_strs *habit, mg_arena *arena);
void mg_guard_warn_links(const mg_guard *guard, mg_arena *arena, mg_strs *warnings);

/* keep.c: copies and manifest. */
MG_MUST_CHECK mg_status mg_keep(mg_guard *guard, const mg_leaf *leaf, mg_str path, int64_t *total,
                                mg_arena *arena, mg_err *err);
MG_MUST_CHECK mg_status mg_keep_manifest(mg_guard *guard, mg_arena *arena, mg_err *err);
MG_MUST_CHECK mg_status mg_keep_load(mg_guard *guard, mg_str sha256_hex, mg_arena *arena,
                                     mg_err *err);

/* Reads `from` to its end, at most max bytes; writes to `to` unless it is -1. */
MG_MUST_CHECK mg_status mg_copy_digest(int from, int to, int64_t max, int64_t *size, mg_digest *out,
                                       mg_err *err);

/* Whether what is at path on disk is a kept path, byte for byte, its mode included. */
MG_MUST_CHECK mg_status mg_keep_intact(const mg_guard *guard, const mg_kept *kept, bool *out,
                                       mg_err *err);

#endif
