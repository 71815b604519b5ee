/* limits.c - the defaults. */
#include "base/limits.h"

const mg_limits mg_limits_default = {
    .goal_bytes = 4u << 20,
    .goal_depth = 64,
    .goal_nodes = 200000,
    .group_depth = 16,
    .json_bytes = 8u << 20,
    .json_depth = 64,
    .search_bytes = 4u << 20,
    .search_window = 128u << 10,
    .regex_steps = 20000000,
    .regex_heap_kb = 8192,
    .output_tail = 4096,
    .body_bytes = 8u << 20,
    .body_stream = 256u << 20,
    .report_bytes = 256u << 20,
    .redirects = 5,
};
