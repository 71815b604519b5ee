/* shell_known.h - what is known of single commands, and the state of following a shell text.
 * Private to check/shell_*.c: shell_words.c has the grammar, shell_known.c the commands. */
#ifndef MG_CHECK_SHELL_KNOWN_H
#define MG_CHECK_SHELL_KNOWN_H

#include "check/shell_split.h"

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
    SHELL_DEPTH_MAX = 32,
};

/* Where a command that can fail still has nothing to say about the one before it. */
enum {
    TIDY_NEXT = 1, /* A; B */
    TIDY_OR = 2,   /* A || B */
    TIDY_PIPE = 4, /* A | B */
};

typedef struct mg_shell_list {
    mg_shell_token *items;
    size_t count, cap;
} mg_shell_list;

typedef struct mg_shell_ways {
    unsigned mask;
    bool looks;    /* a command that can fail is part of it */
    bool real;     /* ... one whose business is to do or to test something, not to show or tidy */
    unsigned tidy; /* TIDY_*, of a single command */
} mg_shell_ways;

typedef struct mg_shell_parser {
    mg_arena *arena;
    mg_str rest;
    mg_shell_token token; /* the next one */
    bool lost;            /* something was not understood */
    bool errexit, pipefail;
    bool sent_away; /* a command went to the background because of bash's &> */
    bool bash;      /* the text is for a shell that knows more than POSIX: &> */
    unsigned depth;
    const char *why; /* the last thing that hid a status */
} mg_shell_parser;

/* Which redirections a command has, besides those that cannot fail. */
typedef struct mg_shell_files {
    bool reads, writes;
} mg_shell_files;

/* Which ways a simple command has; `all` are its words, without redirections. */
mg_shell_ways mg_shell_simple(mg_shell_parser *p, const mg_shell_list *all, mg_shell_files files);

/* Whether a command at the end of a pipeline takes everything and succeeds. */
bool mg_shell_is_sink(const mg_shell_list *words);

bool mg_shell_is_assignment(mg_str word);

/* Of a whole text, in shell_words.c; p->rest is the text. p->lost where it is not understood. */
mg_shell_ways mg_shell_follow(mg_shell_parser *p);

mg_shell_ways mg_shell_lost(mg_shell_parser *p);

#endif
