/* file_not_contains - holds when a pattern is nowhere in a file that was read whole. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true,
     .help = "the file, beneath the root; it must be there"},
    {"pattern", MG_PARAM_PATTERN, .required = true, .help = "what must not be found in it"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    const mg_regex *regex = mg_arg_regex(args, "pattern");
    const mg_str quoted = mg_quote_pattern(arena, regex);
    const mg_str expected = mg_strf(arena, "no match of " MG_FMT, MG_ARG(quoted));
    mg_file_count got;
    MG_TRY(mg_count_in_file(view, path, regex, 1, &got, err));
    if (!got.there) { /* what is not there was not read: that is no proof of absence */
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    *out = mg_result_make(mg_outcome_if(got.count == 0), expected,
                          got.count == 0 ? mg_strf(arena, "not in '" MG_FMT "' (%" PRIu64 " bytes)",
                                                   MG_ARG(path), got.bytes)
                                         : mg_strf(arena, "found in '" MG_FMT "'", MG_ARG(path)));
    return MG_OK;
}

const mg_check_kind mg_check_file_not_contains = {
    .name = "file_not_contains",
    .summary = "a pattern is nowhere in a file",
    .example = "file_not_contains: {path: app.js, pattern: 'console\\.log'}",
    .params = params,
    .eval = eval,
};
