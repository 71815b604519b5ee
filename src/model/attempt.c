/* attempt.c - the words for attempts: what they are called in JSON, in the store and to people.
 *
 * A value that is none of the known ones has the name of the zero value, and a name that is none
 * of the known ones gives the zero value: nothing here turns a surprise into a success.
 */
#include "model/attempt.h"

static const char *const terminal_names[] = {
    [MG_TERMINAL_NONE] = "unknown",
    [MG_TERMINAL_COMPLETED] = "completed",
    [MG_TERMINAL_MAX_ITERATIONS] = "max_iterations",
    [MG_TERMINAL_CANCELLED] = "cancelled",
    [MG_TERMINAL_TIMEOUT] = "timeout",
    [MG_TERMINAL_ERROR] = "error",
};

static const char *const status_names[] = {
    [MG_ATTEMPT_UNVERIFIED] = "unverified",
    [MG_ATTEMPT_SUCCESS] = "success",
    [MG_ATTEMPT_PARTIAL] = "partial",
    [MG_ATTEMPT_FAILED] = "failed",
};

static const char *const change_names[] = {
    [MG_CHANGE_NONE] = "unknown",      [MG_CHANGE_CREATED] = "created",
    [MG_CHANGE_MODIFIED] = "modified", [MG_CHANGE_DELETED] = "deleted",
    [MG_CHANGE_RENAMED] = "renamed",   [MG_CHANGE_MODE] = "mode",
    [MG_CHANGE_LINK] = "link",
};

static const char *const level_names[] = {
    [MG_LEVEL_NONE] = "none",
    [MG_LEVEL_LOW] = "low",
    [MG_LEVEL_MEDIUM] = "medium",
    [MG_LEVEL_HIGH] = "high",
};

static const char *name_of(const char *const *names, size_t count, size_t value)
{
    return names[value < count ? value : 0];
}

static size_t named(const char *const *names, size_t count, mg_str name)
{
    for (size_t i = 1; i < count; i++) {
        if (mg_str_is(name, names[i]))
            return i;
    }
    return 0;
}

const char *mg_terminal_name(mg_terminal terminal)
{
    return name_of(terminal_names, MG_COUNT(terminal_names), (size_t)terminal);
}

const char *mg_attempt_status_name(mg_attempt_status status)
{
    return name_of(status_names, MG_COUNT(status_names), (size_t)status);
}

const char *mg_change_name(mg_change_type type)
{
    return name_of(change_names, MG_COUNT(change_names), (size_t)type);
}

const char *mg_level_name(mg_level level)
{
    return name_of(level_names, MG_COUNT(level_names), (size_t)level);
}

mg_terminal mg_terminal_named(mg_str name)
{
    return (mg_terminal)named(terminal_names, MG_COUNT(terminal_names), name);
}

mg_attempt_status mg_attempt_status_named(mg_str name)
{
    return (mg_attempt_status)named(status_names, MG_COUNT(status_names), name);
}

mg_change_type mg_change_named(mg_str name)
{
    return (mg_change_type)named(change_names, MG_COUNT(change_names), name);
}

mg_level mg_level_named(mg_str name)
{
    return (mg_level)named(level_names, MG_COUNT(level_names), name);
}

/* Why it ended and whether the goal holds are told together only here, for people. An agent that
 * failed may still have met the goal; then that is what matters. */
const char *mg_attempt_label(const mg_attempt *attempt)
{
    static const struct {
        const char *not_met, *unknown;
    } labels[] = {
        [MG_TERMINAL_NONE] = {"goal not met", "goal not verified"},
        [MG_TERMINAL_COMPLETED] = {"agent stopped, goal not met",
                                   "agent stopped, goal not verified"},
        [MG_TERMINAL_MAX_ITERATIONS] = {"hit iteration cap, goal not met",
                                        "hit iteration cap, goal not verified"},
        [MG_TERMINAL_CANCELLED] = {"cancelled, goal not met", "cancelled, goal not verified"},
        [MG_TERMINAL_TIMEOUT] = {"timed out, goal not met", "timed out, goal not verified"},
        [MG_TERMINAL_ERROR] = {"run error", "run error, goal not verified"},
    };
    const size_t row = (size_t)attempt->terminal < MG_COUNT(labels) ? (size_t)attempt->terminal : 0;
    if (attempt->verdict == MG_VERDICT_MET)
        return "goal met";
    return attempt->verdict == MG_VERDICT_NOT_MET ? labels[row].not_met : labels[row].unknown;
}
