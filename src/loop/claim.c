/* claim.c - one loop at a time in a workspace: by the store's own rule, and by a lock on the root
 * that holds across stores. */
#include "loop/state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* Which loop of this store is active in this root; empty: none that it knows of. */
static void name_other(mg_driver *d, mg_str *other, bool *alive)
{
    mg_pursuits all = {0};
    mg_err err;
    if (d->o->store == NULL ||
        mg_store_list(d->o->store, d->p->user, 0, d->arena, &all, &err) != MG_OK)
        return;
    for (size_t i = 0; i < all.count; i++) {
        const mg_pursuit *p = &all.items[i];
        if (p->status != MG_PURSUIT_RUNNING || !mg_str_eq(p->scope, d->p->scope))
            continue;
        *other = p->id;
        *alive = !p->stale;
    }
}

/* A descriptor of its own, which the agent's supervisor holds, too: the lock is free when we are
 * gone and nothing of ours runs any more. For a killed driver that takes a moment. */
static mg_status lock_root(mg_driver *d, mg_str *other, mg_err *err)
{
    enum { WAIT_MS = 10000, ASK_EVERY_MS = 20 };
    bool alive = true;
    d->root_lock = mg_open_beneath(d->world.root, MG_STR("."), O_RDONLY | O_DIRECTORY);
    if (d->root_lock < 0)
        return mg_fail_errno(err, "root '" MG_FMT "'", MG_ARG(d->p->root));
    for (unsigned waited = 0; flock(d->root_lock, LOCK_EX | LOCK_NB) < 0; waited += ASK_EVERY_MS) {
        if (errno != EWOULDBLOCK)
            return mg_fail_errno(err, "root '" MG_FMT "' cannot be locked", MG_ARG(d->p->root));
        if (waited == 0)
            name_other(d, other, &alive);
        if (alive || waited >= WAIT_MS || mg_drive_cancelled(d))
            return mg_fail(err, MG_ERR_DENIED, "another loop is active in '" MG_FMT "'",
                           MG_ARG(d->p->root));
        (void)usleep(ASK_EVERY_MS * 1000);
    }
    return MG_OK;
}

mg_status mg_drive_claim(mg_driver *d, bool resume, mg_str *other, mg_err *err)
{
    mg_owner owner;
    const int64_t now = d->o->clock->wall_ms(d->o->clock->self);
    *other = (mg_str){0};
    MG_TRY(lock_root(d, other, err));
    if (d->o->store == NULL)
        return MG_OK;
    MG_TRY(mg_owner_self(d->arena, &owner, err));
    if (resume)
        MG_TRY(
            mg_store_resume(d->o->store, d->p->user, d->p->id, &owner, now, d->arena, other, err));
    else
        MG_TRY(mg_store_begin(d->o->store, d->p, &owner, now, d->arena, other, err));
    return MG_OK;
}
