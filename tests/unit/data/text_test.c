/* Small values read exactly, and foreign text made safe to show. */
#include "base/clock.h"
#include "data/text.h"
#include "test.h"

#include <math.h>

TEST(whole_numbers)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"7", 7},
        {"-7", -7},
        {"+7", 7},
        {"007", 7},
        {"-0", 0},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    static const char *const bad[] = {"",   "-",   "+",   "a",   "1a",  "1 ",
                                      " 1", "1.0", "1e3", "0x1", "--1", "+-1"};
    static const char *const large[] = {"9223372036854775808", "-9223372036854775809",
                                        "99999999999999999999999999"};
    int64_t value = 0;
    for (size_t i = 0; i < MG_COUNT(good); i++) {
        EXPECT_OK(mg_parse_int(mg_str_of(good[i].text), &value, &t->err));
        EXPECT_EQ(good[i].value, value);
    }
    value = 42;
    for (size_t i = 0; i < MG_COUNT(bad); i++)
        EXPECT_EQ(MG_ERR_INVALID, mg_parse_int(mg_str_of(bad[i]), &value, &t->err));
    for (size_t i = 0; i < MG_COUNT(large); i++)
        EXPECT_EQ(MG_ERR_LIMIT, mg_parse_int(mg_str_of(large[i]), &value, &t->err));
    EXPECT_EQ(MG_ERR_INVALID, mg_parse_int(MG_STR("1\0"), &value, &t->err));
    EXPECT_EQ(42, value);
}

TEST(numbers_are_rounded_as_the_c_library_rounds)
{
    static const char *const good[] = {
        "0",
        "3",
        "-3",
        "+3",
        "2.5",
        "0.1",
        "0.2",
        "0.3",
        "1.1",
        "123.456",
        ".5",
        "1.",
        "1e-3",
        "1E+3",
        "0.30000000000000004",
        "2.2250738585072011e-308",
        "9007199254740993",
        "1e308",
        "1e-400",
        "179769313486231570000000000000000000000000000000000000",
        "0e999999",
    };
    static const char *const bad[] = {"",    ".",     "-",     "+",    "e5",    ".e5", "1e",
                                      "1e+", "1.5.5", "1e5.5", "0x10", "inf",   "nan", "1,5",
                                      " 1",  "1 ",    "1f",    "--1",  "1e--5", "-.",  "1_0"};
    double value;
    for (size_t i = 0; i < MG_COUNT(good); i++) {
        EXPECT_OK(mg_parse_number(mg_str_of(good[i]), &value, &t->err));
        const double want = strtod(good[i], NULL);
        EXPECT(memcmp(&want, &value, sizeof value) == 0);
    }
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        if (mg_parse_number(mg_str_of(bad[i]), &value, &t->err) != MG_ERR_INVALID)
            test_fail(__FILE__, __LINE__, "'%s' should be no number", bad[i]);
    }
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_number(MG_STR("1e309"), &value, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_number(MG_STR("-1e999999999999"), &value, &t->err));
}

TEST(sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"0", 0},         {"512", 512},
        {"10k", 10240},   {"10K", 10240},
        {"1kb", 1024},    {"1KiB", 1024},
        {"2M", 2u << 20}, {"1MB", 1u << 20},
        {"1G", 1u << 30}, {"1t", 1ull << 40},
        {"1.5k", 1536},   {"0.5M", 524288},
        {"7b", 7},        {"9007199254740993", 9007199254740993},
        {"0.1b", 1},      {"0.0", 0},
    };
    static const char *const bad[] = {"",    "k",    "-1",         "+1",  "1 k",
                                      "1kk", "1x",   "1.k",        ".5k", "1e3",
                                      "1k5", "0x10", "1kilobytes", "k1",  "1.2.3"};
    uint64_t bytes = 0;
    for (size_t i = 0; i < MG_COUNT(good); i++) {
        EXPECT_OK(mg_parse_size(mg_str_of(good[i].text), &bytes, &t->err));
        if (good[i].bytes != bytes)
            test_fail(__FILE__, __LINE__, "'%s' gave %" PRIu64, good[i].text, bytes);
    }
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        EXPECT_EQ(MG_ERR_INVALID, mg_parse_size(mg_str_of(bad[i]), &bytes, &t->err));
        EXPECT_ERR_CONTAINS("is not a size");
    }
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_size(MG_STR("9000000000g"), &bytes, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_size(MG_STR("99999999999999999999"), &bytes, &t->err));
    mg_buf nines = mg_buf_new(t->arena, 1000);
    mg_buf_fill(&nines, '9', 1000);
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_size(mg_buf_str(&nines), &bytes, &t->err));
}

