/* json.c - reading: data/json_grammar says whether it is JSON, json-c makes the tree.
 *
 * What json-c would still change without a word is settled here: of two equal keys it keeps
 * the last (counting keys on both sides finds that), and whole numbers beyond 64 bits become
 * the largest one it knows (they are handed to it as floats, their digits kept).
 */
#include "data/json.h"

#include "data/json_grammar.h"
#include "data/text.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>

/* json-c does not take const, and does not change what is only asked. */
static mg_json *unconst(const mg_json *json)
{
    return (mg_json *)(uintptr_t)json;
}

void mg_json_each(const mg_json *object, void (*fn)(void *data, mg_str key, const mg_json *value),
                  void *data)
{
    if (!json_object_is_type(object, json_type_object))
        return;
    struct json_object_iterator at = json_object_iter_begin(unconst(object));
    const struct json_object_iterator end = json_object_iter_end(object);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        fn(data, mg_str_of(json_object_iter_peek_name(&at)), json_object_iter_peek_value(&at));
}

/* What one walk over a whole document finds. */
typedef struct census {
    size_t keys;
    bool infinite; /* a number that is too large for a double */
} census;

static void count_value(census *c, const mg_json *json);

static void count_member(void *data, mg_str key, const mg_json *value)
{
    (void)key;
    ((census *)data)->keys++;
    count_value(data, value);
}

static void count_value(census *c, const mg_json *json)
{
    if (json_object_is_type(json, json_type_double))
        c->infinite = c->infinite || !isfinite(json_object_get_double(json));
    else if (json_object_is_type(json, json_type_array))
        for (size_t i = 0; i < json_object_array_length(json); i++)
            count_value(c, json_object_array_get_idx(json, i));
    else
        mg_json_each(json, count_member, c);
}

static void put(void *json)
{
    (void)json_object_put(json);
}

/* Writes e0 behind whole numbers that are too large for one: "123...789" becomes a float. */
static mg_str mark_large(mg_str text, const mg_json_facts *facts, mg_arena *arena)
{
    if (facts->large.count == 0)
        return text;
    mg_buf buf = mg_buf_new(arena, text.len + 2 * facts->large.count);
    size_t from = 0;
    for (size_t i = 0; i < facts->large.count; i++) {
        const size_t end = facts->large.items[i];
        mg_buf_add(&buf, (mg_str){text.ptr + from, end - from});
        mg_buf_adds(&buf, "e0");
        from = end;
    }
    mg_buf_add(&buf, mg_str_from(text, from));
    return mg_buf_str(&buf);
}

static mg_status build(mg_str text, size_t max_depth, mg_json **out, mg_err *err)
{
    json_tokener *tokener = json_tokener_new_ex((int)max_depth + 2);
    if (tokener == NULL)
        return mg_fail(err, MG_ERR_SYSTEM, "there is no memory for the JSON reader");
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    mg_json *json = json_tokener_parse_ex(tokener, text.ptr, (int)text.len);
    enum json_tokener_error e = json_tokener_get_error(tokener);
    if (e == json_tokener_continue) { /* a bare number may go on; a NUL says it does not */
        json = json_tokener_parse_ex(tokener, "", -1);
        e = json_tokener_get_error(tokener);
    }
    json_tokener_free(tokener);
    if (e != json_tokener_success) {
        put(json);
        return mg_fail(err, MG_ERR_INVALID, "not valid JSON: %s", json_tokener_error_desc(e));
    }
    *out = json;
    return MG_OK;
}

mg_status mg_json_parse(mg_str text, const mg_limits *limits, mg_json_rules rules, mg_arena *arena,
                        const mg_json **out, mg_err *err)
{
    const size_t max_bytes = MG_MIN(limits->json_bytes, (size_t)INT_MAX / 4);
    const size_t max_depth = MG_MIN(limits->json_depth, (size_t)4096);
    if (text.len > max_bytes)
        return mg_fail(err, MG_ERR_LIMIT, "the JSON is larger than %zu bytes", max_bytes);
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    mg_json_facts facts;
    MG_TRY(mg_json_grammar(text, max_depth, scratch, &facts, err));

    mg_json *json = NULL;
    MG_TRY(build(mg_str_trim(mark_large(text, &facts, scratch)), max_depth, &json, err));
    mg_arena_on_free(arena, put, json);
    census found = {0};
    count_value(&found, json);
    if (found.infinite)
        return mg_fail(err, MG_ERR_LIMIT, "a number in the JSON is too large to be compared");
    if (rules == MG_JSON_UNIQUE_KEYS && found.keys != facts.keys)
        return mg_fail(err, MG_ERR_INVALID, "a key stands twice in one JSON object");
    *out = json;
    return MG_OK;
}

