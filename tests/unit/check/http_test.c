/* http and http_200 against a real server that answers in every way. */
#include "check/ask_goal.h"
#include "io/server.h"

/* Asks `kind` with the URL of a path and further fields: ", status: 404". */
static mg_result ask_path(test *t, const mg_limits *limits, const char *kind, const char *path,
                          const char *fields)
{
    static int port;
    if (port == 0)
        port = server_start(AF_INET);
    return ask_with(t, limits,
                    mg_strf(t->arena, "{%s: {url: 'http://127.0.0.1:%d%s', timeout: 2s%s}}", kind,
                            port, path, fields)
                        .ptr);
}

static mg_result http(test *t, const char *path, const char *fields)
{
    return ask_path(t, &mg_limits_default, "http", path, fields);
}

static mg_result http_200(test *t, const char *path)
{
    return ask_path(t, &mg_limits_default, "http_200", path, "");
}

TEST(status_200_passes_and_another_fails)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/ok"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/redirect"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 404", http_200(t, "/missing"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 204", http_200(t, "/empty"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 404", http(t, "/missing", ", status: 404"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 200", http(t, "/ok", ", status: 404"));
}

TEST(a_status_needs_nothing_of_the_body)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/flood"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/drip"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/cut"));
}

TEST(the_end_of_the_headers_is_enough_for_a_status)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http_200(t, "/headonly"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http(t, "/headonly", ", header: {x-a: b}"));
    EXPECT(http_200(t, "/headonly").duration_us < 1900000); /* the timeout is 2 s */
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off", http(t, "/headonly", ", body: x"));
}

/* `not` must not take silence for the opposite. */
TEST(what_did_not_answer_is_marked)
{
    static const struct {
        const char *path, *fields;
        bool no_answer;
    } all[] = {{"/never", "", true},
               {"/reset", "", true},
               {"/close", "", true},
               {"/garbage", "", true},
               {"/missing", "", false},
               {"/missing", ", body: x", false},
               {"/ok", ", body: absent", false},
               {"/ok", ", header: {x-none: '.'}", false}};
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        const mg_result r = http(t, all[i].path, all[i].fields);
        EXPECT_EQ(MG_OUTCOME_FAIL, r.outcome);
        EXPECT_EQ(all[i].no_answer, r.no_answer);
    }
    EXPECT(http_200(t, "/never").no_answer);
}

TEST(a_refused_connection_answers_for_the_status_only)
{
    static const struct {
        const char *kind, *fields;
        bool no_answer;
    } all[] = {{"http_200", "", false},
               {"http", "", false},
               {"http", ", status: 404", false},
               {"http", ", body: x", true},
               {"http", ", header: {a: b}", true},
               {"http", ", pointer: /a", true},
               {"http", ", equals: 1", true}};
    for (size_t i = 0; i < MG_COUNT(all); i++) {
        const mg_result r = ask_entry(t, mg_strf(t->arena, "{%s: {url: 'http://127.0.0.1:%d/'%s}}",
                                                 all[i].kind, server_closed_port(), all[i].fields)
                                             .ptr);
        EXPECT_EQ(MG_OUTCOME_FAIL, r.outcome);
        EXPECT_EQ(all[i].no_answer, r.no_answer);
    }
}

