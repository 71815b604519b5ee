/* socket_open - holds when something takes connections: at a TCP port, or at a Unix socket.
 *
 * A Unix socket is an address, so its path may be absolute; a relative one is beneath the
 * root. It is opened as a path first and connected to through /proc/self/fd: so what is
 * looked at and what is asked are the same thing, however long its path is.
 */
#include "check/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

static const mg_param params[] = {
    {"host", MG_PARAM_TEXT, .help = "a name or an address; host:port and [::1]:80 too"},
    {"port", MG_PARAM_INT, .min = 1, .max = 65535, .help = "the TCP port"},
    {"path", MG_PARAM_TEXT, .help = "a Unix socket instead; absolute, or beneath the root"},
    {"timeout", MG_PARAM_DURATION, .fallback = "5s", .help = "for the connection"},
    {0},
};

enum { TRY_EVERY_MS = 20 };

/* --- What the fields say --- */

typedef struct target {
    mg_str host; /* without brackets */
    int64_t port;
} target;

static mg_status bad_host(mg_str text, mg_err *err)
{
    return mg_fail(err, MG_ERR_INVALID,
                   "'" MG_FMT
                   "' is not a host with a port; write host:port, [::1]:80, or {host: ..., "
                   "port: ...}",
                   MG_ARG(mg_str_first(text, 200)));
}

static bool host_chars(mg_str host)
{
    for (size_t i = 0; i < host.len; i++)
        if ((unsigned char)host.ptr[i] <= ' ' || strchr("/?#@[]\\\"'", host.ptr[i]) != NULL)
            return false;
    return host.len > 0;
}

/* Splits "[::1]:80", "name:80", and with a port of its own "::1", "[::1]", "name". */
static mg_status read_target(const mg_args *args, target *out, mg_err *err)
{
    const mg_str text = mg_arg_text(args, "host");
    mg_str rest = {0};
    if (mg_str_starts(text, "[")) {
        const size_t end = mg_str_find(text, ']', 0);
        out->host = (mg_str){text.ptr + 1, end - 1};
        rest = mg_str_from(text, end + 1);
        if (end == text.len)
            return bad_host(text, err);
    } else {
        const size_t colon = mg_str_find(text, ':', 0);
        const bool many = mg_str_find(text, ':', colon + 1) < text.len; /* an IPv6 address */
        out->host = many ? text : mg_str_first(text, colon);
        rest = many ? (mg_str){0} : mg_str_from(text, colon);
    }
    if (!host_chars(out->host))
        return bad_host(text, err);
    if (mg_arg_set(args, "port")) {
        out->port = mg_arg_int(args, "port");
        if (rest.len > 0)
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' has a port, and 'port' is given as well", MG_ARG(text));
        return MG_OK;
    }
    if (rest.len < 2 || rest.ptr[0] != ':' ||
        mg_parse_int(mg_str_from(rest, 1), &out->port, NULL) != MG_OK || out->port < 1 ||
        out->port > 65535)
        return bad_host(text, err);
    return MG_OK;
}

/* A relative path that goes up further than down can only lead outside. */
static mg_status path_stays(mg_str path, mg_err *err)
{
    int depth = mg_str_starts(path, "/") ? INT16_MAX : 0;
    mg_str rest = path, part;
    while (mg_str_split(&rest, '/', &part)) {
        if (mg_str_is(part, ".."))
            depth--;
        else if (part.len > 0 && !mg_str_is(part, "."))
            depth++;
        if (depth < 0)
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' leads outside the root; a Unix socket elsewhere is named "
                           "by its absolute path",
                           MG_ARG(mg_str_first(path, 200)));
    }
    return MG_OK;
}

static mg_status validate(const mg_args *args, mg_err *err)
{
    const bool host = mg_arg_set(args, "host"), path = mg_arg_set(args, "path");
    target ignored;
    MG_TRY(mg_probe_timeout_valid(args, err));
    if (host == path)
        return mg_fail(err, MG_ERR_INVALID, "either 'host' or 'path' is needed%s",
                       host ? ", not both" : "");
    if (host)
        return read_target(args, &ignored, err);
    if (mg_arg_set(args, "port"))
        return mg_fail(err, MG_ERR_INVALID, "a Unix socket has no port; leave 'port' out");
    if (mg_arg_text(args, "path").len == 0)
        return mg_fail(err, MG_ERR_INVALID, "'path' is empty");
    return path_stays(mg_arg_text(args, "path"), err);
}

/* --- The question --- */

typedef struct query {
    mg_ask *ask;
    mg_str name; /* as it is called in sentences */
    uint64_t timeout_ms, waited_ms;
    mg_loop *loop;
    mg_net_call *call;
    mg_timer *timer; /* until the next try of a Unix socket */
    int path_fd;
    bool no_answer; /* neither a connection nor a refusal was seen */
    bool timed_out;
} query;

static mg_str expectation(const query *x)
{
    return mg_strf(x->ask->arena, MG_FMT " takes connections", MG_ARG(x->name));
}

static void release(query *x)
{
    x->ask->stop = NULL;
    mg_timer_stop(x->timer);
    if (x->path_fd >= 0)
        (void)close(x->path_fd);
    x->path_fd = -1;
}

static void answer(query *x, mg_outcome outcome, mg_str observed)
{
    mg_result result = mg_result_make(outcome, expectation(x), observed);
    result.no_answer = outcome == MG_OUTCOME_FAIL && x->no_answer;
    result.timed_out = x->timed_out;
    release(x);
    mg_ask_answer(x->ask, &result);
}

