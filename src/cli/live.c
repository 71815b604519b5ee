/* live.c - events become lines that stay and one line that does not.
 *
 * The driver notes what it is doing under a lock and goes on; the stream's thread composes the
 * status line a few times a second, so that time passes there also while nothing happens.
 */
#include "cli/live.h"

#include "cli/stream.h"
#include "data/text.h"
#include "report/pursuit.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { REDRAW_MS = 200, BAR = 12, LINE_MAX_BYTES = 2000, OUTPUT_MAX_BYTES = 1000 };

struct mg_display {
    mg_cli *cli;
    mg_stream *stream;
    bool verbose, fancy, color, unicode;
    char partial[OUTPUT_MAX_BYTES]; /* the agent's last line, not ended yet */
    size_t partial_len;
    int partial_stream;
    pthread_mutex_t lock;
    /* Under the lock: */
    bool running;
    uint32_t attempt;
    mg_budget budget;
    mg_usage usage;
    char phase[32];
    uint64_t wait_until;                /* on the clock; of the phase "waiting" */
    uint64_t loop_began, attempt_began; /* on the clock */
    size_t holding, entries;            /* at the last look that was whole */
    size_t settled, total, passing;     /* of the look that is under way */
};

/* --- The status line --- */

static mg_str minutes(mg_arena *arena, uint64_t ms)
{
    const uint64_t s = ms / 1000;
    if (s >= 3600)
        return mg_strf(arena, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
                       s % 60);
    return mg_strf(arena, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
}

/* "29 ms", "1.0 s", "12:05" */
static mg_str duration(mg_arena *arena, uint64_t ms)
{
    if (ms < 1000)
        return mg_strf(arena, "%" PRIu64 " ms", ms);
    if (ms < 60000)
        return mg_strf(arena, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms / 100 % 10);
    return minutes(arena, ms);
}

/* The driver's word for what it does, in the user's words. */
static const char *phase_text(const char *phase)
{
    static const struct {
        const char *phase, *text;
    } texts[] = {
        {"agent", "agent works"},
        {"delta", "looking for changes"},
        {"restore", "putting protected files back"},
        {"services", "starting services"},
        {"check", "checking"},
        {"waiting", "rate limited, waiting"},
    };
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        if (strcmp(phase, texts[i].phase) == 0)
            return texts[i].text;
    return phase;
}

static void add_bar(const mg_display *d, mg_buf *out)
{
    const char *full = d->unicode ? "\xe2\x96\x88" : "#";  /* a full block */
    const char *empty = d->unicode ? "\xe2\x96\x91" : "."; /* a light shade */
    const bool looking = d->total > 0 && d->settled < d->total;
    const size_t holds = looking ? d->passing : d->holding;
    const size_t of = looking ? d->total : d->entries;
    if (of == 0)
        return; /* nothing was asked yet */
    const size_t filled = holds * BAR / of;
    for (size_t i = 0; i < BAR; i++)
        mg_buf_adds(out, i < filled ? full : empty);
    mg_buf_addf(out, " %zu of %zu hold  ", holds, of);
}

static void add_left(const mg_display *d, mg_arena *scratch, uint64_t now, mg_buf *out)
{
    const uint64_t used = now - d->loop_began;
    const uint64_t left = d->budget.time_ms > used ? d->budget.time_ms - used : 0;
    mg_buf_addf(out, MG_FMT " left", MG_ARG(minutes(scratch, left)));
    if (d->budget.cost_usd > 0)
        mg_buf_addf(out, "  $%.2f of $%.2f", d->usage.cost_usd, d->budget.cost_usd);
    if (d->budget.tokens > 0)
        mg_buf_addf(out, "  %" PRId64 " of %" PRId64 " tokens",
                    d->usage.input_tokens + d->usage.output_tokens, d->budget.tokens);
}

static size_t columns_of(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* At most so many columns: a line that wraps could not be drawn over. */
static mg_str cut_columns(mg_str text, size_t columns)
{
    size_t at = 0;
    for (size_t used = 0; at < text.len && used < columns; used++) {
        const size_t len = mg_utf8_len(mg_str_from(text, at));
        at += len > 0 ? len : 1;
    }
    return mg_str_first(text, at);
}

static mg_str status_line(void *data, mg_arena *scratch)
{
    mg_display *d = data;
    mg_buf out = mg_buf_new(scratch, LINE_MAX_BYTES);
    const uint64_t now = mg_clock_ms(d->cli->clock);
    (void)pthread_mutex_lock(&d->lock);
    if (d->running && strcmp(d->phase, "waiting") == 0)
        mg_buf_addf(&out, "attempt %u of %u  rate limited, waiting another " MG_FMT "  ",
                    d->attempt, d->budget.attempts,
                    MG_ARG(minutes(scratch, d->wait_until - MG_MIN(now, d->wait_until) + 999)));
    else if (d->running && d->attempt > 0)
        mg_buf_addf(&out, "attempt %u of %u  %s  " MG_FMT "  ", d->attempt, d->budget.attempts,
                    phase_text(d->phase), MG_ARG(minutes(scratch, now - d->attempt_began)));
    else if (d->running)
        mg_buf_addf(&out, "looking at the world first  " MG_FMT "  ",
                    MG_ARG(minutes(scratch, now - d->loop_began)));
    if (d->running) {
        add_bar(d, &out);
        add_left(d, scratch, now, &out);
    }
    (void)pthread_mutex_unlock(&d->lock);
    return cut_columns(mg_buf_str(&out), columns_of(d->cli->err) - 1);
}

/* --- The lines that stay --- */

static void put_line(mg_display *d, const char *color, const char *fmt, ...) MG_PRINTF(3, 4);

static void put_line(mg_display *d, const char *color, const char *fmt, ...)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    va_list args;
    va_start(args, fmt);
    const mg_str text = mg_strfv(scratch, fmt, args);
    va_end(args);
    const mg_str line = mg_text_line(scratch, text, LINE_MAX_BYTES);
    const bool paint = d->color && color != NULL;
    mg_stream_add(d->stream, mg_strf(scratch, "%s%s" MG_FMT "%s\n", d->fancy ? "" : "makegood: ",
                                     paint ? color : "", MG_ARG(line), paint ? "\033[0m" : ""));
}

static size_t count_holding(const mg_result *results, size_t count)
{
    size_t holding = 0;
    for (size_t i = 0; i < count; i++)
        holding += results[i].outcome == MG_OUTCOME_PASS;
    return holding;
}

static void put_attempt(mg_display *d, const mg_attempt *a)
{
    static const char *const colors[] = {
        [MG_ATTEMPT_UNVERIFIED] = "\033[33m",
        [MG_ATTEMPT_SUCCESS] = "\033[32m",
        [MG_ATTEMPT_PARTIAL] = "\033[33m",
        [MG_ATTEMPT_FAILED] = "\033[31m",
    };
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const size_t changed = mg_attempt_changed(a), status = (size_t)a->status;
    const mg_str files =
        changed == 0 ? MG_STR("nothing changed")
                     : mg_strf(scratch, "%zu %s changed", changed, changed == 1 ? "file" : "files");
    if (!mg_attempt_judged(a))
        put_line(d, colors[MG_ATTEMPT_UNVERIFIED],
                 "attempt %u: cancelled, not judged; " MG_FMT "%s" MG_FMT, a->number,
                 MG_ARG(changed > 0 ? files : MG_STR("")), changed > 0 ? ", " : "",
                 MG_ARG(duration(scratch, a->duration_ms)));
    else
        put_line(d, status < MG_COUNT(colors) ? colors[status] : NULL,
                 "attempt %u: %s - %s (%s); %zu of %zu hold, " MG_FMT ", " MG_FMT, a->number,
                 mg_attempt_status_name(a->status), mg_attempt_label(a),
                 a->reason != NULL ? a->reason : "no reason",
                 count_holding(a->results, a->result_count), a->result_count, MG_ARG(files),
                 MG_ARG(duration(scratch, a->duration_ms)));
    if (a->error.len > 0)
        put_line(d, NULL, "  error: " MG_FMT, MG_ARG(a->error));
    if (a->note.len > 0)
        put_line(d, NULL, "  note: " MG_FMT, MG_ARG(a->note));
}

/* --- The agent's own output, with --verbose --- */

static void flush_output(mg_display *d)
{
    if (d->partial_len == 0)
        return;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str text = {d->partial, d->partial_len};
    const mg_str line = mg_text_line(scratch, text, (size_t)4 * OUTPUT_MAX_BYTES);
    mg_stream_add(d->stream, mg_strf(scratch, "  %s " MG_FMT "\n",
                                     d->partial_stream == 2 ? "!" : "|", MG_ARG(line)));
    d->partial_len = 0;
}

static void put_output(mg_display *d, int stream, mg_str bytes)
{
    if (stream != d->partial_stream)
        flush_output(d);
    d->partial_stream = stream;
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] == '\n' || d->partial_len == sizeof d->partial)
            flush_output(d);
        if (bytes.ptr[i] != '\n')
            d->partial[d->partial_len++] = bytes.ptr[i];
    }
}

