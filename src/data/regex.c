/* regex.c - PCRE2 with a bound on the sum of its steps.
 *
 * PCRE2 limits the steps from each place where a match might begin, but not their sum: two
 * stars one after the other take minutes on 8 KB and stay below any such limit. So a short text
 * gives each place its share, which nearly always is enough; where it is not, and for long
 * texts, PCRE2 calls us at every step and the sum is bounded. As machine code that is still
 * faster than its interpreter without.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "data/regex.h"

#include "data/regex_match.h"
#include "data/text.h"

#include <assert.h>
#include <pcre2.h>

/* Compiling to machine code costs more than it saves until this much text is to be searched. */
enum { JIT_WORTH = 64 * 1024 };

#ifdef MG_NO_JIT /* valgrind does not follow it: ./dev valgrind */
enum { USE_JIT = 0 };
#else
enum { USE_JIT = 1 };
#endif

/* A pattern is compiled up to three times; all but the first when a text first needs it. */
typedef enum variant { PLAIN, COUNTED, BROKEN, VARIANTS } variant;

static const uint32_t variant_options[VARIANTS] = {
    [PLAIN] = 0,
    [COUNTED] = PCRE2_AUTO_CALLOUT,
    /* For text that is not all UTF-8. Not for the rest: PCRE2 10.42 then forgets what lies
     * before the start of a match when lookbehinds are nested (its machine code does not). */
    [BROKEN] = PCRE2_AUTO_CALLOUT | PCRE2_MATCH_INVALID_UTF,
};

struct mg_regex {
    pcre2_code *codes[VARIANTS];
    bool tried[VARIANTS];
    mg_str pattern;
    size_t lookbehind; /* bytes that an assertion may look back */
    bool matches_empty;
    mg_arena *arena;
};

static void *arena_malloc(size_t bytes, void *arena)
{
    return mg_arena_alloc(arena, bytes);
}

static void arena_keep(void *block, void *arena)
{
    (void)block; /* the arena frees it */
    (void)arena;
}

static void free_code(void *code)
{
    pcre2_code_free(code); /* gives the executable memory back; the rest is the arena's */
}

static pcre2_code *compile(mg_str pattern, variant v, mg_arena *arena, int *error, size_t *offset)
{
    pcre2_general_context *memory = pcre2_general_context_create(arena_malloc, arena_keep, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    (void)pcre2_set_max_pattern_length(context, 64 * 1024);
    /* ALT_CIRCUMFLEX: otherwise ^ fails after a line end that is the end of the window, and
     * fails for good, without calling the match partial: "a\n^b" would be missed there. */
    return pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                         PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX | PCRE2_UTF |
                             PCRE2_NEVER_BACKSLASH_C | variant_options[v],
                         error, offset, context);
}

/* NULL where PCRE2 cannot hold it with a call at every step. */
static const pcre2_code *code_for(const mg_regex *regex, variant v)
{
    mg_regex *mine = (mg_regex *)(uintptr_t)regex; /* a cache; the pattern stays what it is */
    int error;
    size_t offset;
    if (mine->tried[v])
        return mine->codes[v];
    mine->tried[v] = true;
    mine->codes[v] = compile(mine->pattern, v, mine->arena, &error, &offset);
    if (USE_JIT && mine->codes[v] != NULL &&
        pcre2_jit_compile(mine->codes[v], PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD) == 0)
        mg_arena_on_free(mine->arena, free_code, mine->codes[v]);
    return mine->codes[v];
}

/* \G and (*COMMIT) speak of where this very search began, which is nothing that the text or
 * the author of a goal knows; over windows they would find what is not there. */
static const char *refused_item(mg_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        const mg_str rest = mg_str_from(pattern, i);
        if (mg_str_starts(rest, "(*COMMIT"))
            return "(*COMMIT)";
        if (rest.ptr[0] != '\\')
            continue;
        if (mg_str_starts(rest, "\\G"))
            return "\\G";
        i++; /* what is escaped begins nothing */
    }
    return NULL;
}

