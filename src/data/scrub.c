/* scrub.c - finding what must not travel, and putting a word in its place.
 *
 * All rows search the same shadow of the text, so that nothing which one of them takes out can
 * hide something from another. What is found is marked as a span of the text itself; spans are
 * merged and written as one word each. A text that could not be searched is withheld whole.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "data/scrub.h"

#include "base/vec.h"
#include "data/confusable.h"
#include "data/scrub_rows.h"
#include "data/text.h"

#include <assert.h>
#include <pcre2.h>

enum {
    SECRET_SHORTEST = 6,
    SECRET_LINE = 16, /* of a secret of several lines, each as long as this is one too */
    BLOCKED_CHARS = 150,
    TEXT_MOST = 64 << 20,
};

static const char *const words[MG_SCRUB_CLASSES] = {
    [MG_SCRUB_SECRET] = "[redacted secret]",
    [MG_SCRUB_ORDER] = "[redacted]",
    [MG_SCRUB_PRODUCT] = "[a tool]",
    [MG_SCRUB_GENERIC] = "[a tool]",
};

static const char withheld[] = "[text withheld: it could not be searched for secrets]";
static const char not_permitted[] = "the operation was not permitted";

typedef struct rule {
    const mg_scrub_row *row;
    pcre2_code *code;
} rule;

typedef struct rules {
    rule *items;
    size_t count, cap;
} rules;

struct mg_scrub {
    rules rules;
    pcre2_code *allowed;
    mg_strs secrets; /* as they stand in cleaned text */
    mg_strs keep;    /* paths in which the name of a product stays */
};

typedef struct span { /* of the text */
    size_t from, to;
    mg_scrub_class class;
} span;

typedef struct spans {
    span *items;
    size_t count, cap;
} spans;

/* --- Making one --- */

static void *arena_malloc(size_t bytes, void *arena)
{
    return mg_arena_alloc(arena, bytes);
}

static void arena_keep(void *block, void *arena)
{
    (void)block; /* the arena frees it */
    (void)arena;
}

/* The patterns are ours: one that does not compile is a bug. */
static pcre2_code *compile(const char *pattern, mg_arena *arena)
{
    int error;
    size_t offset;
    pcre2_general_context *memory = pcre2_general_context_create(arena_malloc, arena_keep, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_MULTILINE,
                                     &error, &offset, context);
    if (code == NULL)
        abort();
    return code;
}

static void add_rules(mg_scrub *scrub, const mg_scrub_row *rows, mg_arena *arena)
{
    for (; rows->pattern != NULL; rows++)
        mg_vec_push(arena, &scrub->rules, (rule){rows, compile(rows->pattern, arena)});
}

/* A key of several lines also travels in parts: where a text was cut, or line by line. */
static void add_secret(mg_scrub *scrub, mg_str secret, mg_arena *arena)
{
    if (secret.len < SECRET_SHORTEST)
        return;
    const mg_str clean = mg_str_copy(arena, mg_text_clean(arena, secret));
    mg_str rest = clean, line;
    mg_strs_add(arena, &scrub->secrets, clean);
    while (mg_str_split(&rest, '\n', &line)) {
        if (line.len >= SECRET_LINE && line.len < clean.len)
            mg_strs_add(arena, &scrub->secrets, line);
    }
}

const mg_scrub *mg_scrub_new(const mg_strs *secrets, mg_arena *arena)
{
    mg_scrub *scrub = mg_new(arena, mg_scrub);
    add_rules(scrub, mg_scrub_secrets, arena);
    add_rules(scrub, mg_scrub_names, arena);
    scrub->allowed = compile(mg_scrub_allowed, arena);
    for (size_t i = 0; secrets != NULL && i < secrets->count; i++)
        add_secret(scrub, secrets->items[i], arena);
    return scrub;
}

/* --- Searching --- */

typedef struct work {
    const mg_scrub *scrub;
    mg_scrub_how how;
    mg_arena *arena; /* scratch */
    mg_str text;
    mg_shadow shadow;
    pcre2_match_data *data;
    spans found;
} work;

static void mark(work *w, size_t from, size_t to, mg_scrub_class class)
{
    if (from < to)
        mg_vec_push(w->arena, &w->found, (span){from, to, class});
}

/* False where PCRE2 gave up. */
static bool search(work *w, const rule *r)
{
    const mg_str text = w->shadow.text;
    for (size_t at = 0; at <= text.len;) {
        const int rc = pcre2_match(r->code, (PCRE2_SPTR)text.ptr, text.len, at, 0, w->data, NULL);
        if (rc == PCRE2_ERROR_NOMATCH)
            return true;
        if (rc < 0)
            return false;
        const size_t *ends = pcre2_get_ovector_pointer(w->data);
        const size_t *part = (unsigned)rc > r->row->group ? ends + 2 * r->row->group : ends;
        mark(w, w->shadow.at[part[0]], w->shadow.at[part[1]], r->row->class);
        at = MG_MAX(ends[1], at + 1);
    }
    return true;
}

