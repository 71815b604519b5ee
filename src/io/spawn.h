/* spawn.h - starting a child with exactly these descriptors, and being rid of it. */
#ifndef MG_IO_SPAWN_H
#define MG_IO_SPAWN_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct mg_spawn_options {
    const char *path; /* beneath cwd where it is relative */
    const char *const *argv;
    const char *const *env;
    int cwd;
    const int *fds; /* become 0, 1, 2, ... of the child; each at least fd_count itself */
    int fd_count;   /* everything from there on is closed */
} mg_spawn_options;

/* Own process group, default signals, nothing blocked. 0, or the errno that says why not. */
MG_MUST_CHECK int mg_spawn(const mg_spawn_options *options, pid_t *pid);

/* The descriptor, moved to lowest or higher: a caller without stdin, stdout or stderr gets low
 * numbers, and the child needs those itself. Takes -1; -1 with errno where it fails. */
int mg_fd_above(int fd, int lowest);

/* Waits for a child that was killed; one that waits for a device is not worth hanging for.
 * pidfd may be -1. False: it has not ended. */
bool mg_child_wait(pid_t pid, int pidfd, int wait_ms);

/* Whenever it ends, no zombie is to stay behind. */
void mg_child_reap_later(pid_t pid);

/* SIGKILL to everything in the session or the group of leader, also when leader itself is gone. */
void mg_session_kill(pid_t leader);

#endif
