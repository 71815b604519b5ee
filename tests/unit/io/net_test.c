/* Real servers that answer well, badly and not at all. */
#include "io/net.h"
#include "io/server.h"
#include "test.h"

#include <fcntl.h>

typedef struct reply {
    mg_loop *loop;
    mg_net *net;
    mg_net_call *call;
    int ended;
    mg_net_answer answer; /* its texts copied */
    uint64_t bytes;
    mg_buf body;
    uint64_t enough; /* wants no more after this many bytes; 0: all */
    bool refuse;
    int judged;
    mg_arena *arena;
} reply;

static bool allow(void *data, const struct sockaddr *address, socklen_t length)
{
    reply *r = data;
    EXPECT(address->sa_family == AF_INET || address->sa_family == AF_INET6);
    EXPECT(length >= sizeof(struct sockaddr_in));
    r->judged++;
    return !r->refuse;
}

static bool on_body(void *data, mg_str bytes)
{
    reply *r = data;
    r->bytes += bytes.len;
    mg_buf_add(&r->body, bytes);
    return r->enough == 0 || r->bytes < r->enough;
}

static void on_ended(void *data, const mg_net_answer *a)
{
    reply *r = data;
    r->ended++;
    r->answer = *a;
    r->answer.headers = mg_str_copy(r->arena, a->headers);
    r->answer.redirect = mg_str_copy(r->arena, a->redirect);
    r->answer.content_type = mg_str_copy(r->arena, a->content_type);
    r->answer.text = a->text != NULL ? mg_str_cstr(r->arena, mg_str_of(a->text)) : NULL;
    mg_net_stop(r->call); /* harmless: it is ending */
}

static reply reply_new(test *t)
{
    reply r = {.arena = t->arena, .body = mg_buf_new(t->arena, 65536)};
    EXPECT_OK(mg_loop_open(&r.loop, &t->err));
    EXPECT_OK(mg_net_open(r.loop, &r.net, &t->err));
    return r;
}

static mg_net_request request_for(reply *r, const char *url)
{
    return (mg_net_request){.url = url,
                            .connect_timeout_ms = 2000 * test_slowness(),
                            .timeout_ms = 5000 * test_slowness(),
                            .redirects = 5,
                            .allow = allow,
                            .allow_data = r,
                            .body_piece = on_body,
                            .data = r,
                            .ended = on_ended};
}

static void finish(test *t, reply *r, const mg_net_request *request)
{
    EXPECT_OK(mg_net_start(r->net, request, &r->call, &t->err));
    EXPECT_EQ(0, r->ended);
    while (r->ended == 0)
        mg_loop_turn(r->loop);
    EXPECT_EQ(1, r->ended);
    mg_net_close(r->net);
    mg_loop_close(r->loop);
}

static const char *url(test *t, int port, const char *path)
{
    return mg_strf(t->arena, "http://127.0.0.1:%d%s", port, path).ptr;
}

static reply get(test *t, const char *path, uint64_t timeout_ms)
{
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, server_start(AF_INET), path));
    request.timeout_ms = timeout_ms;
    finish(t, &r, &request);
    return r;
}

static mg_str why(const reply *r)
{
    return mg_str_of(r->answer.text);
}

TEST(an_answer_has_a_status_headers_and_a_body)
{
    const reply r = get(t, "/ok", 5000);
    EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
    EXPECT_EQ(200, r.answer.status);
    EXPECT(r.answer.complete);
    EXPECT_STR("<h1>hello world</h1>", mg_buf_str(&r.body));
    EXPECT_STR("text/html; charset=utf-8", r.answer.content_type);
    EXPECT_CONTAINS(r.answer.headers, "X-Two: b");
    EXPECT_EQ(1, r.judged);
}

TEST(other_statuses_are_answers_too)
{
    EXPECT_EQ(404, get(t, "/missing", 5000).answer.status);
    const reply r = get(t, "/empty", 5000);
    EXPECT_EQ(204, r.answer.status);
    EXPECT(r.answer.complete);
}

