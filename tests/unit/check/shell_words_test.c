/* Which commands can tell anything by their exit status. */
#include "check/shell_words.h"
#include "test.h"

typedef struct judged {
    mg_shell_verdict want;
    const char *text;
} judged;

static const judged commands[] = {
    /* Commands that look at something. */
    {MG_SHELL_TELLS, "make test"},
    {MG_SHELL_TELLS, "cat x | grep -q y"},
    {MG_SHELL_TELLS, "grep -q 'a | true' file"},
    {MG_SHELL_TELLS, "grep -q \"|| true\" file"},
    {MG_SHELL_TELLS, "grep -q \\;\\ true file"},
    {MG_SHELL_TELLS, "make && true"},
    {MG_SHELL_TELLS, "make && echo ok"},
    {MG_SHELL_TELLS, "make || exit 1"},
    {MG_SHELL_TELLS, "make || { echo bad; exit 1; }"},
    {MG_SHELL_TELLS, "make || false"},
    {MG_SHELL_TELLS, "make || make -C other"},
    {MG_SHELL_TELLS, "make; exit $?"},
    {MG_SHELL_TELLS, "make; exit"},
    {MG_SHELL_TELLS, "true; make"},
    {MG_SHELL_TELLS, "echo start\nmake"},
    {MG_SHELL_MASKED, "make test &> log && true"},
    {MG_SHELL_MASKED, "make test &> log; test -d ."},
    {MG_SHELL_MASKED, "make test &>/dev/null && test -d ."},
    {MG_SHELL_MASKED, "if make test &> log; then test -d .; fi"},
    {MG_SHELL_TELLS, "! grep -q TODO src"},
    {MG_SHELL_TELLS, "! false | grep x"},
    {MG_SHELL_TELLS, "(cd sub && make)"},
    {MG_SHELL_TELLS, "{ cd sub; make; }"},
    {MG_SHELL_TELLS, "server & sleep 1; curl -f localhost"},
    {MG_SHELL_TELLS, "make & wait $!"},
    {MG_SHELL_TELLS, "if make; then exit 0; else exit 1; fi"},
    {MG_SHELL_TELLS, "if ! make; then exit 3; fi"},
    {MG_SHELL_TELLS, "if a; then true; elif b; then true; else false; fi"},
    {MG_SHELL_TELLS, "while ! curl -f localhost; do sleep 1; done"},
    {MG_SHELL_TELLS, "for f in *.html; do tidy $f || exit 1; done"},
    {MG_SHELL_TELLS, "case $x in a) true;; esac"},
    {MG_SHELL_TELLS, "f() { make; }; f"},
    {MG_SHELL_TELLS, "[ -f index.html ]"},
    {MG_SHELL_TELLS, "test -s out"},
    {MG_SHELL_TELLS, "[ \"$(wc -l < f)\" -gt 3 ]"},
    {MG_SHELL_TELLS, "[ $X = 1 ]"},
    {MG_SHELL_TELLS, "[[ -f a && -f b ]]"},
    {MG_SHELL_TELLS, ": < index.html"},
    {MG_SHELL_TELLS, "set -o pipefail; make | tee log"},
    {MG_SHELL_TELLS, "set -euo pipefail\nmake | tee log\ntrue"},
    {MG_SHELL_TELLS, "set -e; make; true"},
    {MG_SHELL_TELLS, "bash -o pipefail -c 'make | tee log'"},
    {MG_SHELL_TELLS, "sh -c 'make test'"},
    {MG_SHELL_TELLS, "sh -c \"$CMD\""},
    {MG_SHELL_TELLS, "sh script.sh"},
    {MG_SHELL_TELLS, "cat x | sort -c"},
    {MG_SHELL_TELLS, "cat x | awk '/bad/ {exit 1}'"},
    {MG_SHELL_TELLS, "x=$(make)"},
    {MG_SHELL_TELLS, "command -v node"},
    {MG_SHELL_TELLS, "CC=clang make"},
    {MG_SHELL_TELLS, "make 2>&1"},
    {MG_SHELL_TELLS, "$CHECK"},
    {MG_SHELL_TELLS, "cat <<EOF | python3\ntrue\nEOF"},
    {MG_SHELL_TELLS, "echo 'never ends"},
    {MG_SHELL_TELLS, "make )"},
    {MG_SHELL_TELLS, "make # || true"},
    {MG_SHELL_TELLS, "xargs -a list test -f"},
    {MG_SHELL_TELLS, "cat list | xargs test -f"},
    /* Several lines: the first that fails decides, as with -e. */
    {MG_SHELL_TELLS, "make lint\nmake test"},
    {MG_SHELL_TELLS, "make\ntrue\n"},
    {MG_SHELL_TELLS, "make lint\necho done"},
    {MG_SHELL_TELLS, "make lint > log 2>&1\ntail -5 log"},
    {MG_SHELL_TELLS, "make lint || true\nmake test"},
    {MG_SHELL_TELLS, "make lint && make test\ntrue"}, /* make test may fail */
    {MG_SHELL_TELLS, "! grep -q TODO src\nmake"},
    {MG_SHELL_TELLS, "if false; then a; else make; fi\ntrue"},
    {MG_SHELL_TELLS, "(a && b)\ntrue"},
    {MG_SHELL_TELLS, "cd sub\nmake"},
    {MG_SHELL_CONSTANT, "true\ntrue"},
    {MG_SHELL_CONSTANT, "false\nmake"},
    {MG_SHELL_MASKED, "make || true\necho done"},
    {MG_SHELL_MASKED, "make | tee log\ntrue"},
    {MG_SHELL_MASKED, "make && echo ok\ntrue"}, /* -e does not look before && */
    {MG_SHELL_MASKED, "! grep -q TODO src\ntrue"},
    {MG_SHELL_MASKED, "{ make && true; }\ntrue"},
    {MG_SHELL_MASKED, "set +e\nmake\ntrue"},
    {MG_SHELL_TELLS, "make\n"},
    /* What shows or tidies looks, too, where it stands alone. */
    {MG_SHELL_TELLS, "cat x"},
    {MG_SHELL_TELLS, "ls x"},
    {MG_SHELL_TELLS, "ls"},
    {MG_SHELL_TELLS, "cd sub; ls"},
    {MG_SHELL_TELLS, "cd sub"},
    {MG_SHELL_TELLS, "X=1; cat x"},
    {MG_SHELL_TELLS, ". ./env; cat x"},
    {MG_SHELL_TELLS, "cat x; cat y"},
    {MG_SHELL_TELLS, "node make.js; ls dist/index.html"},
    {MG_SHELL_TELLS, "make && ls"},
    {MG_SHELL_TELLS, "make; test -f out"},
    {MG_SHELL_TELLS, "make; sort -c out"},
    {MG_SHELL_TELLS, "set -e; make; ls"},
    {MG_SHELL_TELLS, "test -f x || rm y"},
    {MG_SHELL_TELLS, "touch no/dir/x"},
    {MG_SHELL_TELLS, "echo p > no/dir/x"},
    {MG_SHELL_TELLS, "> no/dir/x"},
    {MG_SHELL_TELLS, "printf %d abc"},
    {MG_SHELL_TELLS, "printf \"$(make)\""},
    {MG_SHELL_TELLS, "echo ${X:?is not set}"},
    {MG_SHELL_TELLS, "timeout 1 sleep 5"},
    {MG_SHELL_TELLS, "timeout 5 make"},
    {MG_SHELL_TELLS, "eval \"$X\""},
    {MG_SHELL_TELLS, "eval make"},
    {MG_SHELL_TELLS, "trap 'rm -f x' EXIT; make"},
    {MG_SHELL_TELLS, "trap 'make || exit 1' EXIT; true"},
    {MG_SHELL_TELLS, "cat x | awk -f check.awk"},
    {MG_SHELL_TELLS, "cat x | awk \"$PROGRAM\""},
    {MG_SHELL_TELLS, "make | sed Q3"},
    {MG_SHELL_TELLS, "make | sed '/bad/q5'"},
    {MG_SHELL_TELLS, "make | sed -f check.sed"},
    {MG_SHELL_TELLS, "cat x | grep -c ."},
    {MG_SHELL_TELLS, "make | grep -c error"},
    {MG_SHELL_TELLS, "bash -c 'make &> log'"},
    {MG_SHELL_TELLS, "make > log 2>&1"},
    /* Nothing is looked at. */
    {MG_SHELL_CONSTANT, ""},
    {MG_SHELL_CONSTANT, "  # nothing"},
    {MG_SHELL_CONSTANT, "true"},
    {MG_SHELL_CONSTANT, "  true  "},
    {MG_SHELL_CONSTANT, "\"true\""},
    {MG_SHELL_CONSTANT, "/bin/true"},
    {MG_SHELL_CONSTANT, ":"},
    {MG_SHELL_CONSTANT, "false"},
    {MG_SHELL_CONSTANT, "! true"},
    {MG_SHELL_CONSTANT, "exit 0"},
    {MG_SHELL_CONSTANT, "exit 3"},
    {MG_SHELL_CONSTANT, "exit"},
    {MG_SHELL_CONSTANT, "true; exit $?"},
    {MG_SHELL_CONSTANT, "echo ok"},
    {MG_SHELL_CONSTANT, "echo ok > /dev/null"},
    {MG_SHELL_CONSTANT, "echo ok 2>&1 | cat"},
    {MG_SHELL_CONSTANT, "printf '%s' ok"},
    {MG_SHELL_CONSTANT, "sleep 1"},
    {MG_SHELL_CONSTANT, "sleep 1; echo done"},
    {MG_SHELL_CONSTANT, "(true)"},
    {MG_SHELL_CONSTANT, "{ true; }"},
    {MG_SHELL_CONSTANT, "true && true"},
    {MG_SHELL_CONSTANT, "true || make"},
    {MG_SHELL_CONSTANT, "X=1"},
    {MG_SHELL_CONSTANT, "X=1 true"},
    {MG_SHELL_CONSTANT, "exec true"},
    {MG_SHELL_CONSTANT, "[ 1 = 1 ]"},
    {MG_SHELL_CONSTANT, "[ 1 -lt 2 ]"},
    {MG_SHELL_CONSTANT, "test abc"},
    {MG_SHELL_CONSTANT, "sh -c true"},
    {MG_SHELL_CONSTANT, "bash -ec 'exit 0'"},
    {MG_SHELL_CONSTANT, "if true; then echo yes; fi"},
    {MG_SHELL_CONSTANT, "exit 0; make"},
    {MG_SHELL_CONSTANT, "timeout 5 true"},
    {MG_SHELL_CONSTANT, "eval true"},
    {MG_SHELL_CONSTANT, "eval 'true; exit 0'"},
    {MG_SHELL_CONSTANT, "cd ."},
    {MG_SHELL_CONSTANT, "unset X"},
    {MG_SHELL_CONSTANT, "echo ok >&2"},
    /* What was looked at does not come out. */
    {MG_SHELL_MASKED, "make || true"},
    {MG_SHELL_MASKED, "make||true"},
    {MG_SHELL_MASKED, "make || :"},
    {MG_SHELL_MASKED, "make || exit 0"},
    {MG_SHELL_MASKED, "make || echo failed"},
    {MG_SHELL_MASKED, "make || echo failed >&2"},
    {MG_SHELL_MASKED, "make || echo failed >> log"},
    {MG_SHELL_MASKED, "make || (echo failed; true)"},
    {MG_SHELL_MASKED, "make ||\n  true"},
    {MG_SHELL_MASKED, "(make) || true"},
    {MG_SHELL_MASKED, "a && b || true"},
    {MG_SHELL_MASKED, "make; true"},
    {MG_SHELL_MASKED, "make; exit 0"},
    {MG_SHELL_MASKED, "make; echo $?"},
    {MG_SHELL_MASKED, "make;"
                      "echo 'a;b'"},
    {MG_SHELL_MASKED, "make &"},
    {MG_SHELL_MASKED, "make & wait"},
    {MG_SHELL_MASKED, "make | tee log"},
    {MG_SHELL_MASKED, "make 2>&1 | tail -n 20"},
    {MG_SHELL_MASKED, "make |& cat"},
    {MG_SHELL_MASKED, "cat x | sort | uniq"},
    {MG_SHELL_MASKED, "make | sed 's/a/b/'"},
    {MG_SHELL_MASKED, "make && false"},
    {MG_SHELL_MASKED, "if make; then echo ok; else echo bad; fi"},
    {MG_SHELL_MASKED, "sh -c 'make || true'"},
    {MG_SHELL_MASKED, "echo $(make)"},
    {MG_SHELL_MASKED, "export X=$(make)"},
    {MG_SHELL_MASKED, "(set -e; a); true"},
    {MG_SHELL_MASKED, "make lint > out.log 2>&1; tail -5 out.log"},
    {MG_SHELL_MASKED, "make lint > out.log 2>&1; tail -5 out.log; rm out.log"},
    {MG_SHELL_MASKED, "make lint; ls"},
    {MG_SHELL_MASKED, "make lint || ls"},
    {MG_SHELL_MASKED, "make lint || touch x"},
    {MG_SHELL_MASKED, "make lint || rm -f x"},
    {MG_SHELL_MASKED, "make lint || mkdir -p y"},
    {MG_SHELL_MASKED, "make lint || cd ."},
    {MG_SHELL_MASKED, "make lint || >log"},
    {MG_SHELL_MASKED, "make lint || { echo bad; touch x; }"},
    {MG_SHELL_MASKED, "make lint | grep -c ."},
    {MG_SHELL_MASKED, "make lint | xargs echo"},
    {MG_SHELL_MASKED, "make lint &> log"},
    {MG_SHELL_MASKED, "make lint &>> log"},
    {MG_SHELL_MASKED, "sh -c 'make lint &> log'"},
    {MG_SHELL_MASKED, "eval 'make || true'"},
    {MG_SHELL_MASKED, "timeout 5 sh -c 'make; true'"},
};

