/* server.h - a small HTTP server on loopback whose answers go wrong in every way.
 *
 * It runs in processes of its own, one per connection, which end with the test.
 */
#ifndef MG_TESTS_IO_SERVER_H
#define MG_TESTS_IO_SERVER_H

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static inline void server_write(int fd, mg_str bytes)
{
    if (mg_fd_write_all(fd, bytes, NULL) != MG_OK)
        _exit(0); /* whoever asked has gone */
}

static inline void server_say(int fd, const char *text)
{
    server_write(fd, mg_str_of(text));
}

static inline void server_page(int fd, const char *status, const char *more, const char *body)
{
    char head[2048];
    (void)snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n", status,
                   strlen(body), more);
    server_say(fd, head);
    server_say(fd, body);
}

static inline void server_flood(int fd, const char *head, const char *piece)
{
    static char many[65536];
    const size_t len = strlen(piece);
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = piece[i % len];
    const mg_str whole = {many, sizeof many / len * len};
    server_say(fd, head);
    for (;;)
        server_write(fd, whole);
}

static inline void server_chunks(int fd, size_t count)
{
    static char zeros[65536];
    server_say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (size_t i = 0; i < count; i++) {
        server_say(fd, "10000\r\n");
        server_write(fd, (mg_str){zeros, sizeof zeros});
        server_say(fd, "\r\n");
    }
    server_say(fd, "a\r\nneedle end\r\n0\r\nX-Late: yes\r\n\r\n");
}

static inline void server_drip(int fd)
{
    server_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    for (int i = 0; i < 600; i++) {
        server_say(fd, "drip ");
        (void)usleep(100000);
    }
}

