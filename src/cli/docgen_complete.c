/* docgen_complete.c - completions for bash, zsh and fish, from the command table.
 *
 * Each script stands alone: nothing of bash-completion or other packages is needed. */
#include "cli/docgen.h"

typedef void (*row_fn)(mg_buf *out, mg_arena *arena, const mg_command *command,
                       const mg_option *option);

static void each_option(mg_buf *out, mg_arena *arena, const mg_command *command, row_fn fn)
{
    for (const mg_option *o = command->options; o->name != NULL; o++)
        fn(out, arena, command, o);
    for (const mg_option *o = mg_common_options; o->name != NULL; o++)
        fn(out, arena, command, o);
}

static void add_words(mg_buf *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        mg_buf_addf(out, "%s%s", i > 0 ? " " : "", words[i]);
}

/* Text inside single quotes of a shell. `also` are characters that get a backslash. */
static void add_quoted(mg_buf *out, const char *text, const char *quote, const char *also)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            mg_buf_adds(out, quote);
        else if (strchr(also, *text) != NULL)
            mg_buf_addf(out, "\\%c", *text);
        else
            mg_buf_addc(out, *text);
    }
}

/* --- bash --- */

/* The commands that offer values of this type, as the body of a case. */
static void bash_values(mg_buf *out, mg_arena *arena, mg_cli_type type, mg_cli_choices choices)
{
    if (type == MG_CLI_CHOICE) {
        mg_buf_adds(out, "_makegood_words '");
        add_words(out, choices(arena));
        mg_buf_adds(out, "' ;;\n");
    } else if (type == MG_CLI_FILE) {
        mg_buf_adds(out, "_makegood_paths -f ;;\n");
    } else if (type == MG_CLI_DIR) {
        mg_buf_adds(out, "_makegood_paths -d ;;\n");
    } else {
        mg_buf_adds(out, ": ;;\n");
    }
}

static void bash_value_case(mg_buf *out, mg_arena *arena, const mg_command *command,
                            const mg_option *o)
{
    if (o->type == MG_CLI_FLAG)
        return;
    mg_buf_addf(out, "    '%s --%s'", command->name, o->name);
    if (o->letter != 0)
        mg_buf_addf(out, " | '%s -%c'", command->name, o->letter);
    mg_buf_adds(out, ") ");
    bash_values(out, arena, o->type, o->choices);
}

static void bash_option_word(mg_buf *out, mg_arena *arena, const mg_command *command,
                             const mg_option *o)
{
    (void)arena;
    (void)command;
    mg_buf_addf(out, " --%s", o->name);
    if (o->letter != 0)
        mg_buf_addf(out, " -%c", o->letter);
}

void mg_complete_bash(mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(out,
                "# bash completion for makegood; made from its command table\n\n"
                "_makegood_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
                "_makegood_paths() {\n    compopt -o filenames 2>/dev/null\n"
                "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n}\n\n"
                "_makegood() {\n"
                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                "    local command=${COMP_WORDS[1]}\n    COMPREPLY=()\n"
                "    # --name=value arrives as three words\n"
                "    if [[ $cur == '=' ]]; then cur=\n"
                "    elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        _makegood_words '");
    add_words(out, mg_command_names(arena));
    mg_buf_adds(out,
                " --help --version'\n        return\n    fi\n    case \"$command $prev\" in\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++)
        each_option(out, arena, c, bash_value_case);
    mg_buf_adds(out, "    *)\n        if [[ $cur == -* ]]; then\n            case $command in\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf_addf(out, "            %s) _makegood_words '", c->name);
        each_option(out, arena, c, bash_option_word);
        mg_buf_adds(out, "' ;;\n");
    }
    mg_buf_adds(out,
                "            esac\n            return\n        fi\n        case $command in\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        if (c->operand.name == NULL)
            continue;
        mg_buf_addf(out, "        %s) ", c->name);
        bash_values(out, arena, c->operand.type, c->operand.choices);
    }
    mg_buf_adds(out, "        esac\n        ;;\n    esac\n}\n\ncomplete -F _makegood makegood\n");
}

/* --- zsh --- */

static void zsh_action(mg_buf *out, mg_arena *arena, mg_cli_type type, mg_cli_choices choices)
{
    if (type == MG_CLI_CHOICE) {
        mg_buf_addc(out, '(');
        add_words(out, choices(arena));
        mg_buf_addc(out, ')');
    } else if (type == MG_CLI_FILE) {
        mg_buf_adds(out, "_files");
    } else if (type == MG_CLI_DIR) {
        mg_buf_adds(out, "_files -/");
    } else {
        mg_buf_addc(out, ' ');
    }
}

