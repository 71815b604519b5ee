/* exit_code_eq - holds when a step, or the last step that had one, ended with an exit code. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"code", MG_PARAM_INT, .required = true, .min = 0, .max = 255, .help = "the exit code"},
    {"step", MG_PARAM_TEXT, .help = "the id of the step; without it, the last one that has a code"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str step = mg_arg_text(args, "step");
    MG_TRY(mg_need_attempt(view, "how the steps of an attempt ended", err));
    if (!view->attempt->steps_known)
        return mg_fail(err, MG_ERR_UNAVAILABLE, "the steps of the attempt were not observed");
    const mg_step *found = NULL;
    bool ran = false;
    for (size_t i = 0; i < view->attempt->step_count; i++) {
        const mg_step *s = &view->attempt->steps[i];
        if (step.len > 0 && !mg_str_eq(step, s->id))
            continue;
        ran = true;
        if (s->has_exit)
            found = s;
    }
    const mg_str expected = mg_strf(arena, "exit code %" PRId64, mg_arg_int(args, "code"));
    if (found == NULL && step.len > 0 && !ran) {
        *out = mg_result_make(MG_OUTCOME_FAIL, expected,
                              mg_strf(arena, "no step '" MG_FMT "' ran", MG_ARG(step)));
        return MG_OK;
    }
    if (found == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE, "no exit code was observed");
    *out = mg_result_make(mg_outcome_if(found->exit_code == mg_arg_int(args, "code")), expected,
                          mg_strf(arena, "exit code %" PRId64, found->exit_code));
    return MG_OK;
}

const mg_check_kind mg_check_exit_code_eq = {
    .name = "exit_code_eq",
    .summary = "a step ended with an exit code (about the attempt: proves nothing alone)",
    .example = "exit_code_eq: {code: 0, step: build}",
    .params = params,
    .about_attempt = true,
    .eval = eval,
};
