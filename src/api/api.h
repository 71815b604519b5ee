/* api.h - what the files of the public face share. Private to api/. */
#ifndef MG_API_API_H
#define MG_API_API_H

#include "data/text.h"

#include <makegood/error.h>

/* Copies the text into the caller's error, which may be NULL, and returns the status. */
mg_status mg_api_fail(mg_error *error, mg_status status, mg_str text);

#endif
