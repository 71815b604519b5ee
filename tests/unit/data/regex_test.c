/* Patterns: what they mean, that they end, and that a text in pieces is searched as a whole one. */
#include "base/clock.h"
#include "data/regex.h"
#include "test.h"

static const mg_regex *compiled(test *t, const char *pattern)
{
    const mg_regex *regex = NULL;
    EXPECT_OK(mg_regex_compile(mg_str_of(pattern), t->arena, &regex, &t->err));
    return regex;
}

static bool found(test *t, const char *pattern, mg_str text)
{
    bool yes = false;
    EXPECT_OK(mg_regex_find(compiled(t, pattern), &mg_limits_default, text, &yes, &t->err));
    return yes;
}

TEST(patterns_are_multi_line_and_read_utf8)
{
    EXPECT(found(t, "^b$", MG_STR("a\nb\nc")));
    EXPECT(found(t, "^b$", MG_STR("a\r\nb\r\nc")));
    EXPECT(found(t, "^b$", MG_STR("a\rb\rc")));
    EXPECT(found(t, "^.$", MG_STR("\xc3\xa9")));
    EXPECT(!found(t, "^..$", MG_STR("\xc3\xa9")));
    EXPECT(!found(t, "a.b", MG_STR("a\nb")));
    EXPECT(!found(t, "a.b", MG_STR("a\rb")));
    EXPECT(found(t, "x", MG_STR("a\0x")));
    EXPECT(!found(t, "x", (mg_str){0}));
}

TEST(broken_bytes_match_nothing_and_part_the_text)
{
    EXPECT(found(t, "after", MG_STR("\xff\xfe before \xc3 after")));
    EXPECT(!found(t, "a.b",
                  MG_STR("a\xff"
                         "b")));
    EXPECT(!found(t, "ab",
                  MG_STR("a\xff"
                         "b")));
    EXPECT(!found(t, ".", MG_STR("\xff\xfe\x80")));
}

TEST(a_pattern_that_is_wrong_says_where)
{
    static const struct {
        const char *pattern, *why;
    } table[] = {
        {"a(b", "missing closing parenthesis (at character 4)"},
        {"[a", "missing terminating ] for character class (at character 3)"},
        {"\xc3\xa9\xc3\xa9*+?(", "(at character "},
        {"*a", "quantifier does not follow a repeatable item (at character 1)"},
        {"a\\C", "is not a valid pattern"},
        {"(?<=a*)b", "lookbehind assertion is not fixed length"},
        {"\\Ga", "it uses \\G"},
        {"a(*COMMIT)b", "it uses (*COMMIT)"},
        {"\xff", "is not a valid pattern"},
        {"(?<n>a)(?<n>b)", "is not a valid pattern"},
    };
    const mg_regex *regex;
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        EXPECT_EQ(MG_ERR_INVALID,
                  mg_regex_compile(mg_str_of(table[i].pattern), t->arena, &regex, &t->err));
        EXPECT_ERR_CONTAINS(table[i].why);
    }
    EXPECT_OK(mg_regex_compile(MG_STR("\\\\G"), t->arena, &regex, &t->err)); /* a backslash, a G */
    mg_buf long_one = mg_buf_new(t->arena, 100000);
    mg_buf_fill(&long_one, 'a', 100000);
    EXPECT_EQ(MG_ERR_INVALID, mg_regex_compile(mg_buf_str(&long_one), t->arena, &regex, &t->err));
}

TEST(patterns_that_match_nothing_at_all_are_known)
{
    static const char *const empty[] = {"",     "a*",   "a?",          "^",    "$",
                                        "^$",   "(a|)", "(?!x)",       "\\b|", "a{0}",
                                        "(?=)", "x*?",  "^(?!.*error)"};
    static const char *const full[] = {"a",      "a+", "\\b",           ".",   "(?=a)",
                                       "(?<=a)", "^a", "(*NOTEMPTY)a*", "\\z."};
    for (size_t i = 0; i < MG_COUNT(empty); i++)
        EXPECT(mg_regex_matches_empty(compiled(t, empty[i])));
    for (size_t i = 0; i < MG_COUNT(full); i++)
        EXPECT(!mg_regex_matches_empty(compiled(t, full[i])));
    EXPECT_STR("a+", mg_regex_pattern(compiled(t, "a+")));
}

