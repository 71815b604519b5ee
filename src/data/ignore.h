/* ignore.h - .gitignore rules, read once and asked often.
 *
 * As git has it: within a file the last rule that matches wins, a file deeper down wins over one
 * above, a rule with a slash is anchored where its file lies, one with a slash at its end is about
 * directories, `!` takes back, and what lies in an ignored directory stays ignored. Patterns are
 * matched byte by byte, in time bounded by pattern times path.
 */
#ifndef MG_DATA_IGNORE_H
#define MG_DATA_IGNORE_H

#include "base/err.h"
#include "base/str.h"

typedef struct mg_ignore mg_ignore;
typedef struct mg_ignore_file mg_ignore_file; /* the rules of one file, and of those above it */

mg_ignore *mg_ignore_new(mg_arena *arena);

/* Adds the rules in `text`, a .gitignore in the directory `dir` ("" is the root). Directories
 * come before what is beneath them. MG_ERR_LIMIT when there are too many rules. */
MG_MUST_CHECK mg_status mg_ignore_add(mg_ignore *ignore, mg_str dir, mg_str text, mg_err *err);

/* Going down a tree: the rules that hold in `dir`, given those that hold above it (NULL: none). */
const mg_ignore_file *mg_ignore_enter(const mg_ignore *ignore, const mg_ignore_file *above,
                                      mg_str dir);

/* What the rules say of a path itself; its parents are known not to be ignored. */
bool mg_ignore_here(const mg_ignore_file *rules, mg_str path, bool is_dir);

/* The same with every parent asked first. */
bool mg_ignore_path(const mg_ignore *ignore, mg_str path, bool is_dir);

/* Whether the pattern of one rule matches the text, `*` staying within a component. */
bool mg_ignore_wildmatch(mg_str pattern, mg_str text);

#endif
