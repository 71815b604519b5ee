/* tree_tools.h - a workspace, a state directory beside it, and what happens in between. */
#ifndef MG_TESTS_TREE_TOOLS_H
#define MG_TESTS_TREE_TOOLS_H

#include "world/snapshot.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct place {
    mg_world world;
    int state;
    const mg_scope *scope;
    mg_pack *pack;
} place;

static inline mg_strs texts(test *t, const char *list) /* split at blanks; NULL: none */
{
    mg_strs out = {0};
    mg_str rest = mg_str_of(list), part;
    while (list != NULL && mg_str_split(&rest, ' ', &part))
        mg_strs_add(t->arena, &out, part);
    return out;
}

/* The workspace is t->dir/w, the state directory t->dir/state. */
static inline place open_place(test *t, const char *ignore, const char *protect, const char *named)
{
    place p = {0};
    test_mkdir(t, "w");
    test_mkdir(t, "state");
    EXPECT_OK(mg_world_open(mg_strf(t->arena, "%s/w", t->dir).ptr, t->arena, &p.world, &t->err));
    p.state = openat(t->dir_fd, "state", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const mg_strs i = texts(t, ignore), q = texts(t, protect), n = texts(t, named);
    EXPECT_OK(
        mg_scope_freeze(&p.world, &(mg_scope_rules){&i, &q, &n}, t->arena, &p.scope, &t->err));
    EXPECT_OK(mg_pack_open(p.state, "pack", t->arena, &p.pack, &t->err));
    return p;
}

static inline const mg_snapshot *snap(test *t, const place *p, const mg_snapshot *before)
{
    const mg_snapshot *out = NULL;
    EXPECT_OK(mg_snapshot_take(&p->world, p->scope, before, p->pack, (mg_live){0}, t->arena, &out,
                               &t->err));
    return out;
}

/* The changes since `before`, one line each: "created a +1 -0 | modified! b ..."; `!` is a no-op.
 */
static inline const char *changes_since(test *t, const place *p, const mg_snapshot *before)
{
    static const char *const names[] = {"unknown", "created", "modified", "deleted",
                                        "renamed", "mode",    "link"};
    mg_changes changes = {0};
    const mg_snapshot *now = snap(t, p, before);
    EXPECT_OK(mg_snapshot_delta(before, now, p->pack, t->arena, &changes, &t->err));
    mg_buf buf = mg_buf_new(t->arena, 1u << 20);
    for (size_t i = 0; i < changes.count; i++) {
        const mg_change *c = &changes.items[i];
        mg_buf_addf(&buf, "%s%s%s ", i > 0 ? " | " : "", names[c->type], c->no_op ? "!" : "");
        if (c->type == MG_CHANGE_RENAMED)
            mg_buf_addf(&buf, MG_FMT " -> ", MG_ARG(c->old_path));
        mg_buf_addf(&buf, MG_FMT " +%d -%d", MG_ARG(c->path), (int)c->lines_added,
                    (int)c->lines_deleted);
    }
    return mg_str_cstr(t->arena, mg_buf_str(&buf));
}

#define EXPECT_CHANGES(want, before) EXPECT_STR(want, mg_str_of(changes_since(t, &p, before)))

/* File times move in ticks: what comes after this is later than what came before. */
static inline void let_time_pass(void)
{
    (void)usleep(30 * 1000);
}

static inline void sh(test *t, const char *script)
{
    (void)fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
        (void)setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
        if (chdir(mg_strf(t->arena, "%s/w", t->dir).ptr) == 0)
            (void)execl("/bin/sh", "sh", "-ec", script, NULL);
        _exit(127);
    }
    int status;
    EXPECT(waitpid(pid, &status, 0) == pid);
    if (status != 0)
        test_fail(__FILE__, __LINE__, "sh: %s", script);
}

/* Nobody can be kept from reading while we are root. */
static inline void be_ordinary(test *t)
{
    if (getuid() != 0)
        return;
    if (chown(t->dir, 65534, 65534) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
        test_skip("root cannot become an ordinary user here");
}

#endif
