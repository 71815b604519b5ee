/* json_value - holds when the value at a JSON Pointer of a file is as asked. */
#include "check/kinds.h"

#include "data/json.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the JSON file, beneath the root"},
    {"pointer", MG_PARAM_TEXT, .help = "where in it, as in /scripts/test; the whole by default"},
    {"equals", MG_PARAM_VALUE, .help = "it must be this value, of this type"},
    {"matches", MG_PARAM_PATTERN, .help = "it must be text in which this is found"},
    {"gt", MG_PARAM_NUMBER, .help = "it must be a number greater than this"},
    {"lt", MG_PARAM_NUMBER, .help = "it must be a number less than this"},
    {"exists", MG_PARAM_BOOL, .help = "whether there must be a value at all"},
    {0},
};

static mg_status validate(const mg_args *args, mg_err *err)
{
    const bool compares = mg_arg_set(args, "equals") || mg_arg_set(args, "matches") ||
                          mg_arg_set(args, "gt") || mg_arg_set(args, "lt");
    MG_TRY(mg_json_pointer_valid(mg_arg_text(args, "pointer"), err));
    if (!compares && !mg_arg_set(args, "exists"))
        return mg_fail(err, MG_ERR_INVALID,
                       "it asks nothing of the value: add equals, matches, gt, lt or exists");
    if (compares && mg_arg_set(args, "exists") && !mg_arg(args, "exists")->boolean)
        return mg_fail(err, MG_ERR_INVALID,
                       "'exists: false' and a comparison contradict each other");
    return MG_OK;
}

static mg_str expectation(const mg_args *args, mg_arena *arena)
{
    mg_buf buf = mg_buf_new(arena, 1024);
    mg_json_out json = {.buf = &buf};
    const char *sep = "";
    const mg_str pointer = mg_arg_text(args, "pointer");
    mg_buf_addf(&buf, "value at '" MG_FMT "' ", MG_ARG(pointer));
    if (mg_arg_set(args, "equals")) {
        mg_buf_adds(&buf, "equals ");
        mg_json_node(&json, mg_arg(args, "equals")->node);
        sep = ", ";
    }
    if (mg_arg_set(args, "matches")) {
        const mg_str quoted = mg_quote_pattern(arena, mg_arg_regex(args, "matches"));
        mg_buf_addf(&buf, "%smatches " MG_FMT, sep, MG_ARG(quoted));
        sep = ", ";
    }
    if (mg_arg_set(args, "gt")) {
        mg_buf_addf(&buf, "%sis greater than %.15g", sep, mg_arg(args, "gt")->number);
        sep = ", ";
    }
    if (mg_arg_set(args, "lt")) {
        mg_buf_addf(&buf, "%sis less than %.15g", sep, mg_arg(args, "lt")->number);
        sep = ", ";
    }
    if (mg_arg_set(args, "exists"))
        mg_buf_addf(&buf, "%s%s", sep,
                    mg_arg(args, "exists")->boolean ? "exists" : "does not exist");
    return mg_text_line(arena, mg_buf_str(&buf), 400);
}

static mg_status as_asked(const mg_view *view, const mg_args *args, const mg_json *value,
                          bool *holds, mg_err *err)
{
    mg_str text;
    double number = 0;
    const bool is_text = mg_json_is_text(value, &text),
               is_number = mg_json_is_number(value, &number);
    *holds = true;
    if (mg_arg_set(args, "equals"))
        *holds = *holds && mg_json_equals(value, mg_arg(args, "equals")->node);
    if (mg_arg_set(args, "gt"))
        *holds = *holds && is_number && number > mg_arg(args, "gt")->number;
    if (mg_arg_set(args, "lt"))
        *holds = *holds && is_number && number < mg_arg(args, "lt")->number;
    if (mg_arg_set(args, "exists"))
        *holds = *holds && mg_arg(args, "exists")->boolean;
    if (*holds && mg_arg_set(args, "matches")) {
        *holds = false;
        if (is_text)
            return mg_regex_find(mg_arg_regex(args, "matches"), view->limits, text, holds, err);
    }
    return MG_OK;
}

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str path = mg_arg_text(args, "path"), expected = expectation(args, arena);
    const mg_json *document, *value;
    mg_str text;
    mg_status s =
        mg_file_read(view->world->root, path, view->limits->json_bytes, scratch, &text, err);
    if (s == MG_ERR_NOT_FOUND) {
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    MG_TRY(s);
    s = mg_json_parse(text, view->limits, MG_JSON_UNIQUE_KEYS, scratch, &document, err);
    if (s == MG_ERR_INVALID) { /* it was read, and it does not hold the value: that is an answer */
        *out = mg_result_make(MG_OUTCOME_FAIL, expected,
                              mg_strf(arena, "'" MG_FMT "': %s", MG_ARG(path), err->text));
        out->no_answer = true;
        return MG_OK;
    }
    MG_TRY(s);
    s = mg_json_at(document, mg_arg_text(args, "pointer"), &value, err);
    if (s == MG_ERR_NOT_FOUND) {
        const bool wanted_absent = mg_arg_set(args, "exists") && !mg_arg(args, "exists")->boolean;
        *out = mg_result_make(mg_outcome_if(wanted_absent), expected, MG_STR("there is no value"));
        return MG_OK;
    }
    MG_TRY(s);
    bool holds = false;
    MG_TRY(as_asked(view, args, value, &holds, err));
    const mg_str shown = mg_text_line(scratch, mg_json_text(value, scratch), 200);
    *out = mg_result_make(mg_outcome_if(holds), expected, mg_str_copy(arena, shown));
    return MG_OK;
}

const mg_check_kind mg_check_json_value = {
    .name = "json_value",
    .summary = "a value in a JSON file is as asked",
    .example = "json_value: {path: package.json, pointer: /version, matches: '^2\\.'}",
    .params = params,
    .validate = validate,
    .eval = eval,
};
