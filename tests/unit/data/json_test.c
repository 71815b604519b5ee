/* Strict JSON: what is not JSON is refused, what is JSON keeps its meaning. */
#include "data/json.h"
#include "test.h"

static const mg_json *parsed(test *t, const char *text)
{
    const mg_json *json = NULL;
    const mg_status s =
        mg_json_parse(mg_str_of(text), &mg_limits_default, MG_JSON_PLAIN, t->arena, &json, &t->err);
    if (s != MG_OK)
        test_fail(__FILE__, __LINE__, "'%s': %s", text, t->err.text);
    return json;
}

static mg_status parse(test *t, mg_str text, mg_json_rules rules)
{
    const mg_json *json = NULL;
    return mg_json_parse(text, &mg_limits_default, rules, t->arena, &json, &t->err);
}

TEST(valid_documents_are_read)
{
    static const char *const valid[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "-1.5e-3",
        "1E5",
        "1e+5",
        "0.1",
        "0e0",
        "10",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[1,2,3]",
        "[[],{}]",
        "{\"a\":1,\"b\":[null]}",
        " \t\r\n[ 1 , 2 ] \n",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\x7f\"",
        "\"yes\\u0000no\"",
        "{\"\":0}",
        "{\"a\":{\"a\":{\"a\":1}}}",
        "1e-400",
        "123456789012345678901234567890",
        "\"\\uffff\"",
        "\"//\"",
        "{\"/*\":\"*/\"}",
        "[0.0,-0.0]",
    };
    for (size_t i = 0; i < MG_COUNT(valid); i++)
        (void)parsed(t, valid[i]);
}

TEST(invalid_documents_are_refused)
{
    static const char *const invalid[] = {
        "",
        " ",
        "\n",
        "[1,]",
        "{\"a\":1,}",
        "[,1]",
        "[1,,2]",
        "{,}",
        "[1 2]",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "'a'",
        "{1:2}",
        "{null:1}",
        "// c\n1",
        "/* c */1",
        "1 // c",
        "[1] /* c */",
        "# c\n1",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "[NaN]",
        "[-NaN]",
        "+1",
        "[+1]",
        ".5",
        "-.5",
        "1.",
        "1.e5",
        "01",
        "-01",
        "00",
        "0x10",
        "1e",
        "1e+",
        "--1",
        "-",
        "1.5.5",
        "1e5.5",
        "1_000",
        "TRUE",
        "True",
        "truE",
        "Null",
        "NULL",
        "nul",
        "tru",
        "truex",
        "fals",
        "nulll",
        "undefined",
        "\"",
        "\"a",
        "a\"",
        "\"\\x41\"",
        "\"\\'\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\u0041\"",
        "\"\\ude00\"",
        "\"\\ude00\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\n\"",
        "\"\t\"",
        "\"\x01\"",
        "\"\x1f\"",
        "\"\\\n\"",
        "\"\xff\"",
        "\"\xc0\xaf\"",
        "\"\xed\xa0\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\"\xc3\"",
        "\"\xe2\x82\"",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "{\"a\":1",
        "{\"a\"",
        "{\"a\":",
        "[1}",
        "{\"a\":1]",
        "1 2",
        "{}{}",
        "[] x",
        "{} the answer is yes",
        "yes",
        "\xef\xbb\xbf{}",
        "[1]\v",
        "\f1",
        "1\xc2\xa0",
        "{\"a\\u0000b\":1}",
        "\"a\" \"b\"",
        ":",
        ",",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"b\"}",
        "{[]:1}",
        "[\"a\":1]",
        "1,2",
    };
    for (size_t i = 0; i < MG_COUNT(invalid); i++) {
        if (parse(t, mg_str_of(invalid[i]), MG_JSON_PLAIN) != MG_ERR_INVALID)
            test_fail(__FILE__, __LINE__, "'%s' should be refused", invalid[i]);
        EXPECT_ERR_CONTAINS("not valid JSON: ");
    }
}

TEST(a_nul_byte_is_allowed_nowhere)
{
    const mg_str texts[] = {MG_STR("\0"),          MG_STR("1\0"),    MG_STR("[1\0]"),
                            MG_STR("\"a\0b\""),    MG_STR("{}\0"),   MG_STR("\0{}"),
                            MG_STR("{\"a\0\":1}"), MG_STR("tru\0e"), MG_STR("\"\\\0\"")};
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        EXPECT_EQ(MG_ERR_INVALID, parse(t, texts[i], MG_JSON_PLAIN));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, (mg_str){0}, MG_JSON_PLAIN));
}

