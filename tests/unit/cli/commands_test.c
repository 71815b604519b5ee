/* The command table: complete, without contradictions, and shown as it is. */
#include "cli/cli.h"
#include "test.h"

#include "data/text.h"
#include "report/report.h"

static bool is_sentence_part(const char *text)
{
    return text != NULL && text[0] != '\0' && strchr(text, '\n') == NULL;
}

static void check_options(const mg_option *options, const mg_option *others)
{
    for (const mg_option *o = options; o->name != NULL; o++) {
        EXPECT(is_sentence_part(o->help));
        EXPECT((o->type == MG_CLI_FLAG) == (o->value == NULL));
        EXPECT((o->type == MG_CLI_CHOICE) == (o->choices != NULL));
        for (const mg_option *p = o + 1; p->name != NULL; p++)
            EXPECT(strcmp(o->name, p->name) != 0 && (o->letter == 0 || o->letter != p->letter));
        for (const mg_option *p = others; p->name != NULL; p++)
            EXPECT(strcmp(o->name, p->name) != 0 && (o->letter == 0 || o->letter != p->letter));
    }
}

TEST(every_row_is_complete_and_every_name_stands_once)
{
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        EXPECT(is_sentence_part(c->summary) && is_sentence_part(c->description));
        EXPECT(c->run != NULL && c->options != NULL && c->examples != NULL);
        EXPECT(c->examples[0].line != NULL && c->exit_codes[0].meaning != NULL);
        EXPECT(mg_command_find(mg_str_of(c->name)) == c);
        check_options(c->options, mg_common_options);
        for (const mg_example *e = c->examples; e->line != NULL; e++)
            EXPECT_CONTAINS(mg_str_of(e->line), c->name);
    }
}

TEST(every_command_has_the_common_options_and_a_format)
{
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_cli_args args;
        const char *const argv[] = {"--format=text", "--quiet", "--no-color", NULL};
        EXPECT_OK(mg_cli_parse(c, argv, t->arena, &args, &t->err));
    }
}

TEST(check_offers_every_reporter)
{
    for (size_t i = 0; mg_reporters[i] != NULL; i++) {
        mg_cli_args args;
        const char *const argv[] = {"--format", mg_reporters[i]->name, NULL};
        EXPECT_OK(mg_cli_parse(mg_command_find(MG_STR("check")), argv, t->arena, &args, &t->err));
    }
}

TEST(help_names_everything_and_fits_a_terminal)
{
    for (const mg_command *c = mg_commands; c->name != NULL; c++) {
        mg_buf out = mg_buf_new(t->arena, 1u << 20);
        mg_help_command(c, t->arena, &out);
        for (const mg_option *o = c->options; o->name != NULL; o++)
            EXPECT_CONTAINS(mg_buf_str(&out), mg_strf(t->arena, "--%s", o->name).ptr);
        mg_str rest = mg_buf_str(&out), line;
        while (mg_str_split(&rest, '\n', &line))
            EXPECT(mg_utf8_columns(line) <= 80);
    }
}

TEST(wrapping_breaks_at_blanks_only)
{
    mg_buf out = mg_buf_new(t->arena, 1000);
    mg_wrap(&out, MG_STR("one two three averyveryverylongword x"), 2, 11);
    EXPECT_STR("  one two\n  three\n  averyveryverylongword\n  x\n", mg_buf_str(&out));
}
