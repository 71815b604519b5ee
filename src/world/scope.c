/* scope.c - which paths are looked at.
 *
 * Everything beneath the root but `.git` and what .gitignore files and the goal's own `ignore`
 * globs leave out; protected and named paths are looked at all the same. The rules are read once,
 * when a loop begins: what an agent writes into a .gitignore later hides nothing.
 *
 * A glob whose last component has no wildcard may name a directory: `tests` means `tests` and
 * everything beneath it.
 */
#include "world/scope.h"

#include "base/vec.h"
#include "data/glob.h"
#include "world/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

enum { IGNORE_FILE_MAX = 1 << 20 };

/* --- Globs --- */

static bool any_glob(const mg_strs *globs, mg_str path)
{
    for (size_t i = 0; i < globs->count; i++) {
        if (mg_glob_match(globs->items[i], path))
            return true;
    }
    return false;
}

static bool has_wildcard(mg_str part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (strchr("*?[\\", part.ptr[i]) != NULL)
            return true;
    }
    return false;
}

/* Whether the glob may match something beneath dir. Where a component is too clever to be looked
 * at alone (a class, a backslash) the answer is yes: looking is never wrong. */
static bool may_reach(mg_str glob, mg_str dir, bool plain)
{
    mg_str want, have;
    while (mg_str_starts(glob, "./"))
        glob = mg_str_from(glob, 2);
    while (dir.len > 0) {
        const size_t at = mg_str_find(dir, '/', 0);
        have = mg_str_first(dir, at);
        dir = mg_str_from(dir, at + 1);
        if (glob.len == 0)
            return false;
        const size_t end = mg_str_find(glob, '/', 0);
        want = mg_str_first(glob, end);
        if (mg_str_is(want, "**"))
            return !plain;
        if (mg_str_find(want, '[', 0) < want.len || mg_str_find(want, '\\', 0) < want.len)
            return !plain || mg_glob_match(want, have);
        if (!mg_glob_match(want, have))
            return false;
        if (end < glob.len && end + 1 == glob.len)
            return true; /* "x/": everything beneath */
        glob = mg_str_from(glob, end + 1);
    }
    return glob.len > 0;
}

/* `**` is not meant for the repository: only a glob that says ".git" reaches into it. */
static bool is_git_dir(mg_str path)
{
    return mg_str_is(path, ".git") || mg_str_starts(path, ".git/");
}

static bool says_git(mg_str glob)
{
    while (mg_str_starts(glob, "./"))
        glob = mg_str_from(glob, 2);
    return is_git_dir(glob);
}

bool mg_scope_guards(const mg_scope *scope, mg_str dir, bool plain)
{
    for (size_t i = 0; i < scope->protect_globs.count; i++) {
        const mg_str glob = scope->protect_globs.items[i];
        if ((!is_git_dir(dir) || says_git(glob)) && may_reach(glob, dir, plain))
            return true;
    }
    return false;
}

bool mg_scope_protects(const mg_scope *scope, mg_str path)
{
    for (size_t i = 0; i < scope->protect_globs.count; i++) {
        const mg_str glob = scope->protect_globs.items[i];
        if ((!is_git_dir(path) || says_git(glob)) && mg_glob_match(glob, path))
            return true;
    }
    return false;
}

bool mg_scope_names(const mg_scope *scope, mg_str path)
{
    return mg_map_get(&scope->names, path) != NULL;
}

/* --- Asking --- */

const mg_ignore_file *mg_scope_enter(const mg_scope *scope, const mg_ignore_file *above, mg_str dir)
{
    return mg_ignore_enter(scope->rules, above, dir);
}

/* Left out by a rule that is about this very path. */
static bool ignored_here(const mg_scope *scope, const mg_ignore_file *rules, mg_str path,
                         bool is_dir)
{
    mg_str dir, name;
    mg_path_split(path, &dir, &name);
    return mg_str_is(name, ".git") || any_glob(&scope->ignore_globs, path) ||
           mg_ignore_here(rules, path, is_dir);
}

