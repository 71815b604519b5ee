/* run_goals.c - reads goal files and compares what is said of them, line by line.
 *
 *     run_goals DIR        each DIR/x.yaml against DIR/x.expect, one TAP line a file
 *     run_goals --print F  what is said of one file, to write an expectation from
 *
 * A file without problems says "ok" and its warnings.
 */
#include "check/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

static mg_str read_file(mg_arena *arena, const char *path)
{
    mg_err err = {0};
    MG_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    mg_buf buf = mg_buf_new(arena, 8u << 20);
    if (fd < 0 || mg_fd_read_all(fd, &buf, &err) != MG_OK)
        return (mg_str){0};
    return mg_buf_str(&buf);
}

static mg_str what_is_said(mg_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const mg_str name = mg_str_of(slash != NULL ? slash + 1 : path);
    const mg_goal *goal;
    mg_problems problems = {0};
    mg_buf said = mg_buf_new(arena, 1u << 20);
    if (mg_goal_read(read_file(arena, path), name, mg_check_kinds, &mg_limits_default, arena, &goal,
                     &problems) == MG_OK) {
        mg_buf_adds(&said, "ok\n");
        mg_problems_text(&goal->warnings, name, &said);
    } else {
        mg_problems_text(&problems, name, &said);
    }
    return mg_buf_str(&said);
}

static int by_name(const void *a, const void *b)
{
    return mg_str_cmp(*(const mg_str *)a, *(const mg_str *)b);
}

static bool run_one(const char *dir, mg_str name, int number)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_str stem = mg_str_first(name, name.len - strlen(".yaml"));
    const mg_str want =
        read_file(arena, mg_strf(arena, "%s/" MG_FMT ".expect", dir, MG_ARG(stem)).ptr);
    const mg_str got = what_is_said(arena, mg_strf(arena, "%s/" MG_FMT, dir, MG_ARG(name)).ptr);
    const bool right = want.ptr != NULL && mg_str_eq(want, got);
    printf("%s %d - " MG_FMT "\n", right ? "ok" : "not ok", number, MG_ARG(stem));
    if (!right) {
        mg_str rest = got, line;
        while (mg_str_split(&rest, '\n', &line))
            printf("# got: " MG_FMT "\n", MG_ARG(line));
    }
    return right;
}

int main(int argc, char **argv)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    if (argc == 3 && strcmp(argv[1], "--print") == 0) {
        const mg_str said = what_is_said(arena, argv[2]);
        printf(MG_FMT, MG_ARG(said));
        return 0;
    }
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (dir == NULL) {
        printf("Bail out! no directory of cases\n");
        return 1;
    }
    mg_strs names = {0};
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (mg_str_ends(mg_str_of(e->d_name), ".yaml"))
            mg_strs_add(arena, &names, mg_str_copy(arena, mg_str_of(e->d_name)));
    }
    (void)closedir(dir);
    qsort(names.items, names.count, sizeof *names.items, by_name);
    int failed = 0;
    for (size_t i = 0; i < names.count; i++)
        failed += !run_one(argv[1], names.items[i], (int)i + 1);
    printf("1..%zu\n", names.count);
    return failed > 0 || names.count == 0;
}
