/* entry.c - reading an assertion in any of its forms.
 *
 *     - file_exists: index.html                              a scalar stands for the first field
 *     - file_contains: {path: a.css, pattern: green, name: green background}
 *     - all: [...]      any: [...]      any: {min: 2, of: [...]}      not: {...}
 *     - {assert: file_contains, path: a.css, pattern: green}     flat, as a planner writes it
 *
 * name, recovery and retry stand inside the fields or beside the kind.
 */
#include "model/read.h"

#include "base/vec.h"
#include "data/text.h"

static const mg_param retry_params[] = {
    {"times", MG_PARAM_INT, .fallback = "3", .min = 1, .max = 1000,
     .help = "how often it is asked again after it did not pass"},
    {"every", MG_PARAM_DURATION, .fallback = "1s", .help = "the pause before it is asked again"},
    {0},
};

const mg_param mg_entry_params[] = {
    {"name", MG_PARAM_TEXT, .help = "what to call it in reports and in --only"},
    {"recovery", MG_PARAM_TEXT,
     .help = "what to do when it does not hold; told to people and agents"},
    {"retry", MG_PARAM_OBJECT, .fields = retry_params,
     .help = "ask again a few times before it counts as failed"},
    {0},
};

const mg_param mg_any_params[] = {
    {"of", MG_PARAM_ENTRIES, .required = true, .help = "the assertions"},
    {"min", MG_PARAM_INT, .fallback = "1", .min = 1, .max = 100000, .help = "how many must pass"},
    {0},
};

static const char *const group_names[] = {
    [MG_ENTRY_LEAF] = NULL,
    [MG_ENTRY_ALL] = "all",
    [MG_ENTRY_ANY] = "any",
    [MG_ENTRY_NOT] = "not",
};

const char *mg_entry_kind_name(const mg_entry *entry)
{
    return entry->type == MG_ENTRY_LEAF ? entry->kind->name : group_names[entry->type];
}

const mg_check_kind *mg_kind_find(mg_kinds kinds, mg_str name)
{
    for (size_t i = 0; kinds[i] != NULL; i++) {
        if (mg_str_is(name, kinds[i]->name))
            return kinds[i];
    }
    return NULL;
}

static mg_entry_type group_type(mg_str name)
{
    for (size_t i = MG_ENTRY_ALL; i < MG_COUNT(group_names); i++) {
        if (mg_str_is(name, group_names[i]))
            return (mg_entry_type)i;
    }
    return MG_ENTRY_LEAF;
}

static bool is_entry_key(mg_str key)
{
    for (size_t i = 0; mg_entry_params[i].name != NULL; i++) {
        if (mg_str_is(key, mg_entry_params[i].name))
            return true;
    }
    return false;
}

static void unknown_kind(mg_reading *r, uint32_t line, uint32_t column, mg_str name)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX] = {"all", "any", "not"};
    size_t count = 3;
    if (group_type(name) != MG_ENTRY_LEAF) {
        mg_problem_at(r, line, column,
                      "a group is written '" MG_FMT ": [...]', not after 'assert:'", MG_ARG(name));
        return;
    }
    for (size_t i = 0; r->kinds[i] != NULL && count < NAMES_MAX; i++)
        names[count++] = r->kinds[i]->name;
    mg_str hint = mg_suggestion(r, name, names, count);
    if (hint.len == 0)
        hint = MG_STR(" ('makegood kinds' lists them)");
    mg_problem_at(r, line, column, "unknown assertion '" MG_FMT "'" MG_FMT, MG_ARG(name),
                  MG_ARG(hint));
}

/* --- Names: made from what the entry says, where the user gave none --- */

static mg_str value_text(mg_reading *r, const mg_param *param, const mg_value *value)
{
    if (param->type != MG_PARAM_COMMAND || value->texts.count == 0)
        return value->text;
    mg_buf buf = mg_buf_new(r->arena, 256);
    for (size_t i = 0; i < value->texts.count; i++)
        mg_buf_addf(&buf, "%s" MG_FMT, i > 0 ? " " : "", MG_ARG(value->texts.items[i]));
    return mg_buf_str(&buf);
}

