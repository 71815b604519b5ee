/* What an attempt is told, and that it stays within its bound. */
#include "judge/prompt.h"

#include "check/check.h"
#include "data/text.h"
#include "test.h"

static const mg_goal *goal_of(test *t, const char *yaml)
{
    const mg_goal *goal = NULL;
    mg_problems problems = {0};
    EXPECT_OK(mg_goal_read(mg_str_of(yaml), MG_STR("makegood.yaml"), mg_check_kinds,
                           &mg_limits_default, t->arena, &goal, &problems));
    return goal;
}

static const char green[] = "version: 1\n"
                            "goal: Change the background to dark green.\n"
                            "assert:\n"
                            "  - file_contains: {path: style.css, pattern: darkgreen}\n"
                            "  - {file_exists: index.html, name: the page}\n"
                            "invariant:\n"
                            "  - command_returns: {run: make lint}\n";

static mg_attempt attempt_with(test *t, uint32_t number, const char *headline, const char *body)
{
    const mg_str first = mg_str_copy(t->arena, mg_str_of(headline));
    return (mg_attempt){
        .number = number,
        .gap = {"other", first, mg_strf(t->arena, "%s\n%s", headline, body)},
    };
}

static mg_str prompt(const mg_goal *goal, const mg_attempt *attempts, size_t count,
                     mg_context_mode mode, mg_arena *arena)
{
    const mg_prompt_facts facts = {
        .goal = goal, .attempts = attempts, .attempt_count = count, .mode = mode};
    return mg_prompt_make(&facts, arena);
}

static size_t place(mg_str text, const char *part)
{
    const char *at = memmem(text.ptr, text.len, part, strlen(part));
    if (at == NULL)
        test_fail(__FILE__, __LINE__, "expected '%s' in:\n" MG_FMT, part, MG_ARG(text));
    return (size_t)(at - text.ptr);
}

TEST(attempt_1_is_told_the_goal_the_entries_and_the_protected_paths)
{
    mg_strs protect = {0};
    mg_strs_add(t->arena, &protect, MG_STR("tests/**"));
    const mg_prompt_facts facts = {.goal = goal_of(t, green), .protect = &protect};
    const mg_str text = mg_prompt_make(&facts, t->arena);
    EXPECT(mg_str_starts(text, "Change the background to dark green.\n"));
    EXPECT_CONTAINS(text, "What you say about your work is not evidence");
    EXPECT_CONTAINS(text, "- file_contains style.css");
    EXPECT_CONTAINS(text, "- the page\n");
    EXPECT(place(text, "must keep holding:") < place(text, "make lint"));
    EXPECT_CONTAINS(text, "- tests/**\n");
}

TEST(without_a_goal_text_the_command_is_the_goal)
{
    const mg_goal *one = goal_of(t, "version: 1\nassert:\n  - command_returns: make test\n");
    EXPECT(mg_str_starts(prompt(one, NULL, 0, MG_CONTEXT_HISTORY, t->arena),
                         "Make this command succeed:\n\n    make test\n"));
    const mg_goal *two = goal_of(t, "version: 1\nassert:\n"
                                    "  - command_returns: [grep, -q, green, a.css]\n"
                                    "  - command_returns: {run: ./x, exit_code: 3}\n");
    const mg_str text = prompt(two, NULL, 0, MG_CONTEXT_HISTORY, t->arena);
    EXPECT_CONTAINS(text, "Make these commands succeed");
    EXPECT_CONTAINS(text, "    grep -q green a.css\n");
    EXPECT_CONTAINS(text, "    ./x\n(it has to end with exit code 3)");
    const mg_goal *file = goal_of(t, "version: 1\nassert:\n  - file_exists: a\n");
    EXPECT_CONTAINS(prompt(file, NULL, 0, MG_CONTEXT_HISTORY, t->arena), "- file_exists a");
}

TEST(the_mode_says_how_much_is_told_again)
{
    const mg_goal *goal = goal_of(t, green);
    const mg_attempt attempts[] = {attempt_with(t, 1, "first gap", "one"),
                                   attempt_with(t, 2, "second gap", "two")};
    const mg_str resume = prompt(goal, attempts, 2, MG_CONTEXT_RESUME, t->arena);
    EXPECT(mg_str_starts(resume, "second gap\ntwo\n"));
    EXPECT(!mg_str_has(resume, "dark green") && !mg_str_has(resume, "first gap"));
    const mg_str none = prompt(goal, attempts, 2, MG_CONTEXT_NONE, t->arena);
    EXPECT(place(none, "dark green") < place(none, "Attempt 2"));
    EXPECT_CONTAINS(none, "second gap\ntwo");
    EXPECT(!mg_str_has(none, "first gap"));
    const mg_str history = prompt(goal, attempts, 2, MG_CONTEXT_HISTORY, t->arena);
    EXPECT(place(history, "dark green") < place(history, "- Attempt 1: first gap\n  one\n"));
    EXPECT(place(history, "Attempt 1") < place(history, "- Attempt 2: second gap\n  two\n"));
    EXPECT(place(history, "  two") < place(history, "different approach"));
}