TEST(methods_are_sent_as_asked)
{
    const int port = server_start(AF_INET);
    static const char *const methods[] = {"GET", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"};
    for (size_t i = 0; i < MG_COUNT(methods); i++) {
        reply r = reply_new(t);
        mg_net_request request = request_for(&r, url(t, port, "/method"));
        request.method = methods[i];
        finish(t, &r, &request);
        EXPECT_STR(methods[i], mg_buf_str(&r.body));
    }
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, port, "/ok"));
    request.method = "HEAD";
    finish(t, &r, &request);
    EXPECT_EQ(200, r.answer.status);
    EXPECT_EQ(0, r.bytes);
}

TEST(ipv6_works)
{
    reply r = reply_new(t);
    const int port = server_start(AF_INET6);
    const mg_net_request request =
        request_for(&r, mg_strf(t->arena, "http://[::1]:%d/ok", port).ptr);
    finish(t, &r, &request);
    EXPECT_EQ(200, r.answer.status);
}

TEST(a_refused_connection_is_unreachable)
{
    reply r = reply_new(t);
    const mg_net_request request = request_for(&r, url(t, server_closed_port(), "/"));
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_UNREACHABLE, r.answer.result);
    EXPECT_STR("Connection refused", why(&r));
}

TEST(servers_that_break_the_protocol_are_unreachable)
{
    static const char *const paths[] = {"/reset", "/close", "/garbage", "/onlyhints"};
    for (size_t i = 0; i < MG_COUNT(paths); i++) {
        const reply r = get(t, paths[i], 5000);
        EXPECT_EQ(MG_NET_UNREACHABLE, r.answer.result);
        EXPECT_EQ(0, r.answer.status);
        EXPECT(why(&r).len > 0);
    }
}

TEST(no_tls_where_tls_is_asked_for_is_unreachable)
{
    reply r = reply_new(t);
    const mg_net_request request =
        request_for(&r, mg_strf(t->arena, "https://127.0.0.1:%d/ok", server_start(AF_INET)).ptr);
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_UNREACHABLE, r.answer.result);
}

TEST(no_answer_in_time_is_a_timeout)
{
    const reply r = get(t, "/never", 300);
    EXPECT_EQ(MG_NET_TIMED_OUT, r.answer.result);
    EXPECT_EQ(0, r.answer.status);
}

TEST(a_connection_that_is_never_accepted_times_out)
{
    int port;
    const int listener = server_listen(AF_INET, &port);
    (void)listen(listener, 0);
    int filler[8]; /* fills the queue, so that the next one gets no reply at all */
    for (size_t i = 0; i < MG_COUNT(filler); i++) {
        struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(filler[i], (struct sockaddr *)&at, sizeof at);
    }
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, port, "/"));
    request.connect_timeout_ms = 300;
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_TIMED_OUT, r.answer.result);
}

TEST(a_body_that_does_not_come_to_its_end_is_an_incomplete_answer)
{
    static const char *const paths[] = {"/cut", "/badchunk"};
    for (size_t i = 0; i < MG_COUNT(paths); i++) {
        const reply r = get(t, paths[i], 5000);
        EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
        EXPECT_EQ(200, r.answer.status);
        EXPECT(!r.answer.complete);
        EXPECT(why(&r).len > 0);
    }
    const reply r = get(t, "/drip", 500);
    EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
    EXPECT(!r.answer.complete);
    EXPECT_CONTAINS(why(&r), "time was up");
}

TEST(a_flood_is_stopped_when_enough_has_come)
{
    reply r = reply_new(t);
    r.enough = 1000000;
    const mg_net_request request = request_for(&r, url(t, server_start(AF_INET), "/flood"));
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
    EXPECT(!r.answer.complete);
    EXPECT(r.bytes >= 1000000 && r.bytes < 2000000);
}

TEST(a_large_body_passes_through_whole)
{
    const reply r = get(t, "/large", 20000);
    EXPECT(r.answer.complete);
    EXPECT_EQ(256 * 65536 + 10, r.bytes);
    EXPECT(!mg_str_has(r.answer.headers, "X-Late")); /* a trailer is no header */
}

TEST(endless_headers_are_a_limit_of_ours)
{
    const reply r = get(t, "/headers", 5000);
    EXPECT_EQ(MG_NET_ERROR, r.answer.result);
    EXPECT_EQ(MG_ERR_LIMIT, r.answer.code);
}

