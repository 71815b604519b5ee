/* delta.c - what became of every path between two snapshots.
 *
 * Both are walked along side by side. What is only in one of them is deleted or created, unless
 * the other was not allowed to look there: then how it changed is not known (MG_CHANGE_NONE). A
 * deleted and a created path become a rename where the inode is the same one, or the content is.
 */
#include "base/vec.h"
#include "data/diff.h"
#include "world/tree.h"

typedef struct pair { /* one path that differs */
    mg_str path, old_path;
    const mg_leaf *was, *is; /* NULL: not there */
    bool unknown;
    bool taken; /* a deleted one that became the first half of a rename */
} pair;

typedef struct pairs {
    pair *items;
    size_t count, cap;
} pairs;

typedef struct delta {
    const mg_snapshot *before, *after;
    mg_arena *arena, *scratch;
    pairs pairs;
} delta;

/* --- Walking along --- */

/* Whether path lies in a directory that the snapshot could not look into. */
static bool out_of_sight(const mg_snapshot *snapshot, mg_str path)
{
    for (size_t at = path.len; at > 0; at--) {
        if (at < path.len && path.ptr[at] != '/')
            continue;
        const mg_dir *dir = mg_tree_dir(snapshot, mg_str_first(path, at));
        if (dir != NULL)
            return dir->unread;
    }
    const mg_dir *root = mg_tree_dir(snapshot, MG_STR(""));
    return root == NULL || root->unread;
}

static void add_pair(delta *d, const mg_dir *dir, mg_str name, const mg_leaf *was,
                     const mg_leaf *is)
{
    const bool unknown = (was == NULL && out_of_sight(d->before, dir->path)) ||
                         (is == NULL && out_of_sight(d->after, dir->path));
    mg_vec_push(d->scratch, &d->pairs,
                (pair){.path = mg_path_join(d->arena, dir->path, name),
                       .was = was,
                       .is = is,
                       .unknown = unknown});
}

/* Either may be NULL: a directory that is only on one side. */
static void compare_dirs(delta *d, const mg_dir *a, const mg_dir *b)
{
    const size_t a_count = a != NULL ? a->count : 0, b_count = b != NULL ? b->count : 0;
    for (size_t i = 0, j = 0; i < a_count || j < b_count;) {
        const int order = i == a_count   ? 1
                          : j == b_count ? -1
                                         : mg_str_cmp(a->leaves[i].name, b->leaves[j].name);
        const mg_leaf *was = order <= 0 ? &a->leaves[i++] : NULL;
        const mg_leaf *is = order >= 0 ? &b->leaves[j++] : NULL;
        if (was != NULL && is != NULL && mg_leaf_unmoved(was, is) && mg_leaf_same(was, is))
            continue;
        if (was != NULL)
            add_pair(d, a, was->name, was, is);
        else if (is != NULL)
            add_pair(d, b, is->name, NULL, is);
    }
}

/* A directory whose inside went out of sight, came into it, or may have changed out of sight. */
static void note_unread(delta *d, const mg_dir *a, const mg_dir *b)
{
    const bool was = a != NULL && a->unread, is = b != NULL && b->unread;
    if (!was && !is)
        return;
    if (was && is && a->ctime_ns == b->ctime_ns && a->mtime_ns == b->mtime_ns)
        return;
    mg_vec_push(
        d->scratch, &d->pairs,
        (pair){.path = mg_str_copy(d->arena, a != NULL ? a->path : b->path), .unknown = true});
}

static void walk_along(delta *d)
{
    const mg_snapshot *a = d->before, *b = d->after;
    for (size_t i = 0, j = 0; i < a->dir_count || j < b->dir_count;) {
        const int order = i == a->dir_count   ? 1
                          : j == b->dir_count ? -1
                                              : mg_str_cmp(a->dirs[i].path, b->dirs[j].path);
        const mg_dir *was = order <= 0 ? &a->dirs[i++] : NULL;
        const mg_dir *is = order >= 0 ? &b->dirs[j++] : NULL;
        note_unread(d, was, is);
        compare_dirs(d, was, is);
    }
}

/* --- Renames --- */

static int cmp_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_inode(const void *a, const void *b)
{
    const mg_leaf *x = (*(pair *const *)a)->was, *y = (*(pair *const *)b)->was;
    const int dev = cmp_u64(x->dev, y->dev);
    return dev != 0 ? dev : cmp_u64(x->ino, y->ino);
}

