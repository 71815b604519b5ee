/* socket_open against real sockets. */
#include "check/ask_goal.h"
#include "io/server.h"

#include <fcntl.h>
#include <sys/un.h>

/* A Unix socket at path beneath t->dir, which may be longer than an address. */
static int unix_listen(test *t, const char *path, int type)
{
    const char *slash = strrchr(path, '/');
    const char *dir =
        slash != NULL ? mg_str_cstr(t->arena, (mg_str){path, (size_t)(slash - path)}) : ".";
    const int dir_fd = openat(t->dir_fd, dir, O_PATH | O_CLOEXEC);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    (void)snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", dir_fd,
                   slash != NULL ? slash + 1 : path);
    const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    EXPECT_EQ(0, bind(fd, (struct sockaddr *)&at, sizeof at));
    if (type != SOCK_DGRAM)
        EXPECT_EQ(0, listen(fd, 0));
    (void)close(dir_fd);
    return fd;
}

static mg_result ask_port(test *t, const char *format, int port)
{
    mg_buf entry = mg_buf_new(t->arena, 512);
    mg_str rest = mg_str_of(format), part;
    bool first = true;
    while (mg_str_split(&rest, '@', &part)) { /* @ stands for the port */
        if (!first)
            mg_buf_addf(&entry, "%d", port);
        mg_buf_add(&entry, part);
        first = false;
    }
    return ask_entry(t, mg_str_cstr(t->arena, mg_buf_str(&entry)));
}

TEST(a_tcp_port_that_listens_passes)
{
    int port;
    (void)server_listen(AF_INET, &port);
    EXPECT_ASK(MG_OUTCOME_PASS, "took a connection",
               ask_port(t, "{socket_open: '127.0.0.1:@'}", port));
    EXPECT_ASK(MG_OUTCOME_PASS, "took", ask_port(t, "{socket_open: 'localhost:@'}", port));
    EXPECT_ASK(MG_OUTCOME_PASS, "took",
               ask_port(t, "{socket_open: {host: 127.0.0.1, port: @}}", port));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer",
               ask_port(t, "{socket_open: '127.0.0.1:@'}", server_closed_port()));
}

TEST(ipv6_is_written_in_brackets_or_bare)
{
    int port;
    (void)server_listen(AF_INET6, &port);
    EXPECT_ASK(MG_OUTCOME_PASS, "took", ask_port(t, "{socket_open: '[::1]:@'}", port));
    EXPECT_ASK(MG_OUTCOME_PASS, "took", ask_port(t, "{socket_open: {host: '::1', port: @}}", port));
    EXPECT_ASK(MG_OUTCOME_PASS, "took",
               ask_port(t, "{socket_open: {host: '[::1]', port: @}}", port));
}

TEST(a_unix_socket_that_listens_passes)
{
    test_mkdir(t, "run");
    (void)unix_listen(t, "run/a.sock", SOCK_STREAM);
    (void)unix_listen(t, "packets", SOCK_SEQPACKET);
    (void)unix_listen(t, "datagrams", SOCK_DGRAM);
    EXPECT_ASK(MG_OUTCOME_PASS, "took", ask_entry(t, "{socket_open: {path: run/a.sock}}"));
    EXPECT_ASK(MG_OUTCOME_PASS, "took",
               ask_entry(t, mg_strf(t->arena, "{socket_open: {path: %s/packets}}", t->dir).ptr));
    EXPECT_ASK(MG_OUTCOME_PASS, "took", ask_entry(t, "{socket_open: {path: datagrams}}"));
}

TEST(a_path_longer_than_an_address_works)
{
    char path[300];
    (void)snprintf(path, sizeof path, "%0*d/%0*d/s", 120, 0, 120, 1);
    test_mkdir(t, mg_str_cstr(t->arena, mg_str_first(mg_str_of(path), 241)));
    (void)unix_listen(t, path, SOCK_STREAM);
    EXPECT_ASK(MG_OUTCOME_PASS, "took",
               ask_entry(t, mg_strf(t->arena, "{socket_open: {path: '%s'}}", path).ptr));
}

TEST(a_unix_socket_that_was_left_behind_fails)
{
    (void)close(unix_listen(t, "dead.sock", SOCK_STREAM));
    EXPECT_ASK(MG_OUTCOME_FAIL, "nobody listens", ask_entry(t, "{socket_open: {path: dead.sock}}"));
    EXPECT(!ask_entry(t, "{socket_open: {path: dead.sock}}").no_answer);
    EXPECT(!ask_entry(t, "{socket_open: {path: none.sock}}").no_answer);
    EXPECT(!ask_port(t, "{socket_open: '127.0.0.1:@'}", server_closed_port()).no_answer);
}

TEST(a_unix_socket_whose_queue_stays_full_fails_in_time)
{
    (void)unix_listen(t, "full.sock", SOCK_STREAM);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/full.sock", t->dir);
    for (int i = 0; i < 4; i++) {
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(fd, (struct sockaddr *)&at, sizeof at);
    }
    const mg_result full = ask_entry(t, "{socket_open: {path: full.sock, timeout: 200ms}}");
    EXPECT_ASK(MG_OUTCOME_FAIL, "queue", full);
    EXPECT(full.no_answer);
    /* The deadline in the middle of the waiting. */
    const mg_report r = ask_goal(t,
                                 "check: {deadline: 200ms}\n"
                                 "assert: [{socket_open: {path: full.sock, timeout: 20s}}]",
                                 &mg_limits_default);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[0].outcome);
}

TEST(a_socket_that_may_not_be_opened_is_unknown)
{
    EXPECT_EQ(0, fchmod(t->dir_fd, 0755)); /* beneath it somebody else looks now */
    test_mkdir(t, "closed");
    (void)unix_listen(t, "closed/a.sock", SOCK_STREAM);
    EXPECT_EQ(0, fchmodat(t->dir_fd, "closed", 0, 0));
    if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
        test_skip("root may open everything");
    const mg_result r = ask_entry(t, "{socket_open: {path: closed/a.sock}}");
    const int opened = fchmodat(t->dir_fd, "closed", 0755, 0); /* so that it can be removed */
    EXPECT(opened == 0 || geteuid() == 65534);
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "ermission", r);
}
