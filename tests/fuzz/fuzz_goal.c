/* Goal files: read, or refused with a problem that has a place and a sentence. */
#include "check/check.h"
#include "fuzz.h"
#include "model/goal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_str text = {(const char *)data, size};
    const mg_goal *goal = NULL;
    mg_problems problems = {0};
    const mg_status s = mg_goal_read(text, MG_STR("fuzz.yaml"), mg_check_kinds, &mg_limits_default,
                                     arena, &goal, &problems);
    MUST((s == MG_OK) == (goal != NULL));
    MUST((s == MG_OK) ==
         (problems.count == 0)); /* never read with a problem, nor refused without */
    mg_buf shown = mg_buf_new(arena, 1u << 20);
    mg_problems_text(&problems, MG_STR("fuzz.yaml"), &shown);
    for (size_t i = 0; i < problems.count; i++)
        MUST(problems.items[i].text.len > 0);
    if (goal != NULL) {
        for (size_t i = 0; i < goal->entries.count; i++)
            MUST(goal->entries.items[i]->name.len > 0);
    }
    return 0;
}
