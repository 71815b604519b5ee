/* environment.c - what a command inherits: everything but secrets.
 *
 * The commands of a goal run what an agent wrote, and their output goes into reports and back
 * to the agent. So a variable that looks like a secret stays behind unless the goal file
 * names it under `env:`. Looks are the words of its name (GITHUB_TOKEN, apiKey; not
 * KEYBOARD, not PATH) and the shape of its value (a URL with a password, a key with a known
 * prefix). SSH_AUTH_SOCK stays behind too: it is a path, but whoever can open it can log in
 * as the user. What steers the loader or an interpreter (LD_PRELOAD, PYTHONPATH) is no
 * secret and is kept: whoever set it wants it.
 */
#include "base/map.h"
#include "world/world.h"

#include <ctype.h>

/* Secret as a whole word of the name. */
static const char *const secret_words[] = {
    "KEY",      "KEYS",       "APIKEY",      "APIKEYS", "TOKEN", "TOKENS", "SECRET",
    "SECRETS",  "PASSWORD",   "PASSWORDS",   "PASSWD",  "PASS",  "PWD",    "PASSPHRASE",
    "PASSCODE", "CREDENTIAL", "CREDENTIALS", "CREDS",   "CRED",  "AUTH",   "AUTHORIZATION",
    "OAUTH",    "COOKIE",     "COOKIES",     "PAT",     "JWT",   "BEARER",
};

/* Secret at the end of a word that was written together: PGPASSWORD, GITHUBTOKEN. */
static const char *const secret_endings[] = {
    "PASSWORD", "PASSWD", "PASSPHRASE", "TOKEN", "SECRET", "APIKEY", "SECRETKEY", "ACCESSKEY",
};

/* Names whose words mislead. */
static const char *const harmless_names[] = {"PWD", "OLDPWD"};

typedef struct key_shape {
    const char *prefix;
    size_t min; /* characters that follow: letters, digits, '-', '_' and '.' */
} key_shape;

static const key_shape key_shapes[] = {
    {"sk-", 16},      {"sk_live_", 10},
    {"sk_test_", 10}, {"rk_live_", 10},
    {"ghp_", 20},     {"gho_", 20},
    {"ghu_", 20},     {"ghs_", 20},
    {"ghr_", 20},     {"github_pat_", 20},
    {"glpat-", 16},   {"AKIA", 16},
    {"ASIA", 16},     {"AIza", 30},
    {"xoxb-", 10},    {"xoxp-", 10},
    {"xoxa-", 10},    {"xoxr-", 10},
    {"xoxs-", 10},    {"npm_", 30},
    {"pypi-", 30},    {"hf_", 20},
    {"dop_v1_", 30},  {"SG.", 30},
    {"eyJ", 60},      {"AGE-SECRET-KEY-", 20},
};

static bool word_in(mg_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == word.len && strncasecmp(list[i], word.ptr, word.len) == 0)
            return true;
    return false;
}

static bool ends_as_secret(mg_str word)
{
    for (size_t i = 0; i < MG_COUNT(secret_endings); i++) {
        const size_t len = strlen(secret_endings[i]);
        if (word.len > len && strncasecmp(word.ptr + word.len - len, secret_endings[i], len) == 0)
            return true;
    }
    return false;
}

/* Whether a word ends before byte i: aB, ABc (before the B), and around whatever is no letter. */
static bool word_ends(mg_str name, size_t i)
{
    const unsigned char before = (unsigned char)name.ptr[i - 1], here = (unsigned char)name.ptr[i];
    if (isalpha(before) == 0 || isalpha(here) == 0)
        return true;
    if (islower(before) != 0 && isupper(here) != 0)
        return true;
    return isupper(before) != 0 && isupper(here) != 0 && i + 1 < name.len &&
           islower((unsigned char)name.ptr[i + 1]) != 0;
}

