/* reference.c - parameter tables as text and JSON. */
#include "cli/reference.h"

#include "agent/agent.h"
#include "cli/cli.h"
#include "data/json.h"

const mg_group_help mg_groups[] = {
    {"all", "every assertion in the list holds",
     "all:\n  - file_exists: index.html\n  - file_exists: style.css\n"},
    {"any", "at least one assertion in the list holds, or at least `min` of those in `of`",
     "any:\n  min: 2\n  of:\n    - file_exists: a.txt\n    - file_exists: b.txt\n"
     "    - file_exists: c.txt\n"},
    {"not", "the assertion fails; of one that is unknown, nothing is known either",
     "not:\n  file_exists: debug.log\n"},
    {0},
};

void mg_params_walk(const mg_param *params, mg_arena *arena,
                    void (*fn)(void *data, mg_str path, const mg_param *param), void *data)
{
    struct level {
        const mg_param *next;
        mg_str prefix;
    } levels[8] = {{params, MG_STR("")}};
    size_t depth = 0;
    for (;;) {
        struct level *level = &levels[depth];
        const mg_param *param = level->next;
        if (param->name == NULL && depth == 0)
            return;
        if (param->name == NULL) {
            depth--;
            continue;
        }
        level->next++;
        const mg_str path = mg_strf(arena, MG_FMT "%s", MG_ARG(level->prefix), param->name);
        fn(data, path, param);
        if (param->fields != NULL && depth + 1 < MG_COUNT(levels))
            levels[++depth] = (struct level){
                param->fields,
                mg_strf(arena, MG_FMT "%s.", MG_ARG(path),
                        param->type == MG_PARAM_OBJECTS ? "[]" : ""),
            };
    }
}

mg_str mg_param_facts(const mg_param *param, mg_arena *arena)
{
    mg_buf out = mg_buf_new(arena, 4096);
    mg_buf_add(&out, mg_param_type_text(param, arena));
    if (param->required)
        mg_buf_adds(&out, ", required");
    if (param->fallback != NULL)
        mg_buf_addf(&out, ", default %s", param->fallback);
    return mg_buf_str(&out);
}

typedef struct writer {
    mg_arena *arena;
    mg_buf *out;
    mg_json_out *json;
} writer;

static void text_row(void *data, mg_str path, const mg_param *param)
{
    const writer *w = data;
    mg_buf_addf(w->out, "  %-16.*s ", MG_ARG(path));
    mg_buf_addf(w->out, "%s (" MG_FMT ")\n", param->help != NULL ? param->help : "",
                MG_ARG(mg_param_facts(param, w->arena)));
}

static void indented(mg_buf *out, mg_str text, const char *indent)
{
    mg_str line;
    text = mg_str_trim(text);
    while (mg_str_split(&text, '\n', &line))
        mg_buf_addf(out, "%s" MG_FMT "\n", indent, MG_ARG(line));
}

static void add_example(mg_buf *out, const char *example)
{
    if (example != NULL) {
        mg_buf_adds(out, "\nExample:\n");
        indented(out, mg_str_of(example), "  ");
    }
}

/* One kind in full. */
static void kind_text(const mg_check_kind *kind, mg_arena *arena, mg_buf *out)
{
    writer w = {.arena = arena, .out = out};
    mg_buf_addf(out, "%s: %s\n\nFields (a bare value stands for the first):\n", kind->name,
                kind->summary);
    mg_params_walk(kind->params, arena, text_row, &w);
    mg_params_walk(mg_entry_params, arena, text_row, &w);
    add_example(out, kind->example);
}

static void field_name(void *data, mg_str path, const mg_param *param)
{
    const writer *w = data;
    const bool nested = mg_str_find(path, '.', 0) < path.len;
    if (nested)
        return;
    const bool first = w->out->ptr[w->out->len - 1] == '{';
    mg_buf_addf(w->out, "%s" MG_FMT "%s", first ? "" : ", ", MG_ARG(path),
                param->required ? "" : "?");
}

static void list_agents(mg_buf *out)
{
    mg_buf_adds(out, "\nAgents (drive --agent NAME, or agent: {preset: NAME}):\n");
    for (size_t i = 0; mg_preset_at(i) != NULL; i++) {
        const mg_preset_info *agent = mg_preset_at(i);
        mg_buf_addf(out, "%-18s %s%s%s\n", agent->name, agent->summary,
                    agent->resumes ? "; goes on with its conversation" : "",
                    agent->unproven ? " (unproven)" : "");
    }
}

