/* file_not_empty - holds when a file beneath the root has something in it besides blanks.
 *
 * A file of spaces and line ends is as empty as one of zero bytes: both are what a write
 * that silently failed leaves behind.
 */
#include "check/kinds.h"

static const mg_param params[] = {
    {"path", MG_PARAM_PATH, .required = true, .help = "the file, beneath the root"},
    {0},
};

/* Whether anything but blanks is in the file; stops at the first such byte. */
static mg_status has_content(const mg_view *view, int fd, bool *content, uint64_t *bytes,
                             mg_err *err)
{
    char block[64 * 1024];
    *content = false;
    *bytes = 0;
    while (!*content) {
        MG_TRY(mg_view_live(view, err));
        const ssize_t n = mg_fd_read(fd, block, sizeof block);
        if (n < 0)
            return mg_fail_errno(err, "it cannot be read");
        if (n == 0)
            return MG_OK;
        *bytes += (uint64_t)n;
        *content = mg_str_trim((mg_str){block, (size_t)n}).len > 0;
    }
    return MG_OK;
}

static mg_status eval(const mg_view *view, const mg_args *args, mg_arena *arena, mg_result *out,
                      mg_err *err)
{
    const mg_str path = mg_arg_text(args, "path");
    const mg_str expected = MG_STR("a file that is not empty");
    MG_AUTO_FD fd = -1;
    struct stat st;
    bool content;
    uint64_t bytes;
    const mg_status opened = mg_file_open(view->world->root, path, &fd, &st, err);
    if (opened == MG_ERR_NOT_FOUND) {
        *out = mg_result_missing(arena, expected, path);
        return MG_OK;
    }
    MG_TRY(opened);
    const mg_status s = has_content(view, fd, &content, &bytes, err);
    if (s != MG_OK)
        return mg_context(err, s, "'" MG_FMT "'", MG_ARG(path));
    *out =
        mg_result_make(mg_outcome_if(content), expected,
                       content      ? mg_strf(arena, "%jd bytes", (intmax_t)st.st_size)
                       : bytes == 0 ? mg_strf(arena, "'" MG_FMT "' is empty", MG_ARG(path))
                                    : mg_strf(arena, "'" MG_FMT "' has only blanks", MG_ARG(path)));
    return MG_OK;
}

const mg_check_kind mg_check_file_not_empty = {
    .name = "file_not_empty",
    .summary = "a file has something in it besides blanks",
    .example = "file_not_empty: app.js",
    .params = params,
    .eval = eval,
};
