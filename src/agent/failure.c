/* failure.c - what the error sentence of an agent or a model server means.
 *
 * Every agent words it differently, so this is a table of what was seen and of what the servers
 * document. A number counts only where it stands as a status ("error 401", "429 Too many ..."),
 * not anywhere in a text. What is not recognised is an ordinary failure and may be tried again.
 */
#include "agent/reader.h"

#include <ctype.h>

typedef struct phrase {
    const char *text;
    mg_failure means;
} phrase;

/* The first that is found decides: no quota at all is answered with 429 by some. */
static const phrase phrases[] = {
    {"insufficient_quota", MG_FAILURE_FATAL},
    {"credit balance is too low", MG_FAILURE_FATAL},
    {"unauthorized", MG_FAILURE_FATAL},
    {"authentication", MG_FAILURE_FATAL},
    {"invalid api key", MG_FAILURE_FATAL},
    {"invalid_api_key", MG_FAILURE_FATAL},
    {"incorrect api key", MG_FAILURE_FATAL},
    {"invalid x-api-key", MG_FAILURE_FATAL},
    {"api key not valid", MG_FAILURE_FATAL},
    {"no api key", MG_FAILURE_FATAL},
    {"missing api key", MG_FAILURE_FATAL},
    {"invalid auth method", MG_FAILURE_FATAL},
    {"please set an auth method", MG_FAILURE_FATAL},
    {"not logged in", MG_FAILURE_FATAL},
    {"please run /login", MG_FAILURE_FATAL},
    {"model_not_found", MG_FAILURE_FATAL},
    {"model not found", MG_FAILURE_FATAL},
    {"unknown model", MG_FAILURE_FATAL},
    {"no such model", MG_FAILURE_FATAL},
    {"error loading config", MG_FAILURE_FATAL},
    {"rate limit", MG_FAILURE_LIMIT},
    {"rate_limit", MG_FAILURE_LIMIT},
    {"ratelimit", MG_FAILURE_LIMIT},
    {"too many requests", MG_FAILURE_LIMIT},
    {"usage limit", MG_FAILURE_LIMIT},
    {"high demand", MG_FAILURE_LIMIT},
    {"overloaded", MG_FAILURE_LIMIT},
    {"resource_exhausted", MG_FAILURE_LIMIT},
    {"resource exhausted", MG_FAILURE_LIMIT},
    {"quota exceeded", MG_FAILURE_LIMIT},
    {"exceeded your current quota", MG_FAILURE_LIMIT},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool starts_fold(mg_str text, mg_str part)
{
    if (text.len < part.len)
        return false;
    for (size_t i = 0; i < part.len; i++)
        if (lower(text.ptr[i]) != lower(part.ptr[i]))
            return false;
    return true;
}

/* Where part begins, or text.len. */
static size_t find_fold(mg_str text, mg_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (starts_fold(mg_str_from(text, i), part))
            return i;
    return text.len;
}

bool mg_text_has_fold(mg_str text, const char *part)
{
    const mg_str wanted = mg_str_of(part);
    return wanted.len == 0 || find_fold(text, wanted) < text.len;
}

static mg_failure of_status(int64_t status)
{
    if (status == 401 || status == 403)
        return MG_FAILURE_FATAL;
    return status == 429 || status == 529 ? MG_FAILURE_LIMIT : MG_FAILURE_OTHER;
}

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether what stands before a number makes it a status: nothing, or a word for one. */
static bool names_status(mg_str before)
{
    static const char *const words[] = {"status", "error", "http", "code", "statuscode"};
    size_t end = before.len;
    while (end > 0 && !word_byte(before.ptr[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && word_byte(before.ptr[start - 1]))
        start--;
    const mg_str word = {before.ptr + start, end - start};
    if (word.len == 0)
        return true;
    for (size_t i = 0; i < MG_COUNT(words); i++)
        if (word.len == strlen(words[i]) && starts_fold(word, mg_str_of(words[i])))
            return true;
    return false;
}

/* The first number of three digits that stands as a status, or 0. */
static int64_t status_in(mg_str text)
{
    for (size_t i = 0; i + 3 <= text.len; i++) {
        const char *p = text.ptr + i;
        const bool three = isdigit((unsigned char)p[0]) && isdigit((unsigned char)p[1]) &&
                           isdigit((unsigned char)p[2]);
        const bool alone = (i == 0 || !word_byte(p[-1])) && (i + 3 == text.len || !word_byte(p[3]));
        if (three && alone && names_status(mg_str_first(text, i)))
            return (p[0] - '0') * 100 + (p[1] - '0') * 10 + (p[2] - '0');
    }
    return 0;
}

mg_str mg_failure_excerpt(mg_str text, char out[static MG_FAILURE_LOOKED_AT])
{
    const size_t half = MG_FAILURE_LOOKED_AT / 2;
    const bool all = text.len <= MG_FAILURE_LOOKED_AT;
    const mg_str first = mg_str_first(text, all ? text.len : half);
    const mg_str last = all ? (mg_str){0} : mg_str_from(text, text.len - half);
    for (size_t i = 0; i < first.len; i++)
        out[i] = lower(first.ptr[i]);
    for (size_t i = 0; i < last.len; i++)
        out[first.len + i] = lower(last.ptr[i]);
    return (mg_str){out, first.len + last.len};
}

mg_failure mg_failure_of(mg_str text, int64_t http_status)
{
    char room[MG_FAILURE_LOOKED_AT];
    const mg_str said = mg_failure_excerpt(text, room);
    for (size_t i = 0; i < MG_COUNT(phrases); i++)
        if (mg_str_has(said, phrases[i].text))
            return phrases[i].means;
    return of_status(http_status != 0 ? http_status : status_in(said));
}

typedef struct unit {
    const char *name;
    double ms;
} unit;

static double unit_ms(mg_str name)
{
    static const unit units[] = {
        {"ms", 1},        {"s", 1e3},       {"sec", 1e3},    {"secs", 1e3},    {"second", 1e3},
        {"seconds", 1e3}, {"m", 6e4},       {"min", 6e4},    {"mins", 6e4},    {"minute", 6e4},
        {"minutes", 6e4}, {"h", 3.6e6},     {"hour", 3.6e6}, {"hours", 3.6e6}, {"d", 8.64e7},
        {"day", 8.64e7},  {"days", 8.64e7},
    };
    for (size_t i = 0; i < MG_COUNT(units); i++)
        if (name.len == strlen(units[i].name) && starts_fold(name, mg_str_of(units[i].name)))
            return units[i].ms;
    return 0;
}

/* "20s", "1.5 s", "3 hours 20 minutes", "6m0s" at the beginning of text; 0 of anything else. */
static int64_t span_ms(mg_str text)
{
    double total = 0;
    size_t i = 0;
    for (int parts = 0; parts < 4; parts++) {
        while (i < text.len && (text.ptr[i] == ' ' || text.ptr[i] == ':'))
            i++;
        double value = 0, scale = 1;
        const size_t digits = i;
        for (; i < text.len && isdigit((unsigned char)text.ptr[i]); i++)
            value = value * 10 + (text.ptr[i] - '0');
        if (i == digits || i - digits > 9)
            break;
        if (i + 1 < text.len && text.ptr[i] == '.' && isdigit((unsigned char)text.ptr[i + 1]))
            for (i++; i < text.len && isdigit((unsigned char)text.ptr[i]); i++)
                value += (text.ptr[i] - '0') * (scale /= 10);
        while (i < text.len && text.ptr[i] == ' ')
            i++;
        const size_t name = i;
        while (i < text.len && isalpha((unsigned char)text.ptr[i]))
            i++;
        const double ms = unit_ms((mg_str){text.ptr + name, i - name});
        if (ms == 0)
            break;
        total += value * ms;
    }
    return total < 366 * 8.64e7 ? (int64_t)total : 0;
}

int64_t mg_failure_wait_ms(mg_str text)
{
    static const char *const before[] = {"try again in", "retry in", "retry after", "reset in",
                                         "resets in"};
    for (size_t i = 0; i < MG_COUNT(before); i++) {
        const mg_str words = mg_str_of(before[i]);
        const size_t at = find_fold(text, words);
        const int64_t ms = at < text.len ? span_ms(mg_str_from(text, at + words.len)) : 0;
        if (ms > 0)
            return ms;
    }
    return 0;
}
