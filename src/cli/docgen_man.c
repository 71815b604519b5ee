/* docgen_man.c - man pages in man(7), from the command table and the tables of the goal file. */
#include "cli/docgen.h"
#include "cli/reference.h"

#include "check/check.h"

/* The day on which the manual's own words last changed; builds must not depend on the clock. */
#define MANUAL_DATE "2026-11-15"

/* Text on a line of its own: nothing in it is taken as an instruction. */
static void add_text(mg_buf *out, mg_str text)
{
    if (text.len > 0 && (text.ptr[0] == '.' || text.ptr[0] == '\''))
        mg_buf_adds(out, "\\&");
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '\\':
            mg_buf_adds(out, "\\e");
            break;
        case '-':
            mg_buf_adds(out, "\\-");
            break;
        case '\'':
            mg_buf_adds(out, "\\(aq");
            break;
        case '`':
            mg_buf_adds(out, "\\(ga");
            break;
        case '~':
            mg_buf_adds(out, "\\(ti");
            break;
        case '^':
            mg_buf_adds(out, "\\(ha");
            break;
        default:
            mg_buf_addc(out, text.ptr[i]);
        }
    }
}

static void add_line(mg_buf *out, const char *text)
{
    add_text(out, mg_str_of(text));
    mg_buf_addc(out, '\n');
}

/* A paragraph, one sentence a line as man pages want it. */
static void add_paragraph(mg_buf *out, mg_str text)
{
    size_t from = 0;
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == '.' && text.ptr[i + 1] == ' ') {
            add_text(out, (mg_str){text.ptr + from, i + 1 - from});
            mg_buf_addc(out, '\n');
            from = i + 2;
        }
    }
    add_text(out, mg_str_from(text, from));
    mg_buf_addc(out, '\n');
}

static void add_bold(mg_buf *out, mg_str text)
{
    mg_buf_adds(out, "\\fB");
    add_text(out, text);
    mg_buf_adds(out, "\\fR");
}

static void add_head(mg_buf *out, const char *name, const char *section, const char *version,
                     const char *summary)
{
    mg_buf_addf(out, ".\\\" Made from the command table by docgen; do not edit.\n.TH ");
    add_text(out, mg_str_of(name));
    mg_buf_addf(out, " %s " MANUAL_DATE " \"makegood %s\" \"makegood manual\"\n.SH NAME\n", section,
                version);
    add_text(out, mg_str_of(name));
    mg_buf_adds(out, " \\- ");
    add_line(out, summary);
}

static void add_options(mg_buf *out, mg_arena *arena, const mg_option *options)
{
    for (const mg_option *o = options; o->name != NULL; o++) {
        mg_buf_adds(out, ".TP\n");
        if (o->letter != 0) {
            add_bold(out, mg_strf(arena, "-%c", o->letter));
            mg_buf_adds(out, ", ");
        }
        add_bold(out, mg_strf(arena, "--%s", o->name));
        if (o->value != NULL)
            mg_buf_addf(out, "=\\fI%s\\fR", o->value);
        mg_buf_addc(out, '\n');
        add_paragraph(out, mg_option_help(o, arena));
    }
}

static void add_exit_codes(mg_buf *out, const mg_exit_code *codes)
{
    mg_buf_adds(out, ".SH \"EXIT STATUS\"\n");
    for (const mg_exit_code *c = codes; c->meaning != NULL; c++) {
        mg_buf_addf(out, ".TP\n.B %d\n", c->code);
        add_line(out, c->meaning);
    }
}

static void add_examples(mg_buf *out, const mg_example *examples)
{
    mg_buf_adds(out, ".SH EXAMPLES\n");
    for (const mg_example *e = examples; e->line != NULL; e++) {
        mg_buf_adds(out, ".TP\n");
        add_bold(out, mg_str_of(e->line));
        mg_buf_addc(out, '\n');
        add_line(out, e->why);
    }
}

/* --- The environment --- */

enum { CHECK = 1, DRIVE = 2, LOOP = 4, DOCTOR = 8, DEMO = 16, EVERY = 31 };

