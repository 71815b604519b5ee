/* commands.c - every command in one table, in the order in which people meet them. */
#include "cli/cli.h"

#include "agent/agent.h"
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

static const char *const *preset_names(mg_arena *arena)
{
    words names = {0};
    for (size_t i = 0; mg_preset_at(i) != NULL; i++)
        mg_vec_push(arena, &names, mg_preset_at(i)->name);
    mg_vec_push(arena, &names, NULL);
    return names.items;
}

static const char *const *loop_actions(mg_arena *arena)
{
    (void)arena;
    static const char *const names[] = {"list", "show", "cancel", "resume", "report", NULL};
    return names;
}

static const char *const *kind_names(mg_arena *arena)
{
    words names = {0};
    for (size_t i = 0; mg_check_kinds[i] != NULL; i++)
        mg_vec_push(arena, &names, mg_check_kinds[i]->name);
    for (const mg_group_help *g = mg_groups; g->name != NULL; g++)
        mg_vec_push(arena, &names, g->name);
    for (size_t i = 0; mg_preset_at(i) != NULL; i++)
        mg_vec_push(arena, &names, mg_preset_at(i)->name);
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

static const mg_option drive_options[] = {
    {"file", 'f', "FILE", MG_CLI_FILE,
     .help = "goal file instead of makegood.yaml; - reads standard input"},
    {"goal", 'g', "TEXT", MG_CLI_TEXT,
     .help = "what is wanted, in a sentence; instead of the one in the file"},
    {"until", 'u', "COMMAND", MG_CLI_TEXT, .repeatable = true,
     .help =
         "a shell command that must succeed, within 10m; alone it needs no goal file, and one that is "
         "here is not read"},
    {"agent", 'a', "PRESET", MG_CLI_CHOICE, .choices = preset_names,
     .help = "who does the work, instead of the agent in the file"},
    {"attempts", 'n', "N", MG_CLI_COUNT, .max = 1000,
     .help = "attempts at most, up to 1000 (5 unless the file says otherwise)"},
    {"time", 't', "TIME", MG_CLI_DURATION, .not_zero = true,
     .help = "time at most, over all attempts (1h)"},
    {"tokens", 0, "N", MG_CLI_COUNT, .help = "model tokens at most, where the agent tells them"},
    {"cost", 0, "USD", MG_CLI_NUMBER, .help = "money at most, where the agent tells it"},
    {"attempt-timeout", 0, "TIME", MG_CLI_DURATION, .not_zero = true,
     .help = "the longest one attempt may take (20m)"},
    {"root", 0, "DIR", MG_CLI_DIR,
     .help = "directory the agent works in, instead of the root in the file"},
    FORMAT(text_or_json),
    {"events", 0, "FILE", MG_CLI_FILE,
     .help = "write every event there as it happens, a line of JSON each; - is stdout"},
    {"verbose", 'v', NULL, MG_CLI_FLAG, .help = "show the agent's own output as well"},
    {0},
};

static const mg_example drive_examples[] = {
    {"makegood drive --agent claude", "Works on ./makegood.yaml until it verifiably holds."},
    {"makegood drive --until 'make test' --agent codex -- --model gpt-5",
     "Needs no goal file; what follows -- is added to the agent's arguments."},
    {"makegood drive -f site.yaml -n 3 -- ./my-agent.sh '{prompt}'",
     "Runs any program; without {prompt} the prompt comes on its stdin."},
    {0},
};

static const mg_exit_code drive_codes[] = {
    {MG_EXIT_MET, "the goal holds, verified"},
    {MG_EXIT_NOT_MET, "given up, and it does not hold"},
    {MG_EXIT_USAGE, "bad usage, goal file or configuration; no attempt was made"},
    {MG_EXIT_UNKNOWN, "given up unverified: the evidence says neither"},
    {MG_EXIT_ERROR, "the agent cannot run, the store failed, or makegood itself did"},
    {MG_EXIT_REFUSED, "refused: another loop is active in this directory"},
    {MG_EXIT_INTERRUPTED, "interrupted or cancelled; it can be resumed"},
    {0},
};

static const mg_option loop_options[] = {
    {"limit", 'n', "N", MG_CLI_COUNT, .help = "list: only the newest so many"},
    {"html", 'o', "FILE", MG_CLI_FILE, .help = "report: where to write the page; - is stdout"},
    FORMAT(text_or_json),
    {"events", 0, "FILE", MG_CLI_FILE, .help = "resume: as with drive"},
    {"verbose", 'v', NULL, MG_CLI_FLAG, .help = "resume: show the agent's own output as well"},
    {0},
};

static const mg_example loop_examples[] = {
    {"makegood loop", "Lists your loops, the newest first."},
    {"makegood loop cancel 019a85c4", "Stops one at once; the beginning of its id is enough."},
    {"makegood loop resume", "Goes on with the newest one here after its last finished attempt."},
    {"makegood loop report --html report.html", "Writes one page about the last one."},
    {0},
};

static const mg_exit_code loop_codes[] = {
    {MG_EXIT_MET, "done; after resume: the goal holds, verified"},
    {MG_EXIT_NOT_MET, "no such loop, or its state forbids it; after resume: as with drive"},
    {MG_EXIT_USAGE, "bad usage"},
    {MG_EXIT_UNKNOWN, "after resume: given up unverified"},
    {MG_EXIT_ERROR, "the store cannot be read or written, or makegood itself failed"},
    {MG_EXIT_REFUSED, "resume: another loop is active in that directory"},
    {MG_EXIT_INTERRUPTED, "resume: interrupted or cancelled"},
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
    {MG_EXIT_MET, "everything that check and drive need is there"},
    {MG_EXIT_NOT_MET, "something that they need is missing"},
    {MG_EXIT_USAGE, "bad usage"},
    {MG_EXIT_ERROR, "the output could not be written"},
    {0},
};

static const mg_example demo_examples[] = {
    {"makegood demo", "Takes a moment, and leaves nothing behind."},
    {0},
};

static const mg_exit_code demo_codes[] = {
    {MG_EXIT_MET, "two attempts fell short as they should, and the third made the goal hold"},
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
        .name = "drive",
        .summary = "re-drive an agent until the goal verifiably holds",
        .description =
            "Runs an agent on the goal, looks at the world itself, tells the agent exactly what is "
            "still missing, and runs it again, within a budget. It stops the agent the instant the "
            "goal holds, and ends with 0 only if it has seen that. What an agent says of itself, "
            "and its exit code, decide nothing. Protected files are restored, and every process "
            "that the agent started is ended before anything is judged. A goal file and --until "
            "run commands, and an agent can do what you can: drive only what you trust. Ctrl-C "
            "stops, and 'makegood loop resume' goes on.",
        .rest = {"COMMAND", MG_CLI_TEXT, NULL,
                 "the agent's program and its arguments; with --agent, arguments added to the "
                 "preset's"},
        .options = drive_options,
        .examples = drive_examples,
        .exit_codes = drive_codes,
        .run = mg_cmd_drive,
    },
    {
        .name = "loop",
        .summary = "list, show, cancel, resume or report what was driven",
        .description =
            "Every drive is a loop, kept in $XDG_STATE_HOME/makegood (~/.local/state/makegood). "
            "list shows your loops, show the attempts and the evidence of one, cancel stops one "
            "that runs, resume goes on with one that was cancelled or whose driver was killed, "
            "with the goal it began with, and report writes a page about one for a browser.",
        .operand = {"ACTION", MG_CLI_CHOICE, loop_actions,
                    "list, show, cancel, resume or report (default: list)"},
        .second = {"ID", MG_CLI_TEXT, NULL,
                   "the loop, or the beginning of its id (default: the newest of this "
                   "directory, or of all; of cancel, the one that runs)"},
        .options = loop_options,
        .examples = loop_examples,
        .exit_codes = loop_codes,
        .run = mg_cmd_loop,
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
        .summary = "list what can be asserted, and the known agents",
        .description =
            "Lists the kinds of assertion that a goal file may use, with their fields, and the "
            "groups that join them, and the agents that are known by name. Given a name, shows that one with its fields and an example.",
        .operand = {"NAME", MG_CLI_CHOICE, kind_names,
                    "the kind, group or agent to show (default: all)"},
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
        .summary = "watch an agent be re-driven until the goal holds",
        .description =
            "Puts a small website into a temporary directory and drives a scripted agent at it: the "
            "first attempt only reads, the second empties the style sheet, the third does the work. "
            "Everything shown is what really happened.",
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
