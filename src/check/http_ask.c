/* http_ask.c - one question to an HTTP server.
 *
 * The body is read only as far as it is needed: not at all for a status that is right, through
 * a window for a pattern, whole and bounded for JSON. An answer that broke off says nothing about
 * what would have come; an unfulfilled question about it stays open.
 */
#include "check/http_ask.h"

#include "check/probe.h"
#include "data/json.h"
#include "data/regex.h"

typedef struct query {
    mg_ask *ask;
    mg_arena *arena; /* until the answer; the result lives in ask->arena */
    mg_http_question q;
    const mg_limits *limits;
    mg_net_call *call;
    mg_search *search;
    mg_status search_status;
    mg_err err;
    mg_buf json;  /* the body, where JSON is asked of it */
    mg_buf shown; /* its beginning, for people */
    uint64_t body_bytes;
    bool timed_out;
} query;

/* What is still open after a question was asked of the answer. */
typedef enum verdict { OPEN = 0, HOLDS, FAILS, UNREADABLE } verdict;

typedef struct judgement {
    verdict verdict;
    mg_str observed; /* of FAILS and UNREADABLE */
    mg_status code;  /* of OPEN, with err.text */
} judgement;

/* --- The body --- */

static bool only_status(const query *x)
{
    return x->q.header_count == 0 && x->q.body == NULL && !x->q.json;
}

/* The body of another status is shown to people, as much of it as comes at once. */
static bool on_head(void *data, long status)
{
    const query *x = data;
    return x->q.body != NULL || x->q.json || status != x->q.status;
}

static bool wants_more(const query *x)
{
    const bool text = x->q.body != NULL && x->search_status == MG_OK && !mg_search_done(x->search);
    return (text && x->body_bytes < x->limits->body_stream) || (x->q.json && !x->json.cut);
}

static bool on_body(void *data, mg_str bytes)
{
    query *x = data;
    x->body_bytes += bytes.len;
    mg_buf_add(&x->shown, bytes);
    if (x->q.body != NULL && x->search_status == MG_OK)
        x->search_status = mg_search_add(x->search, bytes, &x->err);
    if (x->q.json)
        mg_buf_add(&x->json, bytes);
    return wants_more(x);
}

/* --- Judging: each part says whether it holds, fails, or cannot be known --- */

static judgement holds(void)
{
    return (judgement){HOLDS, {0}, MG_OK};
}

static judgement fails(mg_str observed)
{
    return (judgement){FAILS, observed, MG_OK};
}

/* It does not hold, but neither was the opposite seen. */
static judgement unreadable(mg_str observed)
{
    return (judgement){UNREADABLE, observed, MG_OK};
}

static judgement open_question(mg_status code)
{
    return (judgement){OPEN, {0}, code};
}

static judgement cut_short(query *x, const mg_net_answer *a, const char *what)
{
    if (x->body_bytes >= x->limits->body_stream || x->json.cut)
        return open_question(mg_fail(&x->err, MG_ERR_LIMIT,
                                     "%s: the body is larger than is read (%" PRIu64 " bytes came)",
                                     what, x->body_bytes));
    return open_question(mg_fail(&x->err, MG_ERR_SYSTEM,
                                 "%s: the body broke off after %" PRIu64 " bytes: %s", what,
                                 x->body_bytes, a->text != NULL ? a->text : "no reason is known"));
}

/* "status 200", and where it came from if that is not what was asked. */
static mg_str status_text(const query *x, const mg_net_answer *a)
{
    if (a->hops == 0)
        return mg_strf(x->ask->arena, "status %ld", a->status);
    size_t same = 0, slash = 0; /* the path alone, where the server is the same */
    for (; same < a->url.len && same < x->q.url.len && a->url.ptr[same] == x->q.url.ptr[same];
         same++)
        slash += a->url.ptr[same] == '/';
    const size_t host = mg_str_find(a->url, '/', mg_str_find(a->url, ':', 0) + 3);
    const mg_str to = slash >= 3 ? mg_str_from(a->url, host) : a->url;
    const mg_str shown = mg_text_line(x->arena, to, 200);
    return mg_strf(x->ask->arena, "status %ld (after a redirect to " MG_FMT ")", a->status,
                   MG_ARG(shown));
}

