/* schema.c - the tables as JSON Schema (draft 2020-12), for editors. */
#include "data/json.h"
#include "model/goal.h"

static void write_fields(mg_json_out *out, const mg_param *params, const mg_param *more,
                         bool closed);

static void write_string_with_pattern(mg_json_out *out, const char *pattern)
{
    mg_json_key(out, "type");
    mg_json_cstr(out, "string");
    mg_json_key(out, "pattern");
    mg_json_cstr(out, pattern);
}

static void write_types(mg_json_out *out, const char *const *types)
{
    mg_json_key(out, "type");
    mg_json_begin(out, '[');
    for (size_t i = 0; types[i] != NULL; i++)
        mg_json_cstr(out, types[i]);
    mg_json_end(out, ']');
}

static void write_ref(mg_json_out *out, const char *definition)
{
    mg_json_key(out, "$ref");
    mg_json_cstr(out, definition);
}

static void write_list_of_text(mg_json_out *out)
{
    static const char *const types[] = {"string", "array", NULL}, *const items[] = {"string",
                                                                                    "number", NULL};
    write_types(out, types);
    mg_json_key(out, "items");
    mg_json_begin(out, '{');
    write_types(out, items);
    mg_json_end(out, '}');
}

static void write_bounds(mg_json_out *out, const mg_param *param)
{
    mg_json_key(out, "type");
    mg_json_cstr(out, "integer");
    if (param->min == 0 && param->max == 0)
        return;
    mg_json_key(out, "minimum");
    mg_json_int(out, param->min);
    mg_json_key(out, "maximum");
    mg_json_int(out, param->max);
}

static void write_choices(mg_json_out *out, const mg_param *param)
{
    mg_json_key(out, "enum");
    mg_json_begin(out, '[');
    for (size_t i = 0; param->choices[i] != NULL; i++)
        mg_json_cstr(out, param->choices[i]);
    mg_json_end(out, ']');
}

static void write_array(mg_json_out *out, const mg_param *fields)
{
    mg_json_key(out, "type");
    mg_json_cstr(out, "array");
    mg_json_key(out, "items");
    mg_json_begin(out, '{');
    if (fields != NULL)
        write_fields(out, fields, NULL, true);
    else
        write_ref(out, "#/$defs/entry");
    mg_json_end(out, '}');
}

static void write_object(mg_json_out *out, const mg_param *param)
{
    if (!param->or_bool) {
        write_fields(out, param->fields, NULL, true);
        return;
    }
    mg_json_key(out, "anyOf");
    mg_json_begin(out, '[');
    mg_json_begin(out, '{');
    mg_json_key(out, "type");
    mg_json_cstr(out, "boolean");
    mg_json_end(out, '}');
    mg_json_begin(out, '{');
    write_fields(out, param->fields, NULL, true);
    mg_json_end(out, '}');
    mg_json_end(out, ']');
}

/* The keywords of one row, inside an open object. */
static void write_type(mg_json_out *out, const mg_param *param)
{
    static const char *const text_like[] = {"string", "number", NULL};
    static const char *const env_like[] = {"string", "array", "object", NULL};
    static const char size[] = "^[0-9]+(\\.[0-9]+)?([kKmMgGtT]([iI]?[bB])?|[bB])?$";
    static const char duration[] = "^(0|([0-9]+(\\.[0-9]+)?(ms|s|m|h|d))+)$";
    switch (param->type) {
    case MG_PARAM_TEXT:
    case MG_PARAM_PATTERN:
        write_types(out, text_like); /* digits without quotes are read as text */
        break;
    case MG_PARAM_PATH:
        write_types(out, text_like);
        mg_json_key(out, "pattern");
        mg_json_cstr(out, "^[^/]");
        break;
    case MG_PARAM_SIZE:
        write_types(out, text_like);
        mg_json_key(out, "pattern");
        mg_json_cstr(out, size);
        break;
    case MG_PARAM_DURATION:
        write_string_with_pattern(out, duration);
        break;
    case MG_PARAM_INT:
        write_bounds(out, param);
        break;
    case MG_PARAM_NUMBER:
        mg_json_key(out, "type");
        mg_json_cstr(out, "number");
        break;
    case MG_PARAM_BOOL:
        mg_json_key(out, "type");
        mg_json_cstr(out, "boolean");
        break;
    case MG_PARAM_CHOICE:
        write_choices(out, param);
        break;
    case MG_PARAM_COMMAND:
    case MG_PARAM_TEXTS:
    case MG_PARAM_GLOBS:
        write_list_of_text(out);
        break;
    case MG_PARAM_ENV:
        write_types(out, env_like);
        break;
    case MG_PARAM_VALUE:
        break; /* no keyword: anything */
    case MG_PARAM_OBJECT:
        write_object(out, param);
        break;
    case MG_PARAM_OBJECTS:
        write_array(out, param->fields);
        break;
    case MG_PARAM_ENTRY:
        write_ref(out, "#/$defs/entry");
        break;
    case MG_PARAM_ENTRIES:
        write_array(out, NULL);
        break;
    }
}

static void write_properties(mg_json_out *out, const mg_param *params)
{
    for (size_t i = 0; params != NULL && params[i].name != NULL; i++) {
        mg_json_key(out, params[i].name);
        mg_json_begin(out, '{');
        mg_json_key(out, "description");
        mg_json_cstr(out, params[i].help);
        write_type(out, &params[i]);
        mg_json_end(out, '}');
    }
}

static void write_required(mg_json_out *out, const mg_param *params)
{
    bool any = false;
    for (size_t i = 0; params[i].name != NULL; i++)
        any = any || params[i].required;
    if (!any)
        return;
    mg_json_key(out, "required");
    mg_json_begin(out, '[');
    for (size_t i = 0; params[i].name != NULL; i++) {
        if (params[i].required)
            mg_json_cstr(out, params[i].name);
    }
    mg_json_end(out, ']');
}