static void search_literal(work *w, mg_str text, mg_str literal, const uint32_t *places)
{
    for (size_t at = 0; literal.len > 0 && text.len - at >= literal.len;) {
        const char *hit = memmem(text.ptr + at, text.len - at, literal.ptr, literal.len);
        if (hit == NULL)
            return;
        const size_t from = (size_t)(hit - text.ptr), to = from + literal.len;
        mark(w, places != NULL ? places[from] : from, places != NULL ? places[to] : to,
             MG_SCRUB_SECRET);
        at = to;
    }
}

/* As it is, and as it looks. A secret in another script has no shadow of its own. */
static void search_secrets(work *w)
{
    for (size_t i = 0; i < w->scrub->secrets.count; i++) {
        const mg_str secret = w->scrub->secrets.items[i];
        search_literal(w, w->text, secret, NULL);
        const mg_str shadow = mg_shadow_of(secret, w->arena).text;
        if (shadow.len >= SECRET_SHORTEST &&
            memchr(shadow.ptr, MG_SHADOW_OTHER, shadow.len) == NULL)
            search_literal(w, w->shadow.text, shadow, w->shadow.at);
    }
}

static bool is_base64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
}

/* The end of a PEM block whose beginning was cut off: back over lines of nothing but base64. */
static void search_pem_tails(work *w)
{
    static const char end[] = "-----END ";
    const mg_str s = w->shadow.text;
    for (size_t at = 0; at < s.len;) {
        const char *hit = memmem(s.ptr + at, s.len - at, end, sizeof end - 1);
        if (hit == NULL)
            return;
        size_t from = (size_t)(hit - s.ptr);
        const size_t floor = at; /* so that many ends cost no more than one */
        at = from + sizeof end - 1;
        while (from > floor &&
               (is_base64(s.ptr[from - 1]) || s.ptr[from - 1] == '\n' || s.ptr[from - 1] == '\r'))
            from--;
        mark(w, w->shadow.at[from], w->shadow.at[at], MG_SCRUB_SECRET);
    }
}

/* --- Paths that stay --- */

