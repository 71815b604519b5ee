/* shell_words.h - whether the exit status of a command could ever tell anything. Private to
 * check/. */
#ifndef MG_CHECK_SHELL_WORDS_H
#define MG_CHECK_SHELL_WORDS_H

#include "base/str.h"

typedef enum mg_shell_verdict {
    MG_SHELL_TELLS = 0, /* or is too involved to say */
    MG_SHELL_CONSTANT,  /* nothing in it looks at the world */
    MG_SHELL_MASKED,    /* something does, but the exit status hides what it saw */
} mg_shell_verdict;

/* Whether a text is of several lines: it is run with -e, and its first failure decides. */
bool mg_shell_has_lines(mg_str text);

/* Of text for `sh -c`, or `sh -e -c` where it has lines. *why: a static phrase, set where it does
 * not tell. */
mg_shell_verdict mg_shell_judge(mg_str text, const char **why);

/* Of a command given as a list; ["sh", "-c", TEXT] is judged by TEXT. */
mg_shell_verdict mg_shell_judge_argv(const mg_strs *argv, const char **why);

#endif
