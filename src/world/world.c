/* world.c - opening the root of a world. */
#include "world/world.h"

#include <fcntl.h>
#include <unistd.h>

static void close_root(void *data)
{
    (void)close(*(int *)data);
}

mg_status mg_world_open(const char *root, mg_arena *arena, mg_world *out, mg_err *err)
{
    int *fd = mg_new(arena, int);
    *fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return mg_fail_errno(err, "root '%s'", root);
    mg_arena_on_free(arena, close_root, fd);
    *out = (mg_world){
        .root = *fd,
        .root_path = mg_str_copy(arena, mg_str_of(root)),
        .environ = (const char *const *)environ,
    };
    return MG_OK;
}