static inline void server_answer(int fd, const char *method, const char *path, int port)
{
    char more[512];
    if (strcmp(path, "/ok") == 0) {
        server_page(fd, "200 OK",
                    "Content-Type: text/html; charset=utf-8\r\nX-Two: a\r\nX-Two: b\r\n",
                    strcmp(method, "HEAD") == 0 ? "" : "<h1>hello world</h1>");
    } else if (strcmp(path, "/method") == 0) {
        server_page(fd, "200 OK", "", method);
    } else if (strcmp(path, "/json") == 0) {
        server_page(fd, "200 OK", "Content-Type: application/json\r\n",
                    "{\"status\":\"ok\",\"items\":[{\"n\":1},{\"n\":2.5}],\"none\":null}");
    } else if (strcmp(path, "/missing") == 0) {
        server_page(fd, "404 Not Found", "", "there is \x1b[31mnothing here");
    } else if (strcmp(path, "/empty") == 0) {
        server_say(fd, "HTTP/1.1 204 No Content\r\n\r\n");
    } else if (strcmp(path, "/never") == 0) {
        (void)sleep(60);
    } else if (strcmp(path, "/drip") == 0) {
        server_drip(fd);
    } else if (strcmp(path, "/flood") == 0) {
        server_flood(fd, "HTTP/1.1 200 OK\r\n\r\n", "abcdefgh");
    } else if (strcmp(path, "/headers") == 0) {
        server_flood(fd, "HTTP/1.1 200 OK\r\n", "X-Filler: 0123456789\r\n");
    } else if (strcmp(path, "/large") == 0) {
        server_chunks(fd, 256); /* 16 MiB, the needle at its end */
    } else if (strcmp(path, "/cut") == 0) {
        server_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this");
    } else if (strcmp(path, "/badchunk") == 0) {
        server_say(fd,
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzzz\r\n");
    } else if (strcmp(path, "/garbage") == 0) {
        server_say(fd, "what do you want?\r\n\r\n");
    } else if (strcmp(path, "/early") == 0) {
        server_say(fd, "HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n");
        server_page(fd, "200 OK", "X-Final: yes\r\n", "final");
    } else if (strcmp(path, "/onlyhints") == 0) {
        server_say(fd, "HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n");
    } else if (strcmp(path, "/redirect") == 0) {
        server_page(fd, "302 Found", "Location: /ok\r\n", "go there");
    } else if (strcmp(path, "/headonly") == 0) { /* and then nothing for a long time */
        server_say(fd, "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 100\r\n\r\n");
        (void)sleep(60);
    } else if (strcmp(path, "/longjson") == 0) { /* its beginning is JSON, too */
        static char blanks[200000];
        memset(blanks, ' ', sizeof blanks - 1);
        memcpy(blanks, "{\"a\": 1}", 8);
        blanks[sizeof blanks - 2] = 'x';
        server_page(fd, "200 OK", "", blanks);
    } else if (strcmp(path, "/bare") == 0) {
        server_page(fd, "302 Found", "", "nowhere");
    } else if (strcmp(path, "/round") == 0) {
        server_page(fd, "301 Moved", "Location: /round\r\n", "");
    } else if (strcmp(path, "/slowround") == 0) {
        server_say(fd, "HTTP/1.1 302 Found\r\nLocation: /never\r\nContent-Length: 5\r\n\r\n");
        (void)sleep(60);
    } else if (strcmp(path, "/away") == 0) {
        (void)snprintf(more, sizeof more, "Location: http://localhost:%d/ok\r\n", port);
        server_page(fd, "302 Found", more, "");
    } else if (strcmp(path, "/metadata") == 0) {
        server_page(fd, "302 Found", "Location: http://169.254.169.254/latest\r\n", "");
    } else if (strcmp(path, "/file") == 0) {
        server_page(fd, "302 Found", "Location: file:///etc/passwd\r\n", "");
    } else if (strcmp(path, "/reset") == 0) {
        const struct linger hard = {.l_onoff = 1};
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    } /* anything else: closed without a word */
}

static inline void server_connection(int fd, int port)
{
    char request[8192], method[16] = "", path[1024] = "";
    size_t len = 0;
    request[0] = '\0';
    while (strstr(request, "\r\n\r\n") == NULL && len < sizeof request - 1) {
        const ssize_t n = mg_fd_read(fd, request + len, sizeof request - 1 - len);
        if (n <= 0)
            _exit(0);
        len += (size_t)n;
        request[len] = '\0';
        if (request[0] == 0x16) { /* TLS: as a plain server answers it */
            server_page(fd, "400 Bad Request", "", "");
            _exit(0);
        }
    }
    if (sscanf(request, "%15s %1023s", method, path) == 2)
        server_answer(fd, method, path, port);
    _exit(0);
}

/* A listening socket on loopback; *port is the one it got. */
static inline int server_listen(int family, int *port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at = {0};
    socklen_t len = family == AF_INET6 ? sizeof at.v6 : sizeof at.v4;
    at.any.sa_family = (sa_family_t)family;
    if (family == AF_INET6)
        at.v6.sin6_addr = in6addr_loopback;
    else
        at.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, &at.any, len) < 0 || listen(fd, 64) < 0 ||
        getsockname(fd, &at.any, &len) < 0) {
        if (family == AF_INET6)
            test_skip("there is no IPv6 here");
        test_fail(__FILE__, __LINE__, "a socket on loopback was refused");
    }
    *port = ntohs(family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
    return fd;
}

/* Starts the server; returns its port. */
static inline int server_start(int family)
{
    int port;
    const int listener = server_listen(family, &port);
    if (fork() == 0) {
        (void)signal(SIGCHLD, SIG_IGN);
        (void)signal(SIGPIPE, SIG_IGN);
        for (;;) {
            const int fd = accept(listener, NULL, NULL);
            if (fd >= 0 && fork() == 0)
                server_connection(fd, port);
            (void)close(fd);
        }
    }
    (void)close(listener);
    return port;
}

/* A port at which nobody listens. */
static inline int server_closed_port(void)
{
    int port;
    (void)close(server_listen(AF_INET, &port));
    return port;
}

#endif
