/* hash.c - XXH3 from xxHash, SHA-256 from libsodium. */
#include "data/hash.h"

#include "base/fs.h"

#include <sodium/crypto_hash_sha256.h>
#include <xxhash.h>

static mg_hash from_xxh(XXH128_hash_t h)
{
    return (mg_hash){.high = h.high64, .low = h.low64};
}

mg_hash mg_hash_bytes(mg_str bytes)
{
    return from_xxh(XXH3_128bits(bytes.ptr, bytes.len));
}

static mg_status feed(XXH3_state_t *state, int fd, mg_status (*live)(const void *data, mg_err *err),
                      const void *data, mg_err *err)
{
    char block[64 * 1024];
    for (;;) {
        const ssize_t n = mg_fd_read(fd, block, sizeof block);
        if (n < 0)
            return mg_fail_errno(err, "it cannot be read");
        if (n == 0)
            return MG_OK;
        (void)XXH3_128bits_update(state, block, (size_t)n);
        if (live != NULL)
            MG_TRY(live(data, err));
    }
}

mg_status mg_hash_fd(int fd, mg_status (*live)(const void *data, mg_err *err), const void *data,
                     mg_hash *out, mg_err *err)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        return mg_fail(err, MG_ERR_SYSTEM, "there is no memory for a hash");
    (void)XXH3_128bits_reset(state);
    const mg_status s = feed(state, fd, live, data, err);
    if (s == MG_OK)
        *out = from_xxh(XXH3_128bits_digest(state));
    (void)XXH3_freeState(state);
    return s;
}

_Static_assert(sizeof(mg_sha256) >= sizeof(crypto_hash_sha256_state), "the state must fit");
_Static_assert(sizeof(mg_digest) == crypto_hash_sha256_BYTES, "so must the digest");

void mg_sha256_begin(mg_sha256 *sha)
{
    (void)crypto_hash_sha256_init((crypto_hash_sha256_state *)(void *)sha->state);
}

void mg_sha256_add(mg_sha256 *sha, mg_str bytes)
{
    (void)crypto_hash_sha256_update((crypto_hash_sha256_state *)(void *)sha->state,
                                    (const unsigned char *)bytes.ptr, bytes.len);
}

mg_digest mg_sha256_end(mg_sha256 *sha)
{
    mg_digest digest;
    (void)crypto_hash_sha256_final((crypto_hash_sha256_state *)(void *)sha->state, digest.bytes);
    return digest;
}

mg_str mg_sha256_hex(mg_arena *arena, mg_str bytes)
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256(digest, (const unsigned char *)bytes.ptr, bytes.len);
    char *hex = mg_arena_alloc(arena, sizeof digest * 2 + 1);
    for (size_t i = 0; i < sizeof digest; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return (mg_str){hex, sizeof digest * 2};
}