/* PCRE2 knows the longest lookbehind, but does not add up those inside each other. Taking each
 * for as long as the longest, and all for nested, is never too little; two characters more are
 * for a CRLF before ^. */
static size_t lookbehind_bytes(const pcre2_code *code, mg_str pattern)
{
    uint32_t longest = 0;
    size_t count = 1;
    (void)pcre2_pattern_info(code, PCRE2_INFO_MAXLOOKBEHIND, &longest);
    for (size_t i = 0; i < pattern.len; i++) {
        const mg_str rest = mg_str_from(pattern, i);
        count += mg_str_starts(rest, "(?<") || mg_str_starts(rest, "(*");
    }
    return (longest * count + 2) * 4; /* of up to four bytes each */
}

static bool matches_empty(const pcre2_code *code)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    if (data == NULL)
        abort(); /* out of memory, as in the arena */
    const int rc = pcre2_match(code, (PCRE2_SPTR) "", 0, 0, 0, data, NULL);
    pcre2_match_data_free(data);
    return rc >= 0;
}

mg_status mg_regex_compile(mg_str pattern, mg_arena *arena, const mg_regex **out, mg_err *err)
{
    int error;
    size_t offset;
    const mg_str copy = mg_str_copy(arena, pattern);
    const char *refused = refused_item(pattern);
    if (refused != NULL)
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' is not a valid pattern here: it uses %s",
                       MG_ARG(mg_str_first(pattern, 200)), refused);
    pcre2_code *code = compile(copy, PLAIN, arena, &error, &offset);
    if (code == NULL) {
        char why[160];
        (void)pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof why);
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is not a valid pattern: %s (at character %zu)",
                       MG_ARG(mg_str_first(pattern, 200)), why,
                       mg_utf8_columns(mg_str_first(pattern, offset)) + 1);
    }
    mg_regex *regex = mg_new(arena, mg_regex);
    *regex = (mg_regex){
        .codes = {[PLAIN] = code},
        .tried = {[PLAIN] = true},
        .pattern = copy,
        .lookbehind = lookbehind_bytes(code, pattern),
        .matches_empty = matches_empty(code),
        .arena = arena,
    };
    *out = regex;
    return MG_OK;
}

mg_str mg_regex_pattern(const mg_regex *regex)
{
    return regex->pattern;
}

bool mg_regex_matches_empty(const mg_regex *regex)
{
    return regex->matches_empty;
}

size_t mg_regex_lookbehind(const mg_regex *regex)
{
    return regex->lookbehind;
}

/* --- One match --- */

struct mg_matcher {
    pcre2_match_context *context;
    pcre2_match_data *data;
    const mg_limits *limits;
};

static void matcher_done(void *data)
{
    mg_matcher *m = data;
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
}

mg_matcher *mg_matcher_new(const mg_limits *limits, mg_arena *arena)
{
    mg_matcher *m = mg_new(arena, mg_matcher);
    m->context = pcre2_match_context_create(NULL);
    m->data = pcre2_match_data_create(1, NULL);
    if (m->context == NULL || m->data == NULL)
        abort(); /* out of memory, as in the arena */
    m->limits = limits;
    (void)pcre2_set_depth_limit(m->context, limits->regex_steps);
    (void)pcre2_set_heap_limit(m->context, limits->regex_heap_kb);
    mg_arena_on_free(arena, matcher_done, m);
    return m;
}

typedef struct counter {
    size_t left, last;
} counter;

/* A step costs one, and what it passed over: a star runs along a line in a single step. */
static int count_step(pcre2_callout_block *block, void *data)
{
    counter *c = data;
    const size_t at = block->current_position;
    const size_t cost = 1 + (at > c->last ? at - c->last : c->last - at) / 16;
    c->last = at;
    if (c->left < cost)
        return PCRE2_ERROR_MATCHLIMIT; /* ends the match with this code */
    c->left -= cost;
    return 0;
}

