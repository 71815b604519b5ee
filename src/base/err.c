/* err.c - sentences about what went wrong. */
#include "base/err.h"

#include <assert.h>
#include <errno.h>

#undef mg_fail
#undef mg_fail_errno
#undef mg_context

mg_status mg_status_of_errno(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return MG_ERR_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EXDEV: /* what openat2 says of a path that leaves its root */
    case ELOOP:
        return MG_ERR_DENIED;
    case ETIMEDOUT:
        return MG_ERR_TIMEOUT;
    case ENAMETOOLONG:
    case EFBIG:
    case EMFILE:
    case ENFILE:
        return MG_ERR_LIMIT;
    case EINVAL:
        return MG_ERR_INVALID;
    default:
        return MG_ERR_SYSTEM;
    }
}

/* Shows where a sentence was cut, so that nobody reads half of one as the whole. */
static void mark_if_cut(mg_err *err, int len)
{
    if (len < MG_ERR_TEXT_MAX)
        return;
    size_t at = MG_ERR_TEXT_MAX - 4;
    while (at > 0 && ((unsigned char)err->text[at] & 0xc0) == 0x80)
        at--; /* not through the middle of a character */
    memcpy(err->text + at, "...", 4);
}

static MG_PRINTF(3, 0) mg_status
    fail_with(mg_err *err, mg_status code, const char *fmt, va_list args)
{
    assert(code != MG_OK); /* a failure that reads as success is the worst bug we could have */
    if (err != NULL) {
        err->code = code;
        mark_if_cut(err, vsnprintf(err->text, sizeof err->text, fmt, args));
    }
    return code;
}

mg_status mg_fail(mg_err *err, mg_status code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const mg_status s = fail_with(err, code, fmt, args);
    va_end(args);
    return s;
}

mg_status mg_fail_errno(mg_err *err, const char *fmt, ...)
{
    const int error = errno;
    char reason[128];
    va_list args;
    va_start(args, fmt);
    const mg_status s = fail_with(err, mg_status_of_errno(error), fmt, args);
    va_end(args);
    if (err != NULL) {
        const size_t len = strlen(err->text);
        const char *why = error == EXDEV ? "a link on it is absolute, or it leads outside the root"
                                         : strerror_r(error, reason, sizeof reason);
        mark_if_cut(err, (int)len + snprintf(err->text + len, sizeof err->text - len, ": %s", why));
    }
    return s;
}

mg_status mg_context(mg_err *err, mg_status status, const char *fmt, ...)
{
    if (err == NULL || status == MG_OK)
        return status;
    char inner[MG_ERR_TEXT_MAX];
    memcpy(inner, err->text, sizeof inner);
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (len >= 0 && len < MG_ERR_TEXT_MAX)
        len += snprintf(err->text + len, sizeof err->text - (size_t)len, ": %s", inner);
    mark_if_cut(err, len);
    err->code = status;
    return status;
}
