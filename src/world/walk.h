/* walk.h - reading one directory, and everything beneath one. Private to snapshot.c. */
#ifndef MG_WORLD_WALK_H
#define MG_WORLD_WALK_H

#include "base/vec.h"
#include "data/ignore.h"
#include "world/tree.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct mg_job { /* a directory that is still to be read */
    struct mg_job *next;
    mg_str path;
    const mg_ignore_file *rules;
    bool ignored;
} mg_job;

typedef struct mg_walk { /* what the threads share */
    const mg_world *world;
    const mg_scope *scope;
    const mg_snapshot *before; /* may be NULL */
    bool same_scope;           /* before was taken under the same rules: its flags hold */
    mg_live live;
    int64_t began_ns; /* by the clock of file times; younger files are hashed again next time */
    atomic_size_t leaves;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t more;
    mg_job *jobs;
    size_t busy;
    mg_status status;
    mg_err err;
} mg_walk;

typedef struct mg_listed { /* a name as the directory gives it */
    mg_str name;
    unsigned char type; /* DT_REG, ... */
} mg_listed;

typedef struct mg_walker { /* what a thread has for itself */
    mg_walk *walk;
    bool leads;      /* asks whether to go on: only the caller's own thread does */
    mg_arena *arena; /* of the result */
    struct {
        mg_dir *items;
        size_t count, cap;
    } dirs;
    mg_pack_writer pack;
    mg_arena *scratch;
    char *entries; /* as the kernel gives them */
    size_t entries_cap;
    mg_listed *listed;
    size_t listed_cap;
    char *block; /* for hashing */
    mg_job *found;
    mg_err err;
} mg_walker;

/* Reads the directory of a job; what is beneath it is added to walker->found. */
MG_MUST_CHECK mg_status mg_walk_dir(mg_walker *walker, const mg_job *job);

/* The content of a file or a link, which was as `before` (may be NULL) says; *gone: it is not there
 * any more. */
MG_MUST_CHECK mg_status mg_walk_content(mg_walker *walker, int dir, const char *name,
                                        const mg_leaf *before, mg_leaf *leaf, bool *gone);

/* Whether to go on. */
MG_MUST_CHECK mg_status mg_walk_alive(const mg_walker *walker, mg_err *err);

#endif
