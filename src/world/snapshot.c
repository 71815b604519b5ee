/* snapshot.c - two threads take directories from one heap of work; one sort puts the parts in
 * order.
 *
 * The caller's thread is one of the two, so a machine that has no thread to spare only takes
 * longer. Each thread fills an arena of its own, a child of the result's.
 */
#include "world/walk.h"

#include <limits.h>
#include <time.h>

enum {
    YOUNG_NS = 20 * 1000 * 1000, /* file times advance in ticks of up to 10 ms */
    ASK_MS = 20,                 /* while waiting for the other thread */
};

/* --- The heap of work --- */

static struct timespec soon(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ASK_MS * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000L;
    t.tv_nsec %= 1000000000L;
    return t;
}

static void end_with(mg_walk *walk, mg_status status, const mg_err *err)
{
    if (walk->status == MG_OK) {
        walk->status = status;
        walk->err = *err;
    }
    atomic_store(&walk->stop, true);
    (void)pthread_cond_broadcast(&walk->more);
}

/* Waits for work, the lock held. The leading thread asks meanwhile whether to go on. */
static void wait_for_job(mg_walker *walker)
{
    mg_walk *walk = walker->walk;
    if (!walker->leads) {
        (void)pthread_cond_wait(&walk->more, &walk->lock);
        return;
    }
    const struct timespec until = soon();
    (void)pthread_cond_timedwait(&walk->more, &walk->lock, &until);
    const mg_status s = mg_walk_alive(walker, &walker->err);
    if (s != MG_OK)
        end_with(walk, s, &walker->err);
}

/* The next directory, or NULL when nothing is left and nobody can find more. */
static mg_job *next_job(mg_walker *walker)
{
    mg_walk *walk = walker->walk;
    while (!atomic_load(&walk->stop) && walk->jobs == NULL && walk->busy > 0)
        wait_for_job(walker);
    if (atomic_load(&walk->stop) || walk->jobs == NULL)
        return NULL;
    mg_job *job = walk->jobs;
    walk->jobs = job->next;
    walk->busy++;
    return job;
}

static void give_back(mg_walker *walker)
{
    mg_walk *walk = walker->walk;
    while (walker->found != NULL) {
        mg_job *job = walker->found;
        walker->found = job->next;
        job->next = walk->jobs;
        walk->jobs = job;
    }
    walk->busy--;
    if (walk->jobs != NULL || walk->busy == 0)
        (void)pthread_cond_broadcast(&walk->more);
}

static void *work(void *data)
{
    mg_walker *walker = data;
    mg_walk *walk = walker->walk;
    (void)pthread_mutex_lock(&walk->lock);
    for (mg_job *job; (job = next_job(walker)) != NULL;) {
        (void)pthread_mutex_unlock(&walk->lock);
        const mg_status s = mg_walk_dir(walker, job);
        (void)pthread_mutex_lock(&walk->lock);
        give_back(walker);
        if (s != MG_OK)
            end_with(walk, s, &walker->err);
    }
    (void)pthread_mutex_unlock(&walk->lock);
    if (walker->pack.pack != NULL && mg_pack_flush(&walker->pack, &walker->err) != MG_OK) {
        (void)pthread_mutex_lock(&walk->lock);
        end_with(walk, walker->err.code, &walker->err);
        (void)pthread_mutex_unlock(&walk->lock);
    }
    return NULL;
}

/* --- Taking --- */

static int by_path(const void *a, const void *b)
{
    return mg_str_cmp(((const mg_dir *)a)->path, ((const mg_dir *)b)->path);
}

static mg_snapshot *put_together(const mg_walk *walk, const mg_walker walkers[static 2],
                                 mg_arena *arena)
{
    mg_snapshot *snapshot = mg_new(arena, mg_snapshot);
    const size_t first = walkers[0].dirs.count, second = walkers[1].dirs.count;
    snapshot->dirs = mg_new_array(arena, mg_dir, first + second);
    if (first > 0)
        memcpy(snapshot->dirs, walkers[0].dirs.items, first * sizeof(mg_dir));
    if (second > 0)
        memcpy(snapshot->dirs + first, walkers[1].dirs.items, second * sizeof(mg_dir));
    snapshot->dir_count = first + second;
    snapshot->leaf_count = walk->leaves;
    snapshot->scope = walk->scope;
    qsort(snapshot->dirs, snapshot->dir_count, sizeof(mg_dir), by_path);
    return snapshot;
}

