/* sqlite_schema.c - the tables, their versions, and what is checked before a store is believed.
 *
 * A store is born whole: it is made under another name, under a lock on the directory, and renamed
 * into place. So an empty file in its place is damage, never "nothing there yet", and a journal
 * without its store is not played into a new one.
 *
 * Checked on opening: whose it is, the header, the schema's version, and every row of `loops`
 * (quick_check of that table, which is small: the long texts live in tables of their own). Those
 * are checked when they are read, page by page by SQLite and text by text against a sum: a
 * quick_check of everything reads all of it, 47 MB at 10,000 attempts, on every `loop list`.
 */
#include "store/sqlite_schema.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x6d676f64, /* "mgod" */
    PAGE_BYTES = 4096,
    LOCK_STEP_MS = 10,
};

static const char db_name[] = "makegood.db";

/* A migration brings the schema from the version before to its own; never changed once released.
 * To change the schema: append one. */
typedef struct migration {
    int64_t version;
    const char *sql;
} migration;

static const migration migrations[] = {
    {1, "CREATE TABLE loops ("
        "  seq INTEGER PRIMARY KEY AUTOINCREMENT," /* the order in which they began */
        "  id TEXT NOT NULL UNIQUE,"
        "  tenant TEXT NOT NULL, user TEXT NOT NULL,"
        "  root TEXT NOT NULL, scope TEXT NOT NULL, goal TEXT NOT NULL, goal_file TEXT NOT NULL,"
        "  agent TEXT NOT NULL,"
        "  status TEXT NOT NULL CHECK (status IN"
        "    ('queued', 'running', 'succeeded', 'gave_up', 'errored', 'cancelled')),"
        "  reason TEXT,"
        "  verified INTEGER NOT NULL DEFAULT 0 CHECK (verified IN (0, 1)),"
        "  verdict TEXT NOT NULL CHECK (verdict IN ('unknown', 'met', 'not_met')),"
        "  message TEXT NOT NULL,"
        "  created_ms INTEGER NOT NULL, finished_ms INTEGER NOT NULL DEFAULT 0,"
        "  cancel_ms INTEGER," /* when a cancel was asked for */
        "  owner_boot TEXT NOT NULL, owner_pid INTEGER NOT NULL, owner_started INTEGER NOT NULL,"
        "  lease_until INTEGER,"    /* between machines; locally the owner's process decides */
        "  fence INTEGER NOT NULL," /* grows whenever the loop changes hands */
        "  attempt_count INTEGER NOT NULL DEFAULT 0,"
        "  budget_attempts INTEGER NOT NULL, budget_time_ms INTEGER NOT NULL,"
        "  budget_tokens INTEGER NOT NULL, budget_cost_usd REAL NOT NULL,"
        "  budget_stagnation INTEGER NOT NULL,"
        "  spent_attempts INTEGER NOT NULL DEFAULT 0, spent_time_ms INTEGER NOT NULL DEFAULT 0,"
        "  spent_input_tokens INTEGER, spent_output_tokens INTEGER, spent_cost_usd REAL,"
        "  CHECK (verified = 0 OR (status = 'succeeded' AND verdict = 'met'))"
        ");"
        /* One active loop: the database's rule, whoever asks first. */
        "CREATE UNIQUE INDEX loops_active ON loops (tenant, scope)"
        "  WHERE status IN ('queued', 'running');"
        "CREATE INDEX loops_of_user ON loops (tenant, user, seq);"
        "CREATE TABLE loop_texts ("
        "  loop_id TEXT NOT NULL PRIMARY KEY REFERENCES loops (id) ON DELETE CASCADE,"
        "  frozen TEXT NOT NULL, frozen_sha256 TEXT NOT NULL, request TEXT NOT NULL,"
        "  sum INTEGER NOT NULL,"
        "  baseline TEXT, baseline_sum INTEGER, warnings TEXT NOT NULL,"
        "  keep TEXT NOT NULL DEFAULT ''" /* what a resume must find unchanged */
        ");"
        "CREATE TABLE attempts ("
        "  loop_id TEXT NOT NULL REFERENCES loops (id) ON DELETE CASCADE,"
        "  number INTEGER NOT NULL CHECK (number > 0),"
        "  started_ms INTEGER NOT NULL, duration_ms INTEGER NOT NULL, counted INTEGER NOT NULL,"
        "  terminal_reason TEXT NOT NULL, status TEXT NOT NULL, verdict TEXT NOT NULL,"
        "  reason TEXT, detector TEXT, headline TEXT NOT NULL,"
        "  json TEXT NOT NULL, sum INTEGER NOT NULL,"
        "  PRIMARY KEY (loop_id, number)"
        ");"
        "CREATE TABLE events ("
        "  loop_id TEXT NOT NULL REFERENCES loops (id) ON DELETE CASCADE,"
        "  seq INTEGER NOT NULL CHECK (seq > 0),"
        "  time_ms INTEGER NOT NULL, type TEXT NOT NULL, json TEXT NOT NULL,"
        "  PRIMARY KEY (loop_id, seq)"
        ");"},
};

