/* output.c - results go to stdout or a file, sentences to stderr; a lost result is an error. */
#include "cli/cli.h"

#include "base/fs.h"
#include "base/limits.h"
#include "data/text.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SENTENCE_MAX_BYTES = 64u << 10 };

mg_buf mg_cli_buf(mg_cli *cli)
{
    return mg_buf_new(cli->arena, mg_limits_default.report_bytes);
}

static int say(mg_cli *cli, int code, mg_str sentence, mg_str lines)
{
    mg_buf text = mg_buf_new(cli->arena, 1u << 20);
    mg_buf_addf(&text, "makegood: " MG_FMT "\n", MG_ARG(sentence));
    mg_buf_add(&text, lines);
    if (lines.len > 0 && !mg_str_ends(lines, "\n"))
        mg_buf_addc(&text, '\n');
    mg_err err;
    const mg_status s = mg_fd_write_all(cli->err, mg_buf_str(&text), &err);
    (void)s; /* if stderr is gone too, the code remains */
    return code;
}

int mg_cli_say(mg_cli *cli, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const mg_str sentence = mg_strfv(cli->arena, fmt, args);
    va_end(args);
    return say(cli, code, mg_text_line(cli->arena, sentence, SENTENCE_MAX_BYTES), (mg_str){0});
}

int mg_cli_complain(mg_cli *cli, int code, const char *sentence, mg_str lines)
{
    return say(cli, code, mg_str_of(sentence), mg_text_clean(cli->arena, lines));
}

/* left: the code for a reader that went away. */
static int show(mg_cli *cli, const mg_buf *text, int code, int left)
{
    mg_err err;
    if (mg_buf_ok(text, "the output", &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_ERROR, "%s", err.text);
    errno = 0;
    if (mg_fd_write_all(cli->out, mg_buf_str(text), &err) == MG_OK)
        return code;
    if (errno == EPIPE)
        return left;
    return mg_cli_say(cli, MG_EXIT_ERROR, "standard output: %s", err.text);
}

int mg_cli_show(mg_cli *cli, const mg_buf *text, int code)
{
    return show(cli, text, code, code);
}

int mg_cli_deliver(mg_cli *cli, const mg_buf *text, int code)
{
    return show(cli, text, code, code == MG_EXIT_MET ? MG_EXIT_ERROR : code);
}

const char *mg_cli_getenv(const mg_cli *cli, const char *name)
{
    const size_t len = strlen(name);
    for (const char *const *e = cli->environ; *e != NULL; e++)
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return *e + len + 1;
    return NULL;
}

static bool wants_color(const mg_cli *cli, const mg_cli_args *args, int fd)
{
    const char *no_color = mg_cli_getenv(cli, "NO_COLOR"); /* counts when it is not empty */
    const char *term = mg_cli_getenv(cli, "TERM");
    return !mg_cli_given(args, "no-color") && (no_color == NULL || *no_color == '\0') &&
           term != NULL && strcmp(term, "dumb") != 0 && isatty(fd);
}

void mg_cli_settle(mg_cli *cli, const mg_cli_args *args)
{
    cli->quiet = mg_cli_given(args, "quiet");
    cli->color = wants_color(cli, args, cli->out);
    cli->color_err = wants_color(cli, args, cli->err);
    struct winsize size;
    if (ioctl(cli->out, TIOCGWINSZ, &size) == 0)
        cli->width = size.ws_col;
}
