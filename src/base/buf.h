/* buf.h - text that is being built, born with its maximum.
 *
 * Adding past the maximum keeps what fits and marks the buffer as cut; nothing is ever
 * written beyond it. A caller for whom a cut text is wrong asks mg_buf_ok().
 */
#ifndef MG_BASE_BUF_H
#define MG_BASE_BUF_H

#include "base/err.h"
#include "base/str.h"

typedef struct mg_buf {
    mg_arena *arena;
    char *ptr;
    size_t len, cap, max;
    bool cut; /* something did not fit */
} mg_buf;

mg_buf mg_buf_new(mg_arena *arena, size_t max_bytes);

void mg_buf_add(mg_buf *buf, mg_str s);
void mg_buf_adds(mg_buf *buf, const char *cstr);
void mg_buf_addc(mg_buf *buf, char c);
void mg_buf_fill(mg_buf *buf, char c, size_t times);
void mg_buf_addf(mg_buf *buf, const char *fmt, ...) MG_PRINTF(2, 3);
void mg_buf_addfv(mg_buf *buf, const char *fmt, va_list args) MG_PRINTF(2, 0);

/* At least `bytes` of room to write into directly, or less where the maximum is near (then
 * *room says how much; 0 at the maximum). What was written counts after mg_buf_wrote(). */
char *mg_buf_room(mg_buf *buf, size_t bytes, size_t *room);
void mg_buf_wrote(mg_buf *buf, size_t bytes);

/* The text so far. Valid until the next addition; the last one stays as long as the arena. */
static inline mg_str mg_buf_str(const mg_buf *buf)
{
    return (mg_str){buf->ptr != NULL ? buf->ptr : "", buf->len};
}

/* MG_ERR_LIMIT if anything was cut: "`what` is larger than N bytes". */
MG_MUST_CHECK mg_status mg_buf_ok(const mg_buf *buf, const char *what, mg_err *err);

#endif