static int64_t newest_version(void)
{
    return migrations[MG_COUNT(migrations) - 1].version;
}

static mg_status migrate(void *data, mg_err *err)
{
    mg_db *db = data;
    int64_t version;
    MG_TRY(mg_db_int(db, "PRAGMA user_version", MG_NO_VALS, &version, err));
    for (size_t i = 0; i < MG_COUNT(migrations); i++) {
        if (migrations[i].version <= version) /* another process may have been first */
            continue;
        MG_TRY(mg_db_exec(db, migrations[i].sql, err));
        char set[64];
        (void)snprintf(set, sizeof set, "PRAGMA user_version = %" PRId64, migrations[i].version);
        MG_TRY(mg_db_exec(db, set, err));
    }
    return MG_OK;
}

/* --- The directory and the file --- */

static mg_status check_directory(int dir, const char *path, mg_err *err)
{
    struct stat st;
    if (fstat(dir, &st) < 0)
        return mg_fail_errno(err, "look at the state directory '%s'", path);
    if (st.st_uid != geteuid())
        return mg_fail(err, MG_ERR_DENIED,
                       "the state directory '%s' belongs to another user (%u); set XDG_STATE_HOME "
                       "to a directory of your own",
                       path, (unsigned)st.st_uid);
    if ((st.st_mode & 022) != 0)
        return mg_fail(err, MG_ERR_DENIED,
                       "others may write to the state directory '%s'; take that from them: chmod "
                       "700 '%s'",
                       path, path);
    return MG_OK;
}

/* Looked at without opening it: closing a descriptor of our own would drop the locks that another
 * connection of this process holds on the file. */
static mg_status check_file(int dir, const char *path, bool *there, mg_err *err)
{
    struct stat st;
    *there = fstatat(dir, db_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*there)
        return errno == ENOENT ? MG_OK : mg_fail_errno(err, "look at the store '%s'", path);
    if (!S_ISREG(st.st_mode))
        return mg_fail(err, MG_ERR_DENIED, "the store '%s' is %s, not a file; remove it", path,
                       mg_file_type(st.st_mode));
    if (st.st_uid != geteuid() || (st.st_mode & 022) != 0)
        return mg_fail(err, MG_ERR_DENIED,
                       "the store '%s' is not only yours to write (owner %u, mode %03o); it cannot "
                       "be believed",
                       path, (unsigned)st.st_uid, (unsigned)(st.st_mode & 0777));
    struct stat wal; /* while there is a journal, it has the last pages */
    const bool whole = st.st_size % PAGE_BYTES == 0 ||
                       fstatat(dir, "makegood.db-wal", &wal, AT_SYMLINK_NOFOLLOW) == 0;
    if (st.st_size < PAGE_BYTES || !whole) /* SQLite would take some of these for a new store */
        return mg_fail(err, MG_ERR_INVALID,
                       "the store '%s' is damaged or no database of makegood: it was cut to %jd "
                       "bytes; put back a copy of it, or move it away to begin anew",
                       path, (intmax_t)st.st_size);
    return MG_OK;
}

/* Others that make the same store wait here, and then find it. */
static mg_status lock(int dir, const char *path, unsigned busy_ms, mg_err *err)
{
    for (unsigned waited = 0; flock(dir, LOCK_EX | LOCK_NB) < 0; waited += LOCK_STEP_MS) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return mg_fail_errno(err, "lock the state directory of '%s'", path);
        if (waited >= busy_ms)
            return mg_fail(err, MG_ERR_TIMEOUT,
                           "another process is making the store '%s' and does not finish", path);
        (void)usleep(LOCK_STEP_MS * 1000);
    }
    return MG_OK;
}

static mg_status fill(mg_db *db, const char *path, unsigned busy_ms, mg_err *err)
{
    char set[96];
    (void)snprintf(set, sizeof set, "PRAGMA page_size = %d; PRAGMA application_id = %d",
                   (int)PAGE_BYTES, (int)APPLICATION_ID);
    MG_TRY(mg_db_open(db, path, busy_ms, err));
    MG_TRY(mg_db_exec(db, set, err));
    MG_TRY(mg_db_atomically(db, "BEGIN IMMEDIATE", migrate, db, err));
    return mg_db_exec(db, "PRAGMA journal_mode = WAL", err);
}