TEST(older_attempts_have_60_characters_of_their_headline_and_their_true_number) /* A76, A78 */
{
    const mg_attempt attempts[] = {
        attempt_with(t, 3, "äöü 6789 0123456789 0123456789 0123456789 0123456789 0123456      tail",
                     "secret body three"),
        attempt_with(t, 4, "short one", "secret body four"),
        attempt_with(t, 6, "six", "body six"),
        attempt_with(t, 7, "seven", "body seven"),
    };
    const mg_str text = prompt(goal_of(t, green), attempts, 4, MG_CONTEXT_HISTORY, t->arena);
    EXPECT_CONTAINS(text, "- Attempt 3: äöü 6789 0123456789 0123456789 0123456789 0123456789 "
                          "0123456...\n");
    EXPECT_CONTAINS(text, "- Attempt 4: short one\n");
    EXPECT_CONTAINS(text, "- Attempt 6: six\n  body six\n");
    EXPECT_CONTAINS(text, "- Attempt 7: seven\n  body seven\n");
    EXPECT(!mg_str_has(text, "secret body"));
}

TEST(a_headline_of_exactly_60_characters_is_whole)
{
    static const char sixty[] = "012345678901234567890123456789012345678901234567890123456789";
    const mg_attempt attempts[] = {attempt_with(t, 1, sixty, "b"), attempt_with(t, 2, "x", "b"),
                                   attempt_with(t, 3, "y", "b")};
    const mg_str text = prompt(goal_of(t, green), attempts, 3, MG_CONTEXT_HISTORY, t->arena);
    EXPECT_CONTAINS(text, mg_strf(t->arena, "- Attempt 1: %s\n", sixty).ptr);
}

TEST(an_attempt_that_left_no_gap_is_not_told_of)
{
    const mg_attempt attempts[] = {attempt_with(t, 1, "one", "body one"),
                                   {.number = 2},
                                   attempt_with(t, 3, "three", "body three"),
                                   {.number = 4}};
    const mg_str text = prompt(goal_of(t, green), attempts, 4, MG_CONTEXT_HISTORY, t->arena);
    EXPECT_CONTAINS(text, "body one");
    EXPECT_CONTAINS(text, "- Attempt 3: three\n  body three");
    EXPECT(!mg_str_has(text, "Attempt 2") && !mg_str_has(text, "Attempt 4"));
    const mg_attempt limited[] = {{.number = 1}};
    EXPECT(mg_str_starts(prompt(goal_of(t, green), limited, 1, MG_CONTEXT_RESUME, t->arena),
                         "Change the background"));
}

TEST(a_history_without_end_is_bounded_and_says_what_it_left_out)
{
    enum { COUNT = 3000 };
    mg_attempt *attempts = mg_new_array(t->arena, mg_attempt, COUNT);
    char *body = mg_arena_alloc(t->arena, 9001);
    memset(body, 'b', 9000);
    for (uint32_t i = 0; i < COUNT; i++)
        attempts[i] = attempt_with(t, i + 1, "a headline of some forty characters or so", body);
    const mg_str text = prompt(goal_of(t, green), attempts, COUNT, MG_CONTEXT_HISTORY, t->arena);
    EXPECT(text.len <= MG_PROMPT_BYTES);
    EXPECT(text.len > MG_PROMPT_BYTES * 9 / 10);
    EXPECT_CONTAINS(text, "older attempts left out)");
    EXPECT(!mg_str_has(text, "- Attempt 1:"));
    EXPECT(place(text, "- Attempt 2998: a headline") < place(text, "- Attempt 2999: a headline"));
    EXPECT_CONTAINS(text, "- Attempt 3000: a headline of some forty characters or so\n  bbb");
    EXPECT(mg_str_starts(text, "Change the background"));
    EXPECT(mg_str_ends(text, "already holds.\n"));
}

TEST(the_last_gap_is_there_however_large_everything_is)
{
    mg_goal goal = *goal_of(t, green);
    char *huge = mg_arena_alloc(t->arena, 300001);
    for (size_t i = 0; i < 300000; i += 3)
        memcpy(huge + i, "日", 3);
    goal.goal = mg_str_of(huge);
    const mg_attempt attempts[] = {attempt_with(t, 1, "one", huge),
                                   attempt_with(t, 2, "two", huge)};
    for (int mode = MG_CONTEXT_HISTORY; mode <= MG_CONTEXT_NONE; mode++) {
        const mg_str text = prompt(&goal, attempts, 2, (mg_context_mode)mode, t->arena);
        EXPECT(text.len <= MG_PROMPT_BYTES);
        EXPECT(mg_utf8_valid(text));
        EXPECT_CONTAINS(text, "two\n");
        EXPECT(mg_str_ends(text, "already holds.\n"));
    }
}

TEST(many_entries_and_globs_are_counted_where_they_do_not_fit)
{
    mg_buf yaml = mg_buf_new(t->arena, 1u << 20);
    mg_strs protect = {0};
    mg_buf_adds(&yaml, "version: 1\ngoal: g\nassert:\n");
    for (size_t i = 0; i < 900; i++) {
        mg_buf_addf(&yaml, "  - file_exists: file%zu\n", i);
        mg_strs_add(t->arena, &protect, mg_strf(t->arena, "protected/%zu/**", i));
    }
    const mg_prompt_facts facts = {.goal = goal_of(t, mg_str_cstr(t->arena, mg_buf_str(&yaml))),
                                   .protect = &protect};
    const mg_str text = mg_prompt_make(&facts, t->arena);
    EXPECT(text.len < 12000);
    EXPECT_CONTAINS(text, "- and ");
}