TEST(headers_are_those_of_the_final_answer)
{
    const reply r = get(t, "/early", 5000);
    EXPECT_EQ(200, r.answer.status);
    EXPECT_CONTAINS(r.answer.headers, "X-Final");
    EXPECT(!mg_str_has(r.answer.headers, "X-Early"));
    EXPECT_STR("final", mg_buf_str(&r.body));
}

TEST(a_redirect_on_the_same_host_is_followed)
{
    const reply r = get(t, "/redirect", 5000);
    EXPECT_EQ(200, r.answer.status);
    EXPECT_STR("<h1>hello world</h1>", mg_buf_str(&r.body)); /* nothing of the redirect's own */
    EXPECT_EQ(0, r.answer.redirect.len);
    EXPECT_EQ(2, r.judged); /* each hop anew */
}

TEST(a_redirect_to_another_host_is_answered_as_it_is)
{
    const reply r = get(t, "/away", 5000);
    EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
    EXPECT_EQ(302, r.answer.status);
    EXPECT_CONTAINS(r.answer.redirect, "http://localhost:");
    EXPECT_EQ(1, r.judged);
    EXPECT_STR("http://169.254.169.254/latest", get(t, "/metadata", 5000).answer.redirect);
    EXPECT_STR("file:///etc/passwd", get(t, "/file", 5000).answer.redirect);
    EXPECT_EQ(302, get(t, "/bare", 5000).answer.status);
}

TEST(redirects_come_to_an_end)
{
    const reply r = get(t, "/round", 5000);
    EXPECT_EQ(301, r.answer.status);
    EXPECT_EQ(6, r.judged);
    EXPECT_CONTAINS(r.answer.redirect, "/round");
}

TEST(the_time_is_for_all_hops_together)
{
    const reply r = get(t, "/slowround", 400);
    EXPECT_EQ(MG_NET_TIMED_OUT, r.answer.result);
}

TEST(a_redirect_of_a_post_is_not_followed)
{
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, server_start(AF_INET), "/redirect"));
    request.method = "POST";
    finish(t, &r, &request);
    EXPECT_EQ(302, r.answer.status);
}

TEST(a_refused_address_is_never_asked)
{
    int port;
    const int listener = server_listen(AF_INET, &port);
    (void)fcntl(listener, F_SETFL, O_NONBLOCK);
    static const char *const hosts[] = {"127.0.0.1", "localhost", "127.1", "0x7f000001",
                                        "2130706433"};
    for (size_t i = 0; i < MG_COUNT(hosts); i++) {
        reply r = reply_new(t);
        r.refuse = true;
        const mg_net_request request =
            request_for(&r, mg_strf(t->arena, "http://%s:%d/", hosts[i], port).ptr);
        finish(t, &r, &request);
        EXPECT_EQ(MG_NET_ERROR, r.answer.result);
        EXPECT_EQ(MG_ERR_DENIED, r.answer.code);
        EXPECT_CONTAINS(why(&r), "probe: {allow: [\"");
        EXPECT(accept(listener, NULL, NULL) < 0);
    }
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, port, "/"));
    request.allow = NULL;
    finish(t, &r, &request);
    EXPECT_EQ(MG_ERR_DENIED, r.answer.code);
    EXPECT(accept(listener, NULL, NULL) < 0);
}

TEST(a_connection_is_not_reused_under_other_rules)
{
    const int port = server_start(AF_INET);
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, port, "/ok"));
    EXPECT_OK(mg_net_start(r.net, &request, &r.call, &t->err));
    while (r.ended == 0)
        mg_loop_turn(r.loop);
    EXPECT_EQ(200, r.answer.status);
    r.ended = 0;
    r.refuse = true;
    finish(t, &r, &request);
    EXPECT_EQ(MG_ERR_DENIED, r.answer.code);
}

TEST(a_name_that_does_not_resolve_could_not_be_asked)
{
    reply r = reply_new(t);
    const mg_net_request request = request_for(&r, "http://no-such-host.invalid/");
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_ERROR, r.answer.result);
    EXPECT(r.answer.code == MG_ERR_NOT_FOUND || r.answer.code == MG_ERR_TIMEOUT);
    EXPECT_EQ(0, r.judged);
}