mg_scope_answer mg_scope_ask(const mg_scope *scope, const mg_ignore_file *rules, bool ignored_above,
                             mg_str path, bool is_dir)
{
    const bool ignored = ignored_above || ignored_here(scope, rules, path, is_dir);
    mg_scope_answer answer = {.in = !ignored, .flags = ignored ? MG_LEAF_IGNORED : 0};
    if (is_dir) {
        answer.in = answer.in || mg_map_get(&scope->parents, path) != NULL ||
                    mg_scope_guards(scope, path, false);
        return answer;
    }
    if (mg_scope_protects(scope, path))
        answer.flags |= MG_LEAF_PROTECTED;
    answer.in = answer.in || (answer.flags & MG_LEAF_PROTECTED) != 0 || mg_scope_names(scope, path);
    return answer;
}

bool mg_scope_ignores(const mg_scope *scope, mg_str path, bool is_dir)
{
    const mg_ignore_file *rules = mg_ignore_enter(scope->rules, NULL, MG_STR(""));
    for (size_t at = 0;;) {
        const size_t slash = mg_str_find(path, '/', at);
        const mg_str here = mg_str_first(path, slash);
        if (ignored_here(scope, rules, here, slash < path.len || is_dir))
            return true;
        if (slash == path.len)
            return false;
        rules = mg_ignore_enter(scope->rules, rules, here);
        at = slash + 1;
    }
}

/* --- Freezing --- */

/* Without "./", doubled slashes and one at the end. */
static mg_str plain_path(mg_arena *arena, mg_str path)
{
    char *p = mg_arena_alloc(arena, path.len + 1);
    size_t len = 0;
    mg_str rest = path, part;
    while (mg_str_split(&rest, '/', &part)) {
        if (part.len == 0 || mg_str_is(part, "."))
            continue;
        if (len > 0)
            p[len++] = '/';
        memcpy(p + len, part.ptr, part.len);
        len += part.len;
    }
    return (mg_str){p, len};
}

static mg_status add_globs(const mg_strs *given, mg_arena *arena, mg_strs *kept, mg_strs *globs,
                           mg_err *err)
{
    for (size_t i = 0; given != NULL && i < given->count; i++) {
        const mg_str glob = mg_str_copy(arena, given->items[i]);
        MG_TRY(mg_glob_valid(glob, err));
        mg_strs_add(arena, kept, glob);
        mg_strs_add(arena, globs, glob);
        mg_str dir, name;
        mg_path_split(glob, &dir, &name);
        if (name.len > 0 && !has_wildcard(name))
            mg_strs_add(arena, globs, mg_strf(arena, MG_FMT "/**", MG_ARG(glob)));
    }
    return MG_OK;
}

static void add_named(mg_scope *scope, const mg_strs *given, mg_arena *arena)
{
    for (size_t i = 0; given != NULL && i < given->count; i++) {
        const mg_str path = plain_path(arena, given->items[i]);
        mg_strs_add(arena, &scope->named, path);
        (void)mg_map_put(&scope->names, path, scope);
        for (size_t at = path.len; at > 0; at--) {
            if (path.ptr[at - 1] == '/')
                (void)mg_map_put(&scope->parents, mg_str_first(path, at - 1), scope);
        }
    }
}

mg_status mg_scope_make(const mg_scope_rules *rules, mg_arena *arena, mg_scope **out, mg_err *err)
{
    mg_scope *scope = mg_new(arena, mg_scope);
    scope->names = mg_map_new(arena);
    scope->parents = mg_map_new(arena);
    scope->rules = mg_ignore_new(arena);
    MG_TRY(add_globs(rules->ignore, arena, &scope->ignore, &scope->ignore_globs, err));
    MG_TRY(add_globs(rules->protect, arena, &scope->protect, &scope->protect_globs, err));
    add_named(scope, rules->named, arena);
    *out = scope;
    return MG_OK;
}

