/* YAML: the core schema, a place for every node, and nothing that hides what a file means. */
#include "base/clock.h"
#include "data/json.h"
#include "data/yaml.h"
#include "test.h"

static uint32_t line, column;

static mg_status parse(test *t, mg_str text, mg_node **node)
{
    return mg_yaml_parse(text, &mg_limits_default, t->arena, node, &line, &column, &t->err);
}

static const mg_node *parsed(test *t, mg_str text)
{
    mg_node *node = NULL;
    const mg_status s = parse(t, text, &node);
    if (s != MG_OK)
        test_fail(__FILE__, __LINE__, "line %u, column %u: %s", line, column, t->err.text);
    return node;
}

/* The document as JSON: a short way to say what a tree should be. */
static mg_str as_json(test *t, mg_str text)
{
    mg_buf buf = mg_buf_new(t->arena, 100000);
    mg_json_out out = {.buf = &buf};
    mg_json_node(&out, parsed(t, text));
    return mg_buf_str(&buf);
}

TEST(plain_scalars_follow_the_core_schema)
{
    static const struct {
        const char *yaml, *json;
    } table[] = {
        {"on", "\"on\""},
        {"no", "\"no\""},
        {"yes", "\"yes\""},
        {"off", "\"off\""},
        {"y", "\"y\""},
        {"010", "\"010\""},
        {"-007", "\"-007\""},
        {"00", "\"00\""},
        {"0", "0"},
        {"-0", "0"},
        {"0x1F", "31"},
        {"0o17", "15"},
        {"0o8", "\"0o8\""},
        {"0xg", "\"0xg\""},
        {"0x", "\"0x\""},
        {"0x7fffffffffffffff", "9223372036854775807"},
        {"0x8000000000000000", "\"0x8000000000000000\""},
        {"0b1", "\"0b1\""},
        {"1_000", "\"1_000\""},
        {"-0x1", "\"-0x1\""},
        {"null", "null"},
        {"Null", "null"},
        {"NULL", "null"},
        {"~", "null"},
        {"nULL", "\"nULL\""},
        {"true", "true"},
        {"True", "true"},
        {"TRUE", "true"},
        {"tRue", "\"tRue\""},
        {"false", "false"},
        {"False", "false"},
        {"FALSE", "false"},
        {"12", "12"},
        {"+12", "12"},
        {"-12", "-12"},
        {"1.5", "1.5"},
        {"0.3", "0.3"},
        {".5", "0.5"},
        {"1.", "1"},
        {"1e3", "1000"},
        {"-1.5E-3", "-0.0015"},
        {"1.2.3", "\"1.2.3\""},
        {"12:30", "\"12:30\""},
        {"2026-01-01", "\"2026-01-01\""},
        {"-", "[null]"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9.223372036854775808e+18"},
        {".inf", "\".inf\""},
        {".nan", "\".nan\""},
        {"1e999", "\"1e999\""},
        {"''", "\"\""},
        {"'1'", "\"1\""},
        {"\"true\"", "\"true\""},
        {"\"~\"", "\"~\""},
        {"|\n  5\n", "\"5\\n\""},
        {">-\n  a\n  b\n", "\"a b\""},
        {"'it''s'", "\"it's\""},
        {"a b", "\"a b\""},
        {"a#b", "\"a#b\""},
        {"a #b", "\"a\""},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        const mg_str got = as_json(t, mg_str_of(table[i].yaml));
        if (strncmp(table[i].json, "9.22", 4) == 0)
            EXPECT_CONTAINS(got, "9.22337203685477");
        else if (!mg_str_is(got, table[i].json))
            test_fail(__FILE__, __LINE__, "'%s' gave " MG_FMT, table[i].yaml, MG_ARG(got));
    }
}

TEST(a_scalar_keeps_the_text_it_was_written_with)
{
    EXPECT_STR("0x1F", parsed(t, MG_STR("0x1F"))->text);
    EXPECT_STR("1.50", parsed(t, MG_STR("1.50"))->text);
    EXPECT_STR("a\nb", parsed(t, MG_STR("\"a\\nb\""))->text);
}

TEST(nothing_is_null)
{
    static const mg_str texts[] = {{0},
                                   {"", 0},
                                   {"# only a comment\n", 17},
                                   {"---\n", 4},
                                   {"\n\n", 2},
                                   {"\xef\xbb\xbf", 3},
                                   {"--- # x\n...\n", 12}};
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        EXPECT_EQ(MG_NODE_NULL, parsed(t, texts[i])->type);
}

TEST(every_node_knows_its_place)
{
    const mg_node *root = parsed(t, MG_STR("# comment\n"
                                           "goal: text\n"
                                           "assert:\n"
                                           "  - file_exists: a\n"
                                           "  - {k: [1,\n"
                                           "        'x']}\n"
                                           "\xc3\xa9\xc3\xa9: \xc3\xa9\n"));
    EXPECT_EQ(2, root->line);
    EXPECT_EQ(1, root->column);
    const mg_pair *goal = &root->map.items[0];
    EXPECT_EQ(2, goal->line);
    EXPECT_EQ(1, goal->column);
    EXPECT_EQ(7, goal->value.column);
    const mg_node *list = mg_node_get(root, "assert");
    EXPECT_EQ(4, list->line);
    EXPECT_EQ(3, list->column);
    EXPECT_EQ(4, list->list.items[0].line);
    EXPECT_EQ(5, list->list.items[0].column);
    const mg_node *flow = mg_node_get(&list->list.items[1], "k");
    EXPECT_EQ(5, flow->line);
    EXPECT_EQ(9, flow->column);
    EXPECT_EQ(6, flow->list.items[1].line);
    EXPECT_EQ(9, flow->list.items[1].column);
    EXPECT_EQ(5, root->map.items[2].value.column); /* characters, not bytes */
    EXPECT_EQ(7, root->map.items[2].line);
}

TEST(a_byte_order_mark_takes_no_column)
{
    const mg_node *root = parsed(t, MG_STR("\xef\xbb\xbfgoal: x\n"));
    EXPECT_STR("goal", root->map.items[0].key);
    EXPECT_EQ(1, root->map.items[0].column);
}

TEST(crlf_files_read_the_same)
{
    EXPECT_STR(
        "{\"a\":1,\"b\":[2,\"x y\"],\"c\":\"l1\\nl2\\n\"}",
        as_json(t, MG_STR("a: 1\r\nb:\r\n  - 2\r\n  - x\r\n    y\r\nc: |\r\n  l1\r\n  l2\r\n")));
    EXPECT_EQ(3, parsed(t, MG_STR("a: 1\r\n\r\nb: 2\r\n"))->map.items[1].line);
}

static void expect_refused(test *t, const char *text, mg_status code, uint32_t at_line,
                           uint32_t at_column, const char *why)
{
    mg_node *node = NULL;
    const mg_status s = parse(t, mg_str_of(text), &node);
    if (s != code)
        test_fail(__FILE__, __LINE__, "'%s': status %d (%s)", text, s,
                  s != MG_OK ? t->err.text : "");
    EXPECT(node == NULL);
    if (line != at_line || column != at_column)
        test_fail(__FILE__, __LINE__, "'%s': line %u, column %u: %s", text, line, column,
                  t->err.text);
    EXPECT_ERR_CONTAINS(why);
}

TEST(duplicate_keys_are_errors)
{
    expect_refused(t, "a: 1\nb: 2\na: 3\n", MG_ERR_INVALID, 3, 1,
                   "key 'a' stands here a second time (first on line 1)");
    expect_refused(t, "{\"a\": 1, \"a\": 2}", MG_ERR_INVALID, 1, 10, "'a'");
    expect_refused(t, "x:\n  a: 1\n  'a': 2\n", MG_ERR_INVALID, 3, 3, "'a'");
    EXPECT_STR("{\"a\":{\"a\":1},\"b\":{\"a\":2}}", as_json(t, MG_STR("a: {a: 1}\nb: {a: 2}")));
}

TEST(anchors_aliases_tags_and_merge_keys_are_refused)
{
    expect_refused(t, "a: &x 1\n", MG_ERR_INVALID, 1, 4, "anchor '&x'");
    expect_refused(t, "a: &x [1]\n", MG_ERR_INVALID, 1, 4, "anchor '&x'");
    expect_refused(t, "a: &x {b: 1}\n", MG_ERR_INVALID, 1, 4, "anchor '&x'");
    expect_refused(t, "&x a: 1\n", MG_ERR_INVALID, 1, 1, "anchor '&x'");
    expect_refused(t, "a: 1\nb: *x\n", MG_ERR_INVALID, 2, 4, "alias '*x'");
    expect_refused(t, "a: *.js\n", MG_ERR_INVALID, 1, 5, "did not find expected alphabetic");
    expect_refused(t, "a: !!str 1\n", MG_ERR_INVALID, 1, 4, "tag 'tag:yaml.org,2002:str'");
    expect_refused(t, "a: !x [1]\n", MG_ERR_INVALID, 1, 4, "tag '!x'");
    expect_refused(t, "a: ! {}\n", MG_ERR_INVALID, 1, 4, "tag '!'");
    expect_refused(t, "a:\n  <<: {b: 1}\n", MG_ERR_INVALID, 2, 3, "merge key");
    expect_refused(t, "? [a, b]\n: 1\n", MG_ERR_INVALID, 1, 3, "a key must be plain text");
    expect_refused(t, "*x : 1\n", MG_ERR_INVALID, 1, 1, "a key must be plain text");
}

TEST(what_is_not_yaml_says_where)
{
    expect_refused(t, "a: 1\n\tb: 2\n", MG_ERR_INVALID, 2, 1, "found a tab character");
    expect_refused(t, "a: [1, 2\nb: 3\n", MG_ERR_INVALID, 2, 2, "not valid YAML");
    expect_refused(t, "a: 'x\n", MG_ERR_INVALID, 2, 1, "not valid YAML");
    expect_refused(t, "a: 1\n b: 2\n", MG_ERR_INVALID, 2, 3, "mapping values are not allowed");
    expect_refused(t, "a: \"\\q\"\n", MG_ERR_INVALID, 1, 5, "unknown escape");
    expect_refused(t, "a: 1\n---\nb: 2\n", MG_ERR_INVALID, 2, 1, "a second document begins here");
    expect_refused(t, "a: b: c\n", MG_ERR_INVALID, 1, 5, "mapping values are not allowed");
    expect_refused(t, "a: @b\n", MG_ERR_INVALID, 1, 4, "cannot start any token");
    expect_refused(t, "a: `b`\n", MG_ERR_INVALID, 1, 4, "cannot start any token");
}

TEST(bytes_that_are_not_text_say_where)
{
    mg_node *node;
    expect_refused(t, "a: 1\nb: \xff\n", MG_ERR_INVALID, 2, 4, "not valid YAML");
    expect_refused(t, "a: \xc3\xa9\xc3(", MG_ERR_INVALID, 1, 6, "not valid YAML");
    expect_refused(t, "a: \x1b", MG_ERR_INVALID, 1, 4, "control characters are not allowed");
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("a: 1\nb: x\0y\n"), &node));
    EXPECT_EQ(2, line);
    EXPECT_EQ(5, column);
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("\0"), &node));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("\xff\xfe\x61\x00"), &node)); /* UTF-16 */
}

