/* Every format on what the real programs printed, and on their lies. The files are in
 * tests/cases/agents/: those without a story in their name are recordings. */
#include "agent/reader.h"
#include "test.h"

typedef struct example {
    const char *file; /* stdout; NULL: nothing */
    const mg_format *format;
    int64_t exit_code;
    const char *stderr_text; /* or NULL */
    bool resuming;

    mg_terminal terminal;
    bool fatal, limited, errors, resume_failed;
    size_t steps, denials;
    const char *response, *session, *error; /* error: a part of it; NULL: there is none */
    int64_t input, output;                  /* tokens; -1: not known */
} example;

#define DONE   "Done: hello.txt written."
#define CLAUDE "a2520eca-e327-4729-9c26-2f284c576d70"
#define CODEX  "01a1dc98-c5e3-7452-9306-19c28d3b33b6"

static const example examples[] = {
    /* As it should be. */
    {.file = "claude.json",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = DONE,
     .session = CLAUDE,
     .input = 200,
     .output = 40},
    {.file = "claude.stream",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .response = DONE,
     .session = "3393626a-1d9d-4035-bf10-b083f8c5ddc7",
     .input = 200,
     .output = 40},
    {.file = "qwen.json",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .response = DONE,
     .session = "f31b0ae1-a9f6-4ab4-b4d1-28d8d49abe0e",
     .input = 200,
     .output = 40},
    {.file = "codex.jsonl",
     .format = &mg_format_codex,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .response = DONE,
     .session = CODEX,
     .input = 200,
     .output = 40},
    {.file = "gemini.json",
     .format = &mg_format_gemini,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = DONE,
     .session = "d6e7f332-fde9-4754-880f-1028232bde4a",
     .input = 200,
     .output = 40},
    {.file = "gemini.stream",
     .format = &mg_format_gemini,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = DONE,
     .session = "3913c347-dd10-4e7a-ac64-d21784088af0",
     .input = -1},
    {.file = "opencode.jsonl",
     .format = &mg_format_opencode,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .response = DONE,
     .session = "ses_e23668ecfffeks7a0PoMiUSM95",
     .input = 200,
     .output = 40},
    {.file = "pi.jsonl",
     .format = &mg_format_pi,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .response = DONE,
     .session = "01a1dc9a-c01a-708c-80c9-34e7a6052ac0",
     .input = 200,
     .output = 40},
    {.file = "cn.out",
     .format = &mg_format_cn,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = DONE,
     .session = "",
     .input = -1},
    {.file = "lines.jsonl",
     .format = &mg_format_lines,
     .terminal = MG_TERMINAL_MAX_ITERATIONS,
     .steps = 2,
     .denials = 1,
     .response = "I read it.",
     .session = "s-1",
     .input = 10,
     .output = 5},
    {.file = "lines.jsonl",
     .format = &mg_format_text,
     .terminal = MG_TERMINAL_MAX_ITERATIONS,
     .steps = 2,
     .denials = 1,
     .response = "I read it.",
     .session = "s-1",
     .input = 10,
     .output = 5},

    /* Lies. */
    {.file = "claude-401-success.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "Failed to authenticate. API Error: 401 stub error 401",
     .session = "224a0f04-7616-44b2-8965-f2e4a1729ea9",
     .error = "401",
     .input = -1},
    {.file = "claude-500-success.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .response = "API Error: 500 stub error",
     .session = CLAUDE,
     .error = "500",
     .input = -1},
    {.file = "claude-denied-done.jsonl",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .denials = 1,
     .response = DONE,
     .session = CLAUDE,
     .input = 200,
     .output = 40},
    {.file = "qwen-401-success.json",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "[API Error: 401 stub error 401]",
     .session = "1e8ce6e6-f639-4d9f-8584-9071b5e1276d",
     .error = "401",
     .input = -1},
    {.file = "pi.err.jsonl",
     .format = &mg_format_pi,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "01a1dc9b-12b1-7546-9ade-3e8df5e6b833",
     .error = "401 stub error 1",
     .input = -1},
    {.file = "codex-done-without-a-command.jsonl",
     .format = &mg_format_codex,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = DONE,
     .session = CODEX,
     .input = 200,
     .output = 40},
    {.file = "codex-declined.jsonl",
     .format = &mg_format_codex,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .denials = 1,
     .response = "Done.",
     .session = CODEX,
     .input = 200,
     .output = 40},
    {.file = "opencode-rejected.jsonl",
     .format = &mg_format_opencode,
     .terminal = MG_TERMINAL_COMPLETED,
     .steps = 1,
     .denials = 1,
     .response = "Done.",
     .session = "ses_1",
     .input = 100,
     .output = 20},

    {.file = "gemini-401.stream",
     .format = &mg_format_gemini,
     .exit_code = 145,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "05262c47-d903-48e1-8012-71b01e4dbf4d",
     .error = "stub error 401",
     .input = -1},
    {.file = "opencode-401.jsonl",
     .format = &mg_format_opencode,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "ses_e2261960bffejJthQ6eOUhABZO",
     .error = "stub error 401",
     .input = -1},
    {.file = "codex-401.jsonl",
     .format = &mg_format_codex,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "01a1dd98-c743-7222-8e4b-8175d82cd002",
     .error = "401 Unauthorized",
     .input = -1},
    {.file = "codex-429.jsonl",
     .format = &mg_format_codex,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .limited = true,
     .errors = true,
     .response = "",
     .session = "01a1dd98-c9ff-7a71-b4bb-c09bed4b8c30",
     .error = "429",
     .input = -1},
    {.format = &mg_format_cn,
     .exit_code = 1,
     .stderr_text = "{\"status\":\"error\",\"message\":\"401 stub error 401\"}\n",
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "",
     .error = "401 stub error 401",
     .input = -1},

    /* Ends that are none. */
    {.file = "claude-cut-off.stream",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .errors = true,
     .steps = 1,
     .response = "Writing the file.",
     .session = "3393626a-1d9d-4035-bf10-b083f8c5ddc7",
     .error = "without its final result",
     .input = -1},
    {.file = "opencode-cut-off.jsonl",
     .format = &mg_format_opencode,
     .terminal = MG_TERMINAL_COMPLETED,
     .errors = true,
     .response = "",
     .session = "ses_1",
     .error = "without its last step_finish",
     .input = 100,
     .output = 20},
    {.file = NULL,
     .format = &mg_format_codex,
     .terminal = MG_TERMINAL_COMPLETED,
     .errors = true,
     .response = "",
     .session = "",
     .error = "without its turn.completed",
     .input = -1},
    {.file = "claude-max-turns.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .terminal = MG_TERMINAL_MAX_ITERATIONS,
     .response = "",
     .session = CLAUDE,
     .error = "exited",
     .input = 1200,
     .output = 40},
    {.file = "pi-length.jsonl",
     .format = &mg_format_pi,
     .terminal = MG_TERMINAL_MAX_ITERATIONS,
     .response = "Once upon a time",
     .session = "01a1dc9b-12b1-7546-9ade-3e8df5e6b833",
     .input = 900,
     .output = 4096},
    {.format = &mg_format_gemini,
     .exit_code = 53,
     .terminal = MG_TERMINAL_MAX_ITERATIONS,
     .response = "",
     .session = "",
     .error = "exited with 53",
     .input = -1},

    /* Failures that are told elsewhere. */
    {.format = &mg_format_gemini,
     .exit_code = 145,
     .stderr_text =
         "Error when talking to Gemini API\n{\n  \"session_id\": \"s\",\n  \"error\": {\n"
         "    \"type\": \"Error\",\n    \"message\": \"stub error\",\n    \"code\": 401\n"
         "  }\n}\n",
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "s",
     .error = "stub error",
     .input = -1},
    {.format = &mg_format_gemini,
     .exit_code = 41,
     .stderr_text = "Invalid auth method selected.\n",
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "",
     .error = "41",
     .input = -1},
    {.file = "cn-error.out",
     .format = &mg_format_cn,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "401 stub error",
     .session = "",
     .error = "401",
     .input = -1},
    {.format = &mg_format_lines,
     .exit_code = 2,
     .stderr_text = "mg-scripted: 'a.yaml': line 3: a step is one of\n",
     .terminal = MG_TERMINAL_ERROR,
     .fatal = true,
     .errors = true,
     .response = "",
     .session = "",
     .error = "line 3",
     .input = -1},
    {.format = &mg_format_text,
     .exit_code = 3,
     .stderr_text = "first\nerror 401: no\n",
     .terminal = MG_TERMINAL_ERROR,
     .response = "",
     .session = "",
     .error = "it exited with 3: error 401: no",
     .input = -1},

    /* Limits. */
    {.file = "claude-429-success.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .limited = true,
     .errors = true,
     .response = "API Error: Request rejected (429) · stub error 429",
     .session = "837b9d2b-4be9-45ae-992a-15faae30d50e",
     .error = "429",
     .input = -1},
    {.file = "claude-rate-limited.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .limited = true,
     .errors = true,
     .response = "You've hit your limit",
     .session = CLAUDE,
     .error = "limit",
     .input = -1},
    {.file = "claude-limit-allowed.jsonl",
     .format = &mg_format_claude,
     .terminal = MG_TERMINAL_COMPLETED,
     .response = "ok",
     .session = CLAUDE,
     .input = -1},
    {.file = "codex-failed-high-demand.jsonl",
     .format = &mg_format_codex,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .limited = true,
     .errors = true,
     .response = "",
     .session = CODEX,
     .error = "high demand",
     .input = -1},
    {.file = "codex-usage-limit.jsonl",
     .format = &mg_format_codex,
     .exit_code = 1,
     .terminal = MG_TERMINAL_ERROR,
     .limited = true,
     .errors = true,
     .response = "",
     .session = CODEX,
     .error = "usage limit",
     .input = -1},

    /* Conversations that are gone. */
    {.file = "claude-no-conversation.jsonl",
     .format = &mg_format_claude,
     .exit_code = 1,
     .resuming = true,
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = CLAUDE,
     .error = "No conversation",
     .input = -1},
    {.format = &mg_format_codex,
     .exit_code = 1,
     .resuming = true,
     .stderr_text = "Error: thread/resume: thread/resume failed: no rollout found for thread id x "
                    "(code -32600)\n",
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "no rollout found",
     .input = -1},
    {.format = &mg_format_pi,
     .exit_code = 1,
     .resuming = true,
     .stderr_text = "No session found matching 'x'\n",
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "No session found",
     .input = -1},
    {.format = &mg_format_gemini,
     .exit_code = 42,
     .resuming = true,
     .stderr_text = "Error resuming session: No previous sessions found for this project.\n",
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "No previous sessions",
     .input = -1},
    {.format = &mg_format_claude,
     .exit_code = 1,
     .resuming = true,
     .stderr_text = "No saved session found with ID x. Run `qwen --resume` without an ID.\n",
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "No saved session",
     .input = -1},
    {.format = &mg_format_opencode,
     .exit_code = 1,
     .resuming = true,
     .stderr_text = "\033[91m\033[1mError: \033[0mSession not found\n",
     .terminal = MG_TERMINAL_ERROR,
     .errors = true,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "Session not found",
     .input = -1},
    {.format = &mg_format_opencode,
     .exit_code = 1,
     .resuming = true,
     .stderr_text = "what?\n",
     .terminal = MG_TERMINAL_ERROR,
     .resume_failed = true,
     .response = "",
     .session = "",
     .error = "what?",
     .input = -1},
    {.format = &mg_format_opencode,
     .exit_code = 1,
     .resuming = false,
     .stderr_text = "what?\n",
     .terminal = MG_TERMINAL_ERROR,
     .response = "",
     .session = "",
     .error = "what?",
     .input = -1},
};