static judgement judge_status(query *x, const mg_net_answer *a)
{
    if (a->status == x->q.status)
        return holds();
    if (a->redirect.len > 0) {
        const mg_str to = mg_text_line(x->arena, a->redirect, 200);
        if (a->hops > 0 && a->hops >= x->limits->redirects)
            return fails(mg_strf(x->ask->arena,
                                 "status %ld, a redirect to '" MG_FMT
                                 "', after %u redirects were followed",
                                 a->status, MG_ARG(to), a->hops));
        return fails(mg_strf(x->ask->arena,
                             "status %ld, a redirect to '" MG_FMT "' that was not followed",
                             a->status, MG_ARG(to)));
    }
    return fails(status_text(x, a));
}

/* A header may stand several times; one that matches is enough. */
static judgement judge_header(query *x, const mg_net_answer *a, const mg_http_header *h)
{
    mg_str rest = a->headers, line, seen = {0};
    while (mg_str_split(&rest, '\n', &line)) {
        const size_t colon = mg_str_find(line, ':', 0);
        if (colon != h->name.len || colon == line.len ||
            strncasecmp(line.ptr, h->name.ptr, colon) != 0)
            continue;
        bool found = false;
        seen = mg_str_trim(mg_str_from(line, colon + 1));
        const mg_status s = mg_regex_find(h->regex, x->limits, seen, &found, &x->err);
        if (s != MG_OK)
            return open_question(s);
        if (found)
            return holds();
    }
    if (seen.ptr == NULL)
        return fails(mg_strf(x->ask->arena, "no header '" MG_FMT "'", MG_ARG(h->name)));
    const mg_str shown = mg_text_line(x->arena, seen, 200);
    return fails(mg_strf(x->ask->arena, "header '" MG_FMT "' is '" MG_FMT "'", MG_ARG(h->name),
                         MG_ARG(shown)));
}

static judgement judge_body(query *x, const mg_net_answer *a)
{
    if (x->search_status == MG_OK)
        x->search_status =
            a->complete ? mg_search_end(x->search, &x->err) : mg_search_flush(x->search, &x->err);
    if (x->search_status != MG_OK)
        return open_question(x->search_status);
    if (mg_search_count(x->search) > 0)
        return holds();
    if (!a->complete)
        return cut_short(x, a, "a match of the body's pattern was not found so far");
    return fails(mg_strf(x->ask->arena, "no match in the body (%" PRIu64 " bytes)", x->body_bytes));
}

static judgement judge_json(query *x, const mg_net_answer *a)
{
    const mg_json *document, *value;
    if (!a->complete || x->json.cut)
        return cut_short(x, a, "the body cannot be read as JSON");
    mg_status s = mg_json_parse(mg_buf_str(&x->json), x->limits, MG_JSON_UNIQUE_KEYS, x->arena,
                                &document, &x->err);
    if (s == MG_ERR_INVALID)
        return unreadable(mg_strf(x->ask->arena, "the body is not JSON: %s", x->err.text));
    if (s != MG_OK)
        return open_question(s);
    s = mg_json_at(document, x->q.pointer, &value, &x->err);
    if (s == MG_ERR_NOT_FOUND)
        return fails(
            mg_strf(x->ask->arena, "there is no value at '" MG_FMT "'", MG_ARG(x->q.pointer)));
    if (s != MG_OK)
        return open_question(s);
    if (x->q.equals == NULL || mg_json_equals(value, x->q.equals))
        return holds();
    const mg_str text = mg_text_line(x->arena, mg_json_text(value, x->arena), 200);
    return fails(mg_strf(x->ask->arena, "the value at '" MG_FMT "' is " MG_FMT,
                         MG_ARG(x->q.pointer), MG_ARG(text)));
}

/* Everything that was asked: a failure decides, then what is open, then it holds. */
static judgement judge(query *x, const mg_net_answer *a)
{
    judgement open = holds();
    for (size_t part = 0; part < x->q.header_count + 3; part++) {
        judgement j = holds();
        if (part == 0)
            j = judge_status(x, a);
        else if (part <= x->q.header_count)
            j = judge_header(x, a, &x->q.headers[part - 1]);
        else if (part == x->q.header_count + 1 && x->q.body != NULL && open.verdict == HOLDS)
            j = judge_body(x, a);
        else if (part == x->q.header_count + 2 && x->q.json && open.verdict == HOLDS)
            j = judge_json(x, a);
        if (j.verdict == FAILS || j.verdict == UNREADABLE)
            return j;
        if (j.verdict == OPEN && open.verdict == HOLDS)
            open = j;
    }
    return open;
}

/* --- The answer --- */

