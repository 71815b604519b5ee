/* args.c - reading what was typed, in the GNU manner and by a command's rows.
 *
 * --name value, --name=value, -nvalue, -n value, flags bundled (-qv), `--` before operands. In a
 * command that runs another, `--` begins that one's words, which are not looked at.
 * Names are not abbreviated: a script that worked must not break when an option is added.
 */
#include "cli/cli.h"

#include "base/vec.h"
#include "data/text.h"

#include <assert.h>
#include <inttypes.h>

typedef struct reader {
    const char *const *argv; /* what is left to read */
    mg_arena *arena;
    mg_cli_args *args;
    bool ended; /* --help was seen */
} reader;

static size_t count_options(const mg_option *options)
{
    size_t count = 0;
    while (options[count].name != NULL)
        count++;
    return count;
}

typedef struct slot {        /* a row, and where what was typed for it is kept */
    const mg_option *option; /* NULL: there is none */
    mg_cli_value *value;
} slot;

/* The row called so, by long name or (name empty) by letter. */
static slot find(const mg_cli_args *args, mg_str name, char letter)
{
    const mg_option *const tables[] = {args->command->options, mg_common_options};
    mg_cli_value *const values[] = {args->own, args->common};
    for (size_t t = 0; t < MG_COUNT(tables); t++)
        for (size_t i = 0; tables[t][i].name != NULL; i++)
            if (name.len > 0 ? mg_str_is(name, tables[t][i].name) : tables[t][i].letter == letter)
                return (slot){&tables[t][i], &values[t][i]};
    return (slot){0};
}

static mg_status unknown_option(const reader *r, mg_str name, mg_err *err)
{
    const mg_option *const tables[] = {r->args->command->options, mg_common_options};
    struct {
        const char **items;
        size_t count, cap;
    } names = {0};
    for (size_t t = 0; t < MG_COUNT(tables); t++)
        for (const mg_option *o = tables[t]; o->name != NULL; o++)
            mg_vec_push(r->arena, &names, o->name);
    const char *near = mg_nearest(name, names.items, names.count);
    const mg_str shown = mg_text_line(r->arena, name, 200);
    if (near == NULL)
        return mg_fail(err, MG_ERR_INVALID, "unknown option '--" MG_FMT "'", MG_ARG(shown));
    return mg_fail(err, MG_ERR_INVALID, "unknown option '--" MG_FMT "' (did you mean '--%s'?)",
                   MG_ARG(shown), near);
}

static mg_status read_choice(mg_arena *arena, mg_cli_choices choices, mg_str text, mg_err *err)
{
    const char *const *names = choices(arena);
    mg_buf list = mg_buf_new(arena, 4096);
    size_t count = 0;
    for (; names[count] != NULL; count++) {
        if (mg_str_is(text, names[count]))
            return MG_OK;
        mg_buf_addf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const mg_str shown = mg_text_line(arena, text, 200);
    const char *near = mg_nearest(text, names, count);
    if (near != NULL)
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is not one of " MG_FMT " (did you mean '%s'?)", MG_ARG(shown),
                       MG_ARG(mg_buf_str(&list)), near);
    return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not one of " MG_FMT, MG_ARG(shown),
                   MG_ARG(mg_buf_str(&list)));
}

static mg_status read_count(const mg_option *option, mg_str text, uint64_t *out, mg_err *err)
{
    int64_t number;
    const uint32_t max = option->max > 0 ? option->max : UINT32_MAX;
    MG_TRY(mg_parse_int(text, &number, err));
    if (number < 1 || number > max)
        return mg_fail(err, MG_ERR_INVALID, "%" PRId64 " is not a whole number from 1 to %" PRIu32,
                       number, max);
    *out = (uint64_t)number;
    return MG_OK;
}

static mg_status read_number(mg_str text, double *out, mg_err *err)
{
    MG_TRY(mg_parse_number(text, out, err));
    if (!(*out > 0))
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a number above 0", MG_ARG(text));
    return MG_OK;
}

static mg_status read_duration(const mg_option *option, mg_str text, uint64_t *out, mg_err *err)
{
    MG_TRY(mg_parse_duration(text, out, err));
    if (option->not_zero && *out == 0)
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is no time at all; 100ms or 2s is one",
                       MG_ARG(text));
    return MG_OK;
}

static mg_status read_value(const reader *r, slot at, mg_str text, mg_err *err)
{
    const mg_option *option = at.option;
    mg_cli_value *value = at.value;
    mg_status s = MG_OK;
    if (option->type == MG_CLI_DURATION)
        s = read_duration(option, text, &value->amount, err);
    else if (option->type == MG_CLI_COUNT)
        s = read_count(option, text, &value->amount, err);
    else if (option->type == MG_CLI_NUMBER)
        s = read_number(text, &value->number, err);
    else if (option->type == MG_CLI_CHOICE)
        s = read_choice(r->arena, option->choices, text, err);
    else if (option->type != MG_CLI_FLAG && text.len == 0)
        s = mg_fail(err, MG_ERR_INVALID, "its %s is empty", option->value);
    if (s != MG_OK)
        return mg_context(err, s, "option '--%s'", option->name);
    if (option->type != MG_CLI_FLAG && !option->repeatable && value->texts.count > 0)
        return mg_fail(err, MG_ERR_INVALID, "option '--%s' was given twice", option->name);
    mg_strs_add(r->arena, &value->texts, text);
    return MG_OK;
}