static mg_str case_text(test *t, const char *file)
{
    if (file == NULL)
        return (mg_str){0};
    const char *dir = getenv("MG_TEST_CASES");
    return test_read(
        t, mg_strf(t->arena, "%s/agents/%s", dir != NULL ? dir : "tests/cases", file).ptr);
}

static mg_agent_end read_pieces(test *t, const mg_format *format, mg_str out, mg_str errors,
                                const mg_read_exit *how, size_t piece)
{
    mg_reader *r = mg_reader_new(format, t->arena);
    mg_agent_end end = {0};
    for (size_t at = 0; at < out.len; at += piece)
        mg_reader_feed(r, 1, mg_str_first(mg_str_from(out, at), piece));
    for (size_t at = 0; at < errors.len; at += piece)
        mg_reader_feed(r, 2, mg_str_first(mg_str_from(errors, at), piece));
    mg_reader_finish(r, how, &end);
    return end;
}

static void expect_example(test *t, const example *e, size_t piece)
{
    const mg_read_exit how = {
        .has_exit = true, .exit_code = e->exit_code, .resuming = e->resuming, .wall_ms = 1000000};
    const mg_agent_end end =
        read_pieces(t, e->format, case_text(t, e->file), mg_str_of(e->stderr_text), &how, piece);
    printf("# %s %s (%zu)\n", e->format->name, e->file != NULL ? e->file : "-", piece);
    (void)fflush(stdout);
    EXPECT_STR(mg_terminal_name(e->terminal), mg_str_of(mg_terminal_name(end.terminal)));
    EXPECT_EQ(e->fatal, end.fatal);
    EXPECT_EQ(e->limited, end.rate_limited);
    EXPECT_EQ(e->errors, end.errors);
    EXPECT_EQ(e->resume_failed, end.resume_failed);
    EXPECT_EQ(e->steps, end.step_count);
    EXPECT_EQ(e->denials, end.denials.count);
    EXPECT_STR(e->response, end.response);
    EXPECT_STR(e->session, end.session);
    EXPECT_EQ(e->input >= 0, end.usage.tokens_known);
    EXPECT_EQ(MG_MAX(e->input, 0), end.usage.input_tokens);
    EXPECT_EQ(e->output, end.usage.output_tokens);
    EXPECT_EQ(e->file == NULL, end.silent);
    if (e->error != NULL)
        EXPECT_CONTAINS(end.error, e->error);
    else
        EXPECT_STR("", end.error);
}

