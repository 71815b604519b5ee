/* commands.c - every command in one table, in the order in which people meet them. */
#include "cli/cli.h"

#include "base/vec.h"
#include "check/check.h"
#include "cli/reference.h"
#include "report/report.h"

typedef struct words {
    const char **items;
    size_t count, cap;
} words;

static const char *const *report_formats(mg_arena *arena)
{
    words names = {0};
    for (size_t i = 0; mg_reporters[i] != NULL; i++)
        mg_vec_push(arena, &names, mg_reporters[i]->name);
    mg_vec_push(arena, &names, NULL);
    return names.items;
}

static const char *const *kind_names(mg_arena *arena)
{
    words names = {0};
    for (size_t i = 0; mg_check_kinds[i] != NULL; i++)
        mg_vec_push(arena, &names, mg_check_kinds[i]->name);
    for (const mg_group_help *g = mg_groups; g->name != NULL; g++)
        mg_vec_push(arena, &names, g->name);
    mg_vec_push(arena, &names, NULL);
    return names.items;
}

const char *const *mg_command_names(mg_arena *arena)
{
    words names = {0};
    for (const mg_command *c = mg_commands; c->name != NULL; c++)
        mg_vec_push(arena, &names, c->name);
    mg_vec_push(arena, &names, NULL);
    return names.items;
}

static const char *const *text_or_json(mg_arena *arena)
{
    (void)arena;
    static const char *const names[] = {"text", "json", NULL};
    return names;
}

static const char *const *kinds_formats(mg_arena *arena)
{
    (void)arena;
    static const char *const names[] = {"text", "json", "json-schema", "markdown", NULL};
    return names;
}

#define FORMAT(list)                                                                    \
    {                                                                                   \
        .name = "format", .value = "FORMAT", .type = MG_CLI_CHOICE, .fallback = "text", \
        .choices = list, .help = "how to show it"                                       \
    }

const mg_option mg_common_options[] = {
    {"quiet", 'q', NULL, MG_CLI_FLAG, .help = "show only what is wrong, and the summary"},
    {"no-color", 0, NULL, MG_CLI_FLAG, .help = "no colours, as with NO_COLOR in the environment"},
    {"help", 'h', NULL, MG_CLI_FLAG, .help = "show this help and exit"},
    {0},
};

const mg_option mg_global_options[] = {
    {"help", 'h', NULL, MG_CLI_FLAG, .help = "show this help and exit"},
    {"version", 'V', NULL, MG_CLI_FLAG, .help = "show the version and exit"},
    {0},
};

static const mg_option check_options[] = {
    {"file", 'f', "FILE", MG_CLI_FILE, .repeatable = true,
     .help = "goal file to check instead of makegood.yaml; - reads standard input"},
    {"wait", 0, "TIME", MG_CLI_DURATION, .help = "keep checking until the goal holds, this long"},
    {"every", 0, "TIME", MG_CLI_DURATION, .not_zero = true,
     .help = "with --wait, the pause between checks (1s)"},
    {"only", 0, "NAME", MG_CLI_TEXT, .help = "check only entries whose name matches this pattern"},
    {"jobs", 'j', "N", MG_CLI_COUNT, .max = 256,
     .help = "how many slow entries may run side by side, up to 256"},
    {"fail-fast", 0, NULL, MG_CLI_FLAG, .help = "stop at the first entry that fails"},
    {"deadline", 0, "TIME", MG_CLI_DURATION, .not_zero = true,
     .help = "time for the whole check of a goal file"},
    {"root", 0, "DIR", MG_CLI_DIR,
     .help = "directory the goal is about, instead of the root in the file"},
    FORMAT(report_formats),
    {"output", 'o', "FILE", MG_CLI_FILE,
     .help = "write the report there instead of to stdout; an older one there is removed first"},
    {0},
};

static const mg_example check_examples[] = {
    {"makegood check", "Judges ./makegood.yaml against the directory it stands in."},
    {"makegood check -f site.yaml --wait 60s", "Gives a server a minute to come up."},
    {"makegood check --format junit -o report.xml", "Leaves a report for a CI server."},
    {0},
};

static const mg_exit_code check_codes[] = {
    {MG_EXIT_MET, "the goal holds, verified"},
    {MG_EXIT_NOT_MET, "it does not hold"},
    {MG_EXIT_USAGE, "bad usage or goal file; nothing was run"},
    {MG_EXIT_UNKNOWN, "unverified: the evidence says neither"},
    {MG_EXIT_ERROR, "makegood itself failed, or the report could not be written or was not read"},
    {MG_EXIT_INTERRUPTED, "interrupted"},
    {0},
};

static const mg_option init_options[] = {
    {"force", 0, NULL, MG_CLI_FLAG, .help = "overwrite a makegood.yaml that is there"},
    FORMAT(text_or_json),
    {0},
};

static const mg_example init_examples[] = {
    {"makegood init", "Writes ./makegood.yaml from what the project says about itself."},
    {"makegood init web --force", "Writes web/makegood.yaml anew."},
    {0},
};

static const mg_exit_code init_codes[] = {
    {MG_EXIT_MET, "the file was written"},
    {MG_EXIT_NOT_MET, "there is one already, and --force was not given"},
    {MG_EXIT_USAGE, "bad usage, or no such directory"},
    {MG_EXIT_ERROR, "the file could not be written"},
    {0},
};

