/* http - holds when a URL is answered as asked: status, headers, body, a value in JSON. */
#include "base/vec.h"
#include "check/http_ask.h"
#include "check/probe.h"
#include "data/json.h"

static const char *const methods[] = {"GET", "HEAD",  "OPTIONS", "POST",
                                      "PUT", "PATCH", "DELETE",  NULL};

static const mg_param params[] = {
    {"url", MG_PARAM_TEXT, .required = true, .help = "what to ask for, http or https"},
    {"method", MG_PARAM_CHOICE, .choices = methods, .fallback = "GET",
     .help = "how; nothing is sent along"},
    {"status", MG_PARAM_INT, .min = 100, .max = 599, .fallback = "200",
     .help = "the status it must answer with"},
    {"header", MG_PARAM_VALUE,
     .help = "headers it must have: {content-type: json}, each with a pattern"},
    {"body", MG_PARAM_PATTERN, .help = "what must be found in the body"},
    {"pointer", MG_PARAM_TEXT,
     .help = "a JSON pointer (as in /items/0) at which the body must have a value"},
    {"equals", MG_PARAM_VALUE, .help = "the value there; without a pointer, of the whole body"},
    {"timeout", MG_PARAM_DURATION, .fallback = "10s",
     .help = "for the answer; its body is waited for only where something is asked of it"},
    {0},
};

typedef struct headers {
    mg_http_header *items;
    size_t count, cap;
} headers;

static bool is_header_name(mg_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] <= ' ' || (unsigned char)name.ptr[i] >= 0x7f ||
            name.ptr[i] == ':')
            return false;
    return name.len > 0;
}

/* The mapping of `header`, its patterns compiled into the arena. */
static mg_status read_headers(const mg_args *args, mg_arena *arena, headers *out, mg_err *err)
{
    if (!mg_arg_set(args, "header"))
        return MG_OK;
    const mg_node *node = mg_arg(args, "header")->node;
    if (node->type != MG_NODE_MAP)
        return mg_fail(err, MG_ERR_INVALID,
                       "'header' is %s; a mapping of names to patterns is expected, as in "
                       "{content-type: json}",
                       mg_node_type_name(node->type));
    for (size_t i = 0; i < node->map.count; i++) {
        const mg_pair *pair = &node->map.items[i];
        mg_http_header h = {.name = pair->key};
        const bool scalar = pair->value.type != MG_NODE_LIST && pair->value.type != MG_NODE_MAP &&
                            pair->value.type != MG_NODE_NULL;
        if (!is_header_name(h.name) || !scalar)
            return mg_fail(err, MG_ERR_INVALID,
                           "header '" MG_FMT "': a name and a pattern are expected, as in "
                           "{content-type: json}",
                           MG_ARG(h.name));
        MG_TRY(mg_context(err, mg_regex_compile(pair->value.text, arena, &h.regex, err),
                          "header '" MG_FMT "'", MG_ARG(h.name)));
        if (mg_regex_matches_empty(h.regex))
            return mg_fail(err, MG_ERR_INVALID,
                           "header '" MG_FMT "': the pattern '" MG_FMT "' matches even the empty "
                           "text and so everything; '.' asks only that it is there",
                           MG_ARG(h.name), MG_ARG(pair->value.text));
        mg_vec_push(arena, out, h);
    }
    return MG_OK;
}

static mg_status validate(const mg_args *args, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    headers ignored = {0};
    MG_TRY(mg_probe_url_valid(mg_arg_text(args, "url"), err));
    MG_TRY(mg_probe_timeout_valid(args, err));
    MG_TRY(read_headers(args, scratch, &ignored, err));
    MG_TRY(mg_json_pointer_valid(mg_arg_text(args, "pointer"), err));
    if (mg_str_is(mg_arg_text(args, "method"), "HEAD") &&
        (mg_arg_set(args, "body") || mg_arg_set(args, "pointer") || mg_arg_set(args, "equals")))
        return mg_fail(err, MG_ERR_INVALID, "an answer to HEAD has no body to look into; use GET");
    return MG_OK;
}

static mg_status start(const mg_view *view, const mg_args *args, mg_ask *ask, mg_err *err)
{
    headers wanted = {0};
    MG_TRY(read_headers(args, ask->arena, &wanted, err));
    const mg_http_question question = {
        .url = mg_arg_text(args, "url"),
        .method = mg_arg_text(args, "method"),
        .status = mg_arg_int(args, "status"),
        .headers = wanted.items,
        .header_count = wanted.count,
        .body = mg_arg_set(args, "body") ? mg_arg_regex(args, "body") : NULL,
        .json = mg_arg_set(args, "pointer") || mg_arg_set(args, "equals"),
        .pointer = mg_arg_text(args, "pointer"),
        .equals = mg_arg_set(args, "equals") ? mg_arg(args, "equals")->node : NULL,
        .timeout_ms = mg_arg_amount(args, "timeout"),
    };
    return mg_http_ask(view, &question, ask, err);
}

const mg_check_kind mg_check_http = {
    .name = "http",
    .summary = "a URL is answered as asked: status, headers, body, a value in JSON",
    .example =
        "http: {url: 'http://127.0.0.1:3000/api/health', status: 200, header: {content-type: "
        "json}, pointer: /status, equals: ok}",
    .params = params,
    .validate = validate,
    .start = start,
};
