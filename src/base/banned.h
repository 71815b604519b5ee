/* banned.h - calls that do not compile here, and what to use instead.
 *
 * Each of these has led to an overflow, a truncation or a silent zero somewhere. The list
 * is short because the alternatives exist: mg_str, mg_buf, mg_strf, mg_parse_*.
 */
#ifndef MG_BASE_BANNED_H
#define MG_BASE_BANNED_H

/* The system's own headers come first: they may mention the names that are refused below. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Text: mg_strf, mg_buf_addf, mg_str_copy. */
#undef strcpy
#undef strncpy
#undef strcat
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok
#undef gets
#pragma GCC poison strcpy strncpy strcat strncat sprintf vsprintf strtok gets
/* Numbers: mg_parse_int, mg_parse_size, mg_parse_duration say what was wrong. */
#undef atoi
#undef atol
#undef atoll
#undef atof
#pragma GCC poison atoi atol atoll atof
/* Processes: mg_process_start keeps a group, a limit and a deadline. */
#undef system
#undef popen
#pragma GCC poison system popen
/* Files: mg_open_beneath, mg_file_read. tmpnam races. */
#undef tmpnam
#undef mktemp
#pragma GCC poison tmpnam mktemp
/* Time: the reentrant forms. */
#undef localtime
#undef gmtime
#undef asctime
#undef ctime
#pragma GCC poison localtime gmtime asctime ctime

#endif
