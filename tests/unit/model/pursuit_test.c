/* What may be called a success, and attempts written and read back. */
#include "random_attempt.h"
#include "test.h"

static mg_str written(test *t, const mg_attempt *attempt)
{
    mg_buf buf = mg_buf_new(t->arena, 64u << 20);
    mg_json_out json = {.buf = &buf};
    mg_attempt_write(&json, attempt);
    EXPECT(!buf.cut);
    return mg_buf_str(&buf);
}

static mg_status read_text(test *t, mg_str text, mg_attempt *out)
{
    const mg_json *json;
    const mg_status s =
        mg_json_parse(text, &mg_limits_default, MG_JSON_UNIQUE_KEYS, t->arena, &json, &t->err);
    return s == MG_OK ? mg_attempt_read(json, t->arena, out, &t->err) : s;
}

static mg_str replaced(test *t, mg_str text, const char *what, const char *by)
{
    const char *at = memmem(text.ptr, text.len, what, strlen(what));
    if (at == NULL)
        test_fail(__FILE__, __LINE__, "no '%s' in '" MG_FMT "'", what, MG_ARG(text));
    const mg_str before = {text.ptr, (size_t)(at - text.ptr)};
    return mg_strf(t->arena, MG_FMT "%s" MG_FMT, MG_ARG(before), by,
                   MG_ARG(mg_str_from(text, before.len + strlen(what))));
}

/* --- Names --- */

TEST(every_status_and_reason_has_a_name_that_reads_back)
{
    for (int i = MG_PURSUIT_QUEUED; i <= MG_PURSUIT_CANCELLED; i++)
        EXPECT_EQ(i,
                  mg_pursuit_status_named(mg_str_of(mg_pursuit_status_name((mg_pursuit_status)i))));
    for (int i = MG_WHY_GOAL_MET; i <= MG_WHY_CANCELLED; i++)
        EXPECT_EQ(i, mg_why_named(mg_str_of(mg_why_name((mg_why)i))));
    EXPECT(mg_why_name(MG_WHY_NONE) == NULL);
}

TEST(a_word_that_is_none_is_never_a_good_one)
{
    EXPECT_EQ(MG_PURSUIT_QUEUED, mg_pursuit_status_named(MG_STR("Succeeded")));
    EXPECT_EQ(MG_WHY_NONE, mg_why_named(MG_STR("")));
    EXPECT_EQ(MG_VERDICT_UNKNOWN, mg_verdict_named(MG_STR("met ")));
    EXPECT_STR("errored", mg_str_of(mg_pursuit_status_name((mg_pursuit_status)99)));
    EXPECT(mg_why_name((mg_why)99) == NULL);
}

/* --- Success --- */

static mg_pursuit proved(test *t)
{
    mg_attempt *attempts = mg_new_array(t->arena, mg_attempt, 2);
    attempts[0] =
        (mg_attempt){.number = 1, .status = MG_ATTEMPT_FAILED, .verdict = MG_VERDICT_NOT_MET};
    attempts[1] =
        (mg_attempt){.number = 2, .status = MG_ATTEMPT_SUCCESS, .verdict = MG_VERDICT_MET};
    return (mg_pursuit){.status = MG_PURSUIT_SUCCEEDED,
                        .reason = MG_WHY_GOAL_MET,
                        .verified = true,
                        .last = MG_VERDICT_MET,
                        .attempts = attempts,
                        .attempt_count = 2};
}

TEST(zeroed_memory_is_no_success)
{
    const mg_pursuit nothing = {0};
    EXPECT(!mg_pursuit_holds(&nothing));
}

TEST(a_loop_holds_only_where_everything_says_so)
{
    const mg_pursuit good = proved(t);
    EXPECT(mg_pursuit_holds(&good));
    int held = 0;
    for (int status = 0; status <= MG_PURSUIT_CANCELLED; status++)
        for (int why = 0; why <= MG_WHY_CANCELLED; why++)
            for (int last = 0; last < 3; last++)
                for (int verdict = 0; verdict < 3; verdict++)
                    for (int attempt = 0; attempt < 4; attempt++)
                        for (int verified = 0; verified < 2; verified++) {
                            mg_pursuit p = proved(t);
                            p.status = (mg_pursuit_status)status;
                            p.reason = (mg_why)why;
                            p.last = (mg_verdict)last;
                            p.verified = verified == 1;
                            p.attempts[1].verdict = (mg_verdict)verdict;
                            p.attempts[1].status = (mg_attempt_status)attempt;
                            held += mg_pursuit_holds(&p);
                        }
    EXPECT_EQ(1, held);
}

