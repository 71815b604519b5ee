/* Slices of bytes, and lists that grow. */
#include "base/str.h"
#include "base/vec.h"
#include "test.h"

static const mg_str nothing = {0};

TEST(the_null_text_is_the_empty_text_everywhere)
{
    EXPECT(mg_str_eq(nothing, MG_STR("")));
    EXPECT(mg_str_eq(mg_str_of(NULL), nothing));
    EXPECT(mg_str_starts(nothing, "") && mg_str_ends(nothing, "") && mg_str_has(nothing, ""));
    EXPECT(!mg_str_starts(nothing, "a") && !mg_str_ends(nothing, "a") && !mg_str_has(nothing, "a"));
    EXPECT_EQ(0, mg_str_cmp(nothing, MG_STR("")));
    EXPECT_EQ(0, mg_str_find(nothing, 'a', 0));
    EXPECT_EQ(0, mg_str_trim(nothing).len);
    EXPECT_EQ(0, mg_str_from(nothing, 5).len);
    EXPECT_STR("", mg_str_copy(t->arena, nothing));
    EXPECT_STR("''", mg_strf(t->arena, "'" MG_FMT "'", MG_ARG(nothing)));
}

TEST(comparison_is_by_bytes_and_a_prefix_comes_first)
{
    EXPECT(mg_str_cmp(MG_STR("a"), MG_STR("ab")) < 0);
    EXPECT(mg_str_cmp(MG_STR("ab"), MG_STR("a")) > 0);
    EXPECT(mg_str_cmp(MG_STR("a\xff"), MG_STR("ab")) > 0);
    EXPECT(!mg_str_eq(MG_STR("a\0b"), MG_STR("a\0c")));
    EXPECT(mg_str_is(MG_STR("abc"), "abc") && !mg_str_is(MG_STR("abc\0"), "abc"));
}

TEST(parts_are_found)
{
    const mg_str s = MG_STR("file_contains");
    EXPECT(mg_str_starts(s, "file_") && !mg_str_starts(s, "contains"));
    EXPECT(mg_str_ends(s, "contains") && !mg_str_ends(s, "file_"));
    EXPECT(mg_str_has(s, "_con") && !mg_str_has(s, "conx"));
    EXPECT(!mg_str_starts(MG_STR("ab"), "abc") && !mg_str_ends(MG_STR("bc"), "abc"));
    EXPECT_EQ(4, mg_str_find(s, '_', 0));
    EXPECT_EQ(13, mg_str_find(s, '_', 5));
    EXPECT_EQ(13, mg_str_find(s, 'f', 99));
}

TEST(slices_are_clamped)
{
    EXPECT_STR("c", mg_str_from(MG_STR("abc"), 2));
    EXPECT_STR("", mg_str_from(MG_STR("abc"), 99));
    EXPECT_STR("ab", mg_str_first(MG_STR("abc"), 2));
    EXPECT_STR("abc", mg_str_first(MG_STR("abc"), 99));
}

TEST(trimming_takes_blanks_and_line_ends_off_both_sides)
{
    EXPECT_STR("a b", mg_str_trim(MG_STR(" \t\r\na b\n \r\t")));
    EXPECT_STR("", mg_str_trim(MG_STR(" \n ")));
    EXPECT_STR("\v", mg_str_trim(MG_STR(" \v ")));
}

static mg_str joined(test *t, mg_str text, char sep)
{
    mg_buf buf = mg_buf_new(t->arena, 1000);
    mg_str part;
    while (mg_str_split(&text, sep, &part))
        mg_buf_addf(&buf, "<" MG_FMT ">", MG_ARG(part));
    return mg_buf_str(&buf);
}

TEST(splitting_keeps_empty_parts)
{
    EXPECT_STR("<a><b><c>", joined(t, MG_STR("a/b/c"), '/'));
    EXPECT_STR("<><a><>", joined(t, MG_STR("/a/"), '/'));
    EXPECT_STR("<><>", joined(t, MG_STR("/"), '/'));
    EXPECT_STR("<>", joined(t, MG_STR(""), '/'));
    EXPECT_STR("", joined(t, nothing, '/'));
}

TEST(copies_end_in_nul_and_are_independent)
{
    char raw[] = {'a', '\0', 'b'};
    const mg_str copy = mg_str_copy(t->arena, (mg_str){raw, 3});
    raw[0] = 'x';
    EXPECT_EQ(3, copy.len);
    EXPECT_EQ('a', copy.ptr[0]);
    EXPECT_EQ('b', copy.ptr[2]);
    EXPECT_EQ('\0', copy.ptr[3]);
    EXPECT_EQ(2, strlen(mg_str_cstr(t->arena, MG_STR("ab"))));
}

TEST(formats_of_any_length_are_whole)
{
    for (size_t len = 0; len < 3000; len += 97) {
        char *word = mg_arena_alloc(t->arena, len + 1);
        memset(word, 'x', len);
        const mg_str got = mg_strf(t->arena, "[%s]", word);
        EXPECT_EQ(len + 2, got.len);
        EXPECT_EQ(']', got.ptr[len + 1]);
    }
}

TEST(lists_grow_and_keep_their_order)
{
    mg_strs list = {0};
    for (int i = 0; i < 100; i++)
        mg_strs_add(t->arena, &list, mg_strf(t->arena, "%d", i));
    EXPECT_EQ(100, list.count);
    EXPECT_STR("0", list.items[0]);
    EXPECT_STR("99", list.items[99]);
    EXPECT(mg_strs_has(&list, MG_STR("57")));
    EXPECT(!mg_strs_has(&list, MG_STR("100")));
}
