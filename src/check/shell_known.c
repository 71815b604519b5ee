/* shell_known.c - the commands of which we know better than that they succeed or fail.
 *
 * Three sorts: some cannot fail (`true`, `echo`), some only show or tidy (`tail log`, `rm -f x`)
 * and say nothing about the command before them though they can fail, and some run another
 * command or text, which is judged instead. Everything else can do both, and means it.
 */
#include "check/shell_known.h"

#include "base/buf.h"
#include "data/text.h"

typedef mg_shell_list words;
typedef mg_shell_ways ways;

static mg_str base_name(mg_str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return mg_str_from(path, i);
    return path;
}

static bool one_of(mg_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mg_str_is(word, list[i]))
            return true;
    return false;
}

/* Succeed whatever happens around them. */
static const char *const succeed[] = {"true",   ":",        "echo",  "printf", "sleep",
                                      "pwd",    "date",     "set",   "unset",  "trap",
                                      "export", "readonly", "local", "umask",  "shift"};

/* At the end of a pipeline they take what comes and succeed. */
static const char *const sinks[] = {"tee",  "cat",    "head", "tail",  "wc",   "uniq", "tr",
                                    "cut",  "nl",     "less", "more",  "fold", "fmt",  "rev",
                                    "tac",  "column", "sort", "sed",   "awk",  "gawk", "mawk",
                                    "true", ":",      "echo", "printf"};

static const char *const shells[] = {"sh", "dash", "bash", "ksh", "zsh"};
static const char *const more_than_posix[] = {"bash", "ksh", "zsh"};

/* Stand before another command without changing its status. */
static const char *const prefixes[] = {"exec", "command", "builtin", "time", "nohup", "env"};

/* Prepare the shell for what follows: no command whose failure anybody would want to know. */
static const char *const prepare[] = {"cd", "pushd", "popd", ".", "source", "ulimit", "alias"};

typedef struct tidier {
    const char *name;
    unsigned tidy;
    const char *option; /* behind || only with this one */
    bool only_options;  /* not with a file of its own: that is looked at */
} tidier;

/* Show or tidy. */
static const tidier tidiers[] = {
    {"tail", TIDY_NEXT | TIDY_OR, NULL, false}, {"head", TIDY_NEXT | TIDY_OR, NULL, false},
    {"cat", TIDY_NEXT | TIDY_OR, NULL, false},  {"wc", TIDY_NEXT | TIDY_OR, NULL, false},
    {"sort", TIDY_NEXT | TIDY_OR, NULL, false}, {"touch", TIDY_NEXT | TIDY_OR, NULL, false},
    {"rm", TIDY_NEXT | TIDY_OR, "f", false},    {"mkdir", TIDY_NEXT | TIDY_OR, "p", false},
    {"ls", TIDY_NEXT | TIDY_OR, NULL, true},
};

