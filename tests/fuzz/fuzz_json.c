/* JSON: what is read is written and read again as the same, and YAML agrees where it reads it. */
#include "data/json.h"
#include "data/json_grammar.h"
#include "fuzz.h"

static void compare_with_yaml(mg_str text, const mg_json *json, mg_arena *arena)
{
    mg_node *node;
    uint32_t line, column;
    if (mg_yaml_parse(text, &mg_limits_default, arena, &node, &line, &column, NULL) == MG_OK)
        MUST(mg_json_equals(json, node));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_str text = {(const char *)data, size};
    mg_err err = {0};
    mg_json_facts facts;
    const mg_json *json, *again, *unique;
    const mg_status grammar =
        mg_json_grammar(text, mg_limits_default.json_depth, arena, &facts, &err);
    const mg_status s = mg_json_parse(text, &mg_limits_default, MG_JSON_PLAIN, arena, &json, &err);
    if (s != MG_OK) {
        /* Whatever is JSON is also read, but for numbers beyond all bounds. */
        MUST(grammar != MG_OK || s == MG_ERR_LIMIT);
        return 0;
    }
    MUST(grammar == MG_OK);
    const mg_str written = mg_json_text(json, arena);
    MUST(mg_json_parse(written, &mg_limits_default, MG_JSON_PLAIN, arena, &again, &err) == MG_OK);
    MUST(mg_str_eq(written, mg_json_text(again, arena)));
    if (mg_json_parse(text, &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &unique, &err) == MG_OK)
        compare_with_yaml(text, json, arena);
    /* Every part of the input is also tried as a pointer. */
    (void)!mg_json_at(json, mg_str_from(text, size / 2), &again, &err);
    return 0;
}
