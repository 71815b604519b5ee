/* shell_words.c - which exit statuses a shell command can have, by abstract execution.
 *
 * Every command is taken to be able to succeed and to fail, except those of which we know
 * better (`true`, `echo`, `exit 0`, the `tee` at the end of a pipeline). The operators then
 * say which ways through the whole there are: a way goes on or leaves the shell, with zero or
 * with another status. If only one kind of status is left at the end, the command cannot
 * tell. Wherever the text is not understood, it is taken to tell: a warning must be right.
 */
#include "check/shell_words.h"

#include "base/vec.h"
#include "check/shell_split.h"
#include "data/text.h"

enum {
    GOES_ZERO = 1,  /* goes on, status zero */
    GOES_OTHER = 2, /* goes on, another status */
    LEAVES_ZERO = 4,
    LEAVES_OTHER = 8,
    GOES = GOES_ZERO | GOES_OTHER,
    LEAVES = LEAVES_ZERO | LEAVES_OTHER,
    EITHER = GOES,
    ZERO = GOES_ZERO | LEAVES_ZERO,
    OTHER = GOES_OTHER | LEAVES_OTHER,
    DEPTH_MAX = 32,
};

static const char constant[] = "it does not look at anything: its exit status is always the same";
static const char by_or[] = "what stands after || hides that the command before it failed";
static const char by_next[] = "a later command that always succeeds hides its exit status";
static const char by_pipe[] =
    "the exit status is that of the last command of the pipeline, which hides a failure before it "
    "(use bash's 'set -o pipefail', or a stdout pattern)";
static const char by_and[] = "a background command's exit status is not waited for";
static const char by_if[] = "every branch ends the same way, whatever the condition found";
static const char by_other[] = "its exit status is the same whatever it finds";

typedef struct words {
    mg_shell_token *items;
    size_t count, cap;
} words;

typedef struct parser {
    mg_arena *arena;
    mg_str rest;
    mg_shell_token token; /* the next one */
    bool lost;            /* something was not understood */
    bool errexit, pipefail;
    unsigned depth;
    const char *why; /* the last thing that hid a status */
} parser;

typedef struct ways {
    unsigned mask;
    bool looks; /* a command that can fail is part of it */
} ways;

static ways parse_list(parser *p, const char *const *ends);

static void advance(parser *p)
{
    p->token = mg_shell_next(&p->rest, p->arena);
    if (p->token.type == MG_SHELL_LOST)
        p->lost = true;
}

static bool at_op(const parser *p, const char *op)
{
    return p->token.type == MG_SHELL_OP && mg_str_is(p->token.text, op);
}

static bool at_word(const parser *p, const char *word)
{
    return p->token.type == MG_SHELL_WORD && !p->token.quoted && !p->token.expands &&
           mg_str_is(p->token.text, word);
}

static bool take_op(parser *p, const char *op)
{
    if (!at_op(p, op))
        return false;
    advance(p);
    return true;
}

static void need_word(parser *p, const char *word)
{
    if (at_word(p, word))
        advance(p);
    else
        p->lost = true;
}

static void skip_lines(parser *p)
{
    while (at_op(p, "\n") || at_op(p, ";"))
        advance(p);
}

static ways lost(parser *p)
{
    p->lost = true;
    return (ways){EITHER, true};
}

/* --- Commands of which we know better --- */

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
static const char *const succeed[] = {"true",  ":",     "echo",  "printf", "sleep",
                                      "pwd",   "date",  "set",   "export", "readonly",
                                      "local", "umask", "shift", "trap"};

/* At the end of a pipeline they take what comes and succeed. */
static const char *const sinks[] = {"tee",  "cat",    "head", "tail",  "wc",   "uniq", "tr",
                                    "cut",  "nl",     "less", "more",  "fold", "fmt",  "rev",
                                    "tac",  "column", "sort", "sed",   "awk",  "gawk", "mawk",
                                    "true", ":",      "echo", "printf"};

static const char *const shells[] = {"sh", "bash", "dash", "ksh", "zsh"};

/* Stand before another command without changing its status. */
static const char *const prefixes[] = {"exec", "command", "builtin", "time", "nohup", "env"};

static bool is_assignment(mg_str word)
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