/* Text on which the patterns below go wrong: long lines of one letter, and no match. */
static mg_str hostile_text(test *t, size_t bytes, size_t line)
{
    char *text = mg_arena_alloc(t->arena, bytes);
    for (size_t i = 0; i < bytes; i++)
        text[i] = i % line == line - 1 ? '\n' : 'a';
    text[bytes - 2] = '\n';
    text[bytes - 1] = '!'; /* so that no pattern is refused for a letter that is not there */
    return (mg_str){text, bytes};
}

TEST(hostile_patterns_end_in_a_limit_quickly)
{
    static const char *const patterns[] = {
        "(a+)+!",     "(a|a)*!",           "(?:a|c)*(?:a|c)*!",
        "a*a*a*a*a!", "(a*)*\\1!",         "^(a?){50}!",
        "(.+)+!x",    "(?:.*.*)+=!",       "((a{1,50}){1,50}){1,50}!",
        "(a|aa)+!",   "([a-z]+)*[^a-z]!x",
    };
    static const size_t sizes[][2] = {
        {2000, 1999}, {8000, 2000}, {60000, 59999}, {131000, 2000}, {600000, 599999}};
    size_t limits_hit = 0;
    if (test_slowness() > 1)
        test_skip("it is about time, and valgrind does not follow PCRE2's machine code");
    for (size_t i = 0; i < MG_COUNT(patterns); i++) {
        const mg_regex *regex = compiled(t, patterns[i]);
        for (size_t j = 0; j < MG_COUNT(sizes); j++) {
            const mg_str text = hostile_text(t, sizes[j][0], sizes[j][1]);
            const uint64_t begin = mg_clock_ms(&mg_clock_system);
            bool yes = false;
            const mg_status s = mg_regex_find(regex, &mg_limits_default, text, &yes, &t->err);
            EXPECT(s == MG_ERR_LIMIT || s == MG_OK);
            limits_hit += s == MG_ERR_LIMIT;
            const uint64_t took = mg_clock_ms(&mg_clock_system) - begin;
            if (took > 8000 * test_slowness())
                test_fail(__FILE__, __LINE__, "'%s' took %" PRIu64 " ms on %zu bytes", patterns[i],
                          took, sizes[j][0]);
        }
    }
    EXPECT(limits_hit > MG_COUNT(patterns) * 3);
}

TEST(a_limit_says_what_to_do)
{
    bool yes = true;
    EXPECT_EQ(MG_ERR_LIMIT, mg_regex_find(compiled(t, "(a+)+!"), &mg_limits_default,
                                          hostile_text(t, 9000, 8990), &yes, &t->err));
    EXPECT_ERR_CONTAINS(
        "pattern '(a+)+!' needs too many steps on this text; make it more specific");
}

/* --- In pieces as in one --- */

/* How often the pattern is found: the plain loop over a text that is whole. */
static uint64_t count_whole(test *t, const mg_regex *regex, mg_str text, mg_status *s)
{
    mg_limits limits = mg_limits_default;
    limits.search_window = limits.search_bytes = text.len + 64;
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_search *search = mg_search_new(regex, &limits, UINT64_MAX, text.len, arena);
    *s = mg_search_add(search, text, &t->err);
    if (*s == MG_OK)
        *s = mg_search_end(search, &t->err);
    return mg_search_count(search);
}

