/* walk.c - one directory: listed, sorted, compared with how it was, and only what moved is read.
 *
 * Paths that the snapshot before has were in scope then, and the rules are frozen: they are not
 * asked about again. So a warm walk is one call of statx per file and little else.
 */
#include "world/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { ENTRIES_FIRST = 64 * 1024, ENTRIES_STEP = 32 * 1024, ASK_EVERY = 512 };

mg_status mg_walk_alive(const mg_walker *walker, mg_err *err)
{
    if (atomic_load_explicit(&walker->walk->stop, memory_order_relaxed))
        return mg_fail(err, MG_ERR_CANCELLED, "stopped");
    const mg_live *live = &walker->walk->live;
    return walker->leads && live->ask != NULL ? live->ask(live->data, err) : MG_OK;
}

/* --- Listing --- */

static int by_name(const void *a, const void *b)
{
    return mg_str_cmp(((const mg_listed *)a)->name, ((const mg_listed *)b)->name);
}

/* Everything getdents64 has to say, in walker->entries. */
static mg_status read_entries(mg_walker *walker, int fd, mg_str path, size_t *bytes)
{
    *bytes = 0;
    for (;;) {
        if (walker->entries_cap - *bytes < ENTRIES_STEP) {
            const size_t cap = MG_MAX(2 * walker->entries_cap, (size_t)ENTRIES_FIRST);
            walker->entries =
                mg_arena_grow(walker->scratch, walker->entries, walker->entries_cap, cap);
            walker->entries_cap = cap;
        }
        const ssize_t n = getdents64(fd, walker->entries + *bytes, walker->entries_cap - *bytes);
        if (n < 0 && errno != ENOENT) /* ENOENT: the directory itself was removed just now */
            return mg_fail_errno(&walker->err, "'" MG_FMT "'", MG_ARG(path));
        if (n <= 0)
            return MG_OK;
        *bytes += (size_t)n;
        if (*bytes / sizeof(struct dirent64) > MG_TREE_LEAVES_MAX)
            return mg_fail(&walker->err, MG_ERR_LIMIT, "'" MG_FMT "' has too many entries",
                           MG_ARG(path));
    }
}

static void list_names(mg_walker *walker, size_t bytes, size_t *count)
{
    *count = 0;
    for (size_t at = 0; at < bytes;) {
        const struct dirent64 *e = (const struct dirent64 *)(const void *)(walker->entries + at);
        const mg_str name = mg_str_of(e->d_name);
        at += e->d_reclen;
        if (mg_str_is(name, ".") || mg_str_is(name, ".."))
            continue;
        if (*count == walker->listed_cap) {
            const size_t cap = MG_MAX(2 * walker->listed_cap, (size_t)256);
            walker->listed =
                mg_arena_grow(walker->scratch, walker->listed, *count * sizeof *walker->listed,
                              cap * sizeof *walker->listed);
            walker->listed_cap = cap;
        }
        walker->listed[(*count)++] = (mg_listed){name, e->d_type};
    }
    if (*count > 1)
        qsort(walker->listed, *count, sizeof *walker->listed, by_name);
}

/* --- One directory --- */

typedef struct visit {
    mg_walker *walker;
    const mg_job *job;
    int fd;
    mg_dir *dir;
    const mg_dir *before; /* how the directory was; may be NULL */
    size_t at_before;     /* the first of its leaves that may still come */
    char path[PATH_MAX];  /* the directory's path, a slash, the name at hand */
    size_t prefix;
} visit;

static mg_str path_of(visit *v, mg_str name)
{
    memcpy(v->path + v->prefix, name.ptr, name.len);
    return (mg_str){v->path, v->prefix + name.len};
}

