/* replay.c - runs a target on every file of its corpus, in TAP. */
#include "base/fs.h"
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>

static mg_strs names_in(const char *dir, mg_arena *arena)
{
    mg_strs names = {0};
    struct dirent **entries;
    const int count = scandir(dir, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            mg_strs_add(arena, &names, mg_str_copy(arena, mg_str_of(entries[i]->d_name)));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return names;
}

/* On a copy of its exact size, so that a sanitizer sees a read past its end. */
static void run(mg_str bytes)
{
    uint8_t *copy = malloc(MG_MAX(bytes.len, (size_t)1));
    if (copy == NULL)
        abort();
    memcpy(copy, bytes.ptr, bytes.len);
    (void)LLVMFuzzerTestOneInput(copy, bytes.len);
    free(copy);
}

int main(int argc, char **argv)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    mg_err err;
    if (argc != 2)
        return 2;
    MG_AUTO_FD dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const mg_strs names = names_in(argv[1], arena);
    int number = 0, failed = 0;
    for (size_t i = 0; i < names.count; i++) {
        mg_str bytes = {0};
        const bool read = mg_file_read(dir, names.items[i], 1u << 20, arena, &bytes, &err) == MG_OK;
        if (read)
            run(bytes);
        failed += !read;
        printf("%s %d - " MG_FMT "\n", read ? "ok" : "not ok", ++number, MG_ARG(names.items[i]));
        (void)fflush(stdout); /* a crash comes after the name of the file before */
    }
    printf("1..%d\n", number);
    return failed > 0 || number == 0;
}
