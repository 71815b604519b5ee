/* cmd_help.c - makegood help [COMMAND]; as JSON, the command table for programs. */
#include "cli/cli.h"

#include "data/json.h"

static void write_options(mg_json_out *out, mg_arena *arena, const mg_option *options)
{
    for (const mg_option *o = options; o->name != NULL; o++) {
        mg_json_begin(out, '{');
        mg_json_key(out, "name");
        mg_json_cstr(out, o->name);
        mg_json_key(out, "letter");
        if (o->letter != 0)
            mg_json_str(out, (mg_str){&o->letter, 1});
        else
            mg_json_null(out);
        mg_json_key(out, "value");
        mg_json_cstr(out, o->value);
        mg_json_key(out, "repeatable");
        mg_json_bool(out, o->repeatable);
        if (o->choices != NULL) {
            mg_json_key(out, "choices");
            mg_json_begin(out, '[');
            for (const char *const *name = o->choices(arena); *name != NULL; name++)
                mg_json_cstr(out, *name);
            mg_json_end(out, ']');
        }
        mg_json_key(out, "help");
        mg_json_cstr(out, o->help);
        mg_json_end(out, '}');
    }
}

static void write_command(mg_json_out *out, mg_arena *arena, const mg_command *command)
{
    mg_json_begin(out, '{');
    mg_json_key(out, "name");
    mg_json_cstr(out, command->name);
    mg_json_key(out, "summary");
    mg_json_cstr(out, command->summary);
    mg_json_key(out, "usage");
    mg_json_str(out, mg_command_usage(command, arena));
    mg_json_key(out, "options");
    mg_json_begin(out, '[');
    write_options(out, arena, command->options);
    write_options(out, arena, mg_common_options);
    mg_json_end(out, ']');
    mg_json_end(out, '}');
}

static void write_json(mg_buf *text, mg_arena *arena, const mg_command *only)
{
    mg_json_out out = {.buf = text, .pretty = true};
    mg_json_begin(&out, '{');
    mg_json_key(&out, "schema");
    mg_json_int(&out, 1);
    mg_json_key(&out, "commands");
    mg_json_begin(&out, '[');
    for (const mg_command *c = mg_commands; c->name != NULL; c++)
        if (only == NULL || only == c)
            write_command(&out, arena, c);
    mg_json_end(&out, ']');
    mg_json_end(&out, '}');
    mg_buf_addc(text, '\n');
}

int mg_cmd_help(mg_cli *cli, const mg_cli_args *args)
{
    const mg_command *command = mg_command_find(args->operand);
    mg_buf text = mg_cli_buf(cli);
    if (strcmp(mg_cli_text(args, "format"), "json") == 0)
        write_json(&text, cli->arena, command);
    else if (command != NULL)
        mg_help_command(command, cli->arena, &text);
    else
        mg_help_program(cli->arena, &text);
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}