TEST(what_the_programs_printed_is_read_as_what_it_is)
{
    for (size_t i = 0; i < MG_COUNT(examples); i++) {
        expect_example(t, &examples[i], SIZE_MAX / 2);
        expect_example(t, &examples[i], 7);
        expect_example(t, &examples[i], 1);
    }
}

TEST(a_stop_and_a_timeout_are_ours_whatever_was_said)
{
    for (size_t i = 0; i < MG_COUNT(examples); i++) {
        const example *e = &examples[i];
        const mg_str out = case_text(t, e->file), errors = mg_str_of(e->stderr_text);
        mg_read_exit how = {.has_exit = true, .exit_code = 130, .stopped = true, .resuming = true};
        mg_agent_end end = read_pieces(t, e->format, out, errors, &how, 4096);
        EXPECT_EQ(MG_TERMINAL_CANCELLED, end.terminal);
        EXPECT(!end.resume_failed);
        how = (mg_read_exit){.timed_out = true, .stopped = true, .resuming = true};
        end = read_pieces(t, e->format, out, errors, &how, 4096);
        EXPECT_EQ(MG_TERMINAL_TIMEOUT, end.terminal);
        EXPECT(!end.resume_failed);
    }
}

TEST(an_end_that_nobody_saw_is_an_error)
{
    for (size_t i = 0; i < MG_COUNT(examples); i++) {
        const mg_read_exit lost = {0};
        const mg_agent_end end = read_pieces(t, examples[i].format, case_text(t, examples[i].file),
                                             MG_STR(""), &lost, 512);
        EXPECT(end.terminal == MG_TERMINAL_ERROR || end.terminal == MG_TERMINAL_MAX_ITERATIONS);
    }
}

