/* net_call.c - one question: its options, the judge of addresses, redirects, and what each
 * way of ending means.
 *
 * Whatever cannot be told apart from a fault of our own ends as MG_NET_ERROR; only codes that
 * are known to be about the server say that it does not serve.
 */
#include "io/net_call.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADERS_MAX = 64 * 1024, TEXT_MAX = 768 };

struct mg_net_call {
    mg_net *net;
    mg_net_call *next, **link; /* link NULL: it has ended */
    mg_arena *arena;
    mg_net_request request;
    CURL *easy;
    struct curl_slist *send;
    mg_timer *deadline;
    bool connect_only;
    const char *url; /* of this hop */
    unsigned hops;

    /* What was learnt in this hop. */
    bool asked;    /* an address was found and a socket opened for it */
    bool denied;   /* an address was refused */
    int own_error; /* errno of a socket that the system did not give us */
    long status;
    mg_buf headers;
    bool headers_end;
    const char *follow; /* the next hop, if there is to be one */
    bool enough;        /* head() or body_piece() wants no more */

    char refusal[TEXT_MAX];
    char curl_text[CURL_ERROR_SIZE];
};

void *mg_net_block(size_t bytes)
{
    void *block = calloc(1, bytes);
    if (block == NULL)
        abort(); /* out of memory, as in the arena */
    return block;
}

/* --- The judge --- */

static const char *address_text(const struct sockaddr *address, char text[static INET6_ADDRSTRLEN])
{
    const void *bytes = address->sa_family == AF_INET6
                            ? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
                            : (const void *)&((const struct sockaddr_in *)address)->sin_addr;
    const char *got = inet_ntop(address->sa_family, bytes, text, INET6_ADDRSTRLEN);
    return got != NULL ? got : "of an unknown family";
}

/* CURLOPT_OPENSOCKETFUNCTION: the name has been resolved; this is what would be asked. */
static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *to)
{
    (void)purpose;
    mg_net_call *call = data;
    const mg_net_request *r = &call->request;
    if (r->allow == NULL || !r->allow(r->allow_data, &to->addr, (socklen_t)to->addrlen)) {
        char text[INET6_ADDRSTRLEN];
        call->denied = true;
        (void)snprintf(call->refusal, sizeof call->refusal,
                       "'%s' leads to the address %s, which is not asked (link-local or a cloud's "
                       "metadata service); to permit it write probe: {allow: [\"%s\"]}",
                       call->url, address_text(&to->addr, text), text);
        return CURL_SOCKET_BAD;
    }
    const int fd = socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    if (fd < 0) {
        call->own_error = errno;
        return CURL_SOCKET_BAD;
    }
    call->asked = true;
    return fd;
}

/* --- Redirects --- */

/* The value of a header in call->headers; the first of that name. */
static mg_str header(const mg_net_call *call, const char *name)
{
    mg_str rest = mg_buf_str(&call->headers), line;
    const size_t len = strlen(name);
    while (mg_str_split(&rest, '\n', &line))
        if (line.len > len && line.ptr[len] == ':' && strncasecmp(line.ptr, name, len) == 0)
            return mg_str_trim(mg_str_from(line, len + 1));
    return (mg_str){"", 0};
}

