/* read.c - one reader for each type of row; the mapping reader puts them together. */
#include "model/read.h"

#include "base/vec.h"
#include "data/glob.h"
#include "data/text.h"

#include <inttypes.h>

void mg_problem_at(mg_reading *r, uint32_t line, uint32_t column, const char *fmt, ...)
{
    enum { PROBLEMS_MAX = 50, TEXT_MAX = 1000 }; /* after so many, one fixes the first ones first */
    r->noted++;
    if (r->problems->count >= PROBLEMS_MAX)
        return;
    va_list args;
    va_start(args, fmt);
    const mg_str text = mg_text_line(r->arena, mg_strfv(r->arena, fmt, args), TEXT_MAX);
    va_end(args);
    mg_vec_push(r->arena, r->problems, (mg_problem){line, column, text});
}

mg_str mg_suggestion(mg_reading *r, mg_str typed, const char *const *names, size_t count)
{
    const char *near = mg_nearest(typed, names, count);
    return near != NULL ? mg_strf(r->arena, " (did you mean '%s'?)", near) : MG_STR("");
}

/* --- A value for each type. They return false and note the problem, or fill in out. --- */

static bool wrong_type(mg_reading *r, const mg_param *param, const mg_node *node)
{
    const mg_str want = mg_param_type_text(param, r->arena);
    mg_problem_at(r, node->line, node->column, "'%s' expects " MG_FMT ", found %s", param->name,
                  MG_ARG(want), mg_node_type_name(node->type));
    return false;
}

static bool bad_value(mg_reading *r, const mg_param *param, const mg_node *node, const mg_err *err)
{
    mg_problem_at(r, node->line, node->column, "'%s': %s", param->name, err->text);
    return false;
}

/* Numbers count as text: whoever writes `pattern: 404` means those digits. */
static bool is_text(const mg_node *node)
{
    return node->type == MG_NODE_TEXT || node->type == MG_NODE_INT || node->type == MG_NODE_NUMBER;
}

static bool read_text(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (!is_text(node)) {
        if (node->type == MG_NODE_BOOL) {
            mg_problem_at(
                r, node->line, node->column,
                "'%s' expects text, found true or false; put it in quotes if it is meant as text",
                param->name);
            return false;
        }
        return wrong_type(r, param, node);
    }
    if (memchr(node->text.ptr, '\0', node->text.len) != NULL) {
        mg_problem_at(r, node->line, node->column, "'%s' contains a NUL character", param->name);
        return false;
    }
    if (param->required && mg_str_trim(node->text).len == 0) {
        mg_problem_at(r, node->line, node->column, "'%s' is empty", param->name);
        return false;
    }
    out->text = node->text;
    return true;
}

static bool read_path(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (!read_text(r, param, node, out))
        return false;
    mg_str rest = out->text, part;
    if (mg_str_starts(rest, "/")) {
        mg_problem_at(r, node->line, node->column,
                      "'%s': '" MG_FMT "' is absolute; paths are relative to the root", param->name,
                      MG_ARG(out->text));
        return false;
    }
    size_t depth = 0;
    while (mg_str_split(&rest, '/', &part)) {
        const bool up = mg_str_is(part, "..");
        if (up && depth == 0) {
            mg_problem_at(r, node->line, node->column, "'%s': '" MG_FMT "' leads out of the root",
                          param->name, MG_ARG(out->text));
            return false;
        }
        if (up)
            depth--;
        else if (part.len > 0 && !mg_str_is(part, "."))
            depth++;
    }
    return true;
}

static bool read_pattern(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    mg_err err = {0};
    if (!read_text(r, param, node, out))
        return false;
    if (mg_regex_compile(out->text, r->arena, &out->regex, &err) != MG_OK)
        return bad_value(r, param, node, &err);
    if (mg_regex_matches_empty(out->regex)) {
        mg_problem_at(r, node->line, node->column,
                      out->text.len == 0 ? "'%s' is an empty pattern, which every text matches"
                                         : "'%s': '" MG_FMT
                                           "' matches the empty text, so every text would match",
                      param->name, MG_ARG(out->text));
        return false;
    }
    return true;
}

static bool read_int(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (node->type != MG_NODE_INT)
        return wrong_type(r, param, node);
    const bool bounded = param->min != 0 || param->max != 0;
    if (bounded && param->min == param->max && node->integer != param->min) {
        mg_problem_at(r, node->line, node->column, "'%s' must be %" PRId64 ", found %" PRId64,
                      param->name, param->min, node->integer);
        return false;
    }
    if (bounded && (node->integer < param->min || node->integer > param->max)) {
        mg_problem_at(r, node->line, node->column,
                      "'%s' expects a number from %" PRId64 " to %" PRId64 ", found %" PRId64,
                      param->name, param->min, param->max, node->integer);
        return false;
    }
    out->integer = node->integer;
    return true;
}

