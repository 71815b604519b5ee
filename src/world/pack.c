/* pack.c - old texts, one after the other in a file.
 *
 * The file lies where an agent may find it, so nothing is believed that does not have the hash it
 * had. Two threads write at once: each takes a stretch of the file for itself and fills it in one
 * go. The file never grows past a bound; what does not fit is simply not kept.
 */
#include "world/tree.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024 };
static const int64_t PACK_MAX = (int64_t)1 << 30;

struct mg_pack {
    int fd;
    _Atomic int64_t end; /* the next free byte */
};

static void close_pack(void *data)
{
    (void)close(((mg_pack *)data)->fd);
}

mg_status mg_pack_open(int dir, const char *name, mg_arena *arena, mg_pack **out, mg_err *err)
{
    MG_AUTO_FD fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return mg_fail_errno(err, "the pack '%s'", name);
    if (!S_ISREG(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "the pack '%s' is %s, not a regular file", name,
                       mg_file_type(st.st_mode));
    mg_pack *pack = mg_new(arena, mg_pack);
    pack->end = MG_MIN(st.st_size, PACK_MAX);
    pack->fd = mg_fd_take(&fd);
    mg_arena_on_free(arena, close_pack, pack);
    *out = pack;
    return MG_OK;
}

static mg_status write_at(int fd, mg_str bytes, int64_t at, mg_err *err)
{
    for (size_t done = 0; done < bytes.len;) {
        const ssize_t n =
            pwrite(fd, bytes.ptr + done, bytes.len - done, (off_t)(at + (int64_t)done));
        if (n <= 0)
            return mg_fail_errno(err, "the pack of old texts cannot be written");
        done += (size_t)n;
    }
    return MG_OK;
}

mg_status mg_pack_flush(mg_pack_writer *writer, mg_err *err)
{
    const mg_str bytes = {writer->block, writer->used};
    int64_t end = writer->base + (int64_t)writer->room;
    if (bytes.len == 0)
        return MG_OK;
    /* What is left of the last stretch goes back; that of another thread's may lie behind it. */
    (void)atomic_compare_exchange_strong(&writer->pack->end, &end,
                                         writer->base + (int64_t)writer->used);
    writer->used = writer->room = 0;
    return write_at(writer->pack->fd, bytes, writer->base, err);
}

/* A stretch of the file with room for `bytes`; false: the pack is full. */
static bool take_stretch(mg_pack_writer *writer, size_t bytes)
{
    if (atomic_load(&writer->pack->end) > PACK_MAX)
        return false;
    writer->used = 0;
    writer->room = MG_MAX(bytes, (size_t)BLOCK);
    if (writer->block_cap < writer->room) {
        writer->block = mg_arena_alloc(writer->arena, writer->room);
        writer->block_cap = writer->room;
    }
    writer->base = atomic_fetch_add(&writer->pack->end, (int64_t)writer->room);
    return true;
}

mg_status mg_pack_keep(mg_pack_writer *writer, mg_str text, int64_t *at, mg_err *err)
{
    *at = -1;
    if (writer->pack == NULL || text.len > MG_TEXT_MAX)
        return MG_OK;
    if (writer->room == 0 || text.len > writer->room - writer->used) {
        MG_TRY(mg_pack_flush(writer, err));
        if (!take_stretch(writer, text.len))
            return MG_OK;
    }
    *at = writer->base + (int64_t)writer->used;
    if (text.len > 0)
        memcpy(writer->block + writer->used, text.ptr, text.len);
    writer->used += text.len;
    return MG_OK;
}

bool mg_pack_text(const mg_pack *pack, int64_t at, int64_t size, mg_hash hash, mg_arena *arena,
                  mg_str *out)
{
    if (pack == NULL || at < 0 || size < 0 || size > MG_TEXT_MAX)
        return false;
    char *text = mg_arena_alloc(arena, (size_t)size);
    for (int64_t done = 0; done < size;) {
        const ssize_t n = pread(pack->fd, text + done, (size_t)(size - done), (off_t)(at + done));
        if (n <= 0)
            return false;
        done += n;
    }
    const mg_str found = {text, (size_t)size};
    if (!mg_hash_eq(mg_hash_bytes(found), hash))
        return false;
    *out = found;
    return true;
}
