/* curl_api.c - dlopen, and a table of what to look up in it. */
#include "io/curl_api.h"

#include <dlfcn.h>
#include <stddef.h>

static const char library[] = "libcurl.so.4";

typedef struct call {
    const char *symbol;
    size_t offset; /* in mg_curl_api */
} call;

static const call calls[] = {
#define ROW(name) {"curl_" #name, offsetof(mg_curl_api, name)},
    MG_CURL_CALLS(ROW)
#undef ROW
};

mg_status mg_curl_open(mg_curl_api *out, mg_err *err)
{
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (lib == NULL)
        return mg_fail(err, MG_ERR_UNAVAILABLE,
                       "the network cannot be asked: %s; install it (Debian: libcurl4)", dlerror());
    mg_curl_api api = {0};
    for (size_t i = 0; i < MG_COUNT(calls); i++) {
        void *address = dlsym(lib, calls[i].symbol);
        if (address == NULL)
            return mg_fail(err, MG_ERR_UNAVAILABLE,
                           "the network cannot be asked: %s has no %s; version 7.85 or later is "
                           "needed",
                           library, calls[i].symbol);
        /* A function is not an object in C; POSIX says that this pointer may be one. */
        memcpy((char *)&api + calls[i].offset, &address, sizeof address);
    }
    /* Counted by libcurl, and safe from several threads since 7.84. Never undone, see above. */
    if (api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return mg_fail(err, MG_ERR_UNAVAILABLE, "the network cannot be asked: %s does not start",
                       library);
    *out = api;
    return MG_OK;
}
