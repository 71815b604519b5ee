/* floor.c - the least a process can do for the same answer: open, read, compile, match.
 *
 *     floor LIST      a line each: path, tab, pattern
 *
 * It is what `makegood check` is measured against: no goal file, no report, no limits.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fcntl.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int found(const char *path, const char *pattern)
{
    int error, answer = 0;
    size_t offset;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return 0;
    char *text = malloc((size_t)st.st_size + 1);
    const ssize_t n = text != NULL ? read(fd, text, (size_t)st.st_size + 1) : -1;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                      PCRE2_MULTILINE | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, NULL);
    if (n >= 0 && code != NULL) {
        pcre2_match_data *data = pcre2_match_data_create(1, NULL);
        answer = pcre2_match(code, (PCRE2_SPTR)text, (size_t)n, 0, 0, data, NULL) >= 0;
        pcre2_match_data_free(data);
    }
    pcre2_code_free(code);
    free(text);
    (void)close(fd);
    return answer;
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    int wrong = 0, count = 0;
    FILE *list = argc == 2 ? fopen(argv[1], "re") : NULL;
    if (list == NULL)
        return 2;
    while (getline(&line, &room, list) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        wrong += !found(line, tab + 1);
        count++;
    }
    free(line);
    (void)fclose(list);
    printf("%d of %d\n", count - wrong, count);
    return wrong > 0;
}