TEST(every_cut_of_a_document_is_refused)
{
    const mg_str whole = MG_STR("{\"a\": [1.5e3, \"x\\u00e9\\ud83d\\ude00\xc3\xa9\", null, true], "
                                "\"b\": {\"c\": -0.5}}");
    EXPECT_EQ(MG_OK, parse(t, whole, MG_JSON_UNIQUE_KEYS));
    for (size_t len = 0; len < whole.len; len++)
        EXPECT_EQ(MG_ERR_INVALID, parse(t, mg_str_first(whole, len), MG_JSON_PLAIN));
}

TEST(a_number_too_large_to_be_compared_is_a_limit)
{
    static const char *const large[] = {"1e400", "-1e400", "[1e999]", "{\"a\":1e309}"};
    for (size_t i = 0; i < MG_COUNT(large); i++)
        EXPECT_EQ(MG_ERR_LIMIT, parse(t, mg_str_of(large[i]), MG_JSON_PLAIN));
    EXPECT_ERR_CONTAINS("too large to be compared");
}

TEST(the_error_names_line_and_column)
{
    EXPECT_EQ(MG_ERR_INVALID,
              parse(t, MG_STR("\n\n{\"\xc3\xa9\": 1,\n  \"b\": nope}"), MG_JSON_PLAIN));
    EXPECT_ERR_CONTAINS("line 4, column 8: a value is expected here");
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("[1, 2"), MG_JSON_PLAIN));
    EXPECT_ERR_CONTAINS("line 1, column 6: it ends in the middle");
}

TEST(nesting_and_size_are_bounded)
{
    mg_limits limits = mg_limits_default;
    const mg_json *json;
    for (size_t depth = 62; depth <= 66; depth++) {
        mg_buf text = mg_buf_new(t->arena, 1000);
        for (size_t i = 0; i < depth; i++)
            mg_buf_adds(&text, i % 2 ? "[" : "{\"a\":");
        mg_buf_adds(&text, "1");
        for (size_t i = depth; i-- > 0;)
            mg_buf_adds(&text, i % 2 ? "]" : "}");
        const mg_status want = depth <= 64 ? MG_OK : MG_ERR_LIMIT;
        EXPECT_EQ(want, parse(t, mg_buf_str(&text), MG_JSON_PLAIN));
    }
    mg_buf deep = mg_buf_new(t->arena, 4u << 20);
    mg_buf_fill(&deep, '[', 4u << 20);
    EXPECT_EQ(MG_ERR_LIMIT, parse(t, mg_buf_str(&deep), MG_JSON_PLAIN));
    EXPECT_ERR_CONTAINS("nests more than 64 levels deep");
    limits.json_bytes = 3;
    EXPECT_EQ(MG_OK, mg_json_parse(MG_STR("123"), &limits, 0, t->arena, &json, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_json_parse(MG_STR("1234"), &limits, 0, t->arena, &json, &t->err));
    EXPECT_ERR_CONTAINS("larger than 3 bytes");
}

TEST(equal_keys_are_refused_where_that_is_the_rule)
{
    EXPECT_EQ(MG_OK, parse(t, MG_STR("{\"a\":1,\"a\":2}"), MG_JSON_PLAIN));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("{\"a\":1,\"a\":2}"), MG_JSON_UNIQUE_KEYS));
    EXPECT_ERR_CONTAINS("a key stands twice");
    EXPECT_EQ(MG_ERR_INVALID,
              parse(t, MG_STR("[{\"x\":{\"a\":1,\"\\u0061\":2}}]"), MG_JSON_UNIQUE_KEYS));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, MG_STR("{\"a\":{\"b\":1},\"a\":2}"), MG_JSON_UNIQUE_KEYS));
    EXPECT_EQ(MG_OK,
              parse(t, MG_STR("{\"a\":\":\",\"b\":{\"a\":\"\\\":\"}}"), MG_JSON_UNIQUE_KEYS));
    EXPECT_EQ(MG_OK, parse(t, MG_STR("{\"a\":1,\"A\":2}"), MG_JSON_UNIQUE_KEYS));
}