static int64_t file_clock_ns(void)
{
    struct timespec now; /* the clock that file times are taken from */
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The second walker runs on a thread of its own where one can be had. */
static void run(mg_walker walkers[static 2])
{
    pthread_t thread;
    const bool two = pthread_create(&thread, NULL, work, &walkers[1]) == 0;
    (void)work(&walkers[0]);
    if (two)
        (void)pthread_join(thread, NULL);
}

mg_status mg_snapshot_take(const mg_world *world, const mg_scope *scope, const mg_snapshot *before,
                           mg_pack *pack, mg_live live, mg_arena *arena, const mg_snapshot **out,
                           mg_err *err)
{
    if (live.ask != NULL) /* the thread that asks later may find nothing left to do */
        MG_TRY(live.ask(live.data, err));
    mg_job root = {.path = MG_STR(""), .rules = mg_scope_enter(scope, NULL, MG_STR(""))};
    mg_walk walk = {
        .world = world,
        .scope = scope,
        .before = before,
        .same_scope = before != NULL && before->scope == scope,
        .live = live,
        .began_ns = file_clock_ns() - YOUNG_NS,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .more = PTHREAD_COND_INITIALIZER,
        .jobs = &root,
    };
    MG_AUTO(mg_arena) first = mg_arena_new(NULL);
    MG_AUTO(mg_arena) second = mg_arena_new(NULL);
    mg_walker walkers[2] = {{.leads = true, .scratch = first}, {.scratch = second}};
    for (size_t i = 0; i < 2; i++) {
        walkers[i].walk = &walk;
        walkers[i].arena = mg_arena_new(arena);
        walkers[i].pack = (mg_pack_writer){.pack = pack, .arena = walkers[i].scratch};
    }
    run(walkers);
    if (walk.status != MG_OK) {
        for (size_t i = 0; i < 2; i++)
            mg_arena_free(walkers[i].arena);
        if (err != NULL)
            *err = walk.err;
        return walk.status;
    }
    if (walkers[0].dirs.count + walkers[1].dirs.count == 0)
        return mg_fail(err, MG_ERR_NOT_FOUND, "the root '" MG_FMT "' is gone",
                       MG_ARG(world->root_path));
    *out = put_together(&walk, walkers, arena);
    return MG_OK;
}

/* --- Asking --- */

size_t mg_snapshot_count(const mg_snapshot *snapshot)
{
    return snapshot->leaf_count;
}

static mg_str without_dot(mg_str path)
{
    while (mg_str_starts(path, "./"))
        path = mg_str_from(path, 2);
    return path;
}

/* Whether a part of the path is a link, a step upwards or a directory that was closed to us: then
 * the list of names does not say what the path leads to. */
static bool is_winding(const mg_snapshot *snapshot, mg_str path)
{
    for (size_t at = 0; at < path.len;) {
        const size_t slash = mg_str_find(path, '/', at);
        const mg_str part = {path.ptr + at, slash - at}, here = mg_str_first(path, slash);
        const mg_leaf *leaf = mg_tree_leaf(snapshot, here);
        const mg_dir *dir = mg_tree_dir(snapshot, here);
        if (part.len == 0 || mg_str_is(part, ".") || mg_str_is(part, "..") ||
            (leaf != NULL && S_ISLNK(leaf->mode)) || (dir != NULL && dir->unread))
            return true;
        at = slash + 1;
    }
    return false;
}

bool mg_snapshot_file(const mg_snapshot *snapshot, mg_str path, mg_baseline_file *out)
{
    const mg_str plain = without_dot(path);
    const mg_leaf *leaf = mg_tree_leaf(snapshot, plain);
    *out = (mg_baseline_file){.path = path};
    if (is_winding(snapshot, plain) || (leaf != NULL && (leaf->flags & MG_LEAF_UNREAD) != 0))
        return false;
    if (leaf != NULL && S_ISREG(leaf->mode)) {
        out->existed = true;
        out->hash = leaf->hash;
    }
    return true;
}

bool mg_snapshot_same(const mg_snapshot *a, const mg_snapshot *b, mg_str path)
{
    const mg_str plain = without_dot(path);
    const mg_leaf *was = mg_tree_leaf(a, plain), *is = mg_tree_leaf(b, plain);
    if (was != NULL && is != NULL)
        return mg_leaf_same(was, is);
    if (was != NULL || is != NULL)
        return false;
    const mg_dir *dir_was = mg_tree_dir(a, plain), *dir_is = mg_tree_dir(b, plain);
    return (dir_was != NULL) == (dir_is != NULL) && !is_winding(a, plain) && !is_winding(b, plain);
}

bool mg_snapshot_touched(const mg_snapshot *snapshot, int64_t since_ms)
{
    enum { COARSE_MS = 10 }; /* time stamps are a clock tick behind */
    const int64_t since_ns = (since_ms - COARSE_MS) * 1000000;
    for (size_t i = 0; i < snapshot->dir_count; i++) {
        const mg_dir *dir = &snapshot->dirs[i];
        for (size_t k = 0; k < dir->count; k++)
            if (dir->leaves[k].ctime_ns >= since_ns)
                return true;
    }
    return false;
}
