/* help.c - the command table as text for a terminal. */
#include "cli/cli.h"

#include "data/text.h"

enum { WIDTH = 80, MARGIN = 2, GAP = 26 };

void mg_wrap(mg_buf *out, mg_str text, size_t indent, size_t width)
{
    size_t column = 0;
    mg_str word;
    while (mg_str_split(&text, ' ', &word)) {
        const size_t columns = mg_utf8_columns(word);
        if (column > 0 && column + 1 + columns > width) {
            mg_buf_addc(out, '\n');
            column = 0;
        }
        if (column == 0)
            mg_buf_fill(out, ' ', indent);
        else
            mg_buf_addc(out, ' ');
        column = column == 0 ? indent + columns : column + 1 + columns;
        mg_buf_add(out, word);
    }
    mg_buf_addc(out, '\n');
}

/* "  left      right", the right part wrapped within its column. */
static void add_row(mg_buf *out, mg_arena *arena, mg_str left, mg_str right)
{
    mg_buf wrapped = mg_buf_new(arena, 64u << 10);
    mg_wrap(&wrapped, right, GAP, WIDTH);
    mg_buf_addf(out, "%*s" MG_FMT, MARGIN, "", MG_ARG(left));
    const size_t used = MARGIN + left.len;
    if (used + 2 > GAP)
        mg_buf_addc(out, '\n');
    mg_buf_add(out, mg_str_from(mg_buf_str(&wrapped), used + 2 > GAP ? 0 : used));
}

mg_str mg_option_usage(const mg_option *option, mg_arena *arena)
{
    const char *value = option->value;
    if (option->letter == 0)
        return mg_strf(arena, "    --%s%s%s", option->name, value != NULL ? "=" : "",
                       value != NULL ? value : "");
    return mg_strf(arena, "-%c, --%s%s%s", option->letter, option->name, value != NULL ? "=" : "",
                   value != NULL ? value : "");
}

mg_str mg_option_help(const mg_option *option, mg_arena *arena)
{
    mg_buf out = mg_buf_new(arena, 16u << 10);
    mg_buf_adds(&out, option->help);
    if (option->choices != NULL) {
        const char *const *names = option->choices(arena);
        for (size_t i = 0; names[i] != NULL; i++)
            mg_buf_addf(&out, "%s%s", i == 0 ? ": " : ", ", names[i]);
    }
    if (option->fallback != NULL)
        mg_buf_addf(&out, " (default: %s)", option->fallback);
    if (option->repeatable)
        mg_buf_adds(&out, "; may be given several times");
    return mg_buf_str(&out);
}

mg_str mg_command_usage(const mg_command *command, mg_arena *arena)
{
    const mg_operand *const operands[] = {&command->operand, &command->second};
    mg_buf out = mg_buf_new(arena, 1000);
    mg_buf_addf(&out, "makegood %s [OPTION]...", command->name);
    for (size_t i = 0; i < MG_COUNT(operands); i++)
        if (operands[i]->name != NULL)
            mg_buf_addf(&out, " [%s]", operands[i]->name);
    if (command->rest.name != NULL)
        mg_buf_addf(&out, " [-- %s...]", command->rest.name);
    return mg_buf_str(&out);
}

static void add_operands(mg_buf *out, mg_arena *arena, const mg_command *command)
{
    const mg_operand *const operands[] = {&command->operand, &command->second, &command->rest};
    bool any = false;
    for (size_t i = 0; i < MG_COUNT(operands); i++) {
        if (operands[i]->name == NULL)
            continue;
        if (!any)
            mg_buf_addc(out, '\n');
        any = true;
        add_row(out, arena, mg_str_of(operands[i]->name), mg_str_of(operands[i]->help));
    }
}

static void add_options(mg_buf *out, mg_arena *arena, const mg_option *options)
{
    for (const mg_option *o = options; o->name != NULL; o++)
        add_row(out, arena, mg_option_usage(o, arena), mg_option_help(o, arena));
}

static void add_exit_codes(mg_buf *out, mg_arena *arena, const mg_exit_code *codes)
{
    mg_buf_adds(out, "\nExit status:\n");
    for (const mg_exit_code *c = codes; c->meaning != NULL; c++)
        add_row(out, arena, mg_strf(arena, "%d", c->code), mg_str_of(c->meaning));
}

void mg_help_command(const mg_command *command, mg_arena *arena, mg_buf *out)
{
    mg_buf_addf(out, "Usage: " MG_FMT "\n\n", MG_ARG(mg_command_usage(command, arena)));
    mg_wrap(out, mg_str_of(command->description), 0, WIDTH);
    add_operands(out, arena, command);
    mg_buf_adds(out, "\nOptions:\n");
    add_options(out, arena, command->options);
    add_options(out, arena, mg_common_options);
    mg_buf_adds(out, "\nExamples:\n");
    for (const mg_example *e = command->examples; e->line != NULL; e++)
        mg_buf_addf(out, "%*s%s\n%*s%s\n", MARGIN, "", e->line, 3 * MARGIN, "", e->why);
    add_exit_codes(out, arena, command->exit_codes);
}

void mg_help_program(mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(out,
                "Usage: makegood COMMAND [OPTION]...\n\n"
                "Drives agents until a goal over the real world holds, and says whether it does,\n"
                "from what it sees itself.\n"
                "\nCommands:\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++)
        add_row(out, arena, mg_str_of(c->name), mg_str_of(c->summary));
    mg_buf_adds(out, "\nOptions:\n");
    add_options(out, arena, mg_global_options);
    mg_buf_adds(out, "\n'makegood COMMAND --help' says more about a command.\n");
}
