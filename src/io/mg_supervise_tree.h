/* mg_supervise_tree.h - every process that comes from us, found and signalled. */
#ifndef MG_IO_MG_SUPERVISE_TREE_H
#define MG_IO_MG_SUPERVISE_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* scan: do not use /proc/PID/task/TID/children even where the kernel has it. */
void tree_init(bool scan);

/* Sends a signal to all that can be found. child: one that is known without /proc, or 0. Returns
 * how many there are, without zombies. */
unsigned tree_signal(int sig, pid_t child);

/* Stops all until no new one is found, then kills all. Returns one that is still there, or 0. */
pid_t tree_kill(pid_t child);

#endif
