/* read_text.c - any program: what it printed last on stdout are its last words.
 *
 * One that begins with the line of read_lines.c is read as that instead.
 */
#include "agent/reader.h"

static void event(mg_reader *r, const mg_json *event)
{
    if (r->events == 1 && mg_event_is(event, "type", "makegood") &&
        mg_event_int(event, "version") == 1) {
        r->format = &mg_format_lines;
        mg_format_lines.event(r, event);
    }
}

static void finish(mg_reader *r, const mg_read_exit *how)
{
    (void)how;
    const mg_str said = mg_str_trim(mg_buf_str(&r->out_tail));
    mg_read_text(r, said);
    r->text_cut = r->text_cut || r->out_cut;
}

const mg_format mg_format_text = {.name = "text", .event = event, .finish = finish};
