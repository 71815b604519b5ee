/* input.c - the stdin of a child, written before it starts.
 *
 * A pipe where it fits, as most programs are used; else a sealed file in memory.
 */
#include "io/input.h"

#include "base/fs.h"
#include "io/spawn.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIPE_HOLDS = 64 * 1024 }; /* unless it is asked for more */

/* A pipe that holds all of it already: nobody has to write later, and nobody waits for an agent
 * that does not read. False: it does not fit. */
static bool input_in_pipe(mg_str input, int *out)
{
    int ends[2];
    if (input.len > INT_MAX || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return false;
    MG_AUTO_FD from = ends[0];
    MG_AUTO_FD to = ends[1];
    if (input.len > PIPE_HOLDS)
        (void)fcntl(to, F_SETPIPE_SZ, (int)input.len);
    if (write(to, input.ptr, input.len) != (ssize_t)input.len || fcntl(from, F_SETFL, 0) < 0)
        return false;
    *out = mg_fd_take(&from);
    return true;
}

static mg_status input_in_memory(mg_str input, int *out, mg_err *err)
{
    MG_AUTO_FD fd = memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return mg_fail_errno(err, "memory for the input of a program");
    MG_TRY(mg_fd_write_all(fd, input, err));
    if (lseek(fd, 0, SEEK_SET) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
        return mg_fail_errno(err, "memory for the input of a program");
    *out = mg_fd_take(&fd);
    return MG_OK;
}

mg_status mg_input_open(mg_str input, int lowest, int *out, mg_err *err)
{
    int fd = -1;
    if (input.len == 0)
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    else if (!input_in_pipe(input, &fd))
        MG_TRY(input_in_memory(input, &fd, err));
    fd = mg_fd_above(fd, lowest);
    if (fd < 0)
        return mg_fail_errno(err, "the input of a program");
    *out = fd;
    return MG_OK;
}