/* --- Pointers --- */

mg_status mg_json_pointer_valid(mg_str pointer, mg_err *err)
{
    if (pointer.len > 0 && pointer.ptr[0] != '/')
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT
                       "' is not a JSON Pointer: it begins with '/', as in /scripts/test",
                       MG_ARG(pointer));
    for (size_t i = 0; i < pointer.len; i++) {
        const char next = i + 1 < pointer.len ? pointer.ptr[i + 1] : '\0';
        if (pointer.ptr[i] == '~' && next != '0' && next != '1')
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT "' is not a JSON Pointer: write '~' as ~0 and '/' as ~1",
                           MG_ARG(pointer));
    }
    return MG_OK;
}

/* RFC 6901, section 4: 0, or digits without a leading zero; "-" is never there yet. */
static bool list_index(mg_str part, size_t *out)
{
    int64_t value;
    if (part.len == 0 || part.ptr[0] < '0' || part.ptr[0] > '9' ||
        (part.len > 1 && part.ptr[0] == '0') || mg_parse_int(part, &value, NULL) != MG_OK)
        return false;
    *out = (size_t)value;
    return true;
}

static const char *unescaped(mg_str part, mg_arena *arena)
{
    mg_buf key = mg_buf_new(arena, part.len + 1);
    for (size_t i = 0; i < part.len; i++) {
        if (part.ptr[i] == '~')
            mg_buf_addc(&key, part.ptr[++i] == '1' ? '/' : '~');
        else
            mg_buf_addc(&key, part.ptr[i]);
    }
    mg_buf_addc(&key, '\0');
    return mg_buf_str(&key).ptr;
}

static bool step(const mg_json **json, mg_str part, mg_arena *scratch)
{
    mg_json *found = NULL;
    size_t index;
    if (json_object_is_type(*json, json_type_array)) {
        if (!list_index(part, &index) || index >= json_object_array_length(*json))
            return false;
        found = json_object_array_get_idx(*json, index);
    } else if (!json_object_is_type(*json, json_type_object) ||
               !json_object_object_get_ex(*json, unescaped(part, scratch), &found)) {
        return false;
    }
    *json = found;
    return true;
}

mg_status mg_json_at(const mg_json *json, mg_str pointer, const mg_json **out, mg_err *err)
{
    MG_TRY(mg_json_pointer_valid(pointer, err));
    MG_AUTO(mg_arena)
    scratch = mg_arena_new(NULL);
    /* A NUL would end the key early; there are no such keys (json_grammar). */
    bool there = pointer.len == 0 || memchr(pointer.ptr, '\0', pointer.len) == NULL;
    mg_str rest = pointer.len > 0 ? mg_str_from(pointer, 1) : (mg_str){0};
    mg_str part;
    while (there && mg_str_split(&rest, '/', &part))
        there = step(&json, part, scratch);
    if (!there)
        return mg_fail(err, MG_ERR_NOT_FOUND, "there is nothing at '" MG_FMT "'", MG_ARG(pointer));
    *out = json;
    return MG_OK;
}

/* --- Values --- */

bool mg_json_is_text(const mg_json *json, mg_str *text)
{
    if (!json_object_is_type(json, json_type_string))
        return false;
    mg_json *j = unconst(json);
    *text = (mg_str){json_object_get_string(j), (size_t)json_object_get_string_len(j)};
    return true;
}

bool mg_json_is_number(const mg_json *json, double *number)
{
    if (!json_object_is_type(json, json_type_int) && !json_object_is_type(json, json_type_double))
        return false;
    *number = json_object_get_double(json);
    return true;
}

bool mg_json_is_int(const mg_json *json, int64_t *number)
{
    if (!json_object_is_type(json, json_type_int))
        return false;
    *number = json_object_get_int64(json);
    return true;
}

bool mg_json_is_bool(const mg_json *json, bool *value)
{
    if (!json_object_is_type(json, json_type_boolean))
        return false;
    *value = json_object_get_boolean(json) != 0;
    return true;
}

bool mg_json_is_null(const mg_json *json)
{
    return json_object_is_type(json, json_type_null) != 0;
}

bool mg_json_is_list(const mg_json *json, size_t *count)
{
    if (!json_object_is_type(json, json_type_array))
        return false;
    *count = json_object_array_length(json);
    return true;
}

