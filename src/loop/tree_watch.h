/* tree_watch.h - being told when files of the workspace change. Private to loop/. */
#ifndef MG_LOOP_TREE_WATCH_H
#define MG_LOOP_TREE_WATCH_H

#include "io/loop.h"
#include "world/snapshot.h"

typedef struct mg_tree_watch mg_tree_watch;

typedef struct mg_tree_watch_options {
    int fd; /* of mg_tree_watch_open(); stays the caller's */
    mg_loop *loop;
    const mg_world *world;
    const mg_scope *scope; /* directories that it ignores are not watched as part of the whole */
    mg_strs paths;         /* each by the directories on the way that exist */
    bool whole;            /* and every directory beneath the root, as far as the bound allows */
    void (*changed)(void *data);
    void *data;
} mg_tree_watch_options; /* what it points to outlives the watch */

/* The descriptor that is told. It serves one watch after the other: closing one takes the kernel
 * ten milliseconds, which an attempt should not cost. */
MG_MUST_CHECK mg_status mg_tree_watch_open(int *out, mg_err *err);

/* The arena outlives the watch. What was told before it began is forgotten. */
MG_MUST_CHECK mg_status mg_tree_watch_start(const mg_tree_watch_options *options, mg_arena *arena,
                                            mg_tree_watch **out, mg_err *err);

/* After a change: directories that appeared are watched from now on. */
void mg_tree_watch_arm(mg_tree_watch *watch);

void mg_tree_watch_stop(mg_tree_watch *watch); /* takes NULL */

#endif