static const struct variable {
    const char *name, *text;
    unsigned of; /* the commands on whose pages it stands */
} variables[] = {
    {"NO_COLOR", "When it is not empty, no colours are used.", EVERY},
    {"GITHUB_STEP_SUMMARY",
     "With --format=github, a page about the check is added to the file of this name.", CHECK},
    {"XDG_STATE_HOME",
     "Loops are kept in its directory makegood; without it, in ~/.local/state/makegood. It must lie "
     "outside the directory that an agent works in.",
     DRIVE | LOOP | DOCTOR | DEMO},
    {"MAKEGOOD_LIBEXEC", "Where the helper programs are, if not where they were installed.",
     DRIVE | LOOP | DOCTOR | DEMO},
    {"MAKEGOOD_ATTEMPT", "Set for an agent that is driven: the number of the attempt, from 1.",
     DRIVE | LOOP},
    {"MAKEGOOD_GOAL", "Set for an agent that is driven: the goal, in a sentence.", DRIVE | LOOP},
    {"MAKEGOOD_FEEDBACK",
     "Set for an agent that is driven: what was missing after the attempt before.", DRIVE | LOOP},
    {"MAKEGOOD_ROOT", "Set for an agent that is driven: the directory that it works in.",
     DRIVE | LOOP},
};

static const struct {
    const char *command;
    unsigned bit;
} bits[] = {{"check", CHECK}, {"drive", DRIVE}, {"loop", LOOP}, {"doctor", DOCTOR}, {"demo", DEMO}};

static void add_variable(mg_buf *out, const struct variable *v)
{
    mg_buf_adds(out, ".TP\n.B ");
    add_line(out, v->name);
    add_paragraph(out, mg_str_of(v->text));
}

static void add_environment(mg_buf *out, const mg_command *command)
{
    unsigned bit = 0;
    for (size_t i = 0; i < MG_COUNT(bits); i++)
        bit |= strcmp(bits[i].command, command->name) == 0 ? bits[i].bit : 0;
    if (bit == 0)
        return;
    mg_buf_adds(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < MG_COUNT(variables); i++)
        if ((variables[i].of & bit) != 0)
            add_variable(out, &variables[i]);
}

void mg_man_command(const mg_command *command, const char *version, mg_arena *arena, mg_buf *out)
{
    add_head(out, mg_strf(arena, "makegood-%s", command->name).ptr, "1", version, command->summary);
    mg_buf_adds(out, ".SH SYNOPSIS\n");
    add_bold(out, mg_strf(arena, "makegood %s", command->name));
    mg_buf_adds(out, " [\\fIOPTION\\fR]...");
    const mg_operand *const operands[] = {&command->operand, &command->second, &command->rest};
    for (size_t i = 0; i < 2; i++)
        if (operands[i]->name != NULL)
            mg_buf_addf(out, " [\\fI%s\\fR]", operands[i]->name);
    if (command->rest.name != NULL)
        mg_buf_addf(out, " [\\-\\- \\fI%s\\fR...]", command->rest.name);
    mg_buf_adds(out, "\n.SH DESCRIPTION\n");
    add_paragraph(out, mg_str_of(command->description));
    for (size_t i = 0; i < MG_COUNT(operands); i++) {
        if (operands[i]->name == NULL)
            continue;
        mg_buf_addf(out, ".TP\n.I %s\n", operands[i]->name);
        add_line(out, operands[i]->help);
    }
    mg_buf_adds(out, ".SH OPTIONS\n");
    add_options(out, arena, command->options);
    add_options(out, arena, mg_common_options);
    add_exit_codes(out, command->exit_codes);
    add_environment(out, command);
    add_examples(out, command->examples);
    mg_buf_adds(out, ".SH \"SEE ALSO\"\n.BR makegood (1),\n.BR makegood.yaml (5)\n");
}

