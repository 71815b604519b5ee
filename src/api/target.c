/* target.c - reading a goal, and opening the root it names. */
#include "api/target.h"

mg_status mg_source_read(int fd, const char *file, mg_arena *arena, mg_source *out, mg_err *err)
{
    struct stat st;
    mg_buf bytes = mg_buf_new(arena, mg_limits_default.goal_bytes);
    const char *name = file != NULL ? file : "stdin";
    if (fd < 0 || fstat(fd, &st) < 0)
        return mg_fail_errno(err, "goal file '%s' cannot be opened", name);
    const mg_status s = mg_fd_read_all(fd, &bytes, err);
    if (s != MG_OK)
        return mg_context(err, s, "goal file '%s'", name);
    const char *slash = file != NULL && S_ISREG(st.st_mode) ? strrchr(file, '/') : NULL;
    *out = (mg_source){.text = mg_buf_str(&bytes)};
    if (slash != NULL)
        out->directory = mg_str_copy(arena, (mg_str){file, (size_t)(slash - file) + 1});
    return MG_OK;
}

mg_status mg_target_read(mg_str text, mg_str name, mg_arena *arena, const mg_goal **out,
                         mg_buf *complaint)
{
    mg_problems problems = {0};
    mg_err err;
    const mg_goal *goal;
    const mg_status s =
        mg_goal_read(text, name, mg_check_kinds, &mg_limits_default, arena, &goal, &problems);
    if (s != MG_OK) {
        mg_problems_text(&problems, name, complaint);
        return s;
    }
    for (size_t i = 0; i < goal->probe_allow->count; i++) {
        if (mg_address_rule_valid(goal->probe_allow->items[i], &err) == MG_OK)
            continue;
        mg_buf_addf(complaint, MG_FMT ": probe.allow: %s\n", MG_ARG(name), err.text);
        return MG_ERR_INVALID;
    }
    *out = goal;
    return MG_OK;
}

mg_status mg_target_world(const mg_goal *goal, mg_str directory, const char *root, mg_arena *arena,
                          mg_world *out, mg_err *err)
{
    const bool absolute = mg_str_starts(goal->root, "/");
    const mg_str own = absolute
                           ? goal->root
                           : mg_strf(arena, MG_FMT MG_FMT, MG_ARG(directory), MG_ARG(goal->root));
    MG_TRY(mg_world_open(root != NULL ? root : mg_str_cstr(arena, own), arena, out, err));
    out->probe_allow = goal->probe_allow;
    return MG_OK;
}