TEST(what_does_not_answer_fails_with_the_reason)
{
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer within 2s", http_200(t, "/never"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer", http_200(t, "/reset"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer", http_200(t, "/close"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer", http_200(t, "/garbage"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no answer", http_200(t, "/onlyhints"));
}

TEST(a_failure_shows_the_beginning_of_the_body)
{
    const mg_result r = http_200(t, "/missing");
    EXPECT_CONTAINS(r.detail, "nothing here");
    EXPECT(!mg_str_has(r.detail, "\x1b"));
}

TEST(a_redirect_elsewhere_is_judged_as_it_is)
{
    EXPECT_ASK(MG_OUTCOME_FAIL, "a redirect to 'http://localhost", http_200(t, "/away"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "169.254.169.254", http_200(t, "/metadata"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 302", http(t, "/away", ", status: 302"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "after 5 redirects were followed", http_200(t, "/round"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 302", http_200(t, "/bare"));
}

TEST(a_redirect_that_is_asked_for_is_not_followed)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "status 302", http(t, "/redirect", ", status: 302"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 301", http(t, "/round", ", status: 301"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 302, a redirect to", http(t, "/redirect", ", status: 301"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 200", http(t, "/ok", ", status: 302"));
}

TEST(a_redirect_that_was_followed_is_told)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200 (after a redirect to /ok)", http_200(t, "/redirect"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 200 (after a redirect to /ok)",
               http(t, "/redirect", ", status: 404"));
}

TEST(headers_are_found_whatever_their_case)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/ok", ", header: {content-type: 'text/html'}"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/ok", ", header: {X-TWO: '^b$'}"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "header 'content-type' is 'text/html",
               http(t, "/ok", ", header: {content-type: json}"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no header 'x-none'", http(t, "/ok", ", header: {x-none: '.'}"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no header 'x-early'",
               http(t, "/early", ", header: {x-early: '.'}"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no header 'x-late'",
               http(t, "/large", ", header: {x-late: '.'}, body: needle"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "64 KiB", http(t, "/headers", ""));
}

TEST(the_body_is_searched)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/ok", ", body: 'hello\\s+world'"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no match in the body (20 bytes)",
               http(t, "/ok", ", body: goodbye"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/large", ", body: 'needle end$'"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no match", http(t, "/empty", ", status: 204, body: x"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 404", http(t, "/missing", ", body: nothing"));
}

TEST(a_body_that_broke_off_is_unknown_unless_the_pattern_was_there)
{
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off after 9 bytes", http(t, "/cut", ", body: absent"));
    EXPECT_ASK(MG_OUTCOME_PASS, "status 200", http(t, "/cut", ", body: 'only'"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off", http(t, "/cut", ", body: 'this$'"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off", http(t, "/badchunk", ", body: absent"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off", http(t, "/drip", ", body: absent"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "status 200", http(t, "/cut", ", status: 201, body: absent"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "broke off", http(t, "/cut", ", pointer: /a"));
    mg_limits small = mg_limits_default;
    small.body_stream = 1u << 20;
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "larger than is read",
               ask_path(t, &small, "http", "/flood", ", body: absent"));
}

TEST(what_is_not_there_yet_is_not_absent_for_not)
{
    const mg_report r = ask_goal(
        t,
        mg_strf(
            t->arena,
            "assert: [{not: {http: {url: 'http://127.0.0.1:%d/cut', body: error, timeout: 2s}}}]",
            server_start(AF_INET))
            .ptr,
        &mg_limits_default);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[0].outcome);
}

TEST(a_value_in_json_is_looked_up_and_compared)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/json", ", pointer: /status, equals: ok"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/json", ", pointer: /items/1/n, equals: 2.5"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/json", ", pointer: /none"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/json", ", pointer: /none, equals: null"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "is \"ok\"", http(t, "/json", ", pointer: /status, equals: bad"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "is 1", http(t, "/json", ", pointer: /items/0/n, equals: '1'"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no value at '/nope'", http(t, "/json", ", pointer: /nope"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "not JSON", http(t, "/ok", ", pointer: /a"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "not JSON", http(t, "/empty", ", status: 204, pointer: /a"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "no match", http(t, "/json", ", body: absent, pointer: /status"));
    mg_limits small = mg_limits_default;
    small.body_bytes = 16;
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "larger",
               ask_path(t, &small, "http", "/json", ", pointer: /status"));
}

/* Its beginning alone would be a document, with the value that is asked for. */
TEST(json_that_is_cut_is_not_read)
{
    mg_limits small = mg_limits_default;
    small.body_bytes = 1000;
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "larger than is read",
               ask_path(t, &small, "http", "/longjson", ", pointer: /a, equals: 1, body: '  x'"));
    EXPECT_ASK(MG_OUTCOME_UNKNOWN, "larger than is read",
               ask_path(t, &small, "http", "/longjson", ", pointer: /a, equals: 1"));
    EXPECT_ASK(MG_OUTCOME_FAIL, "not JSON", http(t, "/longjson", ", pointer: /a, equals: 1"));
}

TEST(methods_are_sent)
{
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/method", ", method: DELETE, body: DELETE"));
    EXPECT_ASK(MG_OUTCOME_PASS, "200", http(t, "/ok", ", method: HEAD"));
}

TEST(an_address_that_is_refused_can_be_allowed)
{
    /* Nothing answers there; what matters is that it was asked. */
    const mg_report r =
        ask_goal(t,
                 "probe: {allow: [169.254.0.0/16]}\n"
                 "assert: [{http_200: {url: 'http://169.254.77.77:9/', timeout: 300ms}}]",
                 &mg_limits_default);
    EXPECT(!mg_str_has(r.results[0].message, "probe:"));
    EXPECT(r.results[0].outcome != MG_OUTCOME_PASS);
}

TEST(the_deadline_of_the_check_leaves_it_unknown)
{
    const mg_report r =
        ask_goal(t,
                 mg_strf(t->arena,
                         "check: {deadline: 300ms}\n"
                         "assert: [{http_200: {url: 'http://127.0.0.1:%d/never', timeout: 30s}}]",
                         server_start(AF_INET))
                     .ptr,
                 &mg_limits_default);
    EXPECT_EQ(MG_OUTCOME_UNKNOWN, r.results[0].outcome);
}