TEST(text_keeps_its_nul_and_its_length)
{
    mg_str text;
    EXPECT(mg_json_is_text(parsed(t, "\"yes\\u0000no\""), &text));
    EXPECT_EQ(6, text.len);
    EXPECT(mg_str_eq(MG_STR("yes\0no"), text));
    EXPECT(!mg_json_is_text(parsed(t, "1"), &text));
    EXPECT(!mg_json_is_text(parsed(t, "null"), &text));
}

/* --- Pointers --- */

static const char rfc6901[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,\"i\\\\j\":5,"
    "\"k\\\"l\":6,\" \":7,\"m~n\":8,\"~1\":9,\"nul\":null,\"list\":[null,{\"x\":null}],\"01\":10,"
    "\"-\":11}";

TEST(pointers_find_what_rfc6901_says)
{
    static const struct {
        const char *pointer, *json;
    } table[] = {
        {"/foo", "[\"bar\",\"baz\"]"},
        {"/foo/0", "\"bar\""},
        {"/", "0"},
        {"/a~1b", "1"},
        {"/c%d", "2"},
        {"/e^f", "3"},
        {"/g|h", "4"},
        {"/i\\j", "5"},
        {"/k\"l", "6"},
        {"/ ", "7"},
        {"/m~0n", "8"},
        {"/~01", "9"},
        {"/nul", "null"},
        {"/list/0", "null"},
        {"/list/1/x", "null"},
        {"/01", "10"},
        {"/-", "11"},
    };
    const mg_json *doc = parsed(t, rfc6901), *at;
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        EXPECT_OK(mg_json_at(doc, mg_str_of(table[i].pointer), &at, &t->err));
        EXPECT_STR(table[i].json, mg_json_text(at, t->arena));
    }
    EXPECT_OK(mg_json_at(doc, (mg_str){0}, &at, &t->err));
    EXPECT(at == doc);
    EXPECT_OK(mg_json_at(NULL, MG_STR(""), &at, &t->err)); /* the document null */
    EXPECT(at == NULL);
}

TEST(pointers_to_nothing_are_not_found)
{
    static const char *const pointers[] = {
        "/no",
        "/foo/2",
        "/foo/-",
        "/foo/00",
        "/foo/01",
        "/foo/-1",
        "/foo/+1",
        "/foo/1x",
        "/foo/ 1",
        "/foo/",
        "/foo/0/x",
        "/foo/18446744073709551616",
        "/foo/4294967296",
        "/foo/9223372036854775807",
        "/nul/x",
        "/list/0/x",
        "//",
        "/FOO",
        "/foo/0/",
        "/a/b",
    };
    const mg_json *doc = parsed(t, rfc6901), *at;
    for (size_t i = 0; i < MG_COUNT(pointers); i++) {
        if (mg_json_at(doc, mg_str_of(pointers[i]), &at, &t->err) != MG_ERR_NOT_FOUND)
            test_fail(__FILE__, __LINE__, "'%s' should not be found", pointers[i]);
    }
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_json_at(doc, MG_STR("/foo\0x"), &at, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_json_at(NULL, MG_STR("/a"), &at, &t->err));
}

TEST(what_is_not_a_pointer_is_said_to_be_none)
{
    static const char *const bad[] = {"a", "foo/0", "#/a", "/a~", "/~2", "/a~b/c", " /a"};
    const mg_json *at;
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        EXPECT_EQ(MG_ERR_INVALID, mg_json_at(parsed(t, "{}"), mg_str_of(bad[i]), &at, &t->err));
        EXPECT_ERR_CONTAINS("is not a JSON Pointer");
    }
}

/* --- Equality with a value of a goal file --- */

static bool equal(test *t, const char *json, const char *yaml)
{
    mg_node *node = NULL;
    uint32_t line, column;
    EXPECT_OK(mg_yaml_parse(mg_str_of(yaml), &mg_limits_default, t->arena, &node, &line, &column,
                            &t->err));
    return mg_json_equals(parsed(t, json), node);
}

