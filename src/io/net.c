/* net.c - libcurl's multi handle turned by our loop: its sockets are watches, its clock is a
 * timer.
 *
 * The multi handle knows every transfer; what one transfer is allowed and what its end means
 * is in net_call.c. libcurl must not be entered from its own callbacks, so those only take
 * notes; messages are read, and the users' callbacks called, after it has returned.
 */
#include "io/net_call.h"

typedef struct net_socket {
    mg_net *net;
    curl_socket_t fd;
    int events; /* what the watch waits for */
    mg_watch *watch;
    struct net_socket *next, **link;
} net_socket;

static void take_messages(mg_net *net)
{
    CURLMsg *message;
    int left;
    while ((message = net->curl.multi_info_read(net->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        const CURLcode code = message->data.result;
        void *call = NULL;
        (void)net->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
        mg_net_call_done(call, code);
    }
}

/* Lets libcurl work; a failure of the multi handle itself is a failure of every call. */
static void act(mg_net *net, curl_socket_t fd, int ready)
{
    int running;
    const CURLMcode code = net->curl.multi_socket_action(net->multi, fd, ready, &running);
    take_messages(net);
    while (code != CURLM_OK && net->calls != NULL)
        mg_net_call_broken(net->calls, net->curl.multi_strerror(code));
}

static void socket_ready(void *data, int ready)
{
    const net_socket *s = data;
    act(s->net, s->fd,
        ((ready & MG_READABLE) != 0 ? CURL_CSELECT_IN : 0) |
            ((ready & MG_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0));
}

static void socket_free(net_socket *s)
{
    mg_watch_stop(s->watch);
    *s->link = s->next;
    if (s->next != NULL)
        s->next->link = s->link;
    free(s);
}

static net_socket *socket_new(mg_net *net, curl_socket_t fd)
{
    net_socket *s = mg_net_block(sizeof *s);
    *s = (net_socket){.net = net, .fd = fd, .next = net->sockets, .link = &net->sockets};
    if (s->next != NULL)
        s->next->link = &s->next;
    net->sockets = s;
    return s;
}

/* CURLMOPT_SOCKETFUNCTION: what libcurl wants to wait for from now on. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *known)
{
    (void)easy;
    mg_net *net = user;
    net_socket *s = known;
    if (what == CURL_POLL_REMOVE) {
        if (s != NULL)
            socket_free(s);
        return 0;
    }
    if (s == NULL)
        s = socket_new(net, fd);
    const int events = ((what & CURL_POLL_IN) != 0 ? MG_READABLE : 0) |
                       ((what & CURL_POLL_OUT) != 0 ? MG_WRITABLE : 0);
    if (s->watch != NULL && s->events == events)
        return 0;
    mg_watch_stop(s->watch);
    s->events = events;
    s->watch = mg_watch_start(net->loop, fd, events, socket_ready, s, NULL);
    (void)net->curl.multi_assign(net->multi, fd, s);
    return s->watch != NULL ? 0 : -1; /* -1: libcurl ends everything, see act() */
}

static void timer_fired(void *data)
{
    mg_net *net = data;
    net->timer = NULL;
    act(net, CURL_SOCKET_TIMEOUT, 0);
}

/* CURLMOPT_TIMERFUNCTION */
static int on_timer(CURLM *multi, long ms, void *user)
{
    (void)multi;
    mg_net *net = user;
    mg_timer_stop(net->timer);
    net->timer = ms < 0 ? NULL : mg_timer_start(net->loop, (uint64_t)ms, timer_fired, net);
    return 0;
}

static void evict(void *net)
{
    mg_net_close(net);
}

mg_status mg_net_open(mg_loop *loop, mg_net **out, mg_err *err)
{
    mg_curl_api curl;
    MG_TRY(mg_curl_open(&curl, err));
    CURLM *multi = curl.multi_init();
    if (multi == NULL)
        return mg_fail(err, MG_ERR_SYSTEM, "the network cannot be asked: libcurl gives no handle");
    mg_net *net = mg_net_block(sizeof *net);
    *net = (mg_net){.loop = loop, .curl = curl, .multi = multi};
    net->tenant = (mg_tenant){.evict = evict, .data = net};
    mg_loop_join(loop, &net->tenant);
    (void)curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    (void)curl.multi_setopt(multi, CURLMOPT_SOCKETDATA, net);
    (void)curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    (void)curl.multi_setopt(multi, CURLMOPT_TIMERDATA, net);
    (void)curl.multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    *out = net;
    return MG_OK;
}

void mg_net_close(mg_net *net)
{
    if (net == NULL)
        return;
    mg_loop_leave(&net->tenant);
    while (net->calls != NULL)
        mg_net_stop(net->calls);
    (void)net->curl.multi_cleanup(net->multi);
    while (net->sockets != NULL)
        socket_free(net->sockets); /* NOLINT: it takes itself off the list */
    mg_timer_stop(net->timer);
    free(net);
}

const char *mg_net_version(void)
{
    mg_curl_api curl;
    return mg_curl_open(&curl, NULL) == MG_OK ? curl.version() : NULL;
}