TEST(each_command_is_judged_by_the_statuses_it_can_have)
{
    for (size_t i = 0; i < MG_COUNT(commands); i++) {
        const char *why = NULL;
        const mg_shell_verdict got = mg_shell_judge(mg_str_of(commands[i].text), &why);
        if (got != commands[i].want)
            test_fail(__FILE__, __LINE__, "'%s': expected %d, got %d (%s)", commands[i].text,
                      (int)commands[i].want, (int)got, why != NULL ? why : "");
        if ((got == MG_SHELL_TELLS) != (why == NULL))
            test_fail(__FILE__, __LINE__, "'%s': a reason and a verdict that disagree",
                      commands[i].text);
    }
}

TEST(the_reason_names_what_hides_the_status)
{
    static const char *const reasons[][2] = {
        {"make || true", "||"},
        {"make; true", "later command"},
        {"make | tee log", "pipeline"},
        {"make &", "background"},
        {"if make; then echo a; fi", "branch"},
        {"make; tail -5 log", "shows or tidies"},
        {"make; tail -5 log; rm log", "shows or tidies"},
        {"make &> log", "/bin/sh"},
        {"true", "always the same"},
        {"bash -c 'make | cat'", "pipeline"},
    };
    for (size_t i = 0; i < MG_COUNT(reasons); i++) {
        const char *why = NULL;
        (void)mg_shell_judge(mg_str_of(reasons[i][0]), &why);
        EXPECT_CONTAINS(mg_str_of(why), reasons[i][1]);
    }
}

