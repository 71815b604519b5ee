/* probe.h - what the kinds that ask the network share. Private to check/. */
#ifndef MG_CHECK_PROBE_H
#define MG_CHECK_PROBE_H

#include "check/kinds.h"

/* An mg_net_allow whose data is the mg_world. */
bool mg_probe_allow(void *world, const struct sockaddr *address, socklen_t length);

/* Whether it can be asked: http or https, a host, nothing secret in it. */
MG_MUST_CHECK mg_status mg_probe_url_valid(mg_str url, mg_err *err);

/* At load: time to answer in. */
MG_MUST_CHECK mg_status mg_probe_timeout_valid(const mg_args *args, mg_err *err);

/* Of the time for all, at most 5 s for the connection. */
uint64_t mg_probe_connect_ms(uint64_t timeout_ms);

/* What an answer other than MG_NET_ANSWERED says about the server: "no answer: ...". */
mg_str mg_probe_failure(mg_arena *arena, const mg_net_answer *answer, uint64_t timeout_ms);

#endif
