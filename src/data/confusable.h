/* confusable.h - what a text looks like to a reader, in ASCII. Private to data/.
 *
 * A shadow has one byte for each character that is seen: look-alikes of Latin letters (accented,
 * fullwidth, mathematical, Cyrillic, Greek) stand as that letter, blanks as a space, characters
 * that are not seen are left out, and all others are MG_SHADOW_OTHER. What is found in the shadow
 * is taken out of the text: at[i] is where its character i begins there.
 */
#ifndef MG_DATA_CONFUSABLE_H
#define MG_DATA_CONFUSABLE_H

#include "base/str.h"

enum { MG_SHADOW_OTHER = 0x80 };

typedef struct mg_shadow {
    mg_str text;
    const uint32_t *at; /* text.len + 1 of them; the last is the length of the original */
} mg_shadow;

/* text: valid UTF-8 of less than 4 GiB, as mg_text_clean() makes it. */
mg_shadow mg_shadow_of(mg_str text, mg_arena *arena);

#endif
