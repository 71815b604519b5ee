/* param.h - one table says what may be written; everything else is derived from it.
 *
 * A row describes one key of a goal file: its name, type, default and help. The rows of an
 * assertion kind, of `agent:`, of the whole file are such tables. Reading, error messages,
 * `--help`, the documents and the JSON Schema for editors all come from them.
 */
#ifndef MG_MODEL_PARAM_H
#define MG_MODEL_PARAM_H

#include "base/err.h"
#include "base/str.h"
#include "data/regex.h"
#include "data/yaml.h"

typedef enum mg_param_type {
    MG_PARAM_TEXT = 1,
    MG_PARAM_PATH,     /* beneath the root: relative, without a way out */
    MG_PARAM_PATTERN,  /* PCRE2; not empty, does not match the empty text */
    MG_PARAM_INT,      /* within .min and .max */
    MG_PARAM_NUMBER,   /* whole or decimal */
    MG_PARAM_SIZE,     /* 10k */
    MG_PARAM_DURATION, /* 100ms */
    MG_PARAM_BOOL,
    MG_PARAM_CHOICE,  /* one of .choices */
    MG_PARAM_COMMAND, /* text for sh -c, or a list for exec */
    MG_PARAM_ENV,     /* [NAME, NAME=value] or {NAME: value} */
    MG_PARAM_TEXTS,   /* a list of texts; one text stands for a list of one */
    MG_PARAM_GLOBS,   /* a list of path patterns */
    MG_PARAM_VALUE,   /* anything, kept as it was written */
    MG_PARAM_OBJECT,  /* a mapping with .fields */
    MG_PARAM_OBJECTS, /* a list of such mappings */
    MG_PARAM_ENTRY,   /* one assertion */
    MG_PARAM_ENTRIES, /* a list of assertions */
} mg_param_type;

typedef struct mg_param mg_param;

struct mg_param {
    const char *name; /* NULL ends a table */
    mg_param_type type;
    bool required;
    bool or_bool;               /* an object that may also be written as true or false */
    const char *fallback;       /* the default, as it would be written; NULL: none */
    const char *help;           /* one line */
    const char *const *choices; /* ends with NULL */
    const mg_param *fields;     /* of an object */
    int64_t min, max;           /* of an int; both 0: no bound */
};

typedef struct mg_args mg_args;
typedef struct mg_entry mg_entry;

typedef struct mg_entries {
    mg_entry **items;
    size_t count, cap;
} mg_entries;

typedef struct mg_env_var {
    mg_str name;
    bool has_value; /* false: let the variable of that name through */
    mg_str value;
} mg_env_var;

typedef struct mg_value {
    bool set; /* written in the file, or given by the row's default */
    uint32_t line, column;
    mg_str text;         /* TEXT, PATH, CHOICE, COMMAND for the shell; of any scalar as written */
    const mg_node *node; /* as it was written; NULL where it is the default */
    bool boolean;        /* BOOL; of an object with or_bool: whether it is wanted at all */
    union {
        int64_t integer;
        double number;
        uint64_t amount; /* SIZE in bytes, DURATION in milliseconds */
        const mg_regex *regex;
        mg_strs texts; /* TEXTS, GLOBS, COMMAND as a list (then text is empty) */
        struct {
            mg_env_var *items;
            size_t count, cap;
        } env;
        const mg_args *object; /* never NULL: where it was not written it holds the defaults */
        struct {
            const mg_args **items;
            size_t count, cap;
        } objects;
        mg_entries entries; /* ENTRY has one */
    };
} mg_value;

struct mg_args {
    const mg_param *params;
    mg_value *values;      /* one for each row */
    uint32_t line, column; /* where the mapping begins */
};

/* The value of a row. A name that is not in the table is a bug of ours and stops the program. */
const mg_value *mg_arg(const mg_args *args, const char *name);

static inline bool mg_arg_set(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->set;
}

static inline mg_str mg_arg_text(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->text;
}

static inline int64_t mg_arg_int(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->integer;
}

static inline uint64_t mg_arg_amount(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->amount;
}

static inline const mg_args *mg_arg_object(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->object;
}

static inline const mg_regex *mg_arg_regex(const mg_args *args, const char *name)
{
    return mg_arg(args, name)->regex;
}

size_t mg_param_count(const mg_param *params);

/* "text", "a duration", "one of a, b or c": for sentences, help and documents. */
mg_str mg_param_type_text(const mg_param *param, mg_arena *arena);

#endif
