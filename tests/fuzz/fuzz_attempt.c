/* Attempts and results from JSON: what is read is written and read again as the same, and is a
 * success only where it says so twice. */
#include "fuzz.h"
#include "model/pursuit.h"

static mg_str written(const mg_attempt *attempt, mg_arena *arena)
{
    mg_buf buf = mg_buf_new(arena, 64u << 20);
    mg_json_out json = {.buf = &buf};
    mg_attempt_write(&json, attempt);
    MUST(!buf.cut);
    return mg_buf_str(&buf);
}

static void read_attempt(const mg_json *json, mg_arena *arena)
{
    mg_attempt attempt = {0}, again = {0};
    mg_err err = {0};
    if (mg_attempt_read(json, arena, &attempt, &err) != MG_OK) {
        MUST(err.text[0] != '\0' && attempt.number == 0);
        return;
    }
    MUST(attempt.number > 0);
    MUST((attempt.status == MG_ATTEMPT_SUCCESS) == (attempt.verdict == MG_VERDICT_MET));
    const mg_str text = written(&attempt, arena);
    const mg_json *back;
    MUST(mg_json_parse(text, &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &back, &err) == MG_OK);
    MUST(mg_attempt_read(back, arena, &again, &err) == MG_OK);
    MUST(mg_str_eq(text, written(&again, arena)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_str text = {(const char *)data, size};
    mg_err err = {0};
    const mg_json *json;
    mg_result *results;
    size_t count;
    if (mg_json_parse(text, &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &json, &err) != MG_OK)
        return 0;
    read_attempt(json, arena);
    if (mg_results_read(json, arena, &results, &count, &err) == MG_OK) {
        for (size_t i = 0; i < count; i++)
            MUST(!results[i].proves || results[i].outcome == MG_OUTCOME_PASS);
    }
    return 0;
}
