/* sqlite_db.c - see sqlite_db.h.
 *
 * Nothing here reads a failure as "no rows": a step that is neither a row nor the end is an error
 * with its sentence.
 */
#include "store/sqlite_db.h"

#include <errno.h>
#include <sys/stat.h>

/* What each of SQLite's answers means to a user; the rest is "cannot be used". */
typedef struct meaning {
    int code;
    mg_status status;
    const char *sentence;
} meaning;

static const meaning meanings[] = {
    {SQLITE_CORRUPT, MG_ERR_INVALID,
     "is damaged; put back a copy of it, or move it away (with its -wal and -shm) to begin anew"},
    {SQLITE_NOTADB, MG_ERR_INVALID,
     "is damaged or no database of makegood; put back a copy of it, or move it away to begin anew"},
    {SQLITE_FULL, MG_ERR_SYSTEM, "cannot grow: there is no room left on its disk; make some"},
    {SQLITE_READONLY, MG_ERR_DENIED, "cannot be written; make it and its directory writable"},
    {SQLITE_PERM, MG_ERR_DENIED, "cannot be opened for writing; look at its permissions"},
    {SQLITE_BUSY, MG_ERR_TIMEOUT, "is locked by another process; end that one, or try again"},
    {SQLITE_LOCKED, MG_ERR_TIMEOUT, "is locked by another process; end that one, or try again"},
    {SQLITE_NOMEM, MG_ERR_SYSTEM, "cannot be used: there is no memory"},
    {SQLITE_TOOBIG, MG_ERR_LIMIT, "cannot hold a value that large"},
};

static const meaning cannot_open = {SQLITE_CANTOPEN, MG_ERR_DENIED,
                                    "cannot be opened; make it and its directory writable, and see "
                                    "that no link stands in its place"};
static const meaning no_room = {SQLITE_FULL, MG_ERR_SYSTEM,
                                "cannot grow: there is no room left for it, or its disk fails"};
static const meaning anything = {SQLITE_ERROR, MG_ERR_SYSTEM, "cannot be used"};

