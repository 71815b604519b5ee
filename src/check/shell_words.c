/* shell_words.c - which exit statuses a shell command can have, by abstract execution.
 *
 * Every command is taken to be able to succeed and to fail, except those of which we know
 * better (shell_known.c). The operators then say which ways through the whole there are: a way goes
 * on or leaves the shell, with zero or with another status. If only one kind of status is left at
 * the end, the command cannot tell. Wherever the text is not understood, it is taken to tell: a
 * warning must be right.
 */
#include "check/shell_words.h"

#include "base/vec.h"
#include "check/shell_known.h"

static const char constant[] = "it does not look at anything: its exit status is always the same";
static const char by_or[] = "what stands after || hides that the command before it failed";
static const char by_next[] = "a later command that hardly ever fails hides its exit status";
static const char by_tidying[] =
    "a later command that only shows or tidies up hides its exit status (join them with &&)";
static const char by_pipe[] =
    "the exit status is that of the last command of the pipeline, which hides a failure before it "
    "(use bash's 'set -o pipefail', or a stdout pattern)";
static const char by_and[] = "a background command's exit status is not waited for";
static const char by_bash[] =
    "'&>' is bash's; /bin/sh reads it as '&', and a background command's exit status is not waited "
    "for (write > file 2>&1)";
static const char by_if[] = "every branch ends the same way, whatever the condition found";
static const char by_other[] = "its exit status is the same whatever it finds";

typedef mg_shell_list words;
typedef mg_shell_parser parser;
typedef mg_shell_ways ways;

static ways parse_list(parser *p, const char *const *ends);