static mg_status add_job(visit *v, mg_str path, bool ignored)
{
    mg_walker *walker = v->walker;
    if (path.len > MG_TREE_PATH_MAX)
        return mg_fail(&walker->err, MG_ERR_LIMIT,
                       "'" MG_FMT "...' is nested too deeply: its path has more than %d bytes",
                       MG_ARG(mg_str_first(path, 200)), MG_TREE_PATH_MAX);
    mg_job *job = mg_new(walker->arena, mg_job);
    job->path = mg_str_copy(walker->arena, path);
    job->ignored = ignored;
    job->rules = mg_scope_enter(walker->walk->scope, v->job->rules, job->path);
    job->next = walker->found;
    walker->found = job;
    return MG_OK;
}

static mg_status visit_dir(visit *v, mg_str name)
{
    const mg_walk *walk = v->walker->walk;
    const mg_str path = path_of(v, name);
    const mg_dir *known = walk->same_scope ? mg_tree_dir(walk->before, path) : NULL;
    if (known != NULL)
        return add_job(v, path, known->ignored);
    const mg_scope_answer answer =
        mg_scope_ask(walk->scope, v->job->rules, v->job->ignored, path, true);
    return answer.in ? add_job(v, path, (answer.flags & MG_LEAF_IGNORED) != 0) : MG_OK;
}

/* The leaf of that name in the snapshot before; names come in order. */
static const mg_leaf *leaf_before(visit *v, mg_str name)
{
    while (v->before != NULL && v->at_before < v->before->count) {
        const mg_leaf *leaf = &v->before->leaves[v->at_before];
        const int order = mg_str_cmp(leaf->name, name);
        if (order == 0)
            return leaf;
        if (order > 0)
            break;
        v->at_before++;
    }
    return NULL;
}

static mg_status add_leaf(visit *v, const mg_listed *entry, const mg_leaf *before, mg_leaf leaf)
{
    mg_walker *walker = v->walker;
    const unsigned dubious = MG_LEAF_YOUNG | MG_LEAF_UNREAD;
    if (leaf.ctime_ns >= walker->walk->began_ns)
        leaf.flags |= MG_LEAF_YOUNG;
    bool gone = false;
    if (before != NULL && (before->flags & dubious) == 0 && mg_leaf_unmoved(before, &leaf)) {
        leaf.hash = before->hash;
        leaf.text_at = before->text_at;
    } else {
        MG_TRY(mg_walk_content(walker, v->fd, entry->name.ptr, before, &leaf, &gone));
    }
    if (gone)
        return MG_OK;
    leaf.name = entry->name;
    v->dir->leaves[v->dir->count++] = leaf;
    return MG_OK;
}

static mg_status visit_entry(visit *v, const mg_listed *entry)
{
    const mg_walk *walk = v->walker->walk;
    if (entry->type == DT_DIR)
        return visit_dir(v, entry->name);
    const mg_leaf *before = leaf_before(v, entry->name);
    mg_leaf leaf = {0};
    if (before != NULL && walk->same_scope) {
        leaf.flags = before->flags & (MG_LEAF_PROTECTED | MG_LEAF_IGNORED);
    } else if (entry->type != DT_UNKNOWN) {
        const mg_scope_answer answer = mg_scope_ask(walk->scope, v->job->rules, v->job->ignored,
                                                    path_of(v, entry->name), false);
        if (!answer.in)
            return MG_OK;
        leaf.flags = answer.flags;
    }
    if (mg_leaf_stat(v->fd, entry->name.ptr, &leaf) < 0) {
        if (errno == ENOENT)
            return MG_OK;
        leaf.flags |= MG_LEAF_UNREAD; /* EACCES: a directory that may be listed, not searched */
        v->dir->leaves[v->dir->count] = leaf;
        v->dir->leaves[v->dir->count++].name = entry->name;
        return MG_OK;
    }
    if (S_ISDIR(leaf.mode))
        return visit_dir(v, entry->name);
    if (entry->type == DT_UNKNOWN && (before == NULL || !walk->same_scope)) {
        const mg_scope_answer answer = mg_scope_ask(walk->scope, v->job->rules, v->job->ignored,
                                                    path_of(v, entry->name), false);
        if (!answer.in)
            return MG_OK;
        leaf.flags = answer.flags;
    }
    return add_leaf(v, entry, before, leaf);
}

