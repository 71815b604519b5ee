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

static void add_escaped(mg_buf *buf, unsigned char c)
{
    static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof short_forms; i += 2) {
        if ((unsigned char)short_forms[i] == c) {
            mg_buf_addc(buf, '\\');
            mg_buf_addc(buf, short_forms[i + 1]);
            return;
        }
    }
    mg_buf_addf(buf, "\\u%04x", c);
}

static void add_string(mg_buf *buf, mg_str s)
{
    mg_buf_addc(buf, '"');
    size_t plain = 0; /* begin of the stretch that can be copied as it is */
    for (size_t i = 0; i < s.len;) {
        const unsigned char c = (unsigned char)s.ptr[i];
        const size_t len = mg_utf8_len(mg_str_from(s, i));
        /* U+0080 to U+009F steer some terminals just as ESC does. */
        const bool c1 = len == 2 && c == 0xc2 && (unsigned char)s.ptr[i + 1] < 0xa0;
        const bool as_is =
            (len > 1 && !c1) || (len == 1 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f);
        if (!as_is) {
            mg_buf_add(buf, (mg_str){s.ptr + plain, i - plain});
            if (len == 0)
                mg_buf_adds(buf, "\xef\xbf\xbd");
            else
                add_escaped(buf, c1 ? (unsigned char)s.ptr[i + 1] : c);
            plain = i + MG_MAX(len, (size_t)1);
        }
        i += MG_MAX(len, (size_t)1);
    }
    mg_buf_add(buf, mg_str_from(s, plain));
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
