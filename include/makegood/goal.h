/* makegood/goal.h - a goal: what must hold, read from a file or from memory.
 *
 * A goal file names commands to run, so it is code: open only what you would run. Opening
 * runs nothing. A goal does not change after it was opened; it is used by one thread at a
 * time and outlives nothing: reports made from it stay valid after it is closed.
 */
#ifndef MAKEGOOD_GOAL_H
#define MAKEGOOD_GOAL_H

#include <makegood/error.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mg_goal mg_goal;

/* Opens a goal file (YAML or JSON). Its `root` is relative to the file's directory.
 * MG_ERR_INVALID: the file has mistakes, and error->text has a line for each.
 * The caller closes *out; it is written only on success. error may be NULL. */
MG_API MG_MUST_CHECK mg_status mg_goal_open_file(const char *path, mg_goal **out, mg_error *error);

/* The same from memory. Its `root` is relative to `directory`; NULL is the working one. The
 * text is copied. */
MG_API MG_MUST_CHECK mg_status mg_goal_open_text(const char *text, size_t length,
                                                 const char *directory, mg_goal **out,
                                                 mg_error *error);

MG_API void mg_goal_close(mg_goal *goal); /* takes NULL */

/* The sentence that says what is wanted, or "". Belongs to the goal. */
MG_API const char *mg_goal_sentence(const mg_goal *goal);

/* Entries of `assert:` and `invariant:` at the top level. */
MG_API size_t mg_goal_entry_count(const mg_goal *goal);

/* What is doubtful about the goal although it can be read: entries that prove nothing. */
MG_API size_t mg_goal_warning_count(const mg_goal *goal);
MG_API const char *mg_goal_warning(const mg_goal *goal, size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif

#endif