static bool read_number(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (node->type != MG_NODE_INT && node->type != MG_NODE_NUMBER)
        return wrong_type(r, param, node);
    out->number = node->type == MG_NODE_INT ? (double)node->integer : node->number;
    return true;
}

static bool read_size(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    mg_err err = {0};
    if (!is_text(node))
        return wrong_type(r, param, node);
    if (mg_parse_size(node->text, &out->amount, &err) != MG_OK)
        return bad_value(r, param, node, &err);
    return true;
}

static bool read_duration(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    mg_err err = {0};
    if (!is_text(node))
        return wrong_type(r, param, node);
    if (mg_parse_duration(node->text, &out->amount, &err) != MG_OK)
        return bad_value(r, param, node, &err);
    return true;
}

static bool read_bool(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (node->type != MG_NODE_BOOL)
        return wrong_type(r, param, node);
    out->boolean = node->boolean;
    return true;
}

static bool read_choice(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (!is_text(node))
        return wrong_type(r, param, node);
    size_t count = 0;
    for (; param->choices[count] != NULL; count++) {
        if (mg_str_is(node->text, param->choices[count])) {
            out->text = node->text;
            return true;
        }
    }
    const mg_str want = mg_param_type_text(param, r->arena);
    const mg_str near = mg_suggestion(r, node->text, param->choices, count);
    mg_problem_at(r, node->line, node->column, "'%s' expects " MG_FMT ", found '" MG_FMT "'" MG_FMT,
                  param->name, MG_ARG(want), MG_ARG(node->text), MG_ARG(near));
    return false;
}

/* A list of texts, or one text for a list of one. An item may be empty: grep -c '' FILE. */
static bool read_texts(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    mg_value one = {0};
    const mg_param item = {.name = param->name, .type = MG_PARAM_TEXT};
    if (is_text(node)) {
        if (!read_text(r, param, node, &one))
            return false;
        mg_strs_add(r->arena, &out->texts, one.text);
        return true;
    }
    if (node->type != MG_NODE_LIST)
        return wrong_type(r, param, node);
    bool ok = true;
    for (size_t i = 0; i < node->list.count; i++) {
        const bool good = read_text(r, &item, &node->list.items[i], &one);
        if (good)
            mg_strs_add(r->arena, &out->texts, one.text);
        ok = ok && good;
    }
    return ok;
}

static bool read_globs(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (!read_texts(r, param, node, out))
        return false;
    bool ok = true;
    for (size_t i = 0; i < out->texts.count; i++) {
        mg_err err = {0};
        const mg_node *at = node->type == MG_NODE_LIST ? &node->list.items[i] : node;
        if (mg_glob_valid(out->texts.items[i], &err) != MG_OK)
            ok = bad_value(r, param, at, &err);
    }
    return ok;
}

static bool read_command(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (is_text(node))
        return read_text(r, param, node, out);
    if (!read_texts(r, param, node, out))
        return false;
    if (out->texts.count == 0 || out->texts.items[0].len == 0) {
        mg_problem_at(r, node->line, node->column,
                      "'%s' is an empty list; its first item is the program", param->name);
        return false;
    }
    return true;
}

static bool env_name_ok(mg_reading *r, const mg_param *param, const mg_node *at, mg_str name)
{
    if (name.len > 0 && mg_str_find(name, '=', 0) == name.len)
        return true;
    mg_problem_at(r, at->line, at->column, "'%s': '" MG_FMT "' is not the name of a variable",
                  param->name, MG_ARG(name));
    return false;
}

static bool read_env(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    bool ok = true;
    if (node->type == MG_NODE_MAP) {
        for (size_t i = 0; i < node->map.count; i++) {
            const mg_pair *pair = &node->map.items[i];
            mg_value value = {0};
            const mg_param row = {.name = param->name, .type = MG_PARAM_TEXT};
            if (!env_name_ok(r, param, &pair->value, pair->key) ||
                !read_text(r, &row, &pair->value, &value))
                ok = false;
            else
                mg_vec_push(r->arena, &out->env, (mg_env_var){pair->key, true, value.text});
        }
        return ok;
    }
    mg_value names = {0};
    if (!read_texts(r, param, node, &names))
        return false;
    for (size_t i = 0; i < names.texts.count; i++) {
        const mg_str item = names.texts.items[i];
        const size_t equals = mg_str_find(item, '=', 0);
        const mg_node *at = node->type == MG_NODE_LIST ? &node->list.items[i] : node;
        ok = env_name_ok(r, param, at, mg_str_first(item, equals)) && ok;
        mg_vec_push(r->arena, &out->env,
                    (mg_env_var){mg_str_first(item, equals), equals < item.len,
                                 mg_str_from(item, equals + 1)});
    }
    return ok;
}

