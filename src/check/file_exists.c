/* file_exists - holds when a regular file is beneath the root. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the file, beneath the root"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    return mg_eval_type(view, mg_arg_text(args, "path"), S_IFREG, MG_STR("a file is there"), arena,
                        out, err);
}

const mg_check_kind mg_check_file_exists = {
    .name = "file_exists",
    .summary = "a file is there",
    .example = "file_exists: index.html",
    .params = params,
    .eval = eval,
};
