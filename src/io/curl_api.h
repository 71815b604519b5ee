/* curl_api.h - libcurl's functions, opened when they are first needed. Private to io/.
 *
 * libcurl and the TLS library behind it take several times as long to load as everything
 * else together, and most checks ask nothing of the network.
 */
#ifndef MG_IO_CURL_API_H
#define MG_IO_CURL_API_H

#include "base/err.h"

#include <curl/curl.h>

/* Each of the type that curl.h declares, so a wrong call does not compile. */
#define MG_CURL_CALLS(X)   \
    X(global_init)         \
    X(version)             \
    X(easy_init)           \
    X(easy_setopt)         \
    X(easy_getinfo)        \
    X(easy_reset)          \
    X(easy_strerror)       \
    X(easy_cleanup)        \
    X(multi_init)          \
    X(multi_setopt)        \
    X(multi_add_handle)    \
    X(multi_remove_handle) \
    X(multi_socket_action) \
    X(multi_info_read)     \
    X(multi_strerror)      \
    X(multi_assign)        \
    X(multi_cleanup)       \
    X(slist_append)        \
    X(slist_free_all)      \
    X(url)                 \
    X(url_set)             \
    X(url_get)             \
    X(url_cleanup)         \
    X(free)

typedef struct mg_curl_api {
#define MG_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    MG_CURL_CALLS(MG_CURL_MEMBER)
#undef MG_CURL_MEMBER
} mg_curl_api;

/* MG_ERR_UNAVAILABLE where there is no libcurl, or one that lacks something. It is never
 * unloaded again: its threads may still be resolving a name. */
MG_MUST_CHECK mg_status mg_curl_open(mg_curl_api *out, mg_err *err);

#endif
