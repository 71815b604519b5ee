/* http_ask.h - asking an HTTP server and judging what it says; http and http_200 are both
 * this. Private to check/. */
#ifndef MG_CHECK_HTTP_ASK_H
#define MG_CHECK_HTTP_ASK_H

#include "check/kinds.h"
#include "data/yaml.h"

typedef struct mg_http_header { /* a header that must be there and match */
    mg_str name;
    const mg_regex *regex;
} mg_http_header;

typedef struct mg_http_question {
    mg_str url;
    mg_str method; /* empty: GET */
    int64_t status;
    mg_http_header *headers;
    size_t header_count;
    const mg_regex *body; /* NULL: nothing is asked of the body as text */
    bool json;            /* a value at `pointer` is asked for */
    mg_str pointer;
    const mg_node *equals; /* NULL: it must only be there */
    uint64_t timeout_ms;
} mg_http_question;

/* The start() of a kind. The question's texts live as long as the goal. */
MG_MUST_CHECK mg_status mg_http_ask(const mg_view *view, const mg_http_question *question,
                                    mg_ask *ask, mg_err *err);

#endif