mg_status mg_scope_add(mg_scope *scope, mg_str dir, mg_str text, mg_arena *arena, mg_err *err)
{
    mg_vec_push(arena, &scope->sources,
                (mg_scope_source){mg_str_copy(arena, dir), mg_str_copy(arena, text)});
    return mg_ignore_add(scope->rules, dir, text, err);
}

/* One file of rules, if there is one. As git does, a link is not followed. */
static mg_status read_rules(mg_scope *scope, int fd, const char *name, mg_str dir, mg_arena *arena,
                            mg_err *err)
{
    MG_AUTO_FD file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    if (file < 0 || fstat(file, &st) < 0 || !S_ISREG(st.st_mode))
        return MG_OK;
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_buf text = mg_buf_new(scratch, IGNORE_FILE_MAX);
    const mg_status s = mg_fd_read_all(file, &text, err);
    if (s != MG_OK)
        return mg_context(err, s, "'" MG_FMT "%s%s'", MG_ARG(dir), dir.len > 0 ? "/" : "", name);
    return mg_scope_add(scope, dir, mg_buf_str(&text), arena, err);
}

typedef struct pending { /* a directory whose rules are not read yet */
    struct pending *next;
    mg_str path;
    const mg_ignore_file *above;
} pending;

/* Puts the directories in `fd` that are not ignored in front of the list. */
static mg_status list_dirs(const mg_scope *scope, int fd, mg_str dir, const mg_ignore_file *rules,
                           mg_arena *scratch, pending **todo, mg_err *err)
{
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
    if (stream == NULL)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(dir));
    for (struct dirent *e; (e = readdir(stream)) != NULL;) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
            continue;
        if (e->d_type == DT_UNKNOWN &&
            (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)))
            continue;
        const mg_str path = mg_path_join(scratch, dir, mg_str_of(e->d_name));
        if (path.len > MG_TREE_PATH_MAX || ignored_here(scope, rules, path, true))
            continue;
        pending *p = mg_new(scratch, pending);
        *p = (pending){.next = *todo, .path = path, .above = rules};
        *todo = p;
    }
    (void)closedir(stream);
    return MG_OK;
}

static mg_status read_all_rules(const mg_world *world, mg_scope *scope, mg_arena *arena,
                                mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    pending first = {.path = MG_STR("")}, *todo = &first;
    size_t seen = 0;
    while (todo != NULL) {
        const pending here = *todo;
        todo = todo->next;
        if (++seen > MG_TREE_LEAVES_MAX)
            return mg_fail(err, MG_ERR_LIMIT,
                           "there are more than %d directories beneath '" MG_FMT "'",
                           MG_TREE_LEAVES_MAX, MG_ARG(world->root_path));
        MG_AUTO_FD fd = mg_open_dir(world->root, here.path, O_RDONLY);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
            return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(here.path));
        if (fd < 0)
            continue; /* gone, or closed to us: the walk will say so */
        if (here.path.len == 0)
            MG_TRY(read_rules(scope, fd, ".git/info/exclude", here.path, arena, err));
        MG_TRY(read_rules(scope, fd, ".gitignore", here.path, arena, err));
        const mg_ignore_file *rules = mg_ignore_enter(scope->rules, here.above, here.path);
        MG_TRY(list_dirs(scope, fd, here.path, rules, scratch, &todo, err));
    }
    return MG_OK;
}

mg_status mg_scope_freeze(const mg_world *world, const mg_scope_rules *rules, mg_arena *arena,
                          const mg_scope **out, mg_err *err)
{
    mg_scope *scope;
    MG_TRY(mg_scope_make(rules, arena, &scope, err));
    MG_TRY(read_all_rules(world, scope, arena, err));
    *out = scope;
    return MG_OK;
}
