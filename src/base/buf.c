/* buf.c - a bounded builder in an arena. */
#include "base/buf.h"

#include <assert.h>

mg_buf mg_buf_new(mg_arena *arena, size_t max_bytes)
{
    return (mg_buf){.arena = arena, .max = max_bytes};
}

char *mg_buf_room(mg_buf *buf, size_t bytes, size_t *room)
{
    const size_t want = MG_MIN(bytes, buf->max - buf->len);
    if (buf->cap - buf->len < want) {
        size_t cap = buf->cap > 0 ? buf->cap : 64;
        while (cap < buf->len + want)
            cap = cap > buf->max / 2 ? buf->max : cap * 2;
        cap = MG_MIN(cap, buf->max);
        buf->ptr = mg_arena_grow(buf->arena, buf->ptr, buf->cap, cap);
        buf->cap = cap;
    }
    *room = want;
    return want > 0 ? buf->ptr + buf->len : NULL;
}

void mg_buf_wrote(mg_buf *buf, size_t bytes)
{
    assert(bytes <= buf->cap - buf->len);
    buf->len += bytes;
}

void mg_buf_add(mg_buf *buf, mg_str s)
{
    size_t room;
    char *to = mg_buf_room(buf, s.len, &room);
    if (room < s.len)
        buf->cut = true;
    if (room > 0) {
        memcpy(to, s.ptr, room);
        buf->len += room;
    }
}

void mg_buf_adds(mg_buf *buf, const char *cstr)
{
    mg_buf_add(buf, mg_str_of(cstr));
}

void mg_buf_addc(mg_buf *buf, char c)
{
    mg_buf_add(buf, (mg_str){&c, 1});
}

void mg_buf_fill(mg_buf *buf, char c, size_t times)
{
    size_t room;
    char *to = mg_buf_room(buf, times, &room);
    if (room < times)
        buf->cut = true;
    if (room > 0) {
        memset(to, c, room);
        buf->len += room;
    }
}

void mg_buf_addfv(mg_buf *buf, const char *fmt, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    const int len = vsnprintf(small, sizeof small, fmt, args);
    if (len >= 0 && (size_t)len < sizeof small) {
        mg_buf_add(buf, (mg_str){small, (size_t)len});
    } else {
        MG_AUTO(mg_arena)
        scratch = mg_arena_new(NULL);
        mg_buf_add(buf, mg_strfv(scratch, fmt, again));
    }
    va_end(again);
}

void mg_buf_addf(mg_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    mg_buf_addfv(buf, fmt, args);
    va_end(args);
}

mg_status mg_buf_ok(const mg_buf *buf, const char *what, mg_err *err)
{
    if (buf->cut)
        return mg_fail(err, MG_ERR_LIMIT, "%s is larger than %zu bytes", what, buf->max);
    return MG_OK;
}