TEST(rubbish_is_passed_over_by_every_format)
{
    const mg_str rubbish = case_text(t, "rubbish.txt");
    const mg_read_exit how = {.has_exit = true};
    for (const mg_format *const *f = mg_formats; *f != NULL; f++)
        for (size_t piece = 1; piece < 40; piece += 6) {
            const mg_agent_end end = read_pieces(t, *f, rubbish, rubbish, &how, piece);
            EXPECT(!end.fatal && !end.rate_limited && !end.silent);
        }
}

TEST(an_event_between_rubbish_is_still_read)
{
    mg_buf out = mg_buf_new(t->arena, 1 << 20);
    mg_buf_add(&out, case_text(t, "rubbish.txt"));
    mg_buf_adds(&out, "\n\n");
    mg_buf_add(&out, case_text(t, "pi.jsonl"));
    const mg_read_exit how = {.has_exit = true};
    const mg_agent_end end =
        read_pieces(t, &mg_format_pi, mg_buf_str(&out), MG_STR(""), &how, 4096);
    EXPECT_EQ(MG_TERMINAL_COMPLETED, end.terminal);
    EXPECT_STR(DONE, end.response);
    EXPECT(!end.errors);
}

TEST(a_document_among_other_words_is_found)
{
    mg_buf out = mg_buf_new(t->arena, 1 << 20);
    mg_buf_adds(&out, "Loaded cached credentials.\n{oops\n");
    mg_buf_add(&out, case_text(t, "gemini.json"));
    mg_buf_adds(&out, "\nbye\n");
    const mg_read_exit how = {.has_exit = true};
    const mg_agent_end end =
        read_pieces(t, &mg_format_gemini, mg_buf_str(&out), MG_STR(""), &how, 100);
    EXPECT_STR(DONE, end.response);
    EXPECT_EQ(200, end.usage.input_tokens);
}

