/* test.h - a test is named after the behaviour it protects.
 *
 *     TEST(a_missing_file_is_a_failure_that_says_so) { ... EXPECT_EQ(MG_OK, call()); }
 *
 * Each runs in a process of its own with a time limit and a fresh temporary directory; the
 * first failed expectation ends it. Output is TAP. `prog NAME...` runs only those.
 */
#ifndef MG_TESTS_TEST_H
#define MG_TESTS_TEST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/str.h"

#include <inttypes.h>

typedef struct test {
    mg_arena *arena;
    mg_err err;
    const char *dir; /* a fresh directory, removed afterwards */
    int dir_fd;
} test;

typedef struct test_case {
    const char *name;
    void (*run)(test *t);
    struct test_case *next;
} test_case;

void test_register(test_case *c);

#define TEST(test_name)                                                 \
    static void test_name(test *t);                                     \
    __attribute__((constructor)) static void register_##test_name(void) \
    {                                                                   \
        static test_case c = {#test_name, test_name, NULL};             \
        test_register(&c);                                              \
    }                                                                   \
    static void test_name(__attribute__((unused)) test *t)

/* How many times slower than usual the machine is: 1, or MG_TEST_SLOW (valgrind: 20). Tests with
 * many rounds do fewer, time limits are longer. */
unsigned test_slowness(void);

_Noreturn void test_fail(const char *file, int line, const char *fmt, ...) MG_PRINTF(3, 4);
_Noreturn void test_skip(const char *why); /* counts as skipped, with the reason */

#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition))                                              \
            test_fail(__FILE__, __LINE__, "expected: %s", #condition); \
    } while (0)

#define EXPECT_EQ(want, got)                                                               \
    do {                                                                                   \
        const intmax_t want_ = (intmax_t)(want), got_ = (intmax_t)(got);                   \
        if (want_ != got_)                                                                 \
            test_fail(__FILE__, __LINE__, "%s: expected %jd, got %jd", #got, want_, got_); \
    } while (0)

/* A call that must work; shows the error's sentence where it does not. */
#define EXPECT_OK(call)                                                  \
    do {                                                                 \
        const mg_status got_ = (call);                                   \
        if (got_ != MG_OK)                                               \
            test_fail(__FILE__, __LINE__, "%s: %s", #call, t->err.text); \
    } while (0)

void test_expect_str(const char *file, int line, mg_str want, mg_str got);
void test_expect_contains(const char *file, int line, mg_str text, const char *part);

#define EXPECT_STR(want, got)       test_expect_str(__FILE__, __LINE__, mg_str_of(want), (got))
#define EXPECT_CONTAINS(text, part) test_expect_contains(__FILE__, __LINE__, (text), (part))
#define EXPECT_ERR_CONTAINS(part)   EXPECT_CONTAINS(mg_str_of(t->err.text), (part))

/* Writes a file beneath t->dir, with the directories on the way. */
void test_write(test *t, const char *path, mg_str bytes);
void test_mkdir(test *t, const char *path);

/* Reads a whole file, from anywhere, or fails the test. */
mg_str test_read(test *t, const char *path);

#endif
