/* progress.c - a thread draws, because the check itself may be waiting for a long time.
 *
 * It wakes a few times a second, reads what the check has noted, and draws one line. Between
 * the two threads there is one lock; it is held for looking and noting, never while writing:
 * a terminal that is stopped (Ctrl-S) must not stop the check.
 */
#include "cli/progress.h"

#include "base/fs.h"
#include "base/map.h"
#include "data/text.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { QUIET_MS = 1000, REDRAW_MS = 250, NAME_MAX_BYTES = 60, LINE_MAX_BYTES = 400 };

typedef struct waiting waiting;
struct waiting {
    mg_str name;
    bool settled;
    waiting *next_same; /* the next entry of the same name */
};

typedef struct namesakes { /* entries of one name, in order */
    waiting *first, *last;
    waiting *unsettled; /* the next of them that will be settled */
} namesakes;

struct mg_progress {
    int fd;
    const mg_clock *clock;
    uint64_t wait_until_ms; /* 0: no --wait */
    mg_arena *arena;        /* of the program */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    /* Under the lock: */
    bool stop;
    unsigned round;
    size_t settled, total;
    const mg_goal *goal; /* the one that `list` is about */
    mg_arena *list;      /* what the following lives in; NULL: entries are not known */
    waiting *entries;
    size_t count, first; /* all before `first` are settled */
    mg_map by_name;
    namesakes *names;
    size_t name_count;
    bool missing;                          /* in this round something did not hold */
    char missing_name[NAME_MAX_BYTES + 1]; /* the first such of this round or the last; or "" */
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

/* --- What the drawing thread does --- */

/* "0 of 3 settled, 2 s; waiting for NAME" or "round 4, 3 s left; NAME does not hold yet". Under
 * the lock. */
static void compose(mg_progress *p, uint64_t elapsed_ms, mg_buf *line)
{
    if (p->wait_until_ms > 0) {
        const uint64_t now = mg_clock_ms(p->clock);
        const uint64_t left = p->wait_until_ms > now ? p->wait_until_ms - now : 0;
        mg_buf_addf(line, "round %u, %" PRIu64 " s left", MG_MAX(p->round, 1u), left / 1000);
        if (p->missing_name[0] != '\0')
            mg_buf_addf(line, "; %s does not hold yet", p->missing_name);
        if (p->settled == p->total) /* it rests */
            return;
        mg_buf_adds(line, "; ");
    }
    if (p->total == 0)
        mg_buf_adds(line, "checking");
    else
        mg_buf_addf(line, "%zu of %zu settled", p->settled, p->total);
    mg_buf_addf(line, ", %" PRIu64 " s", elapsed_ms / 1000);
    while (p->first < p->count && p->entries[p->first].settled)
        p->first++;
    if (p->first < p->count) {
        const mg_str name = mg_text_line(line->arena, p->entries[p->first].name, NAME_MAX_BYTES);
        mg_buf_addf(line, "; waiting for " MG_FMT, MG_ARG(name));
    }
}

static void draw(const mg_progress *p, const mg_buf *line)
{
    mg_err err;
    mg_str cut = mg_str_first(mg_buf_str(line), columns_of(p->fd) - 1);
    cut.len -= mg_utf8_cut(cut);
    const mg_str whole = mg_strf(line->arena, "\r\033[K" MG_FMT, MG_ARG(cut));
    const mg_status s = mg_fd_write_all(p->fd, whole, &err);
    (void)s; /* a status line that cannot be written is not missed */
}

/* Waits for the time to pass or the check to end, whichever comes first. Under the lock. */
static void pause_for(mg_progress *p, uint64_t ms)
{
    const struct timespec until = after_ms(ms);
    while (!p->stop && pthread_cond_timedwait(&p->stopped, &p->lock, &until) == 0)
        continue; /* woken for nothing */
}

static void *run(void *data)
{
    mg_progress *p = data;
    bool drawn = false;
    uint64_t elapsed_ms = QUIET_MS;
    (void)pthread_mutex_lock(&p->lock);
    pause_for(p, QUIET_MS);
    while (!p->stop) {
        MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
        mg_buf line = mg_buf_new(scratch, LINE_MAX_BYTES);
        compose(p, elapsed_ms, &line);
        (void)pthread_mutex_unlock(&p->lock);
        draw(p, &line);
        drawn = true;
        (void)pthread_mutex_lock(&p->lock);
        pause_for(p, REDRAW_MS);
        elapsed_ms += REDRAW_MS;
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (drawn)
        (void)dprintf(p->fd, "\r\033[K");
    return NULL;
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

mg_progress *mg_progress_start(mg_cli *cli, uint64_t wait_until_ms)
{
    const char *term = mg_cli_getenv(cli, "TERM");
    if (cli->quiet || term == NULL || strcmp(term, "dumb") == 0 || !isatty(cli->err))
        return NULL;
    mg_progress *p = mg_new(cli->arena, mg_progress);
    p->fd = cli->err;
    p->clock = cli->clock;
    p->arena = cli->arena;
    p->wait_until_ms = wait_until_ms;
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

/* --- What the check notes --- */

/* The entries and who shares a name with whom. Under the lock. */
static void list_entries(mg_progress *p, const mg_goal *goal)
{
    p->list = mg_arena_new(p->arena);
    p->count = goal->entries.count;
    p->entries = mg_new_array(p->list, waiting, p->count);
    p->names = mg_new_array(p->list, namesakes, p->count);
    p->by_name = mg_map_new(p->list);
    for (size_t i = 0; i < p->count; i++) {
        waiting *w = &p->entries[i];
        w->name = goal->entries.items[i]->name;
        namesakes *same = mg_map_get(&p->by_name, w->name);
        if (same == NULL) {
            same = &p->names[p->name_count++];
            same->first = w;
            (void)mg_map_put(&p->by_name, w->name, same);
        } else {
            same->last->next_same = w;
        }
        same->last = w;
    }
}

/* Nothing is settled. Under the lock. */
static void begin_round(mg_progress *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->entries[i].settled = false;
    for (size_t i = 0; i < p->name_count; i++)
        p->names[i].unsettled = p->names[i].first;
    p->first = 0;
    p->missing = false;
}

void mg_progress_goal(mg_progress *p, const mg_goal *goal, bool whole, unsigned round)
{
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&p->lock);
    if (p->goal != goal) {
        mg_arena_free(p->list);
        p->list = NULL;
        p->count = p->name_count = 0;
        if (whole)
            list_entries(p, goal);
        p->goal = goal;
    }
    p->settled = 0;
    p->total = whole ? goal->entries.count : 0;
    begin_round(p);
    p->round = round - 1; /* counted when its first entry is settled */
    (void)pthread_mutex_unlock(&p->lock);
}

void mg_progress_note(void *data, const mg_result *result, size_t settled, size_t total)
{
    mg_progress *p = data;
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&p->lock);
    if (settled <= 1) {
        begin_round(p);
        p->round++;
    }
    namesakes *same = p->list != NULL ? mg_map_get(&p->by_name, result->name) : NULL;
    if (same != NULL && same->unsettled != NULL) {
        same->unsettled->settled = true;
        same->unsettled = same->unsettled->next_same;
    }
    if (result->outcome != MG_OUTCOME_PASS && !p->missing) {
        MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
        const mg_str name = mg_text_line(scratch, result->name, NAME_MAX_BYTES);
        p->missing = true;
        (void)snprintf(p->missing_name, sizeof p->missing_name, MG_FMT, MG_ARG(name));
    }
    p->settled = settled;
    p->total = total;
    (void)pthread_mutex_unlock(&p->lock);
}
