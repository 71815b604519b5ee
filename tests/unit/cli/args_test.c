/* Reading the command line: every spelling, every mistake. */
#include "cli/cli.h"
#include "test.h"

static mg_status parse(test *t, const char *command, mg_cli_args *args, const char *const *argv)
{
    return mg_cli_parse(mg_command_find(mg_str_of(command)), argv, t->arena, args, &t->err);
}

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(every_spelling_of_a_value_is_read)
{
    const char *const *const spellings[] = {
        ARGV("--root", "a b"),
        ARGV("--root=a b"),
        ARGV("-q", "--root", "a b"),
        ARGV("--root=a b", "--"),
    };
    for (size_t i = 0; i < MG_COUNT(spellings); i++) {
        mg_cli_args args;
        EXPECT_OK(parse(t, "check", &args, spellings[i]));
        EXPECT_STR("a b", mg_str_of(mg_cli_text(&args, "root")));
    }
}

TEST(letters_can_be_bundled_and_carry_their_value)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "check", &args, ARGV("-qfx.yaml", "-f", "y.yaml", "-j3")));
    EXPECT(mg_cli_given(&args, "quiet"));
    EXPECT_EQ(2, mg_cli_get(&args, "file")->texts.count);
    EXPECT_STR("x.yaml", mg_cli_get(&args, "file")->texts.items[0]);
    EXPECT_STR("y.yaml", mg_cli_get(&args, "file")->texts.items[1]);
    EXPECT_EQ(3, mg_cli_amount(&args, "jobs"));
}

TEST(durations_are_milliseconds_and_need_a_unit)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "check", &args, ARGV("--wait", "1m30s", "--every=100ms")));
    EXPECT_EQ(90000, mg_cli_amount(&args, "wait"));
    EXPECT_EQ(100, mg_cli_amount(&args, "every"));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "check", &args, ARGV("--wait", "90")));
    EXPECT_ERR_CONTAINS("--wait");
}

TEST(what_was_not_given_is_empty_or_the_default)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "check", &args, ARGV(NULL)));
    EXPECT_STR("text", mg_str_of(mg_cli_text(&args, "format")));
    EXPECT(mg_cli_text(&args, "root") == NULL);
    EXPECT(!mg_cli_given(&args, "quiet"));
    EXPECT_EQ(0, mg_cli_amount(&args, "wait"));
    EXPECT(args.operand.ptr == NULL);
}

TEST(after_two_dashes_everything_is_an_operand)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "init", &args, ARGV("--", "--force")));
    EXPECT_STR("--force", args.operand);
    EXPECT(!mg_cli_given(&args, "force"));
}

TEST(mistakes_are_named_with_what_was_meant)
{
    static const struct {
        const char *word, *value, *says;
    } mistakes[] = {
        {"--waitt=1s", NULL, "did you mean '--wait'?"},
        {"--wai=1s", NULL, "unknown option '--wai'"}, /* names are not abbreviated */
        {"--zzzzzzzz", NULL, "unknown option '--zzzzzzzz'"},
        {"-Z", NULL, "unknown option '-Z'"},
        {"-", NULL, "takes no operand"},
        {"word", NULL, "takes no operand"},
        {"--quiet=1", NULL, "takes no value"},
        {"--only", NULL, "needs its NAME"},
        {"--only=", NULL, "NAME is empty"},
        {"-f", NULL, "needs its FILE"},
        {"--format", "jso", "did you mean 'json'?"},
        {"--jobs", "0", "from 1"},
        {"--jobs", "4294967296", "from 1"},
        {"--jobs", "two", "--jobs"},
        {"--=x", NULL, "unknown option"},
    };
    for (size_t i = 0; i < MG_COUNT(mistakes); i++) {
        mg_cli_args args;
        EXPECT_EQ(MG_ERR_INVALID,
                  parse(t, "check", &args, ARGV(mistakes[i].word, mistakes[i].value)));
        EXPECT_ERR_CONTAINS(mistakes[i].says);
    }
}

TEST(only_repeatable_options_may_stand_twice)
{
    mg_cli_args args;
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "check", &args, ARGV("--root=a", "--root=b")));
    EXPECT_ERR_CONTAINS("twice");
    EXPECT_OK(parse(t, "check", &args, ARGV("-q", "-q"))); /* a flag says the same thing again */
}

TEST(help_ends_the_reading)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "check", &args, ARGV("--help", "--nonsense")));
    EXPECT(mg_cli_given(&args, "help"));
    EXPECT_OK(parse(t, "check", &args, ARGV("-qh", "--nonsense")));
    EXPECT(mg_cli_given(&args, "help"));
}

TEST(counts_and_durations_keep_within_their_bounds)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "check", &args, ARGV("--jobs", "256", "--wait", "0s")));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "check", &args, ARGV("--jobs", "257")));
    EXPECT_ERR_CONTAINS("from 1 to 256");
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "check", &args, ARGV("--deadline", "0s")));
    EXPECT_ERR_CONTAINS("--deadline");
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "check", &args, ARGV("--every", "0")));
}

TEST(options_of_the_command_and_of_every_command_are_kept_apart)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "kinds", &args, ARGV("-q", "--format", "json", "--no-color")));
    EXPECT(mg_cli_given(&args, "quiet") && mg_cli_given(&args, "no-color"));
    EXPECT(!mg_cli_given(&args, "help"));
    EXPECT_STR("json", mg_str_of(mg_cli_text(&args, "format")));
}

TEST(after_two_dashes_stands_what_another_program_is_given)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "drive", &args,
                    ARGV("-q", "--until", "make", "--", "./agent", "", "--", "--help", "-x")));
    EXPECT_EQ(5, args.rest.count);
    EXPECT_STR("./agent", args.rest.items[0]);
    EXPECT_STR("", args.rest.items[1]);
    EXPECT_STR("--", args.rest.items[2]);
    EXPECT_STR("-x", args.rest.items[4]);
    EXPECT(mg_cli_given(&args, "quiet") && !mg_cli_given(&args, "help"));
    EXPECT_OK(parse(t, "drive", &args, ARGV("--")));
    EXPECT_EQ(0, args.rest.count);
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "drive", &args, ARGV("./agent")));
    EXPECT_ERR_CONTAINS("goes after '--'");
}

TEST(two_operands_are_told_apart)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "loop", &args, ARGV("show", "--format=json", "019a")));
    EXPECT_STR("show", args.operand);
    EXPECT_STR("019a", args.second);
    EXPECT_OK(parse(t, "loop", &args, ARGV("list")));
    EXPECT(args.second.ptr == NULL);
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "loop", &args, ARGV("show", "a", "b")));
    EXPECT_ERR_CONTAINS("one ID");
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "loop", &args, ARGV("show", "")));
    EXPECT_EQ(MG_ERR_INVALID, parse(t, "loop", &args, ARGV("shwo")));
    EXPECT_ERR_CONTAINS("did you mean 'show'?");
}

TEST(money_is_a_number_above_0)
{
    mg_cli_args args;
    EXPECT_OK(parse(t, "drive", &args, ARGV("--cost", "2.5")));
    EXPECT(mg_cli_number(&args, "cost") > 2.4 && mg_cli_number(&args, "cost") < 2.6);
    static const char *const bad[] = {"0", "-1", "nan", "inf", "$5", "1,5", ""};
    for (size_t i = 0; i < MG_COUNT(bad); i++)
        EXPECT_EQ(MG_ERR_INVALID, parse(t, "drive", &args, ARGV("--cost", bad[i])));
}
