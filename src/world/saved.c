/* saved.c - a snapshot and a scope as bytes in the state directory, and back, for a resumed loop.
 *
 * Whoever resumes knows the SHA-256 of what was saved from the store. The bytes are checked all
 * the same: a snapshot that is out of order would be searched wrongly and say "not there".
 */
#include "world/bytes.h"
#include "world/scope.h"
#include "world/tree.h"

#include "base/vec.h"

#include <fcntl.h>
#include <unistd.h>

enum { LEAF_BYTES = 13 * 8, DIR_BYTES = 5 * 8 }; /* at least, with empty names */

#define SNAPSHOT_MAGIC "mg-snapshot-1\n"
#define SCOPE_MAGIC    "mg-scope-1\n"

static const size_t SAVED_MAX = (size_t)1 << 30;

/* --- Files --- */

mg_status mg_bytes_save(int dir, const char *name, mg_str bytes, mg_arena *arena,
                        mg_str *sha256_hex, mg_err *err)
{
    const char *beside = mg_strf(arena, "%s.new", name).ptr;
    if (unlinkat(dir, beside, 0) == 0) {
        /* left by a run that was killed */
    }
    MG_AUTO_FD fd = openat(dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return mg_fail_errno(err, "'%s' in the state directory", beside);
    const mg_status s = mg_fd_write_all(fd, bytes, err);
    if (s != MG_OK)
        return mg_context(err, s, "'%s' in the state directory", beside);
    if (fsync(fd) < 0 || renameat(dir, beside, dir, name) < 0)
        return mg_fail_errno(err, "'%s' in the state directory", name);
    *sha256_hex = mg_sha256_hex(arena, bytes);
    return MG_OK;
}

mg_status mg_bytes_load(int dir, const char *name, mg_str sha256_hex, mg_arena *arena, mg_str *out,
                        mg_err *err)
{
    MG_AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return mg_fail_errno(err, "'%s' in the state directory", name);
    mg_buf bytes = mg_buf_new(arena, SAVED_MAX);
    const mg_status s = mg_fd_read_all(fd, &bytes, err);
    if (s != MG_OK)
        return mg_context(err, s, "'%s' in the state directory", name);
    if (!mg_str_eq(mg_sha256_hex(arena, mg_buf_str(&bytes)), sha256_hex))
        return mg_fail(err, MG_ERR_INVALID,
                       "'%s' in the state directory is not what was saved: its SHA-256 differs",
                       name);
    *out = mg_buf_str(&bytes);
    return MG_OK;
}

/* --- Snapshots --- */

static void put_leaf(mg_buf *buf, const mg_leaf *n)
{
    mg_put_str(buf, n->name);
    const uint64_t numbers[] = {
        n->mode,
        n->flags,
        n->dev,
        n->ino,
        (uint64_t)n->size,
        (uint64_t)n->mtime_ns,
        (uint64_t)n->ctime_ns,
        (uint64_t)n->btime_ns,
        n->hash.high,
        n->hash.low,
        (uint64_t)n->text_at,
    };
    for (size_t i = 0; i < MG_COUNT(numbers); i++)
        mg_put_u64(buf, numbers[i]);
}

mg_status mg_snapshot_save(const mg_snapshot *snapshot, int dir, const char *name,
                           mg_str *sha256_hex, mg_arena *arena, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf buf = mg_buf_new(scratch, SAVED_MAX);
    mg_buf_adds(&buf, SNAPSHOT_MAGIC);
    mg_put_u64(&buf, snapshot->dir_count);
    for (size_t i = 0; i < snapshot->dir_count; i++) {
        const mg_dir *d = &snapshot->dirs[i];
        mg_put_str(&buf, d->path);
        mg_put_u64(&buf, (d->ignored ? 1u : 0u) | (d->unread ? 2u : 0u));
        mg_put_u64(&buf, (uint64_t)d->ctime_ns);
        mg_put_u64(&buf, (uint64_t)d->mtime_ns);
        mg_put_u64(&buf, d->count);
        for (size_t k = 0; k < d->count; k++)
            put_leaf(&buf, &d->leaves[k]);
    }
    MG_TRY(mg_buf_ok(&buf, "the snapshot", err));
    return mg_bytes_save(dir, name, mg_buf_str(&buf), arena, sha256_hex, err);
}

static bool is_name(mg_str s)
{
    return s.len > 0 && s.len <= 255 && memchr(s.ptr, '/', s.len) == NULL &&
           memchr(s.ptr, '\0', s.len) == NULL && !mg_str_is(s, ".") && !mg_str_is(s, "..");
}

static bool is_path(mg_str s)
{
    if (s.len == 0)
        return true;
    if (s.len > MG_TREE_PATH_MAX)
        return false;
    mg_str rest = s, part;
    while (mg_str_split(&rest, '/', &part)) {
        if (!is_name(part))
            return false;
    }
    return true;
}

static mg_leaf take_leaf(mg_reader *r, mg_arena *arena)
{
    mg_leaf n = {.name = mg_take_str(r)};
    const uint64_t mode = mg_take_u64(r), flags = mg_take_u64(r);
    n.dev = mg_take_u64(r);
    n.ino = mg_take_u64(r);
    n.size = (int64_t)mg_take_u64(r);
    n.mtime_ns = (int64_t)mg_take_u64(r);
    n.ctime_ns = (int64_t)mg_take_u64(r);
    n.btime_ns = (int64_t)mg_take_u64(r);
    n.hash.high = mg_take_u64(r);
    n.hash.low = mg_take_u64(r);
    n.text_at = (int64_t)mg_take_u64(r);
    if (r->bad || !is_name(n.name) || mode > 0177777 || S_ISDIR(mode) ||
        (flags & ~(uint64_t)MG_LEAF_ALL) != 0 || n.size < 0 || n.text_at < -1)
        r->bad = true;
    n.name = mg_str_copy(arena, n.name);
    n.mode = (uint32_t)mode;
    n.flags = (uint32_t)flags;
    return n;
}

static mg_dir take_dir(mg_reader *r, mg_arena *arena)
{
    mg_dir d = {.path = mg_take_str(r)};
    const uint64_t flags = mg_take_u64(r);
    d.ignored = (flags & 1) != 0;
    d.unread = (flags & 2) != 0;
    d.ctime_ns = (int64_t)mg_take_u64(r);
    d.mtime_ns = (int64_t)mg_take_u64(r);
    const size_t count = mg_take_count(r, LEAF_BYTES - 8);
    if (r->bad || flags > 3 || !is_path(d.path))
        r->bad = true;
    d.path = mg_str_copy(arena, d.path);
    d.leaves = mg_new_array(arena, mg_leaf, count);
    while (!r->bad && d.count < count) {
        const mg_leaf leaf = take_leaf(r, arena);
        if (d.count > 0 && mg_str_cmp(d.leaves[d.count - 1].name, leaf.name) >= 0)
            r->bad = true;
        d.leaves[d.count++] = leaf;
    }
    return d;
}

mg_status mg_snapshot_parse(mg_str bytes, mg_arena *arena, const mg_snapshot **out, mg_err *err)
{
    mg_snapshot *snapshot = mg_new(arena, mg_snapshot);
    mg_reader r = {.rest = mg_str_from(bytes, strlen(SNAPSHOT_MAGIC)),
                   .bad = !mg_str_starts(bytes, SNAPSHOT_MAGIC)};
    const size_t count = mg_take_count(&r, DIR_BYTES);
    snapshot->dirs = mg_new_array(arena, mg_dir, count);
    while (!r.bad && snapshot->dir_count < count) {
        const mg_dir d = take_dir(&r, arena);
        const size_t at = snapshot->dir_count;
        if (at > 0 ? mg_str_cmp(snapshot->dirs[at - 1].path, d.path) >= 0 : d.path.len > 0)
            r.bad = true;
        snapshot->dirs[snapshot->dir_count++] = d;
        snapshot->leaf_count += d.count;
    }
    if (r.bad || r.rest.len > 0 || count == 0 || snapshot->leaf_count > MG_TREE_LEAVES_MAX)
        return mg_fail(err, MG_ERR_INVALID, "these bytes are not a whole snapshot");
    *out = snapshot;
    return MG_OK;
}

mg_status mg_snapshot_load(int dir, const char *name, mg_str sha256_hex, mg_arena *arena,
                           const mg_snapshot **out, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str bytes;
    MG_TRY(mg_bytes_load(dir, name, sha256_hex, scratch, &bytes, err));
    const mg_status s = mg_snapshot_parse(bytes, arena, out, err);
    return s != MG_OK ? mg_context(err, s, "'%s' in the state directory", name) : MG_OK;
}

/* --- Scopes --- */

static void put_list(mg_buf *buf, const mg_strs *list)
{
    mg_put_u64(buf, list->count);
    for (size_t i = 0; i < list->count; i++)
        mg_put_str(buf, list->items[i]);
}

static mg_strs take_list(mg_reader *r, mg_arena *arena)
{
    mg_strs list = {0};
    for (size_t left = mg_take_count(r, 8); left > 0 && !r->bad; left--)
        mg_strs_add(arena, &list, mg_take_str(r));
    return list;
}

mg_status mg_scope_save(const mg_scope *scope, int dir, const char *name, mg_str *sha256_hex,
                        mg_arena *arena, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf buf = mg_buf_new(scratch, SAVED_MAX);
    mg_buf_adds(&buf, SCOPE_MAGIC);
    put_list(&buf, &scope->ignore);
    put_list(&buf, &scope->protect);
    put_list(&buf, &scope->named);
    mg_put_u64(&buf, scope->sources.count);
    for (size_t i = 0; i < scope->sources.count; i++) {
        mg_put_str(&buf, scope->sources.items[i].dir);
        mg_put_str(&buf, scope->sources.items[i].text);
    }
    MG_TRY(mg_buf_ok(&buf, "the scope", err));
    return mg_bytes_save(dir, name, mg_buf_str(&buf), arena, sha256_hex, err);
}

mg_status mg_scope_load(int dir, const char *name, mg_str sha256_hex, mg_arena *arena,
                        const mg_scope **out, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str bytes;
    MG_TRY(mg_bytes_load(dir, name, sha256_hex, scratch, &bytes, err));
    mg_reader r = {.rest = mg_str_from(bytes, strlen(SCOPE_MAGIC)),
                   .bad = !mg_str_starts(bytes, SCOPE_MAGIC)};
    const mg_strs ignore = take_list(&r, scratch), protect = take_list(&r, scratch),
                  named = take_list(&r, scratch);
    mg_scope *scope = NULL;
    if (!r.bad)
        MG_TRY(mg_scope_make(&(mg_scope_rules){&ignore, &protect, &named}, arena, &scope, err));
    for (size_t left = mg_take_count(&r, 16); left > 0 && !r.bad; left--) {
        const mg_str where = mg_take_str(&r), text = mg_take_str(&r);
        if (!r.bad && is_path(where))
            MG_TRY(mg_scope_add(scope, where, text, arena, err));
        else
            r.bad = true;
    }
    if (r.bad || r.rest.len > 0)
        return mg_fail(err, MG_ERR_INVALID, "'%s' in the state directory is not a whole scope",
                       name);
    *out = scope;
    return MG_OK;
}