bool mg_shell_is_assignment(mg_str word)
{
    const size_t equals = mg_str_find(word, '=', 0);
    if (equals == word.len || equals == 0)
        return false;
    for (size_t i = 0; i < equals; i++) {
        const char c = word.ptr[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return true;
}

static bool any_runs(const words *w)
{
    bool runs = false;
    for (size_t i = 0; i < w->count; i++)
        runs = runs || w->items[i].runs;
    return runs;
}

static bool any_expands(const words *w)
{
    bool expands = false;
    for (size_t i = 0; i < w->count; i++)
        expands = expands || w->items[i].expands;
    return expands;
}

static bool any_can_fail(const words *w)
{
    bool can_fail = false;
    for (size_t i = 0; i < w->count; i++)
        can_fail = can_fail || w->items[i].can_fail;
    return can_fail;
}

static ways anything(void)
{
    return (ways){EITHER, true, true, 0};
}

/* --- Single commands --- */

static void read_set(mg_shell_parser *p, const words *w)
{
    for (size_t i = 1; i < w->count; i++) {
        const mg_str word = w->items[i].text;
        if (mg_str_starts(word, "-") && mg_str_find(word, 'e', 0) < word.len)
            p->errexit = true;
        if (mg_str_starts(word, "+") && mg_str_find(word, 'e', 0) < word.len)
            p->errexit = false;
        if (mg_str_is(word, "pipefail"))
            p->pipefail = true;
    }
}

/* exit, exit N, exit $?: N is known or it may be anything. */
static ways judge_exit(const words *w)
{
    int64_t code;
    if (w->count >= 2 && !w->items[1].expands &&
        mg_parse_int(w->items[1].text, &code, NULL) == MG_OK)
        return (ways){(code & 255) == 0 ? LEAVES_ZERO : LEAVES_OTHER, false, false, 0};
    return (ways){LEAVES, false, false, 0};
}

static const char *const comparisons[] = {"=",   "==",  "!=",  "-eq", "-ne",
                                          "-lt", "-le", "-gt", "-ge"};

/* Whether a comparison of two literal words holds. */
static bool compare(mg_str a, mg_str op, mg_str b)
{
    int64_t x = 0, y = 0;
    if (op.ptr[0] != '-')
        return mg_str_eq(a, b) == !mg_str_is(op, "!=");
    if (mg_parse_int(a, &x, NULL) != MG_OK || mg_parse_int(b, &y, NULL) != MG_OK)
        return false;
    return mg_str_is(op, "-eq")   ? x == y
           : mg_str_is(op, "-ne") ? x != y
           : mg_str_is(op, "-lt") ? x < y
           : mg_str_is(op, "-le") ? x <= y
           : mg_str_is(op, "-gt") ? x > y
                                  : x >= y;
}

/* test and [ over words that are written out say the same for ever; on files they look. */
static ways judge_test(const words *w)
{
    const size_t args = w->count - 1 - (mg_str_is(w->items[0].text, "[") ? 1 : 0);
    const mg_shell_token *arg = w->items + 1;
    bool holds;
    if (w->count < 2 || any_expands(w))
        return anything();
    if (args == 1)
        holds = arg[0].text.len > 0;
    else if (args == 2 && (mg_str_is(arg[0].text, "-n") || mg_str_is(arg[0].text, "-z")))
        holds = (arg[1].text.len > 0) == mg_str_is(arg[0].text, "-n");
    else if (args == 3 && one_of(arg[1].text, comparisons, MG_COUNT(comparisons)))
        holds = compare(arg[0].text, arg[1].text, arg[2].text);
    else
        return anything();
    return (ways){holds ? GOES_ZERO : GOES_OTHER, false, false, 0};
}

/* A format of %s alone takes every argument; %d does not take `abc`. */
static bool printf_succeeds(const words *w)
{
    if (w->count < 2 || w->items[1].expands || mg_str_starts(w->items[1].text, "-"))
        return false;
    const mg_str format = w->items[1].text;
    for (size_t i = mg_str_find(format, '%', 0); i < format.len; i = mg_str_find(format, '%', i)) {
        const char c = i + 1 < format.len ? format.ptr[i + 1] : (char)0;
        if (c != 's' && c != 'b' && c != '%')
            return false;
        i += 2;
    }
    return true;
}

/* An action that leaves decides how everything ends. */
static bool trap_leaves(const words *w)
{
    return w->count >= 2 && (any_expands(w) || mg_str_has(w->items[1].text, "exit"));
}

static ways judge_succeeding(mg_shell_parser *p, const words *w, mg_str name)
{
    if (mg_str_is(name, "set"))
        read_set(p, w);
    if (mg_str_is(name, "trap") && trap_leaves(w))
        return mg_shell_lost(p);
    if (any_can_fail(w) || (mg_str_is(name, "printf") && !printf_succeeds(w)))
        return anything();
    return (ways){GOES_ZERO, any_expands(w), false, 0};
}

/* Whether an option -...LETTER... is among the words. */
static bool has_option(const words *w, char letter)
{
    for (size_t i = 1; i < w->count; i++) {
        const mg_str word = w->items[i].text;
        if (mg_str_starts(word, "-") && !mg_str_starts(word, "--") &&
            mg_str_find(word, letter, 0) < word.len)
            return true;
    }
    return false;
}

static bool checks_order(const words *w, mg_str name)
{
    return mg_str_is(name, "sort") && (has_option(w, 'c') || has_option(w, 'C'));
}

static unsigned tidiness(const words *w, mg_str name)
{
    for (size_t i = 0; i < MG_COUNT(tidiers); i++) {
        const tidier *t = &tidiers[i];
        if (!mg_str_is(name, t->name) || checks_order(w, name))
            continue;
        for (size_t k = 1; t->only_options && k < w->count; k++)
            if (!mg_str_starts(w->items[k].text, "-"))
                return 0;
        const bool or_too = t->option == NULL || has_option(w, t->option[0]);
        return or_too ? t->tidy : t->tidy & ~(unsigned)TIDY_OR;
    }
    return 0;
}

/* grep -c . counts lines: it fails where there are none, and nobody asks that of a linter. */
static bool counts_lines(const words *w)
{
    return w->count == 3 && mg_str_is(base_name(w->items[0].text), "grep") &&
           mg_str_is(w->items[1].text, "-c") &&
           (mg_str_is(w->items[2].text, ".") || w->items[2].text.len == 0);
}

/* --- Commands that run another --- */

/* Leaving a shell of its own is going on outside of it. */
static ways outside(ways w)
{
    const unsigned zero = (w.mask & ZERO) != 0 ? GOES_ZERO : 0u;
    const unsigned other = (w.mask & OTHER) != 0 ? GOES_OTHER : 0u;
    return (ways){zero | other, w.looks, w.real, 0};
}

/* sh -c TEXT inside a command: a shell of its own, with flags of its own. */
static ways judge_shell(mg_shell_parser *p, const words *w)
{
    bool errexit = false, pipefail = false;
    for (size_t i = 1; i < w->count; i++) {
        const mg_str word = w->items[i].text;
        if (mg_str_is(word, "pipefail")) {
            pipefail = true;
            continue;
        }
        if (!mg_str_starts(word, "-") && !mg_str_starts(word, "+"))
            break; /* a script */
        errexit = errexit || mg_str_find(word, 'e', 0) < word.len;
        if (mg_str_find(word, 'c', 0) == word.len || mg_str_starts(word, "--"))
            continue;
        if (i + 1 >= w->count || w->items[i + 1].expands || p->depth >= SHELL_DEPTH_MAX)
            break;
        const mg_str shell = base_name(w->items[0].text);
        mg_shell_parser inner = {.arena = p->arena,
                                 .rest = w->items[i + 1].text,
                                 .depth = p->depth + 1,
                                 .errexit = errexit,
                                 .pipefail = pipefail,
                                 .bash = one_of(shell, more_than_posix, MG_COUNT(more_than_posix))};
        const ways got = mg_shell_follow(&inner);
        if (inner.lost)
            break;
        p->why = inner.why != NULL ? inner.why : p->why;
        return outside(got);
    }
    return anything();
}

/* eval TEXT...: in this shell, so leaving leaves. */
static ways judge_eval(mg_shell_parser *p, const words *w)
{
    mg_buf text = mg_buf_new(p->arena, 1u << 20);
    if (any_expands(w) || p->depth >= SHELL_DEPTH_MAX)
        return mg_shell_lost(p);
    for (size_t i = 1; i < w->count; i++) {
        mg_buf_add(&text, w->items[i].text);
        mg_buf_addc(&text, ' ');
    }
    mg_shell_parser inner = *p;
    inner.rest = mg_buf_str(&text);
    inner.depth++;
    const ways got = mg_shell_follow(&inner);
    p->errexit = inner.errexit;
    p->pipefail = inner.pipefail;
    p->why = inner.why;
    return inner.lost || text.cut ? mg_shell_lost(p) : got;
}

/* Drops `n` words from the front. */
static words after(const words *w, size_t n)
{
    return (words){w->items + n, w->count - n, 0};
}

/* timeout 5 COMMAND: without options, and COMMAND is none that itself takes time. */
static bool is_timeout(const words *w)
{
    return w->count >= 3 && mg_str_is(base_name(w->items[0].text), "timeout") &&
           !w->items[1].expands && !mg_str_starts(w->items[1].text, "-") &&
           !mg_str_is(base_name(w->items[2].text), "sleep");
}

/* The command behind assignments and words that only stand before it. */
static words without_prefixes(words w)
{
    for (;;) {
        if (is_timeout(&w)) {
            w = after(&w, 2);
            continue;
        }
        if (w.count > 0 && mg_shell_is_assignment(w.items[0].text)) {
            w = after(&w, 1);
            continue;
        }
        if (w.count < 2 || w.items[0].expands || mg_str_starts(w.items[1].text, "-") ||
            !one_of(base_name(w.items[0].text), prefixes, MG_COUNT(prefixes)))
            return w; /* command -v NAME is a command of its own */
        w = after(&w, 1);
    }
}

/* --- The judgement of a simple command --- */

/* No command: assignments, whose status is that of the last command they run, and files. */
static ways judge_bare(const words *all, mg_shell_files files)
{
    if (files.reads || any_runs(all) || any_can_fail(all))
        return anything();
    if (files.writes)
        return (ways){EITHER, true, false, TIDY_NEXT | TIDY_OR};
    return (ways){GOES_ZERO, false, false, 0};
}

static ways judge_named(mg_shell_parser *p, const words *w, mg_str name)
{
    if (mg_str_is(name, "false"))
        return (ways){GOES_OTHER, false, false, 0};
    if (mg_str_is(name, "test") || mg_str_is(name, "["))
        return judge_test(w);
    if (mg_str_is(name, "wait") && w->count == 1)
        return (ways){GOES_ZERO, false, false, 0};
    if (mg_str_is(name, "cd") && w->count == 2 && mg_str_is(w->items[1].text, "."))
        return (ways){GOES_ZERO, false, false, 0};
    if (one_of(name, prepare, MG_COUNT(prepare)))
        return (ways){EITHER, true, false, 0};
    if (one_of(name, succeed, MG_COUNT(succeed)))
        return judge_succeeding(p, w, name);
    if (counts_lines(w))
        return (ways){EITHER, true, true, TIDY_PIPE};
    const unsigned tidy = tidiness(w, name);
    return (ways){EITHER, true, tidy == 0, tidy};
}

ways mg_shell_simple(mg_shell_parser *p, const words *all, mg_shell_files files)
{
    const words w = without_prefixes(*all);
    if (w.count == 0)
        return judge_bare(all, files);
    const mg_str name = base_name(w.items[0].text);
    if (w.items[0].expands)
        return anything();
    if (one_of(name, shells, MG_COUNT(shells)))
        return judge_shell(p, &w);
    if (mg_str_is(name, "eval"))
        return judge_eval(p, &w);
    if (mg_str_is(name, "exit") || mg_str_is(name, "return"))
        return judge_exit(&w);
    if (files.reads) /* : < file asks whether it can be read */
        return anything();
    const ways got = judge_named(p, &w, name);
    if (files.writes && !p->lost && (got.mask & OTHER) == 0) /* echo x > no/such/place */
        return (ways){got.mask | GOES_OTHER, true, got.real, TIDY_NEXT | TIDY_OR};
    return got;
}

/* --- The end of a pipeline --- */

/* An awk or sed program that may choose its status, or that we do not see. */
static bool chooses_status(mg_str name, const mg_shell_token *word)
{
    if (word->expands || mg_str_starts(word->text, "-f") || mg_str_starts(word->text, "--file"))
        return true;
    return mg_str_is(name, "sed") ? mg_str_has(word->text, "q") || mg_str_has(word->text, "Q")
                                  : mg_str_has(word->text, "exit");
}

bool mg_shell_is_sink(const words *w)
{
    if (w->count == 0 || w->items[0].expands)
        return false;
    const mg_str name = base_name(w->items[0].text);
    if (mg_str_is(name, "xargs")) {
        const mg_str run = w->count > 1 ? base_name(w->items[1].text) : MG_STR("echo");
        return mg_str_is(run, "echo");
    }
    if (!one_of(name, sinks, MG_COUNT(sinks)) || checks_order(w, name))
        return false;
    const bool program = mg_str_is(name, "sed") || mg_str_ends(name, "awk");
    for (size_t i = 1; program && i < w->count; i++)
        if (chooses_status(name, &w->items[i]))
            return false;
    return !mg_str_is(name, "printf") || printf_succeeds(w);
}
