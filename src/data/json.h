/* json.h - strict JSON (RFC 8259) read through json-c, and JSON written with bounds.
 *
 * Strict: UTF-8 only, nothing after the value, no comments, no trailing commas, no NaN, no
 * control bytes in strings. Integers keep 64 bits.
 */
#ifndef MG_DATA_JSON_H
#define MG_DATA_JSON_H

#include "base/buf.h"
#include "base/limits.h"
#include "data/yaml.h"

typedef struct json_object mg_json; /* json-c's; JSON null is a NULL pointer there */

typedef enum mg_json_rules {
    MG_JSON_PLAIN = 0,
    MG_JSON_UNIQUE_KEYS, /* a key that stands twice in an object is an error, not "the last wins" */
} mg_json_rules;

/* The document lives as long as the arena. */
MG_MUST_CHECK mg_status mg_json_parse(mg_str text, const mg_limits *limits, mg_json_rules rules,
                                      mg_arena *arena, const mg_json **out, mg_err *err);

/* RFC 6901: "/a/0/b"; "" is the whole document. MG_ERR_NOT_FOUND if nothing is there. */
MG_MUST_CHECK mg_status mg_json_at(const mg_json *json, mg_str pointer, const mg_json **out,
                                   mg_err *err);

/* Whether it is a well-formed pointer: empty, or beginning with '/'. */
MG_MUST_CHECK mg_status mg_json_pointer_valid(mg_str pointer, mg_err *err);

/* Calls fn for each member of an object, in the order of the text; for nothing else. */
void mg_json_each(const mg_json *object, void (*fn)(void *data, mg_str key, const mg_json *value),
                  void *data);

bool mg_json_is_text(const mg_json *json, mg_str *text);
bool mg_json_is_number(const mg_json *json, double *number);
bool mg_json_is_int(const mg_json *json, int64_t *number); /* written whole, within 64 bits */
bool mg_json_is_bool(const mg_json *json, bool *value);
bool mg_json_is_null(const mg_json *json);
bool mg_json_is_list(const mg_json *json, size_t *count);
bool mg_json_is_object(const mg_json *json);

const mg_json *mg_json_item(const mg_json *list, size_t index); /* NULL beyond the end */

/* The member; false where there is none, or json is no object. A member that is null is there. */
bool mg_json_get(const mg_json *object, const char *key, const mg_json **out);

/* Equal by type and value; 1 and 1.0 are equal, 1 and "1" are not. Objects in any order. */
bool mg_json_equals(const mg_json *json, const mg_node *node);

/* Compact JSON text of it. */
mg_str mg_json_text(const mg_json *json, mg_arena *arena);

/* --- Writing: each value once, commas and escapes by themselves. Text that is not valid
 *     UTF-8 is written with U+FFFD, so the result is always JSON. --- */

enum { MG_JSON_DEPTH = 128 }; /* deeper marks the buffer as cut */

typedef struct mg_json_out {
    mg_buf *buf;
    unsigned depth;
    bool pretty;
    bool after_key;
    bool filled[MG_JSON_DEPTH + 1]; /* per level: a value stands before */
} mg_json_out;

void mg_json_begin(mg_json_out *out, char bracket); /* '{' or '[' */
void mg_json_end(mg_json_out *out, char bracket);   /* '}' or ']' */
void mg_json_key(mg_json_out *out, const char *key);
void mg_json_key_str(mg_json_out *out, mg_str key);
void mg_json_str(mg_json_out *out, mg_str text);
void mg_json_cstr(mg_json_out *out, const char *text); /* NULL gives null */
void mg_json_int(mg_json_out *out, int64_t value);
void mg_json_number(mg_json_out *out, double value);        /* non-finite gives null */
void mg_json_milli(mg_json_out *out, uint64_t thousandths); /* exactly: 4 is 0.004 */
void mg_json_bool(mg_json_out *out, bool value);
void mg_json_null(mg_json_out *out);

/* The value of a goal file as JSON. */
void mg_json_node(mg_json_out *out, const mg_node *node);

#endif
