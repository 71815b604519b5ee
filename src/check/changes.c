/* changes - holds when exactly the listed paths were created, modified or deleted.
 *
 * Exhaustive both ways for each list that is given: every path that changed so must match
 * one of its patterns, and every pattern must have matched a path. `modified: []` means that
 * nothing was modified; a list that is left out asks nothing.
 */
#include "check/kinds.h"

#include "data/glob.h"

static const mg_param params[] = {
    {"created", MG_PARAM_GLOBS, .help = "the paths that were created, and no others"},
    {"modified", MG_PARAM_GLOBS, .help = "the paths that were modified, and no others"},
    {"deleted", MG_PARAM_GLOBS, .help = "the paths that were deleted, and no others"},
    {0},
};

static mg_status validate(const mg_args *args, mg_err *err)
{
    if (!mg_arg_set(args, "created") && !mg_arg_set(args, "modified") &&
        !mg_arg_set(args, "deleted"))
        return mg_fail(err, MG_ERR_INVALID, "it lists nothing: add created, modified or deleted");
    return MG_OK;
}

/* The path at which a change counts in a list, or an empty text where it does not. */
static mg_str path_in(const mg_change *c, const char *list)
{
    const bool created = strcmp(list, "created") == 0, deleted = strcmp(list, "deleted") == 0;
    switch (c->type) {
    case MG_CHANGE_CREATED:
        return created ? c->path : (mg_str){0};
    case MG_CHANGE_DELETED:
        return deleted ? c->path : (mg_str){0};
    case MG_CHANGE_RENAMED:
        return created ? c->path : deleted ? c->old_path : (mg_str){0};
    case MG_CHANGE_MODIFIED:
        return created || deleted || c->no_op ? (mg_str){0} : c->path;
    case MG_CHANGE_MODE:
    case MG_CHANGE_LINK:
        return created || deleted ? (mg_str){0} : c->path;
    case MG_CHANGE_NONE:
        break;
    }
    return (mg_str){0};
}

static bool matches_any(const mg_strs *globs, mg_str path)
{
    for (size_t i = 0; i < globs->count; i++) {
        if (mg_glob_match(globs->items[i], path))
            return true;
    }
    return false;
}

static bool matched_by_any(mg_str glob, const mg_changes *changes, const char *list)
{
    for (size_t i = 0; i < changes->count; i++) {
        const mg_str path = path_in(&changes->items[i], list);
        if (path.len > 0 && mg_glob_match(glob, path))
            return true;
    }
    return false;
}

static void note(mg_buf *wrong, const char *list, const char *what, mg_str path)
{
    if (wrong->len < 600) /* the first ones tell the story */
        mg_buf_addf(wrong, "%s%s%s '" MG_FMT "'", wrong->len > 0 ? "; " : "", what, list,
                    MG_ARG(path));
}

static void compare(const mg_args *args, const char *list, const mg_changes *changes, mg_buf *wrong)
{
    if (!mg_arg_set(args, list))
        return;
    const mg_strs *globs = &mg_arg(args, list)->texts;
    for (size_t i = 0; i < changes->count; i++) {
        const mg_str path = path_in(&changes->items[i], list);
        if (path.len > 0 && !matches_any(globs, path))
            note(wrong, list, "unlisted ", path);
    }
    for (size_t i = 0; i < globs->count; i++) {
        if (!matched_by_any(globs->items[i], changes, list))
            note(wrong, list, "not ", globs->items[i]);
    }
}

static mg_str expectation(const mg_args *args, mg_arena *arena)
{
    mg_buf buf = mg_buf_new(arena, 600);
    for (size_t row = 0; params[row].name != NULL; row++) {
        if (!mg_arg_set(args, params[row].name))
            continue;
        const mg_strs *globs = &mg_arg(args, params[row].name)->texts;
        mg_buf_addf(&buf, "%s%s ", buf.len > 0 ? "; " : "", params[row].name);
        for (size_t i = 0; i < globs->count; i++)
            mg_buf_addf(&buf, "%s'" MG_FMT "'", i > 0 ? ", " : "", MG_ARG(globs->items[i]));
        if (globs->count == 0)
            mg_buf_adds(&buf, "nothing");
    }
    mg_buf_adds(&buf, "; nothing else of the sort");
    return mg_buf_str(&buf);
}

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    MG_TRY(mg_need_attempt(view, "what an attempt changed", err));
    const mg_changes *changes = view->attempt->changes;
    if (changes == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "what changed since the loop began was not observed");
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].type == MG_CHANGE_NONE)
            return mg_fail(err, MG_ERR_INVALID, "how '" MG_FMT "' changed is not known",
                           MG_ARG(changes->items[i].path));
    }
    mg_buf wrong = mg_buf_new(arena, 1024);
    for (size_t row = 0; params[row].name != NULL; row++)
        compare(args, params[row].name, changes, &wrong);
    *out = mg_result_make(mg_outcome_if(wrong.len == 0), expectation(args, arena),
                          wrong.len > 0 ? mg_text_line(arena, mg_buf_str(&wrong), 800)
                                        : MG_STR("exactly these changes"));
    return MG_OK;
}

const mg_check_kind mg_check_changes = {
    .name = "changes",
    .summary = "exactly the listed paths were created, modified or deleted",
    .example = "changes: {created: [], modified: [style.css], deleted: []}",
    .params = params,
    .since_start = true,
    .validate = validate,
    .eval = eval,
};