static int cmp_content(const mg_leaf *x, const mg_leaf *y)
{
    const int type = cmp_u64(x->mode & S_IFMT, y->mode & S_IFMT);
    const int high = cmp_u64(x->hash.high, y->hash.high);
    return type != 0 ? type : high != 0 ? high : cmp_u64(x->hash.low, y->hash.low);
}

static int by_content(const void *a, const void *b)
{
    const pair *x = *(pair *const *)a, *y = *(pair *const *)b;
    const int content = cmp_content(x->was, y->was);
    return content != 0 ? content : mg_str_cmp(x->path, y->path);
}

typedef struct gone { /* the deleted paths, in one order or another */
    pair **items;
    size_t count;
} gone;

static size_t first_at_least(const gone *g, const pair *key,
                             int (*order)(const void *a, const void *b))
{
    size_t low = 0, high = g->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (order((const void *)&g->items[middle], (const void *)&key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same inode: it was made at the same moment too, or nobody can say but the content agrees.
 * (A file that is deleted often leaves its inode number to the next one that is made.) */
static bool same_inode(const mg_leaf *was, const mg_leaf *is)
{
    if (was->dev != is->dev || was->ino != is->ino || (was->mode & S_IFMT) != (is->mode & S_IFMT))
        return false;
    if (was->btime_ns != 0 && is->btime_ns != 0)
        return was->btime_ns == is->btime_ns;
    return ((was->flags | is->flags) & MG_LEAF_UNREAD) == 0 && was->size == is->size &&
           mg_hash_eq(was->hash, is->hash);
}

static bool take(pair *old, pair *new)
{
    old->taken = true;
    new->was = old->was;
    new->old_path = old->path;
    return true;
}

static bool match_inode(const gone *g, pair *new)
{
    const pair key = {.was = new->is};
    for (size_t i = first_at_least(g, &key, by_inode); i < g->count; i++) {
        pair *old = g->items[i];
        if (old->was->dev != new->is->dev || old->was->ino != new->is->ino)
            break;
        if (!old->taken && same_inode(old->was, new->is))
            return take(old, new);
    }
    return false;
}

/* The same content; of several, the one that keeps its name. Empty files resemble each other. */
static bool match_content(const gone *g, pair *new)
{
    if (new->is->size == 0 || (new->is->flags &MG_LEAF_UNREAD) != 0 ||
        !(S_ISREG(new->is->mode) || S_ISLNK(new->is->mode)))
        return false;
    const pair key = {.was = new->is};
    pair *best = NULL;
    size_t looked = 0;
    for (size_t i = first_at_least(g, &key, by_content); i < g->count && looked < 64; i++) {
        pair *old = g->items[i];
        if (cmp_content(old->was, new->is) != 0)
            break;
        if (old->taken || (old->was->flags & MG_LEAF_UNREAD) != 0 ||
            old->was->size != new->is->size)
            continue;
        looked++;
        if (best == NULL || mg_str_eq(old->was->name, new->is->name))
            best = old;
        if (mg_str_eq(best->was->name, new->is->name))
            break;
    }
    return best != NULL && take(best, new);
}

static void match_renames(delta *d)
{
    gone g = {.items = mg_new_array(d->scratch, pair *, d->pairs.count)};
    for (size_t i = 0; i < d->pairs.count; i++) {
        pair *p = &d->pairs.items[i];
        if (p->was != NULL && p->is == NULL && !p->unknown)
            g.items[g.count++] = p;
    }
    for (int pass = 0; pass < 2; pass++) {
        qsort((void *)g.items, g.count, sizeof(pair *), pass == 0 ? by_inode : by_content);
        for (size_t i = 0; i < d->pairs.count; i++) {
            pair *p = &d->pairs.items[i];
            if (p->was == NULL && p->is != NULL && !p->unknown)
                (void)(pass == 0 ? match_inode(&g, p) : match_content(&g, p));
        }
    }
}

/* --- Saying what it is --- */

static bool same_content(const mg_leaf *a, const mg_leaf *b)
{
    return ((a->flags | b->flags) & MG_LEAF_UNREAD) == 0 && a->size == b->size &&
           mg_hash_eq(a->hash, b->hash);
}

/* A path that is there on both sides. NONE with no_op: nothing to tell. */
static mg_change_type type_of_both(const mg_leaf *was, const mg_leaf *is, bool *no_op)
{
    const bool retyped = (was->mode & S_IFMT) != (is->mode & S_IFMT);
    if (retyped)
        return S_ISLNK(was->mode) || S_ISLNK(is->mode) ? MG_CHANGE_LINK : MG_CHANGE_MODIFIED;
    if (((was->flags | is->flags) & MG_LEAF_UNREAD) != 0) {
        if (was->size != is->size)
            return S_ISLNK(is->mode) ? MG_CHANGE_LINK : MG_CHANGE_MODIFIED;
        return was->mode != is->mode ? MG_CHANGE_MODE : MG_CHANGE_NONE;
    }
    if (!same_content(was, is))
        return S_ISLNK(is->mode) ? MG_CHANGE_LINK : MG_CHANGE_MODIFIED;
    if (was->mode != is->mode)
        return MG_CHANGE_MODE;
    *no_op = true;
    /* ctime alone: it was linked, or re-moded and back; nobody wrote it as far as can be seen. */
    const bool written =
        was->ino != is->ino || was->dev != is->dev || was->mtime_ns != is->mtime_ns;
    return written && S_ISREG(is->mode) ? MG_CHANGE_MODIFIED : MG_CHANGE_NONE;
}

static mg_change_type type_of(const pair *p, bool *no_op)
{
    *no_op = false;
    if (p->unknown)
        return MG_CHANGE_NONE;
    if (p->was == NULL)
        return MG_CHANGE_CREATED;
    if (p->is == NULL)
        return MG_CHANGE_DELETED;
    if (p->old_path.len > 0)
        return MG_CHANGE_RENAMED;
    return type_of_both(p->was, p->is, no_op);
}

/* The text of one side; the empty text where nothing is there. False: not known. */
static bool text_of(const mg_leaf *leaf, const mg_pack *pack, mg_arena *arena, mg_str *out)
{
    *out = MG_STR("");
    if (leaf == NULL)
        return true;
    return S_ISREG(leaf->mode) && (leaf->flags & MG_LEAF_UNREAD) == 0 &&
           mg_pack_text(pack, leaf->text_at, leaf->size, leaf->hash, arena, out);
}

static void count_lines(const pair *p, const mg_pack *pack, mg_change *change)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_str was, is;
    if (p->was != NULL && p->is != NULL && S_ISREG(p->was->mode) && S_ISREG(p->is->mode) &&
        same_content(p->was, p->is) && p->is->text_at >= 0)
        change->lines_added = change->lines_deleted = 0;
    else if (text_of(p->was, pack, scratch, &was) && text_of(p->is, pack, scratch, &is))
        (void)mg_diff_lines(was, is, &change->lines_added, &change->lines_deleted);
}

/* Sockets, pipes and devices have no size: they are not empty files. */
static int64_t size_of(const mg_leaf *leaf)
{
    return leaf != NULL && (S_ISREG(leaf->mode) || S_ISLNK(leaf->mode)) ? leaf->size : -1;
}

static mg_change describe(const pair *p, const mg_pack *pack, mg_arena *arena, bool *nothing)
{
    mg_change change = {.path = p->path,
                        .size_before = size_of(p->was),
                        .size_after = size_of(p->is),
                        .lines_added = -1,
                        .lines_deleted = -1};
    change.type = type_of(p, &change.no_op);
    *nothing = change.type == MG_CHANGE_NONE && change.no_op;
    if (change.type == MG_CHANGE_RENAMED)
        change.old_path = mg_str_copy(arena, p->old_path);
    if (!p->unknown && !*nothing && change.type != MG_CHANGE_NONE)
        count_lines(p, pack, &change);
    return change;
}

static int change_by_path(const void *a, const void *b)
{
    return mg_str_cmp(((const mg_change *)a)->path, ((const mg_change *)b)->path);
}

mg_status mg_snapshot_delta(const mg_snapshot *before, const mg_snapshot *after,
                            const mg_pack *pack, mg_arena *arena, mg_changes *out, mg_err *err)
{
    (void)err; /* both are in memory and bounded: there is nothing that can go wrong yet */
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    delta d = {.before = before, .after = after, .arena = arena, .scratch = scratch};
    walk_along(&d);
    match_renames(&d);
    mg_change *changes = mg_new_array(arena, mg_change, d.pairs.count);
    size_t count = 0;
    for (size_t i = 0; i < d.pairs.count; i++) {
        bool nothing;
        if (d.pairs.items[i].taken)
            continue;
        changes[count] = describe(&d.pairs.items[i], pack, arena, &nothing);
        count += nothing ? 0 : 1;
    }
    qsort(changes, count, sizeof *changes, change_by_path);
    *out = (mg_changes){.items = changes, .count = count};
    return MG_OK;
}
