/* content_changed - holds when a file differs from what it was when the loop began.
 *
 * Without a baseline there is nothing to compare with, and the answer is unknown: a skipped
 * comparison is not a change. A file that is gone has no changed content.
 */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the file, beneath the root"},
    {0},
};

static const mg_baseline_file *find_baseline(const mg_evidence *evidence, mg_str path)
{
    for (size_t i = 0; i < evidence->baseline_count; i++) {
        if (mg_str_eq(evidence->baseline[i].path, path))
            return &evidence->baseline[i];
    }
    return NULL;
}

static mg_status still_live(const void *view, mg_err *err)
{
    return mg_view_live(view, err);
}

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    const mg_str expected = MG_STR("content that differs from when the loop began");
    MG_TRY(mg_need_attempt(view, "what an attempt changed", err));
    const mg_baseline_file *before = find_baseline(view->attempt, path);
    if (before == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "how '" MG_FMT "' was when the loop began is not known", MG_ARG(path));
    MG_AUTO_FD fd = -1;
    struct stat st;
    const mg_status opened = mg_file_open(view->world->root, path, &fd, &st, err);
    if (opened == MG_ERR_NOT_FOUND) {
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    MG_TRY(opened);
    mg_hash now;
    const mg_status hashed = mg_hash_fd(fd, still_live, view, &now, err);
    if (hashed != MG_OK)
        return mg_context(err, hashed, "'" MG_FMT "'", MG_ARG(path));
    const bool differs = !before->existed || !mg_hash_eq(before->hash, now);
    *out = mg_result_make(mg_outcome_if(differs), expected,
                          !before->existed ? MG_STR("the file is new")
                          : differs        ? MG_STR("the content differs")
                                           : MG_STR("the content is the same as before"));
    return MG_OK;
}

const mg_check_kind mg_check_content_changed = {
    .name = "content_changed",
    .summary = "a file differs from what it was when the loop began",
    .example = "content_changed: style.css",
    .params = params,
    .since_start = true,
    .eval = eval,
};
