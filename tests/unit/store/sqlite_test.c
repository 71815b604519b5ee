/* What can happen to a database file: damaged, cut, full, locked, read-only, foreign, newer. Each
 * is a sentence, none is read as "there is nothing", none as a success. */
#include "../contract/store_samples.h"
#include "store/sqlite_api.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { LOOPS = 12, ATTEMPTS = 4, NOBODY = 65534 };

static const char *db_path(test *t)
{
    return mg_strf(t->arena, "%s/makegood.db", t->dir).ptr;
}

static mg_status try_open(test *t, mg_store **out)
{
    *out = NULL;
    return mg_store_sqlite.open(t->dir, 200, out, &t->err);
}

static mg_pursuit begun(test *t, mg_store *store, const char *scope)
{
    const mg_owner dead = dead_owner();
    mg_pursuit loop = sample_loop(t->arena, scope);
    mg_str other;
    EXPECT_OK(mg_store_begin(store, &loop, &dead, sample_now, t->arena, &other, &t->err));
    return loop;
}

/* A store with loops that gave up, closed. The id is that of the last. */
static mg_str filled(test *t)
{
    mg_store *store;
    mg_str id = {0};
    EXPECT_OK(try_open(t, &store));
    for (int i = 0; i < LOOPS; i++) {
        mg_pursuit loop = begun(t, store, mg_strf(t->arena, "%d", i).ptr);
        mg_result row = {.kind = "file_exists", .name = MG_STR("x")};
        mg_pursuit_status stored;
        loop.baseline = &row;
        loop.baseline_count = 1;
        EXPECT_OK(mg_store_baseline(store, &loop, &t->err));
        for (uint32_t n = 1; n <= ATTEMPTS; n++) {
            mg_attempt a = sample_attempt(t->arena, n, MG_VERDICT_NOT_MET);
            EXPECT_OK(mg_store_attempt(store, &loop, &a, &t->err));
        }
        loop.status = MG_PURSUIT_GAVE_UP;
        loop.reason = MG_WHY_STAGNATED;
        loop.last = MG_VERDICT_NOT_MET;
        EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
        id = loop.id;
    }
    mg_store_close(store);
    return id;
}

