/* loop.c - libuv's loop, timers and polled descriptors.
 *
 * A libuv handle must stay in memory until its close callback ran, one turn after it was
 * closed. So each is a block of its own that frees itself there; to the outside a handle is
 * gone the moment it is stopped. Nothing here uses uv_spawn or uv_signal: both would install
 * a signal handler in the embedder's process.
 */
#include "io/loop.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <uv.h>

struct mg_loop {
    uv_loop_t uv;
    mg_tenant *tenants;
};

struct mg_timer {
    uv_timer_t uv; /* first: libuv hands us this address */
    void (*fn)(void *data);
    void *data;
};

struct mg_watch {
    uv_poll_t uv; /* first, too */
    void (*fn)(void *data, int ready);
    void *data;
};

/* Not from an arena: a handle lives a turn longer than whoever stopped it. */
static void *block_new(size_t bytes)
{
    void *block = calloc(1, bytes);
    if (block == NULL)
        abort(); /* out of memory, as in the arena */
    return block;
}

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, free_handle);
}

/* libuv ends the process when it finds no descriptors for its first loop (its signal pipe).
 * That is not for us to do to an embedder, so it is tried out before. */
static mg_status expect_descriptors(mg_err *err)
{
    int ends[4][2], made = 0;
    while (made < 4 && pipe2(ends[made], O_CLOEXEC) == 0)
        made++;
    const int error = errno;
    for (int i = 0; i < made; i++) {
        (void)close(ends[i][0]);
        (void)close(ends[i][1]);
    }
    errno = error;
    return made == 4 ? MG_OK : mg_fail_errno(err, "the system gives no event loop");
}

mg_status mg_loop_open(mg_loop **out, mg_err *err)
{
    MG_TRY(expect_descriptors(err));
    mg_loop *loop = block_new(sizeof *loop);
    const int rc = uv_loop_init(&loop->uv);
    if (rc < 0) {
        free(loop);
        return mg_fail(err, MG_ERR_SYSTEM, "the system gives no event loop: %s", uv_strerror(rc));
    }
    *out = loop;
    return MG_OK;
}

static void close_left_over(uv_handle_t *handle, void *data)
{
    (void)data;
    close_handle(handle);
}

void mg_loop_close(mg_loop *loop)
{
    if (loop == NULL)
        return;
    while (loop->tenants != NULL) {
        mg_tenant *tenant = loop->tenants;
        tenant->evict(tenant->data);
        assert(loop->tenants != tenant); /* or this would never end */
    }
    uv_walk(&loop->uv, close_left_over, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT); /* runs the close callbacks; nothing else is left */
    const int rc = uv_loop_close(&loop->uv);
    assert(rc == 0);
    (void)rc;
    free(loop);
}

void mg_loop_turn(mg_loop *loop)
{
    (void)uv_run(&loop->uv, UV_RUN_ONCE);
}

uint64_t mg_loop_now_ms(mg_loop *loop)
{
    uv_update_time(&loop->uv);
    return uv_now(&loop->uv);
}

uint64_t mg_loop_woke_ms(const mg_loop *loop)
{
    return uv_now(&loop->uv);
}

/* --- Timers --- */

static void timer_fired(uv_timer_t *uv)
{
    mg_timer *timer = (mg_timer *)uv;
    void (*const fn)(void *) = timer->fn;
    void *const data = timer->data;
    mg_timer_stop(timer); /* gone before fn runs, which may forget everything it knows */
    fn(data);
}

mg_timer *mg_timer_start(mg_loop *loop, uint64_t ms, void (*fn)(void *data), void *data)
{
    mg_timer *timer = block_new(sizeof *timer);
    timer->fn = fn;
    timer->data = data;
    (void)uv_timer_init(&loop->uv, &timer->uv);
    /* libuv counts from when the loop last woke up; work since then would shorten the wait. */
    uv_update_time(&loop->uv);
    (void)uv_timer_start(&timer->uv, timer_fired, ms, 0);
    return timer;
}

void mg_timer_stop(mg_timer *timer)
{
    if (timer != NULL)
        close_handle((uv_handle_t *)&timer->uv);
}

/* --- Descriptors --- */

static void watch_fired(uv_poll_t *uv, int status, int ready)
{
    mg_watch *watch = (mg_watch *)uv;
    /* An error condition on the descriptor: whoever reads or writes next is told by errno. */
    const int events = status < 0 ? MG_READABLE | MG_WRITABLE
                                  : ((ready & UV_READABLE) != 0 ? MG_READABLE : 0) |
                                        ((ready & UV_WRITABLE) != 0 ? MG_WRITABLE : 0);
    watch->fn(watch->data, events);
}

mg_watch *mg_watch_start(mg_loop *loop, int fd, int events, void (*fn)(void *data, int ready),
                         void *data, mg_err *err)
{
    mg_watch *watch = block_new(sizeof *watch);
    watch->fn = fn;
    watch->data = data;
    const int wanted = ((events & MG_READABLE) != 0 ? UV_READABLE : 0) |
                       ((events & MG_WRITABLE) != 0 ? UV_WRITABLE : 0);
    int rc = uv_poll_init(&loop->uv, &watch->uv, fd);
    if (rc < 0) {
        free(watch); /* libuv knows nothing of it yet */
    } else {
        rc = uv_poll_start(&watch->uv, wanted, watch_fired);
        if (rc < 0)
            close_handle((uv_handle_t *)&watch->uv);
    }
    if (rc < 0) {
        (void)mg_fail(err, MG_ERR_SYSTEM, "descriptor %d cannot be waited for: %s", fd,
                      uv_strerror(rc));
        return NULL;
    }
    return watch;
}

void mg_watch_stop(mg_watch *watch)
{
    if (watch != NULL)
        close_handle((uv_handle_t *)&watch->uv);
}

/* --- What lives on a loop --- */

void mg_loop_join(mg_loop *loop, mg_tenant *tenant)
{
    tenant->next = loop->tenants;
    tenant->link = &loop->tenants;
    if (tenant->next != NULL)
        tenant->next->link = &tenant->next;
    loop->tenants = tenant;
}

void mg_loop_leave(mg_tenant *tenant)
{
    if (tenant->link == NULL)
        return;
    *tenant->link = tenant->next;
    if (tenant->next != NULL)
        tenant->next->link = tenant->link;
    tenant->link = NULL;
}
