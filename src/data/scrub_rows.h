/* scrub_rows.h - what is taken out of foreign text, as tables. Private to data/.
 *
 * A row is a PCRE2 pattern over the shadow of a text (confusable.h), which is ASCII: a pattern
 * need not know about look-alikes. To add one: a row, and an example in scrub_test.c.
 */
#ifndef MG_DATA_SCRUB_ROWS_H
#define MG_DATA_SCRUB_ROWS_H

typedef enum mg_scrub_class {
    MG_SCRUB_SECRET = 0,
    MG_SCRUB_ORDER,   /* a marker that tries to give orders to a model */
    MG_SCRUB_PRODUCT, /* the name of a scanner */
    MG_SCRUB_GENERIC, /* a word about scanning; only of blocked steps */
    MG_SCRUB_CLASSES,
} mg_scrub_class;

typedef struct mg_scrub_row {
    mg_scrub_class class;
    unsigned group;      /* which part of the match is taken out; 0: all of it */
    const char *pattern; /* NULL ends a table */
} mg_scrub_row;

extern const mg_scrub_row mg_scrub_secrets[]; /* scrub_secrets.c */
extern const mg_scrub_row mg_scrub_names[];   /* scrub_names.c: orders, products, generic words */
extern const char mg_scrub_allowed[];         /* the error shapes a blocked step may show */

#endif
