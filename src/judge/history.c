/* history.c - the newest attempts in full, older ones in a line, and a bound on the whole.
 *
 * Bullets are made from the newest to the oldest, as long as there is room, and written the other
 * way round: a reader goes from the first attempt to the last, which is the one to answer.
 */
#include "judge/history.h"

#include "base/vec.h"
#include "data/scrub.h"
#include "data/text.h"

#include <inttypes.h>

enum {
    IN_FULL = 2,
    SUMMARY_CHARS = 60,
    HEADING_BYTES = 256, /* and the line about what was left out */
};

/* The first 60 characters, without blanks at their end, and "..." where there was more. */
static mg_str summary(const mg_gap *gap, mg_arena *arena)
{
    mg_str text = mg_str_trim(gap->headline.len > 0 ? gap->headline : gap->text);
    size_t end = 0;
    for (size_t chars = 0; end < text.len && chars < SUMMARY_CHARS; chars++)
        end += MG_MAX(mg_utf8_len(mg_str_from(text, end)), (size_t)1);
    const mg_str first = mg_str_trim(mg_text_line(arena, mg_str_first(text, end), end * 2));
    return end < text.len ? mg_strf(arena, MG_FMT "...", MG_ARG(first)) : first;
}

/* "- Attempt 3: ..." with its further lines beneath it. */
static mg_str bullet(const mg_attempt *attempt, bool in_full, mg_arena *arena)
{
    mg_str rest = in_full ? mg_str_trim(attempt->gap.text) : summary(&attempt->gap, arena), line;
    mg_buf buf = mg_buf_new(arena, rest.len * 3 + 64);
    mg_buf_addf(&buf, "- Attempt %" PRIu32 ": ", attempt->number);
    for (bool first = true; mg_str_split(&rest, '\n', &line); first = false)
        mg_buf_addf(&buf, "%s" MG_FMT "\n", first || line.len == 0 ? "" : "  ", MG_ARG(line));
    return mg_buf_str(&buf);
}

/* In full where that is due and fits, else in a line, else empty. */
static mg_str fitting(const mg_attempt *attempt, bool newest, bool in_full, size_t room,
                      mg_arena *arena)
{
    const mg_str whole = bullet(attempt, in_full, arena);
    if (whole.len <= room)
        return whole;
    if (newest) { /* it is what the next attempt is about: rather a part than a line */
        mg_str part = mg_str_first(whole, room);
        part.len -= mg_utf8_cut(part);
        return part;
    }
    const mg_str line = bullet(attempt, false, arena);
    return line.len <= room ? line : MG_STR("");
}

void mg_history_add(mg_buf *buf, const mg_attempt *attempts, size_t count, mg_arena *arena)
{
    mg_strs bullets = {0};
    size_t left_out = 0, seen = 0;
    size_t room = buf->max - MG_MIN(buf->max, buf->len + HEADING_BYTES);
    for (size_t i = count; i-- > 0;) {
        if (attempts[i].gap.text.len == 0) /* it said nothing: a rate limit */
            continue;
        const mg_str text = left_out > 0
                                ? MG_STR("")
                                : fitting(&attempts[i], seen == 0, seen < IN_FULL, room, arena);
        seen++;
        left_out += text.len == 0;
        room -= text.len;
        if (text.len > 0)
            mg_strs_add(arena, &bullets, text);
    }
    mg_buf_adds(buf, "\nPrior attempts, oldest first (the last one describes the state now):\n");
    if (left_out > 0)
        mg_buf_addf(buf, "- (%zu older attempt%s left out)\n", left_out, left_out == 1 ? "" : "s");
    for (size_t i = bullets.count; i-- > 0;)
        mg_buf_add(buf, bullets.items[i]);
}
