/* limits.h - every bound on what comes from outside, in one place. */
#ifndef MG_BASE_LIMITS_H
#define MG_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct mg_limits {
    size_t goal_bytes;  /* a goal file */
    size_t goal_depth;  /* nesting of YAML or JSON in it */
    size_t goal_nodes;  /* values in it */
    size_t group_depth; /* all/any/not inside each other */
    size_t json_bytes;  /* a JSON document that a kind parses whole */
    size_t json_depth;
    size_t search_bytes;  /* the longest stretch one match may need at once */
    size_t search_window; /* how much of a large text is searched at once, to begin with */
    uint32_t regex_steps; /* of one match over the text at hand: a hostile pattern cannot hang us */
    uint32_t regex_heap_kb; /* and cannot eat the memory */
    size_t output_tail;     /* of a command's output, kept to be shown */
    size_t body_bytes;      /* of an HTTP answer, kept whole where JSON is asked of it */
    size_t body_stream;     /* of an HTTP answer, read through a pattern */
    size_t report_bytes;    /* a finished report */
    unsigned redirects;     /* on the same host */
} mg_limits;

extern const mg_limits mg_limits_default;

#endif