static uint64_t count_pieces(test *t, const mg_regex *regex, mg_str text, size_t piece,
                             size_t window, mg_status *s)
{
    mg_limits limits = mg_limits_default;
    limits.search_window = window;
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_search *search = mg_search_new(regex, &limits, UINT64_MAX, 0, arena);
    *s = MG_OK;
    while (text.len > 0 && *s == MG_OK) {
        *s = mg_search_add(search, mg_str_first(text, piece), &t->err);
        text = mg_str_from(text, piece);
    }
    if (*s == MG_OK)
        *s = mg_search_end(search, &t->err);
    return mg_search_count(search);
}

static const char *const stream_patterns[] = {
    "a",
    "ab",
    "aba",
    "a+",
    "a.*b",
    "^a",
    "a$",
    "^",
    "$",
    "^$",
    "\\Aa",
    "\\A",
    "b\\z",
    "\\z",
    "\\Z",
    "a\\n^b",
    "\\n^",
    "^\\n",
    "\\r\\n",
    "a\\r?\\n",
    "\\R",
    "(?<=a)b",
    "(?<!a)b",
    "(?<=^a)b",
    "(?<=\\Aa)b",
    "(?<=a)",
    "(?<=a)(?=b)",
    "(?=ab)",
    "(?!a)b",
    "a(?!b)",
    "a(?=\\n)",
    "\\bab\\b",
    "\\Bb",
    "\\b",
    "\\B",
    "(?<=\\n)^",
    "[^a]+",
    "\\x{e9}",
    "(?<=\\x{e9})a",
    "\\x{20ac}(?!a)",
    "\\x{1f600}+",
    ".",
    "(?s).",
    "(?s)a..b",
    "\\X",
    "(a|b)\\1",
    "(?:ab|a)b?",
    "a\\Kb",
    "a\\K",
    "(?<=ab\\n)a",
    "(?<=\\r\\n)a",
    "$\\n",
    "a|$",
    "^a?$",
    "a*",
    "(?i)AB",
    "a*+b",
    "(?>a+)b",
    "x\\b|\\b",
    "(?<=(?<=a)b)a",
    "(?<=(?<=(?<=\\x{1f600}.)\\x{1f600}.)..)a",
    "(?<=\\ba)b",
    "(?<=(?<!a)b)a",
    "\\w+",
    "\\W+",
    "(a(?R)?b)",
    "(?m-s)^.*$",
    "^(?=b)",
    "\\x{e9}$",
    "(?<=.)b",
    "\\Ab|a\\z",
    "(*SKIP)a|b",
    "a(*SKIP)(*F)|b",
    "(?<=\\x{1f600}\\x{1f600})a",
};

static mg_str random_text(test *t, uint32_t *seed)
{
    static const char *const parts[] = {"a",
                                        "a",
                                        "b",
                                        "b",
                                        "ab",
                                        "\n",
                                        "\r\n",
                                        "\r",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "x",
                                        " ",
                                        "aab",
                                        "\n\n"};
    mg_buf text = mg_buf_new(t->arena, 400);
    const uint32_t count = (*seed >> 16) % 60;
    for (uint32_t i = 0; i < count; i++) {
        *seed = *seed * 1664525 + 1013904223;
        mg_buf_adds(&text, parts[(*seed >> 16) % MG_COUNT(parts)]);
    }
    return mg_buf_str(&text);
}

TEST(in_pieces_of_any_size_the_count_is_that_of_the_whole)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < MG_COUNT(stream_patterns); i++) {
        const mg_regex *regex = compiled(t, stream_patterns[i]);
        for (unsigned n = 0; n < 60 / test_slowness(); n++) {
            seed = seed * 1664525 + 1013904223;
            const mg_str text = random_text(t, &seed);
            mg_status s;
            const uint64_t want = count_whole(t, regex, text, &s);
            EXPECT_EQ(MG_OK, s);
            for (size_t piece = 1; piece < 9; piece += piece < 4 ? 1 : 4) {
                static const size_t windows[] = {16, 17, 18, 19, 23, 32, 61};
                const size_t window = windows[n % MG_COUNT(windows)];
                const uint64_t got = count_pieces(t, regex, text, piece, window, &s);
                if (s != MG_OK || got != want)
                    test_fail(__FILE__, __LINE__,
                              "'%s': %" PRIu64 " instead of %" PRIu64
                              " (status %d) in pieces of %zu, window %zu: '" MG_FMT "'",
                              stream_patterns[i], got, want, s, piece, window, MG_ARG(text));
            }
        }
    }
}

