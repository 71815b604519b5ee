/* undone.c - what was in protected paths before they were put back is kept.
 *
 * Mostly it is an agent's cheat. But while a loop runs, or between a cancel and a resume, it may be
 * a person's work, and nobody's work is thrown away. It is copied as far as it is a file of
 * ordinary size; that it cannot be kept keeps nothing from being put back.
 */
#include "loop/state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 16 << 20,
    MOST = 200, /* of one attempt */
};

static mg_str base_name(mg_str path)
{
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    return slash != NULL ? mg_str_from(path, (size_t)(slash - path.ptr) + 1) : path;
}

static bool keep_one(const mg_driver *d, int dir, const char *name, mg_str path)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str text;
    mg_err err;
    if (mg_file_read(d->world.root, path, FILE_BYTES, scratch, &text, &err) != MG_OK)
        return false;
    MG_AUTO_FD fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd >= 0 && mg_fd_write_all(fd, text, &err) == MG_OK;
}

void mg_undone_keep(mg_driver *d, mg_attempt *attempt, const mg_strs *paths)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    (void)mkdirat(d->dir, "undone", 0700);
    MG_AUTO_FD dir = openat(d->dir, "undone", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t kept = 0;
    for (size_t i = 0; dir >= 0 && i < MG_MIN(paths->count, (size_t)MOST); i++) {
        const mg_str base = mg_str_first(base_name(paths->items[i]), 150);
        const mg_str name = mg_strf(scratch, "%u-%zu-" MG_FMT, attempt->number, i, MG_ARG(base));
        kept += keep_one(d, dir, name.ptr, paths->items[i]);
    }
    if (kept > 0 && attempt->note.len == 0)
        attempt->note = mg_strf(
            d->arena, "what was undone is kept in loops/" MG_FMT "/undone of the state directory",
            MG_ARG(d->p->id));
}
