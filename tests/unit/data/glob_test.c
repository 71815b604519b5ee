/* Path patterns: what each sign means, and that no pattern takes long. */
#include "base/clock.h"
#include "data/glob.h"
#include "test.h"

#include <fnmatch.h>

typedef struct sample {
    const char *pattern, *path;
    bool matches;
} sample;

static void expect_samples(const sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mg_glob_match(mg_str_of(samples[i].pattern), mg_str_of(samples[i].path)) !=
            samples[i].matches)
            test_fail(__FILE__, __LINE__, "'%s' should%s match '%s'", samples[i].pattern,
                      samples[i].matches ? "" : " not", samples[i].path);
    }
}

TEST(a_star_stays_within_a_component)
{
    static const sample samples[] = {
        {"*", "a", true},         {"*", "", true},
        {"*", "a/b", false},      {"*.c", "a.c", true},
        {"*.c", "a/b.c", false},  {"*.c", ".c", true},
        {"a*c", "abc", true},     {"a*c", "ac", true},
        {"a*c", "ab/c", false},   {"*/*", "a/b", true},
        {"*/*", "a", false},      {"*/*", "a/b/c", false},
        {"a/*/c", "a/b/c", true}, {"a/*/c", "a//c", true},
        {"a/*/c", "a/c", false},  {"*a*b*", "xxaxxbxx", true},
        {"*a*b*", "bbaa", false}, {"*.tar.gz", "a.tar.tar.gz", true},
        {".*", ".hidden", true},  {"*", ".hidden", true},
        {"a***b", "axb", true},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(two_stars_cross_directories)
{
    static const sample samples[] = {
        {"**", "a", true},
        {"**", "a/b/c", true},
        {"**/x", "x", true},
        {"**/x", "a/x", true},
        {"**/x", "a/b/x", true},
        {"**/x", "ax", false},
        {"**/x", "a/bx", false},
        {"a/**", "a/b", true},
        {"a/**", "a/b/c", true},
        {"a/**", "a", false},
        {"a/**", "ab", false},
        {"a/**/b", "a/b", true},
        {"a/**/b", "a/x/b", true},
        {"a/**/b", "a/x/y/b", true},
        {"a/**/b", "a/xb", false},
        {"**/a/**/b/*.c", "x/a/y/z/b/q.c", true},
        {"**/a/**/b/*.c", "x/a/y/z/b/q/r.c", false},
        {"**/*.c", "a/b/c.c", true},
        {"**/b*/x", "a/b1/y/b2/x", true},
        {"a**b", "axb", true},
        {"a**b", "a/b", false},
        {"**a", "x/a", false},
        {"**/**/x", "a/b/x", true},
        {"tests/**", "tests/unit/a.c", true},
        {"tests/**", "src/tests/a.c", false},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(a_pattern_that_ends_in_a_slash_means_what_lies_beneath)
{
    static const sample samples[] = {
        {"a/", "a/b", true},   {"a/", "a/b/c", true}, {"a/", "a", false},
        {"a/", "ab/c", false}, {"*/", "a/b/c", true}, {"*/", "a", false},
        {"./", "a", true},     {"./", "a/b", true},   {"a/**/", "a/b/c", true},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(a_question_mark_is_one_character_but_no_slash)
{
    static const sample samples[] = {
        {"?", "a", true},
        {"?", "", false},
        {"?", "ab", false},
        {"a?b", "a/b", false},
        {"?", "\xc3\xa9", true},
        {"??", "\xc3\xa9", false},
        {"?", "\xf0\x9f\x98\x80", true},
        {"*??", "\xe2\x82\xac", false},
        {"*?", "\xe2\x82\xac", true},
        {"?", "\xff", true},
        {"??", "\xff\xfe", true},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(classes_and_ranges)
{
    static const sample samples[] = {
        {"[abc]", "b", true},
        {"[abc]", "d", false},
        {"[a-c]x", "bx", true},
        {"[!a-c]", "d", true},
        {"[!a-c]", "b", false},
        {"[^a-c]", "d", true},
        {"[]]", "]", true},
        {"[!]]", "a", true},
        {"[!]]", "]", false},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[\\]]", "]", true},
        {"[\\\\]", "\\", true},
        {"[a-\\d]", "c", true},
        {"[!a]", "/", false},
        {"a[/]b", "a/b", false},
        {"[z-a]", "m", false},
        {"[a-c-e]", "-", true},
        {"[\xc3\xa0-\xc3\xb6]", "\xc3\xa9", true},
        {"[\xc3\xa9]", "\xc3", false},
        {"[!\xc3\xa9]", "\xc3\xa8", true},
        {"*[0-9]", "a1", true},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(a_backslash_takes_the_next_sign_literally)
{
    static const sample samples[] = {
        {"\\*", "*", true},   {"\\*", "a", false}, {"a\\?", "a?", true},   {"\\[a]", "[a]", true},
        {"\\\\", "\\", true}, {"\\a", "a", true},  {"x\\/y", "x/y", true}, {"\\**", "*abc", true},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(a_leading_dot_slash_is_ignored_on_both_sides)
{
    static const sample samples[] = {
        {"./a", "a", true},
        {"a", "./a", true},
        {"././a/*", "./a/b", true},
        {".a", "a", false},
    };
    expect_samples(samples, MG_COUNT(samples));
}

TEST(patterns_that_cannot_mean_anything_are_refused)
{
    static const struct {
        const char *pattern, *why;
    } table[] = {
        {"", "empty"},
        {"/a", "absolute"},
        {"..", "'..'"},
        {"a/../b", "'..'"},
        {"a/..", "'..'"},
        {"[a", "without"},
        {"a[", "without"},
        {"[]", "without"},
        {"[!]", "without"},
        {"[a\\]", "without"},
        {"a\\", "backslash"},
        {"\\\\[", "without"},
        {"[[:alpha:]]", "[:...:]"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        EXPECT_EQ(MG_ERR_INVALID, mg_glob_valid(mg_str_of(table[i].pattern), &t->err));
        EXPECT_ERR_CONTAINS(table[i].why);
    }
    static const char *const good[] = {"a",   "**",     "a/b*", "[ab]", "\\[",  "...",
                                       "..a", "a..b/c", "a/",   "[]]",  "\\\\", "\\[[a]"};
    for (size_t i = 0; i < MG_COUNT(good); i++)
        EXPECT_OK(mg_glob_valid(mg_str_of(good[i]), &t->err));
}

TEST(hostile_patterns_are_fast)
{
    mg_buf path = mg_buf_new(t->arena, 1 << 16), stars = mg_buf_new(t->arena, 1 << 16);
    mg_buf deep = mg_buf_new(t->arena, 1 << 16), doubles = mg_buf_new(t->arena, 1 << 16);
    mg_buf_fill(&path, 'a', 20000);
    for (int i = 0; i < 2000; i++) {
        mg_buf_adds(&stars, "*a");
        mg_buf_adds(&deep, "a/");
        mg_buf_adds(&doubles, "**/a/");
    }
    mg_buf_adds(&stars, "*b");
    mg_buf_adds(&deep, "a");
    mg_buf_adds(&doubles, "b");
    const uint64_t begin = mg_clock_ms(&mg_clock_system);
    EXPECT(!mg_glob_match(mg_buf_str(&stars), mg_buf_str(&path)));
    EXPECT(!mg_glob_match(MG_STR("*a*a*a*a*a*a*a*a*b"), mg_buf_str(&path)));
    EXPECT(!mg_glob_match(mg_buf_str(&doubles), mg_buf_str(&deep)));
    EXPECT(!mg_glob_match(MG_STR("**/a/**/a/**/a/**/*a*a*b"), mg_buf_str(&deep)));
    EXPECT(mg_clock_ms(&mg_clock_system) - begin < 5000 * test_slowness());
}

/* Where `**` and a final '/' do not occur the rules are those of fnmatch(3) with FNM_PATHNAME. */
TEST(simple_patterns_match_as_fnmatch_says)
{
    static const char signs[] = "aab/*?[]!-\\.";
    static const char letters[] = "aabb/.-]";
    uint32_t seed = 12345;
    size_t compared = 0, matched = 0;
    for (int n = 0; n < 400000 / (int)test_slowness(); n++) {
        char pattern[9] = {0}, path[7] = {0};
        seed = seed * 1664525 + 1013904223;
        const uint32_t pattern_len = 1 + (seed >> 16) % 8, path_len = (seed >> 24) % 7;
        for (uint32_t i = 0; i < pattern_len; i++) {
            seed = seed * 1664525 + 1013904223;
            pattern[i] = signs[(seed >> 16) % (sizeof signs - 1)];
        }
        for (uint32_t i = 0; i < path_len; i++) {
            seed = seed * 1664525 + 1013904223;
            path[i] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        const size_t len = strlen(pattern);
        if (mg_glob_valid(mg_str_of(pattern), NULL) != MG_OK || strstr(pattern, "**") != NULL ||
            pattern[len - 1] == '/' || strstr(pattern, "./") == pattern ||
            strstr(path, "./") == path)
            continue;
        if (strchr(pattern, '[') != NULL && strchr(pattern, '/') != NULL)
            continue; /* POSIX leaves open what a slash in a class means; we read it as never */
        if (strstr(pattern, "\\/") != NULL)
            continue; /* glibc does not see an escaped slash behind a star; we do */
        if (strstr(pattern, "[.") != NULL)
            continue; /* collating symbols: not for paths */
        const bool want = fnmatch(pattern, path, FNM_PATHNAME) == 0;
        compared++;
        matched += want;
        if (want != mg_glob_match(mg_str_of(pattern), mg_str_of(path)))
            test_fail(__FILE__, __LINE__, "'%s' on '%s': fnmatch says %d", pattern, path, want);
    }
    EXPECT(compared > 50000 / test_slowness() && matched > 1000 / test_slowness());
}
