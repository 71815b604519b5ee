/* net.h - asking a server: one HTTP request, or only whether it takes connections.
 *
 * libcurl does the work and is opened on first use: most checks need no network, and it
 * costs more to load than everything else together. An address is judged after the name was
 * resolved, at the moment a socket is opened for it, so no spelling and no DNS answer gets
 * round the rule. Redirects are followed on the same host only. Proxies are not used: they
 * would hide which address is asked.
 */
#ifndef MG_IO_NET_H
#define MG_IO_NET_H

#include "base/limits.h"
#include "io/loop.h"

#include <sys/socket.h>

typedef struct mg_net mg_net; /* belongs to a loop */
typedef struct mg_net_call mg_net_call;

/* Whether an address may be asked; false refuses it. */
typedef bool (*mg_net_allow)(void *data, const struct sockaddr *address, socklen_t length);

typedef enum mg_net_result {
    MG_NET_ERROR = 0,   /* could not be asked: name, address refused, our own failure */
    MG_NET_ANSWERED,    /* status is set; of a connection: it was accepted */
    MG_NET_UNREACHABLE, /* refused, reset, no route, TLS or protocol broken: it does not serve */
    MG_NET_TIMED_OUT,
} mg_net_result;

typedef struct mg_net_answer {
    mg_net_result result;
    long status;
    mg_str content_type;
    mg_str headers;   /* of the final answer, as received, a line each; bounded */
    mg_str redirect;  /* where it pointed, when a redirect was not followed; or empty */
    unsigned hops;    /* how many redirects were followed */
    mg_str url;       /* where that led; of the question itself where there were none */
    bool refused;     /* of UNREACHABLE: nobody listens there, which is an answer, too */
    bool complete;    /* the whole body was received */
    const char *text; /* why: for everything but ANSWERED, and where it is not complete */
    mg_status code;   /* of ERROR */
} mg_net_answer;

typedef struct mg_net_request {
    const char *url;            /* http or https; for a connection tcp://host:port */
    const char *method;         /* NULL: GET */
    const char *const *headers; /* "Name: value", ends with NULL; may be NULL */
    mg_str body;
    uint64_t connect_timeout_ms, timeout_ms;
    unsigned redirects; /* followed at most, on the same host, of GET and HEAD */
    mg_net_allow allow; /* NULL refuses every address */
    void *allow_data;
    /* The headers of the final answer are there; returning false stops the transfer as below.
     * May be NULL. */
    bool (*head)(void *data, long status);
    /* Pieces of the body of the final answer; returning false stops the transfer early and
     * well: ended() follows with what was learnt so far. Starts and stops nothing itself.
     * May be NULL. */
    bool (*body_piece)(void *data, mg_str bytes);
    void *data;
    /* Called exactly once, unless mg_net_stop() came before; not from mg_net_start(). The
     * answer's texts live until it returns. May start and stop calls, not close the net. */
    void (*ended)(void *data, const mg_net_answer *answer);
} mg_net_request; /* copied by mg_net_start() */

/* MG_ERR_UNAVAILABLE if libcurl is not installed. */
MG_MUST_CHECK mg_status mg_net_open(mg_loop *loop, mg_net **out, mg_err *err);
void mg_net_close(mg_net *net); /* stops what is still running; takes NULL */

MG_MUST_CHECK mg_status mg_net_start(mg_net *net, const mg_net_request *request, mg_net_call **out,
                                     mg_err *err);
void mg_net_stop(mg_net_call *call); /* no callback follows; takes NULL */

/* "libcurl/7.88.1 OpenSSL/3.0.15 ...", or NULL where it cannot be opened. */
const char *mg_net_version(void);

#endif
