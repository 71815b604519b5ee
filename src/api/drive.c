/* drive.c - the public face of driving: goals and watchers by functions. */
#include "api/api.h"
#include "loop/pursue.h"

mg_watcher mg_poll_watcher(mg_holds_fn probe, void *data, uint64_t every_ms)
{
    return (mg_watcher){sizeof(mg_watcher), probe, data, every_ms > 0 ? every_ms : 100};
}

mg_aim mg_until(mg_holds_fn holds, void *data, const char *feedback, mg_watcher *watcher)
{
    if (watcher != NULL)
        *watcher = mg_poll_watcher(holds, data, 0);
    return (mg_aim){.size = sizeof(mg_aim),
                    .holds = holds,
                    .data = data,
                    .feedback = feedback,
                    .looks_at_world = 1};
}

mg_aim mg_until_fn(mg_holds_fn holds, mg_feedback_fn feedback, void *data, mg_watcher *watcher)
{
    mg_aim aim = mg_until(holds, data, NULL, watcher);
    aim.feedback_fn = feedback;
    return aim;
}

mg_aim mg_goal_fn(mg_decide_fn decide, void *data)
{
    return (mg_aim){.size = sizeof(mg_aim), .decide = decide, .data = data};
}

mg_aim mg_verified(mg_aim aim)
{
    aim.looks_at_world = 1;
    return aim;
}

/* The caller's structs may be older and shorter than ours; what they lack is zero. */
#define KNOWN(to, from) memcpy(&(to), (from), MG_MIN((from)->size, sizeof(to)))

mg_status mg_drive(const mg_drive_request *request, const mg_drive_options *options,
                   mg_drive_outcome *outcome, mg_error *error)
{
    mg_drive_request asked = {0};
    mg_drive_options limits = MG_DRIVE_INIT;
    mg_drive_outcome told = MG_DRIVE_OUTCOME_INIT;
    mg_err err = {0};
    KNOWN(asked, request);
    if (options != NULL)
        KNOWN(limits, options);
    if (asked.attempt == NULL)
        return mg_api_fail(error, mg_fail(&err, MG_ERR_INVALID, "the request has no attempt"),
                           MG_STR("the request has no attempt function"));
    const mg_status s = mg_pursue(&asked, &limits, &mg_clock_system, &told, &err);
    if (s != MG_OK)
        return mg_api_fail(error, s, mg_str_of(err.text));
    const size_t size = MG_MIN(outcome->size, sizeof told);
    told.size = size;
    memcpy(outcome, &told, size);
    return MG_OK;
}
