/* err.h - one error convention.
 *
 * A call that can go wrong returns an mg_status; its last parameter, mg_err *err, carries a
 * full sentence that names the object, quotes what came from outside and says what was
 * expected. err means something only after a failure, and may be NULL where nobody reads it.
 */
#ifndef MG_BASE_ERR_H
#define MG_BASE_ERR_H

#include "base/macros.h"

#include <stdarg.h>

enum { MG_ERR_TEXT_MAX = 1024 };

typedef struct mg_err {
    mg_status code;
    char text[MG_ERR_TEXT_MAX]; /* NUL-terminated; a longer sentence ends in "..." */
} mg_err;

/* Writes the sentence and returns the code. */
mg_status mg_fail(mg_err *err, mg_status code, const char *fmt, ...) MG_PRINTF(3, 4);

/* The sentence, then what errno says; ENOENT, EACCES and their like choose the code. */
mg_status mg_fail_errno(mg_err *err, const char *fmt, ...) MG_PRINTF(2, 3);

/* Puts the circumstance in front: "goal file 'a.yaml': " + what was there. Returns status. */
mg_status mg_context(mg_err *err, mg_status status, const char *fmt, ...) MG_PRINTF(3, 4);

/* The code that stands for an errno value. */
mg_status mg_status_of_errno(int error);

#if defined(__clang_analyzer__) || defined(MG_ANALYZER)
/* For tools that read the code without running it: a failure is not MG_OK. They cannot see it
 * across files, and would follow every path on which a call both fails and returns success. */
#define mg_fail(err, code, ...) ((void)(mg_fail)((err), (code), __VA_ARGS__), (mg_status)(code))
#define mg_fail_errno(err, ...) \
    ((void)(mg_fail_errno)((err), __VA_ARGS__), (mg_status)MG_ERR_SYSTEM)
#define mg_context(err, status, ...)                     \
    __extension__({                                      \
        const mg_status status_ = (status);              \
        (void)(mg_context)((err), status_, __VA_ARGS__); \
        status_;                                         \
    })
#endif

/* The only macro that returns. */
#define MG_TRY(call)                   \
    do {                               \
        const mg_status try_ = (call); \
        if (try_ != MG_OK)             \
            return try_;               \
    } while (0)

#endif