/* SQL as somebody else would run it. */
static void meddle(test *t, const char *sql)
{
    mg_sqlite_api api;
    sqlite3 *db;
    char *why = NULL;
    EXPECT_OK(mg_sqlite_load(&api, &t->err));
    EXPECT_EQ(SQLITE_OK, api.open_v2(db_path(t), &db, SQLITE_OPEN_READWRITE, NULL));
    if (api.exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        test_fail(__FILE__, __LINE__, "%s: %s", sql, why);
    (void)api.close_v2(db);
}

static void expect_refused(test *t, mg_status status, const char *says)
{
    mg_store *store;
    EXPECT_EQ(status, try_open(t, &store));
    EXPECT(store == NULL);
    EXPECT_ERR_CONTAINS(says);
    EXPECT_ERR_CONTAINS(t->dir); /* it names the thing */
}

/* --- The file --- */

TEST(a_new_store_is_ours_alone_and_leaves_nothing_beside_it)
{
    struct stat st;
    mg_store *store;
    EXPECT_OK(try_open(t, &store));
    EXPECT_EQ(0, stat(db_path(t), &st));
    EXPECT_EQ(0600, st.st_mode & 07777);
    (void)begun(t, store, "s");
    EXPECT_EQ(0, fstatat(t->dir_fd, "makegood.db-wal", &st, 0));
    EXPECT_EQ(0600, st.st_mode & 07777);
    mg_store_close(store);
    EXPECT(faccessat(t->dir_fd, "makegood.db.new", F_OK, 0) < 0);
    EXPECT(faccessat(t->dir_fd, "makegood.db-wal", F_OK, 0) < 0);
    EXPECT_CONTAINS(mg_str_first(test_read(t, db_path(t)), 16), "SQLite format 3");
}

TEST(remains_of_a_killed_maker_do_not_matter)
{
    mg_store *store;
    test_write(t, "makegood.db.new", MG_STR("half a header"));
    test_write(t, "makegood.db.new-journal", MG_STR("rubbish"));
    EXPECT_OK(try_open(t, &store));
    (void)begun(t, store, "s");
    mg_store_close(store);
}

TEST(what_stands_in_the_stores_place_is_refused)
{
    (void)filled(t);
    EXPECT_EQ(0, renameat(t->dir_fd, "makegood.db", t->dir_fd, "elsewhere.db"));
    EXPECT_EQ(0, symlinkat("elsewhere.db", t->dir_fd, "makegood.db"));
    expect_refused(t, MG_ERR_DENIED, "not a file");
    EXPECT_EQ(0, unlinkat(t->dir_fd, "makegood.db", 0));
    EXPECT_EQ(0, mkfifoat(t->dir_fd, "makegood.db", 0600));
    expect_refused(t, MG_ERR_DENIED, "a FIFO");
    EXPECT_EQ(0, unlinkat(t->dir_fd, "makegood.db", 0));
    test_mkdir(t, "makegood.db");
    expect_refused(t, MG_ERR_DENIED, "a directory");
}

TEST(what_others_may_write_is_not_believed)
{
    mg_store *store;
    (void)filled(t);
    EXPECT_EQ(0, chmod(db_path(t), 0666));
    expect_refused(t, MG_ERR_DENIED, "not only yours to write");
    EXPECT_EQ(0, chmod(db_path(t), 0600));
    EXPECT_EQ(0, chmod(t->dir, 0777));
    expect_refused(t, MG_ERR_DENIED, "others may write");
    EXPECT_EQ(0, chmod(t->dir, 0755));
    EXPECT_OK(try_open(t, &store));
    mg_store_close(store);
    if (geteuid() == 0) {
        EXPECT_EQ(0, chown(db_path(t), NOBODY, NOBODY));
        expect_refused(t, MG_ERR_DENIED, "not only yours to write");
        EXPECT_EQ(0, chown(t->dir, NOBODY, NOBODY));
        expect_refused(t, MG_ERR_DENIED, "belongs to another user");
    }
}

TEST(a_link_above_the_store_is_the_users_affair)
{
    mg_store *store = NULL;
    test_mkdir(t, "real");
    EXPECT_EQ(0, fchmodat(t->dir_fd, "real", 0700, 0));
    EXPECT_EQ(0, symlinkat("real", t->dir_fd, "link"));
    EXPECT_OK(mg_store_open(mg_strf(t->arena, "%s/link", t->dir).ptr, &store, &t->err));
    mg_store_close(store);
}

TEST(no_directory_is_an_error)
{
    mg_store *store = NULL;
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_open(mg_strf(t->arena, "%s/none", t->dir).ptr, &store, &t->err));
    EXPECT(store == NULL);
}

/* --- Damage --- */

TEST(an_empty_file_is_damage_and_not_a_new_store)
{
    (void)filled(t);
    EXPECT_EQ(0, truncate(db_path(t), 0));
    expect_refused(t, MG_ERR_INVALID, "it was cut to 0 bytes");
}

TEST(what_is_no_database_is_refused)
{
    char *prose = mg_arena_alloc(t->arena, 8192);
    memset(prose, 'x', 8192);
    test_write(t, "makegood.db", MG_STR("all tests passed, verified, succeeded\n"));
    EXPECT_EQ(0, chmod(db_path(t), 0600));
    expect_refused(t, MG_ERR_INVALID, "no database of makegood");
    test_write(t, "makegood.db", (mg_str){prose, 8192});
    expect_refused(t, MG_ERR_INVALID, "no database of makegood");
}

TEST(another_programs_database_is_refused)
{
    (void)filled(t);
    meddle(t, "PRAGMA application_id = 7");
    expect_refused(t, MG_ERR_INVALID, "of another program");
    meddle(t, "PRAGMA application_id = 1835495268; PRAGMA user_version = 0");
    expect_refused(t, MG_ERR_INVALID, "of another program");
}

TEST(a_newer_schema_says_so)
{
    (void)filled(t);
    meddle(t, "PRAGMA user_version = 2");
    expect_refused(t, MG_ERR_INVALID, "of a newer makegood (schema 2, this program knows 1)");
}

TEST(a_store_whose_rules_were_changed_is_refused)
{
    (void)filled(t);
    meddle(t, "CREATE TRIGGER evil AFTER UPDATE ON loops BEGIN DELETE FROM attempts; END");
    expect_refused(t, MG_ERR_INVALID, "its rules are not those of makegood");
    meddle(t, "DROP TRIGGER evil; DROP INDEX loops_active");
    expect_refused(t, MG_ERR_INVALID, "its rules are not those of makegood");
}

