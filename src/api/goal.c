/* goal.c - the public face of goals: an arena for each handle, C strings out. */
#include "api/api.h"
#include "api/target.h"

#include <makegood/goal.h>

#include <fcntl.h>

mg_status mg_api_fail(mg_error *error, mg_status status, mg_str text)
{
    if (error != NULL) {
        mg_str cut = mg_str_first(text, sizeof error->text - 1);
        if (cut.len < text.len)
            cut.len -= mg_utf8_cut(cut);
        memcpy(error->text, cut.ptr, cut.len);
        error->text[cut.len] = '\0';
        error->status = status;
    }
    return status;
}

static mg_status open_text(mg_str source, mg_str name, mg_str directory, mg_goal **out,
                           mg_error *error)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_buf complaint = mg_buf_new(arena, MG_ERROR_TEXT_MAX);
    const mg_goal *read;
    const mg_status s = mg_target_read(source, name, arena, &read, &complaint);
    if (s != MG_OK)
        return mg_api_fail(error, s, mg_str_trim(mg_buf_str(&complaint)));
    mg_goal *goal = mg_new(arena, mg_goal);
    *goal = *read;
    goal->directory = mg_str_copy(arena, directory);
    goal->goal = mg_str_copy(arena, read->goal);
    goal->owner = arena;
    arena = NULL; /* the handle has it now */
    *out = goal;
    return MG_OK;
}

mg_status mg_goal_open_file(const char *path, mg_goal **out, mg_error *error)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    mg_err err;
    mg_source source;
    MG_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const mg_status s = mg_source_read(fd, path, scratch, &source, &err);
    if (s != MG_OK)
        return mg_api_fail(error, s, mg_str_of(err.text));
    return open_text(source.text, mg_str_of(path), source.directory, out, error);
}

mg_status mg_goal_open_text(const char *text, size_t length, const char *directory, mg_goal **out,
                            mg_error *error)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_str base = directory != NULL ? mg_strf(scratch, "%s/", directory) : (mg_str){"", 0};
    return open_text((mg_str){text, length}, MG_STR(""), base, out, error);
}

void mg_goal_close(mg_goal *goal)
{
    if (goal != NULL)
        mg_arena_free(goal->owner);
}

const char *mg_goal_sentence(const mg_goal *goal)
{
    return goal->goal.ptr;
}

size_t mg_goal_entry_count(const mg_goal *goal)
{
    return goal->entries.count;
}

size_t mg_goal_warning_count(const mg_goal *goal)
{
    return goal->warnings.count;
}

const char *mg_goal_warning(const mg_goal *goal, size_t index)
{
    return index < goal->warnings.count ? goal->warnings.items[index].text.ptr : NULL;
}
