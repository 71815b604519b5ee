/* view.c - whether there is still time. */
#include "check/check.h"

#include <poll.h>

static bool cancelled(const mg_cancel *cancel)
{
    if (atomic_load_explicit(&cancel->asked, memory_order_relaxed))
        return true;
    if (cancel->also != NULL && cancelled(cancel->also))
        return true;
    struct pollfd fd = {.fd = cancel->fd, .events = POLLIN};
    return cancel->only_fd && poll(&fd, 1, 0) > 0;
}

mg_status mg_view_live(const mg_view *view, mg_err *err)
{
    if (view->cancel != NULL && cancelled(view->cancel))
        return mg_fail(err, MG_ERR_CANCELLED, "the check was interrupted");
    if (view->deadline_ms != UINT64_MAX && mg_clock_ms(view->clock) >= view->deadline_ms)
        return mg_fail(err, MG_ERR_TIMEOUT, "the deadline of the whole check has passed");
    return MG_OK;
}
