/* bytes.h - numbers and texts in a file of ours, written and read back. Private to the room.
 *
 * Little-endian, every text with its length before it. Reading trusts nothing: what is not there,
 * or longer than what is left, makes the reader `bad`, and it stays so.
 */
#ifndef MG_WORLD_BYTES_H
#define MG_WORLD_BYTES_H

#include "base/buf.h"

static inline void mg_put_u64(mg_buf *buf, uint64_t value)
{
    char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (char)(value >> (8 * i) & 0xff);
    mg_buf_add(buf, (mg_str){bytes, sizeof bytes});
}

static inline void mg_put_str(mg_buf *buf, mg_str s)
{
    mg_put_u64(buf, s.len);
    mg_buf_add(buf, s);
}

typedef struct mg_reader {
    mg_str rest;
    bool bad;
} mg_reader;

static inline uint64_t mg_take_u64(mg_reader *reader)
{
    if (reader->bad || reader->rest.len < 8) {
        reader->bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)(unsigned char)reader->rest.ptr[i] << (8 * i);
    reader->rest = mg_str_from(reader->rest, 8);
    return value;
}

static inline mg_str mg_take_str(mg_reader *reader)
{
    const uint64_t len = mg_take_u64(reader);
    if (reader->bad || len > reader->rest.len) {
        reader->bad = true;
        return (mg_str){"", 0};
    }
    const mg_str s = mg_str_first(reader->rest, (size_t)len);
    reader->rest = mg_str_from(reader->rest, (size_t)len);
    return s;
}

/* How many things follow, each of at least `each` bytes: never more than there is room for. */
static inline size_t mg_take_count(mg_reader *reader, size_t each)
{
    const uint64_t count = mg_take_u64(reader);
    if (reader->bad || count > reader->rest.len / each) {
        reader->bad = true;
        return 0;
    }
    return (size_t)count;
}

/* Writes `bytes` as the file `name` in dir, beside and renamed, mode 0600; and its SHA-256. */
MG_MUST_CHECK mg_status mg_bytes_save(int dir, const char *name, mg_str bytes, mg_arena *arena,
                                      mg_str *sha256_hex, mg_err *err);

/* Reads it back; MG_ERR_INVALID where it does not have the SHA-256. */
MG_MUST_CHECK mg_status mg_bytes_load(int dir, const char *name, mg_str sha256_hex, mg_arena *arena,
                                      mg_str *out, mg_err *err);

#endif
