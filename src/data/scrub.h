/* scrub.h - foreign text made fit to be told to a model.
 *
 * Scrubbing takes out what must not travel: secrets (by shape, and by the values of secret-looking
 * variables), URLs with credentials, product names of scanners in every spelling, markers that try
 * to give orders (also in look-alike letters). Fencing marks the rest as somebody else's words.
 * Always scrub, then truncate.
 */
#ifndef MG_DATA_SCRUB_H
#define MG_DATA_SCRUB_H

#include "base/str.h"

typedef struct mg_scrub mg_scrub;

/* secrets: values that must never appear (shorter than 6 bytes are left alone); copied. */
const mg_scrub *mg_scrub_new(const mg_strs *secrets, mg_arena *arena);

typedef enum mg_scrub_how {
    MG_SCRUB_TEXT = 0, /* product names, secrets, injection markers */
    MG_SCRUB_BLOCKED,  /* of a blocked or denied step: also generic words (scanner, rule id), and
                        * only error shapes of the allowlist get through, at most 150 characters */
} mg_scrub_how;

/* Another one that leaves the names of products alone inside these paths (and their last parts):
 * a file 'yara_rules.py' that exists may be named. The paths are copied. */
const mg_scrub *mg_scrub_keeping(const mg_scrub *scrub, const mg_strs *paths, mg_arena *arena);

/* Valid UTF-8, without control characters but tabs and line ends. A text that could not be
 * searched is withheld whole. */
mg_str mg_scrub_apply(const mg_scrub *scrub, mg_scrub_how how, mg_str text, mg_arena *arena);

/* The first max_chars characters (not bytes); "..." at their end marks a cut. */
mg_str mg_text_cut(mg_arena *arena, mg_str text, size_t max_chars);

/* The text between fences that it cannot close itself, said to be untrusted; the last max_bytes of
 * it. label: "output of 'make test'". */
mg_str mg_fence(mg_arena *arena, const char *label, mg_str text, size_t max_bytes);

#endif
