/* sqlite_db.h - one connection: statements prepared once, typed values, transactions, and every
 * error of SQLite as a sentence. Private to store/.
 */
#ifndef MG_STORE_SQLITE_DB_H
#define MG_STORE_SQLITE_DB_H

#include "base/str.h"
#include "store/sqlite_api.h"

#include <sys/types.h>

enum { MG_DB_STATEMENTS = 64 };

typedef struct mg_db {
    mg_sqlite_api sql;
    sqlite3 *handle;
    const char *path; /* of the database, for messages; borrowed */
    unsigned busy_ms;
    dev_t device; /* of the file that was opened: a path may be given to another */
    ino_t inode;
    struct {
        const char *text; /* a constant of the caller: the pointer is the key */
        sqlite3_stmt *stmt;
    } prepared[MG_DB_STATEMENTS];
} mg_db;

typedef struct mg_val { /* what is bound to a parameter */
    int type;           /* SQLITE_NULL, _INTEGER, _FLOAT, _TEXT */
    int64_t whole;
    double real;
    mg_str text;
} mg_val;

static inline mg_val mg_val_null(void)
{
    return (mg_val){.type = SQLITE_NULL};
}

static inline mg_val mg_val_int(int64_t value)
{
    return (mg_val){.type = SQLITE_INTEGER, .whole = value};
}

static inline mg_val mg_val_real(double value)
{
    return (mg_val){.type = SQLITE_FLOAT, .real = value};
}

static inline mg_val mg_val_text(mg_str text)
{
    return (mg_val){.type = SQLITE_TEXT, .text = text};
}

static inline mg_val mg_val_word(const char *word) /* NULL is null */
{
    return word != NULL ? mg_val_text(mg_str_of(word)) : mg_val_null();
}

#define MG_VALS(...) \
    (const mg_val[]){__VA_ARGS__}, sizeof((const mg_val[]){__VA_ARGS__}) / sizeof(mg_val)
#define MG_NO_VALS NULL, 0

/* An existing file, for writing; a link on the way to it is refused. */
MG_MUST_CHECK mg_status mg_db_open(mg_db *db, const char *path, unsigned busy_ms, mg_err *err);
void mg_db_close(mg_db *db); /* also where opening failed */

/* Several statements without parameters and rows. */
MG_MUST_CHECK mg_status mg_db_exec(mg_db *db, const char *sql, mg_err *err);

/* A statement with its parameters, ready for mg_db_row(). text must be a constant: it is prepared
 * once. What is bound is borrowed until the statement is ended. */
MG_MUST_CHECK mg_status mg_db_start(mg_db *db, const char *text, const mg_val *values, size_t count,
                                    sqlite3_stmt **out, mg_err *err);
/* The next row; *row is false, and the statement ended, after the last one and after an error. */
MG_MUST_CHECK mg_status mg_db_row(mg_db *db, sqlite3_stmt *stmt, bool *row, mg_err *err);
void mg_db_end(mg_db *db, sqlite3_stmt *stmt);

/* A statement for what it does; *changed, if it is given, is how many rows it changed. */
MG_MUST_CHECK mg_status mg_db_run(mg_db *db, const char *text, const mg_val *values, size_t count,
                                  int *changed, mg_err *err);

/* The one number, or text, that a query answers with. MG_ERR_NOT_FOUND where there is no row. */
MG_MUST_CHECK mg_status mg_db_int(mg_db *db, const char *text, const mg_val *values, size_t count,
                                  int64_t *out, mg_err *err);
MG_MUST_CHECK mg_status mg_db_text(mg_db *db, const char *text, const mg_val *values, size_t count,
                                   mg_arena *arena, mg_str *out, mg_err *err);

/* Columns of the row at hand; texts are copied. */
mg_str mg_col_text(mg_db *db, sqlite3_stmt *stmt, int column, mg_arena *arena);
int64_t mg_col_int(mg_db *db, sqlite3_stmt *stmt, int column);
double mg_col_real(mg_db *db, sqlite3_stmt *stmt, int column);
bool mg_col_null(mg_db *db, sqlite3_stmt *stmt, int column);

/* Whether the file is still the one that was opened: SQLite would go on writing into one that was
 * removed, and everything would be lost with the last descriptor. MG_ERR_INVALID. */
MG_MUST_CHECK mg_status mg_db_in_place(const mg_db *db, mg_err *err);

/* All that fn does, or nothing: committed where it returns MG_OK, rolled back otherwise. begin is
 * "BEGIN IMMEDIATE" for writing (waits its turn), "BEGIN" for one consistent view. Nothing is
 * committed to a file that is not in its place. */
typedef mg_status (*mg_db_fn)(void *data, mg_err *err);
MG_MUST_CHECK mg_status mg_db_atomically(mg_db *db, const char *begin, mg_db_fn fn, void *data,
                                         mg_err *err);

/* Whether the last failure was a rule of the schema (a unique index, a check). */
bool mg_db_broke_rule(const mg_db *db);

#endif
