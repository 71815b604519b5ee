/* shell_split.h - shell text into words and operators. Private to check/. */
#ifndef MG_CHECK_SHELL_SPLIT_H
#define MG_CHECK_SHELL_SPLIT_H

#include "base/str.h"

typedef enum mg_shell_token_type {
    MG_SHELL_END = 0,
    MG_SHELL_WORD,
    MG_SHELL_OP,       /* ; & && || | |& ( ) ;; and newline as ";" */
    MG_SHELL_REDIRECT, /* the operator; the word after it is not part of the command */
    MG_SHELL_LOST,     /* a quote without its end, a here-document, arithmetic: not understood */
} mg_shell_token_type;

typedef struct mg_shell_token {
    mg_shell_token_type type;
    mg_str text;   /* without quotes; of an operator, itself */
    bool expands;  /* the shell puts something in: $x, $(...), `...`, *, ~ */
    bool runs;     /* ... by running a command */
    bool quoted;   /* some of it was quoted: not a reserved word */
    bool can_fail; /* ... and the shell gives up where that cannot be: ${x:?}, $((...)) */
} mg_shell_token;

/* Takes the next token off the front of rest. In bash, &> is a redirection; in POSIX it is &
 * and then >. */
mg_shell_token mg_shell_next(mg_str *rest, bool bash, mg_arena *arena);

#endif