bool mg_json_is_object(const mg_json *json)
{
    return json_object_is_type(json, json_type_object) != 0;
}

const mg_json *mg_json_item(const mg_json *list, size_t index)
{
    size_t count;
    return mg_json_is_list(list, &count) && index < count ? json_object_array_get_idx(list, index)
                                                          : NULL;
}

bool mg_json_get(const mg_json *object, const char *key, const mg_json **out)
{
    mg_json *found = NULL;
    if (!mg_json_is_object(object) || !json_object_object_get_ex(object, key, &found))
        return false;
    *out = found;
    return true;
}

/* The digits of a whole number as it was written, "+" and our own "e0" taken off. */
static bool whole_digits(mg_str text, mg_str *digits)
{
    if (mg_str_starts(text, "+"))
        text = mg_str_from(text, 1);
    if (mg_str_ends(text, "e0"))
        text.len -= 2;
    const size_t sign = mg_str_starts(text, "-") ? 1 : 0;
    for (size_t i = sign; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    }
    *digits = text;
    return text.len > sign;
}

static bool equal_exactly(int64_t whole, double number)
{
    return number >= -9223372036854775808.0 && number < 9223372036854775808.0 &&
           (int64_t)number == whole && !(trunc(number) < number) && !(trunc(number) > number);
}

/* By value and not by the nearest double: 9007199254740993 is not 9007199254740992. */
static bool equal_numbers(const mg_json *json, const mg_node *node)
{
    double got;
    mg_str a, b;
    if (!mg_json_is_number(json, &got))
        return false;
    const bool whole = json_object_is_type(json, json_type_int);
    if (whole && node->type == MG_NODE_INT)
        return json_object_get_int64(json) == node->integer;
    const char *text = json_object_to_json_string_ext(unconst(json), JSON_C_TO_STRING_PLAIN);
    if (whole_digits(mg_str_of(text), &a) && whole_digits(node->text, &b) &&
        MG_MAX(a.len, b.len) > 18)
        return mg_str_eq(a, b); /* one of them is beyond 64 bits */
    if (whole)
        return equal_exactly(json_object_get_int64(json), node->number);
    if (node->type == MG_NODE_INT)
        return equal_exactly(node->integer, got);
    return !(got < node->number) && !(got > node->number);
}

static bool equal_lists(const mg_json *json, const mg_node *node)
{
    if (!json_object_is_type(json, json_type_array) ||
        json_object_array_length(json) != node->list.count)
        return false;
    for (size_t i = 0; i < node->list.count; i++) {
        if (!mg_json_equals(json_object_array_get_idx(json, i), &node->list.items[i]))
            return false;
    }
    return true;
}

static bool equal_maps(const mg_json *json, const mg_node *node)
{
    if (!json_object_is_type(json, json_type_object) ||
        (size_t)json_object_object_length(json) != node->map.count)
        return false;
    for (size_t i = 0; i < node->map.count; i++) {
        mg_json *value;
        /* Keys from a goal file end in NUL (mg_str_copy); one with a NUL inside is never equal. */
        const mg_pair *pair = &node->map.items[i];
        if (strlen(pair->key.ptr) != pair->key.len ||
            !json_object_object_get_ex(json, pair->key.ptr, &value) ||
            !mg_json_equals(value, &pair->value))
            return false;
    }
    return true;
}

bool mg_json_equals(const mg_json *json, const mg_node *node)
{
    mg_str text;
    switch (node->type) {
    case MG_NODE_NULL:
        return json_object_is_type(json, json_type_null);
    case MG_NODE_BOOL:
        return json_object_is_type(json, json_type_boolean) &&
               json_object_get_boolean(json) == (node->boolean ? 1 : 0);
    case MG_NODE_INT:
    case MG_NODE_NUMBER:
        return equal_numbers(json, node);
    case MG_NODE_TEXT:
        return mg_json_is_text(json, &text) && mg_str_eq(text, node->text);
    case MG_NODE_LIST:
        return equal_lists(json, node);
    case MG_NODE_MAP:
        return equal_maps(json, node);
    }
    return false;
}

mg_str mg_json_text(const mg_json *json, mg_arena *arena)
{
    if (json == NULL)
        return MG_STR("null");
    size_t len = 0;
    const char *text = json_object_to_json_string_length(
        unconst(json), JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
    return text != NULL ? mg_str_copy(arena, (mg_str){text, len}) : MG_STR("(out of memory)");
}