/* The argument of an option: what stood with it, or else the next word. */
static mg_status take_value(reader *r, slot at, const char *attached, mg_err *err)
{
    if (attached == NULL && *r->argv == NULL)
        return mg_fail(err, MG_ERR_INVALID, "option '--%s' needs its %s", at.option->name,
                       at.option->value);
    const char *text = attached != NULL ? attached : *r->argv++;
    return read_value(r, at, mg_str_of(text), err);
}

static mg_status read_long(reader *r, const char *word, mg_err *err)
{
    const mg_str whole = mg_str_of(word);
    const size_t equals = mg_str_find(whole, '=', 0);
    const mg_str name = mg_str_first(whole, equals);
    const char *attached = equals < whole.len ? word + equals + 1 : NULL;
    const slot at = find(r->args, name, 0);
    if (at.option == NULL || name.len == 0)
        return unknown_option(r, name, err);
    if (at.option->type != MG_CLI_FLAG)
        return take_value(r, at, attached, err);
    if (attached != NULL)
        return mg_fail(err, MG_ERR_INVALID, "option '--%s' takes no value", at.option->name);
    r->ended = strcmp(at.option->name, "help") == 0;
    return read_value(r, at, MG_STR(""), err);
}

static mg_status read_letters(reader *r, const char *letters, mg_err *err)
{
    for (; *letters != '\0' && !r->ended; letters++) {
        const slot at = find(r->args, MG_STR(""), *letters);
        if (at.option == NULL)
            return mg_fail(err, MG_ERR_INVALID, "unknown option '-" MG_FMT "'",
                           MG_ARG(mg_text_line(r->arena, (mg_str){letters, 1}, 8)));
        if (at.option->type != MG_CLI_FLAG)
            return take_value(r, at, letters[1] != '\0' ? letters + 1 : NULL, err);
        r->ended = strcmp(at.option->name, "help") == 0;
        MG_TRY(read_value(r, at, MG_STR(""), err));
    }
    return MG_OK;
}

/* A word too many; whoever forgot the `--` is told of it. */
static mg_status no_operand(const reader *r, mg_str shown, mg_err *err)
{
    const mg_command *command = r->args->command;
    if (command->operand.name == NULL && command->rest.name != NULL)
        return mg_fail(err, MG_ERR_INVALID,
                       "it takes no operand, but got '" MG_FMT "'; the %s goes after '--'",
                       MG_ARG(shown), command->rest.name);
    if (command->operand.name == NULL)
        return mg_fail(err, MG_ERR_INVALID, "it takes no operand, but got '" MG_FMT "'",
                       MG_ARG(shown));
    const char *last = command->second.name != NULL ? command->second.name : command->operand.name;
    return mg_fail(err, MG_ERR_INVALID, "it takes one %s, but got '" MG_FMT "' as well", last,
                   MG_ARG(shown));
}

static mg_status read_operand(reader *r, const char *word, mg_err *err)
{
    const mg_command *command = r->args->command;
    const mg_str text = mg_str_of(word);
    const bool first = r->args->operand.ptr == NULL;
    const mg_operand *operand = first ? &command->operand : &command->second;
    mg_str *to = first ? &r->args->operand : &r->args->second;
    if (operand->name == NULL || to->ptr != NULL)
        return no_operand(r, mg_text_line(r->arena, text, 200), err);
    if (text.len == 0)
        return mg_fail(err, MG_ERR_INVALID, "its %s is empty", operand->name);
    if (operand->type == MG_CLI_CHOICE)
        MG_TRY(read_choice(r->arena, operand->choices, text, err));
    *to = text;
    return MG_OK;
}

static void read_rest(reader *r)
{
    while (*r->argv != NULL)
        mg_strs_add(r->arena, &r->args->rest, mg_str_of(*r->argv++));
}

mg_status mg_cli_parse(const mg_command *command, const char *const *argv, mg_arena *arena,
                       mg_cli_args *out, mg_err *err)
{
    *out = (mg_cli_args){
        .command = command,
        .own = mg_new_array(arena, mg_cli_value, count_options(command->options)),
        .common = mg_new_array(arena, mg_cli_value, count_options(mg_common_options)),
    };
    reader r = {.argv = argv, .arena = arena, .args = out};
    bool only_operands = false;
    while (*r.argv != NULL && !r.ended) {
        const char *word = *r.argv++;
        if (only_operands || word[0] != '-' || word[1] == '\0')
            MG_TRY(read_operand(&r, word, err));
        else if (strcmp(word, "--") == 0 && command->rest.name != NULL)
            read_rest(&r);
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            MG_TRY(read_long(&r, word + 2, err));
        else
            MG_TRY(read_letters(&r, word + 1, err));
    }
    return MG_OK;
}

const mg_cli_value *mg_cli_get(const mg_cli_args *args, const char *name)
{
    const slot at = find(args, mg_str_of(name), 0);
    assert(at.option != NULL);
    return at.value;
}

bool mg_cli_given(const mg_cli_args *args, const char *name)
{
    return mg_cli_get(args, name)->texts.count > 0;
}

const char *mg_cli_text(const mg_cli_args *args, const char *name)
{
    const slot at = find(args, mg_str_of(name), 0);
    assert(at.option != NULL);
    const mg_strs *texts = &at.value->texts;
    /* A word of argv ends in NUL. */
    return texts->count > 0 ? texts->items[texts->count - 1].ptr : at.option->fallback;
}

uint64_t mg_cli_amount(const mg_cli_args *args, const char *name)
{
    return mg_cli_get(args, name)->amount;
}

double mg_cli_number(const mg_cli_args *args, const char *name)
{
    return mg_cli_get(args, name)->number;
}
