/* shadow.c - programs that stepped in front of others in PATH since a loop began.
 *
 * A goal names `make`, and what make runs is named nowhere: cc, python3, grep. So no file may have
 * come into a directory of PATH that is found before another of its name. A program that is new
 * and hides none is no harm: an agent may install what it needs. Who is new says the ctime, which
 * nobody can set.
 */
#include "check/kinds.h"
#include "check/programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TICK_MS = 10 }; /* file times advance in ticks, and lag behind the clock by up to one */

typedef struct search {
    int cwd;
    mg_str later; /* of PATH: what stands behind the directory that is looked at */
    int64_t since_ns;
    mg_arena *scratch;
} search;

static int64_t ctime_ns(const struct stat *st)
{
    return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

static bool is_program(int at, const char *path)
{
    struct stat st;
    return fstatat(at, path, &st, 0) == 0 && S_ISREG(st.st_mode) &&
           faccessat(at, path, X_OK, AT_EACCESS) == 0;
}

/* The program of that name that would have been found; NULL: there is none. */
static const char *hidden(const search *s, const char *name)
{
    mg_str rest = s->later, dir;
    while (mg_str_split(&rest, ':', &dir)) {
        const char *path =
            mg_strf(s->scratch, MG_FMT "/%s", MG_ARG(dir.len > 0 ? dir : MG_STR(".")), name).ptr;
        if (is_program(s->cwd, path))
            return path;
    }
    return NULL;
}

static mg_status look_at_name(const search *s, mg_str dir, int fd, const char *name, mg_err *err)
{
    struct stat st;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || ctime_ns(&st) < s->since_ns ||
        !is_program(fd, name))
        return MG_OK;
    const char *other = hidden(s, name);
    struct stat was, is;
    if (other == NULL || (fstatat(s->cwd, other, &was, 0) == 0 && fstatat(fd, name, &is, 0) == 0 &&
                          was.st_dev == is.st_dev && was.st_ino == is.st_ino))
        return MG_OK; /* /bin may be /usr/bin */
    return mg_fail(err, MG_ERR_DENIED,
                   "program '" MG_FMT
                   "/%s' came while the loop ran, and stands in PATH before '%s'",
                   MG_ARG(dir), name, other);
}

static mg_status look_at_dir(const search *s, mg_str dir, mg_err *err)
{
    struct stat st;
    const char *path = dir.len > 0 ? mg_str_cstr(s->scratch, dir) : ".";
    const int fd = openat(s->cwd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return MG_OK; /* nothing is found there, or by its name only: that is programs.c */
    if (fstat(fd, &st) < 0 || ctime_ns(&st) < s->since_ns) {
        (void)close(fd);
        return MG_OK; /* no name came or went */
    }
    DIR *names = fdopendir(fd);
    if (names == NULL) {
        (void)close(fd);
        return mg_fail_errno(err, "directory '%s' of PATH", path);
    }
    const struct dirent *entry;
    mg_status status = MG_OK;
    while (status == MG_OK && (entry = readdir(names)) != NULL)
        status = look_at_name(s, dir, dirfd(names), entry->d_name, err);
    (void)closedir(names);
    return status;
}

static mg_str path_of(const char *const *env)
{
    for (; *env != NULL; env++) {
        if (strncmp(*env, "PATH=", 5) == 0)
            return mg_str_of(*env + 5);
    }
    return MG_STR("");
}

mg_status mg_programs_unshadowed(const mg_world *world, const mg_args *args, int64_t since_ms,
                                 mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_value *env = mg_arg(args, "env");
    MG_AUTO_FD cwd = mg_open_beneath(world->root, mg_arg_text(args, "cwd"), O_RDONLY | O_DIRECTORY);
    if (cwd < 0)
        return MG_OK; /* the command says so itself */
    search s = {.cwd = cwd,
                .later = path_of(mg_environment(world->environ, env->env.items,
                                                env->set ? env->env.count : 0, scratch)),
                .since_ns = (since_ms - TICK_MS) * 1000000,
                .scratch = scratch};
    mg_str dir;
    while (mg_str_split(&s.later, ':', &dir))
        MG_TRY(look_at_dir(&s, dir, err));
    return MG_OK;
}
