/* event.c - what happens, told once: numbered, stored, streamed. */
#include "base/clock.h"
#include "loop/state.h"

#include <assert.h>

static const char *const names[] = {
    [MG_EVENT_LOOP_STARTED] = "loop_started",
    [MG_EVENT_BASELINE] = "baseline",
    [MG_EVENT_ATTEMPT_STARTED] = "attempt_started",
    [MG_EVENT_OUTPUT] = "output",
    [MG_EVENT_ASSERTION] = "assertion",
    [MG_EVENT_ATTEMPT_FINISHED] = "attempt_finished",
    [MG_EVENT_GAP] = "gap",
    [MG_EVENT_LOOP_FINISHED] = "loop_finished",
};

const char *mg_event_name(mg_event_type type)
{
    return (size_t)type < MG_COUNT(names) ? names[type] : NULL;
}

static void put(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_str(json, text);
}

static void put_number(mg_json_out *json, const char *key, uint64_t number)
{
    mg_json_key(json, key);
    mg_json_int(json, (int64_t)number);
}

static void put_results(mg_json_out *json, const mg_result *results, size_t count)
{
    mg_json_key(json, "results");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < count; i++)
        mg_result_write(json, &results[i]);
    mg_json_end(json, ']');
}

static void put_end(mg_json_out *json, const mg_pursuit *p)
{
    put(json, "status", mg_str_of(mg_pursuit_status_name(p->status)));
    mg_json_key(json, "reason");
    mg_json_cstr(json, mg_why_name(p->reason));
    mg_json_key(json, "verified");
    mg_json_bool(json, mg_pursuit_holds(p));
    put_number(json, "attempts", p->attempt_count);
    put(json, "message", p->message);
}

static void put_body(mg_json_out *json, const mg_event *e)
{
    switch (e->type) {
    case MG_EVENT_LOOP_STARTED:
        put(json, "goal", e->pursuit->goal);
        put(json, "root", e->pursuit->root);
        put(json, "agent", e->pursuit->agent);
        break;
    case MG_EVENT_BASELINE:
        put_results(json, e->pursuit->baseline, e->pursuit->baseline_count);
        break;
    case MG_EVENT_ATTEMPT_STARTED:
        put(json, "prompt", e->prompt);
        break;
    case MG_EVENT_OUTPUT:
        put(json, "stream", e->stream == 2 ? MG_STR("stderr") : MG_STR("stdout"));
        put(json, "text", e->bytes);
        break;
    case MG_EVENT_ASSERTION:
        mg_json_key(json, "result");
        mg_result_write(json, e->result);
        put_number(json, "settled", e->settled);
        put_number(json, "total", e->total);
        break;
    case MG_EVENT_ATTEMPT_FINISHED:
        assert(e->attempt != NULL);
        mg_json_key(json, "result");
        mg_attempt_write(json, e->attempt);
        break;
    case MG_EVENT_GAP:
        assert(e->attempt != NULL);
        put(json, "detector", mg_str_of(e->attempt->gap.detector));
        put(json, "text", e->attempt->gap.text);
        break;
    case MG_EVENT_LOOP_FINISHED:
        put_end(json, e->pursuit);
        break;
    case MG_EVENT_PHASE:
    case MG_EVENT_NONE:
        break;
    }
}

void mg_event_write(mg_json_out *json, const mg_event *event)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_json_begin(json, '{');
    put_number(json, "schema", 1);
    put_number(json, "seq", event->seq);
    put(json, "time", mg_time_rfc3339(scratch, event->time_ms));
    put(json, "loop_id", event->pursuit->id);
    put(json, "type", mg_str_of(mg_event_name(event->type)));
    if (event->attempt != NULL)
        put_number(json, "attempt", event->attempt->number);
    put_body(json, event);
    mg_json_end(json, '}');
}

/* Output is streamed and not stored: it is as long as the agent likes. */
static void store(mg_driver *d, const mg_event *event)
{
    if (d->o->store == NULL || d->store_status != MG_OK || event->type == MG_EVENT_OUTPUT)
        return;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf text = mg_buf_new(scratch, d->o->limits->report_bytes);
    mg_json_out json = {.buf = &text};
    mg_event_write(&json, event);
    d->store_status = mg_buf_ok(&text, "an event of the loop", &d->store_err);
    if (d->store_status == MG_OK)
        d->store_status =
            mg_store_event(d->o->store, d->p->id, event->seq, event->time_ms,
                           mg_event_name(event->type), mg_buf_str(&text), &d->store_err);
}

void mg_drive_tell(mg_driver *d, mg_event event)
{
    event.pursuit = d->p;
    event.time_ms = d->o->clock->wall_ms(d->o->clock->self);
    if (event.type == MG_EVENT_OUTPUT)
        event.seq = d->seq; /* not stored, so not numbered: what is stored has no hole */
    else if (event.type != MG_EVENT_PHASE) {
        event.seq = ++d->seq;
        store(d, &event);
    }
    if (d->o->event != NULL)
        d->o->event(d->o->event_data, &event);
}

void mg_drive_phase(mg_driver *d, const mg_attempt *attempt, const char *phase)
{
    mg_drive_tell(d, (mg_event){.type = MG_EVENT_PHASE, .attempt = attempt, .phase = phase});
}
