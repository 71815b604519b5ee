/* http_200 - holds when a URL is answered with status 200; what it says does not matter. */
#include "check/http_ask.h"
#include "check/probe.h"

static const mg_param params[] = {
    {"url", MG_PARAM_TEXT, .required = true, .help = "what to ask for, http or https"},
    {"timeout", MG_PARAM_DURATION, .fallback = "10s",
     .help = "until it answers; the body is not waited for"},
    {0},
};

static mg_status validate(const mg_args *args, mg_err *err)
{
    MG_TRY(mg_probe_url_valid(mg_arg_text(args, "url"), err));
    return mg_probe_timeout_valid(args, err);
}

static mg_status start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    const mg_http_question question = {
        .url = mg_arg_text(args, "url"),
        .status = 200,
        .timeout_ms = mg_arg_amount(args, "timeout"),
    };
    return mg_http_ask(view, &question, ask, err);
}

const mg_check_kind mg_check_http_200 = {
    .name = "http_200",
    .summary = "a URL is answered with status 200",
    .example = "http_200: 'http://127.0.0.1:3000/'",
    .params = params,
    .validate = validate,
    .start = start,
};
