/* loop_choose.c - the place counts first, then whether it can be gone on with, then its age. */
#include "cli/loop_choose.h"

static bool is_here(const mg_pursuit *p, mg_str cwd)
{
    const mg_str root = p->root;
    if (root.len == 0 || mg_str_is(root, "/"))
        return root.len > 0;
    return mg_str_eq(mg_str_first(cwd, root.len), root) &&
           (cwd.len == root.len || cwd.ptr[root.len] == '/');
}

/* As far as a list tells; the store has the last word. */
static bool may_resume(const mg_pursuit *p)
{
    return p->stale || p->status == MG_PURSUIT_CANCELLED ||
           (p->status == MG_PURSUIT_ERRORED &&
            (p->reason == MG_WHY_ABANDONED || p->reason == MG_WHY_AGENT_ERROR));
}

mg_choice mg_loop_choose(const mg_pursuits *all, mg_str cwd, bool to_resume)
{
    const mg_pursuit *best = NULL;
    unsigned most = 0;
    for (size_t i = 0; i < all->count; i++) {
        const mg_pursuit *p = &all->items[i];
        const unsigned fits =
            1 + (is_here(p, cwd) ? 2u : 0u) + (to_resume && may_resume(p) ? 1u : 0u);
        if (fits <= most)
            continue;
        best = p;
        most = fits;
    }
    return (mg_choice){best, best != NULL && is_here(best, cwd)};
}
