/* json_write.c - JSON straight into a bounded buffer.
 *
 * By hand, because a report needs no tree: json-c would copy every text into an object, and
 * writes invalid UTF-8 through as it came.
 */
#include "data/json.h"

#include "data/text.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>

static void new_line(mg_json_out *out)
{
    if (out->pretty) {
        mg_buf_addc(out->buf, '\n');
        mg_buf_fill(out->buf, ' ', (size_t)out->depth * 2);
    }
}

/* What stands between the value before and the one that comes. */
static void before_value(mg_json_out *out)
{
    if (out->after_key) {
        out->after_key = false;
        return;
    }
    if (out->depth == 0)
        return;
    bool *filled = &out->filled[MG_MIN(out->depth, (unsigned)MG_JSON_DEPTH)];
    if (*filled)
        mg_buf_addc(out->buf, ',');
    *filled = true;
    new_line(out);
}

void mg_json_begin(mg_json_out *out, char bracket)
{
    before_value(out);
    mg_buf_addc(out->buf, bracket);
    if (out->depth >= MG_JSON_DEPTH)
        out->buf->cut = true; /* deeper than we keep count of: not to be taken for a whole text */
    out->depth++;
    out->filled[MG_MIN(out->depth, (unsigned)MG_JSON_DEPTH)] = false;
}

void mg_json_end(mg_json_out *out, char bracket)
{
    assert(out->depth > 0);
    const bool filled = out->filled[MG_MIN(out->depth, (unsigned)MG_JSON_DEPTH)];
    out->depth--;
    if (filled)
        new_line(out);
    mg_buf_addc(out->buf, bracket);
}

/* U+0080 to U+009F steer some terminals just as ESC does. */
static bool is_c1(mg_str s)
{
    return s.len > 1 && s.ptr[0] == '\xc2' && (unsigned char)s.ptr[1] >= 0x80 &&
           (unsigned char)s.ptr[1] < 0xa0;
}

/* The length of the character that s begins with; 0 where it cannot stand there as it is. */
static inline size_t as_is_len(mg_str s)
{
    const unsigned char c = (unsigned char)s.ptr[0];
    if (c < 0x80)
        return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
    return is_c1(s) ? 0 : mg_utf8_len(s);
}

/* How much of s can be copied as it is. */
static size_t plain_len(mg_str s)
{
    size_t at = 0, len;
    while (at < s.len && (len = as_is_len(mg_str_from(s, at))) > 0)
        at += len;
    return at;
}

enum { ESCAPE_MAX = 6, ESCAPE_AT_ONCE = 64 };

/* What stands for a control character, a quote or a backslash; returns its length. */
static size_t escape(unsigned char c, char to[static ESCAPE_MAX])
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[256] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                      ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
    if (letters[c] != '\0') {
        to[0] = '\\';
        to[1] = letters[c];
        return 2;
    }
    const char code[ESCAPE_MAX] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 0xf]};
    memcpy(to, code, sizeof code);
    return sizeof code;
}

/* Adds what stands for the characters that s begins with and that cannot stand there as they are,
 * many at once: an agent may print nothing else. Returns how much of s they are. */
static size_t add_escaped(mg_buf *buf, mg_str s)
{
    char text[ESCAPE_AT_ONCE * ESCAPE_MAX];
    size_t len = 0, at = 0;
    while (at < s.len && len + ESCAPE_MAX <= sizeof text && as_is_len(mg_str_from(s, at)) == 0) {
        const mg_str rest = mg_str_from(s, at);
        const bool c1 = is_c1(rest);
        if (!c1 && (unsigned char)rest.ptr[0] >= 0x80) { /* not UTF-8 */
            memcpy(text + len, "\xef\xbf\xbd", 3);
            len += 3;
        } else {
            len += escape((unsigned char)rest.ptr[c1], text + len);
        }
        at += 1 + (size_t)c1;
    }
    mg_buf_add(buf, (mg_str){text, len});
    return at;
}

static void add_string(mg_buf *buf, mg_str s)
{
    mg_buf_addc(buf, '"');
    for (size_t at = 0; at < s.len;) {
        const size_t plain = plain_len(mg_str_from(s, at));
        if (plain > 0)
            mg_buf_add(buf, mg_str_first(mg_str_from(s, at), plain));
        at += plain;
        at += add_escaped(buf, mg_str_from(s, at));
    }
    mg_buf_addc(buf, '"');
}

void mg_json_key_str(mg_json_out *out, mg_str key)
{
    before_value(out);
    add_string(out->buf, key);
    mg_buf_adds(out->buf, out->pretty ? ": " : ":");
    out->after_key = true;
}

void mg_json_key(mg_json_out *out, const char *key)
{
    mg_json_key_str(out, mg_str_of(key));
}

void mg_json_str(mg_json_out *out, mg_str text)
{
    before_value(out);
    add_string(out->buf, text);
}

void mg_json_cstr(mg_json_out *out, const char *text)
{
    if (text == NULL)
        mg_json_null(out);
    else
        mg_json_str(out, mg_str_of(text));
}

void mg_json_int(mg_json_out *out, int64_t value)
{
    before_value(out);
    mg_buf_addf(out->buf, "%" PRId64, value);
}

void mg_json_number(mg_json_out *out, double value)
{
    if (!isfinite(value)) {
        mg_json_null(out);
        return;
    }
    if (fabs(value) < 1e15 && !(trunc(value) < value) && !(trunc(value) > value)) {
        mg_json_int(out, (int64_t)value);
        return;
    }
    before_value(out);
    /* The shortest form that reads back as the same number, whatever the embedder's locale. */
    char text[40];
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        double back;
        if (mg_parse_number(mg_str_of(text), &back, NULL) == MG_OK && !(back < value) &&
            !(back > value))
            break;
    }
    (void)uselocale(before);
    freelocale(plain);
    mg_buf_adds(out->buf, text);
}

void mg_json_milli(mg_json_out *out, uint64_t thousandths)
{
    before_value(out);
    mg_buf_addf(out->buf, "%" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
}

void mg_json_bool(mg_json_out *out, bool value)
{
    before_value(out);
    mg_buf_adds(out->buf, value ? "true" : "false");
}

void mg_json_null(mg_json_out *out)
{
    before_value(out);
    mg_buf_adds(out->buf, "null");
}

void mg_json_node(mg_json_out *out, const mg_node *node)
{
    switch (node->type) {
    case MG_NODE_NULL:
        mg_json_null(out);
        break;
    case MG_NODE_BOOL:
        mg_json_bool(out, node->boolean);
        break;
    case MG_NODE_INT:
        mg_json_int(out, node->integer);
        break;
    case MG_NODE_NUMBER:
        mg_json_number(out, node->number);
        break;
    case MG_NODE_TEXT:
        mg_json_str(out, node->text);
        break;
    case MG_NODE_LIST:
        mg_json_begin(out, '[');
        for (size_t i = 0; i < node->list.count; i++)
            mg_json_node(out, &node->list.items[i]);
        mg_json_end(out, ']');
        break;
    case MG_NODE_MAP:
        mg_json_begin(out, '{');
        for (size_t i = 0; i < node->map.count; i++) {
            mg_json_key_str(out, node->map.items[i].key);
            mg_json_node(out, &node->map.items[i].value);
        }
        mg_json_end(out, '}');
        break;
    }
}
