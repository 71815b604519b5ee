/* cli.h - the command line: what a command is, and what the commands share.
 *
 * A command is one row in commands.c and one cmd_*.c with its run(). The rows say everything
 * there is to say about a command; parsing, --help, the man pages and the completions of
 * three shells are all read off them, so they cannot disagree.
 *
 * To add a command: one file with its run(), one row in commands.c, one script in
 * tests/integration/cli/.
 */
#ifndef MG_CLI_CLI_H
#define MG_CLI_CLI_H

#include "base/buf.h"
#include "base/clock.h"

/* What the program's exit tells its caller; docs/drive.md, "When it ends". */
enum {
    MG_EXIT_MET = 0,
    MG_EXIT_NOT_MET = 1,
    MG_EXIT_USAGE = 2, /* nothing was run */
    MG_EXIT_UNKNOWN = 3,
    MG_EXIT_ERROR = 4,   /* our own failure */
    MG_EXIT_REFUSED = 5, /* another loop is active */
    MG_EXIT_INTERRUPTED = 130,
};

typedef enum mg_cli_type {
    MG_CLI_FLAG = 1,
    MG_CLI_TEXT,
    MG_CLI_FILE, /* TEXT that a shell completes as a file name */
    MG_CLI_DIR,
    MG_CLI_DURATION, /* 100ms, 2m */
    MG_CLI_COUNT,    /* a whole number from 1 */
    MG_CLI_NUMBER,   /* a number above 0: 2.50 */
    MG_CLI_CHOICE,   /* one of choices() */
} mg_cli_type;

/* The words that may be chosen from, ending with NULL. */
typedef const char *const *(*mg_cli_choices)(mg_arena *arena);

typedef struct mg_option {
    const char *name;  /* "wait"; NULL ends a table */
    char letter;       /* 'f', or 0 */
    const char *value; /* what to call its argument in help: "FILE"; NULL for a flag */
    mg_cli_type type;
    bool repeatable;
    const char *fallback; /* of a choice: what holds when it is not given */
    mg_cli_choices choices;
    const char *help;
    uint32_t max;  /* of a count; 0: whatever fits */
    bool not_zero; /* of a duration: none at all is refused */
} mg_option;

typedef struct mg_operand {
    const char *name; /* "DIR"; NULL: the command takes none */
    mg_cli_type type;
    mg_cli_choices choices;
    const char *help;
} mg_operand;

typedef struct mg_example {
    const char *line, *why; /* line NULL ends a table */
} mg_example;

typedef struct mg_exit_code {
    int code;
    const char *meaning; /* NULL ends a table */
} mg_exit_code;

typedef struct mg_cli mg_cli;
typedef struct mg_cli_args mg_cli_args;

typedef struct mg_command {
    const char *name;        /* NULL ends the table */
    const char *summary;     /* one line */
    const char *description; /* a paragraph, without line ends of its own */
    mg_operand operand;      /* may be left out on the command line, always */
    mg_operand second;       /* what may stand after it */
    mg_operand rest;         /* what may stand after `--`, as many words as there are */
    const mg_option *options;
    const mg_example *examples;
    const mg_exit_code *exit_codes;
    int (*run)(mg_cli *cli, const mg_cli_args *args);
} mg_command;

extern const mg_command mg_commands[];
extern const mg_option mg_common_options[]; /* of every command */
extern const mg_option mg_global_options[]; /* in place of a command */

const mg_command *mg_command_find(mg_str name);
const char *const *mg_command_names(mg_arena *arena);

/* What a run of the program has: where it writes, what it knows of its surroundings. */
struct mg_cli {
    mg_arena *arena;
    const mg_clock *clock;
    const char *const *environ; /* ends with NULL */
    int out, err;               /* descriptors */
    const char *version;
    bool quiet, color; /* settled once the options are known */
    bool color_err;    /* the same for err */
    unsigned width;    /* of the terminal on out; 0: none */
};

