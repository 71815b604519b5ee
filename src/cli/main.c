/* main.c - where the program begins. Everything else takes what it needs as a parameter. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A standard descriptor that is closed would be given to the next file that is opened, and our
 * results would land in it. What stands in for stdout cannot be written, so that the loss of
 * the results is noticed. */
static void hold_standard_descriptors(void)
{
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", modes[fd]);
}

/* Whoever started us may have ignored or blocked SIGCHLD, which we would inherit: the end of a
 * command would never be noticed. A reader that goes away is an errno, not our death. */
static void settle_signals(void)
{
    sigset_t child;
    (void)signal(SIGCHLD, SIG_DFL);
    (void)sigemptyset(&child);
    (void)sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_UNBLOCK, &child, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
    (void)argc;
    settle_signals();
    hold_standard_descriptors();
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_cli cli = {
        .arena = arena,
        .clock = &mg_clock_system,
        .environ = (const char *const *)environ,
        .out = STDOUT_FILENO,
        .err = STDERR_FILENO,
        .version = MG_VERSION,
    };
    return mg_cli_main(&cli, (const char *const *)argv);
}
