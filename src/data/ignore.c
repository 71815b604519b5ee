/* ignore.c - reading .gitignore files and asking them, the deepest file and the last rule first.
 *
 * Most rules are a plain name or `*.ext`; those are compared without a matcher.
 */
#include "data/ignore.h"

#include "base/map.h"
#include "base/vec.h"

enum { RULES_MAX = 100 * 1000 };

typedef enum how {
    HOW_NAME,     /* the last component, byte for byte */
    HOW_SUFFIX,   /* `*` and a text: the end of the last component */
    HOW_BASENAME, /* the last component, by wildmatch */
    HOW_PATH,     /* everything below the file's directory, by wildmatch */
} how;

typedef struct rule {
    mg_str pattern;
    how how;
    bool keep;     /* began with `!` */
    bool dir_only; /* ended with `/` */
} rule;

struct mg_ignore_file {
    const mg_ignore_file *above;
    mg_str dir;
    rule *items;
    size_t count, cap;
};

struct mg_ignore {
    mg_arena *arena;
    mg_map files; /* directory -> mg_ignore_file */
    size_t rules;
};

mg_ignore *mg_ignore_new(mg_arena *arena)
{
    mg_ignore *ignore = mg_new(arena, mg_ignore);
    ignore->arena = arena;
    ignore->files = mg_map_new(arena);
    return ignore;
}

/* Blanks at the end do not count unless a backslash stands before them. */
static mg_str without_trailing_blanks(mg_str line)
{
    size_t end = 0;
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] == '\\')
            end = MG_MIN(i += 1, line.len - 1) + 1;
        else if (line.ptr[i] != ' ')
            end = i + 1;
    }
    return mg_str_first(line, end);
}

static bool has_wildcard(mg_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (strchr("*?[\\", s.ptr[i]) != NULL) /* a NUL counts too: the slow way is right as well */
            return true;
    }
    return false;
}

static how how_to_match(mg_str *pattern)
{
    if (mg_str_find(*pattern, '/', 0) < pattern->len) {
        if (pattern->ptr[0] == '/')
            *pattern = mg_str_from(*pattern, 1);
        return HOW_PATH;
    }
    if (!has_wildcard(*pattern))
        return HOW_NAME;
    if (pattern->ptr[0] == '*' && !has_wildcard(mg_str_from(*pattern, 1))) {
        *pattern = mg_str_from(*pattern, 1);
        return HOW_SUFFIX;
    }
    return HOW_BASENAME;
}

/* False where the line holds no rule. */
static bool read_rule(mg_str line, rule *out)
{
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    if (line.len == 0 || line.ptr[0] == '#')
        return false;
    line = without_trailing_blanks(line);
    rule r = {0};
    if (line.len > 0 && line.ptr[0] == '!') {
        r.keep = true;
        line = mg_str_from(line, 1);
    }
    if (line.len > 0 && line.ptr[line.len - 1] == '/') {
        r.dir_only = true;
        line.len--;
    }
    if (line.len == 0)
        return false;
    r.how = how_to_match(&line);
    r.pattern = line;
    *out = r;
    return true;
}

static const mg_ignore_file *nearest_above(const mg_ignore *ignore, mg_str dir)
{
    while (dir.len > 0) {
        while (dir.len > 0 && dir.ptr[dir.len - 1] != '/')
            dir.len--;
        dir.len -= dir.len > 0 ? 1 : 0;
        const mg_ignore_file *file = mg_map_get(&ignore->files, dir);
        if (file != NULL)
            return file;
    }
    return NULL;
}

mg_status mg_ignore_add(mg_ignore *ignore, mg_str dir, mg_str text, mg_err *err)
{
    mg_ignore_file *file = mg_map_get(&ignore->files, dir);
    if (file == NULL) {
        file = mg_new(ignore->arena, mg_ignore_file);
        file->dir = mg_str_copy(ignore->arena, dir);
        file->above = nearest_above(ignore, dir);
        (void)mg_map_put(&ignore->files, file->dir, file);
    }
    mg_str rest = mg_str_copy(ignore->arena, text), line;
    if (mg_str_starts(rest, "\xef\xbb\xbf"))
        rest = mg_str_from(rest, 3);
    while (mg_str_split(&rest, '\n', &line)) {
        rule r;
        if (!read_rule(line, &r))
            continue;
        if (++ignore->rules > RULES_MAX)
            return mg_fail(err, MG_ERR_LIMIT, "there are more than %d .gitignore rules", RULES_MAX);
        mg_vec_push(ignore->arena, file, r);
    }
    return MG_OK;
}

const mg_ignore_file *mg_ignore_enter(const mg_ignore *ignore, const mg_ignore_file *above,
                                      mg_str dir)
{
    const mg_ignore_file *file = mg_map_get(&ignore->files, dir);
    return file != NULL ? file : above;
}

static bool rule_matches(const rule *r, mg_str name, mg_str below, bool is_dir)
{
    if (r->dir_only && !is_dir)
        return false;
    switch (r->how) {
    case HOW_NAME:
        return mg_str_eq(r->pattern, name);
    case HOW_SUFFIX:
        return name.len >= r->pattern.len &&
               mg_str_eq(r->pattern, mg_str_from(name, name.len - r->pattern.len));
    case HOW_BASENAME:
        return mg_ignore_wildmatch(r->pattern, name);
    case HOW_PATH:
        return mg_ignore_wildmatch(r->pattern, below);
    }
    return false;
}

bool mg_ignore_here(const mg_ignore_file *rules, mg_str path, bool is_dir)
{
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/')
        at--;
    const mg_str name = mg_str_from(path, at);
    for (const mg_ignore_file *file = rules; file != NULL; file = file->above) {
        const mg_str below = mg_str_from(path, file->dir.len > 0 ? file->dir.len + 1 : 0);
        for (size_t i = file->count; i > 0; i--) {
            if (rule_matches(&file->items[i - 1], name, below, is_dir))
                return !file->items[i - 1].keep;
        }
    }
    return false;
}

bool mg_ignore_path(const mg_ignore *ignore, mg_str path, bool is_dir)
{
    const mg_ignore_file *rules = mg_ignore_enter(ignore, NULL, MG_STR(""));
    for (size_t at = 0;;) {
        const size_t slash = mg_str_find(path, '/', at);
        const mg_str here = mg_str_first(path, slash);
        if (mg_ignore_here(rules, here, slash < path.len || is_dir))
            return true;
        if (slash == path.len)
            return false;
        rules = mg_ignore_enter(ignore, rules, here);
        at = slash + 1;
    }
}
