/* drive_ask.c - a request as JSON and back: two walks over the same table of fields. */
#include "cli/drive_ask.h"

#include "data/json.h"

#include <stddef.h>

enum { REQUEST_MAX_BYTES = 4u << 20 };

static const struct text_field {
    const char *name;
    size_t at;
} texts[] = {
    {"goal_file", offsetof(mg_drive_ask, file)},
    {"goal_path", offsetof(mg_drive_ask, file_path)},
    {"directory", offsetof(mg_drive_ask, directory)},
    {"root", offsetof(mg_drive_ask, root)},
    {"cwd", offsetof(mg_drive_ask, cwd)},
    {"agent", offsetof(mg_drive_ask, preset)},
};

/* Bytes that are not text (a path may have any) are kept by writing each of them as \xNN. */
static mg_str armoured(mg_str s, mg_arena *arena)
{
    mg_buf out = mg_buf_new(arena, s.len * 4 + 1);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c >= 0x7f || c == '\\')
            mg_buf_addf(&out, "\\x%02x", c);
        else
            mg_buf_addc(&out, (char)c);
    }
    return mg_buf_str(&out);
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

static bool disarm(mg_str s, mg_arena *arena, mg_str *out)
{
    mg_buf bytes = mg_buf_new(arena, s.len + 1);
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\\') {
            mg_buf_addc(&bytes, s.ptr[i]);
            continue;
        }
        if (i + 3 >= s.len || s.ptr[i + 1] != 'x' || digit(s.ptr[i + 2]) < 0 ||
            digit(s.ptr[i + 3]) < 0)
            return false;
        mg_buf_addc(&bytes, (char)(digit(s.ptr[i + 2]) * 16 + digit(s.ptr[i + 3])));
        i += 3;
    }
    *out = mg_str_copy(arena, mg_buf_str(&bytes));
    return true;
}

mg_str mg_drive_ask_json(const mg_drive_ask *ask, mg_arena *arena)
{
    mg_buf out = mg_buf_new(arena, REQUEST_MAX_BYTES);
    mg_json_out json = {.buf = &out};
    mg_json_begin(&json, '{');
    for (size_t i = 0; i < MG_COUNT(texts); i++) {
        const mg_str *text = (const mg_str *)(const void *)((const char *)ask + texts[i].at);
        mg_json_key(&json, texts[i].name);
        mg_json_str(&json, armoured(*text, arena));
    }
    mg_json_key(&json, "words");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < ask->words.count; i++)
        mg_json_str(&json, armoured(ask->words.items[i], arena));
    mg_json_end(&json, ']');
    mg_json_key(&json, "goal_bytes");
    mg_json_int(&json, (int64_t)ask->file_bytes);
    mg_json_key(&json, "attempts");
    mg_json_int(&json, ask->attempts);
    mg_json_key(&json, "time_ms");
    mg_json_int(&json, (int64_t)ask->time_ms);
    mg_json_key(&json, "tokens");
    mg_json_int(&json, ask->tokens);
    mg_json_key(&json, "cost_usd");
    mg_json_number(&json, ask->cost_usd);
    mg_json_key(&json, "attempt_timeout_ms");
    mg_json_int(&json, (int64_t)ask->attempt_timeout_ms);
    mg_json_end(&json, '}');
    return mg_buf_str(&out);
}

static mg_status read_text(const mg_json *json, const char *pointer, mg_arena *arena, mg_str *out,
                           mg_err *err)
{
    const mg_json *value;
    mg_str text;
    MG_TRY(mg_json_at(json, mg_str_of(pointer), &value, err));
    if (!mg_json_is_text(value, &text) || !disarm(text, arena, out))
        return mg_fail(err, MG_ERR_INVALID, "%s is not text", pointer + 1);
    return MG_OK;
}

static mg_status read_words(const mg_json *json, mg_arena *arena, mg_strs *out, mg_err *err)
{
    const mg_json *list;
    MG_TRY(mg_json_at(json, MG_STR("/words"), &list, err));
    for (size_t i = 0;; i++) {
        mg_str word;
        const mg_status s = read_text(json, mg_strf(arena, "/words/%zu", i).ptr, arena, &word, err);
        if (s == MG_ERR_NOT_FOUND)
            return MG_OK;
        MG_TRY(s);
        mg_strs_add(arena, out, word);
    }
}

/* A number from 0 that is whole, unless it is money. */
static mg_status read_amount(const mg_json *json, const char *pointer, double max, double *out,
                             mg_err *err)
{
    const mg_json *value;
    double number;
    MG_TRY(mg_json_at(json, mg_str_of(pointer), &value, err));
    if (!mg_json_is_number(value, &number) || !(number >= 0 && number <= max))
        return mg_fail(err, MG_ERR_INVALID, "%s is not a number from 0", pointer + 1);
    *out = number;
    return MG_OK;
}

mg_status mg_drive_ask_read(mg_str text, mg_arena *arena, mg_drive_ask *out, mg_err *err)
{
    static const double whole = 9007199254740992.0; /* 2^53: exact in a double */
    const mg_json *json;
    double bytes = 0, attempts = 0, time = 0, tokens = 0, cost = 0, timeout = 0;
    mg_drive_ask ask = {0};
    MG_TRY(mg_json_parse(text, &mg_limits_default, MG_JSON_UNIQUE_KEYS, arena, &json, err));
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        MG_TRY(read_text(json, mg_strf(arena, "/%s", texts[i].name).ptr, arena,
                         (mg_str *)(void *)((char *)&ask + texts[i].at), err));
    MG_TRY(read_words(json, arena, &ask.words, err));
    MG_TRY(read_amount(json, "/goal_bytes", (double)mg_limits_default.goal_bytes, &bytes, err));
    MG_TRY(read_amount(json, "/attempts", UINT32_MAX, &attempts, err));
    MG_TRY(read_amount(json, "/time_ms", whole, &time, err));
    MG_TRY(read_amount(json, "/tokens", whole, &tokens, err));
    MG_TRY(read_amount(json, "/cost_usd", whole, &cost, err));
    MG_TRY(read_amount(json, "/attempt_timeout_ms", whole, &timeout, err));
    ask.file_bytes = (size_t)bytes;
    ask.attempts = (uint32_t)attempts;
    ask.time_ms = (uint64_t)time;
    ask.tokens = (int64_t)tokens;
    ask.cost_usd = cost;
    ask.attempt_timeout_ms = (uint64_t)timeout;
    *out = ask;
    return MG_OK;
}
