/* command.c - what a goal file calls a command, for whoever runs or shows it. */
#include "check/command.h"

#include "base/buf.h"
#include "check/shell_words.h"
#include "data/text.h"

const char *const *mg_command_argv(const mg_value *run, mg_arena *arena)
{
    if (run->text.len > 0) { /* not looked up in PATH: it is the same shell everywhere */
        const char **argv = mg_new_array(arena, const char *, 5), **next = argv;
        *next++ = "/bin/sh";
        if (mg_shell_has_lines(run->text))
            *next++ = "-e";
        *next++ = "-c";
        *next++ = mg_str_cstr(arena, run->text);
        return argv;
    }
    const char **argv = mg_new_array(arena, const char *, run->texts.count + 1);
    for (size_t i = 0; i < run->texts.count; i++)
        argv[i] = mg_str_cstr(arena, run->texts.items[i]);
    return argv;
}

mg_str mg_command_line(const mg_value *run, size_t max_bytes, mg_arena *arena)
{
    mg_buf text = mg_buf_new(arena, SIZE_MAX);
    mg_buf_add(&text, mg_str_trim(run->text));
    for (size_t i = 0; run->text.len == 0 && i < run->texts.count; i++)
        mg_buf_addf(&text, "%s" MG_FMT, i > 0 ? " " : "", MG_ARG(run->texts.items[i]));
    return mg_text_line(arena, mg_buf_str(&text), max_bytes);
}