static bool secret_name(mg_str name)
{
    if (word_in(name, harmless_names, MG_COUNT(harmless_names)))
        return false;
    size_t begin = 0;
    for (size_t i = 1; i <= name.len; i++) {
        if (i < name.len && !word_ends(name, i))
            continue;
        const mg_str word = {name.ptr + begin, i - begin};
        if (word_in(word, secret_words, MG_COUNT(secret_words)) || ends_as_secret(word))
            return true;
        begin = i;
    }
    return false;
}

/* --- Values --- */

static bool key_char(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '-' || c == '_' || c == '.';
}

static bool key_at(mg_str value, size_t at)
{
    const mg_str rest = mg_str_from(value, at);
    for (size_t i = 0; i < MG_COUNT(key_shapes); i++) {
        if (!mg_str_starts(rest, key_shapes[i].prefix))
            continue;
        size_t end = strlen(key_shapes[i].prefix);
        const size_t begin = end;
        while (end < rest.len && key_char(rest.ptr[end]))
            end++;
        if (end - begin >= key_shapes[i].min)
            return true;
    }
    return false;
}

/* "user:password@" after "://". */
static bool password_at(mg_str value, size_t at)
{
    if (!mg_str_starts(mg_str_from(value, at), "://"))
        return false;
    size_t colon = 0;
    for (size_t i = at + 3; i < value.len; i++) {
        const char c = value.ptr[i];
        if (c == '@')
            return colon > 0 && i > colon + 1;
        if (c == '/' || c == '?' || c == '#' || isspace((unsigned char)c) != 0)
            return false;
        if (c == ':' && colon == 0)
            colon = i;
    }
    return false;
}

static bool secret_value(mg_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        const bool word_begins = i == 0 || isalnum((unsigned char)value.ptr[i - 1]) == 0;
        if ((word_begins && key_at(value, i)) || (value.ptr[i] == ':' && password_at(value, i)))
            return true;
    }
    return mg_str_has(value, "PRIVATE KEY-----");
}

bool mg_env_secret(mg_str name, mg_str value)
{
    return secret_name(name) || secret_value(value);
}

/* --- The environment --- */

typedef struct variables {
    const char **items;
    size_t count;
    mg_map seen; /* by name: the goal file's word counts, and each name once */
    mg_arena *arena;
} variables;

static bool first_of_name(variables *v, mg_str name)
{
    return mg_map_put(&v->seen, name, v) == NULL;
}

/* Where "NAME=value" of the inherited ones is, or NULL. */
static const char *inherited(const char *const *env, mg_str name)
{
    for (; *env != NULL; env++)
        if (strncmp(*env, name.ptr, name.len) == 0 && (*env)[name.len] == '=')
            return *env;
    return NULL;
}

static void add_let(variables *v, const mg_env_var *var, const char *const *env)
{
    if (!first_of_name(v, var->name))
        return;
    const char *found = NULL;
    if (var->has_value)
        found = mg_strf(v->arena, MG_FMT "=" MG_FMT, MG_ARG(var->name), MG_ARG(var->value)).ptr;
    else
        found = inherited(env, mg_str_copy(v->arena, var->name));
    if (found != NULL)
        v->items[v->count++] = found;
}

const char *const *mg_environment(const char *const *environ_, const mg_env_var *let, size_t count,
                                  mg_arena *arena)
{
    static const char *const nothing[] = {NULL};
    const char *const *env = environ_ != NULL ? environ_ : nothing;
    size_t all = 0;
    while (env[all] != NULL)
        all++;
    variables v = {mg_new_array(arena, const char *, all + count + 1), 0, mg_map_new(arena), arena};
    for (size_t i = count; i > 0; i--) /* the last one of a name wins */
        add_let(&v, &let[i - 1], env);
    for (; *env != NULL; env++) {
        const mg_str var = mg_str_of(*env);
        const size_t equals = mg_str_find(var, '=', 0);
        const mg_str name = mg_str_first(var, equals);
        if (equals == 0 || equals == var.len || !first_of_name(&v, name) ||
            mg_env_secret(name, mg_str_from(var, equals + 1)))
            continue;
        v.items[v.count++] = *env;
    }
    v.items[v.count] = NULL;
    return v.items;
}