TEST(a_tampered_last_attempt_and_an_earlier_success_are_none)
{
    mg_pursuit p = proved(t);
    mg_strs_add(t->arena, &p.attempts[1].tampered, MG_STR("tests/a"));
    EXPECT(!mg_pursuit_holds(&p));
    p = proved(t);
    const mg_attempt good = p.attempts[1];
    p.attempts[1] = p.attempts[0];
    p.attempts[0] = good;
    EXPECT(!mg_pursuit_holds(&p));
    p.attempt_count = 0; /* goal_met, and no attempt that met it */
    EXPECT(!mg_pursuit_holds(&p));
}

TEST(already_met_holds_with_a_whole_baseline_only)
{
    mg_result rows[2] = {{.outcome = MG_OUTCOME_PASS}, {.outcome = MG_OUTCOME_PASS}};
    mg_pursuit p = {.status = MG_PURSUIT_SUCCEEDED,
                    .reason = MG_WHY_ALREADY_MET,
                    .verified = true,
                    .last = MG_VERDICT_MET,
                    .baseline = rows,
                    .baseline_count = 2};
    EXPECT(mg_pursuit_holds(&p));
    rows[1].outcome = MG_OUTCOME_UNKNOWN;
    EXPECT(!mg_pursuit_holds(&p));
}

TEST(json_calls_a_loop_verified_only_where_it_holds)
{
    mg_pursuit p = proved(t);
    p.attempts[1].verdict = MG_VERDICT_UNKNOWN;
    mg_buf buf = mg_buf_new(t->arena, 1u << 20);
    mg_json_out json = {.buf = &buf};
    mg_pursuit_write(&json, &p);
    EXPECT_CONTAINS(mg_buf_str(&buf), "\"schema\":1,\"loop_id\":\"\"");
    EXPECT_CONTAINS(mg_buf_str(&buf), "\"verified\":false");
    const mg_json *back;
    EXPECT_OK(mg_json_parse(mg_buf_str(&buf), &mg_limits_default, MG_JSON_UNIQUE_KEYS, t->arena,
                            &back, &t->err));
}

/* --- Writing and reading --- */

