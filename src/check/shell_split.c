/* shell_split.c - the tokens of POSIX shell (XCU 2.3), as far as judging a command needs.
 *
 * Nothing is expanded; it is only noted that the shell would. What is not understood is said
 * to be so, and whoever reads the tokens gives up on it.
 */
#include "check/shell_split.h"

#include "base/buf.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Characters that end a word when they are not quoted. */
static bool ends_word(char c)
{
    return blank(c) || (c != '\0' && strchr("\n;&|()<>", c) != NULL);
}

static char at(mg_str s, size_t i)
{
    return i < s.len ? s.ptr[i] : (char)0;
}

static size_t skip_single(mg_str s, size_t i)
{
    const size_t end = mg_str_find(s, '\'', i + 1);
    return end < s.len ? end + 1 : 0;
}

static size_t skip_backticks(mg_str s, size_t i)
{
    for (i++; i < s.len; i++) {
        if (s.ptr[i] == '\\')
            i++;
        else if (s.ptr[i] == '`')
            return i + 1;
    }
    return 0;
}

/* From the bracket at i to behind the one that closes it, quotes respected; 0 if none does. */
static size_t skip_brackets(mg_str s, size_t i, char open, char close)
{
    unsigned depth = 0;
    for (; i < s.len; i++) {
        const char c = s.ptr[i];
        if (c == '\\') {
            i++;
        } else if (c == '\'') {
            const size_t end = skip_single(s, i);
            if (end == 0)
                return 0;
            i = end - 1;
        } else if (c == open) {
            depth++;
        } else if (c == close && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* From a '$' to behind what it stands for; 0 if that does not end. */
static size_t skip_dollar(mg_str s, size_t i)
{
    const char next = at(s, i + 1);
    if (next == '(')
        return skip_brackets(s, i + 1, '(', ')');
    if (next == '{')
        return skip_brackets(s, i + 1, '{', '}');
    return i + 1;
}

/* Whether what is left holds a command substitution at its beginning. */
static bool runs_command(mg_str s, size_t i)
{
    return s.ptr[i] == '`' || (at(s, i + 1) == '(' && at(s, i + 2) != '(');
}

/* A '$' or '`' at i: notes it and skips it; 0 if it does not end. */
static size_t take_expansion(mg_str s, size_t i, mg_shell_token *token)
{
    token->expands = true;
    token->runs = token->runs || runs_command(s, i);
    const size_t end = s.ptr[i] == '`' ? skip_backticks(s, i) : skip_dollar(s, i);
    const mg_str inside = {s.ptr + i, end > i ? end - i : 0};
    token->can_fail = token->can_fail || mg_str_starts(inside, "$((") ||
                      (mg_str_starts(inside, "${") && mg_str_has(inside, "?"));
    return end;
}

static size_t take_double(mg_str s, size_t i, mg_shell_token *token, mg_buf *text)
{
    for (i++; i < s.len;) {
        const char c = s.ptr[i];
        if (c == '"')
            return i + 1;
        if (c == '$' || c == '`') {
            i = take_expansion(s, i, token);
            if (i == 0)
                return 0;
            continue;
        }
        if (c == '\\' && strchr("$`\"\\\n", at(s, i + 1)) != NULL)
            i++;
        mg_buf_addc(text, at(s, i));
        i++;
    }
    return 0;
}

/* One piece of a word at i: a quoted part, an expansion, or a character. 0: it does not end. */
static size_t take_piece(mg_str s, size_t i, mg_shell_token *token, mg_buf *text)
{
    const char c = s.ptr[i];
    if (c == '\'') {
        const size_t end = skip_single(s, i);
        token->quoted = true;
        if (end > 0)
            mg_buf_add(text, (mg_str){s.ptr + i + 1, end - i - 2});
        return end;
    }
    if (c == '"') {
        token->quoted = true;
        return take_double(s, i, token, text);
    }
    if (c == '$' || c == '`')
        return take_expansion(s, i, token);
    if (c == '\\') {
        token->quoted = true;
        if (at(s, i + 1) != '\n') /* a line that goes on is no character */
            mg_buf_addc(text, at(s, i + 1));
        return i + 2;
    }
    if (c == '*' || c == '?' || c == '[' || c == '~')
        token->expands = token->expands || c != '[' || ends_word(at(s, i + 1)) == 0;
    mg_buf_addc(text, c);
    return i + 1;
}

static mg_shell_token take_word(mg_str *rest, mg_arena *arena)
{
    mg_shell_token token = {.type = MG_SHELL_WORD};
    mg_buf text = mg_buf_new(arena, rest->len + 1);
    size_t i = 0;
    while (i < rest->len && !ends_word(rest->ptr[i])) {
        i = take_piece(*rest, i, &token, &text);
        if (i == 0)
            return (mg_shell_token){.type = MG_SHELL_LOST};
    }
    *rest = mg_str_from(*rest, i);
    token.text = mg_buf_str(&text);
    return token;
}

typedef struct op {
    const char *text;
    mg_shell_token_type type;
} op;

/* The longest first; those of bash before all. */
static const op ops[] = {
    {"&>>", MG_SHELL_REDIRECT}, {"&>", MG_SHELL_REDIRECT}, {"<<", MG_SHELL_LOST},
    {"((", MG_SHELL_LOST},      {">>", MG_SHELL_REDIRECT}, {">&", MG_SHELL_REDIRECT},
    {">|", MG_SHELL_REDIRECT},  {"<&", MG_SHELL_REDIRECT}, {"<>", MG_SHELL_REDIRECT},
    {">(", MG_SHELL_LOST},      {"<(", MG_SHELL_LOST},     {">", MG_SHELL_REDIRECT},
    {"<", MG_SHELL_REDIRECT},   {"&&", MG_SHELL_OP},       {"||", MG_SHELL_OP},
    {"|&", MG_SHELL_OP},        {";;", MG_SHELL_OP},       {";", MG_SHELL_OP},
    {"&", MG_SHELL_OP},         {"|", MG_SHELL_OP},        {"(", MG_SHELL_OP},
    {")", MG_SHELL_OP},         {"\n", MG_SHELL_OP},
};

enum { BASH_OPS = 2 };

static void skip_space(mg_str *rest)
{
    for (;;) {
        if (rest->len > 0 && blank(rest->ptr[0]))
            *rest = mg_str_from(*rest, 1);
        else if (mg_str_starts(*rest, "\\\n"))
            *rest = mg_str_from(*rest, 2);
        else if (mg_str_starts(*rest, "#"))
            *rest = mg_str_from(*rest, mg_str_find(*rest, '\n', 0));
        else
            return;
    }
}

/* The number before a redirection, as in 2>&1. */
static void skip_io_number(mg_str *rest)
{
    size_t i = 0;
    while (at(*rest, i) >= '0' && at(*rest, i) <= '9')
        i++;
    if (i > 0 && (at(*rest, i) == '<' || at(*rest, i) == '>'))
        *rest = mg_str_from(*rest, i);
}

mg_shell_token mg_shell_next(mg_str *rest, bool bash, mg_arena *arena)
{
    skip_space(rest);
    skip_io_number(rest);
    if (rest->len == 0)
        return (mg_shell_token){.type = MG_SHELL_END};
    for (size_t i = bash ? 0 : BASH_OPS; i < MG_COUNT(ops); i++) {
        if (!mg_str_starts(*rest, ops[i].text))
            continue;
        const mg_str text = mg_str_first(*rest, strlen(ops[i].text));
        *rest = mg_str_from(*rest, text.len);
        return (mg_shell_token){.type = ops[i].type, .text = text};
    }
    return take_word(rest, arena);
}
