/* text.c - numbers, sizes, durations, near misses and UTF-8. */
#include "data/text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

mg_status mg_parse_int(mg_str text, int64_t *out, mg_err *err)
{
    size_t i = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    const bool negative = i > 0 && text.ptr[0] == '-';
    int64_t value = 0;
    if (i == text.len)
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a whole number", MG_ARG(text));
    for (; i < text.len; i++) {
        if (!is_digit(text.ptr[i]))
            return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a whole number", MG_ARG(text));
        const int64_t digit = text.ptr[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value))
            return mg_fail(err, MG_ERR_LIMIT, "'" MG_FMT "' is too large a number", MG_ARG(text));
    }
    *out = value;
    return MG_OK;
}

/* How many bytes of "12", "1.5", "1." or ".5" stand at the front; 0 where none do. */
static size_t decimal_len(mg_str s)
{
    size_t i = 0, digits = 0;
    for (; i < s.len && is_digit(s.ptr[i]); i++)
        digits++;
    if (i < s.len && s.ptr[i] == '.') {
        for (i++; i < s.len && is_digit(s.ptr[i]); i++)
            digits++;
    }
    return digits > 0 ? i : 0;
}

/* The correctly rounded value of text that is known to be a number, by the C locale's rules. */
static double number_value(mg_str text)
{
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = strtod_l(mg_str_cstr(scratch, text), NULL, plain);
    freelocale(plain);
    return value;
}

mg_status mg_parse_number(mg_str text, double *out, mg_err *err)
{
    const size_t sign = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    const size_t decimal = decimal_len(mg_str_from(text, sign));
    mg_str rest = mg_str_from(text, sign + decimal);
    bool ok = decimal > 0;
    if (ok && rest.len > 0 && (rest.ptr[0] | 0x20) == 'e') {
        rest = mg_str_from(rest, 1);
        if (rest.len > 0 && (rest.ptr[0] == '-' || rest.ptr[0] == '+'))
            rest = mg_str_from(rest, 1);
        ok = rest.len > 0;
        while (rest.len > 0 && is_digit(rest.ptr[0]))
            rest = mg_str_from(rest, 1);
    }
    if (!ok || rest.len > 0)
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a number", MG_ARG(text));
    const double value = number_value(text);
    if (!isfinite(value))
        return mg_fail(err, MG_ERR_LIMIT, "'" MG_FMT "' is too large a number", MG_ARG(text));
    *out = value;
    return MG_OK;
}

/* Takes "12" or "1.5" off the front of rest. No sign, no exponent: a size and a time have none. */
static bool take_decimal(mg_str *rest, double *value)
{
    const size_t len = decimal_len(*rest);
    if (len == 0 || rest->ptr[0] == '.' || rest->ptr[len - 1] == '.')
        return false;
    *value = number_value(mg_str_first(*rest, len));
    *rest = mg_str_from(*rest, len);
    return true;
}

/* To the nearest whole one; but a little is not nothing, for nothing often means "no limit". */
static uint64_t to_whole(double value)
{
    return value > 0 ? MG_MAX((uint64_t)(value + 0.5), (uint64_t)1) : 0;
}

typedef struct unit {
    const char *name;
    uint64_t factor;
} unit;

static const unit sizes[] = {
    {"", 1},
    {"b", 1},
    {"k", 1u << 10},
    {"kb", 1u << 10},
    {"kib", 1u << 10},
    {"m", 1u << 20},
    {"mb", 1u << 20},
    {"mib", 1u << 20},
    {"g", 1u << 30},
    {"gb", 1u << 30},
    {"gib", 1u << 30},
    {"t", 1ull << 40},
    {"tb", 1ull << 40},
    {"tib", 1ull << 40},
};

static const unit durations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 60 * 60 * 1000}, {"d", 24 * 60 * 60 * 1000},
};

