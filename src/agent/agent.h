/* agent.h - whoever does the work: a command, a preset, a C function.
 *
 * One attempt is started with a prompt and ends with what was seen of it. What an agent says of
 * itself (its exit code, "Done!", `subtype: success`) is recorded and decides nothing.
 *
 * To add a preset: one row in presets.c and, where it prints something of its own, one reader in
 * a file of its own; a recording in tests/cases/agents/.
 */
#ifndef MG_AGENT_AGENT_H
#define MG_AGENT_AGENT_H

#include "io/supervise.h"
#include "model/attempt.h"
#include "model/goal.h"
#include "world/world.h"

typedef struct mg_agent mg_agent; /* how to run one: made once, used for every attempt */
typedef struct mg_agent_run mg_agent_run;

typedef struct mg_agent_request {
    uint32_t number;
    mg_str prompt;   /* the whole of what it is told */
    mg_str goal;     /* MAKEGOOD_GOAL */
    mg_str feedback; /* MAKEGOOD_FEEDBACK: the gap; empty in attempt 1 */
    mg_str session;  /* to go on with; empty: a new conversation */
    const mg_world *world;
    uint64_t timeout_ms, drain_ms; /* timeout 0: none */
    int hold;                      /* of a process: see mg_supervise_options */
    void *messages;                /* of a C function: what the attempt before left; borrowed */
} mg_agent_request;

typedef struct mg_agent_end {
    mg_terminal terminal;
    bool whole; /* no process of it is left; see mg_supervised_end */
    mg_str why; /* where it is not whole, or could not be run: a sentence */
    unsigned leftovers;
    bool has_exit;
    int64_t exit_code;
    mg_str response; /* its last words; cut says whether that is all */
    bool response_cut;
    const mg_step *steps; /* tool calls, as far as they are told */
    size_t step_count;
    bool steps_known;
    mg_usage usage;
    mg_str session;
    bool resume_failed; /* it did not know the session: nothing was done */
    mg_strs denials;    /* permissions it was denied */
    bool rate_limited;
    int64_t reset_ms; /* wall clock; 0: not told */
    bool fatal;       /* authentication or configuration: trying again is pointless */
    bool errors;      /* it told of an error */
    bool silent;      /* nothing came on stdout */
    mg_str error;     /* in a sentence, or empty */
    void *messages;   /* of a C function: for the next attempt */
} mg_agent_end;       /* texts live in the arena that was given to start */

typedef struct mg_agent_calls {
    void (*output)(void *data, int stream, mg_str bytes); /* as it comes, raw; may be NULL */
    void (*ended)(void *data, const mg_agent_end *end);   /* exactly once; not from start */
    void *data;
} mg_agent_calls;

MG_MUST_CHECK mg_status mg_agent_start(const mg_agent *agent, mg_loop *loop,
                                       const mg_agent_request *request, const mg_agent_calls *calls,
                                       mg_arena *arena, mg_agent_run **out, mg_err *err);

/* Asks it to end (SIGINT, SIGTERM, SIGKILL with the drain time between); ended() follows. */
void mg_agent_stop(mg_agent_run *run);
/* Ends it at once; no callback follows. The run itself lives in the arena that was given to start
 * and ends with it, or with the loop; freeing it after its end, twice, or from a callback is
 * harmless. A C function gets its drain time to return in. Takes NULL. */
void mg_agent_free(mg_agent_run *run);

/* --- Which agent --- */

typedef struct mg_agent_spec {
    const char *preset;     /* or NULL */
    const mg_strs *command; /* argv of an agent of one's own; or NULL. {prompt} is replaced */
    mg_str shell;           /* or: text for sh -c, which gets the prompt on stdin; or empty. It may
                             * not have {prompt} in it: the shell would run what is in the prompt */
    const mg_strs *args;    /* added to the preset's; or NULL */
    const mg_env_var *env;  /* agent.env */
    size_t env_count;
    int cwd;                    /* what a program with '/' resolves against: a descriptor */
    const char *const *environ; /* what it inherits, whole: agents need their keys */
} mg_agent_spec;

/* MG_ERR_INVALID: no such preset (with the nearest), both or neither given; MG_ERR_NOT_FOUND: the
 * program is not there (exit 2, before the loop). What the spec points to must outlive the arena's
 * agent only as far as environ goes: its texts are not copied. */
MG_MUST_CHECK mg_status mg_agent_open(const mg_agent_spec *spec, mg_arena *arena,
                                      const mg_agent **out, mg_err *err);

const char *mg_agent_name(const mg_agent *agent);
bool mg_agent_resumes(const mg_agent *agent);               /* it can go on with a conversation */
const char *mg_agent_denial_setting(const mg_agent *agent); /* what to change; or NULL */

/* An attempt by a C function; see include/makegood/drive.h. */
typedef struct mg_agent_function {
    /* Runs on a thread of its own. cancel_fd becomes readable when it is to stop. Fills in
     * terminal, response, error, messages of out. */
    void (*run)(void *data, const mg_agent_request *request, int cancel_fd, mg_agent_end *out);
    void *data;
    const char *name;
} mg_agent_function;

const mg_agent *mg_agent_of_function(const mg_agent_function *function, mg_arena *arena);

typedef struct mg_preset_info {
    const char *name, *program, *summary;
    bool resumes, unproven;
} mg_preset_info;

/* The presets, for `makegood kinds`, help and the nearest name; NULL past the last. */
const mg_preset_info *mg_preset_at(size_t index);

#endif