static void read_set(parser *p, const words *w)
{
    for (size_t i = 1; i < w->count; i++) {
        const mg_str word = w->items[i].text;
        if (mg_str_starts(word, "-") && mg_str_find(word, 'e', 0) < word.len)
            p->errexit = true;
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
        return (ways){(code & 255) == 0 ? LEAVES_ZERO : LEAVES_OTHER, false};
    return (ways){LEAVES, false};
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
        return (ways){EITHER, true};
    if (args == 1)
        holds = arg[0].text.len > 0;
    else if (args == 2 && (mg_str_is(arg[0].text, "-n") || mg_str_is(arg[0].text, "-z")))
        holds = (arg[1].text.len > 0) == mg_str_is(arg[0].text, "-n");
    else if (args == 3 && one_of(arg[1].text, comparisons, MG_COUNT(comparisons)))
        holds = compare(arg[0].text, arg[1].text, arg[2].text);
    else
        return (ways){EITHER, true};
    return (ways){holds ? GOES_ZERO : GOES_OTHER, false};
}

/* sh -c TEXT inside a command: a shell of its own, with flags of its own. */
static ways judge_shell(parser *p, const words *w)
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
        if (i + 1 >= w->count || w->items[i + 1].expands || p->depth >= DEPTH_MAX)
            break;
        parser inner = {.arena = p->arena,
                        .rest = w->items[i + 1].text,
                        .depth = p->depth + 1,
                        .errexit = errexit,
                        .pipefail = pipefail};
        advance(&inner);
        const ways got = parse_list(&inner, NULL);
        if (inner.lost || inner.token.type != MG_SHELL_END)
            break;
        p->why = inner.why != NULL ? inner.why : p->why;
        return (ways){((got.mask & ZERO) != 0 ? GOES_ZERO : 0u) |
                          ((got.mask & OTHER) != 0 ? GOES_OTHER : 0u),
                      got.looks};
    }
    return (ways){EITHER, true};
}

/* Drops `n` words from the front. */
static words after(const words *w, size_t n)
{
    return (words){w->items + n, w->count - n, 0};
}

/* Assignments alone: the status is that of the last command they run, if there is one. */
static ways judge_assignment(const words *w)
{
    return any_runs(w) ? (ways){EITHER, true} : (ways){GOES_ZERO, false};
}

/* The command behind assignments and words that only stand before it. */
static words without_prefixes(words w)
{
    for (;;) {
        if (w.count > 0 && is_assignment(w.items[0].text)) {
            w = after(&w, 1);
            continue;
        }
        if (w.count < 2 || w.items[0].expands || mg_str_starts(w.items[1].text, "-") ||
            !one_of(base_name(w.items[0].text), prefixes, MG_COUNT(prefixes)))
            return w; /* command -v NAME is a command of its own */
        w = after(&w, 1);
    }
}

static ways judge_words(parser *p, const words *all, bool reads_file)
{
    const words w = without_prefixes(*all);
    if (w.count == 0)
        return reads_file ? (ways){EITHER, true} : judge_assignment(all);
    const mg_str name = base_name(w.items[0].text);
    if (w.items[0].expands)
        return (ways){EITHER, true};
    if (one_of(name, shells, MG_COUNT(shells)))
        return judge_shell(p, &w);
    if (mg_str_is(name, "exit") || mg_str_is(name, "return"))
        return judge_exit(&w);
    if (reads_file) /* : < file asks whether it can be read */
        return (ways){EITHER, true};
    if (mg_str_is(name, "false"))
        return (ways){GOES_OTHER, false};
    if (mg_str_is(name, "test") || mg_str_is(name, "["))
        return judge_test(&w);
    if (mg_str_is(name, "wait") && w.count == 1)
        return (ways){GOES_ZERO, false};
    if (mg_str_is(name, "set"))
        read_set(p, &w);
    if (one_of(name, succeed, MG_COUNT(succeed)))
        return (ways){GOES_ZERO, any_expands(&w)};
    return (ways){EITHER, true};
}

/* Whether a command at the end of a pipeline takes everything and succeeds. */
static bool is_sink(const words *w)
{
    if (w->count == 0)
        return false;
    const mg_str name = base_name(w->items[0].text);
    if (!one_of(name, sinks, MG_COUNT(sinks)))
        return false;
    for (size_t i = 1; i < w->count; i++) {
        const mg_str word = w->items[i].text;
        if (mg_str_is(name, "sort") && mg_str_starts(word, "-") &&
            (mg_str_find(word, 'c', 0) < word.len || mg_str_find(word, 'C', 0) < word.len))
            return false; /* it checks the order */
        if ((mg_str_ends(name, "awk") && mg_str_has(word, "exit")) ||
            (mg_str_is(name, "sed") && mg_str_has(word, "q")))
            return false; /* it may choose its status */
    }
    return true;
}

/* --- The grammar (XCU 2.9) --- */

static bool ends_here(const parser *p, const char *const *ends)
{
    for (; ends != NULL && *ends != NULL; ends++)
        if (at_word(p, *ends) || at_op(p, *ends))
            return true;
    return p->token.type == MG_SHELL_END;
}