/* What PCRE2 finds in a text is checked against a count that is plain to see. */
TEST(the_count_is_the_one_a_reader_would_give)
{
    static const struct {
        const char *pattern, *text;
        uint64_t count;
    } table[] = {
        {"ab", "abxabxab", 3},     {"aa", "aaaa", 2},     {"^", "a\nb\n", 3},
        {"$", "a\nb", 2},          {"(?<=a)|b", "ab", 2}, {"(?<=a)", "aaa", 3},
        {"a\\n^b", "a\nba\nb", 2}, {"\\b", "ab cd", 4},   {"x", "", 0},
        {"\\r\\n", "\r\n\r\n", 2}, {"a\\K", "aa", 2},     {".", "\xc3\xa9\xe2\x82\xac", 2},
        {"(?=a)", "aba", 2},       {"a*", "baac", 4},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        const mg_regex *regex = compiled(t, table[i].pattern);
        mg_status s;
        const uint64_t got = count_whole(t, regex, mg_str_of(table[i].text), &s);
        EXPECT_EQ(MG_OK, s);
        if (got != table[i].count)
            test_fail(__FILE__, __LINE__, "'%s' on '%s': %" PRIu64, table[i].pattern, table[i].text,
                      got);
        for (size_t piece = 1; piece < 5; piece++)
            EXPECT_EQ(table[i].count,
                      count_pieces(t, regex, mg_str_of(table[i].text), piece, 16, &s));
    }
}

