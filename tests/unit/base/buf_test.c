/* A bounded builder: nothing beyond the maximum, and never a cut text taken for a whole one. */
#include "test.h"

TEST(text_grows_from_pieces)
{
    mg_buf buf = mg_buf_new(t->arena, 1000);
    mg_buf_adds(&buf, "a");
    mg_buf_addc(&buf, 'b');
    mg_buf_add(&buf, MG_STR("cd"));
    mg_buf_fill(&buf, '-', 3);
    mg_buf_addf(&buf, "%d %s", 42, "x");
    EXPECT_STR("abcd---42 x", mg_buf_str(&buf));
    EXPECT_OK(mg_buf_ok(&buf, "it", &t->err));
}

TEST(what_does_not_fit_is_cut_and_marked)
{
    mg_buf buf = mg_buf_new(t->arena, 5);
    mg_buf_adds(&buf, "abc");
    EXPECT(!buf.cut);
    mg_buf_adds(&buf, "defg");
    EXPECT_STR("abcde", mg_buf_str(&buf));
    EXPECT(buf.cut);
    mg_buf_adds(&buf, "h");
    EXPECT_STR("abcde", mg_buf_str(&buf));
    EXPECT_EQ(MG_ERR_LIMIT, mg_buf_ok(&buf, "the report", &t->err));
    EXPECT_ERR_CONTAINS("the report is larger than 5 bytes");
}

TEST(exactly_the_maximum_is_not_cut)
{
    for (size_t max = 0; max < 300; max += 13) {
        mg_buf buf = mg_buf_new(t->arena, max);
        for (size_t i = 0; i < max; i++)
            mg_buf_addc(&buf, 'x');
        EXPECT(!buf.cut);
        EXPECT_EQ(max, mg_buf_str(&buf).len);
        mg_buf_addc(&buf, 'x');
        EXPECT(buf.cut);
        EXPECT_EQ(max, mg_buf_str(&buf).len);
    }
}

TEST(a_fill_beyond_all_bounds_ends_at_the_maximum)
{
    mg_buf buf = mg_buf_new(t->arena, 100);
    mg_buf_adds(&buf, "a");
    mg_buf_fill(&buf, ' ', SIZE_MAX);
    EXPECT_EQ(100, mg_buf_str(&buf).len);
    EXPECT(buf.cut);
}

TEST(a_long_format_is_whole)
{
    char word[701];
    memset(word, 'w', 700);
    word[700] = '\0';
    mg_buf buf = mg_buf_new(t->arena, 10000);
    mg_buf_addf(&buf, "<%s|%s>", word, word);
    EXPECT_EQ(1403, mg_buf_str(&buf).len);
    EXPECT_EQ('>', mg_buf_str(&buf).ptr[1402]);
}

TEST(room_is_given_up_to_the_maximum_and_no_further)
{
    mg_buf buf = mg_buf_new(t->arena, 10);
    size_t room;
    char *to = mg_buf_room(&buf, 4, &room);
    EXPECT_EQ(4, room);
    memset(to, 'a', 4);
    mg_buf_wrote(&buf, 4);
    to = mg_buf_room(&buf, 100, &room);
    EXPECT_EQ(6, room);
    memset(to, 'b', room);
    mg_buf_wrote(&buf, room);
    EXPECT(mg_buf_room(&buf, 1, &room) == NULL);
    EXPECT_EQ(0, room);
    EXPECT_STR("aaaabbbbbb", mg_buf_str(&buf));
}

TEST(a_buffer_may_be_added_to_itself)
{
    mg_buf buf = mg_buf_new(t->arena, 100000);
    mg_buf_adds(&buf, "0123456789");
    for (int i = 0; i < 12; i++) {
        (void)mg_arena_alloc(t->arena, 1); /* so that it cannot grow in place */
        mg_buf_add(&buf, mg_buf_str(&buf));
    }
    EXPECT_EQ(40960, mg_buf_str(&buf).len);
    EXPECT_EQ('9', mg_buf_str(&buf).ptr[40959]);
}

TEST(an_empty_buffer_is_the_empty_text)
{
    mg_buf buf = mg_buf_new(t->arena, 0);
    EXPECT_STR("", mg_buf_str(&buf));
    EXPECT(mg_buf_str(&buf).ptr != NULL);
    mg_buf_add(&buf, (mg_str){0});
    EXPECT(!buf.cut);
}