static char *url_part(const mg_curl_api *curl, CURLU *url, CURLUPart part)
{
    char *text = NULL;
    return curl->url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

/* Where `location` leads from call->url, or NULL; *same_host: on the host that was asked. */
static const char *resolve(const mg_net_call *call, mg_str location, bool *same_host)
{
    const mg_curl_api *curl = &call->net->curl;
    CURLU *url = curl->url();
    char *before = NULL, *after = NULL, *scheme = NULL, *whole = NULL;
    if (url != NULL && curl->url_set(url, CURLUPART_URL, call->url, 0) == CURLUE_OK) {
        before = url_part(curl, url, CURLUPART_HOST);
        const char *to = mg_str_cstr(call->arena, location);
        if (curl->url_set(url, CURLUPART_URL, to, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
            after = url_part(curl, url, CURLUPART_HOST);
            scheme = url_part(curl, url, CURLUPART_SCHEME);
            whole = url_part(curl, url, CURLUPART_URL);
        }
    }
    *same_host = before != NULL && after != NULL && strcasecmp(before, after) == 0 &&
                 scheme != NULL && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    const char *result = whole != NULL ? mg_str_cstr(call->arena, mg_str_of(whole)) : NULL;
    curl->free(before);
    curl->free(after);
    curl->free(scheme);
    curl->free(whole);
    curl->url_cleanup(url);
    return result;
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Whether this answer is to be followed is known as soon as its headers are. */
static void decide_redirect(mg_net_call *call)
{
    const char *method = call->request.method;
    const mg_str location = header(call, "location");
    const bool safe = method == NULL || strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!safe || !is_redirect(call->status) || location.len == 0 ||
        call->hops >= call->request.redirects)
        return;
    bool same_host;
    const char *to = resolve(call, location, &same_host);
    if (to != NULL && same_host)
        call->follow = to;
}

/* --- What arrives --- */

static size_t on_header(char *bytes, size_t one, size_t count, void *data)
{
    mg_net_call *call = data;
    const mg_str line = {bytes, one * count};
    if (mg_str_starts(line, "HTTP/")) { /* of the final answer; those before were 1xx */
        call->headers.len = 0;
        call->headers_end = false;
    }
    if (call->headers_end)
        return line.len; /* a trailer: after the body nobody looks for headers */
    if (mg_str_trim(line).len > 0) {
        mg_buf_add(&call->headers, line);
        return call->headers.cut ? 0 : line.len;
    }
    call->headers_end = true;
    (void)call->net->curl.easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &call->status);
    if (call->status < 200)
        return line.len;
    decide_redirect(call);
    if (call->follow == NULL && call->request.head != NULL)
        call->enough = !call->request.head(call->request.data, call->status);
    return call->enough ? 0 : line.len;
}

static size_t on_body(char *bytes, size_t one, size_t count, void *data)
{
    mg_net_call *call = data;
    const mg_str piece = {bytes, one * count};
    if (call->follow != NULL)
        return 0; /* what a redirect says beside its address is of no interest */
    if (call->request.body_piece == NULL)
        return piece.len;
    call->enough = !call->request.body_piece(call->request.data, piece);
    return call->enough ? 0 : piece.len;
}

/* --- What an end means --- */

/* Codes that speak about the server. Everything else is our own trouble. */
static const CURLcode not_serving[] = {
    CURLE_COULDNT_CONNECT,       CURLE_SSL_CONNECT_ERROR,    CURLE_PEER_FAILED_VERIFICATION,
    CURLE_GOT_NOTHING,           CURLE_SEND_ERROR,           CURLE_RECV_ERROR,
    CURLE_WEIRD_SERVER_REPLY,    CURLE_PARTIAL_FILE,         CURLE_HTTP2,
    CURLE_HTTP2_STREAM,          CURLE_UNSUPPORTED_PROTOCOL, /* HTTP/0.9: the scheme was checked
                                                                before */
    CURLE_BAD_CONTENT_ENCODING,  CURLE_SSL_CIPHER,           CURLE_SSL_ISSUER_ERROR,
    CURLE_SSL_INVALIDCERTSTATUS,
};

/* errno values of connect(2) that are about this machine. */
static const int own_errors[] = {EACCES,  EPERM,  EMFILE,        ENFILE,
                                 ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAFNOSUPPORT};

static bool is_not_serving(CURLcode code)
{
    for (size_t i = 0; i < MG_COUNT(not_serving); i++)
        if (not_serving[i] == code)
            return true;
    return false;
}

/* Whether errno of connect(2) is about this machine and not about the server. */
static bool is_own_error(int error)
{
    for (size_t i = 0; i < MG_COUNT(own_errors); i++)
        if (own_errors[i] == error)
            return true;
    return false;
}

static void set_error(mg_net_answer *a, mg_status code, const char *text)
{
    a->result = MG_NET_ERROR;
    a->code = code;
    a->text = text;
}

static void judge_connect(const mg_net_call *call, mg_net_answer *a)
{
    long os_error = 0;
    (void)call->net->curl.easy_getinfo(call->easy, CURLINFO_OS_ERRNO, &os_error);
    const int error = call->own_error != 0 ? call->own_error : (int)os_error;
    const char *said = strerrordesc_np(error); /* plainer than libcurl's sentence */
    a->result = MG_NET_UNREACHABLE;
    a->refused = error == ECONNREFUSED;
    if (error != 0 && said != NULL)
        a->text = said;
    if (call->own_error != 0 || is_own_error(error))
        set_error(a, mg_status_of_errno(error), a->text);
}

/* What came of it when there is no whole answer. */
static void judge_failure(const mg_net_call *call, CURLcode code, mg_net_answer *a)
{
    a->text = call->curl_text[0] != '\0' ? call->curl_text : call->net->curl.easy_strerror(code);
    if (call->denied)
        set_error(a, MG_ERR_DENIED, call->refusal);
    else if (call->headers.cut)
        set_error(a, MG_ERR_LIMIT, "the headers of the answer are larger than 64 KiB");
    else if (code == CURLE_COULDNT_RESOLVE_HOST)
        set_error(a, MG_ERR_NOT_FOUND, a->text);
    else if (code == CURLE_OPERATION_TIMEDOUT && call->asked)
        a->result = MG_NET_TIMED_OUT;
    else if (code == CURLE_OPERATION_TIMEDOUT)
        set_error(a, MG_ERR_TIMEOUT, "its name was not resolved in time");
    else if (code == CURLE_COULDNT_CONNECT)
        judge_connect(call, a);
    else if (is_not_serving(code))
        a->result = MG_NET_UNREACHABLE;
    else
        set_error(a, MG_ERR_SYSTEM, a->text);
}

static void judge(const mg_net_call *call, CURLcode code, mg_net_answer *a)
{
    const bool whole_head = call->headers_end && call->status >= 200 && call->follow == NULL;
    a->hops = call->hops;
    a->url = mg_str_of(call->url);
    const bool answered = call->connect_only ? code == CURLE_OK : whole_head;
    if (!answered) {
        judge_failure(call, code != CURLE_OK ? code : CURLE_GOT_NOTHING, a);
        return;
    }
    a->result = MG_NET_ANSWERED;
    a->status = call->status;
    a->headers = mg_buf_str(&call->headers);
    a->content_type = header(call, "content-type");
    a->complete = code == CURLE_OK;
    if (!a->complete)
        a->text = call->enough                 ? "no more of it was wanted"
                  : call->curl_text[0] != '\0' ? call->curl_text
                                               : call->net->curl.easy_strerror(code);
    if (is_redirect(call->status)) {
        bool same_host;
        const mg_str location = header(call, "location");
        const char *to = location.len > 0 ? resolve(call, location, &same_host) : NULL;
        a->redirect = to != NULL ? mg_str_of(to) : location;
    }
}

/* --- Its life --- */

static void drop_easy(mg_net_call *call)
{
    const mg_curl_api *curl = &call->net->curl;
    if (call->easy != NULL) {
        (void)curl->multi_remove_handle(call->net->multi, call->easy);
        curl->easy_cleanup(call->easy);
    }
    call->easy = NULL;
}

static void leave(mg_net_call *call)
{
    if (call->link == NULL)
        return;
    *call->link = call->next;
    if (call->next != NULL)
        call->next->link = call->link;
    call->link = NULL;
    mg_timer_stop(call->deadline);
    call->deadline = NULL;
}

static void call_free(mg_net_call *call)
{
    leave(call);
    drop_easy(call);
    call->net->curl.slist_free_all(call->send);
    mg_arena_free(call->arena);
    free(call);
}

static void tell(mg_net_call *call, const mg_net_answer *answer)
{
    leave(call); /* mg_net_stop() from within the callback has nothing to do any more */
    call->request.ended(call->request.data, answer);
    call_free(call);
}

void mg_net_call_broken(mg_net_call *call, const char *why)
{
    mg_net_answer answer = {0};
    set_error(&answer, MG_ERR_SYSTEM, why);
    tell(call, &answer);
}

static mg_status ask(mg_net_call *call, mg_err *err);

void mg_net_call_done(mg_net_call *call, CURLcode code)
{
    mg_net_answer answer = {0};
    if (call->follow != NULL && code != CURLE_OPERATION_TIMEDOUT) {
        mg_err err = {0};
        call->url = call->follow;
        call->hops++;
        drop_easy(call);
        const mg_status s = ask(call, &err);
        if (s == MG_OK)
            return;
        set_error(&answer, s, err.text);
        tell(call, &answer);
        return;
    }
    judge(call, code, &answer);
    tell(call, &answer);
}

static void time_is_up(void *data)
{
    mg_net_call *call = data;
    mg_net_answer answer = {0};
    call->deadline = NULL;
    (void)snprintf(call->curl_text, sizeof call->curl_text, "%s",
                   call->headers_end ? "the time was up before the whole answer had come"
                   : call->asked     ? "the time was up before an answer came"
                                     : "the time was up");
    judge(call, CURLE_OPERATION_TIMEDOUT, &answer);
    tell(call, &answer);
}

/* --- The question --- */

#define SET(option, value) (void)curl->easy_setopt(call->easy, (option), (value))

static void set_rules(mg_net_call *call)
{
    const mg_curl_api *curl = &call->net->curl;
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_PROXY, ""); /* whatever the environment says */
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    /* A connection that is there was judged by another call's rules. */
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    /* Or stopping would wait for the resolver, which may take half a minute. */
    SET(CURLOPT_QUICK_EXIT, 1L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, call);
}