/* With real windows of 128 KiB, so that the code the processor runs is made, too. */
TEST(around_every_edge_of_a_real_window_nothing_is_missed)
{
    enum { BYTES = 400000 };
    static const struct {
        const char *pattern, *needle;
    } table[] = {
        {"a\\n^b", "a\nb"},
        {"needle", "needle"},
        {"^needle$", "\r\nneedle\r\n"},
        {"(?<=\\x{20ac})n", "\xe2\x82\xacn"},
        {"n(?!x)", "ny"},
        {"\\x{1f600}\\r\\n\\x{1f600}", "\xf0\x9f\x98\x80\r\n\xf0\x9f\x98\x80"},
        {"n+", "nnnnnnnn"},
        {"(?<=\\n)^q", "\nq"},
        {"n$", "n\r\n"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        const mg_regex *regex = compiled(t, table[i].pattern);
        const mg_str needle = mg_str_of(table[i].needle);
        char *text = mg_arena_alloc(t->arena, BYTES);
        for (size_t shift = 0; shift < 24; shift += test_slowness()) {
            memset(text, '.', BYTES);
            memcpy(text + 131072 - shift, needle.ptr, needle.len);
            memcpy(text + 262144 - 3 * shift, needle.ptr, needle.len);
            mg_status s;
            const uint64_t got = count_pieces(t, regex, (mg_str){text, BYTES}, 65536, 131072, &s);
            if (s != MG_OK || got != 2)
                test_fail(__FILE__, __LINE__, "'%s' shifted by %zu: %" PRIu64 ", status %d",
                          table[i].pattern, shift, got, s);
        }
    }
}

TEST(a_match_longer_than_a_window_is_found)
{
    enum { BYTES = 1 << 20 };
    char *text = mg_arena_alloc(t->arena, BYTES);
    memset(text, '.', BYTES);
    text[1000] = '<';
    text[900000] = '>';
    mg_status s;
    EXPECT_EQ(1,
              count_pieces(t, compiled(t, "<[^>]*>"), (mg_str){text, BYTES}, 10000, 128 << 10, &s));
    EXPECT_EQ(MG_OK, s);
}

TEST(a_match_that_needs_more_than_the_bound_is_neither_found_nor_absent)
{
    enum { BYTES = 9 << 20 };
    char *text = mg_arena_alloc(t->arena, BYTES);
    memset(text, '.', BYTES);
    text[1000] = '<';
    mg_status s;
    (void)count_pieces(t, compiled(t, "<[^>]*>"), (mg_str){text, BYTES}, 1 << 16, 128 << 10, &s);
    EXPECT_EQ(MG_ERR_LIMIT, s);
    EXPECT_ERR_CONTAINS("would need more than 4194304 bytes of the text at once");
}

TEST(a_search_stops_when_enough_was_found)
{
    mg_search *s = mg_search_new(compiled(t, "a"), &mg_limits_default, 2, 0, t->arena);
    char text[200000];
    memset(text, 'a', sizeof text);
    EXPECT_OK(mg_search_add(s, (mg_str){text, sizeof text}, &t->err));
    EXPECT(mg_search_done(s));
    EXPECT_OK(mg_search_end(s, &t->err));
    EXPECT_EQ(2, mg_search_count(s));
}

TEST(a_size_hint_that_lies_changes_nothing)
{
    char text[300000];
    memset(text, '.', sizeof text);
    memcpy(text + 299990, "needle", 6);
    static const size_t hints[] = {0, 1, 5, 1000, 299999, 300000, 1u << 30};
    for (size_t i = 0; i < MG_COUNT(hints); i++) {
        mg_search *s =
            mg_search_new(compiled(t, "needle"), &mg_limits_default, 5, hints[i], t->arena);
        EXPECT_OK(mg_search_add(s, (mg_str){text, sizeof text}, &t->err));
        EXPECT_OK(mg_search_end(s, &t->err));
        EXPECT_EQ(1, mg_search_count(s));
    }
}

TEST(memory_stays_within_the_window_however_large_the_text)
{
    mg_search *s = mg_search_new(compiled(t, "b\\d+c"), &mg_limits_default, 5, 0, t->arena);
    char piece[60000];
    memset(piece, '.', sizeof piece);
    char *first;
    size_t room;
    first = mg_search_room(s, &room);
    for (unsigned i = 0; i < 1000 / test_slowness(); i++)
        EXPECT_OK(mg_search_add(s, (mg_str){piece, sizeof piece}, &t->err));
    char *last = mg_search_room(s, &room);
    EXPECT(last >= first && last <= first + (128 << 10)); /* still the same buffer */
    EXPECT_OK(mg_search_end(s, &t->err));
    EXPECT_EQ(0, mg_search_count(s));
}

/* Where a text breaks off, what more of it could undo is not believed. */
TEST(flushing_counts_what_is_certain_and_the_search_goes_on)
{
    mg_search *s = mg_search_new(compiled(t, "foo(?!bar)"), &mg_limits_default, 5, 0, t->arena);
    EXPECT_OK(mg_search_add(s, MG_STR("foo foo"), &t->err));
    EXPECT_EQ(0, mg_search_count(s)); /* the window is not full */
    EXPECT_OK(mg_search_flush(s, &t->err));
    EXPECT_EQ(1, mg_search_count(s));
    EXPECT_OK(mg_search_flush(s, &t->err));
    EXPECT_EQ(1, mg_search_count(s));
    EXPECT_OK(mg_search_add(s, MG_STR("bar foo"), &t->err));
    EXPECT_OK(mg_search_end(s, &t->err));
    EXPECT_EQ(2, mg_search_count(s));
    mg_search *line = mg_search_new(compiled(t, "end$"), &mg_limits_default, 5, 0, t->arena);
    EXPECT_OK(mg_search_add(line, MG_STR("the end"), &t->err));
    EXPECT_OK(mg_search_flush(line, &t->err));
    EXPECT_EQ(0, mg_search_count(line));
}