TEST(a_missing_table_is_damage)
{
    mg_store *store;
    mg_pursuit got;
    const mg_str id = filled(t);
    meddle(t, "DROP TABLE attempts");
    EXPECT_OK(try_open(t, &store));
    EXPECT_EQ(MG_ERR_INVALID,
              mg_store_load(store, MG_STR("1000"), id, t->arena, &got, NULL, &t->err));
    EXPECT_ERR_CONTAINS("is damaged");
    mg_store_close(store);
    meddle(t, "PRAGMA foreign_keys = OFF; DROP TABLE loops");
    EXPECT_EQ(MG_ERR_INVALID, try_open(t, &store));
}

TEST(a_success_that_was_written_in_is_refused)
{
    (void)filled(t);
    meddle(t, "PRAGMA ignore_check_constraints = 1; UPDATE loops SET verified = 1");
    expect_refused(t, MG_ERR_INVALID, "is damaged: CHECK constraint failed");
    meddle(t, "UPDATE loops SET verified = 0; PRAGMA ignore_check_constraints = 1;"
              "UPDATE loops SET status = 'great' WHERE seq = 3");
    expect_refused(t, MG_ERR_INVALID, "is damaged: CHECK constraint failed");
}

TEST(an_end_that_somebody_wrote_in_while_the_loop_ran_is_refuted)
{
    mg_store *store;
    mg_pursuit_status stored = MG_PURSUIT_QUEUED;
    EXPECT_OK(try_open(t, &store));
    mg_pursuit loop = begun(t, store, "forged");
    meddle(t, "UPDATE loops SET status = 'succeeded', reason = 'goal_met', verified = 1,"
              " verdict = 'met'");
    loop.status = MG_PURSUIT_GAVE_UP;
    loop.reason = MG_WHY_STAGNATED;
    loop.last = MG_VERDICT_NOT_MET;
    EXPECT_EQ(MG_ERR_INVALID, mg_store_finish(store, &loop, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_QUEUED, stored);
    mg_pursuits all = {0};
    EXPECT_OK(mg_store_list(store, loop.user, 0, t->arena, &all, &t->err));
    EXPECT_EQ(1, all.count);
    EXPECT_EQ(MG_PURSUIT_ERRORED, all.items[0].status);
    EXPECT_EQ(MG_WHY_STORE_ERROR, all.items[0].reason);
    EXPECT_EQ(false, all.items[0].verified);
    mg_store_close(store);
}

TEST(a_journal_without_its_store_is_not_played_into_a_new_one)
{
    const pid_t writer = fork();
    if (writer == 0) {
        mg_store *store;
        EXPECT_OK(try_open(t, &store));
        (void)begun(t, store, "s");
        (void)raise(SIGKILL);
    }
    EXPECT_EQ(writer, waitpid(writer, NULL, 0));
    EXPECT_EQ(0, unlinkat(t->dir_fd, "makegood.db", 0));
    expect_refused(t, MG_ERR_INVALID, "its journal");
}

/* Opens, lists and loads everything: either an error that says "damaged", or what was stored. */
static void read_all(test *t, int round)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(t->arena);
    MG_AUTO(mg_store) store = NULL;
    mg_pursuits all = {0};
    mg_status s = mg_store_sqlite.open(t->dir, 200, &store, &t->err);
    if (s == MG_OK)
        s = mg_store_list(store, MG_STR("1000"), 0, arena, &all, &t->err);
    if (s == MG_OK && all.count != LOOPS)
        test_fail(__FILE__, __LINE__, "round %d: %zu loops of %d", round, all.count, LOOPS);
    for (size_t i = 0; s == MG_OK && i < all.count; i++) {
        mg_pursuit got = {0};
        s = mg_store_load(store, MG_STR("1000"), all.items[i].id, arena, &got, NULL, &t->err);
        if (s != MG_OK)
            break;
        EXPECT(!mg_pursuit_holds(&got) && !mg_pursuit_holds(&all.items[i]));
        EXPECT_EQ(ATTEMPTS, got.attempt_count);
        for (size_t n = 0; n < ATTEMPTS; n++) {
            const mg_attempt *a = &got.attempts[n];
            EXPECT(a->verdict == MG_VERDICT_NOT_MET ||
                   (a->verdict == MG_VERDICT_UNKNOWN && got.warnings.count > 0));
        }
    }
    if (s != MG_OK && s != MG_ERR_INVALID && s != MG_ERR_NOT_FOUND)
        test_fail(__FILE__, __LINE__, "round %d: %d, %s", round, (int)s, t->err.text);
    if (s != MG_OK)
        EXPECT(t->err.text[0] != '\0');
}

