/* site.h - the files of examples/site, carried inside the program for `makegood demo`. */
#ifndef MG_CLI_SITE_H
#define MG_CLI_SITE_H

#include <stddef.h>

typedef struct mg_site_file {
    const char *name; /* NULL ends the table */
    const char *bytes;
    size_t len;
} mg_site_file;

extern const mg_site_file mg_site[]; /* made by embed.py */

#endif
