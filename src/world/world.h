/* world.h - the piece of the world that a goal is about: a directory, and what may be asked
 * over the network. */
#ifndef MG_WORLD_WORLD_H
#define MG_WORLD_WORLD_H

#include "base/fs.h"
#include "model/param.h"

#include <sys/socket.h>

typedef struct mg_world {
    int root;                   /* a directory descriptor; every path is opened beneath it */
    mg_str root_path;           /* for messages */
    const mg_strs *probe_allow; /* addresses that are refused otherwise */
    const char *const *environ; /* what a command may inherit from, ends with NULL */
} mg_world;

/* Opens root; the descriptor is closed with the arena. */
MG_MUST_CHECK mg_status mg_world_open(const char *root, mg_arena *arena, mg_world *out,
                                      mg_err *err);

/* Whether an address may be probed: not link-local, not a cloud's metadata service, unless
 * `allow` names it (an address, or a prefix such as 169.254.0.0/16). */
bool mg_address_allowed(const struct sockaddr *address, const mg_strs *allow);

/* Whether text is an address or a prefix that `probe.allow` understands. */
MG_MUST_CHECK mg_status mg_address_rule_valid(mg_str rule, mg_err *err);

/* The environment of a command: `environ` without what looks like a secret, plus `let`. */
const char *const *mg_environment(const char *const *environ, const mg_env_var *let, size_t count,
                                  mg_arena *arena);

/* Whether a variable looks like a secret by its name (TOKEN, API_KEY, ...) or its value. */
bool mg_env_secret(mg_str name, mg_str value);

#endif