static void put_back(test *t, mg_str bytes)
{
    static const char *const beside[] = {"makegood.db-wal", "makegood.db-shm"};
    for (size_t i = 0; i < MG_COUNT(beside); i++)
        (void)unlinkat(t->dir_fd, beside[i], 0);
    test_write(t, "makegood.db", bytes);
}

TEST(bytes_changed_anywhere_are_never_a_success_and_never_a_crash)
{
    (void)filled(t);
    const mg_str good = test_read(t, db_path(t));
    unsigned state = 12345;
    const int rounds = 400 / (int)test_slowness();
    for (int round = 0; round < rounds; round++) {
        char *bad = mg_arena_alloc(t->arena, good.len);
        memcpy(bad, good.ptr, good.len);
        state = state * 1103515245 + 12345;
        const size_t at = (state >> 4) % good.len, len = 1 + (size_t)round % 64;
        for (size_t i = at; i < at + len && i < good.len; i++) {
            state = state * 1103515245 + 12345;
            bad[i] = (char)(state >> 16);
        }
        put_back(t, (mg_str){bad, good.len});
        read_all(t, round);
    }
}

TEST(a_store_that_was_cut_anywhere_says_so)
{
    (void)filled(t);
    const mg_str good = test_read(t, db_path(t));
    mg_store *store;
    for (size_t len = 1; len < good.len; len += len < 200 ? 33 : 1777) {
        put_back(t, mg_str_first(good, len));
        if (try_open(t, &store) == MG_OK) {
            mg_store_close(store);
            test_fail(__FILE__, __LINE__, "cut to %zu of %zu bytes and still read", len, good.len);
        }
        EXPECT_EQ(MG_ERR_INVALID, t->err.code);
        EXPECT_ERR_CONTAINS("damaged");
    }
    put_back(t, good);
    read_all(t, -1);
}

/* --- Broken records --- */

static mg_pursuit load(test *t, mg_str id)
{
    mg_store *store;
    mg_pursuit got;
    EXPECT_OK(try_open(t, &store));
    EXPECT_OK(mg_store_load(store, MG_STR("1000"), id, t->arena, &got, NULL, &t->err));
    mg_store_close(store);
    return got;
}

TEST(a_broken_attempt_is_shown_as_unknown_and_the_others_as_they_are)
{
    static const char *const rubbish[] = {
        "UPDATE attempts SET json = 'rubbish' WHERE number = 2",
        "UPDATE attempts SET json = '' WHERE number = 2",
        ("UPDATE attempts SET json = replace(replace(json, '\"not_met\"', '\"met\"'),"
         " '\"failed\"', '\"success\"') WHERE number = 2"),
        "UPDATE attempts SET sum = 0 WHERE number = 2",
        "UPDATE attempts SET verdict = 'met', status = 'success' WHERE number = 2",
        "UPDATE attempts SET json = x'00ff' WHERE number = 2",
    };
    for (size_t i = 0; i < MG_COUNT(rubbish); i++) {
        (void)unlinkat(t->dir_fd, "makegood.db", 0);
        const mg_str id = filled(t);
        meddle(t, rubbish[i]);
        const mg_pursuit got = load(t, id);
        EXPECT_EQ(ATTEMPTS, got.attempt_count);
        EXPECT_EQ(2, got.attempts[1].number);
        EXPECT_EQ(MG_VERDICT_UNKNOWN, got.attempts[1].verdict);
        EXPECT_EQ(MG_ATTEMPT_UNVERIFIED, got.attempts[1].status);
        EXPECT_CONTAINS(got.attempts[1].error, "the record of attempt 2 is damaged");
        EXPECT_EQ(MG_VERDICT_NOT_MET, got.attempts[2].verdict);
        EXPECT_EQ(1, got.warnings.count);
    }
}

TEST(a_success_whose_proof_is_broken_is_none)
{
    mg_store *store;
    mg_pursuit_status stored;
    EXPECT_OK(try_open(t, &store));
    mg_pursuit loop = begun(t, store, "s");
    sample_success(t->arena, &loop, 1);
    EXPECT_OK(mg_store_attempt(store, &loop, &loop.attempts[0], &t->err));
    EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
    mg_store_close(store);
    mg_pursuit got = load(t, loop.id);
    EXPECT(mg_pursuit_holds(&got));
    meddle(t, "UPDATE attempts SET json = '{}'");
    got = load(t, loop.id);
    EXPECT_EQ(MG_PURSUIT_SUCCEEDED, got.status);
    EXPECT(!mg_pursuit_holds(&got));
}