TEST(when_a_limit_ends_is_told)
{
    mg_read_exit how = {.has_exit = true, .exit_code = 1, .wall_ms = 5000};
    mg_agent_end end = read_pieces(t, &mg_format_claude, case_text(t, "claude-rate-limited.jsonl"),
                                   MG_STR(""), &how, 4096);
    EXPECT_EQ(INT64_C(1794730000000), end.reset_ms);
    end = read_pieces(t, &mg_format_codex, case_text(t, "codex-usage-limit.jsonl"), MG_STR(""),
                      &how, 4096);
    EXPECT_EQ(5000 + 200 * 60000, end.reset_ms);
    end = read_pieces(t, &mg_format_codex, case_text(t, "codex-failed-high-demand.jsonl"),
                      MG_STR(""), &how, 4096);
    EXPECT_EQ(0, end.reset_ms);
}

TEST(steps_carry_tool_output_and_exit)
{
    const mg_read_exit how = {.has_exit = true};
    mg_agent_end end = read_pieces(t, &mg_format_claude, case_text(t, "claude-denied-done.jsonl"),
                                   MG_STR(""), &how, 64);
    EXPECT(end.steps_known);
    EXPECT_STR("toolu_1", end.steps[0].id);
    EXPECT_STR("Write", end.steps[0].tool);
    EXPECT(end.steps[0].has_exit);
    EXPECT_EQ(1, end.steps[0].exit_code);
    EXPECT_CONTAINS(end.steps[0].output, "haven't granted it yet");
    EXPECT_STR("Write: /project/hello.txt", end.denials.items[0]);
    end = read_pieces(t, &mg_format_lines, case_text(t, "lines.jsonl"), MG_STR(""), &how, 64);
    EXPECT_STR("shell", end.steps[1].tool);
    EXPECT_EQ(1, end.steps[1].exit_code);
    EXPECT(end.usage.cost_known);
    EXPECT(end.usage.cost_usd > 0.24 && end.usage.cost_usd < 0.26);
    end = read_pieces(t, &mg_format_cn, case_text(t, "cn.out"), MG_STR(""), &how, 64);
    EXPECT(!end.steps_known); /* it tells of none: that is not the same as none */
}

static void feed_many(mg_reader *r, const char *line, size_t times)
{
    for (size_t i = 0; i < times; i++)
        mg_reader_feed(r, 1, mg_str_of(line));
}

TEST(a_line_without_end_is_bounded_and_the_next_one_is_read)
{
    mg_reader *r = mg_reader_new(&mg_format_pi, t->arena);
    mg_agent_end end = {0};
    mg_reader_feed(r, 1,
                   MG_STR("{\"type\":\"session\",\"id\":\"s\"}\n{\"type\":\"agent_end\",\"x\":\""));
    char *block = mg_arena_alloc(t->arena, 1 << 20);
    memset(block, 'x', 1 << 20);
    for (int i = 0; i < 20; i++)
        mg_reader_feed(r, 1, (mg_str){block, 1 << 20});
    mg_reader_feed(r, 1, MG_STR("\"}\n"));
    EXPECT(r->line.cap <= MG_READ_LINE_MAX);
    mg_reader_finish(r, &(mg_read_exit){.has_exit = true}, &end);
    EXPECT_STR("s", end.session);
    EXPECT(!end.errors); /* its beginning says that it was the final event */
}

