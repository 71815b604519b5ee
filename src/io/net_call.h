/* net_call.h - what the two halves of the network share: net.c turns libcurl, net_call.c
 * asks one question with it. Private to io/. */
#ifndef MG_IO_NET_CALL_H
#define MG_IO_NET_CALL_H

#include "io/curl_api.h"
#include "io/net.h"

struct mg_net {
    mg_loop *loop;
    mg_tenant tenant;
    mg_curl_api curl;
    CURLM *multi;
    mg_timer *timer;
    struct net_socket *sockets;
    mg_net_call *calls; /* not ended yet */
};

/* Zeroed memory from the heap; like an arena it does not return NULL. */
void *mg_net_block(size_t bytes);

/* libcurl is through with it: follows a redirect, or tells the end. */
void mg_net_call_done(mg_net_call *call, CURLcode code);

/* libcurl itself failed: tells the end. */
void mg_net_call_broken(mg_net_call *call, const char *why);

#endif
