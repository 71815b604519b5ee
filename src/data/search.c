/* search.c - a text that arrives in pieces, searched in windows.
 *
 * It uses PCRE2_PARTIAL_HARD (pcre2partial(3)): a match that touches the end of the window is
 * never believed, for the next bytes may undo it (foo(?!bar), \b, $). Instead the window slides
 * so that it begins where that match began and the search goes on with more text. Before the
 * search position enough old text is kept for lookbehind; since at least one byte is kept, \A
 * cannot match at the edge of a window.
 */
#include "data/regex.h"
#include "data/regex_match.h"
#include "data/text.h"

#include <assert.h>

struct mg_search {
    const mg_regex *regex;
    const mg_limits *limits;
    const mg_matcher *matcher;
    mg_arena *arena;
    char *buf;
    size_t len, cap;
    size_t from;    /* the search goes on here; what lies before is only for looking back */
    bool not_empty; /* an empty match was found there already */
    bool begun;     /* the beginning of the text was looked at */
    uint64_t count, max_matches;
};

mg_search *mg_search_new(const mg_regex *regex, const mg_limits *limits, uint64_t max_matches,
                         size_t size_hint, mg_arena *arena)
{
    mg_search *s = mg_new(arena, mg_search);
    /* One byte more than is expected, so that the end is seen without another window. */
    const size_t window = MG_MAX(limits->search_window, (size_t)16);
    const size_t cap = size_hint > 0 && size_hint < window ? size_hint + 1 : window;
    *s = (mg_search){
        .regex = regex,
        .limits = limits,
        .matcher = mg_matcher_new(limits, arena),
        .arena = arena,
        .buf = mg_arena_grow(arena, NULL, 0, cap),
        .cap = cap,
        .max_matches = max_matches,
    };
    return s;
}

char *mg_search_room(mg_search *s, size_t *bytes)
{
    *bytes = s->cap - s->len;
    return s->buf + s->len;
}

bool mg_search_done(const mg_search *s)
{
    return s->count >= s->max_matches;
}

uint64_t mg_search_count(const mg_search *s)
{
    return s->count;
}

/* The end of the text that may be matched now: not inside a character, not between CR and LF. */
static size_t safe_end(const mg_search *s)
{
    size_t end = s->len - mg_utf8_cut((mg_str){s->buf, s->len});
    if (end > 0 && s->buf[end - 1] == '\r')
        end--;
    return end;
}

/* The search goes on at `at`; whatever is true of an empty match there is known as well. */
static void go_on(mg_search *s, size_t at, bool not_empty)
{
    s->not_empty = at > s->from ? not_empty : s->not_empty || not_empty;
    s->from = MG_MAX(at, s->from);
}

/* Every other byte of it is NUL: a word that stands there in plain sight would not be found. */
static bool is_wide(mg_str begin)
{
    return mg_str_starts(begin, "\xff\xfe") || mg_str_starts(begin, "\xfe\xff") ||
           (begin.len >= 4 && memcmp(begin.ptr, "\0\0\xfe\xff", 4) == 0);
}

/* Counts matches from s->from on. With `more` to come, stops at the first one that is open.
 * After an empty match (between lookarounds) another may begin at the same place, but not be
 * empty, as in Perl. */
static mg_status count_matches(mg_search *s, bool more, mg_err *err)
{
    if (!s->begun && is_wide((mg_str){s->buf, s->len}))
        return mg_fail(err, MG_ERR_INVALID,
                       "it is UTF-16 or UTF-32 text; patterns are searched in UTF-8");
    s->begun = true;
    const mg_str text = {s->buf, more ? safe_end(s) : s->len};
    const bool valid = mg_utf8_valid(text);
    while (!mg_search_done(s) && s->from <= text.len) {
        mg_match_answer got;
        size_t begin, end;
        const mg_match_how how = {.more = more, .not_empty = s->not_empty, .valid = valid};
        MG_TRY(mg_match(s->regex, s->matcher, text, s->from, how, &got, &begin, &end, err));
        if (got != MG_MATCH_FOUND) {
            go_on(s, got == MG_MATCH_PARTIAL ? begin : text.len, false);
            return MG_OK;
        }
        if (s->not_empty && end <= s->from)
            return mg_fail(err, MG_ERR_SYSTEM, "pattern '" MG_FMT "' does not get any further",
                           MG_ARG(mg_str_first(mg_regex_pattern(s->regex), 200)));
        s->count++;
        go_on(s, end, begin == end);
    }
    return MG_OK;
}

/* Drops what no match can need any more, whole characters only. */
static void slide(mg_search *s)
{
    const size_t lookbehind = mg_regex_lookbehind(s->regex);
    size_t keep = s->from > lookbehind ? s->from - lookbehind : 0;
    for (int i = 0; i < 3 && keep > 0 && ((unsigned char)s->buf[keep] & 0xc0) == 0x80; i++)
        keep--;
    memmove(s->buf, s->buf + keep, s->len - keep);
    s->len -= keep;
    s->from -= keep;
}

mg_status mg_search_feed(mg_search *s, size_t bytes, mg_err *err)
{
    assert(bytes <= s->cap - s->len);
    s->len += bytes;
    if (s->len < s->cap || mg_search_done(s))
        return MG_OK; /* the window is matched when it is full, not at every piece */
    MG_TRY(count_matches(s, true, err));
    slide(s);
    if (s->len < s->cap - s->cap / 4 || mg_search_done(s))
        return MG_OK;
    if (s->cap >= s->limits->search_bytes)
        return mg_fail(err, MG_ERR_LIMIT,
                       "pattern '" MG_FMT "' would need more than %zu bytes of the text at once; "
                       "make it more specific",
                       MG_ARG(mg_str_first(mg_regex_pattern(s->regex), 200)),
                       s->limits->search_bytes);
    const size_t cap =
        MG_MAX(MG_MIN(s->cap * 2, s->limits->search_bytes), s->limits->search_window);
    s->buf = mg_arena_grow(s->arena, s->buf, s->cap, cap);
    s->cap = cap;
    return MG_OK;
}

mg_status mg_search_add(mg_search *s, mg_str text, mg_err *err)
{
    while (text.len > 0 && !mg_search_done(s)) {
        size_t room;
        char *to = mg_search_room(s, &room);
        const mg_str piece = mg_str_first(text, room);
        memcpy(to, piece.ptr, piece.len);
        MG_TRY(mg_search_feed(s, piece.len, err));
        text = mg_str_from(text, piece.len);
    }
    return MG_OK;
}

mg_status mg_search_flush(mg_search *s, mg_err *err)
{
    return mg_search_done(s) ? MG_OK : count_matches(s, true, err);
}

mg_status mg_search_end(mg_search *s, mg_err *err)
{
    return mg_search_done(s) ? MG_OK : count_matches(s, false, err);
}
