/* guard.h - protected paths: copied when a loop begins, compared and restored after an attempt.
 *
 * The copies lie in the state directory, where an agent may find them; what they must be is held
 * in memory (SHA-256), so a copy that was changed is noticed and never put back.
 */
#ifndef MG_WORLD_GUARD_H
#define MG_WORLD_GUARD_H

#include "world/snapshot.h"

typedef struct mg_guard mg_guard;

typedef struct mg_guard_rules {
    const mg_strs *protect; /* globs; may be NULL */
    const mg_strs *always;  /* exact paths, as the goal file beneath the root; may be NULL */
    const mg_strs *habit;   /* exact paths that verification writes itself; may be NULL */
} mg_guard_rules;

/* The globs to protect by, for scope and guard: as given, but where the part of one before its
 * first wildcard leads through a link, the link and what it leads to instead. A link to a directory
 * outside the root is MG_ERR_INVALID: nothing there is looked at, so nothing could be guarded. */
MG_MUST_CHECK mg_status mg_guard_follow(const mg_world *world, const mg_strs *protect,
                                        mg_arena *arena, mg_strs *out, mg_err *err);

/* What commands of the goal wrote between the two, before any agent ran: a habit of theirs. These
 * very paths, and not what appears beside them. */
MG_MUST_CHECK mg_status mg_guard_habit(const mg_snapshot *before, const mg_snapshot *after,
                                       mg_arena *arena, mg_strs *out, mg_err *err);

/* Copies everything that is protected in `start` to dir/restore. A glob that matches nothing adds
 * a warning and guards against creation. The rules are those the scope was frozen with, and every
 * `always` path is in its scope (named there, if it may be ignored); MG_ERR_INVALID otherwise.
 * Call it right after `start` was taken: a file that has moved since is an error, and so is one
 * that cannot be read (it could not be restored) and more than 1 GiB of copies. world, scope and
 * start live as long as the guard; dir may be closed. */
MG_MUST_CHECK mg_status mg_guard_open(const mg_world *world, const mg_scope *scope,
                                      const mg_guard_rules *rules, const mg_snapshot *start,
                                      int dir, mg_arena *arena, mg_guard **out, mg_strs *warnings,
                                      mg_err *err);

/* For a resumed loop: what the copies must be is also in dir/restore/manifest. Whoever keeps the
 * SHA-256 of that file (64 hexadecimal digits) can open the same guard again, with the loaded scope
 * and start; a manifest that does not have it is MG_ERR_INVALID. */
mg_str mg_guard_sha256(const mg_guard *guard);
MG_MUST_CHECK mg_status mg_guard_reopen(const mg_world *world, const mg_scope *scope,
                                        const mg_snapshot *start, int dir, mg_str sha256_hex,
                                        mg_arena *arena, mg_guard **out, mg_err *err);

/* The protected paths that differ between start and now: created, deleted, renamed, retyped,
 * relinked, re-moded, modified; `counted` are the violations, `planted` the ignored files that
 * appeared there and are removed without counting. A link that leads a protected name elsewhere,
 * and a directory that hides what is beneath it, count too. What moved is compared by SHA-256. */
MG_MUST_CHECK mg_status mg_guard_compare(const mg_guard *guard, const mg_snapshot *now,
                                         mg_arena *arena, mg_strs *counted, mg_strs *planted,
                                         mg_err *err);

/* What happened to protected paths between two snapshots, while commands of the goal ran what the
 * agent wrote: what is not as it was, and what moved, though it is as it was again. Left out are
 * habits, and ignored files that appeared (interpreters keep caches there). */
MG_MUST_CHECK mg_status mg_guard_touched(const mg_guard *guard, const mg_snapshot *before,
                                         const mg_snapshot *after, mg_arena *arena, mg_strs *out,
                                         mg_err *err);

/* Every path of the start, protected or not, that is gone or is not as it was; but for habits. */
void mg_guard_altered(const mg_guard *guard, const mg_snapshot *now, mg_arena *arena, mg_strs *out);

/* Makes every protected path what it was and removes what was planted; looks again afterwards.
 * Anything but MG_OK: it is not as it was, and nothing may be verified. Never follows a link and
 * never touches what is outside the root. */
MG_MUST_CHECK mg_status mg_guard_restore(mg_guard *guard, const mg_snapshot *now, mg_arena *arena,
                                         mg_err *err);

#endif
