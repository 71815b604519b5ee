/* JSON written with bounds: whatever the text, the result is JSON or known to be cut. */
#include "data/json.h"
#include "test.h"

#include <locale.h>
#include <math.h>

static mg_str written(test *t, bool pretty, void (*fill)(mg_json_out *out))
{
    mg_buf *buf = mg_new(t->arena, mg_buf);
    *buf = mg_buf_new(t->arena, 1u << 20);
    mg_json_out out = {.buf = buf, .pretty = pretty};
    fill(&out);
    EXPECT_OK(mg_buf_ok(buf, "it", &t->err));
    const mg_json *json;
    EXPECT_OK(mg_json_parse(mg_buf_str(buf), &mg_limits_default, MG_JSON_UNIQUE_KEYS, t->arena,
                            &json, &t->err));
    return mg_buf_str(buf);
}

static void everything(mg_json_out *out)
{
    mg_json_begin(out, '{');
    mg_json_key(out, "list");
    mg_json_begin(out, '[');
    mg_json_int(out, INT64_MIN);
    mg_json_bool(out, true);
    mg_json_null(out);
    mg_json_cstr(out, NULL);
    mg_json_cstr(out, "x");
    mg_json_end(out, ']');
    mg_json_key(out, "empty");
    mg_json_begin(out, '{');
    mg_json_end(out, '}');
    mg_json_key_str(out, MG_STR("a\"b"));
    mg_json_number(out, 0.5);
    mg_json_end(out, '}');
}

TEST(commas_and_colons_come_by_themselves)
{
    EXPECT_STR("{\"list\":[-9223372036854775808,true,null,null,\"x\"],\"empty\":{},\"a\\\"b\":0.5}",
               written(t, false, everything));
    EXPECT_STR("{\n  \"list\": [\n    -9223372036854775808,\n    true,\n    null,\n    null,\n"
               "    \"x\"\n  ],\n  \"empty\": {},\n  \"a\\\"b\": 0.5\n}",
               written(t, true, everything));
}

static mg_str text_to_write;

static void one_text(mg_json_out *out)
{
    mg_json_str(out, text_to_write);
}

TEST(texts_are_escaped)
{
    const struct {
        mg_str text;
        const char *json;
    } table[] = {
        {MG_STR(""), "\"\""},
        {MG_STR("a\"\\/\b\f\n\r\t"), "\"a\\\"\\\\/\\b\\f\\n\\r\\t\""},
        {MG_STR("\0\x01\x1b\x7f"), "\"\\u0000\\u0001\\u001b\\u007f\""},
        {MG_STR("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\""},
        {MG_STR("\xff"), "\"\xef\xbf\xbd\""},
        {MG_STR("a\xc3"), "\"a\xef\xbf\xbd\""},
        {MG_STR("\xe2\x82z"), "\"\xef\xbf\xbd\xef\xbf\xbdz\""},
        {MG_STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {{0}, "\"\""},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        text_to_write = table[i].text;
        EXPECT_STR(table[i].json, written(t, false, one_text));
    }
}

/* Runs of every length, up to more than are written at once, of what is escaped and what is not. */
TEST(long_runs_are_escaped_to_their_last_character)
{
    static const struct {
        const char *one;
        size_t len;
        const char *json;
    } kinds[] = {{"\0", 1, "\\u0000"},        {"\n", 1, "\\n"},
                 {"\xc2\x85", 2, "\\u0085"},  {"\xff", 1, "\xef\xbf\xbd"},
                 {"\xc2", 1, "\xef\xbf\xbd"}, {"z", 1, "z"},
                 {"\xc3\xa9", 2, "\xc3\xa9"}};
    for (size_t i = 0; i < MG_COUNT(kinds) * MG_COUNT(kinds) * 200; i++) {
        const size_t first = i % MG_COUNT(kinds), last = i / MG_COUNT(kinds) % MG_COUNT(kinds);
        MG_AUTO(mg_arena) scratch = mg_arena_new(t->arena);
        mg_buf text = mg_buf_new(scratch, 1000), want = mg_buf_new(scratch, 4000),
               got = mg_buf_new(scratch, 4000);
        mg_buf_addc(&want, '"');
        for (size_t n = 0; n <= i / (MG_COUNT(kinds) * MG_COUNT(kinds)) + 1; n++) {
            const size_t k = n == 0 ? last : first; /* the one before a run of the other */
            mg_buf_add(&text, (mg_str){kinds[k].one, kinds[k].len});
            mg_buf_adds(&want, kinds[k].json);
        }
        mg_buf_addc(&want, '"');
        mg_json_out out = {.buf = &got};
        mg_json_str(&out, mg_buf_str(&text));
        EXPECT(mg_str_eq(mg_buf_str(&want), mg_buf_str(&got)));
    }
}

TEST(every_pair_of_bytes_gives_json)
{
    char bytes[2];
    text_to_write = (mg_str){bytes, 2};
    for (int a = 0; a < 256; a += 3) {
        for (int b = 0; b < 256; b += 5) {
            bytes[0] = (char)a;
            bytes[1] = (char)b;
            (void)written(t, false, one_text);
        }
    }
}

static double number_to_write;

static void one_number(mg_json_out *out)
{
    mg_json_number(out, number_to_write);
}

TEST(numbers_are_short_and_read_back_the_same)
{
    static const struct {
        double number;
        const char *json;
    } table[] = {
        {0, "0"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {1e100, "1e+100"},
        {-2.5, "-2.5"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {123456789, "123456789"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        number_to_write = table[i].number;
        EXPECT_STR(table[i].json, written(t, false, one_number));
    }
    number_to_write = INFINITY;
    EXPECT_STR("null", written(t, false, one_number));
    number_to_write = NAN;
    EXPECT_STR("null", written(t, false, one_number));
}

TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < MG_COUNT(locales) && set == NULL; i++)
        set = setlocale(LC_ALL, locales[i]);
    if (set == NULL)
        test_skip("no locale with a decimal comma is installed");
    number_to_write = 0.5;
    EXPECT_STR("0.5", written(t, false, one_number));
}

TEST(too_deep_marks_the_text_as_cut_and_harms_nothing)
{
    mg_buf buf = mg_buf_new(t->arena, 1u << 20);
    mg_json_out out = {.buf = &buf};
    for (int i = 0; i < MG_JSON_DEPTH; i++)
        mg_json_begin(&out, '[');
    EXPECT(!buf.cut);
    for (int i = 0; i < 1000; i++)
        mg_json_begin(&out, '[');
    for (int i = 0; i < 1000 + MG_JSON_DEPTH; i++)
        mg_json_end(&out, ']');
    EXPECT_EQ(MG_ERR_LIMIT, mg_buf_ok(&buf, "it", &t->err));
}

TEST(a_goal_files_values_become_json)
{
    mg_node *node;
    uint32_t line, column;
    EXPECT_OK(mg_yaml_parse(MG_STR("{a: [1, 2.5, on, ~, true, 0x10], 'b c': {}, d: \"\\e\"}"),
                            &mg_limits_default, t->arena, &node, &line, &column, &t->err));
    mg_buf buf = mg_buf_new(t->arena, 1000);
    mg_json_out out = {.buf = &buf};
    mg_json_node(&out, node);
    EXPECT_STR("{\"a\":[1,2.5,\"on\",null,true,16],\"b c\":{},\"d\":\"\\u001b\"}",
               mg_buf_str(&buf));
}
