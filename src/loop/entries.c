/* entries.c - what the entries of a goal speak of, also inside groups. */
#include "base/vec.h"
#include "loop/state.h"

static bool has_leaf(const mg_entry *entry, bool (*wanted)(const mg_check_kind *kind))
{
    if (entry->type == MG_ENTRY_LEAF)
        return wanted(entry->kind);
    for (size_t i = 0; i < entry->children.count; i++)
        if (has_leaf(entry->children.items[i], wanted))
            return true;
    return false;
}

static bool runs(const mg_check_kind *kind)
{
    return kind->runs_command;
}

/* What all that changed was is known only when the attempt is over. content_changed has one path,
 * and can be asked at any time. */
static bool asks_changes(const mg_check_kind *kind)
{
    bool path = false;
    for (const mg_param *p = kind->params; p->name != NULL; p++)
        path = path || p->type == MG_PARAM_PATH;
    return kind->since_start && !path;
}

static bool asks_attempt(const mg_check_kind *kind)
{
    return kind->about_attempt || asks_changes(kind);
}

static bool waits(const mg_check_kind *kind)
{
    return kind->eval == NULL;
}

bool mg_entry_runs(const mg_entry *entry)
{
    return has_leaf(entry, runs);
}

bool mg_entry_asks_attempt(const mg_entry *entry)
{
    return has_leaf(entry, asks_attempt);
}

bool mg_entry_asks_changes(const mg_entry *entry)
{
    return has_leaf(entry, asks_changes);
}

bool mg_entry_waits(const mg_entry *entry)
{
    return has_leaf(entry, waits);
}

static void add_paths(const mg_entry *entry, mg_arena *arena, mg_strs *out)
{
    for (size_t i = 0; i < entry->children.count; i++)
        add_paths(entry->children.items[i], arena, out);
    if (entry->type != MG_ENTRY_LEAF || entry->kind->eval == NULL)
        return;
    for (size_t i = 0; entry->kind->params[i].name != NULL; i++) {
        const mg_value *value = &entry->args->values[i];
        if (entry->kind->params[i].type == MG_PARAM_PATH && value->set)
            mg_strs_add(arena, out, value->text);
    }
}

mg_strs mg_entry_paths(const mg_entry *entry, mg_arena *arena)
{
    mg_strs paths = {0};
    add_paths(entry, arena, &paths);
    return paths;
}

mg_strs mg_goal_paths(const mg_goal *goal, mg_arena *arena)
{
    mg_strs paths = {0};
    for (size_t i = 0; i < goal->entries.count; i++)
        add_paths(goal->entries.items[i], arena, &paths);
    return paths;
}