static mg_str leaf_name(mg_reading *r, const mg_entry *entry)
{
    mg_buf buf = mg_buf_new(r->arena, 512);
    mg_buf_adds(&buf, entry->kind->name);
    /* Two of the first rows tell entries of a kind apart: a path and its pattern, a host and its
     * port. What has a default, or is a time, says less. */
    const mg_param *params = entry->args->params;
    for (size_t i = 0, shown = 0; i < 3 && shown < 2 && params[i].name != NULL; i++) {
        const mg_value *value = &entry->args->values[i];
        const mg_str text = value_text(r, &params[i], value);
        const bool telling = params[i].fallback == NULL && params[i].type != MG_PARAM_DURATION;
        if (!value->set || text.len == 0 || !telling)
            continue;
        mg_buf_addc(&buf, ' ');
        mg_buf_add(&buf, mg_text_line(r->arena, text, 60));
        shown++;
    }
    return mg_buf_str(&buf);
}

static mg_str made_name(mg_reading *r, const mg_entry *entry)
{
    switch (entry->type) {
    case MG_ENTRY_ALL:
        return mg_strf(r->arena, "all of %zu", entry->children.count);
    case MG_ENTRY_ANY:
        return entry->min == 1
                   ? mg_strf(r->arena, "any of %zu", entry->children.count)
                   : mg_strf(r->arena, "at least %zu of %zu", entry->min, entry->children.count);
    case MG_ENTRY_NOT:
        return mg_strf(r->arena, "not " MG_FMT, MG_ARG(entry->children.items[0]->name));
    case MG_ENTRY_LEAF:
        break;
    }
    return leaf_name(r, entry);
}

/* --- The forms --- */

static void read_leaf(mg_reading *r, mg_entry *entry, const mg_node *fields, mg_args *shared)
{
    const mg_check_kind *kind = entry->kind;
    const size_t noted = r->noted;
    mg_args *args = mg_args_new(r, kind->params, fields->line, fields->column);
    if (fields->type == MG_NODE_MAP)
        mg_read_fields(r, kind->params, fields, args, shared);
    else if (fields->type != MG_NODE_NULL)
        (void)mg_read_value(r, &kind->params[0], fields, &args->values[0]);
    if (args->values[0].line == 0 && fields->type != MG_NODE_MAP && fields->type != MG_NODE_NULL)
        args->values[0].line = fields->line;
    mg_require(r, args, kind->name);
    entry->args = args;
    if (r->noted > noted)
        return; /* the fields make no sense yet; asking how they fit together would add noise */
    mg_err err = {0};
    if (kind->validate != NULL && kind->validate(args, &err) != MG_OK)
        mg_problem_at(r, args->line, args->column, "'%s': %s", kind->name, err.text);
    else if (kind->vacuous != NULL)
        entry->vacuous = kind->vacuous(args);
}

static void read_children(mg_reading *r, mg_entry *entry, const mg_node *node, mg_args *shared)
{
    entry->min = 1;
    if (entry->type == MG_ENTRY_NOT) {
        mg_entry *child = mg_read_entry(r, node);
        if (child != NULL)
            mg_vec_push(r->arena, &entry->children, child);
        return;
    }
    if (entry->type == MG_ENTRY_ANY && node->type == MG_NODE_MAP) {
        mg_args *args = mg_args_new(r, mg_any_params, node->line, node->column);
        mg_read_fields(r, mg_any_params, node, args, shared);
        mg_require(r, args, "any");
        entry->children = mg_arg(args, "of")->entries;
        entry->min = (size_t)mg_arg_int(args, "min");
        if (mg_arg_set(args, "of") && entry->min > entry->children.count)
            mg_problem_at(r, node->line, node->column, "'min: %zu' of only %zu can never hold",
                          entry->min, entry->children.count);
        return;
    }
    if (node->type != MG_NODE_LIST) {
        mg_problem_at(r, node->line, node->column, "'%s' expects a list of assertions, found %s",
                      mg_entry_kind_name(entry), mg_node_type_name(node->type));
        return;
    }
    mg_read_entries(r, node, &entry->children);
    if (node->list.count == 0)
        mg_problem_at(r, node->line, node->column,
                      "'%s' is empty: a group without assertions proves nothing",
                      mg_entry_kind_name(entry));
}

static void read_body(mg_reading *r, mg_entry *entry, const mg_node *node, mg_args *shared)
{
    if (entry->type == MG_ENTRY_LEAF) {
        read_leaf(r, entry, node, shared);
        return;
    }
    if (++r->group_depth > r->limits->group_depth)
        mg_problem_at(r, node->line, node->column, "groups are nested more than %zu levels deep",
                      r->limits->group_depth);
    else
        read_children(r, entry, node, shared);
    r->group_depth--;
}

