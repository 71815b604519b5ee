/* output.c - results go to stdout or a file, sentences to stderr; a lost result is an error. */
#include "cli/cli.h"

#include "base/fs.h"
#include "base/limits.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

mg_buf mg_cli_buf(mg_cli *cli)
{
    return mg_buf_new(cli->arena, mg_limits_default.report_bytes);
}

/* 0, or the errno that ended it. Another program may have left the terminal non-blocking. */
static int write_all(int fd, mg_str bytes)
{
    while (bytes.len > 0) {
        const ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n >= 0)
            bytes = mg_str_from(bytes, (size_t)n);
        else if (errno == EAGAIN)
            (void)poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

int mg_cli_say(mg_cli *cli, int code, const char *fmt, ...)
{
    mg_buf text = mg_buf_new(cli->arena, 1u << 20);
    mg_buf_adds(&text, "makegood: ");
    va_list args;
    va_start(args, fmt);
    mg_buf_addfv(&text, fmt, args);
    va_end(args);
    mg_buf_addc(&text, '\n');
    (void)write_all(cli->err, mg_buf_str(&text)); /* if that is gone too, the code remains */
    return code;
}

int mg_cli_show(mg_cli *cli, const mg_buf *text, int code)
{
    mg_err err;
    if (mg_buf_ok(text, "the output", &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    const int error = write_all(cli->out, mg_buf_str(text));
    if (error == 0 || error == EPIPE)
        return code;
    return mg_cli_say(cli, MG_EXIT_ERROR, "standard output could not be written: %s",
                      strerror(error));
}

mg_status mg_cli_can_save(mg_cli *cli, const char *file, mg_err *err)
{
    if (file == NULL || strcmp(file, "-") == 0)
        return MG_OK;
    struct stat st;
    const bool exists = stat(file, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "'%s' is a directory", file);
    const char *slash = strrchr(file, '/');
    const mg_str dir = slash == NULL ? MG_STR(".") : (mg_str){file, (size_t)(slash - file) + 1};
    const bool special = exists && !S_ISREG(st.st_mode); /* a device, a FIFO: written in place */
    if (access(special ? file : mg_str_cstr(cli->arena, dir), W_OK) == 0)
        return MG_OK;
    return mg_fail_errno(err, "'%s'", file);
}

int mg_cli_save(mg_cli *cli, const char *file, const mg_buf *text, int code)
{
    if (file == NULL || strcmp(file, "-") == 0)
        return mg_cli_show(cli, text, code);
    mg_err err;
    mg_status s = mg_buf_ok(text, "the output", &err);
    if (s == MG_OK)
        s = mg_file_replace(file, mg_buf_str(text), &err);
    if (s == MG_OK)
        return code;
    return mg_cli_say(cli, MG_EXIT_ERROR, "the output could not be written: %s", err.text);
}

const char *mg_cli_getenv(const mg_cli *cli, const char *name)
{
    const size_t len = strlen(name);
    for (const char *const *e = cli->environ; *e != NULL; e++)
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return *e + len + 1;
    return NULL;
}

static bool wants_color(const mg_cli *cli, const mg_cli_args *args)
{
    const char *no_color = mg_cli_getenv(cli, "NO_COLOR"); /* counts when it is not empty */
    const char *term = mg_cli_getenv(cli, "TERM");
    return !mg_cli_given(args, "no-color") && (no_color == NULL || *no_color == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0 && isatty(cli->out);
}

void mg_cli_settle(mg_cli *cli, const mg_cli_args *args)
{
    cli->quiet = mg_cli_given(args, "quiet");
    cli->color = wants_color(cli, args);
    struct winsize size;
    if (ioctl(cli->out, TIOCGWINSZ, &size) == 0)
        cli->width = size.ws_col;
}
