/* address.c - which addresses a probe may ask.
 *
 * A goal file asks for URLs, and what it asks comes back in reports and to the agent. On a
 * cloud machine some addresses hand out credentials to whoever asks from there; they are
 * refused, and link-local ones with them. An IPv4 address can also be written inside an IPv6
 * one in several ways, so those are unwrapped first. Loopback and private ranges are what
 * checks are for and stay open; so does 0.0.0.0, which means this machine.
 */
#include "data/text.h"
#include "world/world.h"

#include <arpa/inet.h>
#include <netinet/in.h>

typedef struct bytes { /* an address in network order */
    uint8_t at[16];
    unsigned bits; /* 32 or 128 */
} bytes;

typedef struct prefix {
    bytes address;
    unsigned length;
} prefix;

#define V4(a, b, c, d, length)     \
    {                              \
        {{a, b, c, d}, 32}, length \
    }
#define V6(length, ...)              \
    {                                \
        {{__VA_ARGS__}, 128}, length \
    }

static const prefix refused[] = {
    V4(169, 254, 0, 0, 16),     /* link-local; the metadata of most clouds is .169.254 */
    V4(100, 100, 100, 200, 32), /* Alibaba */
    V4(168, 63, 129, 16, 32),   /* Azure's wire server */
    V4(192, 0, 0, 192, 32),     /* Oracle */
    V6(10, 0xfe, 0x80),         /* link-local */
    V6(16, 0xff, 0x02),         /* multicast on the link */
    V6(128, 0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), /* Amazon */
    V6(128, 0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54), /* Google */
    V6(128, 0xfd, 0x00, 0x00, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x42), /* Scaleway */
};

/* Where an IPv6 address carries an IPv4 one. */
typedef struct wrapping {
    prefix in;
    unsigned offset;
    uint8_t flip; /* XORed into each byte */
} wrapping;

static const wrapping wrappings[] = {
    {V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), 12, 0}, /* mapped, RFC 4291 2.5.5.2 */
    {V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), 12, 0},       /* translated, RFC 2765 */
    {V6(96, 0), 12, 0},                                        /* compatible, RFC 4291 2.5.5.1 */
    {V6(96, 0x00, 0x64, 0xff, 0x9b), 12, 0},                   /* NAT64, RFC 6052 */
    {V6(48, 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01), 12, 0},       /* NAT64 locally, RFC 8215 */
    {V6(16, 0x20, 0x02), 2, 0},                                /* 6to4, RFC 3056 */
    {V6(32, 0x20, 0x01), 4, 0},                                /* Teredo's server, RFC 4380 */
    {V6(32, 0x20, 0x01), 12, 0xff},                            /* Teredo's client */
};

static bool within(const bytes *address, const prefix *p)
{
    if (address->bits != p->address.bits)
        return false;
    const unsigned whole = p->length / 8, rest = p->length % 8;
    if (memcmp(address->at, p->address.at, whole) != 0)
        return false;
    const uint8_t mask = (uint8_t)(0xff00u >> rest);
    return rest == 0 || ((address->at[whole] ^ p->address.at[whole]) & mask) == 0;
}

static bool unwrap(const bytes *address, const wrapping *w, bytes *out)
{
    if (!within(address, &w->in))
        return false;
    *out = (bytes){.bits = 32};
    for (unsigned i = 0; i < 4; i++)
        out->at[i] = address->at[w->offset + i] ^ w->flip;
    return true;
}

/* --- Rules: an address, or a prefix --- */

static bool parse_address(mg_str text, bytes *out)
{
    char c[INET6_ADDRSTRLEN];
    if (text.len >= sizeof c || memchr(text.ptr, '\0', text.len) != NULL)
        return false;
    memcpy(c, text.ptr, text.len);
    c[text.len] = '\0';
    *out = (bytes){.bits = 32};
    if (inet_pton(AF_INET, c, out->at) == 1)
        return true;
    out->bits = 128;
    return inet_pton(AF_INET6, c, out->at) == 1;
}

static bool parse_rule(mg_str rule, prefix *out)
{
    const size_t slash = mg_str_find(rule, '/', 0);
    if (!parse_address(mg_str_first(rule, slash), &out->address))
        return false;
    out->length = out->address.bits;
    if (slash == rule.len)
        return true;
    int64_t length;
    if (mg_parse_int(mg_str_from(rule, slash + 1), &length, NULL) != MG_OK || length < 0 ||
        length > (int64_t)out->address.bits)
        return false;
    out->length = (unsigned)length;
    return true;
}

mg_status mg_address_rule_valid(mg_str rule, mg_err *err)
{
    prefix parsed;
    if (parse_rule(rule, &parsed))
        return MG_OK;
    return mg_fail(err, MG_ERR_INVALID,
                   "'" MG_FMT
                   "' is not an address; write one (169.254.169.254, fe80::1) or a prefix "
                   "(169.254.0.0/16)",
                   MG_ARG(mg_str_first(rule, 100)));
}

/* --- The judgement --- */

static bool named(const bytes *address, const mg_strs *allow)
{
    for (size_t i = 0; allow != NULL && i < allow->count; i++) {
        prefix rule;
        if (parse_rule(allow->items[i], &rule) && within(address, &rule))
            return true;
    }
    return false;
}

static bool open_to_all(const bytes *address)
{
    for (size_t i = 0; i < MG_COUNT(refused); i++)
        if (within(address, &refused[i]))
            return false;
    return true;
}

static bool read_address(const struct sockaddr *address, bytes *out)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        *out = (bytes){.bits = 32};
        memcpy(out->at, &v4->sin_addr, 4);
        return true;
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        *out = (bytes){.bits = 128};
        memcpy(out->at, &v6->sin6_addr, 16);
        return true;
    }
    return false;
}

bool mg_address_allowed(const struct sockaddr *address, const mg_strs *allow)
{
    bytes outer, inner;
    if (!read_address(address, &outer))
        return false; /* of a family about which nothing is known */
    if (named(&outer, allow))
        return true;
    if (!open_to_all(&outer))
        return false;
    for (size_t i = 0; i < MG_COUNT(wrappings); i++)
        if (unwrap(&outer, &wrappings[i], &inner) && !open_to_all(&inner) && !named(&inner, allow))
            return false;
    return true;
}
