/* target.h - a goal together with the piece of the world it is about.
 *
 * The public face and the program open goals through here, so that both resolve `root` and
 * refuse mistakes in the same way. Nothing is run.
 */
#ifndef MG_API_TARGET_H
#define MG_API_TARGET_H

#include "check/check.h"

typedef struct mg_source {
    mg_str text;
    mg_str directory; /* of the file, with its slash: what root is relative to; or empty */
} mg_source;

/* Reads a goal's text from fd, which is open on `file` (NULL: it has no name, as stdin). What
 * comes through a pipe stands in no directory. A path may lead anywhere: it is the user's own
 * word; only what a goal speaks of must stay beneath its root. */
MG_MUST_CHECK mg_status mg_source_read(int fd, const char *file, mg_arena *arena, mg_source *out,
                                       mg_err *err);

/* Makes a goal of it. On failure `complaint` has the sentences, a line each. */
MG_MUST_CHECK mg_status mg_target_read(mg_str text, mg_str name, mg_arena *arena,
                                       const mg_goal **out, mg_buf *complaint);

/* Opens the directory that the goal is about: `root` if it is given (relative to the working
 * directory), else the goal's own, relative to `directory`. */
MG_MUST_CHECK mg_status mg_target_world(const mg_goal *goal, mg_str directory, const char *root,
                                        mg_arena *arena, mg_world *out, mg_err *err);

#endif