static bool read_any(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    (void)r;
    (void)param;
    (void)node;
    (void)out; /* the node itself is the value */
    return true;
}

static bool read_object(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (param->or_bool && node->type == MG_NODE_BOOL) {
        out->boolean = node->boolean;
        return true;
    }
    if (node->type != MG_NODE_MAP)
        return wrong_type(r, param, node);
    mg_args *args = mg_args_new(r, param->fields, node->line, node->column);
    mg_read_fields(r, param->fields, node, args, NULL);
    mg_require(r, args, param->name);
    out->boolean = true;
    out->object = args;
    return true;
}

static bool read_objects(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    if (node->type != MG_NODE_LIST)
        return wrong_type(r, param, node);
    for (size_t i = 0; i < node->list.count; i++) {
        mg_value one = {0};
        if (!read_object(r, param, &node->list.items[i], &one))
            return false;
        mg_vec_push(r->arena, &out->objects, one.object);
    }
    return true;
}

static bool read_one_entry(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    (void)param;
    mg_entry *entry = mg_read_entry(r, node);
    if (entry == NULL)
        return false;
    mg_vec_push(r->arena, &out->entries, entry);
    return true;
}

static bool read_entry_list(mg_reading *r, const mg_param *param, const mg_node *node,
                            mg_value *out)
{
    if (node->type != MG_NODE_LIST) {
        mg_problem_at(r, node->line, node->column,
                      "'%s' expects a list of assertions, found %s; begin each one with '- '",
                      param->name, mg_node_type_name(node->type));
        return false;
    }
    mg_read_entries(r, node, &out->entries);
    return true;
}

typedef bool (*value_reader)(mg_reading *r, const mg_param *param, const mg_node *node,
                             mg_value *out);

static const value_reader readers[] = {
    [MG_PARAM_TEXT] = read_text,         [MG_PARAM_PATH] = read_path,
    [MG_PARAM_PATTERN] = read_pattern,   [MG_PARAM_INT] = read_int,
    [MG_PARAM_NUMBER] = read_number,     [MG_PARAM_SIZE] = read_size,
    [MG_PARAM_DURATION] = read_duration, [MG_PARAM_BOOL] = read_bool,
    [MG_PARAM_CHOICE] = read_choice,     [MG_PARAM_COMMAND] = read_command,
    [MG_PARAM_ENV] = read_env,           [MG_PARAM_TEXTS] = read_texts,
    [MG_PARAM_GLOBS] = read_globs,       [MG_PARAM_VALUE] = read_any,
    [MG_PARAM_OBJECT] = read_object,     [MG_PARAM_OBJECTS] = read_objects,
    [MG_PARAM_ENTRY] = read_one_entry,   [MG_PARAM_ENTRIES] = read_entry_list,
};

bool mg_read_value(mg_reading *r, const mg_param *param, const mg_node *node, mg_value *out)
{
    const bool scalar = node->type != MG_NODE_LIST && node->type != MG_NODE_MAP;
    mg_value value = {
        .line = node->line,
        .column = node->column,
        .node = node,
        .text = scalar ? node->text : (mg_str){"", 0},
    };
    if (param->type == MG_PARAM_OBJECT)
        value.object = out->object; /* the defaults stay where it is only switched on or off */
    if (!readers[param->type](r, param, node, &value))
        return false;
    value.set = true;
    *out = value;
    return true;
}

/* --- Mappings --- */

/* The row's default, read as if it stood in the file. */
static void set_default(mg_reading *r, const mg_param *param, mg_value *out)
{
    out->text = (mg_str){"", 0};
    if (param->type == MG_PARAM_OBJECT)
        out->object = mg_args_new(r, param->fields, 0, 0);
    if (param->fallback == NULL)
        return;
    uint32_t line, column;
    mg_node *node = NULL;
    mg_err err;
    if (mg_yaml_parse(mg_str_of(param->fallback), r->limits, r->arena, &node, &line, &column,
                      &err) != MG_OK ||
        !mg_read_value(r, param, node, out))
        abort(); /* a default in our own table that does not read: found by the first test */
    out->node = NULL;
    out->set = false;
}

