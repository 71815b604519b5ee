/* findings.c - what a person should know about the files that changed.
 *
 * A HIGH finding keeps a goal from being met by assertions alone. Rules that need to read a
 * language belong to scan/; these need only the delta.
 */
#include "base/vec.h"
#include "data/glob.h"
#include "loop/state.h"

/* Files that are meant to be empty. */
static const char *const empty_by_custom[] = {
    "__init__.py", ".gitkeep", ".keep", ".nojekyll", "py.typed", ".gitignore", ".npmignore",
};

static mg_str base_name(mg_str path)
{
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return mg_str_from(path, i);
    return path;
}

static bool empty_is_fine(mg_str path)
{
    for (size_t i = 0; i < MG_COUNT(empty_by_custom); i++)
        if (mg_str_is(base_name(path), empty_by_custom[i]))
            return true;
    return false;
}

static bool silenced(const mg_goal *goal, const char *rule, mg_str path)
{
    const mg_value *list = mg_arg(goal->settings, "silence");
    for (size_t i = 0; list->set && i < list->objects.count; i++) {
        const mg_args *row = list->objects.items[i];
        const mg_value *globs = mg_arg(row, "path");
        if (!mg_str_is(mg_arg_text(row, "rule"), rule))
            continue;
        if (!globs->set)
            return true;
        for (size_t g = 0; g < globs->texts.count; g++)
            if (mg_glob_match(globs->texts.items[g], path))
                return true;
    }
    return false;
}

static void add(const mg_driver *d, mg_findings *out, mg_arena *arena, mg_finding finding)
{
    finding.path = mg_str_copy(arena, finding.path); /* the delta goes before the record does */
    if (!silenced(d->o->goal, finding.rule, finding.path))
        mg_vec_push(arena, out, finding);
}

static void find_empty(const mg_driver *d, const mg_change *c, mg_arena *arena, mg_findings *out)
{
    const bool written = c->type == MG_CHANGE_CREATED || c->type == MG_CHANGE_MODIFIED;
    if (!written || c->size_after != 0 || c->no_op || empty_is_fine(c->path))
        return;
    const mg_str message = mg_strf(
        arena,
        "'" MG_FMT "' %s empty. If that is meant, the goal file says so by: silence: "
        "[{rule: empty_file, path: '" MG_FMT "'}]",
        MG_ARG(c->path), c->type == MG_CHANGE_CREATED ? "was created" : "became", MG_ARG(c->path));
    add(d, out, arena, (mg_finding){"empty_file", MG_LEVEL_HIGH, c->path, message});
}

/* Whether text has path as a word of its own: not as a part of a longer path. */
static bool mentions(mg_str text, mg_str path)
{
    static const char part[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-/.";
    for (size_t at = 0; path.len > 0 && at + path.len <= text.len; at++) {
        if (memcmp(text.ptr + at, path.ptr, path.len) != 0)
            continue;
        const size_t dots = at >= 2 && memcmp(text.ptr + at - 2, "./", 2) == 0 ? 2 : 0;
        const bool begins = at == dots || strchr(part, text.ptr[at - dots - 1]) == NULL;
        const size_t end = at + path.len;
        const bool ends =
            end == text.len || text.ptr[end] == '\0' || strchr(part, text.ptr[end]) == NULL;
        if (begins && ends)
            return true;
    }
    return false;
}

static bool command_names(const mg_entry *entry, mg_str path)
{
    for (size_t i = 0; i < entry->children.count; i++)
        if (command_names(entry->children.items[i], path))
            return true;
    if (entry->type != MG_ENTRY_LEAF || !entry->kind->runs_command)
        return false;
    const mg_value *run = mg_arg(entry->args, "run");
    if (mentions(run->text, path))
        return true;
    for (size_t i = 0; run->text.len == 0 && i < run->texts.count; i++)
        if (mentions(run->texts.items[i], path))
            return true;
    return false;
}

/* A file that another entry asks about is what the goal is about, not what verifies it. */
static bool is_subject(const mg_driver *d, mg_str path)
{
    for (size_t i = 0; i < d->subjects.count; i++)
        if (mg_str_eq(d->subjects.items[i], path))
            return true;
    return false;
}

static void find_verifier(const mg_driver *d, const mg_change *c, mg_arena *arena, mg_findings *out)
{
    const mg_entries *entries = &d->o->goal->entries;
    bool named = false;
    if (c->type == MG_CHANGE_CREATED) /* what was not there when the loop began verified nothing */
        return;
    for (size_t i = 0; i < entries->count && !named && !c->no_op; i++)
        named = command_names(entries->items[i], c->path);
    if (!named || is_subject(d, c->path) || mg_scope_protects(d->scope, c->path))
        return;
    const mg_str message =
        mg_strf(arena,
                "'" MG_FMT "' is named by a command that verifies the goal, and "
                "it changed. If the agent is not to touch it, the goal file says "
                "so by: protect: ['" MG_FMT "']",
                MG_ARG(c->path), MG_ARG(c->path));
    add(d, out, arena, (mg_finding){"verifier_changed", MG_LEVEL_MEDIUM, c->path, message});
}

void mg_findings_add(const mg_driver *d, const mg_changes *since_start, mg_arena *arena,
                     mg_findings *out)
{
    enum { MOST = 1000 }; /* the first ones tell the story */
    for (size_t i = 0; i < since_start->count && out->count < MOST; i++) {
        const mg_change *c = &since_start->items[i];
        mg_finding steers;
        find_empty(d, c, arena, out);
        if (mg_steering_find(d, c, arena, &steers))
            add(d, out, arena, steers);
        else
            find_verifier(d, c, arena, out);
    }
}
