/* emit.c - prints a made-up report in a format, for outside readers to judge.
 *
 *     emit FORMAT SAMPLE [color] [quiet] [WIDTH]      FORMAT may also be markdown
 *     emit --samples                                  the samples' names, "met" behind one
 */
#include "report/samples.h"

#include "base/limits.h"
#include "data/text.h"

static int list(mg_arena *arena)
{
    for (size_t i = 0; i < MG_COUNT(samples); i++) {
        const mg_report report = samples[i].make(arena);
        printf("%s %s %zu\n", samples[i].name, mg_verdict_name(mg_report_verdict(&report)),
               report.result_count);
    }
    return 0;
}

static const sample *find(const char *name)
{
    for (size_t i = 0; i < MG_COUNT(samples); i++) {
        if (strcmp(samples[i].name, name) == 0)
            return &samples[i];
    }
    return NULL;
}

static mg_report_style style_of(int argc, char **argv)
{
    mg_report_style style = {.version = "0.0.0"};
    for (int i = 3; i < argc; i++) {
        int64_t width;
        style.color = style.color || strcmp(argv[i], "color") == 0;
        style.quiet = style.quiet || strcmp(argv[i], "quiet") == 0;
        if (mg_parse_int(mg_str_of(argv[i]), &width, NULL) == MG_OK && width >= 0)
            style.width = (unsigned)width;
    }
    return style;
}

int main(int argc, char **argv)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    if (argc == 2 && strcmp(argv[1], "--samples") == 0)
        return list(arena);
    const sample *s = argc >= 3 ? find(argv[2]) : NULL;
    const mg_reporter *reporter = argc >= 3 ? mg_reporter_find(argv[1]) : NULL;
    const bool markdown = argc >= 3 && strcmp(argv[1], "markdown") == 0;
    if (s == NULL || (reporter == NULL && !markdown)) {
        fprintf(stderr, "usage: emit FORMAT SAMPLE [color] [quiet] [WIDTH] | --samples\n");
        return 2;
    }
    const mg_report report = s->make(arena);
    const mg_report_style style = style_of(argc, argv);
    mg_buf out = mg_buf_new(arena, mg_limits_default.report_bytes);
    if (markdown)
        mg_report_markdown(&report, arena, &out);
    else
        reporter->write(&report, &style, arena, &out);
    fwrite(out.ptr, 1, out.len, stdout);
    return out.cut || fflush(stdout) != 0;
}
