/* From what was asked to a plan: nothing lost, nothing left out in silence. */
#include "cli/drive_plan.h"
#include "test.h"

#include "data/glob.h"
#include "data/hash.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static mg_strs list_of(test *t, const char *const *words)
{
    mg_strs list = {0};
    for (; *words != NULL; words++)
        mg_strs_add(t->arena, &list, mg_str_of(*words));
    return list;
}

#define LIST(...) list_of(t, (const char *const[]){__VA_ARGS__, NULL})

static mg_cli cli_of(test *t)
{
    const char *libexec = getenv("MAKEGOOD_LIBEXEC"); /* where the build has mg-supervise */
    const char **environ_of = mg_new_array(t->arena, const char *, 3);
    environ_of[0] = "PATH=/usr/bin:/bin";
    environ_of[1] = mg_strf(t->arena, "MAKEGOOD_LIBEXEC=%s", libexec != NULL ? libexec : "").ptr;
    return (mg_cli){.arena = t->arena, .clock = &mg_clock_system, .environ = environ_of, .err = 2};
}

/* A plan of a goal file in t->dir, with `true` as the agent unless ask has one. */
static mg_status plan(test *t, const char *goal, mg_drive_ask ask, mg_drive_plan **out,
                      mg_str *complaint)
{
    static mg_cli cli;
    cli = cli_of(t);
    mg_buf buf = mg_buf_new(t->arena, 10000);
    const mg_str text = mg_str_of(goal);
    ask.file = MG_STR("makegood.yaml");
    ask.file_bytes = text.len;
    ask.cwd = mg_str_of(t->dir);
    ask.directory = mg_strf(t->arena, "%s/", t->dir);
    const mg_status s = mg_drive_plan_make(&cli, &ask, text, out, &buf);
    *complaint = mg_buf_str(&buf);
    return s;
}

TEST(a_request_comes_back_as_it_was)
{
    const mg_drive_ask ask = {
        .file = MG_STR("a \"b\"\n\xff.yaml"),
        .file_path = MG_STR("/x/\\x41\\"),
        .file_bytes = 77,
        .directory = MG_STR("/x/"),
        .root = MG_STR("/r"),
        .cwd = MG_STR("/c"),
        .preset = MG_STR("claude"),
        .words = LIST("", "--model", "a b", "\x01\x80"),
        .attempts = 3,
        .time_ms = 90000,
        .tokens = 4000000000,
        .cost_usd = 2.5,
        .attempt_timeout_ms = 1,
    };
    mg_drive_ask got;
    EXPECT_OK(mg_drive_ask_read(mg_drive_ask_json(&ask, t->arena), t->arena, &got, &t->err));
    EXPECT_STR("a \"b\"\n\xff.yaml", got.file);
    EXPECT_STR("/x/\\x41\\", got.file_path);
    EXPECT_STR("/r", got.root);
    EXPECT_STR("/c", got.cwd);
    EXPECT_STR("claude", got.preset);
    EXPECT_EQ(4, got.words.count);
    EXPECT_STR("", got.words.items[0]);
    EXPECT_STR("\x01\x80", got.words.items[3]);
    EXPECT_EQ(77, got.file_bytes);
    EXPECT_EQ(3, got.attempts);
    EXPECT_EQ(4000000000, got.tokens);
    EXPECT(got.cost_usd > 2.4 && got.cost_usd < 2.6);
}

TEST(a_request_that_is_not_ours_is_refused)
{
    const mg_drive_ask ask = {0};
    const mg_str good = mg_drive_ask_json(&ask, t->arena);
    mg_drive_ask got;
    EXPECT_OK(mg_drive_ask_read(good, t->arena, &got, &t->err));
    for (size_t len = 0; len < good.len; len++)
        EXPECT(mg_drive_ask_read(mg_str_first(good, len), t->arena, &got, &t->err) != MG_OK);
    static const char *const bad[] = {"null", "[]", "{}", "{\"goal_file\": 1}"};
    for (size_t i = 0; i < MG_COUNT(bad); i++)
        EXPECT(mg_drive_ask_read(mg_str_of(bad[i]), t->arena, &got, &t->err) != MG_OK);
}