static void answer_error(query *x, mg_status code, const char *text)
{
    const char *kept =
        mg_str_cstr(x->ask->arena, mg_text_line(x->ask->arena, mg_str_of(text), 800));
    release(x);
    mg_ask_error(x->ask, code, kept);
}

static void stop(mg_ask *ask)
{
    query *x = ask->state;
    mg_net_stop(x->call);
    release(x);
}

/* --- TCP --- */

static void on_ended(void *data, const mg_net_answer *a)
{
    query *x = data;
    x->call = NULL;
    x->no_answer = !a->refused;
    x->timed_out = a->result == MG_NET_TIMED_OUT;
    if (a->result == MG_NET_ANSWERED)
        answer(x, MG_OUTCOME_PASS, MG_STR("it took a connection"));
    else if (a->result == MG_NET_ERROR)
        answer_error(x, a->code, a->text);
    else
        answer(x, MG_OUTCOME_FAIL, mg_probe_failure(x->ask->arena, a, x->timeout_ms));
}

static mg_status start_tcp(query *x, const mg_view *view, const mg_args *args, mg_err *err)
{
    target to;
    mg_net *net;
    MG_TRY(read_target(args, &to, err));
    MG_TRY(mg_ask_net(x->ask, &net, err));
    const bool brackets = mg_str_find(to.host, ':', 0) < to.host.len;
    x->name = mg_strf(x->ask->arena, "%s" MG_FMT "%s:%" PRId64, brackets ? "[" : "",
                      MG_ARG(to.host), brackets ? "]" : "", to.port);
    const mg_net_request request = {
        .url = mg_strf(x->ask->arena, "tcp://" MG_FMT, MG_ARG(x->name)).ptr,
        .connect_timeout_ms = x->timeout_ms,
        .timeout_ms = x->timeout_ms,
        .allow = mg_probe_allow,
        .allow_data = (void *)(uintptr_t)view->world,
        .data = x,
        .ended = on_ended,
    };
    return mg_net_start(net, &request, &x->call, err);
}

/* --- Unix --- */

/* connect(2) to it; 0 or the errno. A datagram socket takes no stream, but is there. */
static int connect_unix(int path_fd)
{
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    (void)snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d", path_fd);
    int error = EPROTOTYPE;
    for (size_t i = 0; i < MG_COUNT(types) && error == EPROTOTYPE; i++) {
        MG_AUTO_FD fd = socket(AF_UNIX, types[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            return errno;
        error = connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
    }
    return error;
}

static void try_unix(void *data)
{
    query *x = data;
    x->timer = NULL;
    const int error = connect_unix(x->path_fd);
    if (error == 0) {
        answer(x, MG_OUTCOME_PASS, MG_STR("it took a connection"));
    } else if (error == EAGAIN && x->waited_ms < x->timeout_ms) { /* its queue is full */
        const uint64_t pause = MG_MIN((uint64_t)TRY_EVERY_MS, x->timeout_ms - x->waited_ms);
        x->waited_ms += pause;
        x->timer = mg_timer_start(x->loop, pause, try_unix, x);
    } else if (error == EAGAIN) {
        x->no_answer = true;
        answer(x, MG_OUTCOME_FAIL,
               MG_STR("its queue of connections stayed full; nobody accepts them"));
    } else if (error == ECONNREFUSED) {
        answer(x, MG_OUTCOME_FAIL, MG_STR("connection refused: nobody listens there any more"));
    } else {
        errno = error;
        mg_err err = {0};
        const mg_status s = mg_fail_errno(&err, MG_FMT " cannot be connected to", MG_ARG(x->name));
        answer_error(x, s, err.text);
    }
}

static mg_status start_unix(query *x, const mg_view *view, const mg_args *args, mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    struct stat st;
    MG_TRY(mg_ask_loop(x->ask, &x->loop, err));
    x->name = mg_strf(x->ask->arena, "'" MG_FMT "'", MG_ARG(path));
    x->path_fd = mg_str_starts(path, "/")
                     ? open(mg_str_cstr(x->ask->arena, path), O_PATH | O_CLOEXEC)
                     : mg_open_beneath(view->world->root, path, O_PATH);
    if (x->path_fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        answer(x, MG_OUTCOME_FAIL,
               mg_strf(x->ask->arena, MG_FMT " does not exist", MG_ARG(x->name)));
        return MG_OK;
    }
    if (x->path_fd < 0 || fstat(x->path_fd, &st) < 0)
        return mg_fail_errno(err, MG_FMT, MG_ARG(x->name));
    if (!S_ISSOCK(st.st_mode)) {
        answer(x, MG_OUTCOME_FAIL,
               mg_strf(x->ask->arena, MG_FMT " is %s, not a socket", MG_ARG(x->name),
                       mg_file_type(st.st_mode)));
        return MG_OK;
    }
    x->timer = mg_timer_start(x->loop, 0, try_unix, x);
    return MG_OK;
}

static mg_status start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    query *x = mg_new(ask->arena, query);
    *x = (query){.ask = ask, .path_fd = -1, .timeout_ms = mg_arg_amount(args, "timeout")};
    ask->state = x;
    ask->stop = stop;
    const mg_status s =
        mg_arg_set(args, "host") ? start_tcp(x, view, args, err) : start_unix(x, view, args, err);
    if (s != MG_OK)
        release(x);
    return s;
}

const mg_check_kind mg_check_socket_open = {
    .name = "socket_open",
    .summary = "a TCP port or a Unix socket takes connections",
    .example = "socket_open: '127.0.0.1:5432'",
    .params = params,
    .validate = validate,
    .start = start,
};
