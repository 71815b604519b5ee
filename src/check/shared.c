/* shared.c - what several kinds need: looking, counting, comparing. */
#include "check/kinds.h"

mg_status mg_look(const mg_view *view, mg_str path, struct stat *st, bool *there, mg_err *err)
{
    const mg_status s = mg_file_stat(view->world->root, path, st, err);
    if (s == MG_ERR_NOT_FOUND) {
        *there = false;
        return MG_OK;
    }
    MG_TRY(s);
    *there = true;
    return MG_OK;
}

mg_status mg_eval_type(const mg_view *view, mg_str path, mode_t type, mg_str expected,
                       mg_arena *arena, mg_result *out, mg_err *err)
{
    struct stat st;
    bool there;
    MG_TRY(mg_look(view, path, &st, &there, err));
    if (!there) {
        *out = mg_result_missing(arena, expected, path);
        out->no_answer = false; /* here, that nothing is there is the answer */
        return MG_OK;
    }
    const bool right = (st.st_mode & S_IFMT) == type;
    *out = mg_result_make(
        mg_outcome_if(right), expected,
        mg_strf(arena, "'" MG_FMT "' is %s", MG_ARG(path), mg_file_type(st.st_mode)));
    out->no_answer = !right; /* `not` means that nothing is there; something is */
    return MG_OK;
}

mg_result mg_result_missing(mg_arena *arena, mg_str expected, mg_str path)
{
    mg_result result = mg_result_make(MG_OUTCOME_FAIL, expected,
                                      mg_strf(arena, "'" MG_FMT "' does not exist", MG_ARG(path)));
    result.no_answer = true;
    return result;
}

mg_str mg_quote_pattern(mg_arena *arena, const mg_regex *regex)
{
    const mg_str line = mg_text_line(arena, mg_regex_pattern(regex), 120);
    return mg_strf(arena, "/" MG_FMT "/", MG_ARG(line));
}

const char *const mg_ops[] = {"eq", "gte", "lte", "gt", "lt", NULL};

bool mg_op_holds(mg_str op, uint64_t got, uint64_t want)
{
    return mg_str_is(op, "eq")    ? got == want
           : mg_str_is(op, "gte") ? got >= want
           : mg_str_is(op, "lte") ? got <= want
           : mg_str_is(op, "gt")  ? got > want
           : mg_str_is(op, "lt")  ? got < want
                                  : false;
}

mg_str mg_op_text(mg_arena *arena, mg_str op, uint64_t want)
{
    const char *words = mg_str_is(op, "eq")    ? "exactly"
                        : mg_str_is(op, "gte") ? "at least"
                        : mg_str_is(op, "lte") ? "at most"
                        : mg_str_is(op, "gt")  ? "more than"
                                               : "less than";
    return mg_strf(arena, "%s %" PRIu64, words, want);
}

mg_status mg_need_attempt(const mg_view *view, const char *what, mg_err *err)
{
    if (view->attempt == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "it is about %s, and a plain check has no attempt to look at", what);
    return MG_OK;
}
