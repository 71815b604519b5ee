/* YAML: what is read can be written as JSON, and that says the same. */
#include "data/json.h"
#include "fuzz.h"

static bool has_nul_key(const mg_node *node)
{
    bool found = false;
    for (size_t i = 0; node->type == MG_NODE_LIST && i < node->list.count; i++)
        found = found || has_nul_key(&node->list.items[i]);
    for (size_t i = 0; node->type == MG_NODE_MAP && i < node->map.count; i++)
        found = found ||
                memchr(node->map.items[i].key.ptr, 0, node->map.items[i].key.len) != NULL ||
                has_nul_key(&node->map.items[i].value);
    return found;
}

static void check_places(const mg_node *node)
{
    MUST(node->line >= 1 && node->column >= 1);
    for (size_t i = 0; node->type == MG_NODE_LIST && i < node->list.count; i++)
        check_places(&node->list.items[i]);
    for (size_t i = 0; node->type == MG_NODE_MAP && i < node->map.count; i++)
        check_places(&node->map.items[i].value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_node *node = NULL;
    uint32_t line = 0, column = 0;
    mg_err err = {0};
    const mg_str text = {(const char *)data, size};
    const mg_status s = mg_yaml_parse(text, &mg_limits_default, arena, &node, &line, &column, &err);
    MUST(line >= 1 && column >= 1);
    if (s != MG_OK) {
        MUST(err.text[0] != '\0' && node == NULL);
        return 0;
    }
    check_places(node);
    mg_buf buf = mg_buf_new(arena, 64u << 20);
    mg_json_out out = {.buf = &buf, .pretty = size % 2 == 1};
    mg_json_node(&out, node);
    const mg_json *json;
    if (buf.cut || has_nul_key(node))
        return 0;
    MUST(mg_json_parse(mg_buf_str(&buf), &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &json,
                       &err) == MG_OK);
    MUST(mg_json_equals(json, node));
    return 0;
}
