/* diff.c - Myers' O(ND) search for the shortest edit, of which only the length is kept.
 *
 * With D = added + deleted and added - deleted = M - N, the length says everything, so no trace is
 * needed and the memory is linear. Before that, equal ends are trimmed and lines that are on one
 * side only are counted and taken out: a text that was rewritten costs no more than one that was
 * touched. (E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986.)
 */
#include "data/diff.h"

#include "data/hash.h"

enum { STEPS_MAX = 100 * 1000 * 1000 }; /* a tenth of a second or so */

typedef struct lines {
    uint32_t *ids; /* equal lines, equal numbers */
    size_t count;
} lines;

typedef struct known { /* one distinct line */
    mg_str text;
    uint64_t hash;
    uint32_t id;
} known;

typedef struct table {
    known *slots;
    size_t mask;
    uint32_t next_id;
    bool (*in)[2]; /* by id: whether it is on this side */
} table;

static size_t count_lines(mg_str s)
{
    size_t n = 0;
    for (size_t at = 0; at < s.len; n++)
        at = mg_str_find(s, '\n', at) + 1;
    return n;
}

static mg_str next_line(mg_str *rest)
{
    const mg_str line = mg_str_first(*rest, mg_str_find(*rest, '\n', 0) + 1);
    *rest = mg_str_from(*rest, line.len);
    return line;
}

static uint32_t number_of(table *t, mg_str line, int side)
{
    const uint64_t hash = mg_hash_bytes(line).low;
    size_t at = hash & t->mask;
    while (t->slots[at].id != 0 &&
           (t->slots[at].hash != hash || !mg_str_eq(t->slots[at].text, line)))
        at = (at + 1) & t->mask;
    if (t->slots[at].id == 0)
        t->slots[at] = (known){.text = line, .hash = hash, .id = ++t->next_id};
    t->in[t->slots[at].id][side] = true;
    return t->slots[at].id;
}

static lines number_lines(table *t, mg_str text, size_t count, int side, mg_arena *arena)
{
    lines l = {.ids = mg_new_array(arena, uint32_t, count + 1)};
    while (l.count < count)
        l.ids[l.count++] = number_of(t, next_line(&text), side);
    return l;
}

/* Drops the lines that the other side does not have; returns how many. */
static size_t drop_lonely(lines *l, const table *t, int other)
{
    size_t kept = 0;
    const size_t before = l->count;
    for (size_t i = 0; i < before; i++) {
        if (t->in[l->ids[i]][other])
            l->ids[kept++] = l->ids[i];
    }
    l->count = kept;
    return before - kept;
}

static void trim_equal_ends(lines *a, lines *b)
{
    while (a->count > 0 && b->count > 0 && a->ids[0] == b->ids[0]) {
        a->ids++, b->ids++;
        a->count--, b->count--;
    }
    while (a->count > 0 && b->count > 0 && a->ids[a->count - 1] == b->ids[b->count - 1])
        a->count--, b->count--;
}

/* The length of the shortest edit, or -1. reach[k]: how far into a diagonal k = x - y has got. */
static int64_t shortest_edit(const lines *a, const lines *b, mg_arena *arena)
{
    const int64_t n = (int64_t)a->count, m = (int64_t)b->count;
    int64_t *reach = mg_new_array(arena, int64_t, (size_t)(2 * (n + m) + 3));
    int64_t *at = reach + n + m + 1, steps = 0;
    for (int64_t d = 0; d <= n + m; d++) {
        for (int64_t k = -d; k <= d; k += 2) {
            int64_t x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1;
            int64_t y = x - k;
            while (x < n && y >= 0 && y < m && a->ids[x] == b->ids[y])
                x++, y++, steps++;
            at[k] = x;
            if (x >= n && y >= m)
                return d;
        }
        steps += d + 1;
        if (steps > STEPS_MAX)
            return -1;
    }
    return -1;
}

bool mg_diff_lines(mg_str before, mg_str after, int64_t *added, int64_t *deleted)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const size_t n = count_lines(before), m = count_lines(after);
    table t = {.mask = 63};
    while (t.mask < 2 * (n + m))
        t.mask = 2 * t.mask + 1;
    t.slots = mg_new_array(arena, known, t.mask + 1);
    t.in = mg_arena_array(arena, n + m + 1, sizeof *t.in);
    lines a = number_lines(&t, before, n, 0, arena), b = number_lines(&t, after, m, 1, arena);
    trim_equal_ends(&a, &b);
    const size_t only_before = drop_lonely(&a, &t, 1), only_after = drop_lonely(&b, &t, 0);
    trim_equal_ends(&a, &b);
    const int64_t d = shortest_edit(&a, &b, arena);
    if (d < 0)
        return false;
    const int64_t more = (int64_t)b.count - (int64_t)a.count;
    *added = (int64_t)only_after + (d + more) / 2;
    *deleted = (int64_t)only_before + (d - more) / 2;
    return true;
}
