/* json_grammar.c - a reader that builds nothing.
 *
 * json-c builds good trees but lets through what is not JSON: +1, control bytes in strings,
 * NaN, lone surrogates, a key that it cuts at its \u0000. Judging a file by what a lenient
 * reader made of it could call broken work done, so every text passes here first and json-c
 * only ever sees JSON. One function per rule of RFC 8259, each returning false with `why` set.
 */
#include "data/json_grammar.h"

#include "base/vec.h"
#include "data/text.h"

typedef struct cursor {
    mg_str text;
    size_t at;
    size_t depth, max_depth;
    mg_arena *arena;
    mg_json_facts facts;
    const char *why; /* what is wrong at `at` */
    bool too_deep;
} cursor;

static bool wrong(cursor *c, const char *why)
{
    c->why = why;
    return false;
}

/* The byte at the cursor; NUL, which JSON allows nowhere, at the end. */
static char peek(const cursor *c)
{
    return c->at < c->text.len ? c->text.ptr[c->at] : '\0';
}

static bool take(cursor *c, char wanted)
{
    if (c->at >= c->text.len || c->text.ptr[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

static void skip_blank(cursor *c)
{
    while (take(c, ' ') || take(c, '\n') || take(c, '\r') || take(c, '\t')) {
    }
}

static bool digits(cursor *c)
{
    const size_t begin = c->at;
    while (peek(c) >= '0' && peek(c) <= '9')
        c->at++;
    return c->at > begin || wrong(c, "a digit is expected here");
}

static bool read_number(cursor *c)
{
    const size_t begin = c->at;
    (void)take(c, '-');
    if (take(c, '0')) {
        if (peek(c) >= '0' && peek(c) <= '9')
            return wrong(c, "a number does not begin with 0");
    } else if (!digits(c)) {
        return false;
    }
    bool whole = true;
    if (take(c, '.')) {
        whole = false;
        if (!digits(c))
            return false;
    }
    if (take(c, 'e') || take(c, 'E')) {
        whole = false;
        (void)(take(c, '+') || take(c, '-'));
        if (!digits(c))
            return false;
    }
    int64_t value;
    const mg_str written = {c->text.ptr + begin, c->at - begin};
    if (whole && written.len > 18 && mg_parse_int(written, &value, NULL) != MG_OK)
        mg_vec_push(c->arena, &c->facts.large, c->at);
    return true;
}

/* Four hexadecimal digits after "\u" at the front of s. */
static bool hex_escape(mg_str s, uint32_t *out)
{
    if (s.len < 6 || s.ptr[0] != '\\' || s.ptr[1] != 'u')
        return false;
    uint32_t value = 0;
    for (size_t i = 2; i < 6; i++) {
        const char d = s.ptr[i];
        const int digit = d >= '0' && d <= '9'   ? d - '0'
                          : d >= 'a' && d <= 'f' ? d - 'a' + 10
                          : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *out = value;
    return true;
}

bool mg_json_surrogates(mg_str s, uint32_t *out)
{
    uint32_t high, low;
    if (!hex_escape(s, &high) || high < 0xd800 || high > 0xdbff)
        return false;
    if (!hex_escape(mg_str_from(s, 6), &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *out = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
    return true;
}

static bool read_escape(cursor *c, bool is_key)
{
    const mg_str rest = mg_str_from(c->text, c->at);
    uint32_t value;
    if (rest.len >= 2 && rest.ptr[1] != 'u') {
        if (rest.ptr[1] == '\0' || strchr("\"\\/bfnrt", rest.ptr[1]) == NULL)
            return wrong(c, "an escape that JSON does not know");
        c->at += 2;
        return true;
    }
    if (mg_json_surrogates(rest, &value)) {
        c->at += 12;
        return true;
    }
    if (!hex_escape(rest, &value))
        return wrong(c, "\\u needs four hexadecimal digits");
    if (value >= 0xd800 && value <= 0xdfff)
        return wrong(c, "half of a surrogate pair");
    if (value == 0 && is_key) /* json-c would cut the key there */
        return wrong(c, "a key with \\u0000 in it, which is not read here");
    c->at += 6;
    return true;
}

static bool read_string(cursor *c, bool is_key)
{
    c->at++; /* the quote */
    while (c->at < c->text.len) {
        const unsigned char b = (unsigned char)c->text.ptr[c->at];
        if (b == '"') {
            c->at++;
            return true;
        }
        if (b == '\\') {
            if (!read_escape(c, is_key))
                return false;
            continue;
        }
        const size_t len = b < 0x80 ? 1 : mg_utf8_len(mg_str_from(c->text, c->at));
        if (b < 0x20)
            return wrong(c, "a control byte in a string; write it as an escape");
        if (len == 0)
            return wrong(c, "a byte that is not UTF-8");
        c->at += len;
    }
    return wrong(c, "a string is not closed");
}

static bool read_word(cursor *c, const char *word)
{
    if (!mg_str_starts(mg_str_from(c->text, c->at), word))
        return wrong(c, "a value is expected here");
    c->at += strlen(word);
    return true;
}

static bool read_value(cursor *c);

static bool read_pair(cursor *c)
{
    skip_blank(c);
    if (peek(c) != '"')
        return wrong(c, "a key in double quotes is expected here");
    if (!read_string(c, true))
        return false;
    c->facts.keys++;
    skip_blank(c);
    if (!take(c, ':'))
        return wrong(c, "':' is expected here");
    return read_value(c);
}

/* A list or an object: items with commas between them, no comma at the end. */
static bool read_items(cursor *c, char close, bool (*item)(cursor *c))
{
    c->at++; /* the bracket */
    if (++c->depth > c->max_depth) {
        c->too_deep = true;
        return wrong(c, "it nests too deep");
    }
    skip_blank(c);
    if (!take(c, close)) {
        do {
            if (!item(c))
                return false;
            skip_blank(c);
        } while (take(c, ','));
        if (!take(c, close))
            return wrong(c, close == '}' ? "',' or '}' is expected here"
                                         : "',' or ']' is expected here");
    }
    c->depth--;
    return true;
}

static bool read_value(cursor *c)
{
    skip_blank(c);
    switch (peek(c)) {
    case '{':
        return read_items(c, '}', read_pair);
    case '[':
        return read_items(c, ']', read_value);
    case '"':
        return read_string(c, false);
    case 't':
        return read_word(c, "true");
    case 'f':
        return read_word(c, "false");
    case 'n':
        return read_word(c, "null");
    default:
        if (peek(c) == '-' || (peek(c) >= '0' && peek(c) <= '9'))
            return read_number(c);
        return wrong(c, "a value is expected here");
    }
}

static bool read_document(cursor *c)
{
    if (mg_str_starts(c->text, "\xef\xbb\xbf"))
        return wrong(c, "it begins with a byte order mark");
    if (!read_value(c))
        return false;
    skip_blank(c);
    return c->at == c->text.len || wrong(c, "something stands after the value");
}

mg_status mg_json_grammar(mg_str text, size_t max_depth, mg_arena *arena, mg_json_facts *out,
                          mg_err *err)
{
    cursor c = {.text = text, .max_depth = max_depth, .arena = arena};
    if (mg_str_trim(text).len == 0)
        return mg_fail(err, MG_ERR_INVALID, "not valid JSON: it is empty");
    if (read_document(&c)) {
        *out = c.facts;
        return MG_OK;
    }
    if (c.too_deep)
        return mg_fail(err, MG_ERR_LIMIT, "the JSON nests more than %zu levels deep", max_depth);
    size_t line = 1, column = 1;
    for (size_t i = 0; i < c.at; i++) {
        const unsigned char b = (unsigned char)text.ptr[i];
        column = b == '\n' ? 1 : column + ((b & 0xc0) != 0x80);
        line += b == '\n';
    }
    return mg_fail(err, MG_ERR_INVALID, "not valid JSON: line %zu, column %zu: %s", line, column,
                   c.at == text.len ? "it ends in the middle" : c.why);
}