static mg_shell_verdict judge_list(test *t, const char *const *items, const char **why)
{
    mg_strs argv = {0};
    for (; *items != NULL; items++)
        mg_strs_add(t->arena, &argv, mg_str_of(*items));
    return mg_shell_judge_argv(&argv, why);
}

TEST(a_list_is_judged_without_a_shell)
{
    const char *why = NULL;
    EXPECT_EQ(MG_SHELL_CONSTANT, judge_list(t, (const char *[]){"true", NULL}, &why));
    EXPECT_EQ(MG_SHELL_CONSTANT, judge_list(t, (const char *[]){"/bin/echo", "$HOME", NULL}, &why));
    EXPECT_EQ(MG_SHELL_TELLS, judge_list(t, (const char *[]){"make", "||", "true", NULL}, &why));
    EXPECT_EQ(MG_SHELL_TELLS, judge_list(t, (const char *[]){"sh", "run.sh", NULL}, &why));
    EXPECT_EQ(MG_SHELL_MASKED,
              judge_list(t, (const char *[]){"sh", "-c", "make || true", NULL}, &why));
    EXPECT_EQ(MG_SHELL_TELLS, judge_list(t, (const char *[]){"sh", "-c", "make", NULL}, &why));
    EXPECT_EQ(MG_SHELL_MASKED,
              judge_list(t, (const char *[]){"bash", "-lc", "make | cat", NULL}, &why));
    EXPECT_EQ(
        MG_SHELL_TELLS,
        judge_list(t, (const char *[]){"bash", "-euo", "pipefail", "-c", "a | cat", NULL}, &why));
    EXPECT_EQ(MG_SHELL_TELLS, judge_list(t, (const char *[]){NULL}, &why));
}

/* Deep or broken text must end, and must not be called vacuous for being odd. */
TEST(hostile_text_is_survived)
{
    static const char *const units[] = {"(",     "{ ",      "if a; then b; elif ",
                                        "$(",    "sh -c '", "! ",
                                        "exec ", "\\",      "\"",
                                        "a|",    "a&&",     "`",
                                        "\n",    "${",      "X=1 "};
    for (size_t i = 0; i < MG_COUNT(units); i++) {
        mg_buf text = mg_buf_new(t->arena, 4u << 20);
        const char *why = NULL;
        for (size_t n = 0; n < 20000; n++)
            mg_buf_adds(&text, units[i]);
        (void)mg_shell_judge(mg_buf_str(&text), &why);
    }
    const char *why = NULL;
    (void)mg_shell_judge((mg_str){"a\0b || true", 11}, &why);
    (void)mg_shell_judge((mg_str){"\xff\xfe|\x80", 4}, &why);
}