/* A quota, a limit of file size, a failing disk: SQLite says "disk I/O error" of each. */
static bool could_not_grow(int code)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE,
                                SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHMMAP};
    for (size_t i = 0; i < MG_COUNT(codes); i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

static const meaning *meaning_of(mg_db *db, int code)
{
    const int error = db->handle != NULL ? db->sql.system_errno(db->handle) : 0;
    if (could_not_grow(code))
        return &no_room;
    if ((code & 0xff) == SQLITE_CANTOPEN)
        return error == ENOSPC || error == EDQUOT ? &no_room : &cannot_open;
    for (size_t i = 0; i < MG_COUNT(meanings); i++) {
        if (meanings[i].code == (code & 0xff))
            return &meanings[i];
    }
    return &anything;
}

static mg_status fail(mg_db *db, int code, mg_err *err)
{
    const meaning *m = meaning_of(db, code);
    const char *detail = db->handle != NULL ? db->sql.errmsg(db->handle) : db->sql.errstr(code);
    return mg_fail(err, m->status, "the store '%s' %s (SQLite: %s)", db->path, m->sentence, detail);
}

mg_status mg_db_open(mg_db *db, const char *path, unsigned busy_ms, mg_err *err)
{
    db->path = path;
    db->busy_ms = busy_ms;
    MG_TRY(mg_sqlite_load(&db->sql, err));
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
                      SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    const int code = db->sql.open_v2(path, &db->handle, flags, NULL);
    if (code != SQLITE_OK)
        return fail(db, code, err);
    if (db->sql.db_readonly(db->handle, "main") != 0)
        return mg_fail(err, MG_ERR_DENIED, "the store '%s' cannot be written; make it writable",
                       path);
    (void)db->sql.busy_timeout(db->handle, (int)busy_ms);
    struct stat st;
    if (lstat(path, &st) < 0)
        return mg_fail_errno(err, "look at the store '%s'", path);
    db->device = st.st_dev;
    db->inode = st.st_ino;
    return MG_OK;
}

mg_status mg_db_in_place(const mg_db *db, mg_err *err)
{
    struct stat st;
    if (lstat(db->path, &st) == 0 && st.st_dev == db->device && st.st_ino == db->inode)
        return MG_OK;
    return mg_fail(err, MG_ERR_INVALID,
                   "the store '%s' was removed or replaced while it was in use: what is written "
                   "now would be lost",
                   db->path);
}

void mg_db_close(mg_db *db)
{
    if (db->handle == NULL)
        return;
    for (size_t i = 0; i < MG_COUNT(db->prepared) && db->prepared[i].text != NULL; i++)
        (void)db->sql.finalize(db->prepared[i].stmt);
    (void)db->sql.close_v2(db->handle);
    db->handle = NULL;
}

mg_status mg_db_exec(mg_db *db, const char *sql, mg_err *err)
{
    const int code = db->sql.exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? MG_OK : fail(db, code, err);
}

/* --- Statements --- */

static mg_status prepared(mg_db *db, const char *text, sqlite3_stmt **out, mg_err *err)
{
    size_t i = 0;
    while (i < MG_COUNT(db->prepared) && db->prepared[i].text != NULL &&
           db->prepared[i].text != text)
        i++;
    if (i == MG_COUNT(db->prepared))
        return mg_fail(err, MG_ERR_LIMIT, "more statements than MG_DB_STATEMENTS: a fault of ours");
    if (db->prepared[i].text == NULL) {
        sqlite3_stmt *stmt;
        const int code =
            db->sql.prepare_v3(db->handle, text, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);
        if ((code & 0xff) == SQLITE_ERROR) /* a table or column of ours that is not there */
            return mg_fail(err, MG_ERR_INVALID,
                           "the store '%s' is damaged: %s; put back a copy of it, or move it away "
                           "to begin anew",
                           db->path, db->sql.errmsg(db->handle));
        if (code != SQLITE_OK)
            return fail(db, code, err);
        db->prepared[i].stmt = stmt;
        db->prepared[i].text = text;
    }
    *out = db->prepared[i].stmt;
    return MG_OK;
}

static int bind(mg_db *db, sqlite3_stmt *stmt, int at, const mg_val *value)
{
    switch (value->type) {
    case SQLITE_INTEGER:
        return db->sql.bind_int64(stmt, at, value->whole);
    case SQLITE_FLOAT:
        return db->sql.bind_double(stmt, at, value->real);
    case SQLITE_TEXT:
        return db->sql.bind_text64(stmt, at, value->text.ptr != NULL ? value->text.ptr : "",
                                   value->text.len, SQLITE_STATIC, SQLITE_UTF8);
    default:
        return db->sql.bind_null(stmt, at);
    }
}

mg_status mg_db_start(mg_db *db, const char *text, const mg_val *values, size_t count,
                      sqlite3_stmt **out, mg_err *err)
{
    sqlite3_stmt *stmt = NULL;
    MG_TRY(prepared(db, text, &stmt, err));
    (void)db->sql.reset(stmt); /* what it said last was told then */
    for (size_t i = 0; i < count; i++) {
        const int code = bind(db, stmt, (int)i + 1, &values[i]);
        if (code != SQLITE_OK)
            return fail(db, code, err);
    }
    *out = stmt;
    return MG_OK;
}

void mg_db_end(mg_db *db, sqlite3_stmt *stmt)
{
    (void)db->sql.reset(stmt);
    (void)db->sql.clear_bindings(stmt);
}

mg_status mg_db_row(mg_db *db, sqlite3_stmt *stmt, bool *row, mg_err *err)
{
    const int code = db->sql.step(stmt);
    *row = code == SQLITE_ROW;
    if (*row)
        return MG_OK;
    const mg_status s = code == SQLITE_DONE ? MG_OK : fail(db, code, err);
    mg_db_end(db, stmt);
    return s;
}

mg_status mg_db_run(mg_db *db, const char *text, const mg_val *values, size_t count, int *changed,
                    mg_err *err)
{
    sqlite3_stmt *stmt;
    bool row;
    MG_TRY(mg_db_start(db, text, values, count, &stmt, err));
    do {
        MG_TRY(mg_db_row(db, stmt, &row, err));
    } while (row);
    if (changed != NULL)
        *changed = db->sql.changes(db->handle);
    return MG_OK;
}

/* The first row of a query; the caller ends the statement. */
static mg_status first_row(mg_db *db, const char *text, const mg_val *values, size_t count,
                           sqlite3_stmt **stmt, mg_err *err)
{
    bool row;
    MG_TRY(mg_db_start(db, text, values, count, stmt, err));
    MG_TRY(mg_db_row(db, *stmt, &row, err));
    return row ? MG_OK : mg_fail(err, MG_ERR_NOT_FOUND, "the store has no answer to '%s'", text);
}

mg_status mg_db_int(mg_db *db, const char *text, const mg_val *values, size_t count, int64_t *out,
                    mg_err *err)
{
    sqlite3_stmt *stmt = NULL;
    MG_TRY(first_row(db, text, values, count, &stmt, err));
    *out = mg_col_int(db, stmt, 0);
    mg_db_end(db, stmt);
    return MG_OK;
}

mg_status mg_db_text(mg_db *db, const char *text, const mg_val *values, size_t count,
                     mg_arena *arena, mg_str *out, mg_err *err)
{
    sqlite3_stmt *stmt = NULL;
    MG_TRY(first_row(db, text, values, count, &stmt, err));
    *out = mg_col_text(db, stmt, 0, arena);
    mg_db_end(db, stmt);
    return MG_OK;
}

/* --- Columns --- */

mg_str mg_col_text(mg_db *db, sqlite3_stmt *stmt, int column, mg_arena *arena)
{
    const unsigned char *text = db->sql.column_text(stmt, column);
    const int len = db->sql.column_bytes(stmt, column);
    if (text == NULL || len <= 0)
        return (mg_str){"", 0};
    return mg_str_copy(arena, (mg_str){(const char *)text, (size_t)len});
}

int64_t mg_col_int(mg_db *db, sqlite3_stmt *stmt, int column)
{
    return db->sql.column_int64(stmt, column);
}

double mg_col_real(mg_db *db, sqlite3_stmt *stmt, int column)
{
    return db->sql.column_double(stmt, column);
}

bool mg_col_null(mg_db *db, sqlite3_stmt *stmt, int column)
{
    return db->sql.column_type(stmt, column) == SQLITE_NULL;
}

/* --- Transactions --- */

mg_status mg_db_atomically(mg_db *db, const char *begin, mg_db_fn fn, void *data, mg_err *err)
{
    MG_TRY(mg_db_exec(db, begin, err));
    mg_status s = fn(data, err);
    if (s == MG_OK)
        s = mg_db_in_place(db, err);
    if (s == MG_OK)
        s = mg_db_exec(db, "COMMIT", err);
    /* Also after a commit that failed; some failures have rolled back by themselves. */
    if (s != MG_OK && db->sql.get_autocommit(db->handle) == 0)
        (void)db->sql.exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return s;
}

bool mg_db_broke_rule(const mg_db *db)
{
    return (db->sql.extended_errcode(db->handle) & 0xff) == SQLITE_CONSTRAINT;
}
