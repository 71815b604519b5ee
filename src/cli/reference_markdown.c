/* reference_markdown.c - docs/kinds.md and docs/goal-file.md, from the tables. */
#include "cli/reference.h"

typedef struct writer {
    mg_arena *arena;
    mg_buf *out;
} writer;

/* Text in a cell: a bar would end it. */
static void add_cell(mg_buf *out, mg_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '|')
            mg_buf_addc(out, '\\');
        mg_buf_addc(out, text.ptr[i]);
    }
}

static void row(void *data, mg_str path, const mg_param *param)
{
    const writer *w = data;
    mg_buf_addf(w->out, "| `" MG_FMT "` | ", MG_ARG(path));
    add_cell(w->out, mg_param_type_text(param, w->arena));
    if (param->required)
        mg_buf_adds(w->out, " | required | ");
    else if (param->fallback != NULL)
        mg_buf_addf(w->out, " | `%s` | ", param->fallback);
    else
        mg_buf_adds(w->out, " | | ");
    add_cell(w->out, mg_str_of(param->help));
    mg_buf_adds(w->out, " |\n");
}

static void add_table(const mg_param *params, const char *heading, mg_arena *arena, mg_buf *out)
{
    writer w = {arena, out};
    mg_buf_addf(out, "| %s | what it is | default | |\n|---|---|---|---|\n", heading);
    mg_params_walk(params, arena, row, &w);
}

static void add_example(mg_buf *out, const char *example)
{
    if (example == NULL)
        return;
    const mg_str text = mg_str_trim(mg_str_of(example));
    mg_buf_addf(out, "\n```yaml\n" MG_FMT "\n```\n", MG_ARG(text));
}

static void add_contents(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(
        out, "# What can be asserted\n\n"
             "<!-- Written by `makegood kinds --format markdown`; a test compares them. -->\n\n"
             "An entry of `assert:` or `invariant:` is one kind with its fields, or a group. A "
             "bare value stands\nfor the first field. An entry passes, fails or is unknown; what "
             "could not be asked is unknown,\nnever a success.\n\n| kind | holds when |\n"
             "|---|---|\n");
    for (mg_kinds k = topics->kinds; *k != NULL; k++)
        mg_buf_addf(out, "| [`%s`](#%s) | %s |\n", (*k)->name, (*k)->name, (*k)->summary);
    for (const mg_group_help *g = topics->groups; g->name != NULL; g++)
        mg_buf_addf(out, "| [`%s`](#%s) | %s |\n", g->name, g->name, g->summary);
    mg_buf_adds(out, "\nEvery entry also takes these:\n\n");
    add_table(mg_entry_params, "field", arena, out);
}

void mg_reference_markdown(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    if (!topics->one)
        add_contents(topics, arena, out);
    for (mg_kinds k = topics->kinds; *k != NULL; k++) {
        mg_buf_addf(out, "%s## `%s`\n\nHolds when %s.\n", out->len > 0 ? "\n" : "", (*k)->name,
                    (*k)->summary);
        if ((*k)->about_attempt)
            mg_buf_adds(out, "It speaks of what an attempt said of itself, so it can break a goal "
                             "but never prove one.\n");
        mg_buf_addc(out, '\n');
        add_table((*k)->params, "field", arena, out);
        add_example(out, (*k)->example);
    }
    if (topics->agent != NULL)
        mg_buf_addf(out, "## `%s`\n\n%s.\n", topics->agent->name, topics->agent->summary);
    for (const mg_group_help *g = topics->groups; g->name != NULL; g++) {
        mg_buf_addf(out, "%s## `%s`\n\nHolds when %s.\n", out->len > 0 ? "\n" : "", g->name,
                    g->summary);
        add_example(out, g->example);
    }
}

void mg_reference_goal_markdown(mg_arena *arena, mg_buf *out)
{
    mg_buf_adds(
        out, "# The goal file, `makegood.yaml`\n\n"
             "<!-- Written from the table in src/model/goal_params.c; a test compares them. "
             "-->\n\n"
             "YAML or JSON. Scalars follow YAML 1.2: `on`, `no` and `010` are text. Anchors, "
             "aliases and tags are\nrefused; unknown and duplicate keys are errors that name "
             "their line. A goal file runs commands:\ncheck only files that you trust.\n\n"
             "```yaml\nversion: 1\ngoal: Change the background to dark green.\nassert:\n"
             "  - file_exists: index.html\n"
             "  - file_contains: {path: style.css, pattern: 'background(-color)?:\\s*darkgreen'}\n"
             "  - command_returns: {run: make test, timeout: 2m}\n```\n\n"
             "`makegood kinds` lists what can stand under `assert:` and `invariant:` "
             "([kinds.md](kinds.md));\n`makegood kinds --format json-schema` gives an editor "
             "what it needs to complete and check this file.\nDurations are written `100ms`, "
             "`2s`, `1h30m`; sizes `512`, `10k`, `2M`.\n\n"
             "`makegood check` acts on `goal`, `root`, `assert`, `invariant`, `check` and `probe`. "
             "The other keys\nare read and checked for mistakes; they are for driving an agent. "
             "In particular, `check` starts no\n`service:`, and says so.\n\n");
    add_table(mg_goal_params, "key", arena, out);
}