TEST(durations)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {
        {"0", 0},
        {"0s", 0},
        {"100ms", 100},
        {"2s", 2000},
        {"1.5m", 90000},
        {"1h30m", 5400000},
        {"1d", 86400000},
        {"1h1m1s1ms", 3661001},
        {"0.29s", 290},
        {"1.1s", 1100},
        {"2M", 120000},
        {"0.001ms", 1},
        {"366d", 31622400000},
    };
    static const char *const bad[] = {"",    "5",    "1",   "-1s",  "1 s", "1s ",
                                      "s",   "1m30", "1.s", ".5s",  "1x",  "1sec",
                                      "1s-", "00",   "0.0", "1e3s", "soon"};
    uint64_t ms = 0;
    for (size_t i = 0; i < MG_COUNT(good); i++) {
        EXPECT_OK(mg_parse_duration(mg_str_of(good[i].text), &ms, &t->err));
        if (good[i].ms != ms)
            test_fail(__FILE__, __LINE__, "'%s' gave %" PRIu64, good[i].text, ms);
    }
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        if (mg_parse_duration(mg_str_of(bad[i]), &ms, &t->err) != MG_ERR_INVALID)
            test_fail(__FILE__, __LINE__, "'%s' should be no duration", bad[i]);
        EXPECT_ERR_CONTAINS("is not a duration");
    }
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_duration(MG_STR("367d"), &ms, &t->err));
    EXPECT_EQ(MG_ERR_LIMIT, mg_parse_duration(MG_STR("99999999999999999999999d"), &ms, &t->err));
}

TEST(a_little_time_is_not_none)
{
    uint64_t ms = 0; /* 0 often means "no limit" */
    EXPECT_OK(mg_parse_duration(MG_STR("0.0000001ms"), &ms, &t->err));
    EXPECT_EQ(1, ms);
}

TEST(durations_are_written_as_they_are_read)
{
    EXPECT_STR("0s", mg_duration_text(t->arena, 0));
    EXPECT_STR("100ms", mg_duration_text(t->arena, 100));
    EXPECT_STR("1h30m", mg_duration_text(t->arena, 5400000));
    EXPECT_STR("1d1ms", mg_duration_text(t->arena, 86400001));
    uint64_t back;
    for (uint64_t ms = 1; ms < 31622400000; ms = ms * 3 + 1) {
        EXPECT_OK(mg_parse_duration(mg_duration_text(t->arena, ms), &back, &t->err));
        EXPECT_EQ(ms, back);
    }
}