TEST(what_is_missing_of_a_loop_is_an_error_that_names_it)
{
    static const struct {
        const char *sql, *says;
    } lost[] = {
        {"DELETE FROM attempts WHERE number = 2", "has 3 of its 4 attempts"},
        {"UPDATE loop_texts SET baseline = '[]'", "its baseline: it is not what was stored"},
        {"UPDATE loop_texts SET frozen = 'assert: []'", "its goal is not the one that was stored"},
        {"UPDATE loop_texts SET request = '{}'", "its goal is not the one that was stored"},
        {"UPDATE loop_texts SET warnings = 'x'", "its list of warnings"},
        {"DELETE FROM loop_texts", "its goal is gone"},
        {"UPDATE loops SET reason = 'magic'", "has the reason 'magic'"},
    };
    for (size_t i = 0; i < MG_COUNT(lost); i++) {
        (void)unlinkat(t->dir_fd, "makegood.db", 0);
        const mg_str id = filled(t);
        mg_store *store;
        mg_pursuit got;
        meddle(t, lost[i].sql);
        EXPECT_OK(try_open(t, &store));
        EXPECT_EQ(MG_ERR_INVALID,
                  mg_store_load(store, MG_STR("1000"), id, t->arena, &got, NULL, &t->err));
        EXPECT_ERR_CONTAINS(lost[i].says);
        EXPECT_ERR_CONTAINS(id.ptr);
        mg_store_close(store);
    }
}

TEST(the_rule_of_one_active_loop_is_the_databases)
{
    mg_sqlite_api api;
    sqlite3 *db;
    mg_store *store;
    EXPECT_OK(try_open(t, &store));
    (void)begun(t, store, "a");
    (void)begun(t, store, "b");
    EXPECT_OK(mg_sqlite_load(&api, &t->err));
    EXPECT_EQ(SQLITE_OK, api.open_v2(db_path(t), &db, SQLITE_OPEN_READWRITE, NULL));
    EXPECT_EQ(SQLITE_CONSTRAINT, api.exec(db, "UPDATE loops SET scope = 'a'", NULL, NULL, NULL));
    (void)api.close_v2(db);
    mg_store_close(store);
}

/* --- Locked, full, read-only --- */

TEST(a_store_locked_for_longer_than_we_wait_says_so_and_nothing_is_lost)
{
    mg_sqlite_api api;
    sqlite3 *db;
    mg_store *store;
    EXPECT_OK(try_open(t, &store));
    mg_pursuit loop = begun(t, store, "s");
    EXPECT_OK(mg_sqlite_load(&api, &t->err));
    EXPECT_EQ(SQLITE_OK, api.open_v2(db_path(t), &db, SQLITE_OPEN_READWRITE, NULL));
    EXPECT_EQ(SQLITE_OK, api.exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
    EXPECT_EQ(MG_ERR_TIMEOUT, mg_store_attempt(store, &loop, &one, &t->err));
    EXPECT_ERR_CONTAINS("is locked by another process");
    EXPECT_EQ(MG_ERR_TIMEOUT, mg_store_event(store, loop.id, 1, 1, "gap", MG_STR("{}"), &t->err));
    mg_pursuits all; /* reading goes on */
    EXPECT_OK(mg_store_list(store, MG_STR("1000"), 0, t->arena, &all, &t->err));
    EXPECT_EQ(SQLITE_OK, api.exec(db, "ROLLBACK", NULL, NULL, NULL));
    EXPECT_OK(mg_store_attempt(store, &loop, &one, &t->err));
    EXPECT_OK(mg_store_event(store, loop.id, 1, 1, "gap", MG_STR("{}"), &t->err));
    (void)api.close_v2(db);
    mg_store_close(store);
}

TEST(a_full_disk_says_so_and_keeps_what_was_acknowledged)
{
    mg_store *store;
    struct stat st;
    struct rlimit room, all_room;
    uint32_t stored = 0;
    EXPECT_OK(try_open(t, &store));
    mg_pursuit loop = begun(t, store, "s");
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of file size stands for the disk */
    EXPECT_EQ(0, fstatat(t->dir_fd, "makegood.db-wal", &st, 0));
    EXPECT_EQ(0, getrlimit(RLIMIT_FSIZE, &all_room));
    room = all_room;
    room.rlim_cur = (rlim_t)st.st_size + 100000;
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
    mg_status s = MG_OK;
    while (s == MG_OK && stored < 1000) {
        const mg_attempt a = sample_attempt(t->arena, stored + 1, MG_VERDICT_NOT_MET);
        s = mg_store_attempt(store, &loop, &a, &t->err);
        stored += s == MG_OK;
    }
    EXPECT_EQ(MG_ERR_SYSTEM, s);
    EXPECT_ERR_CONTAINS("no room left");
    EXPECT(stored > 0);
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &all_room));
    const mg_attempt next = sample_attempt(t->arena, stored + 1, MG_VERDICT_NOT_MET);
    EXPECT_OK(mg_store_attempt(store, &loop, &next, &t->err)); /* there is room again */
    mg_store_close(store);
    EXPECT_EQ(stored + 1, load(t, loop.id).attempt_count);
}

