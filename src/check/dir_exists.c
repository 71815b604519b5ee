/* dir_exists - holds when a directory is beneath the root. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the directory, beneath the root"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    return mg_eval_type(view, mg_arg_text(args, "path"), S_IFDIR, MG_STR("a directory is there"),
                        arena, out, err);
}

const mg_check_kind mg_check_dir_exists = {
    .name = "dir_exists",
    .summary = "a directory is there",
    .example = "dir_exists: dist",
    .params = params,
    .eval = eval,
};
