/* alive.h - whether processes still run, by /proc: a zombie that waits for init does not. */
#ifndef MG_TESTS_IO_ALIVE_H
#define MG_TESTS_IO_ALIVE_H

#include "test.h"

#include <dirent.h>
#include <unistd.h>

/* How many processes of the group run. */
static inline unsigned group_running(pid_t group)
{
    unsigned running = 0;
    DIR *proc = opendir("/proc");
    EXPECT(proc != NULL && group > 1);
    for (const struct dirent *e = readdir(proc); e != NULL; e = readdir(proc)) {
        char path[300], state = 'X';
        long its_group = 0;
        (void)snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        FILE *stat_file = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (stat_file == NULL)
            continue;
        const int got = fscanf(stat_file, "%*d (%*[^)]) %c %*d %ld", &state, &its_group);
        running += got == 2 && its_group == (long)group && state != 'Z' && state != 'X';
        (void)fclose(stat_file);
    }
    (void)closedir(proc);
    return running;
}

/* A killed process takes a moment to go. */
static inline bool group_gone(pid_t group)
{
    for (int i = 0; i < 300 && group_running(group) > 0; i++)
        (void)usleep(10000);
    return group_running(group) == 0;
}

/* The number that a script wrote into a file beneath t->dir, once it is there. */
static inline pid_t pid_in(test *t, const char *name)
{
    const char *path = mg_strf(t->arena, "%s/%s", t->dir, name).ptr;
    for (int i = 0; i < 500; i++) {
        struct stat st;
        if (stat(path, &st) == 0 && st.st_size > 0) {
            const pid_t pid = (pid_t)strtol(mg_str_cstr(t->arena, test_read(t, path)), NULL, 10);
            EXPECT(pid > 1);
            return pid;
        }
        (void)usleep(10000);
    }
    test_fail(__FILE__, __LINE__, "'%s' was not written", name);
}

#endif