/* --- Events --- */

/* What the status line is about from now on. Under the lock. */
static void note_status(mg_display *d, const mg_event *e)
{
    const uint64_t now = mg_clock_ms(d->cli->clock);
    if (!d->running) { /* the first event, of a loop that was taken up again as well */
        d->running = true;
        d->attempt_began = now;
        d->loop_began = now - MG_MIN(now, e->pursuit->spent.time_ms);
        d->budget = e->pursuit->budget;
        d->entries = e->pursuit->baseline_count;
        d->holding = count_holding(e->pursuit->baseline, e->pursuit->baseline_count);
    }
    if (e->type == MG_EVENT_BASELINE) {
        d->entries = e->pursuit->baseline_count;
        d->holding = count_holding(e->pursuit->baseline, e->pursuit->baseline_count);
        d->settled = d->total = 0;
    } else if (e->type == MG_EVENT_ATTEMPT_STARTED && e->attempt != NULL) {
        d->attempt = e->attempt->number;
        d->attempt_began = now;
        d->total = 0;
        (void)snprintf(d->phase, sizeof d->phase, "agent");
    } else if (e->type == MG_EVENT_PHASE && e->phase != NULL) {
        (void)snprintf(d->phase, sizeof d->phase, "%s", e->phase);
        d->wait_until = now + e->wait_ms;
        d->settled = d->total = d->passing = 0;
    } else if (e->type == MG_EVENT_ASSERTION && e->result != NULL) {
        d->passing = e->settled <= 1 ? 0 : d->passing;
        d->passing += e->result->outcome == MG_OUTCOME_PASS;
        d->settled = e->settled;
        d->total = e->total;
    } else if (e->type == MG_EVENT_ATTEMPT_FINISHED && e->attempt != NULL) {
        d->entries = e->attempt->result_count;
        d->holding = count_holding(e->attempt->results, e->attempt->result_count);
        d->usage = e->pursuit->spent.usage;
        d->total = 0;
    } else if (e->type == MG_EVENT_LOOP_FINISHED) {
        d->running = false;
    }
}

