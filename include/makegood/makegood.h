/* makegood/makegood.h - everything at once. */
#ifndef MAKEGOOD_MAKEGOOD_H
#define MAKEGOOD_MAKEGOOD_H

#include <makegood/check.h>
#include <makegood/drive.h>
#include <makegood/error.h>
#include <makegood/goal.h>
#include <makegood/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0"; static. */
MG_API const char *mg_version(void);

#ifdef __cplusplus
}
#endif

#endif
