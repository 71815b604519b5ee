/* fuzz.h - what the targets share.
 *
 * A target is a function over bytes that must neither crash nor break its own rules. Built
 * with libFuzzer it is run on made-up input (./dev fuzz); built with replay.c it is run on the
 * files of its corpus by the ordinary suite, so that a fault once found stays fixed.
 *
 * To add a target: fuzz_NAME.c, a few files in corpus/NAME/, one word in meson.build.
 */
#ifndef MG_TESTS_FUZZ_H
#define MG_TESTS_FUZZ_H

#include "base/buf.h"
#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A rule of the target that must hold, in every build. */
#define MUST(condition)                                                                      \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            (void)fprintf(stderr, "%s:%d: must hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                         \
        }                                                                                    \
    } while (0)

#endif