TEST(more_steps_than_are_kept_are_not_known)
{
    mg_reader *r = mg_reader_new(&mg_format_lines, t->arena);
    mg_agent_end end = {0};
    feed_many(r, "{\"type\":\"step\",\"tool\":\"shell\",\"output\":\"x\",\"exit_code\":0}\n",
              MG_READ_STEPS_MAX + 5);
    mg_reader_finish(r, &(mg_read_exit){.has_exit = true}, &end);
    EXPECT_EQ(MG_READ_STEPS_MAX, end.step_count);
    EXPECT(!end.steps_known);
}

TEST(of_a_long_text_the_end_is_kept_and_marked_as_cut)
{
    mg_reader *r = mg_reader_new(&mg_format_text, t->arena);
    mg_agent_end end = {0};
    feed_many(r, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd\n", 70000);
    mg_reader_feed(r, 1, MG_STR("the last words\n"));
    mg_reader_finish(r, &(mg_read_exit){.has_exit = true}, &end);
    EXPECT(end.response_cut);
    EXPECT(end.response.len <= MG_READ_TEXT_MAX);
    EXPECT(mg_str_ends(end.response, "the last words"));
    EXPECT(!end.steps_known);
}

TEST(a_number_is_a_status_only_where_it_stands_as_one)
{
    EXPECT_EQ(MG_FAILURE_FATAL, mg_failure_of(MG_STR("401 stub error"), 0));
    EXPECT_EQ(MG_FAILURE_FATAL, mg_failure_of(MG_STR("[API Error: 403 no]"), 0));
    EXPECT_EQ(MG_FAILURE_FATAL, mg_failure_of(MG_STR("last status: 401 Unauthorized"), 0));
    EXPECT_EQ(MG_FAILURE_LIMIT, mg_failure_of(MG_STR("HTTP 429"), 0));
    EXPECT_EQ(MG_FAILURE_LIMIT, mg_failure_of(MG_STR("nothing"), 429));
    EXPECT_EQ(MG_FAILURE_FATAL, mg_failure_of(MG_STR("429 insufficient_quota"), 429));
    EXPECT_EQ(MG_FAILURE_OTHER, mg_failure_of(MG_STR("line 401 of main.c"), 0));
    EXPECT_EQ(MG_FAILURE_OTHER, mg_failure_of(MG_STR("error in 14291 files"), 0));
    EXPECT_EQ(MG_FAILURE_OTHER, mg_failure_of(MG_STR(""), 0));
    EXPECT_EQ(20000, mg_failure_wait_ms(MG_STR("Please try again in 20s.")));
    EXPECT_EQ(360500, mg_failure_wait_ms(MG_STR("retry after 6m0.5s")));
    EXPECT_EQ(0, mg_failure_wait_ms(MG_STR("try again in 99999999999999 days")));
    EXPECT_EQ(0, mg_failure_wait_ms(MG_STR("try again in")));
}

TEST(events_that_come_many_times_cost_no_memory)
{
    static const char lines[] = "{\"type\":\"error\",\"message\":\"no 1\",\"session\":\"a\"}\n"
                                "{\"type\":\"error\",\"message\":\"no 2\",\"session\":\"b\"}\n"
                                "{\"type\":\"denied\",\"text\":\"one\"}\n"
                                "{\"type\":\"text\",\"text\":\"words\"}\n";
    for (const mg_format *const *f = mg_formats; *f != NULL; f++) {
        MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
        mg_reader *r = mg_reader_new(*f, arena);
        feed_many(r, lines, 10);
        const char *before = mg_arena_alloc(arena, 1);
        feed_many(r, lines, 2000);
        const char *after = mg_arena_alloc(arena, 1);
        /* From one block of the arena: nothing was taken in between but what is written over. */
        if (*f != &mg_format_text && !(*f)->document)
            EXPECT(after > before && after - before < 4096);
    }
}
