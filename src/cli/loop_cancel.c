/* loop_cancel.c - makegood loop cancel: the store is told, the driver is woken, its end awaited.
 *
 * Only the driver can end its agent; what is said here is what became of that.
 */
#include "cli/drive_go.h"
#include "cli/live.h"
#include "cli/loop_asked.h"
#include "io/proc_stat.h"
#include "report/pursuit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum {
    CANCEL_WAIT_MS = 20000,
    CANCEL_LOOK_MS = 50,
    STOPPED_AFTER_MS = 2000, /* a driver that stands still so long will not end by itself */
};

/* Without an id only one loop can be meant. */
static int find_running(const mg_loop_asked *a, mg_str *id)
{
    mg_pursuits all = {0};
    mg_err err;
    size_t running = 0;
    if (mg_store_list(a->store, a->user, 0, a->cli->arena, &all, &err) != MG_OK)
        return mg_cli_say(a->cli, MG_EXIT_ERROR, "%s", err.text);
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].status != MG_PURSUIT_RUNNING || all.items[i].stale)
            continue;
        *id = all.items[i].id;
        running++;
    }
    if (running == 1)
        return MG_EXIT_MET;
    if (running == 0)
        return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                          "no loop is running; 'makegood loop cancel ID' ends one whose driver is "
                          "gone for good");
    return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                      "%zu loops are running; 'makegood loop list' names them, and 'makegood loop "
                      "cancel ID' ends one",
                      running);
}

/* The driver watches its directory: a file there wakes it at once. It may be gone already. */
static void wake_driver(const mg_loop_asked *a, mg_str id)
{
    const mg_str path =
        mg_strf(a->cli->arena, "%s/loops/" MG_FMT "/cancel", a->state_dir, MG_ARG(id));
    MG_AUTO_FD fd = open(path.ptr, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    (void)fd;
}

/* By SIGSTOP or Ctrl-Z: it takes no notice of anything until it is let go on. */
static bool is_stopped(int64_t pid)
{
    mg_proc_stat stat;
    return mg_proc_stat_read((pid_t)pid, &stat) && (stat.state == 'T' || stat.state == 't');
}

static int wait_until_over(const mg_loop_asked *a, mg_str id, mg_pursuit *out)
{
    const struct timespec pause = {.tv_nsec = CANCEL_LOOK_MS * 1000000L};
    for (int waited = 0; waited < CANCEL_WAIT_MS; waited += CANCEL_LOOK_MS) {
        mg_owner owner;
        const int code = mg_loop_load(a, id, out, &owner);
        if (code != MG_EXIT_MET || (out->status != MG_PURSUIT_RUNNING || out->stale))
            return code;
        if (waited >= STOPPED_AFTER_MS && is_stopped(owner.pid))
            return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                              "the loop " MG_FMT
                              " was told to stop, but its driver (process %" PRId64
                              ") is suspended; 'kill -CONT %" PRId64 "' lets it go on, and then it "
                              "ends",
                              MG_ARG(mg_str_first(id, MG_ID_SHOWN)), owner.pid, owner.pid);
        (void)nanosleep(&pause, NULL);
    }
    return mg_cli_say(a->cli, MG_EXIT_NOT_MET,
                      "the loop " MG_FMT
                      " was told to stop, but has not yet; 'makegood loop show " MG_FMT
                      "' tells when",
                      MG_ARG(mg_str_first(id, MG_ID_SHOWN)), MG_ARG(mg_str_first(id, MG_ID_SHOWN)));
}

int mg_loop_cancel(const mg_loop_asked *a)
{
    mg_cli *cli = a->cli;
    mg_str id = a->args->second;
    mg_pursuit p = {0};
    mg_err err;
    int code = id.ptr == NULL ? find_running(a, &id) : MG_EXIT_MET;
    if (code == MG_EXIT_MET)
        code = mg_loop_load(a, id, &p, NULL);
    if (code != MG_EXIT_MET)
        return code;
    const mg_status s =
        mg_store_cancel(a->store, a->user, p.id, cli->clock->wall_ms(cli->clock->self), &err);
    if (s != MG_OK)
        return mg_cli_say(
            cli, s == MG_ERR_INVALID || s == MG_ERR_NOT_FOUND ? MG_EXIT_NOT_MET : MG_EXIT_ERROR,
            "%s", err.text);
    wake_driver(a, p.id);
    code = wait_until_over(a, p.id, &p);
    if (code != MG_EXIT_MET)
        return code;
    if (a->json)
        return mg_drive_report(cli, &p, true, MG_EXIT_MET);
    mg_buf text = mg_cli_buf(cli);
    const mg_str shown = mg_str_first(p.id, MG_ID_SHOWN);
    mg_buf_addf(&text, "The loop " MG_FMT " is over: %s.", MG_ARG(shown), mg_pursuit_word(&p));
    if (p.status == MG_PURSUIT_CANCELLED)
        mg_buf_addf(&text, " 'makegood loop resume " MG_FMT "' goes on with it.", MG_ARG(shown));
    mg_buf_addc(&text, '\n');
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}