static void put_started(mg_display *d, const mg_pursuit *p)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    put_line(d, NULL, "loop " MG_FMT ": agent " MG_FMT ", up to %u %s, " MG_FMT,
             MG_ARG(mg_str_first(p->id, MG_ID_SHOWN)), MG_ARG(p->agent), p->budget.attempts,
             p->budget.attempts == 1 ? "attempt" : "attempts",
             MG_ARG(mg_duration_text(scratch, p->budget.time_ms)));
}

/* Only a phase in which nothing happens for long is told on a line of its own. */
static void put_phase(mg_display *d, const mg_event *e)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    flush_output(d);
    if (strcmp(e->phase, "waiting") == 0)
        put_line(d, "\033[33m", "rate limited; waiting " MG_FMT " for the limit to pass",
                 MG_ARG(mg_duration_text(scratch, (e->wait_ms + 999) / 1000 * 1000)));
}

void mg_display_note(mg_display *d, const mg_event *e)
{
    if (d == NULL)
        return;
    (void)pthread_mutex_lock(&d->lock);
    note_status(d, e);
    (void)pthread_mutex_unlock(&d->lock);
    if (e->type == MG_EVENT_LOOP_STARTED)
        put_started(d, e->pursuit);
    else if (e->type == MG_EVENT_BASELINE)
        put_line(d, NULL, "before any attempt, %zu of %zu hold",
                 count_holding(e->pursuit->baseline, e->pursuit->baseline_count),
                 e->pursuit->baseline_count);
    else if (e->type == MG_EVENT_ATTEMPT_STARTED && e->attempt != NULL && !d->fancy)
        put_line(d, NULL, "attempt %u of %u begins", e->attempt->number,
                 e->pursuit->budget.attempts);
    else if (e->type == MG_EVENT_OUTPUT && d->verbose)
        put_output(d, e->stream, e->bytes);
    else if (e->type == MG_EVENT_PHASE && e->phase != NULL && strcmp(e->phase, "agent") != 0)
        put_phase(d, e);
    else if (e->type == MG_EVENT_ATTEMPT_FINISHED && e->attempt != NULL)
        put_attempt(d, e->attempt);
    else if (e->type == MG_EVENT_GAP && e->attempt != NULL && e->attempt->gap.detector != NULL)
        put_line(d, "\033[2m", "  missing: " MG_FMT, MG_ARG(e->attempt->gap.headline));
}