TEST(the_nearest_name_is_offered_when_it_is_near)
{
    static const char *const names[] = {"file_exists", "file_contains", "path",
                                        "pattern",     "http_200",      "any"};
    static const struct {
        const char *typed, *want;
    } table[] = {
        {"fiel_exists", "file_exists"},
        {"file_exist", "file_exists"},
        {"pth", "path"},
        {"patern", "pattern"},
        {"contains", "file_contains"},
        {"http200", "http_200"},
        {"an", "any"},
        {"nay", "any"},
        {"zebra", NULL},
        {"xyz", NULL},
        {"completely_different_and_long", NULL},
        {"path", "path"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        const char *got = mg_nearest(mg_str_of(table[i].typed), names, MG_COUNT(names));
        if ((got == NULL) != (table[i].want == NULL) ||
            (got != NULL && strcmp(got, table[i].want) != 0))
            test_fail(__FILE__, __LINE__, "'%s' gave %s", table[i].typed,
                      got != NULL ? got : "nothing");
    }
    mg_buf longer = mg_buf_new(t->arena, 100000);
    mg_buf_fill(&longer, 'a', 100000);
    EXPECT(mg_nearest(mg_buf_str(&longer), names, MG_COUNT(names)) == NULL);
    EXPECT(mg_nearest(MG_STR("a"), names, 0) == NULL);
}

/* --- UTF-8 --- */

static size_t reference_len(uint32_t c, unsigned char out[4])
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (unsigned char)(0xc0 | c >> 6);
        out[1] = (unsigned char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xe0 | c >> 12);
        out[1] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (unsigned char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (unsigned char)(0xf0 | c >> 18);
    out[1] = (unsigned char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (unsigned char)(0x80 | (c & 0x3f));
    return 4;
}

TEST(every_code_point_has_its_length_and_surrogates_have_none)
{
    for (uint32_t c = 0; c < 0x120000; c += test_slowness()) {
        unsigned char bytes[4];
        const size_t len = reference_len(c, bytes);
        const bool valid = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        EXPECT_EQ(valid ? len : 0, mg_utf8_len((mg_str){(const char *)bytes, len}));
        for (size_t cut = 1; cut < len && valid; cut++) {
            EXPECT_EQ(0, mg_utf8_len((mg_str){(const char *)bytes, cut}));
            EXPECT_EQ(cut, mg_utf8_cut((mg_str){(const char *)bytes, cut}));
        }
        if (valid)
            EXPECT_EQ(0, mg_utf8_cut((mg_str){(const char *)bytes, len}));
    }
}

TEST(overlong_forms_and_stray_bytes_are_not_utf8)
{
    static const char *const bad[] = {
        "\xc0\x80", "\xc1\xbf",  "\xe0\x9f\xbf",         "\xf0\x8f\xbf\xbf",
        "\x80",     "\xbf",      "\xf8\x88\x80\x80\x80", "\xff",
        "\xc3z",    "\xe2\x82z", "\xf0\x9f\x98z"};
    for (size_t i = 0; i < MG_COUNT(bad); i++)
        EXPECT_EQ(0, mg_utf8_len(mg_str_of(bad[i])));
    EXPECT_EQ(0, mg_utf8_cut((mg_str){0}));
    EXPECT_EQ(0, mg_utf8_cut(MG_STR("\x80\x80\x80\x80")));
}

TEST(text_is_valid_when_every_character_is)
{
    char text[64];
    for (size_t at = 0; at < 60; at++) {
        memset(text, 'a', sizeof text);
        memcpy(text + at, "\xf0\x9f\x98\x80", 4);
        EXPECT(mg_utf8_valid((mg_str){text, sizeof text}));
        EXPECT(!mg_utf8_valid((mg_str){text, at + 3}));
        text[at + 2] = 'a';
        EXPECT(!mg_utf8_valid((mg_str){text, sizeof text}));
    }
    EXPECT(mg_utf8_valid((mg_str){0}));
}

TEST(columns_are_characters)
{
    EXPECT_EQ(0, mg_utf8_columns((mg_str){0}));
    EXPECT_EQ(4, mg_utf8_columns(MG_STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")));
}

/* --- Showing foreign text --- */

TEST(clean_text_is_left_as_it_is)
{
    const mg_str text = MG_STR("plain\ttext\nwith lines");
    EXPECT(mg_text_clean(t->arena, text).ptr == text.ptr);
    EXPECT_STR("caf\xc3\xa9 \xf0\x9f\x98\x80",
               mg_text_clean(t->arena, MG_STR("caf\xc3\xa9 \xf0\x9f\x98\x80")));
}

TEST(nothing_can_steer_the_terminal)
{
    EXPECT_STR("\\x1b[31mred\\x1b[0m", mg_text_clean(t->arena, MG_STR("\x1b[31mred\x1b[0m")));
    EXPECT_STR("\\x1b]0;title\\x07", mg_text_clean(t->arena, MG_STR("\x1b]0;title\x07")));
    EXPECT_STR("a\\x00b\\x7f", mg_text_clean(t->arena, MG_STR("a\0b\x7f")));
    EXPECT_STR("\xef\xbf\xbd[31m", mg_text_clean(t->arena, MG_STR("\xc2\x9b[31m"))); /* CSI as C1 */
    EXPECT_STR("\xef\xbf\xbd", mg_text_clean(t->arena, MG_STR("\x9b")));
    EXPECT_STR("\xef\xbf\xbdx\xef\xbf\xbd",
               mg_text_clean(t->arena, MG_STR("\xe2\x80\xaex\xe2\x81\xa9")));
    EXPECT_STR("a\nb\\x0dc", mg_text_clean(t->arena, MG_STR("a\r\nb\rc")));
    EXPECT_STR("\xef\xbf\xbd\xef\xbf\xbd", mg_text_clean(t->arena, MG_STR("\xff\xc3")));
}

static void expect_safe(mg_str s, bool one_line)
{
    for (size_t i = 0; i < s.len;) {
        const unsigned char c = (unsigned char)s.ptr[i];
        const size_t len = mg_utf8_len(mg_str_from(s, i));
        EXPECT(len > 0);
        EXPECT(c >= 0x20 || (!one_line && (c == '\n' || c == '\t')));
        EXPECT(c != 0x7f && !(c == 0xc2 && (unsigned char)s.ptr[i + 1] < 0xa0));
        i += len;
    }
}

TEST(random_bytes_become_safe_text)
{
    uint32_t seed = 99;
    char bytes[40];
    for (int n = 0; n < 30000 / (int)test_slowness(); n++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1664525 + 1013904223;
            static const unsigned char common[] = {0x1b, 0xc2, 0x9b, 0xe2, 0x80,
                                                   0xae, '\r', '\n', 0xf0, 'a'};
            bytes[i] =
                (char)((seed >> 30) != 0 ? common[(seed >> 16) % sizeof common] : seed >> 20);
        }
        const mg_str raw = {bytes, 1 + (seed >> 8) % sizeof bytes};
        expect_safe(mg_text_clean(t->arena, raw), false);
        const size_t max = (seed >> 4) % 50;
        const mg_str line = mg_text_line(t->arena, raw, max);
        expect_safe(line, true);
        EXPECT(line.len <= max);
    }
}

TEST(a_line_is_one_line_and_marks_its_cut)
{
    EXPECT_STR("a\\nb\\tc", mg_text_line(t->arena, MG_STR("a\nb\tc"), 100));
    EXPECT_STR("abcdefg...", mg_text_line(t->arena, MG_STR("abcdefghijklmnop"), 10));
    EXPECT_STR("abcdefghij", mg_text_line(t->arena, MG_STR("abcdefghij"), 10));
    EXPECT_STR("aaaaaa...", mg_text_line(t->arena, MG_STR("aaaaaa\xc3\xa9\xc3\xa9\xc3\xa9"), 10));
    EXPECT_STR("..", mg_text_line(t->arena, MG_STR("abc"), 2));
    EXPECT_STR("", mg_text_line(t->arena, MG_STR("abc"), 0));
    EXPECT_STR("", mg_text_line(t->arena, (mg_str){0}, 10));
    mg_buf large = mg_buf_new(t->arena, 64u << 20);
    mg_buf_fill(&large, '\x1b', 64u << 20);
    const uint64_t begin = mg_clock_ms(&mg_clock_system);
    EXPECT_EQ(80, mg_text_line(t->arena, mg_buf_str(&large), 80).len);
    EXPECT(mg_clock_ms(&mg_clock_system) - begin < 1000 * test_slowness());
}