/* One spec of _arguments: '(-f --file)-f+[help]:FILE:_files'. */
static void zsh_spec(mg_buf *out, mg_arena *arena, const mg_option *o, mg_str spelled)
{
    mg_buf_adds(out, " \\\n            '");
    if (o->repeatable)
        mg_buf_addc(out, '*');
    else if (o->letter != 0)
        mg_buf_addf(out, "(-%c --%s)", o->letter, o->name);
    mg_buf_add(out, spelled);
    mg_buf_addc(out, '[');
    add_quoted(out, o->help, "'\\''", "[]:\\");
    mg_buf_addc(out, ']');
    if (o->value != NULL) {
        mg_buf_addf(out, ":%s:", o->value);
        zsh_action(out, arena, o->type, o->choices);
    }
    mg_buf_addc(out, '\'');
}

static void zsh_option(mg_buf *out, mg_arena *arena, const mg_command *command, const mg_option *o)
{
    (void)command;
    const bool flag = o->type == MG_CLI_FLAG;
    if (o->letter != 0)
        zsh_spec(out, arena, o, mg_strf(arena, "-%c%s", o->letter, flag ? "" : "+"));
    zsh_spec(out, arena, o, mg_strf(arena, "--%s%s", o->name, flag ? "" : "="));
}

void mg_complete_zsh(mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(out,
                "#compdef makegood\n# zsh completion for makegood; made from its command table\n\n"
                "_makegood() {\n    local -a commands=(");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf_addf(out, "\n        '%s:", c->name);
        add_quoted(out, c->summary, "'\\''", ":\\");
        mg_buf_addc(out, '\'');
    }
    mg_buf_adds(out, "\n    )\n    if (( CURRENT == 2 )); then\n"
                     "        _describe -t commands command commands\n        return\n    fi\n"
                     "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                     "    case $command in\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf_addf(out, "    %s)\n        _arguments -s -S", c->name);
        each_option(out, arena, c, zsh_option);
        if (c->operand.name != NULL) {
            mg_buf_addf(out, " \\\n            '1:%s:", c->operand.name);
            zsh_action(out, arena, c->operand.type, c->operand.choices);
            mg_buf_addc(out, '\'');
        }
        if (c->second.name != NULL)
            mg_buf_addf(out, " \\\n            '2:%s: '", c->second.name);
        if (c->rest.name != NULL)
            mg_buf_adds(out, " \\\n            '*:: : _normal'");
        mg_buf_adds(out, "\n        ;;\n");
    }
    mg_buf_adds(out, "    esac\n}\n\n_makegood \"$@\"\n");
}

/* --- fish --- */

static void fish_values(mg_buf *out, mg_arena *arena, mg_cli_type type, mg_cli_choices choices)
{
    if (type == MG_CLI_CHOICE) {
        mg_buf_adds(out, " -x -a '");
        add_words(out, choices(arena));
        mg_buf_addc(out, '\'');
    } else if (type == MG_CLI_FILE) {
        mg_buf_adds(out, " -r -F");
    } else if (type == MG_CLI_DIR) {
        mg_buf_adds(out, " -x -a '(__fish_complete_directories)'");
    } else if (type != MG_CLI_FLAG) {
        mg_buf_adds(out, " -x");
    }
}

static void fish_option(mg_buf *out, mg_arena *arena, const mg_command *command, const mg_option *o)
{
    mg_buf_addf(out, "complete -c makegood -n '__makegood_runs %s' -l %s", command->name, o->name);
    if (o->letter != 0)
        mg_buf_addf(out, " -s %c", o->letter);
    fish_values(out, arena, o->type, o->choices);
    mg_buf_adds(out, " -d '");
    add_quoted(out, o->help, "\\'", "\\");
    mg_buf_adds(out, "'\n");
}

void mg_complete_fish(mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(out, "# fish completion for makegood; made from its command table\n\n"
                     "function __makegood_runs\n    set -l words (commandline -opc)\n"
                     "    test (count $words) -ge 2; and test $words[2] = $argv[1]\nend\n\n"
                     "complete -c makegood -f\n"
                     "complete -c makegood -n __fish_use_subcommand -s h -l help -d 'show help'\n"
                     "complete -c makegood -n __fish_use_subcommand -s V -l version "
                     "-d 'show the version'\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf_addf(out, "\ncomplete -c makegood -n __fish_use_subcommand -a %s -d '", c->name);
        add_quoted(out, c->summary, "\\'", "\\");
        mg_buf_adds(out, "'\n");
        each_option(out, arena, c, fish_option);
        if (c->operand.name != NULL && c->operand.type == MG_CLI_CHOICE) {
            mg_buf_addf(out, "complete -c makegood -n '__makegood_runs %s' -a '", c->name);
            add_words(out, c->operand.choices(arena));
            mg_buf_adds(out, "'\n");
        } else if (c->operand.name != NULL) {
            mg_buf_addf(out,
                        "complete -c makegood -n '__makegood_runs %s' "
                        "-a '(__fish_complete_directories)'\n",
                        c->name);
        }
    }
}