TEST(no_room_for_a_new_store_leaves_none)
{
    mg_store *store;
    struct rlimit room, all_room;
    (void)signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(0, getrlimit(RLIMIT_FSIZE, &all_room));
    room = all_room;
    room.rlim_cur = 8000;
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
    EXPECT_EQ(MG_ERR_SYSTEM, try_open(t, &store));
    EXPECT_ERR_CONTAINS("no room left");
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &all_room));
    EXPECT(faccessat(t->dir_fd, "makegood.db", F_OK, 0) < 0);
    EXPECT_OK(try_open(t, &store));
    mg_store_close(store);
}

/* Root may write everywhere, so it becomes nobody first; the directory is that user's. */
static void become_ordinary(test *t)
{
    if (geteuid() != 0)
        return;
    EXPECT_EQ(0, chown(t->dir, NOBODY, NOBODY));
    EXPECT_EQ(0, setgid(NOBODY));
    EXPECT_EQ(0, setuid(NOBODY));
}

TEST(what_cannot_be_written_is_refused_with_the_reason)
{
    mg_store *store;
    become_ordinary(t);
    EXPECT_EQ(0, chmod(t->dir, 0500));
    expect_refused(t, MG_ERR_DENIED, "make the store");
    EXPECT_EQ(0, chmod(t->dir, 0700));
    const mg_str id = filled(t);
    EXPECT_EQ(0, chmod(db_path(t), 0400));
    expect_refused(t, MG_ERR_DENIED, "cannot be written");
    EXPECT_EQ(0, chmod(db_path(t), 0000));
    expect_refused(t, MG_ERR_DENIED, "cannot be opened");
    EXPECT_EQ(0, chmod(db_path(t), 0600));
    EXPECT_EQ(0, chmod(t->dir, 0500));
    expect_refused(t, MG_ERR_DENIED, "writable");
    EXPECT_EQ(0, chmod(t->dir, 0700));
    EXPECT_OK(try_open(t, &store)); /* and nothing of it is gone */
    mg_store_close(store);
    EXPECT_EQ(ATTEMPTS, load(t, id).attempt_count);
}

TEST(a_store_that_was_removed_in_use_is_not_written_to)
{
    mg_store *store;
    EXPECT_OK(try_open(t, &store));
    mg_pursuit loop = begun(t, store, "s");
    const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
    EXPECT_OK(mg_store_attempt(store, &loop, &one, &t->err));
    EXPECT_EQ(0, renameat(t->dir_fd, "makegood.db", t->dir_fd, "stolen.db"));
    const mg_attempt two = sample_attempt(t->arena, 2, MG_VERDICT_NOT_MET);
    EXPECT_EQ(MG_ERR_INVALID, mg_store_attempt(store, &loop, &two, &t->err));
    EXPECT_ERR_CONTAINS("was removed or replaced");
    EXPECT_EQ(MG_ERR_INVALID, mg_store_event(store, loop.id, 1, 1, "gap", MG_STR("{}"), &t->err));
    test_write(t, "makegood.db", MG_STR("another"));
    EXPECT_EQ(MG_ERR_INVALID, mg_store_attempt(store, &loop, &two, &t->err));
    EXPECT_EQ(0, renameat(t->dir_fd, "stolen.db", t->dir_fd, "makegood.db")); /* given back */
    EXPECT_OK(mg_store_attempt(store, &loop, &two, &t->err));
    mg_store_close(store);
    EXPECT_EQ(2, load(t, loop.id).attempt_count);
}
