/* survey.h - what a project says about itself, and what could be asserted of it. */
#ifndef MG_CLI_SURVEY_H
#define MG_CLI_SURVEY_H

#include "base/buf.h"

typedef struct mg_proposal {
    mg_str comment; /* one line: where it comes from */
    mg_str yaml;    /* the entry, from its dash on, a line each */
    bool live;      /* false: it is written as a comment */
    mg_str why_not; /* why it is not live: one line */
} mg_proposal;

enum { MG_PROPOSALS_MAX = 50 };

typedef struct mg_found {
    const char *file;
    const char *meaning; /* "a Node.js package" */
} mg_found;

typedef struct mg_survey {
    int dir; /* the project, a descriptor */
    mg_arena *arena;
    struct {
        mg_found *items;
        size_t count, cap;
    } found;
    struct {
        mg_proposal *items;
        size_t count, cap;
    } proposals;
    size_t dropped; /* proposals beyond the most that are made */
    mg_strs notes;  /* sentences about what could not be read */
} mg_survey;

/* Looks, reads, runs nothing. Proposes MG_PROPOSALS_MAX entries at most. */
void mg_survey_project(mg_survey *survey);

/* A scalar that reads back as exactly this text: plain where that is safe, else quoted. */
void mg_yaml_scalar(mg_buf *out, mg_str text);

#endif
