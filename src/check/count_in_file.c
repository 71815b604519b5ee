/* count_in_file.c - searching a file that may be larger than memory, and may change.
 *
 * The whole file counts as read only if it stayed the same meanwhile: a shrinking or growing
 * file gives no answer, unless enough matches were seen already.
 */
#include "check/kinds.h"

#include <fcntl.h>

typedef struct reading {
    int fd;
    struct stat before;
    uint64_t bytes;
    unsigned reads;
} reading;

static mg_status changed(mg_err *err)
{
    return mg_fail(err, MG_ERR_UNAVAILABLE, "it changed while it was read");
}

/* Feeds the file to the search until it ends or enough is found. */
static mg_status read_through(const mg_view *view, reading *r, mg_search *search, mg_err *err)
{
    const uint64_t size = (uint64_t)r->before.st_size;
    while (!mg_search_done(search)) {
        MG_TRY(mg_view_live(view, err));
        size_t room;
        char *to = mg_search_room(search, &room);
        const ssize_t n = mg_fd_read(r->fd, to, room);
        if (n < 0)
            return mg_fail_errno(err, "it cannot be read");
        r->reads++;
        r->bytes += (uint64_t)n;
        MG_TRY(mg_search_feed(search, (size_t)n, err));
        /* A short read that reaches the known size is the end; files of unknown size (size 0
         * but not empty, as in /proc) end with an empty read. */
        if (n == 0 || ((size_t)n < room && r->bytes == size))
            return mg_search_end(search, err);
        if (size > 0 && r->bytes > size)
            return changed(err);
    }
    return MG_OK;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static mg_status still_the_same(const reading *r, mg_err *err)
{
    struct stat after;
    if (r->before.st_size > 0 && r->bytes != (uint64_t)r->before.st_size)
        return changed(err);
    if (r->reads <= 1)
        return MG_OK; /* one read saw the file as it was at one moment */
    if (fstat(r->fd, &after) < 0)
        return mg_fail_errno(err, "it cannot be read");
    if (after.st_size != r->before.st_size || !same_time(after.st_mtim, r->before.st_mtim) ||
        !same_time(after.st_ctim, r->before.st_ctim))
        return changed(err);
    return MG_OK;
}

mg_status mg_count_in_file(const mg_view *view, mg_str path, const mg_regex *regex, uint64_t max,
                           mg_file_count *out, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    MG_AUTO_FD fd = -1;
    reading r = {0};
    const mg_status opened = mg_file_open(view->world->root, path, &fd, &r.before, err);
    if (opened == MG_ERR_NOT_FOUND) {
        *out = (mg_file_count){.there = false};
        return MG_OK;
    }
    MG_TRY(opened);
    r.fd = fd;
    if (r.before.st_size > 1 << 20)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    mg_search *search = mg_search_new(regex, view->limits, max, (size_t)r.before.st_size, scratch);
    mg_status s = read_through(view, &r, search, err);
    if (s == MG_OK && !mg_search_done(search))
        s = still_the_same(&r, err);
    if (s != MG_OK)
        return mg_context(err, s, "'" MG_FMT "'", MG_ARG(path));
    *out = (mg_file_count){.there = true, .count = mg_search_count(search), .bytes = r.bytes};
    return MG_OK;
}
