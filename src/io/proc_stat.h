/* proc_stat.h - the few words of /proc/PID/stat that say where a process belongs.
 *
 * libc only: mg-supervise uses it too.
 */
#ifndef MG_IO_PROC_STAT_H
#define MG_IO_PROC_STAT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct mg_proc_stat {
    char state; /* 'R', 'S', 'Z', ... */
    int parent, group, session;
} mg_proc_stat;

/* False: there is no such process, or it is hidden from us. */
static inline bool mg_proc_stat_read(pid_t pid, mg_proc_stat *out)
{
    char path[32], text[512];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = '\0';
    /* The name in parentheses is the process's to choose: "x) S 1 (". Only the last ')' ends it. */
    const char *after = strrchr(text, ')');
    return after != NULL && sscanf(after + 1, " %c %d %d %d", &out->state, &out->parent,
                                   &out->group, &out->session) == 4;
}

#endif
