/* cancel.c - signals become a flag and a readable descriptor; nothing else happens in a handler.
 *
 * The engine sees either, ends its children and returns MG_ERR_CANCELLED. */
#include "cli/cancel.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A handler has no other way to learn what it is about. */
static mg_cancel the_cancel = {.fd = -1};
static int wake_fd = -1;

static void on_signal(int number)
{
    (void)number;
    const int error = errno;
    if (atomic_exchange(&the_cancel.asked, true))
        _exit(MG_EXIT_INTERRUPTED);
    (void)!write(wake_fd, "", 1);
    errno = error;
}

mg_status mg_cancel_install(const mg_cancel **out, mg_err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return mg_fail_errno(err, "a pipe for signals");
    the_cancel.fd = ends[0];
    wake_fd = ends[1];
    for (size_t i = 0; i < MG_COUNT(numbers); i++) {
        struct sigaction action = {.sa_handler = on_signal}, old;
        (void)sigemptyset(&action.sa_mask);
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
    }
    *out = &the_cancel;
    return MG_OK;
}
