/* libexec.c - where the programs are that makegood itself starts.
 *
 * A tree that was built but not installed, one that was installed and moved, and a library inside
 * somebody else's program all have to find them; so four places are asked, the nearest first.
 */
#include "io/supervise.h"

#include "base/fs.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static const char *value_of(const char *const *env, const char *name)
{
    const size_t len = strlen(name);
    for (; env != NULL && *env != NULL; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

/* The absolute path of a file that can be executed, or NULL. */
static const char *program_at(const char *dir, mg_str below, const char *name, mg_arena *arena)
{
    char *real = realpath(mg_strf(arena, "%s" MG_FMT "/%s", dir, MG_ARG(below), name).ptr, NULL);
    struct stat st;
    const bool usable =
        real != NULL && stat(real, &st) == 0 && S_ISREG(st.st_mode) && access(real, X_OK) == 0;
    const char *found = usable ? mg_strf(arena, "%s", real).ptr : NULL;
    free(real);
    return found;
}

/* The directory of the running program, or NULL. */
static const char *own_directory(mg_arena *arena)
{
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return NULL;
    path[n] = '\0';
    *strrchr(path, '/') = '\0'; /* it is absolute */
    return mg_strf(arena, "%s", path).ptr;
}

mg_status mg_libexec_find(const char *name, const char *const *env, mg_arena *arena,
                          const char **out, mg_err *err)
{
    const char *named = value_of(env, "MAKEGOOD_LIBEXEC");
    const char *own = own_directory(arena);
    const struct {
        const char *dir;
        mg_str below;
    } places[] = {
        {named != NULL && named[0] != '\0' ? named : NULL, {0}},
        {own, MG_STR("")},
        {own, MG_STR("/../libexec/makegood")},
        {MG_LIBEXECDIR, MG_STR("")},
    };
    for (size_t i = 0; i < MG_COUNT(places); i++) {
        if (places[i].dir == NULL)
            continue;
        const char *found = program_at(places[i].dir, places[i].below, name, arena);
        if (found != NULL) {
            *out = found;
            return MG_OK;
        }
    }
    return mg_fail(
        err, MG_ERR_UNAVAILABLE,
        "'%s', a program that comes with makegood, is neither in '%s' (MAKEGOOD_LIBEXEC), "
        "nor beside the running program, nor in '%s'; install makegood whole, or let "
        "MAKEGOOD_LIBEXEC name the directory that has it",
        name, named != NULL ? named : "", MG_LIBEXECDIR);
}

mg_status mg_supervisor_find(const char *const *env, mg_arena *arena, const mg_supervisor **out,
                             mg_err *err)
{
    mg_supervisor *found = mg_new(arena, mg_supervisor);
    MG_TRY(mg_libexec_find("mg-supervise", env, arena, &found->path, err));
    if (stat(found->path, &found->is) < 0) {
        (void)mg_fail_errno(err, "the supervisor '%s'", found->path);
        return MG_ERR_UNAVAILABLE;
    }
    *out = found;
    return MG_OK;
}