/* The unit spelled by the letters in front of rest, taken off it. */
static const unit *take_unit(mg_str *rest, const unit *units, size_t count)
{
    char name[8];
    size_t len = 0;
    while (len < rest->len && len < sizeof name - 1) {
        const char c = rest->ptr[len];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            break;
        name[len++] = (char)(c | 0x20);
    }
    name[len] = '\0';
    *rest = mg_str_from(*rest, len);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

mg_status mg_parse_size(mg_str text, uint64_t *bytes, mg_err *err)
{
    mg_str rest = text;
    double value;
    const unit *u = NULL;
    if (take_decimal(&rest, &value))
        u = take_unit(&rest, sizes, MG_COUNT(sizes));
    if (u == NULL || rest.len > 0)
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a size (as in 512, 10k or 2M)",
                       MG_ARG(text));
    if (value * (double)u->factor >= 9e18)
        return mg_fail(err, MG_ERR_LIMIT, "'" MG_FMT "' is too large a size", MG_ARG(text));
    int64_t exact; /* beyond 2^53 a double would round */
    *bytes = mg_parse_int(text, &exact, NULL) == MG_OK ? (uint64_t)exact
                                                       : to_whole(value * (double)u->factor);
    return MG_OK;
}

mg_status mg_parse_duration(mg_str text, uint64_t *ms, mg_err *err)
{
    mg_str rest = text;
    double total = 0, value;
    const bool zero = mg_str_is(text, "0");
    bool ok = text.len > 0;
    while (ok && !zero && rest.len > 0) {
        const unit *u = NULL;
        if (take_decimal(&rest, &value))
            u = take_unit(&rest, durations, MG_COUNT(durations));
        ok = u != NULL;
        if (ok)
            total += value * (double)u->factor;
    }
    if (!ok)
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is not a duration (as in 100ms, 2s, 5m or 1h30m)",
                       MG_ARG(text));
    if (total > 366.0 * 24 * 3600 * 1000)
        return mg_fail(err, MG_ERR_LIMIT, "'" MG_FMT "' is longer than a year", MG_ARG(text));
    *ms = to_whole(total);
    return MG_OK;
}

mg_str mg_duration_text(mg_arena *arena, uint64_t ms)
{
    if (ms == 0)
        return MG_STR("0s");
    mg_buf buf = mg_buf_new(arena, 64);
    for (size_t i = MG_COUNT(durations); i-- > 0;) {
        const uint64_t n = ms / durations[i].factor;
        if (n > 0)
            mg_buf_addf(&buf, "%" PRIu64 "%s", n, durations[i].name);
        ms %= durations[i].factor;
    }
    return mg_buf_str(&buf);
}

/* --- Near misses --- */

enum { NAME_LONGEST = 48 };

/* Edit distance with neighbours swapped counting once (optimal string alignment). */
static size_t distance(mg_str a, mg_str b)
{
    size_t rows[3][NAME_LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const size_t change = last[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            now[j] = MG_MIN(MG_MIN(last[j] + 1, now[j - 1] + 1), change);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                now[j] = MG_MIN(now[j], before[j - 2] + 1);
        }
        size_t *const oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b.len];
}