static int match_counted(const pcre2_code *code, const mg_matcher *m, mg_str text, size_t from,
                         uint32_t options)
{
    counter steps = {.left = m->limits->regex_steps, .last = from};
    if (code == NULL)
        return PCRE2_ERROR_MATCHLIMIT;
    (void)pcre2_set_match_limit(m->context, m->limits->regex_steps);
    (void)pcre2_set_callout(m->context, count_step, &steps);
    int rc = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, from, options, m->data, m->context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(code, (PCRE2_SPTR)text.ptr, text.len, from, options | PCRE2_NO_JIT,
                         m->data, m->context);
    (void)pcre2_set_callout(m->context, NULL, NULL);
    return rc;
}

static int match_bounded(const mg_regex *regex, const mg_matcher *m, mg_str text, size_t from,
                         mg_match_how how)
{
    const uint32_t options = (how.more ? PCRE2_PARTIAL_HARD : 0u) |
                             (how.not_empty ? PCRE2_NOTEMPTY_ATSTART : 0u) |
                             (how.valid ? PCRE2_NO_UTF_CHECK : 0u);
    const size_t length = text.len - from;
    if (!how.valid)
        return match_counted(code_for(regex, BROKEN), m, text, from, options);
    if (length < JIT_WORTH) {
        const size_t share = m->limits->regex_steps / 4 / (length + 1);
        (void)pcre2_set_match_limit(m->context, (uint32_t)share);
        const int rc = pcre2_match(regex->codes[PLAIN], (PCRE2_SPTR)text.ptr, text.len, from,
                                   options, m->data, m->context);
        if (rc != PCRE2_ERROR_MATCHLIMIT)
            return rc;
    }
    return match_counted(code_for(regex, COUNTED), m, text, from, options);
}

mg_status mg_match(const mg_regex *regex, const mg_matcher *m, mg_str text, size_t from,
                   mg_match_how how, mg_match_answer *out, size_t *begin, size_t *end, mg_err *err)
{
    const int rc = match_bounded(regex, m, text, from, how);
    if (rc == PCRE2_ERROR_NOMATCH) {
        *out = MG_MATCH_ABSENT;
        return MG_OK;
    }
    if (rc >= 0 || rc == PCRE2_ERROR_PARTIAL) {
        const size_t *span = pcre2_get_ovector_pointer(m->data);
        *out = rc >= 0 ? MG_MATCH_FOUND : MG_MATCH_PARTIAL;
        *begin = MG_MIN(span[0], span[1]); /* \K in a lookahead can turn them round */
        *end = MG_MAX(span[0], span[1]);
        return MG_OK;
    }
    if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT)
        return mg_fail(err, MG_ERR_LIMIT,
                       "pattern '" MG_FMT
                       "' needs too many steps on this text; make it more specific",
                       MG_ARG(mg_str_first(regex->pattern, 200)));
    char why[160];
    (void)pcre2_get_error_message(rc, (PCRE2_UCHAR *)why, sizeof why);
    return mg_fail(err, MG_ERR_SYSTEM, "pattern '" MG_FMT "' cannot be matched: %s",
                   MG_ARG(mg_str_first(regex->pattern, 200)), why);
}

mg_status mg_regex_find(const mg_regex *regex, const mg_limits *limits, mg_str text, bool *found,
                        mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_match_answer got;
    size_t begin, end;
    const mg_str subject = {text.ptr != NULL ? text.ptr : "", text.len};
    const mg_match_how how = {.valid = mg_utf8_valid(subject)};
    MG_TRY(
        mg_match(regex, mg_matcher_new(limits, scratch), subject, 0, how, &got, &begin, &end, err));
    *found = got == MG_MATCH_FOUND;
    return MG_OK;
}