static void set_question(mg_net_call *call)
{
    const mg_curl_api *curl = &call->net->curl;
    const mg_net_request *r = &call->request;
    SET(CURLOPT_URL, call->url);
    SET(CURLOPT_PRIVATE, call);
    SET(CURLOPT_ERRORBUFFER, call->curl_text);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)MG_MIN(r->connect_timeout_ms, (uint64_t)INT32_MAX));
    SET(CURLOPT_USERAGENT, "makegood");
    SET(CURLOPT_HTTPHEADER, call->send);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, call);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, call);
    if (call->connect_only)
        SET(CURLOPT_CONNECT_ONLY, 1L);
    if (r->body.len > 0) {
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        SET(CURLOPT_POSTFIELDS, r->body.ptr);
    }
    if (r->method != NULL && strcmp(r->method, "HEAD") == 0)
        SET(CURLOPT_NOBODY, 1L);
    else if (r->method != NULL)
        SET(CURLOPT_CUSTOMREQUEST, r->method);
}

/* Sends the question for call->url. */
static mg_status ask(mg_net_call *call, mg_err *err)
{
    const mg_curl_api *curl = &call->net->curl;
    call->asked = call->denied = call->headers_end = false;
    call->own_error = 0;
    call->status = 0;
    call->follow = NULL;
    call->headers.len = 0;
    call->headers.cut = false;
    call->curl_text[0] = '\0';
    call->easy = curl->easy_init();
    if (call->easy == NULL)
        return mg_fail(err, MG_ERR_SYSTEM, "the network cannot be asked: libcurl gives no handle");
    set_rules(call);
    set_question(call);
    const CURLMcode code = curl->multi_add_handle(call->net->multi, call->easy);
    if (code != CURLM_OK)
        return mg_fail(err, MG_ERR_SYSTEM, "the network cannot be asked: %s",
                       curl->multi_strerror(code));
    return MG_OK;
}

