/* sqlite_schema.h - the file, its tables and their version. Private to store/. */
#ifndef MG_STORE_SQLITE_SCHEMA_H
#define MG_STORE_SQLITE_SCHEMA_H

#include "store/sqlite_db.h"

/* The store of a state directory, made where there is none, brought to this program's schema and
 * checked. MG_ERR_INVALID: damaged, newer or of another program; MG_ERR_DENIED: read-only, or not
 * ours. path: what db keeps for its messages; lives in the arena. */
MG_MUST_CHECK mg_status mg_sqlite_open(mg_db *db, const char *state_dir, unsigned busy_ms,
                                       mg_arena *arena, mg_err *err);

#endif