void mg_man_program(const char *version, mg_arena *arena, mg_buf *out)
{
    add_head(out, "makegood", "1", version,
             "drive agents until a goal over the real world holds, and say whether it does");
    mg_buf_adds(out, ".SH SYNOPSIS\n\\fBmakegood\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
                     ".SH DESCRIPTION\n");
    add_paragraph(
        out, MG_STR("makegood reads a goal from a file, looks at files, commands, servers "
                    "and sockets itself, and says whether the goal holds, does not hold, "
                    "or cannot be told. What could not be looked at is never counted as a "
                    "success. It runs any agent on such a goal, tells it what is still missing "
                    "and runs it again, until the goal is seen to hold or a budget ends."));
    mg_buf_adds(out, ".SH COMMANDS\n");
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf_addf(out, ".TP\n.BR makegood\\-%s (1)\n", c->name);
        add_line(out, c->summary);
    }
    mg_buf_adds(out, ".SH OPTIONS\n");
    add_options(out, arena, mg_global_options);
    add_exit_codes(out, mg_command_find(MG_STR("drive"))->exit_codes);
    mg_buf_adds(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < MG_COUNT(variables); i++)
        add_variable(out, &variables[i]);
    mg_buf_adds(out,
                ".SH FILES\n.TP\n.I makegood.yaml\n"
                "The goal file; see\n.BR makegood.yaml (5).\n"
                ".TP\n.I \\(ti/.local/state/makegood\nLoops, with what an agent changed and said; "
                "readable for you alone.\n");
}

typedef struct page {
    mg_arena *arena;
    mg_buf *out;
} page;

static void add_param(void *data, mg_str path, const mg_param *param)
{
    const page *p = data;
    mg_buf_adds(p->out, ".TP\n");
    add_bold(p->out, path);
    mg_buf_adds(p->out, " (");
    add_text(p->out, mg_param_facts(param, p->arena));
    mg_buf_adds(p->out, ")\n");
    add_line(p->out, param->help);
}

static void add_yaml(mg_buf *out, const char *text)
{
    mg_str rest = mg_str_trim(mg_str_of(text)), line;
    mg_buf_adds(out, ".PP\n.RS 4\n.nf\n");
    while (mg_str_split(&rest, '\n', &line)) {
        mg_buf_adds(out, line.len > 0 ? "" : "\\&");
        add_text(out, line);
        mg_buf_addc(out, '\n');
    }
    mg_buf_adds(out, ".fi\n.RE\n");
}

void mg_man_goal_file(const char *version, mg_arena *arena, mg_buf *out)
{
    page p = {arena, out};
    add_head(out, "makegood.yaml", "5", version, "the goal file of makegood");
    mg_buf_adds(out, ".SH DESCRIPTION\n");
    add_paragraph(
        out, MG_STR("A goal file says in one sentence what is wanted, and lists what must hold "
                    "for it. It is YAML or JSON. Scalars follow YAML 1.2, and anchors, aliases "
                    "and tags are refused. Unknown and duplicate keys are errors. Durations are "
                    "written 100ms, 2s or 1h30m, sizes 512, 10k or 2M. A goal file runs "
                    "commands: check only files that you trust."));
    add_paragraph(out, MG_STR("The check command acts on goal, root, assert, invariant, check and "
                              "probe. The other keys are read and checked for mistakes; they are "
                              "for driving an agent."));
    mg_buf_adds(out, ".SH KEYS\n");
    mg_params_walk(mg_goal_params, arena, add_param, &p);
    mg_buf_adds(out, ".SH \"EVERY ENTRY\"\n");
    add_paragraph(out,
                  MG_STR("An entry is one kind with its fields, or a group. A bare value stands "
                         "for the first field. Every entry may have these as well:"));
    mg_params_walk(mg_entry_params, arena, add_param, &p);
    mg_buf_adds(out, ".SH GROUPS\n");
    for (const mg_group_help *g = mg_groups; g->name != NULL; g++) {
        mg_buf_addf(out, ".SS %s\nHolds when ", g->name);
        add_text(out, mg_str_of(g->summary));
        mg_buf_adds(out, ".\n");
        add_yaml(out, g->example);
    }
    mg_buf_adds(out, ".SH KINDS\n");
    for (size_t i = 0; mg_check_kinds[i] != NULL; i++) {
        mg_buf_addf(out, ".SS %s\nHolds when ", mg_check_kinds[i]->name);
        add_text(out, mg_str_of(mg_check_kinds[i]->summary));
        mg_buf_adds(out, ".\n");
        mg_params_walk(mg_check_kinds[i]->params, arena, add_param, &p);
        if (mg_check_kinds[i]->example != NULL)
            add_yaml(out, mg_check_kinds[i]->example);
    }
    mg_buf_adds(out, ".SH \"SEE ALSO\"\n.BR makegood\\-check (1),\n.BR makegood\\-kinds (1)\n");
}
