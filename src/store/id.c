/* id.c - UUIDv7 (RFC 9562, 5.7): 48 bits of time, then chance. Ids sort by the time they were
 * made, and two machines never make the same one.
 */
#include "store/store.h"

#include <errno.h>
#include <sys/random.h>

mg_status mg_id_new(mg_arena *arena, int64_t wall_ms, mg_str *out, mg_err *err)
{
    uint8_t id[16];
    ssize_t got;
    do {
        got = getrandom(id, sizeof id, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof id)
        return mg_fail_errno(err, "ask the system for random bytes");
    for (int i = 0; i < 6; i++)
        id[i] = (uint8_t)((uint64_t)wall_ms >> (40 - 8 * i));
    id[6] = (uint8_t)(0x70 | (id[6] & 0x0f)); /* version */
    id[8] = (uint8_t)(0x80 | (id[8] & 0x3f)); /* variant */
    mg_buf text = mg_buf_new(arena, 36 + 1);
    for (size_t i = 0; i < sizeof id; i++)
        mg_buf_addf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    *out = mg_str_copy(arena, mg_buf_str(&text)); /* with its NUL */
    return MG_OK;
}
