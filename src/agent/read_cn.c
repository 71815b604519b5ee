/* read_cn.c - `cn --format json`: one object {response, status, note}. No session, no steps.
 *
 * A failure is told as {status, message} on stderr. */
#include "agent/reader.h"

static void event(mg_reader *r, const mg_json *event)
{
    const mg_str status = mg_event_text(event, "status");
    const mg_str message = mg_event_text(event, "message");
    if (status.len == 0 && mg_event_text(event, "response").len == 0)
        return;
    r->ended = true;
    mg_read_text(r, mg_event_text(event, "response"));
    if (mg_str_is(status, "success"))
        mg_read_recovered(r);
    else
        mg_read_failed(r, message.len > 0 ? message : mg_event_text(event, "response"), 0);
}

static void finish(mg_reader *r, const mg_read_exit *how)
{
    if (!r->ended && how->has_exit && how->exit_code != 0)
        mg_read_document(r, mg_buf_str(&r->errors));
}

const mg_format mg_format_cn = {
    .name = "cn",
    .final = "final object",
    .document = true,
    .knows_failures = true,
    .event = event,
    .finish = finish,
};
