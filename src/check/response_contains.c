/* response_contains - holds when the agent's final text contains a pattern. Its own word:
 * it can break a goal, never prove one. */
#include "check/kinds.h"

static const mg_param params[] = {
    {"pattern", MG_PARAM_PATTERN, .required = true,
     .help = "what must be found in the agent's final text"},
    {0},
};

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_regex *regex = mg_arg_regex(args, "pattern");
    MG_TRY(mg_need_attempt(view, "what the agent answered", err));
    if (view->attempt->response == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE, "the agent's final text is not known");
    bool found = false;
    MG_TRY(mg_regex_find(regex, view->limits, *view->attempt->response, &found, err));
    if (!found && view->attempt->response_cut)
        return mg_fail(err, MG_ERR_LIMIT,
                       "the agent's final text was cut, and the pattern is not in what was kept");
    const mg_str quoted = mg_quote_pattern(arena, regex);
    *out =
        mg_result_make(mg_outcome_if(found), mg_strf(arena, "a match of " MG_FMT, MG_ARG(quoted)),
                       found ? MG_STR("found in the agent's final text")
                             : MG_STR("no match in the agent's final text"));
    return MG_OK;
}

const mg_check_kind mg_check_response_contains = {
    .name = "response_contains",
    .summary = "the agent's final text contains a pattern (its own word: proves nothing alone)",
    .example = "response_contains: 'all tests pass'",
    .params = params,
    .about_attempt = true,
    .eval = eval,
};
