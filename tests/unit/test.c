/* test.c - runs each test in a process of its own and prints TAP. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_PER_TEST = 60, SKIPPED = 77 };

static test_case *first_case, **last_case = &first_case;

void test_register(test_case *c)
{
    *last_case = c;
    last_case = &c->next;
}

unsigned test_slowness(void)
{
    const char *slow = getenv("MG_TEST_SLOW");
    const long times = slow != NULL ? strtol(slow, NULL, 10) : 1;
    return times > 1 && times < 1000 ? (unsigned)times : 1;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("# %s:%d: ", file, line);
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
    (void)fflush(stdout);
    _exit(1);
}

void test_skip(const char *why)
{
    printf("# skipped: %s\n", why);
    (void)fflush(stdout);
    _exit(SKIPPED);
}

void test_expect_str(const char *file, int line, mg_str want, mg_str got)
{
    if (!mg_str_eq(want, got))
        test_fail(file, line, "expected '" MG_FMT "'\n#      got '" MG_FMT "'", MG_ARG(want),
                  MG_ARG(got));
}

void test_expect_contains(const char *file, int line, mg_str text, const char *part)
{
    if (!mg_str_has(text, part))
        test_fail(file, line, "expected '%s' in '" MG_FMT "'", part, MG_ARG(text));
}

static void make_parents(test *t, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        const mg_str dir = {path, (size_t)(slash - path)};
        if (mkdirat(t->dir_fd, mg_str_cstr(t->arena, dir), 0777) < 0 && errno != EEXIST)
            test_fail(__FILE__, __LINE__, "mkdir '%s': %s", path, strerror(errno));
    }
}

void test_write(test *t, const char *path, mg_str bytes)
{
    make_parents(t, path);
    MG_AUTO_FD fd = openat(t->dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || mg_fd_write_all(fd, bytes, &t->err) != MG_OK)
        test_fail(__FILE__, __LINE__, "write '%s': %s", path, strerror(errno));
}

void test_mkdir(test *t, const char *path)
{
    make_parents(t, path);
    if (mkdirat(t->dir_fd, path, 0777) < 0 && errno != EEXIST)
        test_fail(__FILE__, __LINE__, "mkdir '%s': %s", path, strerror(errno));
}

mg_str test_read(test *t, const char *path)
{
    MG_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    mg_buf buf = mg_buf_new(t->arena, 16u << 20);
    if (fd < 0 || mg_fd_read_all(fd, &buf, &t->err) != MG_OK)
        test_fail(__FILE__, __LINE__, "read '%s': %s", path, strerror(errno));
    return mg_buf_str(&buf);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

static _Noreturn void run_in_child(const test_case *c, const char *dir)
{
    (void)setpgid(0, 0);
    (void)alarm(SECONDS_PER_TEST * test_slowness());
    test t = {.arena = mg_arena_new(NULL), .dir = dir};
    t.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    c->run(&t);
    (void)close(t.dir_fd);
    mg_arena_free(t.arena);
    (void)fflush(stdout);
    exit(0); /* not _exit: the leak checker has its say here */
}

/* 0 passed, 1 failed, SKIPPED. */
static int run_case(const test_case *c)
{
    char dir[] = "/tmp/makegood-test-XXXXXX";
    if (mkdtemp(dir) == NULL)
        return 1;
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        run_in_child(c, dir);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    (void)kill(-pid, SIGKILL); /* whatever the test left running */
    (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (WIFSIGNALED(status)) {
        const int sig = WTERMSIG(status);
        printf("# %s: %s\n", c->name, sig == SIGALRM ? "took too long" : strsignal(sig));
    }
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED))
        return WEXITSTATUS(status);
    return 1;
}

static bool wanted(const test_case *c, int argc, char **argv)
{
    bool named = argc < 2;
    for (int i = 1; i < argc; i++)
        named = named || strcmp(argv[i], c->name) == 0;
    return named;
}

int main(int argc, char **argv)
{
    int number = 0, failed = 0;
    for (const test_case *c = first_case; c != NULL; c = c->next) {
        if (!wanted(c, argc, argv))
            continue;
        const int got = run_case(c);
        failed += got == 1;
        printf("%s %d - %s%s\n", got == 1 ? "not ok" : "ok", ++number, c->name,
               got == SKIPPED ? " # SKIP" : "");
    }
    printf("1..%d\n", number);
    return failed > 0 || number == 0;
}
