/* sqlite_api.h - SQLite's functions, opened when the first store is. Private to store/.
 *
 * Linking it costs a quarter of a millisecond, a quarter of what `makegood check` takes to start,
 * and a check keeps no state.
 */
#ifndef MG_STORE_SQLITE_API_H
#define MG_STORE_SQLITE_API_H

#include "base/err.h"

#include <sqlite3.h>

/* Each of the type that sqlite3.h declares, so a wrong call does not compile. */
#define MG_SQLITE_CALLS(X) \
    X(libversion_number)   \
    X(open_v2)             \
    X(close_v2)            \
    X(busy_timeout)        \
    X(exec)                \
    X(prepare_v3)          \
    X(step)                \
    X(reset)               \
    X(clear_bindings)      \
    X(finalize)            \
    X(bind_null)           \
    X(bind_int64)          \
    X(bind_double)         \
    X(bind_text64)         \
    X(column_type)         \
    X(column_int64)        \
    X(column_double)       \
    X(column_text)         \
    X(column_bytes)        \
    X(changes)             \
    X(get_autocommit)      \
    X(db_readonly)         \
    X(errmsg)              \
    X(errstr)              \
    X(extended_errcode)    \
    X(system_errno)

typedef struct mg_sqlite_api {
#define MG_SQLITE_MEMBER(name) __typeof__(sqlite3_##name) *name;
    MG_SQLITE_CALLS(MG_SQLITE_MEMBER)
#undef MG_SQLITE_MEMBER
} mg_sqlite_api;

/* MG_ERR_UNAVAILABLE where there is no SQLite, or one that is too old. It stays loaded. */
MG_MUST_CHECK mg_status mg_sqlite_load(mg_sqlite_api *out, mg_err *err);

#endif
