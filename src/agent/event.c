/* event.c - asking one event of an agent: what is not there, or is of another type, is nothing. */
#include "agent/reader.h"

const mg_json *mg_event_at(const mg_json *event, const char *key)
{
    const mg_json *found;
    return mg_json_get(event, key, &found) ? found : NULL;
}

size_t mg_event_count(const mg_json *list)
{
    size_t count;
    return mg_json_is_list(list, &count) ? count : 0;
}

bool mg_event_true(const mg_json *event, const char *key)
{
    bool value;
    return mg_json_is_bool(mg_event_at(event, key), &value) && value;
}

mg_str mg_event_text(const mg_json *event, const char *key)
{
    mg_str text;
    return mg_json_is_text(mg_event_at(event, key), &text) ? text : (mg_str){0};
}

double mg_event_number(const mg_json *event, const char *key)
{
    double number;
    return mg_json_is_number(mg_event_at(event, key), &number) ? number : 0;
}

int64_t mg_event_int(const mg_json *event, const char *key)
{
    const double number = mg_event_number(event, key);
    return number > -9e15 && number < 9e15 ? (int64_t)number : 0;
}

bool mg_event_is(const mg_json *event, const char *key, const char *value)
{
    mg_str text;
    return mg_json_is_text(mg_event_at(event, key), &text) && mg_str_is(text, value);
}

mg_str mg_event_parts(const mg_json *content, mg_arena *arena)
{
    mg_str text;
    if (mg_json_is_text(content, &text))
        return text;
    mg_buf buf = mg_buf_new(arena, MG_READ_LINE_MAX);
    for (size_t i = 0; i < mg_event_count(content); i++)
        if (mg_event_is(mg_json_item(content, i), "type", "text"))
            mg_buf_add(&buf, mg_event_text(mg_json_item(content, i), "text"));
    return mg_buf_str(&buf);
}
