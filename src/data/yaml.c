/* yaml.c - libyaml's events, composed into a tree with bounds on bytes, depth and count. */
#include "data/yaml.h"

#include "base/map.h"
#include "base/vec.h"
#include "data/json_grammar.h"
#include "data/text.h"

#include <inttypes.h>
#include <yaml.h>

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; owned until the next */
    bool have_event;
    mg_str text;
    const mg_limits *limits;
    mg_arena *arena;
    size_t nodes;
    uint32_t line, column; /* where the last error is */
    mg_err *err;
} reader;

static void reader_done(reader *r)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
}

static void mark(reader *r, yaml_mark_t at)
{
    r->line = (uint32_t)at.line + 1;
    r->column = (uint32_t)at.column + 1;
}

/* libyaml's reader knows only the offset of a byte it refuses, not its line. */
static void mark_offset(reader *r)
{
    const size_t offset = MG_MIN(r->parser.problem_offset, r->text.len);
    r->line = r->column = 1;
    for (size_t i = 0; i < offset; i++) {
        const unsigned char c = (unsigned char)r->text.ptr[i];
        r->column = c == '\n' ? 1 : r->column + ((c & 0xc0) != 0x80);
        r->line += c == '\n';
    }
}

static mg_status next(reader *r)
{
    if (r->have_event)
        yaml_event_delete(&r->event);
    r->have_event = yaml_parser_parse(&r->parser, &r->event) != 0;
    if (!r->have_event) {
        if (r->parser.error == YAML_READER_ERROR)
            mark_offset(r);
        else
            mark(r, r->parser.problem_mark);
        const char *why = r->parser.problem != NULL ? r->parser.problem : "it cannot be read";
        const char *when = r->parser.context != NULL ? r->parser.context : "";
        return mg_fail(r->err, MG_ERR_INVALID, "not valid YAML: %s%s%s", when, *when ? ": " : "",
                       why);
    }
    mark(r, r->event.start_mark);
    return MG_OK;
}

/* --- Scalars: YAML 1.2, section 10.3.2, except that a leading zero makes text --- */

static bool is_one_of(mg_str s, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (mg_str_is(s, names[i]))
            return true;
    }
    return false;
}

static bool looks_octal(mg_str s) /* 010, -007: people who write this mean the digits */
{
    const size_t sign = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+') ? 1 : 0;
    return s.len > sign + 1 && s.ptr[sign] == '0' && s.ptr[sign + 1] >= '0' &&
           s.ptr[sign + 1] <= '9';
}

static bool read_based(mg_str s, int64_t *out) /* 0x1f, 0o17 */
{
    const int base = mg_str_starts(s, "0x") ? 16 : mg_str_starts(s, "0o") ? 8 : 0;
    if (base == 0 || s.len == 2)
        return false;
    int64_t value = 0;
    for (size_t i = 2; i < s.len; i++) {
        const char c = s.ptr[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : 99;
        if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *out = value;
    return true;
}

static void resolve_plain(mg_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};
    const mg_str s = node->text;
    node->type = MG_NODE_TEXT;
    if (is_one_of(s, nulls, MG_COUNT(nulls))) {
        node->type = MG_NODE_NULL;
    } else if (is_one_of(s, trues, MG_COUNT(trues)) || is_one_of(s, falses, MG_COUNT(falses))) {
        node->type = MG_NODE_BOOL;
        node->boolean = (s.ptr[0] | 0x20) == 't';
    } else if (looks_octal(s)) {
        node->type = MG_NODE_TEXT;
    } else if (mg_parse_int(s, &node->integer, NULL) == MG_OK || read_based(s, &node->integer)) {
        node->type = MG_NODE_INT;
    } else if (mg_parse_number(s, &node->number, NULL) == MG_OK) {
        node->type = MG_NODE_NUMBER;
    }
}

/* --- The tree --- */

static mg_status read_node(reader *r, size_t depth, mg_node *out);

static mg_status refuse_extras(reader *r, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL)
        return mg_fail(r->err, MG_ERR_INVALID,
                       "anchor '&%s': anchors are not read here, write the value out",
                       (const char *)anchor);
    if (tag != NULL)
        return mg_fail(r->err, MG_ERR_INVALID, "tag '%s': tags are not read here",
                       (const char *)tag);
    return MG_OK;
}