static void take_shared(mg_entry *entry, const mg_args *shared)
{
    const mg_value *retry = mg_arg(shared, "retry");
    entry->name = mg_arg_text(shared, "name");
    entry->named = entry->name.len > 0;
    entry->recovery = mg_arg_text(shared, "recovery");
    if (retry->set) {
        entry->retry_times = (uint32_t)mg_arg_int(retry->object, "times");
        entry->retry_every_ms = mg_arg_amount(retry->object, "every");
    }
}

/* Which key of the mapping says what kind it is; NULL, with the problem noted, if none does. */
static const mg_pair *find_kind(mg_reading *r, const mg_node *node)
{
    const mg_pair *found = NULL;
    for (size_t i = 0; i < node->map.count; i++) {
        const mg_pair *pair = &node->map.items[i];
        if (mg_str_is(pair->key, "assert"))
            return pair;
        if (is_entry_key(pair->key))
            continue;
        if (found != NULL) {
            mg_problem_at(r, pair->line, pair->column,
                          "'" MG_FMT "' beside '" MG_FMT
                          "': an entry asserts one thing; begin another one with '- '",
                          MG_ARG(pair->key), MG_ARG(found->key));
            return NULL;
        }
        found = pair;
    }
    if (found == NULL)
        mg_problem_at(r, node->line, node->column, "this entry asserts nothing: it has no kind");
    return found;
}

/* {assert: KIND, path: ...}: the mapping itself, without that key, holds the fields. */
static const mg_node *flat_fields(mg_reading *r, const mg_node *node)
{
    mg_node *fields = mg_new(r->arena, mg_node);
    *fields = (mg_node){.type = MG_NODE_MAP, .line = node->line, .column = node->column};
    for (size_t i = 0; i < node->map.count; i++) {
        if (!mg_str_is(node->map.items[i].key, "assert"))
            mg_vec_push(r->arena, &fields->map, node->map.items[i]);
    }
    return fields;
}

static mg_args *shared_beside(mg_reading *r, const mg_node *node, const mg_pair *kind)
{
    mg_args *shared = mg_args_new(r, mg_entry_params, node->line, node->column);
    mg_node beside = {.type = MG_NODE_MAP};
    for (size_t i = 0; i < node->map.count; i++) {
        if (&node->map.items[i] != kind)
            mg_vec_push(r->arena, &beside.map, node->map.items[i]);
    }
    mg_read_fields(r, mg_entry_params, &beside, shared, NULL);
    return shared;
}

mg_entry *mg_read_entry(mg_reading *r, const mg_node *node)
{
    const size_t noted = r->noted;
    if (node->type != MG_NODE_MAP) {
        mg_problem_at(r, node->line, node->column,
                      "an assertion is a mapping such as 'file_exists: index.html', found %s",
                      mg_node_type_name(node->type));
        return NULL;
    }
    const mg_pair *pair = find_kind(r, node);
    if (pair == NULL)
        return NULL;
    const bool flat = mg_str_is(pair->key, "assert");
    const mg_str kind = flat ? pair->value.text : pair->key;
    mg_entry *entry = mg_new(r->arena, mg_entry);
    entry->line = pair->line;
    entry->column = pair->column;
    entry->type = flat ? MG_ENTRY_LEAF : group_type(kind);
    entry->kind = mg_kind_find(r->kinds, kind);
    if (entry->type == MG_ENTRY_LEAF && entry->kind == NULL) {
        unknown_kind(r, pair->line, pair->column, kind);
        return NULL;
    }
    mg_args *shared = flat ? mg_args_new(r, mg_entry_params, node->line, node->column)
                           : shared_beside(r, node, pair);
    read_body(r, entry, flat ? flat_fields(r, node) : &pair->value, shared);
    if (r->noted > noted)
        return NULL;
    take_shared(entry, shared);
    if (!entry->named)
        entry->name = made_name(r, entry);
    return entry;
}

void mg_read_entries(mg_reading *r, const mg_node *list, mg_entries *out)
{
    for (size_t i = 0; i < list->list.count; i++) {
        mg_entry *entry = mg_read_entry(r, &list->list.items[i]);
        if (entry != NULL)
            mg_vec_push(r->arena, out, entry);
    }
}
