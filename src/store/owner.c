/* owner.c - who runs a loop, and whether that process is still there.
 *
 * A pid alone says little: it is used again, after a reboot for certain. With the boot id and the
 * start time it names one process for ever. A zombie is dead: nobody drives a loop any more,
 * somebody has only not read its end yet. In doubt (no /proc, no permission) a process is alive:
 * a loop that is taken over too late costs a message, one that is taken over too early its work.
 */
#include "store/store.h"

#include "base/fs.h"
#include "data/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

static mg_status read_small(const char *path, mg_arena *arena, mg_str *out, mg_err *err)
{
    MG_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mg_fail_errno(err, "open '%s'", path);
    mg_buf buf = mg_buf_new(arena, 4096);
    MG_TRY(mg_fd_read_all(fd, &buf, err));
    *out = mg_str_trim(mg_buf_str(&buf));
    return MG_OK;
}

static mg_status boot_id(mg_arena *arena, mg_str *out, mg_err *err)
{
    return read_small("/proc/sys/kernel/random/boot_id", arena, out, err);
}

/* State and start time: fields 3 and 22 of proc(5)'s stat. The name in field 2 may hold blanks
 * and brackets, so counting begins behind its last bracket. */
static bool parse_stat(mg_str stat_, char *state, uint64_t *started)
{
    size_t at = stat_.len;
    while (at > 0 && stat_.ptr[at - 1] != ')')
        at--;
    mg_str rest = mg_str_trim(mg_str_from(stat_, at)), part;
    int64_t value;
    for (int field = 3; mg_str_split(&rest, ' ', &part); field++) {
        if (field == 3)
            *state = part.len == 1 ? part.ptr[0] : '?';
        if (field == 22) {
            if (mg_parse_int(part, &value, NULL) != MG_OK || value < 0)
                return false;
            *started = (uint64_t)value;
            return at > 0;
        }
    }
    return false;
}

static mg_status look_at(int64_t pid, mg_arena *arena, char *state, uint64_t *started, mg_err *err)
{
    const char *path = mg_strf(arena, "/proc/%" PRId64 "/stat", pid).ptr;
    mg_str text;
    MG_TRY(read_small(path, arena, &text, err));
    return parse_stat(text, state, started)
               ? MG_OK
               : mg_fail(err, MG_ERR_SYSTEM, "'%s' is not as expected", path);
}

mg_status mg_owner_self(mg_arena *arena, mg_owner *out, mg_err *err)
{
    char state;
    mg_owner self = {.pid = getpid()};
    MG_TRY(boot_id(arena, &self.boot, err));
    MG_TRY(look_at(self.pid, arena, &state, &self.started, err));
    *out = self;
    return MG_OK;
}

bool mg_owner_alive(const mg_owner *owner)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_str boot;
    char state;
    uint64_t started;
    if (owner->pid <= 0 || owner->pid > INT32_MAX)
        return false; /* nobody */
    if (boot_id(scratch, &boot, NULL) == MG_OK && !mg_str_eq(boot, owner->boot))
        return false;
    if (look_at(owner->pid, scratch, &state, &started, NULL) == MG_OK)
        return started == owner->started && state != 'Z' && state != 'X';
    return kill((pid_t)owner->pid, 0) == 0 || errno != ESRCH;
}