TEST(equality_is_by_type_and_value)
{
    static const struct {
        const char *json, *yaml;
        bool equal;
    } table[] = {
        {"1", "1", true},
        {"1", "1.0", true},
        {"1.0", "1", true},
        {"1e0", "1", true},
        {"1", "\"1\"", false},
        {"\"1\"", "1", false},
        {"\"1\"", "'1'", true},
        {"1", "2", false},
        {"0.3", "0.3", true},
        {"0.1", ".1", true},
        {"1.5", "1.5", true},
        {"1.5", "1", false},
        {"0.30000000000000004", "0.3", false},
        {"100", "1e2", true},
        {"-0", "0", true},
        {"true", "true", true},
        {"true", "\"true\"", false},
        {"true", "false", false},
        {"true", "1", false},
        {"1", "true", false},
        {"null", "null", true},
        {"null", "~", true},
        {"null", "''", false},
        {"0", "null", false},
        {"\"\"", "''", true},
        {"false", "0", false},
        {"\"on\"", "on", true},
        {"[1,2]", "[1, 2]", true},
        {"[1,2]", "[2, 1]", false},
        {"[1]", "[1, 2]", false},
        {"[]", "[]", true},
        {"[]", "{}", false},
        {"{}", "{}", true},
        {"{\"a\":1,\"b\":[2]}", "{b: [2], a: 1}", true},
        {"{\"a\":1}", "{a: 1, b: 2}", false},
        {"{\"a\":1,\"b\":2}", "{a: 1}", false},
        {"{\"a\":null}", "{b: null}", false},
        {"{\"a\":null}", "{a: ~}", true},
        {"\"\xc3\xa9\"", "\"\\u00e9\"", true},
        {"\"yes\\u0000no\"", "yes", false},
        {"\"yes\\u0000no\"", "\"yes\\0no\"", true},
        {"1", "[1]", false},
        {"\"a\"", "{a: 1}", false},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        if (equal(t, table[i].json, table[i].yaml) != table[i].equal)
            test_fail(__FILE__, __LINE__, "%s and %s should%s be equal", table[i].json,
                      table[i].yaml, table[i].equal ? "" : " not");
    }
}

TEST(large_numbers_are_not_rounded_into_equality)
{
    static const char *const numbers[] = {
        "9007199254740992",           "9007199254740993",           "9223372036854775806",
        "9223372036854775807",        "9223372036854775808",        "9223372036854775809",
        "18446744073709551614",       "18446744073709551615",       "18446744073709551616",
        "99999999999999999999999998", "99999999999999999999999999", "-9223372036854775807",
        "-9223372036854775808",       "-9223372036854775809",       "-9223372036854775810",
    };
    for (size_t i = 0; i < MG_COUNT(numbers); i++) {
        for (size_t j = 0; j < MG_COUNT(numbers); j++) {
            if (equal(t, numbers[i], numbers[j]) != (i == j))
                test_fail(__FILE__, __LINE__, "JSON %s and YAML %s", numbers[i], numbers[j]);
        }
    }
    EXPECT(equal(t, "9007199254740992.0", "9007199254740992"));
    EXPECT(!equal(t, "9007199254740992.0", "9007199254740993"));
    EXPECT(!equal(t, "9007199254740993", "9007199254740992.0"));
    EXPECT(!equal(t, "9223372036854775807", "9223372036854775808.0"));
    EXPECT(equal(t, "1e30", "1e30"));
    EXPECT(!equal(t, "1", "1e30"));
}

TEST(numbers_can_be_compared)
{
    double n = 0;
    EXPECT(mg_json_is_number(parsed(t, "2.5"), &n) && n > 2.4 && n < 2.6);
    EXPECT(mg_json_is_number(parsed(t, "-7"), &n) && n < -6.9);
    EXPECT(mg_json_is_number(parsed(t, "18446744073709551616"), &n) && n > 1.8e19);
    EXPECT(!mg_json_is_number(parsed(t, "\"2\""), &n));
    EXPECT(!mg_json_is_number(parsed(t, "null"), &n));
    EXPECT(!mg_json_is_number(parsed(t, "true"), &n));
}

TEST(what_was_read_is_written_back)
{
    static const char *const texts[] = {"{\"a\":[1,2.5,null,true],\"b\":\"x/\\\"\\u0000\\n\"}",
                                        "null",
                                        "[]",
                                        "\"\xc3\xa9\"",
                                        "-5",
                                        "1.0"};
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        EXPECT_STR(texts[i], mg_json_text(parsed(t, texts[i]), t->arena));
}
