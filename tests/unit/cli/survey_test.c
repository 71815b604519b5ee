/* What init writes reads back to the letter, whatever a project calls its things. */
#include "cli/survey.h"
#include "test.h"

#include "data/yaml.h"

static void expect_round_trip(test *t, mg_str text)
{
    mg_buf out = mg_buf_new(t->arena, 1u << 20);
    uint32_t line, column;
    mg_node *node;
    mg_buf_adds(&out, "key: ");
    mg_yaml_scalar(&out, text);
    mg_buf_adds(&out, "\nnext: 1\n");
    EXPECT_OK(mg_yaml_parse(mg_buf_str(&out), &mg_limits_default, t->arena, &node, &line, &column,
                            &t->err));
    const mg_node *got = mg_node_get(node, "key");
    EXPECT(got != NULL && got->type == MG_NODE_TEXT);
    test_expect_str(__FILE__, __LINE__, text, got->text);
}

TEST(every_scalar_reads_back_as_the_same_text)
{
    static const char *const texts[] = {
        "plain",     "npm run test",
        "",          " ",
        "a: b",      "a #b",
        "- x",       "true",
        "null",      "42",
        "0x1f",      "1e3",
        "~",         "'",
        "\"",        "\\",
        "a\\nb",     "\t",
        "\n",        "*a",
        "&a",        "!a",
        "@a",        "%a",
        "[a",        "{a",
        "a]",        "yes",
        "|",         ">",
        "\x7f",      "\xc2\x85",
        "\xc3\xbc",  "\xf0\x9f\x98\x80",
        "trailing ", "a\rb",
        "False",     "x:",
    };
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        expect_round_trip(t, mg_str_of(texts[i]));
    for (int c = 1; c < 128; c++)
        expect_round_trip(t, mg_strf(t->arena, "x%cy", c));
}

static mg_survey survey(test *t)
{
    mg_survey s = {.dir = t->dir_fd, .arena = t->arena};
    mg_survey_project(&s);
    return s;
}

TEST(an_empty_directory_proposes_nothing)
{
    const mg_survey s = survey(t);
    EXPECT_EQ(0, s.found.count);
    EXPECT_EQ(0, s.proposals.count);
}

TEST(scripts_that_judge_are_taken_and_others_are_not)
{
    test_write(
        t, "package.json",
        MG_STR("{\"scripts\": {\"test\": \"jest\", \"test:watch\": \"jest --watch\", "
               "\"start\": \"vite\", \"testimony\": \"x\", \"lint:css\": \"y\", \"n\": 1}}"));
    const mg_survey s = survey(t);
    EXPECT_EQ(2, s.proposals.count);
    EXPECT_CONTAINS(s.proposals.items[0].yaml, "npm run test\n");
    EXPECT_CONTAINS(s.proposals.items[1].yaml, "lint:css");
}

TEST(the_script_that_npm_writes_is_not_live)
{
    test_write(
        t, "package.json",
        MG_STR("{\"scripts\": {\"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"}}"));
    const mg_survey s = survey(t);
    EXPECT_EQ(1, s.proposals.count);
    EXPECT(!s.proposals.items[0].live);
}

TEST(a_makefile_is_read_for_rules_not_for_words)
{
    test_write(t, "Makefile",
               MG_STR("X = test: all\n.PHONY: test\ncheck lint: deps\n\ntest:\n# nothing\n"));
    const mg_survey s = survey(t);
    EXPECT_EQ(2, s.proposals.count);
    EXPECT_CONTAINS(s.proposals.items[0].yaml, "make check");
    EXPECT_CONTAINS(s.proposals.items[1].yaml, "make lint");
}

TEST(rubbish_is_noted_and_left_out)
{
    test_write(t, "package.json", MG_STR("[1, 2"));
    test_mkdir(t, "Makefile");
    const mg_survey s = survey(t);
    EXPECT_EQ(2, s.notes.count);
    EXPECT_EQ(0, s.proposals.count);
    test_write(t, "package.json", MG_STR("[1, 2]"));
    EXPECT_EQ(0, survey(t).proposals.count);
    test_write(t, "package.json", MG_STR("{\"scripts\": null}"));
    EXPECT_EQ(0, survey(t).proposals.count);
}

TEST(what_cannot_fail_is_not_live_and_says_why)
{
    static const char *const scripts[] = {
        "echo no tests yet && exit 0", "jest || true", "true", "exit 0", ":", "", "echo ok",
    };
    for (size_t i = 0; i < MG_COUNT(scripts); i++) {
        test_write(t, "package.json",
                   mg_strf(t->arena, "{\"scripts\": {\"test\": \"%s\"}}", scripts[i]));
        const mg_survey s = survey(t);
        EXPECT_EQ(1, s.proposals.count);
        EXPECT(!s.proposals.items[0].live);
        EXPECT(s.proposals.items[0].why_not.len > 5);
    }
}

TEST(a_recipe_is_judged_line_by_line)
{
    static const struct {
        const char *makefile;
        bool live;
    } cases[] = {
        {"test:\n\t@echo no tests\n", false},
        {"test:\n\t-./run\n", false},
        {"test: ; @echo none\n", false},
        {"test:\n\t@echo a; \\\n\techo b\n", false},
        {"test:\n\t@echo first\n\n\t./run\n", true},
        {"test:\n\t@$(MAKE) -C tests\n", true},
        {"test: ; ./run\n", true},
        {"test: all\n\t@echo done\n", true},
        {"test:\n\t@echo a\n\ntest: more\n", true},
        {"test:\n\tVAR=1 ./run\n", true},
    };
    for (size_t i = 0; i < MG_COUNT(cases); i++) {
        test_write(t, "Makefile", mg_str_of(cases[i].makefile));
        const mg_survey s = survey(t);
        EXPECT_EQ(1, s.proposals.count);
        if (s.proposals.items[0].live != cases[i].live)
            test_fail(__FILE__, __LINE__, "%s", cases[i].makefile);
    }
}

TEST(there_is_an_end_to_what_is_proposed)
{
    mg_buf text = mg_buf_new(t->arena, 1u << 20);
    mg_buf_adds(&text, "{\"scripts\": {\"build\": \"x\"");
    for (int i = 0; i < 10000; i++)
        mg_buf_addf(&text, ", \"test:%d\": \"jest\"", i);
    mg_buf_adds(&text, "}}");
    test_write(t, "package.json", mg_buf_str(&text));
    const mg_survey s = survey(t);
    EXPECT_EQ(MG_PROPOSALS_MAX, s.proposals.count);
    EXPECT_EQ(10001 - MG_PROPOSALS_MAX, s.dropped);
    EXPECT_EQ(1, s.notes.count);
}