static bool is_alnum(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Whether a kept path stands around the span in the text, as a path of its own. */
static bool stands_in(const work *w, const span *s, mg_str path)
{
    const size_t first = s->to > path.len ? s->to - path.len : 0;
    for (size_t at = first; at <= s->from && at + path.len <= w->text.len; at++) {
        const size_t end = at + path.len;
        if (memcmp(w->text.ptr + at, path.ptr, path.len) == 0 &&
            (at == 0 || !is_alnum(w->text.ptr[at - 1])) &&
            (end == w->text.len || !is_alnum(w->text.ptr[end])))
            return true;
    }
    return false;
}

static bool is_kept(const work *w, const span *s)
{
    if (s->class != MG_SCRUB_PRODUCT && s->class != MG_SCRUB_GENERIC)
        return false;
    for (size_t i = 0; i < w->scrub->keep.count; i++) {
        if (stands_in(w, s, w->scrub->keep.items[i]))
            return true;
    }
    return false;
}

/* --- Writing --- */

static int by_place(const void *a, const void *b)
{
    const span *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (int)x->class - (int)y->class;
}

static mg_str write_out(work *w, mg_arena *arena)
{
    size_t at = 0;
    mg_buf buf = mg_buf_new(arena, w->text.len + w->found.count * 32 + 1);
    if (w->found.count > 1)
        qsort(w->found.items, w->found.count, sizeof(span), by_place);
    for (size_t i = 0; i < w->found.count;) {
        span s = w->found.items[i++];
        while (i < w->found.count && w->found.items[i].from < s.to) {
            s.to = MG_MAX(s.to, w->found.items[i].to);
            s.class = MG_MIN(s.class, w->found.items[i].class);
            i++;
        }
        mg_buf_add(&buf, (mg_str){w->text.ptr + at, s.from - at});
        mg_buf_adds(&buf, words[s.class]);
        at = s.to;
    }
    mg_buf_add(&buf, mg_str_from(w->text, at));
    return mg_buf_str(&buf);
}

/* Colours are for terminals; in a prompt they are noise that hides words. */
static mg_str without_colours(mg_str text, mg_arena *arena)
{
    if (memchr(text.ptr, 0x1b, text.len) == NULL)
        return text;
    mg_buf buf = mg_buf_new(arena, text.len);
    for (size_t i = 0; i < text.len; i++) {
        size_t end = i + 2;
        if (text.ptr[i] != 0x1b || i + 1 >= text.len || text.ptr[i + 1] != '[') {
            mg_buf_addc(&buf, text.ptr[i]);
            continue;
        }
        while (end < text.len && text.ptr[end] >= 0x20 && text.ptr[end] < 0x40)
            end++;
        i = end < text.len && text.ptr[end] >= 0x40 ? end : end - 1;
    }
    return mg_buf_str(&buf);
}

/* False: it could not be searched whole. */
static bool find_all(work *w)
{
    bool ok = true;
    for (size_t i = 0; ok && i < w->scrub->rules.count; i++) {
        const rule *r = &w->scrub->rules.items[i];
        if (r->row->class != MG_SCRUB_GENERIC || w->how == MG_SCRUB_BLOCKED)
            ok = search(w, r);
    }
    search_secrets(w);
    search_pem_tails(w);
    size_t kept = 0;
    for (size_t i = 0; i < w->found.count; i++) {
        if (!is_kept(w, &w->found.items[i]))
            w->found.items[kept++] = w->found.items[i];
    }
    w->found.count = kept;
    return ok;
}

static work work_on(const mg_scrub *scrub, mg_scrub_how how, mg_str text, mg_arena *scratch)
{
    work w = {.scrub = scrub, .how = how, .arena = scratch};
    w.text = mg_text_clean(scratch, without_colours(text, scratch));
    w.shadow = mg_shadow_of(w.text, scratch);
    w.data = pcre2_match_data_create(4, NULL);
    if (w.data == NULL)
        abort(); /* out of memory, as in the arena */
    return w;
}

static bool is_allowed(work *w, mg_str text)
{
    for (size_t i = 0; i < w->found.count; i++) { /* which tool it was is not told, nor why */
        if (w->found.items[i].class >= MG_SCRUB_PRODUCT)
            return false;
    }
    const mg_shadow shadow = mg_shadow_of(text, w->arena);
    return pcre2_match(w->scrub->allowed, (PCRE2_SPTR)shadow.text.ptr, shadow.text.len, 0, 0,
                       w->data, NULL) >= 0;
}

mg_str mg_scrub_apply(const mg_scrub *scrub, mg_scrub_how how, mg_str text, mg_arena *arena)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    if (text.len == 0)
        return MG_STR("");
    if (text.len > TEXT_MOST)
        return mg_str_of(withheld);
    work w = work_on(scrub, how, text, scratch);
    mg_str clean = find_all(&w) ? write_out(&w, arena) : mg_str_of(withheld);
    if (how == MG_SCRUB_BLOCKED && mg_str_trim(clean).len > 0)
        clean = is_allowed(&w, clean)
                    ? mg_text_cut(arena, mg_text_line(arena, clean, clean.len * 2), BLOCKED_CHARS)
                    : mg_str_of(not_permitted);
    pcre2_match_data_free(w.data);
    return clean;
}

/* Only those that hold a name are ever asked for. The last part of a path is how tools often name
 * a file; but a file that has just the name of a product does not let that through as a word. */
static void keep_path(mg_scrub *scrub, mg_str path, mg_arena *arena)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    work w = work_on(scrub, MG_SCRUB_BLOCKED, path, scratch);
    bool named = false, bare = false;
    const char *slash = memrchr(path.ptr, '/', path.len);
    const size_t base = slash != NULL ? (size_t)(slash - path.ptr) + 1 : 0;
    (void)find_all(&w);
    for (size_t i = 0; i < w.found.count; i++) {
        const span *s = &w.found.items[i];
        named = named || s->class >= MG_SCRUB_PRODUCT;
        bare = bare || (s->from <= base && s->to == path.len);
    }
    pcre2_match_data_free(w.data);
    if (!named)
        return;
    const mg_str copy = mg_str_copy(arena, path);
    mg_strs_add(arena, &scrub->keep, copy);
    if (base > 0 && base < path.len && !bare)
        mg_strs_add(arena, &scrub->keep, mg_str_from(copy, base));
}

const mg_scrub *mg_scrub_keeping(const mg_scrub *scrub, const mg_strs *paths, mg_arena *arena)
{
    mg_scrub *copy = mg_new(arena, mg_scrub);
    *copy = *scrub;
    copy->keep = (mg_strs){0};
    for (size_t i = 0; i < paths->count; i++) {
        if (paths->items[i].len > 0)
            keep_path(copy, paths->items[i], arena);
    }
    return copy;
}
