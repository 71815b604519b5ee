/* param.c - looking a value up, and calling a type by its name. */
#include "model/param.h"

#include "base/buf.h"

#include <assert.h>

size_t mg_param_count(const mg_param *params)
{
    size_t count = 0;
    while (params[count].name != NULL)
        count++;
    return count;
}

const mg_value *mg_arg(const mg_args *args, const char *name)
{
    for (size_t i = 0; args->params[i].name != NULL; i++) {
        if (strcmp(args->params[i].name, name) == 0)
            return &args->values[i];
    }
    abort(); /* a name that is not in the table: our own slip, found by the first test */
}

static mg_str choice_text(const mg_param *param, mg_arena *arena)
{
    mg_buf buf = mg_buf_new(arena, 512);
    for (size_t i = 0; param->choices[i] != NULL; i++) {
        const bool last = param->choices[i + 1] == NULL;
        mg_buf_addf(&buf, "%s%s", i == 0 ? "" : last ? " or " : ", ", param->choices[i]);
    }
    return mg_buf_str(&buf);
}

mg_str mg_param_type_text(const mg_param *param, mg_arena *arena)
{
    static const char *const names[] = {
        [MG_PARAM_TEXT] = "text",
        [MG_PARAM_PATH] = "a path beneath the root",
        [MG_PARAM_PATTERN] = "a PCRE2 pattern",
        [MG_PARAM_INT] = "a whole number",
        [MG_PARAM_NUMBER] = "a number",
        [MG_PARAM_SIZE] = "a size (as in 512, 10k or 2M)",
        [MG_PARAM_DURATION] = "a duration (as in 100ms, 2s or 5m)",
        [MG_PARAM_BOOL] = "true or false",
        [MG_PARAM_COMMAND] = "a command (text for sh -c, or a list of arguments)",
        [MG_PARAM_ENV] = "names of variables ([NAME, NAME=value] or {NAME: value})",
        [MG_PARAM_TEXTS] = "a list of texts",
        [MG_PARAM_GLOBS] = "a list of path patterns",
        [MG_PARAM_VALUE] = "any value",
        [MG_PARAM_OBJECT] = "a mapping",
        [MG_PARAM_OBJECTS] = "a list of mappings",
        [MG_PARAM_ENTRY] = "an assertion",
        [MG_PARAM_ENTRIES] = "a list of assertions",
    };
    if (param->type == MG_PARAM_CHOICE)
        return choice_text(param, arena);
    if (param->type == MG_PARAM_OBJECT && param->or_bool)
        return MG_STR("a mapping, true or false");
    return mg_str_of(names[param->type]);
}
