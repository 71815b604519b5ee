/* file_size_gt - holds when a file beneath the root is larger than the given number of bytes. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the file to measure, beneath the root"},
    {"bytes", MG_PARAM_SIZE, .required = true, .help = "it must be larger than this"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    const uint64_t floor = mg_arg_amount(args, "bytes");
    const mg_str expected = mg_strf(arena, "larger than %" PRIu64 " bytes", floor);
    struct stat st;
    bool there;
    MG_TRY(mg_look(view, path, &st, &there, err));
    if (!there) {
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    if (!S_ISREG(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is %s, not a regular file", MG_ARG(path),
                       mg_file_type(st.st_mode));
    const uint64_t size = (uint64_t)st.st_size;
    *out = mg_result_make(mg_outcome_if(size > floor), expected,
                          mg_strf(arena, "%" PRIu64 " bytes", size));
    return MG_OK;
}

const mg_check_kind mg_check_file_size_gt = {
    .name = "file_size_gt",
    .summary = "a file is larger than a number of bytes",
    .example = "file_size_gt: {path: report.pdf, bytes: 10k}",
    .params = params,
    .eval = eval,
};