/* Redirections behind a compound command do not change what it can tell. */
static void skip_redirects(parser *p)
{
    while (p->token.type == MG_SHELL_REDIRECT) {
        advance(p);
        if (p->token.type != MG_SHELL_WORD) {
            p->lost = true;
            return;
        }
        advance(p);
    }
}

/* Leaving a subshell is going on outside of it. */
static ways out_of_subshell(ways w)
{
    const unsigned zero = (w.mask & ZERO) != 0 ? GOES_ZERO : 0u;
    const unsigned other = (w.mask & OTHER) != 0 ? GOES_OTHER : 0u;
    return (ways){zero | other, w.looks};
}

static ways parse_subshell(parser *p)
{
    static const char *const ends[] = {")", NULL};
    const bool errexit = p->errexit, pipefail = p->pipefail;
    advance(p);
    const ways got = parse_list(p, ends);
    p->errexit = errexit; /* what was set inside stays inside */
    p->pipefail = pipefail;
    if (!take_op(p, ")"))
        return lost(p);
    skip_redirects(p);
    return out_of_subshell(got);
}

static ways parse_group(parser *p)
{
    static const char *const ends[] = {"}", NULL};
    advance(p);
    const ways got = parse_list(p, ends);
    need_word(p, "}");
    skip_redirects(p);
    return got;
}

/* Behind `if` or `elif`. */
static ways parse_if(parser *p)
{
    static const char *const then[] = {"then", NULL};
    static const char *const ends[] = {"elif", "else", "fi", NULL};
    static const char *const fi[] = {"fi", NULL};
    advance(p);
    if (++p->depth > DEPTH_MAX) /* a chain of elif is nested, too */
        return lost(p);
    const ways condition = parse_list(p, then);
    need_word(p, "then");
    const ways yes = parse_list(p, ends);
    ways no = {GOES_ZERO, false}; /* without an else, an if that is not taken succeeds */
    if (p->lost)
        return lost(p);
    if (at_word(p, "elif")) {
        no = parse_if(p);
    } else if (at_word(p, "else")) {
        advance(p);
        no = parse_list(p, fi);
        need_word(p, "fi");
    } else {
        need_word(p, "fi");
    }
    const unsigned mask = (condition.mask & LEAVES) |
                          ((condition.mask & GOES_ZERO) != 0 ? yes.mask : 0u) |
                          ((condition.mask & GOES_OTHER) != 0 ? no.mask : 0u);
    p->depth--;
    if (condition.looks)
        p->why = by_if;
    return (ways){mask, condition.looks || ((condition.mask & GOES_ZERO) != 0 && yes.looks) ||
                            ((condition.mask & GOES_OTHER) != 0 && no.looks)};
}

/* Loops, case, functions, [[: what they do is too involved; they are taken to tell. */
static const char *const involved[] = {"while", "until",  "for",    "case", "function",
                                       "[[",    "select", "coproc", "((",   "eval"};

static ways parse_simple(parser *p, words *w)
{
    bool reads_file = false;
    while (p->token.type == MG_SHELL_WORD || p->token.type == MG_SHELL_REDIRECT) {
        if (p->token.type == MG_SHELL_REDIRECT) {
            const mg_str op = p->token.text;
            reads_file = reads_file || (mg_str_starts(op, "<") && !mg_str_ends(op, "&"));
            advance(p);
            if (p->token.type != MG_SHELL_WORD)
                return lost(p);
            reads_file = reads_file && !mg_str_is(p->token.text, "/dev/null");
        } else if (w->count > 0 || p->rest.len == 0 || p->rest.ptr[0] != '(') {
            mg_vec_push(p->arena, w, p->token);
        } else {
            return lost(p); /* name(): a function */
        }
        advance(p);
    }
    if (w->count == 0 && !reads_file)
        return lost(p);
    return judge_words(p, w, reads_file);
}

static ways parse_command(parser *p, words *w)
{
    if (at_op(p, "("))
        return parse_subshell(p);
    if (at_word(p, "{"))
        return parse_group(p);
    if (at_word(p, "if")) {
        const ways got = parse_if(p);
        skip_redirects(p);
        return got;
    }
    for (size_t i = 0; i < MG_COUNT(involved); i++)
        if (at_word(p, involved[i]))
            return lost(p);
    return parse_simple(p, w);
}

/* What a pipeline's parts say together. */
static ways join_pipe(parser *p, ways so_far, ways last, bool sink)
{
    const ways end = out_of_subshell(last);
    const ways before = out_of_subshell(so_far);
    const bool looks = before.looks || end.looks;
    if (p->pipefail) {
        const unsigned other = (before.mask | end.mask) & GOES_OTHER;
        return (ways){other | (before.mask & end.mask & GOES_ZERO), looks};
    }
    if (!sink)
        return (ways){end.mask, looks};
    if (before.looks)
        p->why = by_pipe;
    return (ways){GOES_ZERO, before.looks};
}

