/* hash.h - fingerprints: a fast one that notices change, a strong one that proves identity. */
#ifndef MG_DATA_HASH_H
#define MG_DATA_HASH_H

#include "base/err.h"
#include "base/str.h"

typedef struct mg_hash { /* XXH3, 128 bits: for change, not against an adversary */
    uint64_t high, low;
} mg_hash;

static inline bool mg_hash_eq(mg_hash a, mg_hash b)
{
    return a.high == b.high && a.low == b.low;
}

mg_hash mg_hash_bytes(mg_str bytes);

/* Of everything that can be read from fd, in bounded memory. live, if it is given, is asked
 * after each block whether to go on; what it returns otherwise is the status. */
MG_MUST_CHECK mg_status mg_hash_fd(int fd, mg_status (*live)(const void *data, mg_err *err),
                                   const void *data, mg_hash *out, mg_err *err);

/* 64 hexadecimal digits of SHA-256, for what must not be forged. */
mg_str mg_sha256_hex(mg_arena *arena, mg_str bytes);

#endif
