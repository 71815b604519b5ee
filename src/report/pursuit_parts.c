/* pursuit_parts.c - what the text and the page of a loop have in common. */
#include "report/pursuit.h"

#include "data/json.h"

const char *mg_pursuit_word(const mg_pursuit *p)
{
    static const char *const words[] = {
        [MG_PURSUIT_QUEUED] = "queued",       [MG_PURSUIT_RUNNING] = "running",
        [MG_PURSUIT_SUCCEEDED] = "succeeded", [MG_PURSUIT_GAVE_UP] = "gave up",
        [MG_PURSUIT_ERRORED] = "errored",     [MG_PURSUIT_CANCELLED] = "cancelled",
    };
    if (p->status == MG_PURSUIT_SUCCEEDED && !mg_pursuit_holds(p))
        return "not verified";
    if (p->status == MG_PURSUIT_RUNNING && p->stale)
        return "stale";
    return (size_t)p->status < MG_COUNT(words) ? words[p->status] : "unknown";
}

mg_look mg_pursuit_last_look(const mg_pursuit *p)
{
    mg_look look = {.results = p->baseline, .count = p->baseline_count};
    for (size_t i = p->attempt_count; i > 0; i--) {
        if (p->attempts[i - 1].result_count == 0)
            continue;
        look.results = p->attempts[i - 1].results;
        look.count = p->attempts[i - 1].result_count;
        look.after = &p->attempts[i - 1];
        break;
    }
    for (size_t i = 0; i < look.count; i++)
        look.holding += look.results[i].outcome == MG_OUTCOME_PASS;
    return look;
}

bool mg_look_is_current(const mg_pursuit *p, const mg_look *look)
{
    if (p->attempt_count > 0)
        return look->after == &p->attempts[p->attempt_count - 1];
    return p->status != MG_PURSUIT_CANCELLED && p->status != MG_PURSUIT_RUNNING;
}

bool mg_attempt_judged(const mg_attempt *a)
{
    return a->terminal != MG_TERMINAL_CANCELLED || a->watched || a->result_count > 0;
}

/* Without a goal file the frozen text is what drive wrote itself: JSON. */
mg_str mg_pursuit_title(const mg_pursuit *p, mg_arena *arena)
{
    const mg_json *json, *command;
    mg_str text;
    if (p->goal.len > 0 || p->goal_file.len > 0)
        return p->goal;
    if (mg_json_parse(p->frozen, &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &json, NULL) !=
            MG_OK ||
        mg_json_at(json, MG_STR("/assert/0/command_returns/run"), &command, NULL) != MG_OK ||
        !mg_json_is_text(command, &text))
        return MG_STR("");
    return mg_strf(arena, "--until '" MG_FMT "'", MG_ARG(text));
}

size_t mg_attempt_changed(const mg_attempt *attempt)
{
    size_t count = 0;
    for (size_t i = 0; i < attempt->changes.count; i++)
        count += !attempt->changes.items[i].no_op;
    return count;
}