static mg_status refuse_orphan(int dir, const char *path, mg_err *err)
{
    struct stat st;
    if (fstatat(dir, "makegood.db-wal", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0)
        return mg_fail(err, MG_ERR_INVALID,
                       "the store '%s' is gone, but its journal '%s-wal' is there; put the store "
                       "back, or remove the journal to begin anew",
                       path, path);
    return MG_OK;
}

/* Under the lock, so the name in between is ours alone; a killed maker's remains are removed. */
static mg_status make(int dir, const char *path, unsigned busy_ms, mg_arena *arena, mg_err *err)
{
    static const char *const names[] = {"makegood.db.new", "makegood.db.new-journal",
                                        "makegood.db.new-wal", "makegood.db.new-shm"};
    const char *draft = mg_strf(arena, "%s.new", path).ptr;
    MG_TRY(refuse_orphan(dir, path, err));
    for (size_t i = 0; i < MG_COUNT(names); i++)
        (void)unlinkat(dir, names[i], 0);
    const int fd = openat(dir, names[0], O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return mg_fail_errno(err, "make the store '%s'", path);
    (void)close(fd);

    mg_db db = {0};
    mg_status s = fill(&db, draft, busy_ms, err);
    mg_db_close(&db);
    if (s == MG_OK && (renameat(dir, names[0], dir, db_name) < 0 || fsync(dir) < 0))
        s = mg_fail_errno(err, "put the store '%s' in its place", path);
    if (s != MG_OK)
        (void)unlinkat(dir, names[0], 0);
    return s;
}

static mg_status make_if_missing(int dir, const char *path, unsigned busy_ms, mg_arena *arena,
                                 mg_err *err)
{
    bool there;
    MG_TRY(check_file(dir, path, &there, err));
    if (there)
        return MG_OK;
    MG_TRY(lock(dir, path, busy_ms, err)); /* released when dir is closed */
    MG_TRY(check_file(dir, path, &there, err));
    return there ? MG_OK : make(dir, path, busy_ms, arena, err);
}

/* --- Whether it can be believed --- */

static mg_status check_version(mg_db *db, mg_err *err)
{
    int64_t application, version;
    MG_TRY(mg_db_int(db, "PRAGMA application_id", MG_NO_VALS, &application, err));
    MG_TRY(mg_db_int(db, "PRAGMA user_version", MG_NO_VALS, &version, err));
    if (application != APPLICATION_ID || version < 1)
        return mg_fail(err, MG_ERR_INVALID,
                       "'%s' is a database of another program; move it away to begin anew",
                       db->path);
    if (version > newest_version())
        return mg_fail(err, MG_ERR_INVALID,
                       "the store '%s' is of a newer makegood (schema %" PRId64
                       ", this program knows %" PRId64 "); use that one, or another state "
                       "directory",
                       db->path, version, newest_version());
    return version == newest_version() ? MG_OK
                                       : mg_db_atomically(db, "BEGIN IMMEDIATE", migrate, db, err);
}

/* Triggers and views are not ours: they could make something else of what we write and read. */
static mg_status check_shape(mg_db *db, mg_err *err)
{
    int64_t count;
    MG_TRY(mg_db_int(db,
                     "SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')"
                     " OR (type = 'index' AND name = 'loops_active')",
                     MG_NO_VALS, &count, err));
    return count == 1 ? MG_OK
                      : mg_fail(err, MG_ERR_INVALID,
                                "the store '%s' was changed: its rules are not those of makegood; "
                                "put back a copy of it, or move it away to begin anew",
                                db->path);
}

static mg_status check_rows(mg_db *db, mg_arena *arena, mg_err *err)
{
    mg_str said;
    MG_TRY(mg_db_text(db, "PRAGMA quick_check(loops)", MG_NO_VALS, arena, &said, err));
    return mg_str_is(said, "ok")
               ? MG_OK
               : mg_fail(err, MG_ERR_INVALID,
                         "the store '%s' is damaged: " MG_FMT
                         "; put back a copy of it, or move it away (with its -wal and -shm) to "
                         "begin anew",
                         db->path, MG_ARG(said));
}

static mg_status believe(mg_db *db, mg_arena *arena, mg_err *err)
{
    mg_str mode;
    MG_TRY(mg_db_exec(db,
                      "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;"
                      "PRAGMA cell_size_check = ON;",
                      err));
    MG_TRY(check_version(db, err));
    MG_TRY(mg_db_text(db, "PRAGMA journal_mode = WAL", MG_NO_VALS, arena, &mode, err));
    if (!mg_str_is(mode, "wal"))
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "the store '%s' is on a file system without shared memory; set "
                       "XDG_STATE_HOME to a local directory",
                       db->path);
    /* In WAL a killed process loses nothing with NORMAL, and a power cut only the last moments. */
    MG_TRY(mg_db_exec(db, "PRAGMA synchronous = NORMAL", err));
    MG_TRY(check_shape(db, err));
    return check_rows(db, arena, err);
}

mg_status mg_sqlite_open(mg_db *db, const char *state_dir, unsigned busy_ms, mg_arena *arena,
                         mg_err *err)
{
    char
        real[PATH_MAX]; /* links above the store are the user's affair, in its place they are not */
    MG_AUTO_FD dir = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 || realpath(state_dir, real) == NULL)
        return mg_fail_errno(err, "open the state directory '%s'", state_dir);
    MG_TRY(check_directory(dir, state_dir, err));
    const char *path = mg_strf(arena, "%s/%s", real, db_name).ptr;
    MG_TRY(make_if_missing(dir, path, busy_ms, arena, err));
    MG_TRY(mg_db_open(db, path, busy_ms, err));
    return believe(db, arena, err);
}
