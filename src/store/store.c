/* store.c - what holds for every backend: where state lives, what may be asked, and the calls
 * through the backend's row.
 */
#include "store/kinds.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const mg_store_kind *const mg_store_kinds[] = {&mg_store_sqlite, NULL};

/* --- The state directory --- */

static const char *lookup(const char *const *environ_, const char *name)
{
    const size_t len = strlen(name);
    for (; environ_ != NULL && *environ_ != NULL; environ_++) {
        if (strncmp(*environ_, name, len) == 0 && (*environ_)[len] == '=')
            return *environ_ + len + 1;
    }
    return NULL;
}

/* The directory and those above it, each only for us where it was not there. */
static mg_status make_path(const char *path, mg_arena *arena, mg_err *err)
{
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        const mg_str part =
            slash != NULL ? (mg_str){path, (size_t)(slash - path)} : mg_str_of(path);
        if (mkdir(mg_str_cstr(arena, part), 0700) < 0 && errno != EEXIST)
            return mg_fail_errno(err, "make the state directory '%s'", path);
        if (slash == NULL)
            return MG_OK;
    }
}

mg_status mg_state_dir(const char *const *environ_, mg_arena *arena, const char **out, mg_err *err)
{
    const char *state = lookup(environ_, "XDG_STATE_HOME"), *home = lookup(environ_, "HOME");
    mg_str path;
    if (state != NULL && state[0] == '/') /* a relative one is to be ignored, says the standard */
        path = mg_strf(arena, "%s/makegood", state);
    else if (home != NULL && home[0] == '/')
        path = mg_strf(arena, "%s/.local/state/makegood", home);
    else
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "there is no place for state: neither XDG_STATE_HOME nor HOME is an "
                       "absolute path; set XDG_STATE_HOME");
    MG_TRY(make_path(path.ptr, arena, err));
    struct stat st;
    if (stat(path.ptr, &st) < 0)
        return mg_fail_errno(err, "look at the state directory '%s'", path.ptr);
    if (!S_ISDIR(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "the state directory '%s' is %s, not a directory",
                       path.ptr, mg_file_type(st.st_mode));
    if (st.st_uid != geteuid())
        return mg_fail(err, MG_ERR_DENIED,
                       "the state directory '%s' belongs to another user (%u); set XDG_STATE_HOME "
                       "to a directory of your own",
                       path.ptr, (unsigned)st.st_uid);
    *out = path.ptr;
    return MG_OK;
}

/* --- Calls --- */

mg_status mg_store_open(const char *state_dir, mg_store **out, mg_err *err)
{
    return mg_store_kinds[0]->open(state_dir, MG_STORE_BUSY_MS, out, err);
}

void mg_store_close(mg_store *store)
{
    if (store != NULL)
        store->kind->close(store);
}

static bool active(mg_pursuit_status status)
{
    return status == MG_PURSUIT_QUEUED || status == MG_PURSUIT_RUNNING;
}

mg_status mg_store_begin(mg_store *store, const mg_pursuit *pursuit, const mg_owner *owner,
                         int64_t now_ms, mg_arena *arena, mg_str *other, mg_err *err)
{
    if (pursuit->id.len == 0 || pursuit->user.len == 0 || pursuit->scope.len == 0)
        return mg_fail(err, MG_ERR_INVALID, "a loop needs an id, a user and a scope");
    *other = (mg_str){"", 0};
    return store->kind->begin(store, pursuit, owner, now_ms, arena, other, err);
}

mg_status mg_store_resume(mg_store *store, mg_str user, mg_str id, const mg_owner *owner,
                          int64_t now_ms, mg_arena *arena, mg_str *other, mg_err *err)
{
    *other = (mg_str){"", 0};
    return store->kind->resume(store, user, id, owner, now_ms, arena, other, err);
}

mg_status mg_store_baseline(mg_store *store, const mg_pursuit *pursuit, mg_err *err)
{
    return store->kind->baseline(store, pursuit, err);
}

mg_status mg_store_attempt(mg_store *store, const mg_pursuit *pursuit, const mg_attempt *attempt,
                           mg_err *err)
{
    if (attempt->number == 0)
        return mg_fail(err, MG_ERR_INVALID, "attempts are numbered from 1");
    return store->kind->attempt(store, pursuit, attempt, err);
}

mg_status mg_store_event(mg_store *store, mg_str id, uint64_t seq, int64_t time_ms,
                         const char *type, mg_str json, mg_err *err)
{
    return store->kind->event(store, id, seq, time_ms, type, json, err);
}

mg_status mg_store_last_event(mg_store *store, mg_str id, uint64_t *seq, mg_err *err)
{
    return store->kind->last_event(store, id, seq, err);
}

mg_status mg_store_told(mg_store *store, mg_str id, const char *type, uint64_t *count, mg_err *err)
{
    return store->kind->told(store, id, type, count, err);
}

mg_status mg_store_finish(mg_store *store, const mg_pursuit *pursuit, mg_pursuit_status *stored,
                          mg_err *err)
{
    if (active(pursuit->status))
        return mg_fail(err, MG_ERR_INVALID, "a loop that is %s has not finished",
                       mg_pursuit_status_name(pursuit->status));
    if (pursuit->verified && !mg_pursuit_holds(pursuit))
        return mg_fail(err, MG_ERR_INVALID,
                       "loop " MG_FMT " is called verified, but it is %s (%s) and its last "
                       "verdict is %s",
                       MG_ARG(pursuit->id), mg_pursuit_status_name(pursuit->status),
                       mg_why_name(pursuit->reason) != NULL ? mg_why_name(pursuit->reason)
                                                            : "no reason",
                       mg_verdict_name(pursuit->last));
    return store->kind->finish(store, pursuit, stored, err);
}

mg_status mg_store_cancel(mg_store *store, mg_str user, mg_str id, int64_t now_ms, mg_err *err)
{
    return store->kind->cancel(store, user, id, now_ms, err);
}

mg_status mg_store_cancel_asked(mg_store *store, mg_str id, bool *asked, mg_err *err)
{
    return store->kind->cancel_asked(store, id, asked, err);
}

mg_status mg_store_list(mg_store *store, mg_str user, size_t limit, mg_arena *arena,
                        mg_pursuits *out, mg_err *err)
{
    return store->kind->list(store, user, limit, arena, out, err);
}

mg_status mg_store_load(mg_store *store, mg_str user, mg_str id, mg_arena *arena, mg_pursuit *out,
                        mg_owner *owner, mg_err *err)
{
    return store->kind->load(store, user, id, arena, out, owner, err);
}