static const mg_option kinds_options[] = {FORMAT(kinds_formats), {0}};

static const mg_example kinds_examples[] = {
    {"makegood kinds", "Lists every kind of assertion."},
    {"makegood kinds file_contains", "Shows the fields of one, with an example."},
    {"makegood kinds --format json-schema > makegood.schema.json",
     "Gives an editor what it needs to complete goal files."},
    {0},
};

static const mg_exit_code plain_codes[] = {
    {MG_EXIT_MET, "done"},
    {MG_EXIT_USAGE, "bad usage"},
    {MG_EXIT_ERROR, "the output could not be written"},
    {0},
};

static const mg_option text_json_options[] = {FORMAT(text_or_json), {0}};

static const mg_example doctor_examples[] = {
    {"makegood doctor", "Lists what was found, and what a missing piece affects."},
    {0},
};

static const mg_exit_code doctor_codes[] = {
    {MG_EXIT_MET, "everything that check needs is there"},
    {MG_EXIT_NOT_MET, "something that check needs is missing"},
    {MG_EXIT_USAGE, "bad usage"},
    {MG_EXIT_ERROR, "the output could not be written"},
    {0},
};

static const mg_example demo_examples[] = {
    {"makegood demo", "Takes a moment, and leaves nothing behind."},
    {0},
};

static const mg_exit_code demo_codes[] = {
    {MG_EXIT_MET, "the goal fell short before the repair and held after it"},
    {MG_EXIT_USAGE, "bad usage"},
    {MG_EXIT_ERROR, "it went any other way"},
    {MG_EXIT_INTERRUPTED, "interrupted"},
    {0},
};

static const mg_example version_examples[] = {
    {"makegood version --format json", "The version, for programs."},
    {0},
};

static const mg_example help_examples[] = {
    {"makegood help check", "The same as makegood check --help."},
    {0},
};

const mg_command mg_commands[] = {
    {
        .name = "check",
        .summary = "say whether the goal holds now",
        .description =
            "Reads a goal file, looks at the world it speaks of, and says whether the goal holds. "
            "Every entry passes, fails or is unknown, with what was expected and what was seen; "
            "what could not be looked at is never counted as a success. A goal file runs commands: "
            "check only files that you trust. With several files all are read before anything "
            "runs, and the worst answer decides; with --wait they have to hold in the same round.",
        .options = check_options,
        .examples = check_examples,
        .exit_codes = check_codes,
        .run = mg_cmd_check,
    },
    {
        .name = "init",
        .summary = "write a goal file for a project",
        .description =
            "Looks at what the project says about itself (package.json, Makefile, meson.build, "
            "CMakeLists.txt, Cargo.toml, pyproject.toml, go.mod, index.html) and writes a "
            "commented makegood.yaml that can be checked at once. Nothing is run, and a file that "
            "is there is not overwritten without --force.",
        .operand = {"DIR", MG_CLI_DIR, NULL, "directory of the project (default: the current one)"},
        .options = init_options,
        .examples = init_examples,
        .exit_codes = init_codes,
        .run = mg_cmd_init,
    },
    {
        .name = "kinds",
        .summary = "list what can be asserted",
        .description =
            "Lists the kinds of assertion that a goal file may use, with their fields, and the "
            "groups that join them. Given a name, shows that one with its fields and an example.",
        .operand = {"NAME", MG_CLI_CHOICE, kind_names, "the kind or group to show (default: all)"},
        .options = kinds_options,
        .examples = kinds_examples,
        .exit_codes = plain_codes,
        .run = mg_cmd_kinds,
    },
    {
        .name = "doctor",
        .summary = "say what is installed here and what is missing",
        .description = "Looks for the libraries, programs and system calls that makegood uses, and "
                       "says what works without them and what does not.",
        .options = text_json_options,
        .examples = doctor_examples,
        .exit_codes = doctor_codes,
        .run = mg_cmd_doctor,
    },
    {
        .name = "demo",
        .summary = "watch a goal fall short, be repaired and hold",
        .description =
            "Puts a small website into a temporary directory, checks a goal that it does not meet, "
            "repairs it and checks again. Everything shown is what really happened.",
        .options = text_json_options,
        .examples = demo_examples,
        .exit_codes = demo_codes,
        .run = mg_cmd_demo,
    },
    {
        .name = "version",
        .summary = "show the version",
        .description = "Shows the version of makegood.",
        .options = text_json_options,
        .examples = version_examples,
        .exit_codes = plain_codes,
        .run = mg_cmd_version,
    },
    {
        .name = "help",
        .summary = "show the help of a command",
        .description = "Shows the help of a command, or the list of commands.",
        .operand = {"COMMAND", MG_CLI_CHOICE, mg_command_names, "the command to explain"},
        .options = text_json_options,
        .examples = help_examples,
        .exit_codes = plain_codes,
        .run = mg_cmd_help,
    },
    {0},
};

const mg_command *mg_command_find(mg_str name)
{
    for (const mg_command *c = mg_commands; c->name != NULL; c++)
        if (mg_str_is(name, c->name))
            return c;
    return NULL;
}
