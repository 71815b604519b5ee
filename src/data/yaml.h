/* yaml.h - YAML (and with it JSON) as a tree in which every node knows its place.
 *
 * Scalars follow the YAML 1.2 core schema: `on`, `no` and `010` are text, as is everything
 * in quotes. Anchors, aliases, tags and merge keys are refused: a goal file says what it
 * means where it means it. Duplicate keys are errors.
 */
#ifndef MG_DATA_YAML_H
#define MG_DATA_YAML_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

typedef enum mg_node_type {
    MG_NODE_NULL = 0,
    MG_NODE_BOOL,
    MG_NODE_INT,
    MG_NODE_NUMBER, /* a float */
    MG_NODE_TEXT,
    MG_NODE_LIST,
    MG_NODE_MAP,
} mg_node_type;

typedef struct mg_node mg_node;
typedef struct mg_pair mg_pair;

struct mg_node {
    mg_node_type type;
    uint32_t line, column; /* from 1 */
    mg_str text;           /* a scalar as it was written, without its quotes */
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct {
            mg_node *items;
            size_t count, cap;
        } list;
        struct {
            mg_pair *items; /* in the order of the file */
            size_t count, cap;
        } map;
    };
};

struct mg_pair {
    mg_str key;
    uint32_t line, column; /* of the key */
    mg_node value;
};

/* One document. On failure *line and *column say where; the sentence does not repeat them. */
MG_MUST_CHECK mg_status mg_yaml_parse(mg_str text, const mg_limits *limits, mg_arena *arena,
                                      mg_node **out, uint32_t *line, uint32_t *column, mg_err *err);

/* The value under key of a map, or NULL. */
const mg_node *mg_node_get(const mg_node *map, const char *key);

/* "a list", "text", "a whole number": what to call it in a sentence. */
const char *mg_node_type_name(mg_node_type type);

#endif
