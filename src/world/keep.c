/* keep.c - copies of protected files, and the list of what they must be.
 *
 * An agent may find the copies and change them; it cannot change the digests, which are in our
 * memory, nor the manifest without its SHA-256 giving it away.
 */
#include "world/guarded.h"

#include "base/vec.h"
#include "world/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { BLOCK = 128 * 1024 };
static const int64_t COPIES_MAX = (int64_t)1 << 30;

#define MANIFEST       "manifest"
#define MANIFEST_MAGIC "mg-guard-2\n"

mg_status mg_copy_digest(int from, int to, int64_t max, int64_t *size, mg_digest *out, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    char *block = mg_arena_alloc(scratch, BLOCK);
    mg_sha256 sha;
    mg_sha256_begin(&sha);
    int64_t done = 0;
    for (;;) {
        const ssize_t n = mg_fd_read(from, block, BLOCK);
        if (n < 0)
            return mg_fail_errno(err, "it cannot be read");
        if (n == 0)
            break;
        done += n;
        if (done > max)
            return mg_fail(err, MG_ERR_LIMIT, "it has more than %lld bytes", (long long)max);
        const mg_str bytes = {block, (size_t)n};
        mg_sha256_add(&sha, bytes);
        if (to >= 0)
            MG_TRY(mg_fd_write_all(to, bytes, err));
    }
    *size = done;
    *out = mg_sha256_end(&sha);
    return MG_OK;
}

/* --- Keeping --- */

