/* probe.c - which addresses may be asked, which URLs make sense, what a failure says. */
#include "check/probe.h"

bool mg_probe_allow(void *world, const struct sockaddr *address, socklen_t length)
{
    (void)length;
    return mg_address_allowed(address, ((const mg_world *)world)->probe_allow);
}

/* host, host:port, [::1]:port; what stands after the last colon is a number or nothing. */
static bool port_valid(mg_str authority)
{
    const size_t bracket = mg_str_find(authority, ']', 0);
    const size_t colon = mg_str_find(authority, ':', bracket < authority.len ? bracket : 0);
    const mg_str port = mg_str_from(authority, MG_MIN(colon + 1, authority.len));
    int64_t number = 0;
    return port.len == 0 ||
           (port.ptr[0] >= '0' && port.ptr[0] <= '9' &&
            mg_parse_int(port, &number, NULL) == MG_OK && number >= 1 && number <= 65535);
}

mg_status mg_probe_url_valid(mg_str url, mg_err *err)
{
    const mg_str shown = mg_str_first(url, 200);
    if (!mg_str_starts(url, "http://") && !mg_str_starts(url, "https://"))
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' is not a URL that begins with http:// or https://",
                       MG_ARG(shown));
    const mg_str rest = mg_str_from(url, mg_str_find(url, '/', 0) + 2);
    size_t end = 0;
    while (end < rest.len && strchr("/?#", rest.ptr[end]) == NULL)
        end++;
    const mg_str authority = mg_str_first(rest, end);
    /* Not quoted: it would show what must not be shown. */
    if (mg_str_find(authority, '@', 0) < authority.len)
        return mg_fail(err, MG_ERR_INVALID,
                       "a URL with a user or password in it would show them in every report; leave "
                       "them out");
    if (authority.len == 0 || authority.ptr[0] == ':')
        return mg_fail(err, MG_ERR_INVALID, "'" MG_FMT "' names no host", MG_ARG(shown));
    if (!port_valid(authority))
        return mg_fail(err, MG_ERR_INVALID,
                       "'" MG_FMT "' has a port that cannot be; it is a number from 1 to 65535",
                       MG_ARG(shown));
    for (size_t i = 0; i < url.len; i++)
        if ((unsigned char)url.ptr[i] <= ' ' || url.ptr[i] == 0x7f)
            return mg_fail(err, MG_ERR_INVALID,
                           "'" MG_FMT
                           "' has a blank or a control character in it; write it as %%20",
                           MG_ARG(shown));
    return MG_OK;
}

mg_status mg_probe_timeout_valid(const mg_args *args, mg_err *err)
{
    if (mg_arg_amount(args, "timeout") == 0)
        return mg_fail(err, MG_ERR_INVALID, "a timeout of 0 leaves no time; write one as in 5s");
    return MG_OK;
}

uint64_t mg_probe_connect_ms(uint64_t timeout_ms)
{
    return MG_MIN(timeout_ms, (uint64_t)5000);
}

mg_str mg_probe_failure(mg_arena *arena, const mg_net_answer *answer, uint64_t timeout_ms)
{
    const mg_str limit = mg_duration_text(arena, timeout_ms);
    const mg_str why = mg_text_line(arena, mg_str_of(answer->text), 300);
    if (answer->result == MG_NET_TIMED_OUT)
        return mg_strf(arena, "no answer within " MG_FMT " (" MG_FMT ")", MG_ARG(limit),
                       MG_ARG(why));
    return mg_strf(arena, "no answer: " MG_FMT, MG_ARG(why));
}
