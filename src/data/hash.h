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

typedef struct mg_digest { /* SHA-256 */
    unsigned char bytes[32];
} mg_digest;

typedef struct mg_sha256 { /* a digest that is being made, piece by piece */
    uint64_t state[16];
} mg_sha256;

void mg_sha256_begin(mg_sha256 *sha);
void mg_sha256_add(mg_sha256 *sha, mg_str bytes);
mg_digest mg_sha256_end(mg_sha256 *sha);

static inline bool mg_digest_eq(mg_digest a, mg_digest b)
{
    return memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

/* 64 hexadecimal digits of SHA-256, for what must not be forged. */
mg_str mg_sha256_hex(mg_arena *arena, mg_str bytes);

#endif
