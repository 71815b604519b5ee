/* diff.h - how many lines were added and deleted between two texts: git's numbers. */
#ifndef MG_DATA_DIFF_H
#define MG_DATA_DIFF_H

#include "base/str.h"

/* The fewest added and deleted lines that make `after` of `before` (a last line without its line
 * end differs from one with it). False, and nothing written: the texts differ so much that
 * finding out takes longer than it is worth. */
bool mg_diff_lines(mg_str before, mg_str after, int64_t *added, int64_t *deleted);

#endif
