/* Sentences about what went wrong: whole, or visibly cut. */
#include "test.h"

#include <errno.h>

TEST(a_failure_carries_code_and_sentence)
{
    EXPECT_EQ(MG_ERR_LIMIT, mg_fail(&t->err, MG_ERR_LIMIT, "%d is more than %d", 3, 2));
    EXPECT_EQ(MG_ERR_LIMIT, t->err.code);
    EXPECT_STR("3 is more than 2", mg_str_of(t->err.text));
}

TEST(nobody_has_to_read_it)
{
    errno = ENOENT;
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_fail_errno(NULL, "x"));
    EXPECT_EQ(MG_ERR_DENIED, mg_fail(NULL, MG_ERR_DENIED, "x"));
    EXPECT_EQ(MG_ERR_DENIED, mg_context(NULL, MG_ERR_DENIED, "y"));
}

TEST(context_goes_in_front)
{
    (void)mg_fail(&t->err, MG_ERR_INVALID, "unknown key 'fiel'");
    EXPECT_EQ(MG_ERR_INVALID, mg_context(&t->err, MG_ERR_INVALID, "line %d", 3));
    (void)mg_context(&t->err, MG_ERR_INVALID, "goal file '%s'", "a.yaml");
    EXPECT_STR("goal file 'a.yaml': line 3: unknown key 'fiel'", mg_str_of(t->err.text));
}

TEST(context_leaves_success_alone)
{
    EXPECT_EQ(MG_OK, mg_context(&t->err, MG_OK, "goal file"));
    EXPECT_STR("", mg_str_of(t->err.text));
}

static const char *long_word(test *t, const char *unit, size_t times)
{
    mg_buf buf = mg_buf_new(t->arena, 1u << 20);
    for (size_t i = 0; i < times; i++)
        mg_buf_adds(&buf, unit);
    return mg_str_cstr(t->arena, mg_buf_str(&buf));
}

TEST(a_cut_sentence_ends_in_dots)
{
    const char *word = long_word(t, "w", 2000);
    (void)mg_fail(&t->err, MG_ERR_INVALID, "%s", word);
    EXPECT_EQ(MG_ERR_TEXT_MAX - 1, strlen(t->err.text));
    EXPECT(mg_str_ends(mg_str_of(t->err.text), "www..."));

    (void)mg_fail(&t->err, MG_ERR_INVALID, "inner");
    (void)mg_context(&t->err, MG_ERR_INVALID, "%s", word);
    EXPECT(mg_str_ends(mg_str_of(t->err.text), "www..."));

    errno = ENOENT;
    (void)mg_fail_errno(&t->err, "%s", word);
    EXPECT(mg_str_ends(mg_str_of(t->err.text), "www..."));

    /* The sentence fits, the reason does not. */
    (void)mg_fail(&t->err, MG_ERR_INVALID, "%.1000s", word);
    (void)mg_context(&t->err, MG_ERR_INVALID, "a circumstance of some length");
    EXPECT_EQ(MG_ERR_TEXT_MAX - 1, strlen(t->err.text));
    EXPECT(mg_str_ends(mg_str_of(t->err.text), "www..."));
}

TEST(the_longest_sentence_that_fits_is_not_marked)
{
    (void)mg_fail(&t->err, MG_ERR_INVALID, "%s", long_word(t, "w", MG_ERR_TEXT_MAX - 1));
    EXPECT_EQ(MG_ERR_TEXT_MAX - 1, strlen(t->err.text));
    EXPECT(mg_str_ends(mg_str_of(t->err.text), "www"));
}

TEST(a_cut_does_not_split_a_character)
{
    for (size_t shift = 0; shift < 4; shift++) {
        (void)mg_fail(&t->err, MG_ERR_INVALID, "%.*s%s", (int)shift, "xyz",
                      long_word(t, "\xf0\x9f\x98\x80", 400));
        mg_str text = mg_str_of(t->err.text);
        EXPECT(mg_str_ends(text, "..."));
        EXPECT_EQ(0, (text.len - 3 - shift) % 4);
    }
}

TEST(errno_chooses_the_code)
{
    static const struct {
        int error;
        mg_status code;
    } table[] = {
        {ENOENT, MG_ERR_NOT_FOUND}, {ENOTDIR, MG_ERR_NOT_FOUND},  {EACCES, MG_ERR_DENIED},
        {EPERM, MG_ERR_DENIED},     {EXDEV, MG_ERR_DENIED},       {ELOOP, MG_ERR_DENIED},
        {EMFILE, MG_ERR_LIMIT},     {ENAMETOOLONG, MG_ERR_LIMIT}, {ETIMEDOUT, MG_ERR_TIMEOUT},
        {EINVAL, MG_ERR_INVALID},   {EIO, MG_ERR_SYSTEM},         {0, MG_ERR_SYSTEM},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++) {
        errno = table[i].error;
        EXPECT_EQ(table[i].code, mg_fail_errno(&t->err, "'x'"));
        EXPECT_EQ(table[i].code, t->err.code);
    }
    for (int error = -1; error < 200; error++) /* no errno value reads as success */
        EXPECT(mg_status_of_errno(error) != MG_OK);
}

TEST(leaving_the_root_is_said_in_plain_words)
{
    errno = EXDEV;
    (void)mg_fail_errno(&t->err, "'../x'");
    EXPECT_CONTAINS(mg_str_of(t->err.text), "'../x': ");
    EXPECT_ERR_CONTAINS("it leads outside the root");
}
