/* file_contains - holds when a pattern is found in a file, once or as often as `count` says. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the file, beneath the root"},
    {"pattern", MG_PARAM_PATTERN, .required = true, .help = "what must be found in it"},
    {"count", MG_PARAM_INT, .min = 0, .max = 1000000000,
     .help = "how often; without it, at least once"},
    {"op", MG_PARAM_CHOICE, .choices = mg_ops, .fallback = "eq",
     .help = "how the count is compared"},
    {0},
};

static mg_status validate(const mg_args *args, mg_err *err)
{
    const int64_t count = mg_arg_int(args, "count");
    const mg_str op = mg_arg_text(args, "op");
    if (mg_arg_set(args, "op") && !mg_arg_set(args, "count"))
        return mg_fail(err, MG_ERR_INVALID, "'op' needs a 'count' to compare with");
    if (mg_arg_set(args, "count") && count == 0 && mg_str_is(op, "gte"))
        return mg_fail(err, MG_ERR_INVALID, "at least 0 matches is always true");
    if (mg_arg_set(args, "count") && count == 0 && mg_str_is(op, "lt"))
        return mg_fail(err, MG_ERR_INVALID, "less than 0 matches is never true");
    return MG_OK;
}

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    const mg_regex *regex = mg_arg_regex(args, "pattern");
    const bool counted = mg_arg_set(args, "count");
    const mg_str op = counted ? mg_arg_text(args, "op") : MG_STR("gte");
    const uint64_t want = counted ? (uint64_t)mg_arg_int(args, "count") : 1;
    const mg_str quoted = mg_quote_pattern(arena, regex);
    const mg_str expected = counted ? mg_strf(arena, MG_FMT " matches of " MG_FMT,
                                              MG_ARG(mg_op_text(arena, op, want)), MG_ARG(quoted))
                                    : mg_strf(arena, "a match of " MG_FMT, MG_ARG(quoted));
    mg_file_count got;
    /* One more than is wanted tells "too many" apart; for "at least" the wanted ones are enough. */
    MG_TRY(mg_count_in_file(view, path, regex, mg_str_is(op, "gte") ? want : want + 1, &got, err));
    if (!got.there) {
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    const char *more = got.count > want ? " or more" : "";
    *out = mg_result_make(
        mg_outcome_if(mg_op_holds(op, got.count, want)), expected,
        !counted && got.count > 0 ? mg_strf(arena, "found in '" MG_FMT "'", MG_ARG(path))
        : got.count == 0
            ? mg_strf(arena, "no match in '" MG_FMT "' (%" PRIu64 " bytes)", MG_ARG(path),
                      got.bytes)
            : mg_strf(arena, "%" PRIu64 "%s in '" MG_FMT "'", got.count, more, MG_ARG(path)));
    return MG_OK;
}

const mg_check_kind mg_check_file_contains = {
    .name = "file_contains",
    .summary = "a pattern is found in a file",
    .example = "file_contains: {path: style.css, pattern: 'background:\\s*darkgreen'}",
    .params = params,
    .validate = validate,
    .eval = eval,
};
