/* program.c - the search that execvp(3) does, in the environment and the directory of the
 * child instead of ours, and before anything is started: a program that is not there is an
 * answer of its own. */
#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What execvp(3) uses where there is no PATH. */
static const char default_path[] = "/bin:/usr/bin";

static mg_str path_of(const char *const *env)
{
    for (; *env != NULL; env++) {
        const mg_str var = mg_str_of(*env);
        if (mg_str_starts(var, "PATH="))
            return mg_str_from(var, 5);
    }
    return mg_str_of(default_path);
}

/* 0, or the errno that says why it cannot be executed. */
static int executable(int cwd, const char *path)
{
    struct stat st;
    if (fstatat(cwd, path, &st, 0) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? EISDIR : EACCES;
    return faccessat(cwd, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

/* Whether an error of executable() says that there is no such program. */
static bool absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EISDIR;
}

static mg_status refuse(int error, const char *name, mg_err *err)
{
    if (error == ENOENT || error == ENOTDIR)
        return mg_fail(err, MG_ERR_NOT_FOUND, "program '%s' was not found", name);
    if (error == EISDIR)
        return mg_fail(err, MG_ERR_DENIED, "'%s' is a directory, not a program", name);
    errno = error;
    return mg_fail_errno(err, "program '%s' cannot be executed", name);
}

mg_status mg_program_find(const char *name, const char *const *env, int cwd, mg_arena *arena,
                          const char **out, mg_err *err)
{
    if (name == NULL || name[0] == '\0')
        return mg_fail(err, MG_ERR_INVALID, "the command is empty; its first word names a program");
    if (strchr(name, '/') != NULL) {
        const int error = executable(cwd, name);
        if (error != 0)
            return refuse(error, name, err);
        *out = name;
        return MG_OK;
    }
    int worst = ENOENT;
    mg_str rest = path_of(env), dir;
    while (mg_str_split(&rest, ':', &dir)) {
        const mg_str path = dir.len > 0 ? mg_strf(arena, MG_FMT "/%s", MG_ARG(dir), name)
                                        : mg_strf(arena, "./%s", name);
        const int error = executable(cwd, path.ptr);
        if (error == 0) {
            *out = path.ptr;
            return MG_OK;
        }
        if (error == EACCES && faccessat(cwd, path.ptr, F_OK, AT_EACCESS) == 0)
            worst = worst == ENOENT ? error : worst; /* it is there and may not be executed; a
                                                      * directory that may not be searched says
                                                      * nothing */
        if (!absent(error) && error != EACCES)
            worst = error; /* whether it is there could not be seen */
    }
    if (worst == ENOENT)
        return mg_fail(err, MG_ERR_NOT_FOUND, "program '%s' was not found in PATH", name);
    return refuse(worst, name, err);
}