static mg_status copy_file(mg_guard *guard, int parent, const char *name, mg_kept *kept,
                           int64_t *total, mg_err *err)
{
    char copy[32];
    (void)snprintf(copy, sizeof copy, "%zu", guard->kept.count);
    MG_AUTO_FD from =
        openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    if (from < 0 || fstat(from, &st) < 0)
        return mg_fail_errno(err, "it cannot be copied");
    if (!S_ISREG(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "it is %s now", mg_file_type(st.st_mode));
    MG_AUTO_FD to =
        openat(guard->copies, copy, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return mg_fail_errno(err, "its copy in the state directory");
    int64_t size;
    MG_TRY(mg_copy_digest(from, to, COPIES_MAX - *total, &size, &kept->digest, err));
    *total += size;
    return MG_OK;
}

static mg_status keep_one(mg_guard *guard, const mg_leaf *leaf, mg_str path, int64_t *total,
                          mg_arena *arena, mg_err *err)
{
    mg_str dir, name;
    mg_path_split(path, &dir, &name);
    const char *cname = mg_str_cstr(arena, name);
    MG_AUTO_FD parent = mg_open_dir(guard->world->root, dir, O_RDONLY);
    struct stat st;
    if (parent < 0 || fstatat(parent, cname, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return mg_fail_errno(err, "it cannot be looked at");
    mg_kept kept = {
        .path = path,
        .mode = leaf->mode,
        .uid = st.st_uid,
        .gid = st.st_gid,
        .size = leaf->size,
        .mtime_ns = leaf->mtime_ns,
    };
    if (S_ISREG(leaf->mode))
        MG_TRY(copy_file(guard, parent, cname, &kept, total, err));
    if (S_ISLNK(leaf->mode)) {
        char target[PATH_MAX];
        const ssize_t len = readlinkat(parent, cname, target, sizeof target);
        if (len < 0)
            return mg_fail_errno(err, "it cannot be read");
        kept.target = mg_str_copy(arena, (mg_str){target, (size_t)len});
    }
    mg_leaf after = {0};
    if (mg_leaf_stat(parent, cname, &after) < 0 || !mg_leaf_unmoved(leaf, &after))
        return mg_fail(err, MG_ERR_UNAVAILABLE, "it changed while the loop was beginning");
    mg_vec_push(arena, &guard->kept, kept);
    return MG_OK;
}

mg_status mg_keep(mg_guard *guard, const mg_leaf *leaf, mg_str path, int64_t *total,
                  mg_arena *arena, mg_err *err)
{
    if ((leaf->flags & MG_LEAF_UNREAD) != 0)
        return mg_fail(err, MG_ERR_DENIED,
                       "the protected '" MG_FMT "' cannot be read, so it could not be restored; "
                       "make it readable or do not protect it",
                       MG_ARG(path));
    const mg_status s = keep_one(guard, leaf, path, total, arena, err);
    if (s == MG_ERR_LIMIT)
        return mg_fail(err, s,
                       "the protected files have more than %lld bytes together, at '" MG_FMT
                       "'; protect less",
                       (long long)COPIES_MAX, MG_ARG(path));
    return s != MG_OK ? mg_context(err, s, "the protected '" MG_FMT "'", MG_ARG(path)) : MG_OK;
}

/* --- Comparing with what is on disk --- */

static mg_status file_intact(int parent, const char *name, const mg_kept *kept, bool *out,
                             mg_err *err)
{
    MG_AUTO_FD fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    *out = false;
    if (fd < 0 || fstat(fd, &st) < 0 || st.st_mode != kept->mode || st.st_size != kept->size)
        return MG_OK;
    mg_digest digest;
    int64_t size;
    const mg_status s = mg_copy_digest(fd, -1, kept->size, &size, &digest, err);
    if (s != MG_OK && s != MG_ERR_LIMIT)
        return s;
    *out = s == MG_OK && size == kept->size && mg_digest_eq(digest, kept->digest);
    return MG_OK;
}

mg_status mg_keep_intact(const mg_guard *guard, const mg_kept *kept, bool *out, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str dir, name;
    mg_path_split(kept->path, &dir, &name);
    const char *cname = mg_str_cstr(scratch, name);
    *out = false;
    MG_AUTO_FD parent = mg_open_dir(guard->world->root, dir, O_RDONLY);
    if (parent < 0)
        return MG_OK;
    if (S_ISREG(kept->mode)) {
        const mg_status s = file_intact(parent, cname, kept, out, err);
        return s != MG_OK ? mg_context(err, s, "the protected '" MG_FMT "'", MG_ARG(kept->path))
                          : s;
    }
    struct stat st;
    if (fstatat(parent, cname, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_mode != kept->mode)
        return MG_OK;
    char target[PATH_MAX];
    const ssize_t len = S_ISLNK(st.st_mode) ? readlinkat(parent, cname, target, sizeof target) : 0;
    *out = len >= 0 && mg_str_eq((mg_str){target, (size_t)len}, kept->target);
    return MG_OK;
}

/* --- The manifest --- */

mg_status mg_keep_manifest(mg_guard *guard, mg_arena *arena, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf buf = mg_buf_new(scratch, (size_t)1 << 30);
    mg_buf_adds(&buf, MANIFEST_MAGIC);
    mg_put_u64(&buf, guard->always.count);
    for (size_t i = 0; i < guard->always.count; i++)
        mg_put_str(&buf, guard->always.items[i]);
    mg_put_u64(&buf, guard->habit.count);
    for (size_t i = 0; i < guard->habit.count; i++)
        mg_put_str(&buf, guard->habit.items[i]);
    mg_put_u64(&buf, guard->dirs.count);
    for (size_t i = 0; i < guard->dirs.count; i++) {
        mg_put_str(&buf, guard->dirs.items[i].path);
        mg_put_u64(&buf, guard->dirs.items[i].mode);
    }
    mg_put_u64(&buf, guard->kept.count);
    for (size_t i = 0; i < guard->kept.count; i++) {
        const mg_kept *k = &guard->kept.items[i];
        mg_put_str(&buf, k->path);
        mg_put_u64(&buf, k->mode);
        mg_put_u64(&buf, k->uid);
        mg_put_u64(&buf, k->gid);
        mg_put_u64(&buf, (uint64_t)k->size);
        mg_put_u64(&buf, (uint64_t)k->mtime_ns);
        mg_put_str(&buf, (mg_str){(const char *)k->digest.bytes, sizeof k->digest.bytes});
        mg_put_str(&buf, k->target);
    }
    MG_TRY(mg_buf_ok(&buf, "the list of protected files", err));
    return mg_bytes_save(guard->copies, MANIFEST, mg_buf_str(&buf), arena, &guard->sha256_hex, err);
}

static mg_kept take_kept(mg_reader *r, mg_arena *arena)
{
    mg_kept k = {.path = mg_str_copy(arena, mg_take_str(r))};
    k.mode = (uint32_t)mg_take_u64(r);
    k.uid = (uint32_t)mg_take_u64(r);
    k.gid = (uint32_t)mg_take_u64(r);
    k.size = (int64_t)mg_take_u64(r);
    k.mtime_ns = (int64_t)mg_take_u64(r);
    const mg_str digest = mg_take_str(r);
    if (digest.len == sizeof k.digest.bytes)
        memcpy(k.digest.bytes, digest.ptr, digest.len);
    else
        r->bad = true;
    k.target = mg_str_copy(arena, mg_take_str(r));
    return k;
}

mg_status mg_keep_load(mg_guard *guard, mg_str sha256_hex, mg_arena *arena, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str bytes;
    MG_TRY(mg_bytes_load(guard->copies, MANIFEST, sha256_hex, scratch, &bytes, err));
    mg_reader r = {.rest = mg_str_from(bytes, strlen(MANIFEST_MAGIC)),
                   .bad = !mg_str_starts(bytes, MANIFEST_MAGIC)};
    for (size_t left = mg_take_count(&r, 8); left > 0 && !r.bad; left--)
        mg_strs_add(arena, &guard->always, mg_str_copy(arena, mg_take_str(&r)));
    for (size_t left = mg_take_count(&r, 8); left > 0 && !r.bad; left--)
        mg_strs_add(arena, &guard->habit, mg_str_copy(arena, mg_take_str(&r)));
    for (size_t left = mg_take_count(&r, 16); left > 0 && !r.bad; left--) {
        mg_kept_dir dir = {.path = mg_str_copy(arena, mg_take_str(&r))};
        dir.mode = (uint32_t)mg_take_u64(&r);
        mg_vec_push(arena, &guard->dirs, dir);
    }
    for (size_t left = mg_take_count(&r, 64); left > 0 && !r.bad; left--)
        mg_vec_push(arena, &guard->kept, take_kept(&r, arena));
    if (r.bad || r.rest.len > 0)
        return mg_fail(err, MG_ERR_INVALID, "the list of protected files is not whole");
    guard->sha256_hex = mg_str_copy(arena, sha256_hex);
    return MG_OK;
}