/* --- Beginning and end --- */

static bool speaks_unicode(const mg_cli *cli)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < MG_COUNT(names); i++) {
        const char *value = mg_cli_getenv(cli, names[i]);
        if (value != NULL && *value != '\0')
            return strcasestr(value, "UTF-8") != NULL || strcasestr(value, "utf8") != NULL;
    }
    return false;
}

mg_display *mg_display_start(mg_cli *cli, bool verbose)
{
    if (cli->quiet)
        return NULL;
    const char *term = mg_cli_getenv(cli, "TERM");
    mg_display *d = mg_new(cli->arena, mg_display);
    d->cli = cli;
    d->verbose = verbose;
    d->color = cli->color_err;
    d->unicode = speaks_unicode(cli);
    d->fancy = isatty(cli->err) && term != NULL && strcmp(term, "dumb") != 0;
    (void)pthread_mutex_init(&d->lock, NULL);
    mg_stream_options options = {.fd = cli->err};
    if (d->fancy)
        options = (mg_stream_options){cli->err, REDRAW_MS, status_line, d};
    d->stream = mg_stream_open(&options);
    return d; /* without a stream nothing is shown, and the loop runs all the same */
}

void mg_display_stop(mg_display *d)
{
    if (d == NULL)
        return;
    flush_output(d);
    const char *lost = mg_stream_close(d->stream, d->cli->arena);
    (void)lost; /* nobody is there to be told */
    d->stream = NULL;
    (void)pthread_mutex_destroy(&d->lock);
}

void mg_display_say(mg_display *d, mg_cli *cli, mg_str sentence)
{
    if (d != NULL && d->stream != NULL)
        put_line(d, NULL, MG_FMT, MG_ARG(sentence));
    else
        (void)mg_cli_say(cli, 0, MG_FMT, MG_ARG(sentence));
}

void mg_display_warn(mg_display *d, mg_cli *cli, mg_str sentence)
{
    if (d != NULL && d->stream != NULL)
        put_line(d, "\033[33m", "warning: " MG_FMT, MG_ARG(sentence));
    else
        (void)mg_cli_say(cli, 0, "warning: " MG_FMT, MG_ARG(sentence));
}