static mg_str expectation(const query *x)
{
    mg_buf buf = mg_buf_new(x->ask->arena, 2048);
    mg_json_out json = {.buf = &buf};
    mg_buf_addf(&buf, "status %" PRId64, x->q.status);
    for (size_t i = 0; i < x->q.header_count; i++) {
        const mg_str pattern = mg_quote_pattern(x->arena, x->q.headers[i].regex);
        mg_buf_addf(&buf, ", header '" MG_FMT "' with a match of " MG_FMT,
                    MG_ARG(x->q.headers[i].name), MG_ARG(pattern));
    }
    if (x->q.body != NULL) {
        const mg_str pattern = mg_quote_pattern(x->arena, x->q.body);
        mg_buf_addf(&buf, ", a body with a match of " MG_FMT, MG_ARG(pattern));
    }
    if (x->q.json)
        mg_buf_addf(&buf, ", a value at '" MG_FMT "'", MG_ARG(x->q.pointer));
    if (x->q.json && x->q.equals != NULL) {
        mg_buf_adds(&buf, " that equals ");
        mg_json_node(&json, x->q.equals);
    }
    return mg_text_line(x->ask->arena, mg_buf_str(&buf), 600);
}

static void answer(query *x, mg_outcome outcome, bool no_answer, mg_str observed)
{
    mg_ask *ask = x->ask;
    mg_result result = mg_result_make(outcome, expectation(x), observed);
    result.no_answer = no_answer;
    result.timed_out = x->timed_out;
    if (outcome == MG_OUTCOME_FAIL)
        result.detail = mg_str_copy(ask->arena, mg_text_clean(ask->arena, mg_buf_str(&x->shown)));
    mg_arena_free(x->arena); /* and x with it */
    ask->stop = NULL;
    mg_ask_answer(ask, &result);
}

static void answer_error(query *x, mg_status code, const char *text)
{
    mg_ask *ask = x->ask;
    const mg_str line = mg_text_line(ask->arena, mg_str_of(text), 800);
    const char *kept = mg_str_cstr(ask->arena, line);
    mg_arena_free(x->arena);
    ask->stop = NULL;
    mg_ask_error(ask, code, kept);
}

static void on_ended(void *data, const mg_net_answer *a)
{
    query *x = data;
    x->call = NULL;
    if (a->result == MG_NET_ERROR) {
        answer_error(x, a->code, a->text);
        return;
    }
    x->timed_out = a->result == MG_NET_TIMED_OUT;
    if (a->result != MG_NET_ANSWERED) {
        /* That nobody listens answers whether it serves, not what it would have said. */
        answer(x, MG_OUTCOME_FAIL, !(a->refused && only_status(x)),
               mg_probe_failure(x->ask->arena, a, x->q.timeout_ms));
        return;
    }
    const judgement j = judge(x, a);
    if (j.verdict == OPEN)
        answer_error(x, j.code, x->err.text);
    else if (j.verdict == FAILS || j.verdict == UNREADABLE)
        answer(x, MG_OUTCOME_FAIL, j.verdict == UNREADABLE, j.observed);
    else
        answer(x, MG_OUTCOME_PASS, false, status_text(x, a));
}

static void stop(mg_ask *ask)
{
    query *x = ask->state;
    mg_net_stop(x->call);
    mg_arena_free(x->arena);
}

mg_status mg_http_ask(const mg_view *view, const mg_http_question *question, mg_ask *ask,
                      mg_err *err)
{
    mg_net *net;
    MG_TRY(mg_ask_net(ask, &net, err));
    mg_arena *arena = mg_arena_new(ask->arena);
    query *x = mg_new(arena, query);
    *x = (query){.ask = ask, .arena = arena, .q = *question, .limits = view->limits};
    x->shown = mg_buf_new(arena, view->limits->output_tail);
    x->json = mg_buf_new(arena, view->limits->body_bytes);
    if (question->body != NULL)
        x->search = mg_search_new(question->body, view->limits, 1, 0, arena);
    const mg_net_request request = {
        .url = mg_str_cstr(arena, question->url),
        .method = question->method.len > 0 ? mg_str_cstr(arena, question->method) : NULL,
        .connect_timeout_ms = mg_probe_connect_ms(question->timeout_ms),
        .timeout_ms = question->timeout_ms,
        /* Who asks for a redirect is told of it. */
        .redirects = question->status / 100 == 3 ? 0 : view->limits->redirects,
        .allow = mg_probe_allow,
        .allow_data = (void *)(uintptr_t)view->world,
        .head = on_head,
        .body_piece = on_body,
        .data = x,
        .ended = on_ended,
    };
    const mg_status s = mg_net_start(net, &request, &x->call, err);
    if (s != MG_OK) {
        mg_arena_free(arena);
        return s;
    }
    ask->state = x;
    ask->stop = stop;
    return MG_OK;
}