const char *mg_nearest(mg_str typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (typed.len > NAME_LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const mg_str name = mg_str_of(names[i]);
        if (name.len > NAME_LONGEST)
            continue;
        size_t d = distance(typed, name);
        /* "size" for "file_size_gt", "contains" for "file_contains": a part counts as near. */
        if (typed.len >= 4 && mg_str_has(name, "_") &&
            memmem(names[i], name.len, typed.ptr, typed.len))
            d = MG_MIN(d, (size_t)2);
        const size_t allowed =
            MG_MAX((size_t)1, MG_MIN((size_t)3, MG_MAX(name.len, typed.len) / 3));
        if (d <= allowed && d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

/* --- UTF-8 (RFC 3629: no surrogates, nothing above U+10FFFF, no overlong forms) --- */

size_t mg_utf8_len(mg_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    if (p[0] < 0x80)
        return 1;
    const size_t need = p[0] >= 0xc2 && p[0] <= 0xdf   ? 2
                        : p[0] >= 0xe0 && p[0] <= 0xef ? 3
                        : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                       : 0;
    if (need == 0 || s.len < need)
        return 0;
    const unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    }
    return need;
}

bool mg_utf8_valid(mg_str s)
{
    for (size_t i = 0; i < s.len;) {
        uint64_t eight; /* most text is ASCII: eight bytes at a time */
        if (s.len - i >= sizeof eight) {
            memcpy(&eight, s.ptr + i, sizeof eight);
            if ((eight & 0x8080808080808080u) == 0) {
                i += sizeof eight;
                continue;
            }
        }
        const size_t len = mg_utf8_len((mg_str){s.ptr + i, s.len - i});
        if (len == 0)
            return false;
        i += len;
    }
    return true;
}

size_t mg_utf8_cut(mg_str s)
{
    for (size_t back = 1; back <= 3 && back <= s.len; back++) {
        const unsigned char c = (unsigned char)s.ptr[s.len - back];
        if ((c & 0xc0) == 0x80)
            continue;
        const size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        return need > back ? back : 0;
    }
    return 0;
}

size_t mg_utf8_columns(mg_str s)
{
    size_t columns = 0;
    for (size_t i = 0; i < s.len; i++)
        columns += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return columns;
}

static bool is_plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t';
}

/* Characters that would steer a terminal or turn the order of what is read: C1 controls,
 * and the marks for writing direction (U+202A to U+202E, U+2066 to U+2069). */
static bool steers(mg_str s, size_t len)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    if (len == 2)
        return p[0] == 0xc2 && p[1] < 0xa0;
    if (len != 3 || p[0] != 0xe2)
        return false;
    return (p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
           (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

mg_str mg_text_clean(mg_arena *arena, mg_str s)
{
    size_t i = 0;
    while (i < s.len && is_plain((unsigned char)s.ptr[i]))
        i++;
    if (i == s.len) /* the common case: nothing to do, nothing to copy */
        return s;
    mg_buf buf = mg_buf_new(arena, s.len * 4 + 16);
    mg_buf_add(&buf, mg_str_first(s, i));
    while (i < s.len) {
        const unsigned char c = (unsigned char)s.ptr[i];
        const size_t len = mg_utf8_len(mg_str_from(s, i));
        if (c == '\r' && i + 1 < s.len && s.ptr[i + 1] == '\n') {
            /* CRLF is a line end, not something to show */
        } else if (len == 0 || steers(mg_str_from(s, i), len)) {
            mg_buf_adds(&buf, "\xef\xbf\xbd");
        } else if (len == 1 && !is_plain(c)) {
            mg_buf_addf(&buf, "\\x%02x", c);
        } else {
            mg_buf_add(&buf, (mg_str){s.ptr + i, len});
        }
        i += MG_MAX(len, (size_t)1);
    }
    return mg_buf_str(&buf);
}

mg_str mg_text_line(mg_arena *arena, mg_str s, size_t max_bytes)
{
    const bool long_input = s.len > max_bytes;
    const mg_str clean = mg_text_clean(arena, mg_str_first(s, max_bytes));
    if (clean.len == 0)
        return MG_STR("");
    if (!long_input && clean.len <= max_bytes && memchr(clean.ptr, '\n', clean.len) == NULL &&
        memchr(clean.ptr, '\t', clean.len) == NULL)
        return mg_str_copy(arena, clean); /* the input may not live as long as the arena */
    mg_buf buf = mg_buf_new(arena, clean.len * 2 + 4);
    for (size_t i = 0; i < clean.len; i++) {
        const char c = clean.ptr[i];
        if (c == '\n' || c == '\t')
            mg_buf_adds(&buf, c == '\n' ? "\\n" : "\\t");
        else
            mg_buf_addc(&buf, c);
    }
    mg_str line = mg_buf_str(&buf);
    if (line.len > max_bytes || long_input) {
        line = mg_str_first(line, max_bytes > 3 ? max_bytes - 3 : 0);
        line.len -= mg_utf8_cut(line);
        line = mg_strf(arena, MG_FMT "...", MG_ARG(line));
        line = mg_str_first(line, max_bytes);
    }
    return line;
}
