/* evidence.h - what was seen of an attempt: its words, its steps, what changed on disk.
 *
 * A plain `check` has no attempt; whoever drives one fills this in. Lists that were not
 * observed are absent (NULL), which is not the same as empty.
 */
#ifndef MG_MODEL_EVIDENCE_H
#define MG_MODEL_EVIDENCE_H

#include "base/str.h"
#include "data/hash.h"

typedef enum mg_change_type {
    MG_CHANGE_NONE = 0,
    MG_CHANGE_CREATED,
    MG_CHANGE_MODIFIED,
    MG_CHANGE_DELETED,
    MG_CHANGE_RENAMED, /* counts as deleted at the old path and created at the new one */
    MG_CHANGE_MODE,
    MG_CHANGE_LINK,
} mg_change_type;

typedef struct mg_change {
    mg_str path, old_path; /* old_path only of a rename */
    mg_change_type type;
    bool no_op;                         /* written, but with the content it had */
    int64_t size_before, size_after;    /* bytes; -1: it is not there, or has none */
    int64_t lines_added, lines_deleted; /* -1: not text, too large, or the old text is gone */
} mg_change;

typedef struct mg_changes { /* since the loop began */
    const mg_change *items;
    size_t count;
} mg_changes;

typedef struct mg_step { /* one thing the attempt did, as far as it can be seen */
    mg_str id, tool;
    mg_str output;
    bool output_cut; /* there was more than is kept: absence proves nothing */
    bool has_exit;
    int64_t exit_code;
} mg_step;

typedef struct mg_baseline_file { /* how a path was when the loop began */
    mg_str path;
    bool existed;
    mg_hash hash;
} mg_baseline_file;

typedef struct mg_evidence {
    const mg_str *response; /* the agent's final text */
    bool response_cut;      /* there was more of it than is kept: absence proves nothing */
    const mg_step *steps;
    size_t step_count;
    bool steps_known;
    const mg_changes *changes;
    const mg_baseline_file *baseline;
    size_t baseline_count;
} mg_evidence;

#endif