/* The defaults of a table are read once, however many entries there are of its kind. */
static const mg_value *defaults_of(mg_reading *r, const mg_param *params, size_t count)
{
    for (mg_defaults *d = r->defaults; d != NULL; d = d->next) {
        if (d->params == params)
            return d->values;
    }
    mg_defaults *d = mg_new(r->arena, mg_defaults);
    d->params = params;
    d->values = mg_new_array(r->arena, mg_value, count);
    for (size_t i = 0; i < count; i++)
        set_default(r, &params[i], &d->values[i]);
    d->next = r->defaults;
    r->defaults = d;
    return d->values;
}

mg_args *mg_args_new(mg_reading *r, const mg_param *params, uint32_t line, uint32_t column)
{
    const size_t count = mg_param_count(params);
    mg_args *args = mg_new(r->arena, mg_args);
    *args = (mg_args){
        .params = params,
        .values = mg_new_array(r->arena, mg_value, count),
        .line = line,
        .column = column,
    };
    memcpy(args->values, defaults_of(r, params, count), count * sizeof *args->values);
    return args;
}

static const mg_param *find_row(const mg_param *params, mg_str key)
{
    for (size_t i = 0; params != NULL && params[i].name != NULL; i++) {
        if (mg_str_is(key, params[i].name))
            return &params[i];
    }
    return NULL;
}

static void unknown_key(mg_reading *r, const mg_pair *pair, const mg_param *params,
                        const mg_param *more)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; params[i].name != NULL && count < NAMES_MAX; i++)
        names[count++] = params[i].name;
    for (size_t i = 0; more != NULL && more[i].name != NULL && count < NAMES_MAX; i++)
        names[count++] = more[i].name;
    mg_str hint = mg_suggestion(r, pair->key, names, count);
    if (hint.len == 0) { /* nothing is near: say what there is */
        mg_buf buf = mg_buf_new(r->arena, 1024);
        for (size_t i = 0; i < count; i++)
            mg_buf_addf(&buf, "%s%s", i == 0 ? " (known here: " : ", ", names[i]);
        mg_buf_addc(&buf, ')');
        hint = mg_buf_str(&buf);
    }
    mg_problem_at(r, pair->line, pair->column, "unknown key '" MG_FMT "'" MG_FMT, MG_ARG(pair->key),
                  MG_ARG(hint));
}

/* `agent:` with nothing behind it but comments is as if it were not there. A single value is
 * not: an assertion whose pattern went missing would ask less than its author thinks. */
static bool is_section(const mg_param *row)
{
    return row->type == MG_PARAM_OBJECT || row->type == MG_PARAM_OBJECTS ||
           row->type == MG_PARAM_ENTRIES || row->type == MG_PARAM_GLOBS;
}

void mg_read_fields(mg_reading *r, const mg_param *params, const mg_node *map, mg_args *out,
                    mg_args *beside)
{
    for (size_t i = 0; i < map->map.count; i++) {
        const mg_pair *pair = &map->map.items[i];
        mg_args *to = out;
        const mg_param *row = find_row(params, pair->key);
        if (row == NULL && beside != NULL) {
            row = find_row(beside->params, pair->key);
            to = beside;
        }
        if (row == NULL) {
            unknown_key(r, pair, params, beside != NULL ? beside->params : NULL);
            continue;
        }
        mg_value *value = &to->values[row - to->params];
        if (value->set) {
            mg_problem_at(r, pair->line, pair->column,
                          "'%s' stands inside the fields and beside the kind; keep one", row->name);
            continue;
        }
        /* `equals: null` is a value; `equals: #fff` is a comment where one should be. */
        const bool written_null = row->type == MG_PARAM_VALUE && pair->value.text.len > 0;
        if (pair->value.type == MG_NODE_NULL && !written_null) {
            value->line = pair->line;
            if (!is_section(row) || row->required)
                mg_problem_at(r, pair->line, pair->column,
                              "'%s' has no value; put it in quotes if it begins with #", row->name);
            continue;
        }
        (void)mg_read_value(r, row, &pair->value, value); /* a problem, if any, is noted */
        value->line = pair->value.line;
    }
}

void mg_require(mg_reading *r, const mg_args *args, const char *what)
{
    for (size_t i = 0; args->params[i].name != NULL; i++) {
        const mg_param *row = &args->params[i];
        /* A value that was written but did not read has its own problem: it has a line. */
        if (row->required && !args->values[i].set && args->values[i].line == 0)
            mg_problem_at(r, args->line, args->column, "'%s' needs '%s': %s", what, row->name,
                          row->help);
    }
}
