/* output_contains - holds when the output of a step, or of any step, contains a pattern. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"pattern", MG_PARAM_PATTERN, .required = true, .help = "what must be found in the output"},
    {"step", MG_PARAM_TEXT, .help = "the id of the step; without it, any step"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_regex *regex = mg_arg_regex(args, "pattern");
    const mg_str step = mg_arg_text(args, "step");
    MG_TRY(mg_need_attempt(view, "what the steps of an attempt printed", err));
    if (!view->attempt->steps_known)
        return mg_fail(err, MG_ERR_UNAVAILABLE, "the steps of the attempt were not observed");
    bool found = false, ran = false, cut = false;
    for (size_t i = 0; i < view->attempt->step_count && !found; i++) {
        const mg_step *s = &view->attempt->steps[i];
        if (step.len > 0 && !mg_str_eq(step, s->id))
            continue;
        ran = true;
        cut = cut || s->output_cut;
        MG_TRY(mg_regex_find(regex, view->limits, s->output, &found, err));
    }
    if (!found && cut)
        return mg_fail(err, MG_ERR_LIMIT,
                       "the output was cut, and the pattern is not in what was kept");
    const mg_str quoted = mg_quote_pattern(arena, regex);
    *out =
        mg_result_make(mg_outcome_if(found), mg_strf(arena, "a match of " MG_FMT, MG_ARG(quoted)),
                       found  ? MG_STR("found in the output")
                       : !ran ? mg_strf(arena, "no step '" MG_FMT "' ran", MG_ARG(step))
                              : MG_STR("no match in the output"));
    return MG_OK;
}

const mg_check_kind mg_check_output_contains = {
    .name = "output_contains",
    .summary = "the output of a step contains a pattern (about the attempt: proves nothing alone)",
    .example = "output_contains: {pattern: '\\b0 failed', step: test}",
    .params = params,
    .about_attempt = true,
    .eval = eval,
};
