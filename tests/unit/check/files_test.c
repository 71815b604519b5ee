/* Files that are large, change while they are read, or are not what they seem. */
#include "check/ask_goal.h"

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

/* A file of `size` bytes, sparse, with text at its end. */
static void sparse(test *t, const char *name, off_t size, const char *end)
{
    MG_AUTO_FD fd = openat(t->dir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    EXPECT_EQ(0, ftruncate(fd, size));
    EXPECT_EQ((ssize_t)strlen(end), pwrite(fd, end, strlen(end), size - (off_t)strlen(end)));
}

static long peak_kb(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(a_file_of_1_GB_is_read_whole_in_little_memory)
{
    sparse(t, "huge", (off_t)1 << 30, "needle42\n");
    const long before = peak_kb();
    EXPECT_EQ(MG_OUTCOME_PASS,
              ask_entry(t, "{file_contains: {path: huge, pattern: 'needle\\d+$'}}").outcome);
    EXPECT_EQ(MG_OUTCOME_FAIL,
              ask_entry(t, "{file_not_contains: {path: huge, pattern: 'needle\\d+$'}}").outcome);
    EXPECT(peak_kb() - before < 20 * 1024);
}

TEST(a_match_that_would_need_too_much_at_once_is_unknown_not_absent)
{
    mg_limits small = mg_limits_default;
    small.search_bytes = 256 * 1024;
    sparse(t, "wide", 2 << 20, "end\n");
    test_write(t, "head", MG_STR("begin"));
    MG_AUTO_FD fd = openat(t->dir_fd, "wide", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(5, pwrite(fd, "begin", 5, 0));
    for (int i = 0; i < 2; i++) {
        const char *kind = i == 0 ? "file_contains" : "file_not_contains";
        const mg_str yaml = mg_strf(
            t->arena, "assert: [{%s: {path: wide, pattern: 'begin[\\s\\S]*nowhere'}}]", kind);
        const mg_result r = ask_goal(t, yaml.ptr, &small).results[0];
        EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.outcome);
        EXPECT_CONTAINS(r.message, "at once");
    }
}

/* --- A file that another thread keeps changing --- */

typedef struct changer {
    int fd;
    bool grow;
    atomic_bool stop;
} changer;

static void *change(void *data)
{
    changer *c = data;
    for (off_t n = 0; !atomic_load(&c->stop); n++) {
        (void)!ftruncate(c->fd, c->grow ? (64 << 20) + n : (64 << 20) - n % 1000 * 4096);
    }
    return NULL;
}

static void while_changing(test *t, bool grow)
{
    sparse(t, "moving", 64 << 20, "x");
    changer c = {.fd = openat(t->dir_fd, "moving", O_WRONLY | O_CLOEXEC), .grow = grow};
    pthread_t thread;
    EXPECT_EQ(0, pthread_create(&thread, NULL, change, &c));
    for (int i = 0; i < 5; i++) {
        const mg_result r = ask_entry(t, "{file_not_contains: {path: moving, pattern: needle}}");
        if (r.outcome != MG_OUTCOME_UNKNOWN || !mg_str_has(r.message, "changed while it was read"))
            test_fail(__FILE__, __LINE__, "%s: " MG_FMT, mg_outcome_name(r.outcome),
                      MG_ARG(r.message));
    }
    atomic_store(&c.stop, true);
    (void)pthread_join(thread, NULL);
    (void)close(c.fd);
}

TEST(a_file_that_shrinks_while_it_is_read_is_unknown)
{
    while_changing(t, false);
}

TEST(a_file_that_grows_while_it_is_read_is_unknown)
{
    while_changing(t, true);
}

TEST(what_was_seen_counts_even_if_the_file_changes)
{
    sparse(t, "moving", 64 << 20, "x");
    changer c = {.fd = openat(t->dir_fd, "moving", O_WRONLY | O_CLOEXEC), .grow = true};
    EXPECT_EQ(6, pwrite(c.fd, "needle", 6, 100));
    pthread_t thread;
    EXPECT_EQ(0, pthread_create(&thread, NULL, change, &c));
    EXPECT_EQ(MG_OUTCOME_PASS,
              ask_entry(t, "{file_contains: {path: moving, pattern: needle}}").outcome);
    atomic_store(&c.stop, true);
    (void)pthread_join(thread, NULL);
    (void)close(c.fd);
}

TEST(a_file_without_a_known_size_is_read_to_its_end)
{
    const mg_report report =
        ask_goal_in(t, "/proc/self",
                    "assert: [{file_contains: {path: status, pattern: '^VmRSS:'}},"
                    " {file_not_contains: {path: status, pattern: nonsense}}]",
                    &mg_limits_default);
    EXPECT_EQ(MG_OUTCOME_PASS, report.results[0].outcome);
    EXPECT_EQ(MG_OUTCOME_PASS, report.results[1].outcome);
}

TEST(a_device_is_unknown_and_does_not_hang)
{
    const mg_report report =
        ask_goal_in(t, "/dev",
                    "assert: [{file_contains: {path: zero, pattern: x}},"
                    " {file_not_empty: zero}, {file_not_contains: {path: 'null', pattern: x}}]",
                    &mg_limits_default);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(MG_OUTCOME_UNKNOWN, report.results[i].outcome);
        EXPECT_CONTAINS(report.results[i].message, "is a device");
    }
}

TEST(a_file_without_permission_is_unknown)
{
    test_write(t, "locked", MG_STR("text"));
    EXPECT_EQ(0, chmod(t->dir, 0755) | fchmodat(t->dir_fd, "locked", 0, 0));
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ||
                           setresuid(65534, 65534, 65534) != 0))
        test_skip("cannot become an ordinary user");
    const mg_result r = ask_entry(t, "{file_not_contains: {path: locked, pattern: nonsense}}");
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.outcome);
    EXPECT_CONTAINS(r.message, "Permission denied");
}

TEST(utf32_is_not_either)
{
    test_write(t, "log", MG_STR("\0\0\xfe\xff\0\0\0E"));
    EXPECT_EQ(MG_OUTCOME_UNKNOWN,
              ask_entry(t, "{file_not_contains: {path: log, pattern: E}}").outcome);
}

TEST(utf16_is_not_searched_as_if_it_were_text)
{
    test_write(t, "log",
               MG_STR("\xff\xfe"
                      "E\0R\0R\0O\0R\0"));
    for (int i = 0; i < 2; i++) {
        const mg_result r = ask_entry(t, i == 0 ? "{file_not_contains: {path: log, pattern: ERROR}}"
                                                : "{file_contains: {path: log, pattern: ERROR}}");
        EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.outcome);
        EXPECT_CONTAINS(r.message, "UTF-16");
    }
}

TEST(invalid_utf8_parts_the_text_and_hides_nothing)
{
    test_write(t, "bytes", MG_STR("\xfe needle \xc3\x28 caf\xc3\xa9\n"));
    EXPECT_EQ(MG_OUTCOME_PASS,
              ask_entry(t, "{file_contains: {path: bytes, pattern: needle}}").outcome);
    EXPECT_EQ(MG_OUTCOME_PASS,
              ask_entry(t, "{file_contains: {path: bytes, pattern: 'caf.$'}}").outcome);
    EXPECT_EQ(MG_OUTCOME_FAIL,
              ask_entry(t, "{file_not_contains: {path: bytes, pattern: needle}}").outcome);
    EXPECT_EQ(MG_OUTCOME_PASS,
              ask_entry(t, "{file_not_contains: {path: bytes, pattern: other}}").outcome);
}
