/* sqlite_api.c - dlopen, and a table of what to look up in it. */
#include "store/sqlite_api.h"

#include <dlfcn.h>
#include <stddef.h>

static const char library[] = "libsqlite3.so.0";
enum { OLDEST = 3037000 };

typedef struct call {
    const char *symbol;
    size_t offset; /* in mg_sqlite_api */
} call;

static const call calls[] = {
#define ROW(name) {"sqlite3_" #name, offsetof(mg_sqlite_api, name)},
    MG_SQLITE_CALLS(ROW)
#undef ROW
};

mg_status mg_sqlite_load(mg_sqlite_api *out, mg_err *err)
{
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (lib == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "loops cannot be stored: %s; install it (Debian: libsqlite3-0)", dlerror());
    mg_sqlite_api api = {0};
    for (size_t i = 0; i < MG_COUNT(calls); i++) {
        void *address = dlsym(lib, calls[i].symbol);
        if (address == NULL)
            return mg_fail(err, MG_ERR_UNAVAILABLE,
                           "loops cannot be stored: %s has no %s; SQLite 3.37 or later is needed",
                           library, calls[i].symbol);
        /* A function is not an object in C; POSIX says that this pointer may be one. */
        memcpy((char *)&api + calls[i].offset, &address, sizeof address);
    }
    if (api.libversion_number() < OLDEST)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "loops cannot be stored: %s is older than SQLite 3.37", library);
    *out = api;
    return MG_OK;
}
