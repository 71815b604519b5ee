/* tree.h - what a snapshot is made of. Private to snapshot, delta and guard.
 *
 * Directories sorted by path, in each its files, links and other things sorted by name. So two
 * snapshots are compared by walking along both, and a directory is compared while it is read.
 */
#ifndef MG_WORLD_TREE_H
#define MG_WORLD_TREE_H

#include "world/snapshot.h"

#include <sys/stat.h>

enum {
    MG_TREE_LEAVES_MAX = 2 * 1000 * 1000,
    MG_TREE_PATH_MAX = 4000, /* a path of ours and a name beside it fit into PATH_MAX */
    MG_TEXT_MAX = 1 << 20,   /* larger files are never kept as text */
};

enum {                        /* flags of a leaf */
       MG_LEAF_UNREAD = 1,    /* there, but what it holds is not known */
       MG_LEAF_YOUNG = 2,     /* changed so shortly before that the next change may not show */
       MG_LEAF_PROTECTED = 4, /* a protect glob matches it */
       MG_LEAF_IGNORED = 8,   /* in scope only because it is protected or named */
       MG_LEAF_ALL = 15,
};

typedef struct mg_leaf {
    mg_str name;
    uint32_t mode; /* st_mode: type and permissions */
    uint32_t flags;
    uint64_t dev, ino;
    int64_t size, mtime_ns, ctime_ns;
    int64_t btime_ns; /* when the inode was made; 0 where the file system does not say */
    mg_hash hash;     /* of a file's bytes, of a link's target */
    int64_t text_at;  /* where the pack has its text; -1: nowhere */
} mg_leaf;

typedef struct mg_dir {
    mg_str path; /* "" is the root */
    mg_leaf *leaves;
    size_t count;
    bool ignored;               /* in scope only because something beneath it is */
    bool unread;                /* there, but what it holds is not known */
    int64_t ctime_ns, mtime_ns; /* of an unread one */
} mg_dir;

struct mg_snapshot {
    mg_dir *dirs;
    size_t dir_count, leaf_count;
    const mg_scope *scope; /* whose flags the leaves carry; NULL after loading */
};

const mg_dir *mg_tree_dir(const mg_snapshot *snapshot, mg_str path);
const mg_leaf *mg_tree_leaf(const mg_snapshot *snapshot, mg_str path);

/* Whether both are the same inode untouched: neither written nor re-moded in between. */
static inline bool mg_leaf_unmoved(const mg_leaf *a, const mg_leaf *b)
{
    return a->ino == b->ino && a->dev == b->dev && a->mode == b->mode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

/* Whether type, mode and content are the same; what is not known equals only what is unmoved. */
bool mg_leaf_same(const mg_leaf *a, const mg_leaf *b);

mg_str mg_path_join(mg_arena *arena, mg_str dir, mg_str name);

/* The directory and the name of a path. */
void mg_path_split(mg_str path, mg_str *dir, mg_str *name);

/* A directory beneath root (path "" is root itself) with no link on the way; -1 with errno, ELOOP
 * or ENOTDIR where there is one. */
int mg_open_dir(int root, mg_str path, int flags);

/* The same by walking component by component, for kernels without openat2; "." is root. */
int mg_open_dir_walk(int root, const char *path, int flags);

/* What is at name in dir, a link not followed. -1 with errno. */
int mg_leaf_stat(int dir, const char *name, mg_leaf *out);

/* What mg_snapshot_save wrote; anything else is MG_ERR_INVALID. */
MG_MUST_CHECK mg_status mg_snapshot_parse(mg_str bytes, mg_arena *arena, const mg_snapshot **out,
                                          mg_err *err);

/* scope: what the walk asks. */
typedef struct mg_scope_answer {
    bool in;
    uint32_t flags; /* MG_LEAF_PROTECTED, MG_LEAF_IGNORED */
} mg_scope_answer;

struct mg_ignore_file;
const struct mg_ignore_file *mg_scope_enter(const mg_scope *scope,
                                            const struct mg_ignore_file *above, mg_str dir);
mg_scope_answer mg_scope_ask(const mg_scope *scope, const struct mg_ignore_file *rules,
                             bool ignored_above, mg_str path, bool is_dir);

/* Whether a protect glob may match something beneath dir; `plain`: without the help of `**`. */
bool mg_scope_guards(const mg_scope *scope, mg_str dir, bool plain);
bool mg_scope_names(const mg_scope *scope, mg_str path);

/* pack: one writer per thread. Texts are kept in blocks that are written when they are full. */
typedef struct mg_pack_writer {
    mg_pack *pack; /* NULL: nothing is kept */
    mg_arena *arena;
    char *block;
    size_t used, room, block_cap;
    int64_t base;
} mg_pack_writer;

MG_MUST_CHECK mg_status mg_pack_keep(mg_pack_writer *writer, mg_str text, int64_t *at, mg_err *err);
MG_MUST_CHECK mg_status mg_pack_flush(mg_pack_writer *writer, mg_err *err);

/* The text at `at`; false where it is no longer what it was. */
bool mg_pack_text(const mg_pack *pack, int64_t at, int64_t size, mg_hash hash, mg_arena *arena,
                  mg_str *out);

#endif