/* tcp://host:port is asked as an HTTP address of which only the connection is made. */
static mg_status set_url(mg_net_call *call, const char *url, mg_err *err)
{
    const mg_curl_api *curl = &call->net->curl;
    const mg_str text = mg_str_of(url);
    call->connect_only = mg_str_starts(text, "tcp://");
    call->url = call->connect_only
                    ? mg_strf(call->arena, "http://" MG_FMT, MG_ARG(mg_str_from(text, 6))).ptr
                    : mg_str_cstr(call->arena, text);
    CURLU *parsed = curl->url();
    char *scheme = NULL, *port = NULL;
    CURLUcode code = CURLUE_OUT_OF_MEMORY;
    if (parsed != NULL)
        code = curl->url_set(parsed, CURLUPART_URL, call->url, CURLU_NON_SUPPORT_SCHEME);
    if (code == CURLUE_OK) {
        scheme = url_part(curl, parsed, CURLUPART_SCHEME);
        port = url_part(curl, parsed, CURLUPART_PORT);
    }
    const bool http =
        scheme != NULL && (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    const bool has_port = port != NULL;
    curl->free(scheme);
    curl->free(port);
    curl->url_cleanup(parsed);
    if (!http || (call->connect_only && !has_port))
        return mg_fail(err, MG_ERR_INVALID, "'%s' is not an address that can be asked; %s", url,
                       call->connect_only ? "a host and a port are expected"
                                          : "it begins with http:// or https://");
    return MG_OK;
}

static void copy_headers(mg_net_call *call)
{
    for (const char *const *h = call->request.headers; h != NULL && *h != NULL; h++) {
        struct curl_slist *longer = call->net->curl.slist_append(call->send, *h);
        if (longer == NULL)
            abort(); /* out of memory, as in the arena */
        call->send = longer;
    }
    call->request.headers = NULL;
}

mg_status mg_net_start(mg_net *net, const mg_net_request *request, mg_net_call **out, mg_err *err)
{
    mg_net_call *call = mg_net_block(sizeof *call);
    call->net = net;
    call->arena = mg_arena_new(NULL);
    call->request = *request;
    call->request.body = mg_str_copy(call->arena, request->body);
    if (request->method != NULL)
        call->request.method = mg_str_cstr(call->arena, mg_str_of(request->method));
    call->headers = mg_buf_new(call->arena, HEADERS_MAX);
    copy_headers(call);
    mg_status s = set_url(call, request->url, err);
    s = s == MG_OK ? ask(call, err) : s;
    if (s != MG_OK) {
        call_free(call);
        return s;
    }
    call->next = net->calls;
    call->link = &net->calls;
    if (call->next != NULL)
        call->next->link = &call->next;
    net->calls = call;
    if (request->timeout_ms > 0)
        call->deadline = mg_timer_start(net->loop, request->timeout_ms, time_is_up, call);
    *out = call;
    return MG_OK;
}

void mg_net_stop(mg_net_call *call)
{
    if (call != NULL && call->link != NULL)
        call_free(call);
}