TEST(depth_count_and_size_are_bounded)
{
    mg_limits limits = mg_limits_default;
    mg_node *node;
    limits.goal_depth = 3;
    limits.goal_nodes = 5;
    limits.goal_bytes = 30;
    EXPECT_OK(mg_yaml_parse(MG_STR("[[1]]"), &limits, t->arena, &node, &line, &column, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_yaml_parse(MG_STR("[\n[[1]]]"), &limits, t->arena, &node, &line,
                                          &column, &t->err));
    EXPECT_ERR_CONTAINS("nested more than 3 levels deep");
    EXPECT_EQ(2, line);
    EXPECT_EQ(3, column);
    EXPECT_OK(
        mg_yaml_parse(MG_STR("[1,2,3,4]"), &limits, t->arena, &node, &line, &column, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_yaml_parse(MG_STR("[1,2,3,4,5]"), &limits, t->arena, &node, &line,
                                          &column, &t->err));
    EXPECT_ERR_CONTAINS("more than 5 values");
    line = column = 0;
    EXPECT_EQ(MG_ERR_LIMIT, mg_yaml_parse(MG_STR("a: 0123456789012345678901234567890"), &limits,
                                          t->arena, &node, &line, &column, &t->err));
    EXPECT_EQ(1, line);
    EXPECT_EQ(1, column);
}

TEST(hostile_files_end_quickly)
{
    static const char *const units[] = {"[", "{a: ", "- ", "? ", "a: ",  "[[],", "'",    "\"\\x",
                                        "!", "&a ",  "%",  "#",  "- - ", "{",    "|\n ", ": "};
    const uint64_t begin = mg_clock_ms(&mg_clock_system);
    for (size_t i = 0; i < MG_COUNT(units); i++) {
        MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
        mg_buf text = mg_buf_new(arena, 1u << 20);
        while (!text.cut)
            mg_buf_adds(&text, units[i]);
        mg_node *node = NULL;
        const mg_status s = mg_yaml_parse(mg_buf_str(&text), &mg_limits_default, arena, &node,
                                          &line, &column, &t->err);
        EXPECT_EQ(s == MG_OK, node != NULL);
    }
    EXPECT(mg_clock_ms(&mg_clock_system) - begin < 20000 * test_slowness());
}

TEST(json_is_read_as_yaml)
{
    EXPECT_STR("{\"a\":[1,2.5,null,true,\"x\"],\"b\":{\"c\":\"/\\n\\\"\"}}",
               as_json(t, MG_STR("{\"a\":[1,2.5,null,true,\"x\"],\"b\":{\"c\":\"\\/\\n\\\"\"}}")));
    EXPECT_STR("{\"a\":{\"b\":1}}", as_json(t, MG_STR("{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n")));
    EXPECT_STR("{\"a\":\"\xc3\xa9\"}", as_json(t, MG_STR("{\"a\":\"\\u00e9\"}")));
}

TEST(json_escapes_beyond_16_bits_are_read)
{
    EXPECT_STR("{\"a\":\"\xf0\x9f\x98\x80!\",\"b\":\"\\\\ud83d\\\\ude00\"}",
               as_json(t, MG_STR("{\"a\":\"\\ud83d\\uDE00!\",\"b\":\"\\\\ud83d\\\\ude00\"}")));
    /* In YAML that is not JSON a plain or single-quoted text means its own letters. */
    EXPECT_STR("{\"a\":\"\\\\ud83d\\\\ude00\"}", as_json(t, MG_STR("a: '\\ud83d\\ude00'")));
    expect_refused(t, "{\"a\":\"\\ud83d\"}", MG_ERR_INVALID, 1, 9,
                   "invalid Unicode character escape code");
}

TEST(keys_can_be_asked_for)
{
    const mg_node *root = parsed(t, MG_STR("{a: 1, '': 2, ~: 3}"));
    EXPECT_EQ(1, mg_node_get(root, "a")->integer);
    EXPECT_EQ(2, mg_node_get(root, "")->integer);
    EXPECT(mg_node_get(root, "b") == NULL);
    EXPECT(mg_node_get(mg_node_get(root, "a"), "a") == NULL);
}

TEST(every_type_has_a_name)
{
    for (mg_node_type type = MG_NODE_NULL; type <= MG_NODE_MAP; type++)
        EXPECT(strlen(mg_node_type_name(type)) > 3);
}
