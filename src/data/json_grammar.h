/* json_grammar.h - whether a text is JSON by RFC 8259, to the letter. Private to data/. */
#ifndef MG_DATA_JSON_GRAMMAR_H
#define MG_DATA_JSON_GRAMMAR_H

#include "base/err.h"
#include "base/str.h"

typedef struct mg_json_facts {
    size_t keys; /* how many were written, equal ones included */
    struct {     /* where whole numbers end that do not fit into 64 bits with a sign */
        size_t *items;
        size_t count, cap;
    } large;
} mg_json_facts;

/* MG_OK where text is one JSON value and nothing else; the error names line and column.
 * MG_ERR_LIMIT where it nests deeper than max_depth. The facts live in the arena. */
MG_MUST_CHECK mg_status mg_json_grammar(mg_str text, size_t max_depth, mg_arena *arena,
                                        mg_json_facts *out, mg_err *err);

/* Whether two escapes that make one character beyond U+FFFF (12 bytes) stand at the front. */
bool mg_json_surrogates(mg_str s, uint32_t *c);

#endif
