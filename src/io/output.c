/* output.c - the output pipes of a child on the event loop. */
#include "io/output.h"

#include "base/fs.h"
#include "io/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ASK_EVERY_MS = 10, CLOSE_WAIT_MS = 50 };

void mg_output_init(mg_output *o, mg_loop *loop,
                    bool (*take)(void *owner, int stream, mg_str bytes), void *owner)
{
    o->loop = loop;
    o->take = take;
    o->owner = owner;
    o->pipes[0] = o->pipes[1] = -1;
}

static void forget_pipe(mg_output *o, int index)
{
    mg_watch_stop(o->watches[index]);
    o->watches[index] = NULL;
    if (o->pipes[index] >= 0)
        (void)close(o->pipes[index]);
    o->pipes[index] = -1;
}

void mg_output_close(mg_output *o)
{
    forget_pipe(o, 0);
    forget_pipe(o, 1);
}

static mg_status open_pipe(int lowest, int *ours, int *theirs, mg_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return mg_fail_errno(err, "a pipe for the output of a command");
    *ours = mg_fd_above(ends[0], lowest);
    *theirs = mg_fd_above(ends[1], lowest);
    if (*ours < 0 || *theirs < 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) < 0)
        return mg_fail_errno(err, "a pipe for the output of a command");
    return MG_OK;
}

mg_status mg_output_open(mg_output *o, int lowest, int theirs[static 2], mg_err *err)
{
    theirs[0] = theirs[1] = -1;
    for (int i = 0; i < 2; i++)
        MG_TRY(open_pipe(lowest, &o->pipes[i], &theirs[i], err));
    return MG_OK;
}

static void pipe_ready(mg_output *o, int index)
{
    const ssize_t n = mg_fd_read(o->pipes[index], o->piece, sizeof o->piece);
    if (n > 0)
        (void)o->take(o->owner, index + 1, (mg_str){o->piece, (size_t)n});
    if (n > 0 || (n < 0 && errno == EAGAIN))
        return;
    o->unread[index] = n < 0 ? errno : 0;
    forget_pipe(o, index);
}

static void stdout_ready(void *data, int ready)
{
    (void)ready;
    pipe_ready(data, 0);
}

static void stderr_ready(void *data, int ready)
{
    (void)ready;
    pipe_ready(data, 1);
}

mg_status mg_output_watch(mg_output *o, mg_err *err)
{
    static void (*const ready[2])(void *, int) = {stdout_ready, stderr_ready};
    for (int i = 0; i < 2; i++) {
        o->watches[i] = mg_watch_start(o->loop, o->pipes[i], MG_READABLE, ready[i], o, err);
        if (o->watches[i] == NULL)
            return MG_ERR_SYSTEM;
    }
    return MG_OK;
}

/* What the pipe holds now and no more: somebody who got away may write for ever. */
static bool drain(mg_output *o, int index)
{
    int left = 0;
    if (o->pipes[index] < 0)
        return true;
    if (ioctl(o->pipes[index], FIONREAD, &left) < 0)
        o->unread[index] = errno;
    while (left > 0) {
        const ssize_t n =
            mg_fd_read(o->pipes[index], o->piece, MG_MIN((size_t)left, sizeof o->piece));
        if (n < 0)
            o->unread[index] = errno;
        if (n <= 0)
            return true;
        left -= (int)n;
        if (!o->take(o->owner, index + 1, (mg_str){o->piece, (size_t)n}))
            return false;
    }
    return true;
}

/* Whoever was killed closes the pipe in a moment; whoever got away may hold it open for ever,
 * and then nobody knows what is still to come. */
static bool drain_to_end(mg_output *o, int index)
{
    if (!drain(o, index))
        return false;
    if (o->pipes[index] < 0)
        return true;
    struct pollfd end = {.fd = o->pipes[index], .events = POLLIN};
    for (int waited = 0; waited < CLOSE_WAIT_MS; waited += ASK_EVERY_MS) {
        end.revents = 0;
        (void)poll(&end, 1, ASK_EVERY_MS);
        if ((end.revents & POLLIN) != 0 && !drain(o, index))
            return false;
        if ((end.revents & POLLHUP) != 0)
            return true;
    }
    o->unread[index] = EBUSY;
    return true;
}

bool mg_output_finish(mg_output *o)
{
    return drain_to_end(o, 0) && drain_to_end(o, 1);
}