static ways parse_pipeline(parser *p)
{
    bool negated = false;
    while (at_word(p, "!")) {
        negated = !negated;
        advance(p);
    }
    words w = {0};
    ways got = parse_command(p, &w);
    while (!p->lost && (take_op(p, "|") || take_op(p, "|&"))) {
        words next = {0};
        skip_lines(p);
        const ways last = parse_command(p, &next);
        got = join_pipe(p, got, last, is_sink(&next));
    }
    if (negated)
        got.mask = (got.mask & LEAVES) | ((got.mask & GOES_ZERO) != 0 ? GOES_OTHER : 0u) |
                   ((got.mask & GOES_OTHER) != 0 ? GOES_ZERO : 0u);
    return got;
}

static ways parse_and_or(parser *p)
{
    ways got = parse_pipeline(p);
    while (!p->lost && (at_op(p, "&&") || at_op(p, "||"))) {
        const bool is_or = at_op(p, "||");
        const unsigned taken = is_or ? GOES_OTHER : GOES_ZERO;
        advance(p);
        skip_lines(p);
        const ways next = parse_pipeline(p);
        const bool hides =
            is_or && got.looks && (got.mask & taken) != 0 && (next.mask & OTHER) == 0;
        if (hides)
            p->why = by_or;
        got = (ways){(got.mask & ~taken) | ((got.mask & taken) != 0 ? next.mask : 0u),
                     got.looks || ((got.mask & taken) != 0 && next.looks)};
    }
    return got;
}

/* What comes of `got` and then `next`. */
static ways join_list(parser *p, ways got, ways next)
{
    if ((got.mask & GOES) == 0)
        return got; /* it never gets there */
    ways then = next;
    if ((next.mask & LEAVES) == LEAVES && (next.mask & GOES) == 0 && !next.looks) /* exit $? */
        then.mask = ((got.mask & GOES_ZERO) != 0 ? LEAVES_ZERO : 0u) |
                    ((got.mask & GOES_OTHER) != 0 ? LEAVES_OTHER : 0u);
    else if (got.looks && (got.mask & GOES_OTHER) != 0 && (next.mask & OTHER) == 0)
        p->why = by_next;
    return (ways){(got.mask & LEAVES) | then.mask, got.looks || next.looks};
}

static ways parse_list(parser *p, const char *const *ends)
{
    ways got = {GOES_ZERO, false};
    if (++p->depth > DEPTH_MAX)
        return lost(p);
    skip_lines(p);
    while (!p->lost && !ends_here(p, ends)) {
        ways next = parse_and_or(p);
        if (p->errexit && (next.mask & GOES_OTHER) != 0)
            next.mask = (next.mask & ~(unsigned)GOES_OTHER) | LEAVES_OTHER;
        if (take_op(p, "&")) {
            p->why = next.looks ? by_and : p->why;
            next.mask = GOES_ZERO;
        } else if (!ends_here(p, ends) && !at_op(p, ";") && !at_op(p, "\n")) {
            return lost(p);
        }
        got = join_list(p, got, next);
        skip_lines(p);
    }
    p->depth--;
    return got;
}

/* --- The judgement --- */

static mg_shell_verdict conclude(const parser *p, ways got, const char **why)
{
    const bool zero = (got.mask & ZERO) != 0;
    const bool other = (got.mask & OTHER) != 0;
    if (p->lost || (zero && other))
        return MG_SHELL_TELLS;
    *why = !got.looks ? constant : p->why != NULL ? p->why : by_other;
    return got.looks ? MG_SHELL_MASKED : MG_SHELL_CONSTANT;
}

mg_shell_verdict mg_shell_judge(mg_str text, const char **why)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    parser p = {.arena = scratch, .rest = text};
    advance(&p);
    const ways got = parse_list(&p, NULL);
    if (p.token.type != MG_SHELL_END)
        p.lost = true;
    return conclude(&p, got, why);
}

mg_shell_verdict mg_shell_judge_argv(const mg_strs *argv, const char **why)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    parser p = {.arena = scratch};
    words w = {0};
    for (size_t i = 0; i < argv->count; i++)
        mg_vec_push(scratch, &w,
                    (mg_shell_token){MG_SHELL_WORD, argv->items[i], false, false, true});
    const bool none = w.count == 0 || is_assignment(w.items[0].text);
    const ways got = none ? lost(&p) : judge_words(&p, &w, false);
    return conclude(&p, got, why);
}