TEST(a_file_alone_is_frozen_as_it_is)
{
    const mg_str text = MG_STR("goal: x\nassert: [{file_exists: a}]\n");
    const mg_strs none = {0};
    EXPECT_STR(text.ptr, mg_drive_freeze(text, true, (mg_str){0}, &none, t->arena));
}

TEST(commands_alone_are_a_goal_with_an_optional_effect)
{
    const mg_strs until = LIST("make test", "echo \"a\tb\" | grep 'x'");
    const mg_str frozen = mg_drive_freeze((mg_str){0}, false, (mg_str){0}, &until, t->arena);
    mg_buf complaint = mg_buf_new(t->arena, 1000);
    mg_goal goal;
    EXPECT_EQ(MG_OK, mg_drive_thaw(frozen, 0, MG_STR(""), t->arena, &goal, &complaint));
    EXPECT_EQ(2, goal.entries.count);
    EXPECT_STR("echo \"a\tb\" | grep 'x'", mg_arg_text(goal.entries.items[1]->args, "run"));
    EXPECT_STR("optional", mg_arg_text(goal.settings, "effect"));
    EXPECT_EQ(0, goal.entries.items[0]->line);
}

TEST(commands_are_added_behind_the_assertions_of_the_file)
{
    const mg_str text = MG_STR("goal: x\nassert:\n  - file_exists: a\ninvariant:\n"
                               "  - file_exists: b\n");
    const mg_strs until = LIST("make test");
    const mg_str frozen = mg_drive_freeze(text, true, MG_STR("do y"), &until, t->arena);
    mg_buf complaint = mg_buf_new(t->arena, 1000);
    mg_goal goal;
    EXPECT_EQ(MG_OK,
              mg_drive_thaw(frozen, text.len, MG_STR("g.yaml"), t->arena, &goal, &complaint));
    EXPECT_EQ(3, goal.entries.count);
    EXPECT_EQ(2, goal.assert_count);
    EXPECT_EQ(3, goal.entries.items[0]->line);
    EXPECT_STR("command_returns", mg_str_of(mg_entry_kind_name(goal.entries.items[1])));
    EXPECT(goal.entries.items[2]->invariant && !goal.entries.items[1]->invariant);
    EXPECT_STR("do y", goal.goal);
    EXPECT_STR("required", mg_arg_text(goal.settings, "effect")); /* as the file has it */
}

/* A stored text that was cut or joined elsewhere must not become a weaker goal. */
TEST(a_frozen_text_is_not_read_in_other_pieces)
{
    const mg_str text = MG_STR("assert:\n  - file_exists: a\n  - file_exists: b\n");
    const mg_strs until = LIST("make test");
    const mg_str frozen = mg_drive_freeze(text, true, (mg_str){0}, &until, t->arena);
    for (size_t bytes = 0; bytes <= frozen.len + 3; bytes++) {
        mg_buf complaint = mg_buf_new(t->arena, 1000);
        mg_goal goal;
        if (bytes != text.len)
            EXPECT(mg_drive_thaw(frozen, bytes, MG_STR("g"), t->arena, &goal, &complaint) != MG_OK);
    }
}

static const char good_goal[] = "assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\n";

TEST(a_plan_has_everything_that_driving_needs)
{
    mg_drive_plan *p;
    mg_str complaint;
    EXPECT_EQ(MG_OK, plan(t, good_goal, (mg_drive_ask){0}, &p, &complaint));
    EXPECT_EQ(5, p->options.budget.attempts);
    EXPECT_EQ(3600000, p->options.budget.time_ms);
    EXPECT_EQ(3, p->options.budget.stagnation);
    EXPECT_EQ(1200000, p->options.attempt_timeout_ms);
    EXPECT_EQ(5000, p->options.drain_ms);
    EXPECT(p->options.effect_required && p->options.watch);
    EXPECT_EQ(100, p->options.watch_settle_ms);
    EXPECT(p->options.agent != NULL && p->options.world == &p->world);
    EXPECT_EQ(MG_CONTEXT_HISTORY, p->options.context);
    EXPECT_STR(mg_sha256_hex(t->arena, p->pursuit.frozen).ptr, p->pursuit.frozen_sha256);
    EXPECT(mg_str_has(p->pursuit.scope, ":") && p->pursuit.user.len > 0);
    EXPECT(p->pursuit.root.ptr[0] == '/' && !p->pursuit.verified);
}

