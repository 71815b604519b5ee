/* makegood/error.h - what went wrong, in sentences. */
#ifndef MAKEGOOD_ERROR_H
#define MAKEGOOD_ERROR_H

#include <makegood/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MG_ERROR_TEXT_MAX = 4096 };

/* Filled in by a call that fails, and only then. A goal file with several mistakes gives a
 * line for each: "makegood.yaml:3:5: unknown key 'fiel' (did you mean 'file'?)". */
typedef struct mg_error {
    mg_status status;
    char text[MG_ERROR_TEXT_MAX]; /* ends in NUL; cut at a character where it is longer */
} mg_error;

#ifdef __cplusplus
}
#endif

#endif
