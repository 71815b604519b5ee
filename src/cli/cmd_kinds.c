/* cmd_kinds.c - makegood kinds [NAME]: the table of kinds, as text, JSON, schema or Markdown. */
#include "check/check.h"
#include "cli/cli.h"
#include "cli/reference.h"

/* The schema of a whole goal file; of one kind, of goal files that use only that. */
static void write_schema(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    (void)arena;
    mg_goal_json_schema(topics->kinds[0] != NULL ? topics->kinds : mg_check_kinds, out);
    if (out->len > 0 && out->ptr[out->len - 1] != '\n')
        mg_buf_addc(out, '\n');
}

static const struct {
    const char *format;
    void (*write)(const mg_topics *topics, mg_arena *arena, mg_buf *out);
} formats[] = {
    {"text", mg_reference_text},
    {"json", mg_reference_json},
    {"json-schema", write_schema},
    {"markdown", mg_reference_markdown},
};

int mg_cmd_kinds(mg_cli *cli, const mg_cli_args *args)
{
    const mg_check_kind *const kind[] = {mg_kind_find(mg_check_kinds, args->operand), NULL};
    mg_group_help group[2] = {0};
    for (const mg_group_help *g = mg_groups; g->name != NULL; g++)
        if (mg_str_is(args->operand, g->name))
            group[0] = *g;
    mg_topics topics = {kind, group, .one = true};
    for (size_t i = 0; mg_preset_at(i) != NULL; i++)
        if (mg_str_is(args->operand, mg_preset_at(i)->name))
            topics.agent = mg_preset_at(i);
    if (args->operand.ptr == NULL)
        topics = (mg_topics){mg_check_kinds, mg_groups, .one = false};
    mg_buf text = mg_cli_buf(cli);
    for (size_t i = 0; i < MG_COUNT(formats); i++)
        if (strcmp(formats[i].format, mg_cli_text(args, "format")) == 0)
            formats[i].write(&topics, cli->arena, &text);
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}
