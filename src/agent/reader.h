/* reader.h - what an agent prints, read as it comes. Private to agent/.
 *
 * An agent's output is hostile and may end anywhere: lines are bounded, what is kept is bounded,
 * and whatever is not an event of the format is passed over. A format tells what each event means
 * by calling the functions below; how the attempt ended is settled in one place, in
 * mg_reader_finish(), from what was told and from what was seen of the process.
 *
 * To add a format: one read_NAME.c with one mg_format, one line in the list below.
 */
#ifndef MG_AGENT_READER_H
#define MG_AGENT_READER_H

#include "agent/agent.h"
#include "base/buf.h"
#include "data/json.h"

enum {
    MG_READ_LINE_MAX = 8 << 20, /* one event, or a whole document */
    MG_READ_TEXT_MAX = 1 << 20, /* last words: the end of them */
    MG_READ_STDERR_MAX = 64 << 10,
    MG_READ_STEPS_MAX = 10000,
    MG_READ_STEP_BYTES = 64 << 10, /* of one step's output: the end of it */
    MG_READ_STEPS_BYTES = 4 << 20, /* of all of them */
    MG_READ_DENIALS_MAX = 100,
    MG_READ_ERROR_MAX = 1000,
};

typedef struct mg_reader mg_reader;

typedef struct mg_read_exit { /* what was seen of the process */
    bool has_exit;
    int64_t exit_code; /* 128 + n after a signal */
    bool stopped, timed_out;
    bool resuming;   /* it was asked to go on with a conversation */
    int64_t wall_ms; /* now: a limit may be told as "in 20s" */
} mg_read_exit;

typedef struct mg_format {
    const char *name;
    const char *final; /* what its last event is called, for the sentence; NULL: it has none */
    const char *final_start; /* how the line of that event begins: it may be too long to be read */
    const char *skip_start;  /* lines that are many, large and tell nothing; may be NULL */
    bool document;           /* it may also be one JSON document over several lines */
    bool tells_steps;
    bool knows_failures; /* errors on stderr are understood: authentication, limits */
    void (*event)(mg_reader *r, const mg_json *event);
    void (*finish)(mg_reader *r, const mg_read_exit *how); /* may be NULL */
    const char *const *unknown_session; /* ends with NULL; what it says when it cannot resume */
} mg_format;

extern const mg_format mg_format_text, mg_format_lines, mg_format_claude, mg_format_codex,
    mg_format_gemini, mg_format_opencode, mg_format_pi, mg_format_cn;

extern const mg_format *const mg_formats[]; /* ends with NULL */

typedef struct mg_read_steps {
    mg_step *items;
    size_t count, cap;
} mg_read_steps;

struct mg_reader {
    const mg_format *format;
    mg_arena *arena; /* of the attempt: what is kept lives there */

    mg_buf line; /* the line that is not over yet */
    bool line_long;
    mg_buf whole;            /* of stdout, where it may be one document; bounded like a line */
    mg_buf out_tail, errors; /* the ends of stdout (of a plain text) and stderr */
    bool out_cut;
    bool spoke; /* anything but white space came on stdout */
    size_t lines, events;

    /* What was told. */
    mg_buf text;
    bool text_cut;
    mg_str session;
    mg_read_steps steps;
    size_t step_bytes;
    bool steps_lost;
    mg_usage usage;
    mg_strs denials;
    bool ended;       /* the final event came */
    mg_terminal told; /* MAX_ITERATIONS, ERROR, ...; NONE: nothing else than an ordinary end */
    bool joining;     /* the last words come in pieces, and this is not the first */
    bool failed, fatal, rate_limited, unknown_session;
    int64_t reset_ms, wait_ms; /* of the limit: when, or how long from now */
    mg_str error;
    mg_buf error_text, session_text; /* what the two stand in */
};

mg_reader *mg_reader_new(const mg_format *format, mg_arena *arena);
void mg_reader_feed(mg_reader *r, int stream, mg_str bytes);
/* Fills in what output and exit tell together; whole, why and leftovers are not its business. */
void mg_reader_finish(mg_reader *r, const mg_read_exit *how, mg_agent_end *out);

/* --- What a format says of an event --- */

/* Events in a text that is one document among other words (gemini's stderr). */
void mg_read_document(mg_reader *r, mg_str text);

void mg_read_session(mg_reader *r, mg_str id);
void mg_read_text(mg_reader *r, mg_str text); /* its last words so far */

/* The step with that id, made where there is none; NULL past the bound. */
mg_step *mg_read_step(mg_reader *r, mg_str id, mg_str tool);
void mg_read_step_output(mg_reader *r, mg_step *step, mg_str output); /* takes a NULL step */
void mg_read_step_exit(mg_step *step, int64_t exit_code);             /* takes NULL */

void mg_read_denied(mg_reader *r, mg_str what);

/* It tells that it failed. The text (and an HTTP status, or 0) says of itself whether that is
 * authentication, a limit or an unknown conversation. */
void mg_read_failed(mg_reader *r, mg_str text, int64_t http_status);
void mg_read_recovered(mg_reader *r); /* it went on all the same */
void mg_read_used(mg_reader *r, int64_t input, int64_t output, double cost_usd);

/* --- Asking an event by a key (event.c): what is not there is NULL, empty, 0, false --- */

const mg_json *mg_event_at(const mg_json *event, const char *key);
size_t mg_event_count(const mg_json *list); /* 0 of anything but a list */
bool mg_event_true(const mg_json *event, const char *key);
mg_str mg_event_text(const mg_json *event, const char *key);
int64_t mg_event_int(const mg_json *event, const char *key);
double mg_event_number(const mg_json *event, const char *key);
bool mg_event_is(const mg_json *event, const char *key, const char *value);

/* The texts of a list of parts {"type":"text","text":...}, joined; or the text itself. */
mg_str mg_event_parts(const mg_json *content, mg_arena *arena);

/* --- Sentences of others (failure.c) --- */

typedef enum mg_failure {
    MG_FAILURE_OTHER = 0,
    MG_FAILURE_FATAL, /* authentication, configuration: trying again is pointless */
    MG_FAILURE_LIMIT, /* later it may work */
} mg_failure;

/* The beginning and the end of a text, in small letters: an error may be of any length, and be told
 * a million times. */
enum { MG_FAILURE_LOOKED_AT = 4096 };
mg_str mg_failure_excerpt(mg_str text, char out[static MG_FAILURE_LOOKED_AT]);

mg_failure mg_failure_of(mg_str text, int64_t http_status);
int64_t mg_failure_wait_ms(mg_str text);              /* "try again in 20s"; 0: not told */
bool mg_text_has_fold(mg_str text, const char *part); /* letters of ASCII in either case */

#endif
