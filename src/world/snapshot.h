/* snapshot.h - what is in the workspace, and what became of it.
 *
 * A snapshot lists every path in scope with what identifies its state. Taking one stats
 * everything and hashes only what moved since the snapshot before; what moved is decided by
 * inode, size, mtime and ctime, so that restoring a time stamp hides nothing, and a file whose
 * ctime is as young as the snapshot itself is hashed again next time. Old text goes into a pack
 * while it is hashed, so that line counts can be given later.
 */
#ifndef MG_WORLD_SNAPSHOT_H
#define MG_WORLD_SNAPSHOT_H

#include "model/evidence.h"
#include "world/world.h"

typedef struct mg_scope mg_scope;       /* which paths are looked at; frozen when a loop begins */
typedef struct mg_pack mg_pack;         /* old texts, append-only, in a file */
typedef struct mg_snapshot mg_snapshot; /* immutable once taken */

/* Asked now and then during long work; what it returns other than MG_OK ends the work. */
typedef struct mg_live {
    mg_status (*ask)(const void *data, mg_err *err); /* NULL: never asked */
    const void *data;
} mg_live;

typedef struct mg_scope_rules {
    const mg_strs *ignore;  /* globs besides .gitignore; may be NULL */
    const mg_strs *protect; /* globs that are looked at even when ignored; may be NULL */
    const mg_strs *named;   /* paths that an entry names: tracked even when ignored; may be NULL */
} mg_scope_rules;

/* Reads every .gitignore beneath the root, once and for all. `.git` itself is out of scope unless
 * `protect` or `named` reach into it. */
MG_MUST_CHECK mg_status mg_scope_freeze(const mg_world *world, const mg_scope_rules *rules,
                                        mg_arena *arena, const mg_scope **out, mg_err *err);

/* The same rules as bytes, and back: a resumed loop must not read what an agent wrote into a
 * .gitignore meanwhile. MG_ERR_INVALID for anything that was not saved so. */
MG_MUST_CHECK mg_status mg_scope_save(const mg_scope *scope, int dir, const char *name,
                                      mg_str *sha256_hex, mg_arena *arena, mg_err *err);
MG_MUST_CHECK mg_status mg_scope_load(int dir, const char *name, mg_str sha256_hex, mg_arena *arena,
                                      const mg_scope **out, mg_err *err);

/* Whether a path is protected; whether it is in scope only because of that (it is ignored). A glob
 * whose last component has no wildcard may name a directory: then all beneath it is meant. */
bool mg_scope_protects(const mg_scope *scope, mg_str path);
bool mg_scope_ignores(const mg_scope *scope, mg_str path, bool is_dir);

/* A pack in the file `name` of the directory dir; what is there is kept (a resumed loop). */
MG_MUST_CHECK mg_status mg_pack_open(int dir, const char *name, mg_arena *arena, mg_pack **out,
                                     mg_err *err);

/* before: the snapshot to compare with and take hashes from, or NULL. pack may be NULL: then no
 * text is kept. The result lives in the arena. MG_ERR_LIMIT when there are too many files. */
MG_MUST_CHECK mg_status mg_snapshot_take(const mg_world *world, const mg_scope *scope,
                                         const mg_snapshot *before, mg_pack *pack, mg_live live,
                                         mg_arena *arena, const mg_snapshot **out, mg_err *err);

size_t mg_snapshot_count(const mg_snapshot *snapshot);

/* How a path was: false in out->existed where it was not there (or not a file). Returns whether
 * that is known. It is not where the file, or a directory on the way, could not be read, or a link
 * is on the way: then there is no baseline for it, and what compares with one is unknown. */
bool mg_snapshot_file(const mg_snapshot *snapshot, mg_str path, mg_baseline_file *out);

/* What happened between the two, sorted by path; renames found by content or inode. Lines come
 * from the pack, and only where its text still has the hash that was noted in memory.
 * MG_CHANGE_NONE: how the path changed is not known, because it could not be read (it, or the
 * directory it is in, was closed to us); that is neither a change that was seen nor none. A
 * rewrite with the same content is MODIFIED with no_op. */
MG_MUST_CHECK mg_status mg_snapshot_delta(const mg_snapshot *before, const mg_snapshot *after,
                                          const mg_pack *pack, mg_arena *arena, mg_changes *out,
                                          mg_err *err);

/* Whether a path is in the same state in both (there or not there, type, mode, content). */
bool mg_snapshot_same(const mg_snapshot *a, const mg_snapshot *b, mg_str path);

/* Whether something in it was made, written or re-moded at that wall-clock time or later. */
bool mg_snapshot_touched(const mg_snapshot *snapshot, int64_t since_ms);

/* For a resumed loop: the snapshot as bytes, and back. MG_ERR_INVALID for anything else. */
MG_MUST_CHECK mg_status mg_snapshot_save(const mg_snapshot *snapshot, int dir, const char *name,
                                         mg_str *sha256_hex, mg_arena *arena, mg_err *err);
MG_MUST_CHECK mg_status mg_snapshot_load(int dir, const char *name, mg_str sha256_hex,
                                         mg_arena *arena, const mg_snapshot **out, mg_err *err);

#endif