TEST(proxies_of_the_environment_are_not_used)
{
    char proxy[64];
    (void)snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", server_closed_port());
    (void)setenv("http_proxy", proxy, 1);
    (void)setenv("ALL_PROXY", proxy, 1);
    EXPECT_EQ(200, get(t, "/ok", 5000).answer.status);
}

TEST(a_tcp_connection_is_only_made)
{
    int port;
    const int listener = server_listen(AF_INET, &port);
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, mg_strf(t->arena, "tcp://127.0.0.1:%d", port).ptr);
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_ANSWERED, r.answer.result);
    const int fd = accept(listener, NULL, NULL);
    char c;
    EXPECT(fd >= 0 && read(fd, &c, 1) == 0); /* nothing was said, and it is closed */
    r = reply_new(t);
    request = request_for(&r, mg_strf(t->arena, "tcp://127.0.0.1:%d", server_closed_port()).ptr);
    finish(t, &r, &request);
    EXPECT_EQ(MG_NET_UNREACHABLE, r.answer.result);
}

TEST(what_is_no_address_is_refused_at_once)
{
    static const char *const bad[] = {"",           "ftp://x/",   "file:///etc/passwd",
                                      "http://",    "tcp://host", "gopher://127.0.0.1:1/",
                                      "http://a b/"};
    reply r = reply_new(t);
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        const mg_net_request request = request_for(&r, bad[i]);
        EXPECT_EQ(MG_ERR_INVALID, mg_net_start(r.net, &request, &r.call, &t->err));
    }
    mg_loop_close(r.loop); /* closes the net as well */
}

TEST(stopping_calls_nobody)
{
    reply r = reply_new(t);
    mg_net_request request = request_for(&r, url(t, server_start(AF_INET), "/never"));
    request.timeout_ms = request.connect_timeout_ms = 50000; /* it must not end by itself */
    EXPECT_OK(mg_net_start(r.net, &request, &r.call, &t->err));
    for (int i = 0; i < 3; i++) /* under way, and not yet waiting for what never comes */
        mg_loop_turn(r.loop);
    mg_net_stop(r.call);
    mg_net_stop(NULL);
    EXPECT_OK(mg_net_start(r.net, &request, &r.call, &t->err)); /* this one ends with the loop */
    mg_loop_close(r.loop);
    EXPECT_EQ(0, r.ended);
}

static void stop_the_other(void *data, const mg_net_answer *a)
{
    reply *r = data;
    (void)a;
    r->ended++;
    mg_net_stop(r->call);
    r->call = NULL;
}

TEST(one_answer_may_stop_another_call)
{
    const int port = server_start(AF_INET);
    reply r = reply_new(t), other = {.arena = t->arena, .body = mg_buf_new(t->arena, 64)};
    mg_net_request slow = request_for(&other, url(t, port, "/never"));
    mg_net_request fast = request_for(&r, url(t, port, "/ok"));
    mg_net_call *fast_call;
    fast.ended = stop_the_other;
    EXPECT_OK(mg_net_start(r.net, &slow, &r.call, &t->err));
    EXPECT_OK(mg_net_start(r.net, &fast, &fast_call, &t->err));
    while (r.ended == 0)
        mg_loop_turn(r.loop);
    mg_loop_turn(r.loop);
    EXPECT_EQ(0, other.ended);
    mg_loop_close(r.loop);
}

TEST(many_calls_run_side_by_side)
{
    static reply all[50];
    const int port = server_start(AF_INET);
    reply r = reply_new(t);
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        all[i] = (reply){.arena = t->arena, .body = mg_buf_new(t->arena, 256)};
        const mg_net_request request =
            request_for(&all[i], url(t, port, i % 2 != 0 ? "/ok" : "/redirect"));
        EXPECT_OK(mg_net_start(r.net, &request, &all[i].call, &t->err));
    }
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        while (all[i].ended == 0)
            mg_loop_turn(r.loop);
        EXPECT_EQ(200, all[i].answer.status);
    }
    mg_loop_close(r.loop);
}

TEST(the_version_is_known)
{
    EXPECT_CONTAINS(mg_str_of(mg_net_version()), "libcurl/");
}