TEST(what_was_typed_wins_over_the_file)
{
    mg_drive_plan *p;
    mg_str complaint;
    const mg_drive_ask ask = {.attempts = 2,
                              .time_ms = 1000,
                              .tokens = 10,
                              .cost_usd = 0.5,
                              .attempt_timeout_ms = 7,
                              .words = LIST("/bin/sh", "-c", "exit")};
    EXPECT_EQ(MG_OK, plan(t,
                          "assert: [{file_exists: a}]\nagent: {preset: claude}\n"
                          "budget: {attempts: 9, time: 2h, tokens: 99, cost_usd: 9}\n",
                          ask, &p, &complaint));
    EXPECT_EQ(2, p->options.budget.attempts);
    EXPECT_EQ(1000, p->options.budget.time_ms);
    EXPECT_EQ(10, p->options.budget.tokens);
    EXPECT(p->options.budget.cost_usd < 0.6);
    EXPECT_EQ(7, p->options.attempt_timeout_ms);
    EXPECT(!mg_str_is(p->pursuit.agent, "claude"));
}

TEST(what_is_not_there_is_refused_with_a_sentence)
{
    static const struct {
        const char *goal, *says;
    } cases[] = {
        {"assert: [{file_exists: a}]\n", "nobody is named who does the work"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nhide: [x]\n",
         "line 3: 'hide:'"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nsandbox: true\n",
         "'sandbox:'"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nsandbox: {network: false}\n",
         "'sandbox:'"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\njudge: {when: always}\n",
         "judge.when"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true], context: resume}\n",
         "cannot go on with a conversation"},
        {"assert: [{file_exists: a}]\nagent: {command: [/no/such/program]}\n", "/no/such/program"},
        {"assert: [{file_exists: a}]\nagent: {preset: cluade}\n", "claude"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nroot: nowhere\n", "nowhere"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nbudget: {cost_usd: 0}\n",
         "cost_usd"},
        {"assert: [{file_exists: a}]\nagent: {command: [/bin/true]}\nbudget: {time: 0s}\n", "time"},
        {"assert: [{file_exits: a}]\n", "file_exists"},
    };
    for (size_t i = 0; i < MG_COUNT(cases); i++) {
        mg_drive_plan *p;
        mg_str complaint;
        EXPECT(plan(t, cases[i].goal, (mg_drive_ask){0}, &p, &complaint) != MG_OK);
        EXPECT_CONTAINS(complaint, cases[i].says);
    }
}

TEST(the_goal_file_is_protected_where_the_agent_can_reach_it)
{
    mg_drive_plan *p;
    mg_str complaint;
    char *real = realpath(t->dir, NULL);
    mg_drive_ask ask = {.file_path = mg_strf(t->arena, "%s/sub/makegood.yaml", real)};
    EXPECT_EQ(MG_OK, plan(t, good_goal, ask, &p, &complaint));
    EXPECT_STR("sub/makegood.yaml", p->options.goal_path);
    ask.file_path = mg_strf(t->arena, "%s-beside/makegood.yaml", real);
    EXPECT_EQ(MG_OK, plan(t, good_goal, ask, &p, &complaint));
    EXPECT_EQ(0, p->options.goal_path.len);
    free(real);
}

/* `makegood drive > log` must not look like the agent's work. */
TEST(what_we_write_ourselves_is_overlooked)
{
    mg_drive_plan *p;
    mg_str complaint;
    EXPECT_EQ(MG_OK, plan(t, good_goal, (mg_drive_ask){0}, &p, &complaint));
    test_write(t, "sub/my [log]*.txt", MG_STR(""));
    const int fd = openat(t->dir_fd, "sub/my [log]*.txt", O_WRONLY | O_CLOEXEC);
    mg_drive_plan_overlook(p, fd, t->arena);
    mg_drive_plan_overlook(p, -1, t->arena);
    const int pipe_end = open("/dev/null", O_WRONLY | O_CLOEXEC);
    mg_drive_plan_overlook(p, pipe_end, t->arena);
    EXPECT_EQ(1, p->options.ignore->count);
    EXPECT(mg_glob_match(p->options.ignore->items[0], MG_STR("sub/my [log]*.txt")));
    EXPECT(!mg_glob_match(p->options.ignore->items[0], MG_STR("sub/my l-other.txt")));
    (void)close(fd);
    (void)close(pipe_end);
}