static void write_fields(mg_json_out *out, const mg_param *params, const mg_param *more,
                         bool closed)
{
    mg_json_key(out, "type");
    mg_json_cstr(out, "object");
    mg_json_key(out, "properties");
    mg_json_begin(out, '{');
    write_properties(out, params);
    write_properties(out, more);
    mg_json_end(out, '}');
    write_required(out, params);
    if (closed) {
        mg_json_key(out, "additionalProperties");
        mg_json_bool(out, false);
    }
}

/* A kind's value: its first field as a scalar, or all its fields. */
static void write_kind(mg_json_out *out, const mg_check_kind *kind)
{
    mg_json_key(out, kind->name);
    mg_json_begin(out, '{');
    mg_json_key(out, "description");
    mg_json_cstr(out, kind->summary);
    mg_json_key(out, "anyOf");
    mg_json_begin(out, '[');
    if (mg_param_count(kind->params) > 0) {
        mg_json_begin(out, '{');
        write_type(out, &kind->params[0]);
        mg_json_end(out, '}');
    }
    mg_json_begin(out, '{');
    write_fields(out, kind->params, mg_entry_params, true);
    mg_json_end(out, '}');
    mg_json_end(out, ']');
    mg_json_end(out, '}');
}

static void write_groups(mg_json_out *out)
{
    mg_json_key(out, "all");
    mg_json_begin(out, '{');
    write_ref(out, "#/$defs/entries");
    mg_json_end(out, '}');
    mg_json_key(out, "any");
    mg_json_begin(out, '{');
    mg_json_key(out, "anyOf");
    mg_json_begin(out, '[');
    mg_json_begin(out, '{');
    write_ref(out, "#/$defs/entries");
    mg_json_end(out, '}');
    mg_json_begin(out, '{');
    write_fields(out, mg_any_params, mg_entry_params, true);
    mg_json_end(out, '}');
    mg_json_end(out, ']');
    mg_json_end(out, '}');
    mg_json_key(out, "not");
    mg_json_begin(out, '{');
    write_ref(out, "#/$defs/entry");
    mg_json_end(out, '}');
}

/* Exactly one of the kinds or groups. */
static void write_one_of(mg_json_out *out, mg_kinds kinds)
{
    static const char *const groups[] = {"all", "any", "not", NULL};
    mg_json_key(out, "oneOf");
    mg_json_begin(out, '[');
    for (size_t i = 0, g = 0; kinds[i] != NULL || groups[g] != NULL;) {
        mg_json_begin(out, '{');
        mg_json_key(out, "required");
        mg_json_begin(out, '[');
        mg_json_cstr(out, kinds[i] != NULL ? kinds[i++]->name : groups[g++]);
        mg_json_end(out, ']');
        mg_json_end(out, '}');
    }
    mg_json_end(out, ']');
}

/* {assert: KIND, ...}: the fields are open here, a schema for each would say everything twice. */
static void write_flat(mg_json_out *out, mg_kinds kinds)
{
    mg_json_begin(out, '{');
    mg_json_key(out, "type");
    mg_json_cstr(out, "object");
    mg_json_key(out, "properties");
    mg_json_begin(out, '{');
    mg_json_key(out, "assert");
    mg_json_begin(out, '{');
    mg_json_key(out, "enum");
    mg_json_begin(out, '[');
    for (size_t i = 0; kinds[i] != NULL; i++)
        mg_json_cstr(out, kinds[i]->name);
    mg_json_end(out, ']');
    mg_json_end(out, '}');
    mg_json_end(out, '}');
    mg_json_key(out, "required");
    mg_json_begin(out, '[');
    mg_json_cstr(out, "assert");
    mg_json_end(out, ']');
    mg_json_end(out, '}');
}

static void write_entry(mg_json_out *out, mg_kinds kinds)
{
    mg_json_key(out, "entry");
    mg_json_begin(out, '{');
    mg_json_key(out, "anyOf");
    mg_json_begin(out, '[');
    mg_json_begin(out, '{');
    mg_json_key(out, "type");
    mg_json_cstr(out, "object");
    mg_json_key(out, "properties");
    mg_json_begin(out, '{');
    for (size_t i = 0; kinds[i] != NULL; i++)
        write_kind(out, kinds[i]);
    write_groups(out);
    write_properties(out, mg_entry_params);
    mg_json_end(out, '}');
    mg_json_key(out, "additionalProperties");
    mg_json_bool(out, false);
    write_one_of(out, kinds);
    mg_json_end(out, '}');
    write_flat(out, kinds);
    mg_json_end(out, ']');
    mg_json_end(out, '}');
}

void mg_goal_json_schema(mg_kinds kinds, mg_buf *buf)
{
    mg_json_out out = {.buf = buf, .pretty = true};
    mg_json_begin(&out, '{');
    mg_json_key(&out, "$schema");
    mg_json_cstr(&out, "https://json-schema.org/draft/2020-12/schema");
    mg_json_key(&out, "title");
    mg_json_cstr(&out, "makegood goal file");
    write_fields(&out, mg_goal_params, NULL, true);
    mg_json_key(&out, "$defs");
    mg_json_begin(&out, '{');
    mg_json_key(&out, "entries");
    mg_json_begin(&out, '{');
    write_array(&out, NULL);
    mg_json_key(&out, "minItems");
    mg_json_int(&out, 1);
    mg_json_end(&out, '}');
    write_entry(&out, kinds);
    mg_json_end(&out, '}');
    mg_json_end(&out, '}');
    mg_buf_addc(buf, '\n');
}