static mg_status read_scalar(reader *r, mg_node *out)
{
    MG_TRY(refuse_extras(r, r->event.data.scalar.anchor, r->event.data.scalar.tag));
    const mg_str raw = {(const char *)r->event.data.scalar.value, r->event.data.scalar.length};
    out->text = mg_str_copy(r->arena, raw);
    if (r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        resolve_plain(out);
    else
        out->type = MG_NODE_TEXT;
    return MG_OK;
}

static mg_status read_list(reader *r, size_t depth, mg_node *out)
{
    MG_TRY(refuse_extras(r, r->event.data.sequence_start.anchor, r->event.data.sequence_start.tag));
    out->type = MG_NODE_LIST;
    for (;;) {
        MG_TRY(next(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return MG_OK;
        mg_node item = {0};
        MG_TRY(read_node(r, depth + 1, &item));
        mg_vec_push(r->arena, &out->list, item);
    }
}

/* Keys that were seen in one mapping. Few are compared one by one; many go into a map, so that
 * a hostile file cannot make the comparison quadratic. */
enum { FEW_KEYS = 16 };

static const mg_pair *find_key(const mg_node *map, mg_map *seen, const mg_pair *pair)
{
    if (map->map.count < FEW_KEYS) {
        for (size_t i = 0; i < map->map.count; i++) {
            if (mg_str_eq(map->map.items[i].key, pair->key))
                return &map->map.items[i];
        }
        return NULL;
    }
    const uintptr_t number = (uintptr_t)mg_map_get(seen, pair->key); /* index + 1; 0: not there */
    return number > 0 ? &map->map.items[number - 1] : NULL;
}

static void add_pair(reader *r, mg_node *map, mg_map *seen, mg_pair pair)
{
    mg_vec_push(r->arena, &map->map, pair);
    if (map->map.count < FEW_KEYS)
        return;
    for (size_t i = seen->count; i < map->map.count; i++)
        (void)mg_map_put(seen, map->map.items[i].key, (void *)(uintptr_t)(i + 1));
}

static mg_status read_key(reader *r, const mg_node *map, mg_map *seen, mg_pair *pair)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return mg_fail(r->err, MG_ERR_INVALID, "a key must be plain text");
    mg_node key = {0};
    MG_TRY(read_scalar(r, &key));
    if (mg_str_is(key.text, "<<"))
        return mg_fail(r->err, MG_ERR_INVALID, "merge key '<<' is not read here, write it out");
    pair->key = key.text;
    pair->line = r->line;
    pair->column = r->column;
    const mg_pair *first = find_key(map, seen, pair);
    if (first != NULL)
        return mg_fail(r->err, MG_ERR_INVALID,
                       "key '" MG_FMT "' stands here a second time (first on line %" PRIu32 ")",
                       MG_ARG(key.text), first->line);
    return MG_OK;
}

static mg_status read_map(reader *r, size_t depth, mg_node *out)
{
    MG_TRY(refuse_extras(r, r->event.data.mapping_start.anchor, r->event.data.mapping_start.tag));
    out->type = MG_NODE_MAP;
    mg_map seen = mg_map_new(r->arena);
    for (;;) {
        MG_TRY(next(r));
        if (r->event.type == YAML_MAPPING_END_EVENT)
            return MG_OK;
        mg_pair pair = {0};
        MG_TRY(read_key(r, out, &seen, &pair));
        MG_TRY(next(r));
        MG_TRY(read_node(r, depth + 1, &pair.value));
        add_pair(r, out, &seen, pair);
    }
}

/* Reads the node that begins with the current event. */
static mg_status read_node(reader *r, size_t depth, mg_node *out)
{
    out->line = r->line;
    out->column = r->column;
    if (depth > r->limits->goal_depth)
        return mg_fail(r->err, MG_ERR_LIMIT, "nested more than %zu levels deep",
                       r->limits->goal_depth);
    if (++r->nodes > r->limits->goal_nodes)
        return mg_fail(r->err, MG_ERR_LIMIT, "more than %zu values", r->limits->goal_nodes);
    switch ((int)r->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, out);
    case YAML_SEQUENCE_START_EVENT:
        return read_list(r, depth, out);
    case YAML_MAPPING_START_EVENT:
        return read_map(r, depth, out);
    case YAML_ALIAS_EVENT:
        return mg_fail(r->err, MG_ERR_INVALID,
                       "alias '*%s': aliases are not read here, write the value out (or quote it)",
                       (const char *)r->event.data.alias.anchor);
    default:
        return mg_fail(r->err, MG_ERR_INVALID, "not valid YAML");
    }
}

static mg_status read_document(reader *r, mg_node **out)
{
    mg_node *root = mg_new(r->arena, mg_node);
    root->line = root->column = 1;
    MG_TRY(next(r)); /* stream start */
    MG_TRY(next(r));
    if (r->event.type == YAML_STREAM_END_EVENT) {
        *out = root; /* nothing but comments: null */
        return MG_OK;
    }
    MG_TRY(next(r)); /* past the document start */
    MG_TRY(read_node(r, 1, root));
    MG_TRY(next(r)); /* document end */
    MG_TRY(next(r));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return mg_fail(r->err, MG_ERR_INVALID, "a second document begins here; one is expected");
    *out = root;
    return MG_OK;
}

/* JSON writes characters beyond U+FFFF as two escapes ("\ud83d\ude00"), which YAML does not
 * know; every program that writes ASCII-only JSON does so. Where the whole text is JSON such a
 * pair becomes YAML's one escape ("\U0001f600"); columns behind it on its line are 2 less. */
static mg_str join_surrogates(mg_str text, const mg_limits *limits, mg_arena *arena)
{
    if (!mg_str_has(text, "\\ud") && !mg_str_has(text, "\\uD"))
        return text;
    mg_json_facts facts;
    if (mg_json_grammar(text, limits->goal_depth, arena, &facts, NULL) != MG_OK)
        return text;
    mg_buf buf = mg_buf_new(arena, text.len);
    for (size_t i = 0; i < text.len;) {
        const mg_str rest = mg_str_from(text, i);
        uint32_t c;
        if (mg_json_surrogates(rest, &c)) {
            mg_buf_addf(&buf, "\\U%08x", c);
            i += 12;
            continue;
        }
        const size_t len = rest.ptr[0] == '\\' ? 2 : 1; /* JSON: something follows a backslash */
        mg_buf_add(&buf, mg_str_first(rest, len));
        i += len;
    }
    return mg_buf_str(&buf);
}

mg_status mg_yaml_parse(mg_str text, const mg_limits *limits, mg_arena *arena, mg_node **out,
                        uint32_t *line, uint32_t *column, mg_err *err)
{
    *line = *column = 1;
    if (text.len > limits->goal_bytes)
        return mg_fail(err, MG_ERR_LIMIT, "larger than %zu bytes", limits->goal_bytes);
    if (mg_str_starts(text, "\xef\xbb\xbf")) /* a byte order mark takes no column */
        text = mg_str_from(text, 3);
    reader r = {.limits = limits, .arena = arena, .err = err, .line = 1, .column = 1};
    r.text = text.len > 0 ? join_surrogates(text, limits, arena) : MG_STR("");
    if (yaml_parser_initialize(&r.parser) == 0)
        return mg_fail(err, MG_ERR_SYSTEM, "there is no memory for the YAML reader");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text.ptr, r.text.len);
    const mg_status s = read_document(&r, out);
    *line = MG_MAX(r.line, 1u);
    *column = MG_MAX(r.column, 1u);
    reader_done(&r);
    return s;
}

const mg_node *mg_node_get(const mg_node *map, const char *key)
{
    if (map->type != MG_NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->map.count; i++) {
        if (mg_str_is(map->map.items[i].key, key))
            return &map->map.items[i].value;
    }
    return NULL;
}

const char *mg_node_type_name(mg_node_type type)
{
    static const char *const names[] = {
        [MG_NODE_NULL] = "nothing",    [MG_NODE_BOOL] = "true or false", [MG_NODE_INT] = "a number",
        [MG_NODE_NUMBER] = "a number", [MG_NODE_TEXT] = "text",          [MG_NODE_LIST] = "a list",
        [MG_NODE_MAP] = "a mapping",
    };
    return names[type];
}