static void agent_text(const mg_preset_info *agent, mg_buf *out)
{
    mg_buf_addf(out, "%s: %s\n\nProgram: %s\n", agent->name, agent->summary, agent->program);
    mg_buf_adds(out, agent->resumes
                         ? "Its conversation is gone on with in the next attempt.\n"
                         : "Every attempt is a new conversation, which is told the history.\n");
    if (agent->unproven)
        mg_buf_adds(out, "Unproven: the real program was not tried, and nothing of its output is "
                         "understood.\n");
    mg_buf_addf(out,
                "\nExample:\n  makegood drive --agent %s\n\nIn a goal file:\n"
                "  agent: {preset: %s}\n",
                agent->name, agent->name);
}

static void list_text(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    for (mg_kinds k = topics->kinds; *k != NULL; k++) {
        writer w = {.arena = arena, .out = out};
        mg_buf_addf(out, "%-18s %s\n%-18s {", (*k)->name, (*k)->summary, "");
        mg_params_walk((*k)->params, arena, field_name, &w);
        mg_buf_adds(out, "}\n");
    }
    for (const mg_group_help *g = topics->groups; g->name != NULL; g++)
        mg_buf_addf(out, "%-18s %s\n", g->name, g->summary);
    list_agents(out);
    mg_buf_adds(out, "\nA field with ? may be left out. Every entry also takes name, recovery and "
                     "retry.\n'makegood kinds NAME' says more about one.\n");
}

void mg_reference_text(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    const mg_group_help *group = topics->groups;
    if (!topics->one) {
        list_text(topics, arena, out);
    } else if (topics->kinds[0] != NULL) {
        kind_text(topics->kinds[0], arena, out);
    } else if (topics->agent != NULL) {
        agent_text(topics->agent, out);
    } else {
        mg_buf_addf(out, "%s: %s\n", group->name, group->summary);
        add_example(out, group->example);
    }
}

static void json_row(void *data, mg_str path, const mg_param *param)
{
    const writer *w = data;
    mg_json_begin(w->json, '{');
    mg_json_key(w->json, "name");
    mg_json_str(w->json, path);
    mg_json_key(w->json, "type");
    mg_json_str(w->json, mg_param_type_text(param, w->arena));
    mg_json_key(w->json, "required");
    mg_json_bool(w->json, param->required);
    mg_json_key(w->json, "default");
    mg_json_cstr(w->json, param->fallback);
    mg_json_key(w->json, "help");
    mg_json_cstr(w->json, param->help);
    mg_json_end(w->json, '}');
}

/* The keys that kinds and groups have in common; the object stays open. */
static void begin_topic(mg_json_out *json, const char *name, const char *summary,
                        const char *example)
{
    mg_json_begin(json, '{');
    mg_json_key(json, "name");
    mg_json_cstr(json, name);
    mg_json_key(json, "summary");
    mg_json_cstr(json, summary);
    mg_json_key(json, "example");
    mg_json_cstr(json, example);
}

/* All of them, or the one. */
static void json_agents(mg_json_out *json, const mg_preset_info *only)
{
    mg_json_key(json, "agents");
    mg_json_begin(json, '[');
    for (size_t i = 0; mg_preset_at(i) != NULL; i++) {
        const mg_preset_info *agent = mg_preset_at(i);
        if (only != NULL && agent != only)
            continue;
        mg_json_begin(json, '{');
        mg_json_key(json, "name");
        mg_json_cstr(json, agent->name);
        mg_json_key(json, "program");
        mg_json_cstr(json, agent->program);
        mg_json_key(json, "summary");
        mg_json_cstr(json, agent->summary);
        mg_json_key(json, "resumes");
        mg_json_bool(json, agent->resumes);
        mg_json_key(json, "unproven");
        mg_json_bool(json, agent->unproven);
        mg_json_end(json, '}');
    }
    mg_json_end(json, ']');
}

void mg_reference_json(const mg_topics *topics, mg_arena *arena, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    writer w = {.arena = arena, .out = out, .json = &json};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "kinds");
    mg_json_begin(&json, '[');
    for (mg_kinds k = topics->kinds; *k != NULL; k++) {
        begin_topic(&json, (*k)->name, (*k)->summary, (*k)->example);
        mg_json_key(&json, "fields");
        mg_json_begin(&json, '[');
        mg_params_walk((*k)->params, arena, json_row, &w);
        mg_json_end(&json, ']');
        mg_json_end(&json, '}');
    }
    mg_json_end(&json, ']');
    mg_json_key(&json, "groups");
    mg_json_begin(&json, '[');
    for (const mg_group_help *g = topics->groups; g->name != NULL; g++) {
        begin_topic(&json, g->name, g->summary, g->example);
        mg_json_end(&json, '}');
    }
    mg_json_end(&json, ']');
    if (!topics->one || topics->agent != NULL)
        json_agents(&json, topics->agent);
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}
