/* progress.c - a thread draws, because the check itself may be waiting for a long time.
 *
 * It wakes a few times a second, reads what the check has noted, and draws one line. Names
 * are made safe to show before it starts; between the two threads there is one lock.
 */
#include "cli/progress.h"

#include "data/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { QUIET_MS = 1000, REDRAW_MS = 250, NAME_MAX_BYTES = 60, LINE_MAX_BYTES = 300 };

typedef struct waiting {
    mg_str name;  /* as the result will have it */
    mg_str shown; /* safe for a terminal */
    bool settled;
} waiting;

struct mg_progress {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    /* Under the lock: */
    bool stop;
    size_t settled, total;
    waiting *entries;
    size_t count;
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

static size_t columns_of(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Under the lock. */
static void draw(const mg_progress *p, uint64_t elapsed_ms)
{
    const waiting *next = NULL;
    for (size_t i = 0; i < p->count && next == NULL; i++)
        if (!p->entries[i].settled)
            next = &p->entries[i];
    char line[LINE_MAX_BYTES];
    int len = p->total == 0
                  ? snprintf(line, sizeof line, "checking")
                  : snprintf(line, sizeof line, "%zu of %zu settled", p->settled, p->total);
    if (len > 0)
        len +=
            snprintf(line + len, sizeof line - (size_t)len, ", %" PRIu64 " s", elapsed_ms / 1000);
    if (next != NULL && len > 0 && (size_t)len < sizeof line)
        len += snprintf(line + len, sizeof line - (size_t)len, "; waiting for " MG_FMT,
                        MG_ARG(next->shown));
    const size_t room = MG_MIN((size_t)MG_MAX(len, 0), sizeof line - 1);
    mg_str cut = mg_str_first((mg_str){line, room}, columns_of(p->fd) - 1);
    cut.len -= mg_utf8_cut(cut);
    (void)dprintf(p->fd, "\r\033[K" MG_FMT, MG_ARG(cut));
}

static void *run(void *data)
{
    mg_progress *p = data;
    bool drawn = false;
    uint64_t elapsed_ms = 0, pause_ms = QUIET_MS;
    (void)pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        const struct timespec until = after_ms(pause_ms);
        while (!p->stop && pthread_cond_timedwait(&p->stopped, &p->lock, &until) == 0)
            continue; /* woken for nothing */
        elapsed_ms += pause_ms;
        pause_ms = REDRAW_MS;
        if (!p->stop)
            draw(p, elapsed_ms);
        drawn = drawn || !p->stop;
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (drawn)
        (void)dprintf(p->fd, "\r\033[K");
    return NULL;
}

static void list_entries(mg_progress *p, mg_arena *arena, const mg_goal *goal)
{
    p->total = p->count = goal->entries.count;
    p->entries = mg_new_array(arena, waiting, p->count);
    for (size_t i = 0; i < p->count; i++) {
        const mg_str name = goal->entries.items[i]->name;
        p->entries[i] = (waiting){.name = name, .shown = mg_text_line(arena, name, NAME_MAX_BYTES)};
    }
}

static bool start_thread(mg_progress *p)
{
    pthread_condattr_t attributes;
    sigset_t all, before;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&p->stopped, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)sigfillset(&all); /* signals belong to the thread that waits for the check */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&p->thread, NULL, run, p) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

mg_progress *mg_progress_start(mg_cli *cli, const mg_goal *goal, bool whole)
{
    const char *term = mg_cli_getenv(cli, "TERM");
    if (cli->quiet || term == NULL || strcmp(term, "dumb") == 0 || !isatty(cli->err))
        return NULL;
    mg_progress *p = mg_new(cli->arena, mg_progress);
    p->fd = cli->err;
    if (whole)
        list_entries(p, cli->arena, goal);
    return start_thread(p) ? p : NULL; /* a check without a status line is still a check */
}

void mg_progress_stop(mg_progress *p)
{
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&p->lock);
    p->stop = true;
    (void)pthread_cond_signal(&p->stopped);
    (void)pthread_mutex_unlock(&p->lock);
    (void)pthread_join(p->thread, NULL);
    (void)pthread_cond_destroy(&p->stopped);
    (void)pthread_mutex_destroy(&p->lock);
}

void mg_progress_note(void *data, const mg_result *result, size_t settled, size_t total)
{
    mg_progress *p = data;
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count && settled <= 1; i++)
        p->entries[i].settled = false; /* the first of a new round of --wait */
    for (size_t i = 0; i < p->count; i++) {
        if (!p->entries[i].settled && mg_str_eq(p->entries[i].name, result->name)) {
            p->entries[i].settled = true;
            break;
        }
    }
    p->settled = settled;
    p->total = total;
    (void)pthread_mutex_unlock(&p->lock);
}
