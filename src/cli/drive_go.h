/* drive_go.h - a planned loop is run or taken up again, shown, and made an exit code. */
#ifndef MG_CLI_DRIVE_GO_H
#define MG_CLI_DRIVE_GO_H

#include "cli/drive_plan.h"

typedef struct mg_drive_show {
    const char *events; /* a file, "-" for stdout, or NULL */
    bool json, verbose;
    bool resume; /* plan->pursuit was loaded from the store */
} mg_drive_show;

/* Where loops are kept. MG_EXIT_MET to go on, or the code to end with, the sentence said. */
int mg_drive_open_store(mg_cli *cli, const char **state_dir, mg_store **out);

int mg_drive_go(mg_cli *cli, mg_drive_plan *plan, const mg_drive_show *show);

/* 0 only where mg_pursuit_holds(); a loop that is not over is an error. */
int mg_drive_exit(const mg_pursuit *pursuit);

/* The loop on stdout, as text or JSON. */
int mg_drive_report(mg_cli *cli, const mg_pursuit *pursuit, bool json, int code);

#endif
