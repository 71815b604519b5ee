/* run.c - from argv to an exit code: finds the command, reads its options, runs it. */
#include "cli/cli.h"

#include "data/text.h"

static int show_help(mg_cli *cli, const mg_command *command)
{
    mg_buf text = mg_cli_buf(cli);
    if (command != NULL)
        mg_help_command(command, cli->arena, &text);
    else
        mg_help_program(cli->arena, &text);
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}

static int run_command(mg_cli *cli, const mg_command *command, const char *const *argv)
{
    mg_cli_args args;
    mg_err err;
    if (mg_cli_parse(command, argv, cli->arena, &args, &err) != MG_OK)
        return mg_cli_say(cli, MG_EXIT_USAGE, "%s: %s; 'makegood %s --help' lists what it takes",
                          command->name, err.text, command->name);
    if (mg_cli_given(&args, "help"))
        return show_help(cli, command);
    mg_cli_settle(cli, &args);
    return command->run(cli, &args);
}

static int no_such_command(mg_cli *cli, mg_str typed)
{
    static const char *const options[] = {"--help", "--version", NULL};
    const bool option = mg_str_starts(typed, "-");
    const char *what = option ? "option" : "command";
    const char *const *names = option ? options : mg_command_names(cli->arena);
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    const mg_str shown = mg_text_line(cli->arena, typed, 200);
    const char *near = mg_nearest(typed, names, count);
    if (near != NULL)
        return mg_cli_say(cli, MG_EXIT_USAGE, "unknown %s '" MG_FMT "' (did you mean '%s'?)", what,
                          MG_ARG(shown), near);
    return mg_cli_say(cli, MG_EXIT_USAGE,
                      "unknown %s '" MG_FMT "'; 'makegood --help' lists the commands", what,
                      MG_ARG(shown));
}

int mg_cli_main(mg_cli *cli, const char *const *argv)
{
    if (argv[0] == NULL || argv[1] == NULL) {
        mg_buf text = mg_cli_buf(cli);
        mg_help_program(cli->arena, &text);
        cli->out = cli->err; /* nothing was asked: help is the complaint, not a result */
        return mg_cli_show(cli, &text, MG_EXIT_USAGE);
    }
    const mg_str first = mg_str_of(argv[1]);
    if (mg_str_is(first, "--help") || mg_str_is(first, "-h"))
        return show_help(cli, NULL);
    if (mg_str_is(first, "--version") || mg_str_is(first, "-V"))
        return run_command(cli, mg_command_find(MG_STR("version")), argv + 2);
    const mg_command *command = mg_command_find(first);
    return command != NULL ? run_command(cli, command, argv + 2) : no_such_command(cli, first);
}
