/* glob.h - path patterns: `*` and `?` stay within a component, `**` crosses them.
 *
 * [a-z] and [!a-z] are classes, a backslash takes the next character literally, a pattern
 * that ends in '/' means everything beneath that directory. Matching takes at most
 * pattern * path steps, whatever the pattern.
 */
#ifndef MG_DATA_GLOB_H
#define MG_DATA_GLOB_H

#include "base/err.h"
#include "base/str.h"

/* Whether it can be matched at all: not empty, not absolute, no "..", classes closed. */
MG_MUST_CHECK mg_status mg_glob_valid(mg_str pattern, mg_err *err);

/* Whether the whole path matches. Both are relative; a leading "./" is ignored on both. */
bool mg_glob_match(mg_str pattern, mg_str path);

/* A pattern that matches this path and nothing else. */
mg_str mg_glob_literal(mg_str path, mg_arena *arena);

#endif
