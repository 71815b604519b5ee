/* kinds.h - what an agent is made of, and the rows of the presets. Private to agent/. */
#ifndef MG_AGENT_KINDS_H
#define MG_AGENT_KINDS_H

#include "agent/reader.h"

typedef struct mg_agent_kind {
    MG_MUST_CHECK mg_status (*start)(const mg_agent *agent, mg_loop *loop,
                                     const mg_agent_request *request, const mg_agent_calls *calls,
                                     mg_arena *arena, mg_agent_run **out, mg_err *err);
    void (*stop)(mg_agent_run *run);
    void (*end)(mg_agent_run *run); /* at once, without a callback; harmless when it is over */
} mg_agent_kind;

extern const mg_agent_kind mg_agent_exec, mg_agent_call;

struct mg_agent_run {
    const mg_agent_kind *kind; /* first in the struct of every kind */
};

enum { MG_PRESET_ARGS = 12 };

typedef struct mg_preset_default { /* given unless the user gives it, or one that excludes it */
    const char *flag, *value;      /* value may be NULL */
    const char *unless;            /* other flags that stand for it, blanks between; may be NULL */
} mg_preset_default;

/* Arguments are given as they stand, but for: {args} as a whole argument (the defaults and the
 * user's own), {prompt} and {session} within one. No {prompt}: it goes to stdin. */
typedef struct mg_preset {
    mg_preset_info info;
    const char *first[MG_PRESET_ARGS]; /* argv[1...] of a new conversation; ends with NULL */
    const char *again[MG_PRESET_ARGS]; /* to go on with one; [0] NULL: it cannot */
    mg_preset_default defaults[2];
    const char *env[2]; /* NAME=value, unless the user has NAME */
    const mg_format *format;
    const char *denial_setting; /* what to change when it was denied something */
    bool ours;                  /* the program is one of libexec */
    bool file_args;             /* its arguments are files in the caller's directory */
} mg_preset;

const mg_preset *mg_preset_find(const char *name);

struct mg_agent {
    const mg_agent_kind *kind;
    const char *name;
    /* exec */
    const mg_preset *preset; /* NULL: a command of the user's own */
    const struct mg_supervisor *supervisor;
    const char *program;
    const char *const *argv; /* the user's own: argv[1...] of the command, or added arguments */
    const char *const *env;  /* what is inherited, with agent.env */
    bool shell;              /* argv is text for sh: nothing is put into it */
    /* function */
    mg_agent_function function;
};

/* The absolute path of an open directory. */
MG_MUST_CHECK mg_status mg_directory_path(int directory, mg_arena *arena, mg_str *out, mg_err *err);

#endif