/* The names of the leaves that stay, in the memory of the result. */
static void own_names(mg_arena *arena, mg_dir *dir)
{
    size_t bytes = 0;
    for (size_t i = 0; i < dir->count; i++)
        bytes += dir->leaves[i].name.len + 1;
    char *to = mg_arena_alloc(arena, bytes);
    for (size_t i = 0; i < dir->count; i++) {
        mg_str *name = &dir->leaves[i].name;
        memcpy(to, name->ptr, name->len);
        name->ptr = to;
        to += name->len + 1; /* the NUL is there: new memory is zero */
    }
}

static mg_status visit_all(visit *v, size_t count)
{
    mg_walker *walker = v->walker;
    for (size_t i = 0; i < count; i++) {
        if (i % ASK_EVERY == 0)
            MG_TRY(mg_walk_alive(walker, &walker->err));
        const mg_status s = visit_entry(v, &walker->listed[i]);
        if (s != MG_OK)
            return mg_context(&walker->err, s, "looking at './" MG_FMT "'",
                              MG_ARG(mg_str_first(v->job->path, 200)));
    }
    const size_t sofar = atomic_fetch_add(&walker->walk->leaves, v->dir->count) + v->dir->count;
    if (sofar > MG_TREE_LEAVES_MAX)
        return mg_fail(&walker->err, MG_ERR_LIMIT,
                       "there are more than %d files beneath '" MG_FMT
                       "'; leave some out with 'ignore'",
                       MG_TREE_LEAVES_MAX, MG_ARG(walker->walk->world->root_path));
    return MG_OK;
}

/* Gone or no directory any more: nothing. Closed to us: known as such. No means left: an error. */
static mg_status not_opened(mg_walker *walker, const mg_job *job)
{
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return MG_OK;
    if (errno != EACCES && errno != EPERM)
        return mg_fail_errno(&walker->err, "'" MG_FMT "'", MG_ARG(job->path));
    mg_dir dir = {.path = job->path, .ignored = job->ignored, .unread = true};
    mg_leaf self = {0};
    MG_AUTO_FD fd = mg_open_dir(walker->walk->world->root, job->path, O_PATH);
    if (fd >= 0 && mg_leaf_stat(fd, "", &self) == 0) {
        dir.ctime_ns = self.ctime_ns;
        dir.mtime_ns = self.mtime_ns;
    }
    mg_vec_push(walker->scratch, &walker->dirs, dir);
    return MG_OK;
}

mg_status mg_walk_dir(mg_walker *walker, const mg_job *job)
{
    MG_AUTO_FD fd = mg_open_dir(walker->walk->world->root, job->path, O_RDONLY);
    if (fd < 0)
        return not_opened(walker, job);
    size_t bytes, count;
    MG_TRY(read_entries(walker, fd, job->path, &bytes));
    list_names(walker, bytes, &count);

    mg_dir dir = {.path = job->path, .ignored = job->ignored};
    const mg_snapshot *before = walker->walk->before;
    visit v = {.walker = walker,
               .job = job,
               .fd = fd,
               .dir = &dir,
               .before = before != NULL ? mg_tree_dir(before, job->path) : NULL};
    memcpy(v.path, job->path.ptr, job->path.len);
    v.prefix = job->path.len;
    if (v.prefix > 0)
        v.path[v.prefix++] = '/';
    dir.leaves = mg_new_array(walker->arena, mg_leaf, count);
    MG_TRY(visit_all(&v, count));
    own_names(walker->arena, &dir);
    mg_vec_push(walker->scratch, &walker->dirs, dir);
    return MG_OK;
}