static void advance(parser *p)
{
    p->token = mg_shell_next(&p->rest, p->bash, p->arena);
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

ways mg_shell_lost(parser *p)
{
    p->lost = true;
    return (ways){EITHER, true, true, 0};
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
    return (ways){zero | other, w.looks, w.real, w.tidy};
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
        return mg_shell_lost(p);
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
    if (++p->depth > SHELL_DEPTH_MAX) /* a chain of elif is nested, too */
        return mg_shell_lost(p);
    const bool errexit = p->errexit;
    p->errexit = false; /* a condition may fail */
    const ways condition = parse_list(p, then);
    p->errexit = errexit;
    need_word(p, "then");
    const ways yes = parse_list(p, ends);
    ways no = {.mask = GOES_ZERO}; /* without an else, an if that is not taken succeeds */
    if (p->lost)
        return mg_shell_lost(p);
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
    return (ways){mask,
                  condition.looks || ((condition.mask & GOES_ZERO) != 0 && yes.looks) ||
                      ((condition.mask & GOES_OTHER) != 0 && no.looks),
                  condition.real || yes.real || no.real, 0};
}

/* Loops, case, functions, [[: what they do is too involved; they are taken to tell. */
static const char *const involved[] = {"while", "until",  "for",    "case", "function",
                                       "[[",    "select", "coproc", "(("};

/* Where a redirection leads that cannot fail: a descriptor, or what is always there. */
static bool always_there(mg_str op, const mg_shell_token *word)
{
    return mg_str_ends(op, "&") || (!word->expands && (mg_str_is(word->text, "/dev/null") ||
                                                       mg_str_is(word->text, "/dev/stdout") ||
                                                       mg_str_is(word->text, "/dev/stderr")));
}

static ways parse_simple(parser *p, words *w)
{
    mg_shell_files files = {0};
    bool redirects = false;
    while (p->token.type == MG_SHELL_WORD || p->token.type == MG_SHELL_REDIRECT) {
        if (p->token.type == MG_SHELL_REDIRECT) {
            const mg_str op = p->token.text;
            advance(p);
            if (p->token.type != MG_SHELL_WORD)
                return mg_shell_lost(p);
            redirects = true;
            bool *kind = mg_str_starts(op, "<") ? &files.reads : &files.writes;
            *kind = *kind || !always_there(op, &p->token);
        } else if (w->count > 0 || p->rest.len == 0 || p->rest.ptr[0] != '(') {
            mg_vec_push(p->arena, w, p->token);
        } else {
            return mg_shell_lost(p); /* name(): a function */
        }
        advance(p);
    }
    if (w->count == 0 && !redirects)
        return mg_shell_lost(p);
    return mg_shell_simple(p, w, files);
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
            return mg_shell_lost(p);
    return parse_simple(p, w);
}

/* What a pipeline's parts say together. */
static ways join_pipe(parser *p, ways so_far, ways last, bool sink)
{
    const ways end = out_of_subshell(last);
    const ways before = out_of_subshell(so_far);
    const bool looks = before.looks || end.looks, real = before.real || end.real;
    if (p->pipefail) {
        const unsigned other = (before.mask | end.mask) & GOES_OTHER;
        return (ways){other | (before.mask & end.mask & GOES_ZERO), looks, real, 0};
    }
    if (!sink && !(before.real && (last.tidy & TIDY_PIPE) != 0))
        return (ways){end.mask, looks, real, 0};
    if (before.looks)
        p->why = by_pipe;
    return (ways){GOES_ZERO, before.looks, before.real, 0};
}

/* *exempt: `set -e` does not care whether it fails. */
static ways parse_pipeline(parser *p, bool *exempt)
{
    bool negated = false;
    while (at_word(p, "!")) {
        negated = !negated;
        advance(p);
        *exempt = true;
    }
    words w = {0};
    /* What failed inside of these has left already, where it was to. */
    *exempt = *exempt || at_word(p, "{") || at_word(p, "if");
    ways got = parse_command(p, &w);
    while (!p->lost && (take_op(p, "|") || take_op(p, "|&"))) {
        words next = {0};
        skip_lines(p);
        *exempt = negated;
        const ways last = parse_command(p, &next);
        got = join_pipe(p, got, last, mg_shell_is_sink(&next));
    }
    if (negated) {
        got.mask = (got.mask & LEAVES) | ((got.mask & GOES_ZERO) != 0 ? GOES_OTHER : 0u) |
                   ((got.mask & GOES_OTHER) != 0 ? GOES_ZERO : 0u);
        got.tidy = 0;
    }
    return got;
}

/* A || B, where `got` is A and what came before it. */
static ways join_or(parser *p, ways got, ways next)
{
    if ((got.mask & GOES_OTHER) == 0)
        return got;
    const bool tidies = got.real && (next.tidy & TIDY_OR) != 0;
    const unsigned mask = tidies ? GOES_ZERO : next.mask;
    if (got.looks && (mask & OTHER) == 0)
        p->why = by_or;
    return (ways){(got.mask & ~(unsigned)GOES_OTHER) | mask, got.looks || next.looks,
                  got.real || next.real, 0};
}

static ways join_and(ways got, ways next)
{
    if ((got.mask & GOES_ZERO) == 0)
        return got;
    return (ways){(got.mask & ~(unsigned)GOES_ZERO) | next.mask, got.looks || next.looks,
                  got.real || next.real, 0};
}

/* With `set -e` a failure of its last pipeline leaves; one before it does not. */
static ways parse_and_or(parser *p)
{
    bool exempt = false;
    ways got = parse_pipeline(p, &exempt);
    unsigned ignored = 0, last = got.mask;
    while (!p->lost && (at_op(p, "&&") || at_op(p, "||"))) {
        const bool is_or = at_op(p, "||");
        advance(p);
        skip_lines(p);
        exempt = false;
        const ways next = parse_pipeline(p, &exempt);
        const bool tidies = is_or && got.real && (next.tidy & TIDY_OR) != 0;
        ignored = is_or ? 0u : got.mask & GOES_OTHER;
        last = tidies ? GOES_ZERO : next.mask;
        got = is_or ? join_or(p, got, next) : join_and(got, next);
    }
    if (p->errexit && !exempt && (last & got.mask & GOES_OTHER) != 0)
        got.mask = (got.mask & ~(unsigned)GOES_OTHER) | LEAVES_OTHER | ignored;
    return got;
}

/* exit $?: leaves with what was before it. */
static bool leaves_as_before(ways w)
{
    return (w.mask & LEAVES) == LEAVES && (w.mask & GOES) == 0 && !w.looks;
}

/* What comes of `got` and then `next`. */
static ways join_list(parser *p, ways got, ways next)
{
    if ((got.mask & GOES) == 0)
        return got; /* it never gets there */
    ways then = next;
    if (leaves_as_before(next)) {
        then.mask = ((got.mask & GOES_ZERO) != 0 ? LEAVES_ZERO : 0u) |
                    ((got.mask & GOES_OTHER) != 0 ? LEAVES_OTHER : 0u);
    } else if (got.real && (next.tidy & TIDY_NEXT) != 0) {
        then.mask = GOES_ZERO;
        p->why = p->why != NULL && (got.mask & GOES_OTHER) == 0 ? p->why : by_tidying;
    } else if (got.looks && (got.mask & GOES_OTHER) != 0 && (next.mask & OTHER) == 0) {
        p->why = by_next;
    }
    return (ways){(got.mask & LEAVES) | then.mask, got.looks || next.looks, got.real || next.real,
                  got.real ? 0u : next.tidy};
}

/* One and-or list, and whether it is sent to the background. */
static ways parse_item(parser *p, const char *const *ends)
{
    ways next = parse_and_or(p);
    if (at_op(p, "&")) {
        const bool bash_redirect = mg_str_starts(p->rest, ">");
        advance(p);
        p->why = !next.looks ? p->why : bash_redirect ? by_bash : by_and;
        p->sent_away = p->sent_away || (bash_redirect && next.looks);
        return (ways){GOES_ZERO, next.looks, next.real, 0};
    }
    if (!ends_here(p, ends) && !at_op(p, ";") && !at_op(p, "\n"))
        return mg_shell_lost(p);
    return next;
}

static ways parse_list(parser *p, const char *const *ends)
{
    ways got = {.mask = GOES_ZERO};
    if (++p->depth > SHELL_DEPTH_MAX)
        return mg_shell_lost(p);
    skip_lines(p);
    while (!p->lost && !ends_here(p, ends)) {
        const ways next = parse_item(p, ends);
        got = join_list(p, got, next);
        skip_lines(p);
    }
    p->depth--;
    return got;
}

ways mg_shell_follow(parser *p)
{
    advance(p);
    const ways got = parse_list(p, NULL);
    p->lost = p->lost || p->token.type != MG_SHELL_END;
    return got;
}

/* --- The judgement --- */

static mg_shell_verdict conclude(const parser *p, ways got, const char **why)
{
    const bool zero = (got.mask & ZERO) != 0;
    const bool other = (got.mask & OTHER) != 0;
    if (p->lost)
        return MG_SHELL_TELLS;
    if (p->sent_away) { /* whatever follows: nobody who writes &> means the background */
        *why = by_bash;
        return MG_SHELL_MASKED;
    }
    if (zero && other)
        return MG_SHELL_TELLS;
    *why = !got.looks ? constant : p->why != NULL ? p->why : by_other;
    return got.looks ? MG_SHELL_MASKED : MG_SHELL_CONSTANT;
}

bool mg_shell_has_lines(mg_str text)
{
    const mg_str trimmed = mg_str_trim(text);
    return mg_str_find(trimmed, '\n', 0) < trimmed.len;
}

mg_shell_verdict mg_shell_judge(mg_str text, const char **why)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    parser p = {.arena = scratch, .rest = text, .errexit = mg_shell_has_lines(text)};
    const ways got = mg_shell_follow(&p);
    return conclude(&p, got, why);
}

mg_shell_verdict mg_shell_judge_argv(const mg_strs *argv, const char **why)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    parser p = {.arena = scratch};
    words w = {0};
    for (size_t i = 0; i < argv->count; i++)
        mg_vec_push(scratch, &w,
                    (mg_shell_token){MG_SHELL_WORD, argv->items[i], false, false, true, false});
    const bool none = w.count == 0 || mg_shell_is_assignment(w.items[0].text);
    const ways got = none ? mg_shell_lost(&p) : mg_shell_simple(&p, &w, (mg_shell_files){0});
    return conclude(&p, got, why);
}
