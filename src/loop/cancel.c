/* cancel.c - two ways to be stopped, made one: the caller's cancel, and `makegood loop cancel`.
 *
 * The store says whether a cancel was asked for; a file that appears in the loop's own directory
 * only wakes us, so nobody has to ask the store now and then. What an agent writes there can
 * therefore stop nothing.
 */
#include "loop/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

static void ask(mg_driver *d)
{
    if (!atomic_exchange(&d->cancel.asked, true))
        (void)!write(d->cancel_write, &(uint64_t){1}, sizeof(uint64_t));
}

static void caller_asks(void *data, int ready)
{
    (void)ready;
    mg_driver *d = data;
    mg_watch_stop(d->caller_watch); /* it stays readable */
    d->caller_watch = NULL;
    ask(d);
}

static void noticed(void *data, int ready)
{
    (void)ready;
    mg_driver *d = data;
    char events[4096];
    bool asked = false;
    mg_err err;
    while (mg_fd_read(d->notice, events, sizeof events) > 0)
        ;
    if (mg_store_cancel_asked(d->o->store, d->p->id, &asked, &err) == MG_OK && asked)
        ask(d);
}

static mg_status watch_caller(mg_driver *d, mg_err *err)
{
    const mg_cancel *caller = d->o->cancel;
    d->cancel.also = caller;
    if (caller == NULL || caller->fd < 0)
        return MG_OK;
    d->caller_watch = mg_watch_start(d->loop, caller->fd, MG_READABLE, caller_asks, d, err);
    return d->caller_watch != NULL ? MG_OK : MG_ERR_SYSTEM;
}

static mg_status watch_directory(mg_driver *d, mg_err *err)
{
    if (d->dir < 0 || d->o->store == NULL)
        return MG_OK;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    d->notice = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    const char *path = mg_strf(scratch, "/proc/self/fd/%d", d->dir).ptr;
    if (d->notice < 0 || inotify_add_watch(d->notice, path, IN_CREATE | IN_MOVED_TO) < 0)
        return mg_fail_errno(err, "the loop's directory cannot be watched for a cancel");
    d->notice_watch = mg_watch_start(d->loop, d->notice, MG_READABLE, noticed, d, err);
    noticed(d, MG_READABLE); /* it may have been asked for before we looked */
    return d->notice_watch != NULL ? MG_OK : MG_ERR_SYSTEM;
}

mg_status mg_drive_cancel_open(mg_driver *d, mg_err *err)
{
    d->cancel_write = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (d->cancel_write < 0)
        return mg_fail_errno(err, "a descriptor to be cancelled by");
    d->cancel.fd = d->cancel_write;
    MG_TRY(watch_caller(d, err));
    return watch_directory(d, err);
}

void mg_drive_cancel_close(mg_driver *d)
{
    mg_watch_stop(d->caller_watch);
    mg_watch_stop(d->notice_watch);
    mg_fd_auto_close(&d->notice);
    mg_fd_auto_close(&d->cancel_write);
}

bool mg_drive_cancelled(const mg_driver *d)
{
    const mg_cancel *caller = d->cancel.also;
    return atomic_load(&d->cancel.asked) || (caller != NULL && atomic_load(&caller->asked));
}
