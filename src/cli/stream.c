/* stream.c - a queue, a thread that empties it, and small writes that cannot block for long.
 *
 * A pipe that poll() calls writable takes PIPE_BUF bytes at once, so the thread never hangs in
 * write() and can always be ended: a reader that sleeps for ever does not keep us.
 */
#include "cli/stream.h"

#include "base/buf.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    QUEUE_MAX_BYTES = 8u << 20,
    PATIENCE_MS = 2000, /* for a reader that does not read */
    POLL_MS = 100,
};

struct mg_stream {
    mg_stream_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock: */
    char *queue, *spare; /* bytes to be written, and the ones that are just being written */
    size_t len;
    bool closing;
    bool lost, told;
    char why[160];
};

static struct timespec after_ms(uint64_t ms)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t ns = (uint64_t)t.tv_nsec + ms * 1000000;
    t.tv_sec += (time_t)(ns / 1000000000);
    t.tv_nsec = (long)(ns % 1000000000);
    return t;
}

static void lose(mg_stream *s, const char *why)
{
    (void)pthread_mutex_lock(&s->lock);
    if (!s->lost)
        (void)snprintf(s->why, sizeof s->why, "%s", why);
    s->lost = true;
    s->len = 0;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

static bool is_closing(mg_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    const bool closing = s->closing;
    (void)pthread_mutex_unlock(&s->lock);
    return closing;
}

/* Until it can be written to; false where it never will be. While the loop runs there is time. */
static bool writable(mg_stream *s)
{
    for (int waited = 0; !is_closing(s) || waited < PATIENCE_MS; waited += POLL_MS) {
        struct pollfd p = {.fd = s->options.fd, .events = POLLOUT};
        const int ready = poll(&p, 1, POLL_MS);
        if (ready > 0 && (p.revents & (POLLERR | POLLNVAL)) == 0)
            return true;
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            lose(s, "its reader went away");
            return false;
        }
    }
    lose(s, "its reader does not read");
    return false;
}

static bool put(mg_stream *s, const char *bytes, size_t len)
{
    while (len > 0) {
        if (!writable(s))
            return false;
        const ssize_t n = write(s->options.fd, bytes, MG_MIN(len, (size_t)PIPE_BUF));
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0) {
            lose(s, errno == EPIPE ? "its reader went away" : strerrordesc_np(errno));
            return false;
        }
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/* Waits for something to do; takes the queue. Returns its length. */
static size_t take(mg_stream *s, char **bytes, bool *closing)
{
    const bool draws = s->options.status != NULL;
    const struct timespec until = after_ms(draws ? s->options.every_ms : 0);
    (void)pthread_mutex_lock(&s->lock);
    while (s->len == 0 && !s->closing) {
        if (!draws)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        else if (pthread_cond_timedwait(&s->changed, &s->lock, &until) != 0)
            break;
    }
    const size_t len = s->len;
    *bytes = s->queue;
    s->queue = s->spare;
    s->spare = *bytes;
    s->len = 0;
    *closing = s->closing;
    (void)pthread_cond_broadcast(&s->changed); /* there is room */
    (void)pthread_mutex_unlock(&s->lock);
    return len;
}

/* The lines, and the status below them; one that is drawn anew replaces the last. */
static bool draw(mg_stream *s, const char *bytes, size_t len, bool closing, bool *drawn)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str status = closing ? (mg_str){0} : s->options.status(s->options.data, scratch);
    const char clear[] = "\r\033[K";
    if ((*drawn || status.len > 0) && !put(s, clear, sizeof clear - 1))
        return false;
    *drawn = status.len > 0;
    return put(s, bytes, len) && (status.len == 0 || put(s, status.ptr, status.len));
}

static void *run(void *data)
{
    mg_stream *s = data;
    bool closing = false, drawn = false, good = true;
    while (good && !closing) {
        char *bytes;
        const size_t len = take(s, &bytes, &closing);
        good =
            s->options.status != NULL ? draw(s, bytes, len, closing, &drawn) : put(s, bytes, len);
    }
    return NULL;
}

static bool start_thread(mg_stream *s)
{
    pthread_condattr_t attributes;
    sigset_t all, before;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)sigfillset(&all); /* signals belong to the thread that drives */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&s->thread, NULL, run, s) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void release(mg_stream *s)
{
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->queue);
    free(s->spare);
    free(s);
}

mg_stream *mg_stream_open(const mg_stream_options *options)
{
    mg_stream *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->options = *options;
    s->queue = malloc(QUEUE_MAX_BYTES); /* only touched as far as it is used */
    s->spare = malloc(QUEUE_MAX_BYTES);
    if (s->queue != NULL && s->spare != NULL && start_thread(s))
        return s;
    free(s->queue);
    free(s->spare);
    free(s);
    return NULL;
}

/* Room for this many bytes, or none after all patience. Under the lock. */
static bool make_room(mg_stream *s, size_t bytes)
{
    const struct timespec until = after_ms(PATIENCE_MS);
    while (!s->lost && s->len + bytes > QUEUE_MAX_BYTES)
        if (pthread_cond_timedwait(&s->changed, &s->lock, &until) != 0)
            return false;
    return !s->lost;
}

void mg_stream_add(mg_stream *s, mg_str bytes)
{
    if (s == NULL || bytes.len == 0)
        return;
    (void)pthread_mutex_lock(&s->lock);
    const bool room = bytes.len <= QUEUE_MAX_BYTES && make_room(s, bytes.len);
    const bool lost = s->lost;
    if (room) {
        memcpy(s->queue + s->len, bytes.ptr, bytes.len);
        s->len += bytes.len;
        (void)pthread_cond_broadcast(&s->changed);
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (!room && !lost)
        lose(s, "its reader does not keep up");
}

const char *mg_stream_lost(mg_stream *s)
{
    if (s == NULL)
        return NULL;
    (void)pthread_mutex_lock(&s->lock);
    const bool news = s->lost && !s->told;
    s->told = s->lost;
    (void)pthread_mutex_unlock(&s->lock);
    return news ? s->why : NULL;
}

const char *mg_stream_close(mg_stream *s, mg_arena *arena)
{
    if (s == NULL)
        return NULL;
    (void)pthread_mutex_lock(&s->lock);
    s->closing = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    const char *why = mg_stream_lost(s);
    why = why != NULL ? mg_str_copy(arena, mg_str_of(why)).ptr : NULL;
    release(s);
    return why;
}
