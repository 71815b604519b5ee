/* goal.c - a goal file as a whole: read by its table, then what only the whole can tell. */
#include "model/goal.h"

#include "base/map.h"
#include "base/vec.h"
#include "data/json.h"
#include "model/read.h"

#include <inttypes.h>

static void check_agent(mg_reading *r, const mg_args *settings)
{
    const mg_args *agent = mg_arg_object(settings, "agent");
    if (mg_arg_set(agent, "preset") && mg_arg_set(agent, "command"))
        mg_problem_at(r, mg_arg(agent, "command")->line, mg_arg(agent, "command")->column,
                      "'agent' has both 'preset' and 'command'; keep one");
}

static int by_place(const void *a, const void *b)
{
    const mg_problem *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* In the order of the file, whatever was looked at first. */
static void sort_problems(mg_problems *problems)
{
    if (problems->count > 1)
        qsort(problems->items, problems->count, sizeof *problems->items, by_place);
}

/* --- Entries that cannot prove anything: warned of by name --- */

static void warn(mg_reading *r, mg_goal *goal, const mg_entry *entry, const char *why)
{
    const mg_str text =
        mg_strf(r->arena, "'" MG_FMT "' proves nothing: %s", MG_ARG(entry->name), why);
    mg_vec_push(r->arena, &goal->warnings, (mg_problem){entry->line, entry->column, text});
}

static void warn_vacuous(mg_reading *r, mg_goal *goal, const mg_entry *entry)
{
    if (entry->vacuous != NULL)
        warn(r, goal, entry, entry->vacuous);
    for (size_t i = 0; i < entry->children.count; i++)
        warn_vacuous(r, goal, entry->children.items[i]);
}

/* A text with its length in front, so that no two lists of texts read the same. */
static void put(mg_buf *buf, mg_str text)
{
    mg_buf_add(buf, (mg_str){(const char *)&text.len, sizeof text.len});
    mg_buf_add(buf, text);
}

/* What the entry asks, in one form however it was written. */
static void put_meaning(mg_buf *buf, const mg_entry *entry)
{
    put(buf, mg_str_of(mg_entry_kind_name(entry)));
    mg_buf_add(buf, (mg_str){(const char *)&entry->min, sizeof entry->min});
    for (size_t i = 0; entry->args != NULL && entry->args->params[i].name != NULL; i++) {
        const mg_value *value = &entry->args->values[i];
        const mg_node *node = value->node;
        const bool compound =
            node != NULL && (node->type == MG_NODE_LIST || node->type == MG_NODE_MAP ||
                             entry->args->params[i].type == MG_PARAM_VALUE);
        if (compound)
            mg_json_node(&(mg_json_out){.buf = buf}, node);
        else
            put(buf, value->text);
    }
    for (size_t i = 0; i < entry->children.count; i++)
        put_meaning(buf, entry->children.items[i]);
    mg_buf_addc(buf, ']');
}

/* Of entries that stand beside each other, at the top or in a group, the second of two equal
 * ones proves nothing more. */
static void find_duplicates(mg_reading *r, mg_goal *goal, const mg_entries *entries)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_map seen = mg_map_new(scratch);
    mg_buf meaning = mg_buf_new(scratch, r->limits->goal_bytes * 8);
    for (size_t i = 0; i < entries->count; i++) {
        mg_entry *entry = entries->items[i];
        if (entry->children.count > 0)
            find_duplicates(r, goal, &entry->children);
        meaning.len = 0;
        mg_buf_addc(&meaning, entry->invariant ? 'i' : 'a');
        put_meaning(&meaning, entry);
        const mg_entry *first =
            mg_map_put(&seen, mg_str_copy(scratch, mg_buf_str(&meaning)), entry);
        if (first == NULL)
            continue;
        entry->vacuous = mg_strf(r->arena, "it repeats line %" PRIu32, first->line).ptr;
        warn(r, goal, entry, entry->vacuous);
    }
}

static void collect_entries(mg_reading *r, mg_goal *goal)
{
    const mg_entries *asserted = &mg_arg(goal->settings, "assert")->entries;
    const mg_entries *invariant = &mg_arg(goal->settings, "invariant")->entries;
    for (size_t i = 0; i < asserted->count; i++)
        mg_vec_push(r->arena, &goal->entries, asserted->items[i]);
    goal->assert_count = asserted->count;
    for (size_t i = 0; i < invariant->count; i++) {
        invariant->items[i]->invariant = true;
        mg_vec_push(r->arena, &goal->entries, invariant->items[i]);
    }
    for (size_t i = 0; i < goal->entries.count; i++)
        warn_vacuous(r, goal, goal->entries.items[i]);
    find_duplicates(r, goal, &goal->entries);
    sort_problems(&goal->warnings);
}

static void fill_goal(mg_reading *r, mg_goal *goal, const mg_args *settings)
{
    const mg_args *check = mg_arg_object(settings, "check");
    goal->settings = settings;
    goal->goal = mg_str_trim(mg_arg_text(settings, "goal"));
    goal->root = mg_arg_text(settings, "root");
    goal->jobs = (uint32_t)mg_arg_int(check, "jobs");
    goal->deadline_ms = mg_arg_amount(check, "deadline");
    goal->probe_allow = &mg_arg(mg_arg_object(settings, "probe"), "allow")->texts;
    collect_entries(r, goal);
}

mg_status mg_goal_read(mg_str text, mg_str file, mg_kinds kinds, const mg_limits *limits,
                       mg_arena *arena, const mg_goal **out, mg_problems *problems)
{
    mg_reading r = {.arena = arena, .limits = limits, .kinds = kinds, .problems = problems};
    mg_node *root;
    uint32_t line, column;
    mg_err err = {0};
    mg_goal *goal = mg_new(arena, mg_goal);
    goal->file = mg_str_copy(arena, file);
    goal->source = mg_str_copy(arena, text);
    if (mg_yaml_parse(goal->source, limits, arena, &root, &line, &column, &err) != MG_OK) {
        mg_problem_at(&r, line, column, "%s", err.text);
        return MG_ERR_INVALID;
    }
    if (root->type != MG_NODE_MAP) {
        mg_problem_at(&r, root->line, root->column,
                      root->type == MG_NODE_NULL
                          ? "the goal file is empty; 'makegood init' writes one"
                          : "a goal file is a mapping with keys such as 'goal:' and 'assert:'");
        return MG_ERR_INVALID;
    }
    mg_args *settings = mg_args_new(&r, mg_goal_params, 1, 1);
    mg_read_fields(&r, mg_goal_params, root, settings, NULL);
    check_agent(&r, settings);
    sort_problems(problems);
    if (problems->count > 0)
        return MG_ERR_INVALID;
    fill_goal(&r, goal, settings);
    *out = goal;
    return MG_OK;
}

void mg_problems_text(const mg_problems *problems, mg_str file, mg_buf *out)
{
    for (size_t i = 0; i < problems->count; i++) {
        const mg_problem *p = &problems->items[i];
        if (file.len > 0)
            mg_buf_addf(out, MG_FMT ":", MG_ARG(file));
        if (p->line > 0)
            mg_buf_addf(out, "%" PRIu32 ":%" PRIu32 ":", p->line, p->column);
        mg_buf_addf(out, "%s" MG_FMT "\n", out->len > 0 ? " " : "", MG_ARG(p->text));
    }
}