/* --- args.c: what was typed, by the rows of a command. --- */

typedef struct mg_cli_value {
    mg_strs texts;   /* each time it was given; empty: it was not */
    uint64_t amount; /* of the last: milliseconds or count */
    double number;   /* of the last NUMBER */
} mg_cli_value;

struct mg_cli_args {
    const mg_command *command;
    mg_cli_value *own;    /* one for each row of command->options */
    mg_cli_value *common; /* one for each of mg_common_options */
    mg_str operand;       /* ptr NULL: not given */
    mg_str second;        /* the same */
    mg_strs rest;         /* what stood after `--`, where the command takes that */
};

/* argv without the program and the command; ends with NULL. MG_ERR_INVALID says what is wrong
 * and what was probably meant. --help ends reading: nothing after it can be wrong. */
MG_MUST_CHECK mg_status mg_cli_parse(const mg_command *command, const char *const *argv,
                                     mg_arena *arena, mg_cli_args *out, mg_err *err);

/* By the option's long name; a name that the command does not have is a bug of ours. */
const mg_cli_value *mg_cli_get(const mg_cli_args *args, const char *name);
bool mg_cli_given(const mg_cli_args *args, const char *name);
const char *mg_cli_text(const mg_cli_args *args,
                        const char *name);                         /* last one, fallback, or NULL */
uint64_t mg_cli_amount(const mg_cli_args *args, const char *name); /* 0: not given */
double mg_cli_number(const mg_cli_args *args, const char *name);   /* 0: not given */

/* --- help.c --- */

void mg_help_program(mg_arena *arena, mg_buf *out);
void mg_help_command(const mg_command *command, mg_arena *arena, mg_buf *out);

/* "check [OPTION]... [DIR]" */
mg_str mg_command_usage(const mg_command *command, mg_arena *arena);

/* "-f, --file=FILE" */
mg_str mg_option_usage(const mg_option *option, mg_arena *arena);

/* The help with its choices and default: "how to show it: text, json (text)". */
mg_str mg_option_help(const mg_option *option, mg_arena *arena);

/* Adds text broken at blanks, each line after `indent` blanks, at most `width` columns. */
void mg_wrap(mg_buf *out, mg_str text, size_t indent, size_t width);

/* --- output.c: results to stdout or a file, sentences to stderr. --- */

/* A buffer for what a command has to show. */
mg_buf mg_cli_buf(mg_cli *cli);

/* Writes results and returns `code`, or MG_EXIT_ERROR with a sentence where they could not be
 * written. A reader that went away (EPIPE) has seen enough: no sentence, `code`. */
int mg_cli_show(mg_cli *cli, const mg_buf *text, int code);

/* The same for a verdict: a success that nobody read is none, so where the reader went away
 * 0 becomes MG_EXIT_ERROR, without a sentence. */
int mg_cli_deliver(mg_cli *cli, const mg_buf *text, int code);

/* "makegood: sentence" on stderr, on one line and harmless there; returns code. */
int mg_cli_say(mg_cli *cli, int code, const char *fmt, ...) MG_PRINTF(3, 4);

/* "makegood: sentence", and then lines as they are, but harmless as well. */
int mg_cli_complain(mg_cli *cli, int code, const char *sentence, mg_str lines);

const char *mg_cli_getenv(const mg_cli *cli, const char *name);

/* Sets quiet, color and width from the options, the environment and the terminal. */
void mg_cli_settle(mg_cli *cli, const mg_cli_args *args);

/* --- main line: argv to exit code. --- */

int mg_cli_main(mg_cli *cli, const char *const *argv);

/* --- the commands --- */

int mg_cmd_check(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_drive(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_loop(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_init(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_kinds(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_doctor(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_demo(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_version(mg_cli *cli, const mg_cli_args *args);
int mg_cmd_help(mg_cli *cli, const mg_cli_args *args);

#endif