#define SAME(member) EXPECT(a->member == b->member)
#define SAME_TEXT(member)                           \
    do {                                            \
        if (!mg_str_eq(a->member, b->member))       \
            test_fail(__FILE__, __LINE__, #member); \
    } while (0)

static void same_word(const char *a, const char *b)
{
    EXPECT((a == NULL) == (b == NULL));
    EXPECT(a == NULL || strcmp(a, b) == 0);
}

static void same_results(const mg_result *a, size_t count_a, const mg_result *b, size_t count_b)
{
    EXPECT_EQ(count_a, count_b);
    for (; count_a > 0; count_a--, a++, b++) {
        SAME(outcome);
        SAME_TEXT(expected);
        SAME_TEXT(observed);
        SAME_TEXT(detail);
        same_word(a->kind, b->kind);
        SAME_TEXT(name);
        SAME_TEXT(message);
        SAME_TEXT(recovery);
        SAME(line);
        SAME(invariant);
        SAME(proves);
        SAME(tries);
        SAME(duration_us);
        same_results(a->children, a->child_count, b->children, b->child_count);
    }
}

static void same_changes(const mg_change *a, const mg_change *b, size_t count)
{
    for (; count > 0; count--, a++, b++) {
        SAME_TEXT(path);
        SAME_TEXT(old_path);
        SAME(type);
        SAME(no_op);
        SAME(size_before);
        SAME(size_after);
        SAME(lines_added);
        SAME(lines_deleted);
    }
}

static void same_findings(const mg_finding *a, const mg_finding *b, size_t count)
{
    for (; count > 0; count--, a++, b++) {
        same_word(a->rule, b->rule);
        SAME(level);
        SAME_TEXT(path);
        SAME_TEXT(message);
    }
}

static void same_run(const mg_attempt *a, const mg_attempt *b)
{
    SAME(started_ms);
    SAME(duration_ms);
    SAME(has_exit);
    SAME(exit_code);
    SAME(leftovers);
    SAME_TEXT(session);
    SAME_TEXT(response);
    SAME_TEXT(error);
    SAME_TEXT(note);
    SAME_TEXT(gap.headline);
    SAME_TEXT(gap.text);
    same_word(a->gap.detector, b->gap.detector);
    SAME(usage.tokens_known);
    SAME(usage.cost_known);
    SAME(usage.input_tokens);
    SAME(usage.output_tokens);
    EXPECT(!(a->usage.cost_usd < b->usage.cost_usd) && !(a->usage.cost_usd > b->usage.cost_usd));
}

static void same_attempt(const mg_attempt *a, const mg_attempt *b)
{
    SAME(number);
    SAME(terminal);
    SAME(watched);
    SAME(counted);
    SAME(status);
    SAME(verdict);
    SAME(tier);
    same_word(a->reason, b->reason);
    same_word(a->proved_by, b->proved_by);
    SAME(goal_actions_executed);
    SAME(effect);
    SAME(changes.count);
    SAME(changes_left_out);
    same_changes(a->changes.items, b->changes.items, a->changes.count);
    same_results(a->results, a->result_count, b->results, b->result_count);
    SAME(findings.count);
    same_findings(a->findings.items, b->findings.items, a->findings.count);
    SAME(tampered.count);
    SAME(restored);
    for (size_t i = 0; i < a->tampered.count; i++)
        SAME_TEXT(tampered.items[i]);
    same_run(a, b);
}

TEST(what_is_written_is_read_back_as_it_was)
{
    const unsigned rounds = 3000 / test_slowness();
    for (unsigned i = 1; i <= rounds; i++) {
        MG_AUTO(mg_arena) arena = mg_arena_new(t->arena);
        test inner = {.arena = arena};
        dice d = {.state = i * 0x9e3779b97f4a7c15u, .arena = arena};
        const mg_attempt attempt = random_attempt(&d);
        mg_attempt back = {0};
        if (read_text(&inner, written(&inner, &attempt), &back) != MG_OK)
            test_fail(__FILE__, __LINE__, "round %u: %s", i, inner.err.text);
        same_attempt(&attempt, &back);
        EXPECT(mg_str_eq(written(&inner, &attempt), written(&inner, &back)));
    }
}

static mg_str sample(test *t)
{
    mg_result row = {.outcome = MG_OUTCOME_PASS,
                     .kind = "file_exists",
                     .name = MG_STR("a"),
                     .proves = true,
                     .tries = 1};
    const mg_change change = {.path = MG_STR("b"),
                              .type = MG_CHANGE_CREATED,
                              .size_before = -1,
                              .size_after = 3,
                              .lines_added = 1};
    const mg_attempt a = {.number = 3,
                          .terminal = MG_TERMINAL_MAX_ITERATIONS,
                          .counted = true,
                          .status = MG_ATTEMPT_SUCCESS,
                          .verdict = MG_VERDICT_MET,
                          .tier = 1,
                          .reason = "assertions_hold",
                          .proved_by = "user",
                          .started_ms = 1,
                          .changes = {&change, 1},
                          .results = &row,
                          .result_count = 1};
    return written(t, &a);
}

TEST(the_keys_are_those_of_the_contract)
{
    const mg_str text = sample(t);
    EXPECT_CONTAINS(text, "{\"number\":3,\"terminal_reason\":\"max_iterations\",\"watched\":false,"
                          "\"counted\":true,\"status\":\"success\",\"verdict\":\"met\",\"tier\":1,"
                          "\"reason\":\"assertions_hold\",\"proved_by\":\"user\","
                          "\"goal_actions_executed\":false,");
    EXPECT_CONTAINS(text, "\"mutations\":[{\"path\":\"b\",\"change\":\"created\","
                          "\"size_before\":null,\"size_after\":3,\"lines_added\":1,"
                          "\"lines_deleted\":0,\"no_op\":false}]");
    EXPECT_CONTAINS(text, "\"findings\":[],\"judge\":null,\"gap\":null,"
                          "\"usage\":{\"input_tokens\":null,\"output_tokens\":null,"
                          "\"cost_usd\":null}");
    EXPECT_CONTAINS(text, "\"started\":\"1970-01-01T00:00:00.001Z\",\"exit_code\":null");
}

TEST(rubbish_in_a_record_is_an_error_that_names_the_key)
{
    static const struct {
        const char *what, *by, *says;
    } rubbish[] = {
        {"\"verdict\":\"met\"", "\"verdict\":\"yes\"", "'verdict'"},
        {"\"verdict\":\"met\"", "\"verdict\":true", "'verdict'"},
        {"\"verdict\":\"met\",", "", "'verdict'"},
        {"\"verdict\":\"met\"", "\"verdict\":\"unknown\"", "contradicts"},
        {"\"status\":\"success\"", "\"status\":\"failed\"", "contradicts"},
        {"\"status\":\"success\"", "\"status\":\"SUCCESS\"", "'status'"},
        {"\"verdict\":\"pass\"", "\"verdict\":\"passed\"", "assertions[0]: 'verdict'"},
        {"\"verdict\":\"pass\"", "\"verdict\":\"fail\"", "proves something"},
        {"\"number\":3", "\"number\":0", "'number'"},
        {"\"number\":3", "\"number\":-1", "'number'"},
        {"\"number\":3", "\"number\":3.5", "'number'"},
        {"\"number\":3", "\"number\":99999999999999999999", "'number'"},
        {"\"tier\":1", "\"tier\":7", "'tier'"},
        {"\"watched\":false", "\"watched\":0", "'watched'"},
        {"\"change\":\"created\"", "\"change\":\"made\"", "mutations[0]: 'change'"},
        {"\"size_after\":3", "\"size_after\":-3", "'size_after'"},
        {"\"mutations\":[{", "\"mutations\":[7,{", "mutations[0]"},
        {"\"reason\":\"assertions_hold\"", "\"reason\":\"a\\u0000b\"", "'reason'"},
        {"1970-01-01T00", "1970-01-01 00", "'started'"},
        {"\"usage\":{", "\"usage\":[],\"x\":{", "'usage'"},
        {"\"gap\":null", "\"gap\":{}", "'gap'"},
        {"\"tampered\":[]", "\"tampered\":[1]", "'tampered'"},
    };
    mg_attempt out = {0};
    EXPECT_OK(read_text(t, sample(t), &out));
    for (size_t i = 0; i < MG_COUNT(rubbish); i++) {
        const mg_str text = replaced(t, sample(t), rubbish[i].what, rubbish[i].by);
        out = (mg_attempt){0};
        if (read_text(t, text, &out) != MG_ERR_INVALID)
            test_fail(__FILE__, __LINE__, "row %zu was accepted", i);
        EXPECT_ERR_CONTAINS(rubbish[i].says);
        EXPECT_EQ(0, out.number); /* nothing was written */
    }
}

TEST(what_is_no_object_is_no_attempt)
{
    static const char *const texts[] = {"null", "[]", "3", "\"success\"", "{}", "true"};
    for (size_t i = 0; i < MG_COUNT(texts); i++) {
        mg_attempt out = {0};
        EXPECT_EQ(MG_ERR_INVALID, read_text(t, mg_str_of(texts[i]), &out));
    }
}

TEST(a_million_changes_are_counted_and_not_all_listed)
{
    enum { MANY = MG_ATTEMPT_CHANGES_MAX + 7 };
    mg_change *changes = mg_new_array(t->arena, mg_change, MANY);
    for (size_t i = 0; i < MANY; i++)
        changes[i] = (mg_change){.path = MG_STR("x"), .type = MG_CHANGE_CREATED};
    const mg_attempt a = {.number = 1, .changes = {changes, MANY}};
    mg_attempt back = {0}, again = {0};
    EXPECT_OK(read_text(t, written(t, &a), &back));
    EXPECT_EQ(MG_ATTEMPT_CHANGES_MAX, back.changes.count);
    EXPECT_EQ(7, back.changes_left_out);
    EXPECT_OK(read_text(t, written(t, &back), &again));
    EXPECT_EQ(7, again.changes_left_out);
}

TEST(bytes_that_are_no_text_do_not_break_the_record)
{
    const mg_attempt a = {.number = 1, .response = MG_STR("\xff\xfe\x80 ok")};
    mg_attempt back = {0};
    EXPECT_OK(read_text(t, written(t, &a), &back));
    EXPECT_CONTAINS(back.response, " ok");
}
