/* What every backend promises (store.h), tried on each row of mg_store_kinds. */
#include "../contract/store_samples.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>

typedef struct place { /* one backend, in a directory of its own */
    const mg_store_kind *kind;
    const char *dir;
    mg_owner self;
} place;

/* A test body that is run once for each backend. */
#define CONTRACT(test_name)                                                                      \
    static void test_name##_on(test *t, const place *on);                                        \
    TEST(test_name)                                                                              \
    {                                                                                            \
        for (size_t i = 0; mg_store_kinds[i] != NULL; i++) {                                     \
            test_mkdir(t, mg_store_kinds[i]->name);                                              \
            EXPECT_EQ(0, fchmodat(t->dir_fd, mg_store_kinds[i]->name, 0700, 0));                 \
            place on = {.kind = mg_store_kinds[i],                                               \
                        .dir = mg_strf(t->arena, "%s/%s", t->dir, mg_store_kinds[i]->name).ptr}; \
            EXPECT_OK(mg_owner_self(t->arena, &on.self, &t->err));                               \
            test_name##_on(t, &on);                                                              \
        }                                                                                        \
    }                                                                                            \
    static void test_name##_on(test *t, const place *on)

static mg_store *opened(test *t, const place *on)
{
    mg_store *store = NULL;
    EXPECT_OK(on->kind->open(on->dir, MG_STORE_BUSY_MS, &store, &t->err));
    return store;
}

static mg_pursuit begun(test *t, mg_store *store, const mg_owner *owner, const char *scope)
{
    mg_pursuit loop = sample_loop(t->arena, scope);
    mg_str other;
    EXPECT_OK(mg_store_begin(store, &loop, owner, sample_now, t->arena, &other, &t->err));
    return loop;
}

static mg_pursuit loaded(test *t, mg_store *store, mg_str id)
{
    mg_pursuit loop;
    EXPECT_OK(mg_store_load(store, MG_STR("1000"), id, t->arena, &loop, NULL, &t->err));
    return loop;
}

CONTRACT(a_loop_is_read_back_as_it_was_begun)
{
    MG_AUTO(mg_store) store = opened(t, on);
    const mg_pursuit loop = begun(t, store, &on->self, "s");
    const mg_pursuit got = loaded(t, store, loop.id);
    mg_owner owner;
    EXPECT_STR(loop.id.ptr, got.id);
    EXPECT_STR("1000", got.user);
    EXPECT_STR("/home/me/site", got.root);
    EXPECT_STR("s", got.scope);
    EXPECT(mg_str_eq(loop.frozen, got.frozen));
    EXPECT(mg_str_eq(loop.frozen_sha256, got.frozen_sha256));
    EXPECT(mg_str_eq(loop.request, got.request));
    EXPECT_EQ(MG_PURSUIT_RUNNING, got.status);
    EXPECT_EQ(MG_WHY_NONE, got.reason);
    EXPECT_EQ(sample_now, got.created_ms);
    EXPECT_EQ(5, got.budget.attempts);
    EXPECT_EQ(7, got.budget.tokens);
    EXPECT_EQ(3, got.budget.stagnation);
    EXPECT(got.budget.cost_usd > 2.4 && got.budget.cost_usd < 2.6);
    EXPECT(!got.verified && !got.stale && got.baseline_count == 0 && got.attempt_count == 0);
    EXPECT_OK(
        mg_store_load(store, MG_STR("1000"), loop.id, t->arena, &(mg_pursuit){0}, &owner, &t->err));
    EXPECT_EQ(on->self.pid, owner.pid);
    EXPECT(mg_owner_alive(&owner));
}

CONTRACT(attempts_baseline_and_budget_are_there_in_another_process_handle)
{
    mg_store *store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_result row = {.outcome = MG_OUTCOME_FAIL, .kind = "file_exists", .name = MG_STR("x")};
    loop.baseline = &row;
    loop.baseline_count = 1;
    mg_strs_add(t->arena, &loop.warnings, MG_STR("a glob matches nothing"));
    EXPECT_OK(mg_store_baseline(store, &loop, &t->err));
    EXPECT_EQ(MG_ERR_INVALID, mg_store_baseline(store, &loop, &t->err));
    EXPECT_ERR_CONTAINS("taken once");
    for (uint32_t n = 1; n <= 3; n++) {
        const mg_attempt attempt = sample_attempt(t->arena, n, MG_VERDICT_NOT_MET);
        loop.last = MG_VERDICT_NOT_MET;
        loop.spent = (mg_spent){.attempts = n,
                                .time_ms = n * 10,
                                .usage = {.tokens_known = true, .input_tokens = n * 100}};
        EXPECT_OK(mg_store_attempt(store, &loop, &attempt, &t->err));
    }
    mg_store_close(store);

    store = opened(t, on);
    const mg_pursuit got = loaded(t, store, loop.id);
    EXPECT_EQ(1, got.baseline_count);
    EXPECT_EQ(MG_OUTCOME_FAIL, got.baseline[0].outcome);
    EXPECT_EQ(1, got.warnings.count);
    EXPECT_EQ(3, got.attempt_count);
    EXPECT_EQ(3, got.attempts[2].number);
    EXPECT_STR("no_mutations", mg_str_of(got.attempts[2].gap.detector));
    EXPECT_EQ(MG_OUTCOME_FAIL, got.attempts[2].results[1].outcome);
    EXPECT_EQ(MG_VERDICT_NOT_MET, got.last);
    EXPECT_EQ(3, got.spent.attempts);
    EXPECT_EQ(300, got.spent.usage.input_tokens);
    EXPECT(got.spent.usage.tokens_known && !got.spent.usage.cost_known);
    mg_store_close(store);
}

CONTRACT(an_attempt_is_stored_once)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    const mg_attempt first = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
    const mg_attempt again = sample_attempt(t->arena, 1, MG_VERDICT_MET);
    const mg_attempt none = {0};
    EXPECT_OK(mg_store_attempt(store, &loop, &first, &t->err));
    loop.spent.attempts = 9;
    EXPECT_EQ(MG_ERR_INVALID, mg_store_attempt(store, &loop, &again, &t->err));
    EXPECT_ERR_CONTAINS("attempt 1 of loop");
    EXPECT_EQ(MG_ERR_INVALID, mg_store_attempt(store, &loop, &none, &t->err));
    const mg_pursuit got = loaded(t, store, loop.id);
    EXPECT_EQ(1, got.attempt_count);
    EXPECT_EQ(MG_VERDICT_NOT_MET, got.attempts[0].verdict);
    EXPECT_EQ(0, got.spent.attempts); /* nothing of the second try is left */
}

CONTRACT(the_second_loop_of_a_scope_is_refused_and_told_which)
{
    MG_AUTO(mg_store) store = opened(t, on);
    MG_AUTO(mg_store) second = opened(t, on);
    const mg_pursuit loop = begun(t, store, &on->self, "s");
    const mg_pursuit late = sample_loop(t->arena, "s");
    mg_str other;
    EXPECT_EQ(MG_ERR_DENIED,
              mg_store_begin(second, &late, &on->self, sample_now, t->arena, &other, &t->err));
    EXPECT_STR(loop.id.ptr, other);
    EXPECT_ERR_CONTAINS(loop.id.ptr);
    (void)begun(t, second, &on->self, "another scope");
    mg_pursuits all;
    EXPECT_OK(mg_store_list(store, MG_STR("1000"), 0, t->arena, &all, &t->err));
    EXPECT_EQ(2, all.count);
}

CONTRACT(a_finished_loop_makes_room)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_pursuit_status stored;
    loop.status = MG_PURSUIT_GAVE_UP;
    loop.reason = MG_WHY_ATTEMPTS_EXHAUSTED;
    loop.last = MG_VERDICT_NOT_MET;
    loop.message = MG_STR("raise the budget");
    loop.finished_ms = sample_now + 5;
    EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_GAVE_UP, stored);
    const mg_pursuit got = loaded(t, store, loop.id);
    EXPECT_EQ(MG_WHY_ATTEMPTS_EXHAUSTED, got.reason);
    EXPECT_STR("raise the budget", got.message);
    EXPECT_EQ(sample_now + 5, got.finished_ms);
    EXPECT(!mg_pursuit_holds(&got));
    (void)begun(t, store, &on->self, "s");
    EXPECT_EQ(MG_ERR_INVALID, mg_store_finish(store, &loop, &stored, &t->err));
    EXPECT_ERR_CONTAINS("has ended (gave_up)");
}

CONTRACT(a_success_is_read_back_as_one)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_pursuit_status stored;
    sample_success(t->arena, &loop, 1);
    EXPECT_OK(mg_store_attempt(store, &loop, &loop.attempts[0], &t->err));
    EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_SUCCEEDED, stored);
    const mg_pursuit got = loaded(t, store, loop.id);
    EXPECT(mg_pursuit_holds(&got));
    mg_pursuits all;
    EXPECT_OK(mg_store_list(store, MG_STR("1000"), 0, t->arena, &all, &t->err));
    EXPECT(mg_pursuit_holds(&all.items[0]));
}

CONTRACT(what_is_not_proved_is_not_stored_as_verified)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_pursuit_status stored = MG_PURSUIT_QUEUED;
    EXPECT_EQ(MG_ERR_INVALID, mg_store_finish(store, &loop, &stored, &t->err)); /* running */
    sample_success(t->arena, &loop, 1);
    loop.last = MG_VERDICT_UNKNOWN;
    EXPECT_EQ(MG_ERR_INVALID, mg_store_finish(store, &loop, &stored, &t->err));
    loop.last = MG_VERDICT_MET;
    loop.status = MG_PURSUIT_GAVE_UP;
    EXPECT_EQ(MG_ERR_INVALID, mg_store_finish(store, &loop, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_QUEUED, stored);
    EXPECT(!loaded(t, store, loop.id).verified);
}

/* --- A race of real processes --- */

typedef struct gate { /* shared by those that race */
    atomic_int open, done;
} gate;

enum { RACERS = 4 };

/* One of those that begin at once: 0 won, 1 was refused and told which, 2 anything else. Everyone
 * stays alive until all have asked. */
static int race(test *t, const place *on, const char *scope, gate *g)
{
    mg_store *store = NULL;
    mg_owner self;
    mg_str other = {0};
    mg_arena *arena = mg_arena_new(NULL);
    mg_status s = on->kind->open(on->dir, 20000, &store, &t->err);
    if (s == MG_OK)
        s = mg_owner_self(arena, &self, &t->err);
    while (!atomic_load(&g->open))
        (void)usleep(50);
    if (s == MG_OK) {
        const mg_pursuit loop = sample_loop(arena, scope);
        s = mg_store_begin(store, &loop, &self, sample_now, arena, &other, &t->err);
    }
    (void)atomic_fetch_add(&g->done, 1);
    if (s != MG_OK && s != MG_ERR_DENIED) {
        printf("# %s\n", t->err.text);
        (void)fflush(stdout);
    }
    while (atomic_load(&g->done) < RACERS)
        (void)usleep(50);
    return s == MG_OK ? 0 : s == MG_ERR_DENIED && other.len == 36 ? 1 : 2;
}

CONTRACT(of_processes_that_begin_at_once_one_wins)
{
    const int rounds = MG_MAX(100 / (int)test_slowness(), 5);
    gate *g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(g != MAP_FAILED);
    for (int round = 0; round < rounds; round++) {
        const char *scope = mg_strf(t->arena, "scope %d", round).ptr;
        int ends[3] = {0};
        pid_t racers[RACERS];
        atomic_store(&g->open, 0);
        atomic_store(&g->done, 0);
        for (int i = 0; i < RACERS; i++) {
            racers[i] = fork();
            if (racers[i] == 0)
                _exit(race(t, on, scope, g));
        }
        (void)usleep(2000);
        atomic_store(&g->open, 1);
        for (int i = 0; i < RACERS; i++) {
            int status;
            EXPECT_EQ(racers[i], waitpid(racers[i], &status, 0));
            EXPECT(WIFEXITED(status) && WEXITSTATUS(status) < 3);
            ends[WEXITSTATUS(status)]++;
        }
        if (ends[0] != 1 || ends[1] != RACERS - 1)
            test_fail(__FILE__, __LINE__, "round %d: %d won, %d refused, %d failed", round, ends[0],
                      ends[1], ends[2]);
    }
}

/* --- Owners --- */

CONTRACT(a_dead_owners_loop_is_abandoned_by_the_next)
{
    MG_AUTO(mg_store) store = opened(t, on);
    const mg_owner dead = dead_owner();
    const mg_pursuit old = begun(t, store, &dead, "s");
    EXPECT(loaded(t, store, old.id).stale);
    const mg_pursuit new = sample_loop(t->arena, "s");
    mg_str other;
    EXPECT_OK(mg_store_begin(store, &new, &on->self, sample_now + 1, t->arena, &other, &t->err));
    EXPECT_STR(old.id.ptr, other);
    const mg_pursuit got = loaded(t, store, old.id);
    EXPECT_EQ(MG_PURSUIT_ERRORED, got.status);
    EXPECT_EQ(MG_WHY_ABANDONED, got.reason);
    EXPECT(!got.stale && !got.verified);
}

CONTRACT(a_killed_driver_is_dead_at_once)
{
    mg_store *store = opened(t, on);
    mg_store_close(store);
    int ready[2];
    EXPECT_EQ(0, pipe(ready));
    const pid_t driver = fork();
    if (driver == 0) {
        mg_owner self;
        char c = 'x';
        store = opened(t, on);
        EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
        (void)begun(t, store, &self, "s");
        (void)!write(ready[1], &c, 1);
        (void)pause();
        _exit(0);
    }
    char c;
    EXPECT_EQ(1, read(ready[0], &c, 1));
    store = opened(t, on);
    const mg_pursuit late = sample_loop(t->arena, "s");
    mg_str other;
    EXPECT_EQ(MG_ERR_DENIED,
              mg_store_begin(store, &late, &on->self, sample_now, t->arena, &other, &t->err));
    EXPECT_EQ(0, kill(driver, SIGKILL));
    siginfo_t seen; /* dead, and not yet waited for: a zombie */
    EXPECT_EQ(0, waitid(P_PID, (id_t)driver, &seen, WEXITED | WNOWAIT));
    EXPECT_OK(mg_store_begin(store, &late, &on->self, sample_now, t->arena, &other, &t->err));
    EXPECT_EQ(driver, waitpid(driver, NULL, 0));
    mg_store_close(store);
}

CONTRACT(a_driver_that_was_taken_over_writes_nothing_more)
{
    MG_AUTO(mg_store) old = opened(t, on);
    MG_AUTO(mg_store) new = opened(t, on);
    const mg_owner dead = dead_owner();
    mg_pursuit loop = begun(t, old, &dead, "s");
    const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
    const mg_attempt two = sample_attempt(t->arena, 2, MG_VERDICT_MET);
    mg_pursuit_status stored;
    mg_str other;
    bool asked;
    EXPECT_OK(mg_store_attempt(old, &loop, &one, &t->err));
    EXPECT_OK(mg_store_event(old, loop.id, 1, sample_now, "loop_started", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_resume(new, MG_STR("1000"), loop.id, &on->self, sample_now, t->arena, &other,
                              &t->err));
    EXPECT_EQ(MG_ERR_DENIED, mg_store_attempt(old, &loop, &two, &t->err));
    EXPECT_ERR_CONTAINS("taken over by another process");
    EXPECT_EQ(MG_ERR_DENIED,
              mg_store_event(old, loop.id, 2, sample_now, "gap", MG_STR("{}"), &t->err));
    EXPECT_EQ(MG_ERR_DENIED, mg_store_cancel_asked(old, loop.id, &asked, &t->err));
    mg_pursuit claims = loop;
    sample_success(t->arena, &claims, 2);
    EXPECT_EQ(MG_ERR_DENIED, mg_store_finish(old, &claims, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_RUNNING, loaded(t, new, loop.id).status);

    EXPECT_OK(mg_store_event(new, loop.id, 2, sample_now, "gap", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_attempt(new, &loop, &two, &t->err));
    EXPECT_EQ(2, loaded(t, new, loop.id).attempt_count);
}

CONTRACT(who_did_not_begin_it_cannot_write_it)
{
    MG_AUTO(mg_store) store = opened(t, on);
    MG_AUTO(mg_store) stranger = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_MET);
    EXPECT_EQ(MG_ERR_DENIED, mg_store_attempt(stranger, &loop, &one, &t->err));
    EXPECT_ERR_CONTAINS("neither begun nor resumed here");
    EXPECT_EQ(0, loaded(t, store, loop.id).attempt_count);
}

/* --- Resuming --- */

CONTRACT(what_can_be_resumed_goes_on_with_everything_it_had)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
    mg_pursuit_status stored;
    mg_str other;
    uint64_t seq;
    EXPECT_OK(mg_store_attempt(store, &loop, &one, &t->err));
    EXPECT_OK(mg_store_event(store, loop.id, 1, sample_now, "loop_started", MG_STR("{}"), &t->err));
    loop.status = MG_PURSUIT_CANCELLED;
    loop.reason = MG_WHY_CANCELLED;
    EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));

    EXPECT_OK(mg_store_resume(store, MG_STR("1000"), MG_STR("last"), &on->self, sample_now,
                              t->arena, &other, &t->err));
    EXPECT_EQ(0, other.len);
    mg_pursuit got = loaded(t, store, loop.id);
    EXPECT_EQ(MG_PURSUIT_RUNNING, got.status);
    EXPECT_EQ(MG_WHY_NONE, got.reason);
    EXPECT_EQ(0, got.finished_ms);
    EXPECT_EQ(1, got.attempt_count);
    EXPECT_OK(mg_store_last_event(store, loop.id, &seq, &t->err));
    EXPECT_EQ(1, seq);
    EXPECT_OK(mg_store_event(store, loop.id, 2, sample_now, "gap", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_told(store, loop.id, "gap", &seq, &t->err));
    EXPECT_EQ(1, seq);
    EXPECT_OK(mg_store_told(store, loop.id, "attempt_finished", &seq, &t->err));
    EXPECT_EQ(0, seq);
    EXPECT_EQ(MG_ERR_DENIED, mg_store_resume(store, MG_STR("1000"), loop.id, &on->self, sample_now,
                                             t->arena, &other, &t->err));
    EXPECT_ERR_CONTAINS("is still running");
    EXPECT_STR(loop.id.ptr, other);
}

CONTRACT(what_has_ended_by_itself_is_not_resumed)
{
    MG_AUTO(mg_store) store = opened(t, on);
    static const struct {
        mg_pursuit_status status;
        mg_why why;
    } ends[] = {{MG_PURSUIT_GAVE_UP, MG_WHY_STAGNATED}, {MG_PURSUIT_ERRORED, MG_WHY_STORE_ERROR}};
    for (size_t i = 0; i < MG_COUNT(ends); i++) {
        mg_pursuit loop = begun(t, store, &on->self, "s");
        mg_pursuit_status stored;
        mg_str other;
        loop.status = ends[i].status;
        loop.reason = ends[i].why;
        EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
        EXPECT_EQ(MG_ERR_INVALID, mg_store_resume(store, MG_STR("1000"), loop.id, &on->self,
                                                  sample_now, t->arena, &other, &t->err));
        EXPECT_ERR_CONTAINS(mg_why_name(ends[i].why));
    }
}

CONTRACT(a_resume_is_refused_while_another_loop_has_the_scope)
{
    MG_AUTO(mg_store) store = opened(t, on);
    const mg_owner dead = dead_owner();
    const mg_pursuit old = begun(t, store, &dead, "s");
    const mg_pursuit new = begun(t, store, &on->self, "s");
    mg_str other;
    EXPECT_EQ(MG_ERR_DENIED, mg_store_resume(store, MG_STR("1000"), old.id, &on->self, sample_now,
                                             t->arena, &other, &t->err));
    EXPECT_STR(new.id.ptr, other);
    EXPECT_EQ(MG_PURSUIT_ERRORED, loaded(t, store, old.id).status);
}

/* --- Cancelling --- */

CONTRACT(a_cancel_that_arrived_stays_visible)
{
    MG_AUTO(mg_store) driver = opened(t, on);
    MG_AUTO(mg_store) user = opened(t, on);
    mg_pursuit loop = begun(t, driver, &on->self, "s");
    bool asked = true;
    mg_pursuit_status stored;
    EXPECT_OK(mg_store_cancel_asked(driver, loop.id, &asked, &t->err));
    EXPECT(!asked);
    EXPECT_OK(mg_store_cancel(user, MG_STR("1000"), loop.id, sample_now, &t->err));
    EXPECT_OK(mg_store_cancel(user, MG_STR("1000"), loop.id, sample_now, &t->err)); /* again */
    EXPECT_OK(mg_store_cancel_asked(driver, loop.id, &asked, &t->err));
    EXPECT(asked);
    sample_success(t->arena, &loop, 1); /* and then it succeeds all the same */
    EXPECT_OK(mg_store_attempt(driver, &loop, &loop.attempts[0], &t->err));
    EXPECT_OK(mg_store_finish(driver, &loop, &stored, &t->err));
    EXPECT_EQ(MG_PURSUIT_CANCELLED, stored);
    const mg_pursuit got = loaded(t, user, loop.id);
    EXPECT_EQ(MG_PURSUIT_CANCELLED, got.status);
    EXPECT_EQ(MG_WHY_CANCELLED, got.reason);
    EXPECT(!got.verified && !mg_pursuit_holds(&got));
    EXPECT_EQ(MG_ERR_INVALID, mg_store_cancel(user, MG_STR("1000"), loop.id, sample_now, &t->err));
    EXPECT_ERR_CONTAINS("it is cancelled already");
}

CONTRACT(a_dead_loop_is_cancelled_at_once_and_can_be_resumed)
{
    MG_AUTO(mg_store) store = opened(t, on);
    const mg_owner dead = dead_owner();
    const mg_pursuit loop = begun(t, store, &dead, "s");
    mg_str other;
    bool asked;
    EXPECT_OK(mg_store_cancel(store, MG_STR("1000"), loop.id, sample_now + 7, &t->err));
    EXPECT_EQ(MG_PURSUIT_CANCELLED, loaded(t, store, loop.id).status);
    EXPECT_EQ(sample_now + 7, loaded(t, store, loop.id).finished_ms);
    EXPECT_OK(mg_store_resume(store, MG_STR("1000"), loop.id, &on->self, sample_now, t->arena,
                              &other, &t->err));
    EXPECT_OK(mg_store_cancel_asked(store, loop.id, &asked, &t->err));
    EXPECT(!asked); /* the old wish is not the new loop's */
}

/* --- Whose, and which --- */

CONTRACT(another_users_loop_is_not_there)
{
    MG_AUTO(mg_store) store = opened(t, on);
    const mg_owner dead = dead_owner();
    const mg_pursuit loop = begun(t, store, &dead, "s");
    const mg_str stranger = MG_STR("1001");
    mg_pursuit got;
    mg_pursuits all;
    mg_str other;
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, stranger, loop.id, t->arena, &got, NULL, &t->err));
    EXPECT_ERR_CONTAINS("there is no loop '");
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, stranger, MG_STR("last"), t->arena, &got, NULL, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_store_cancel(store, stranger, loop.id, sample_now, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND, mg_store_resume(store, stranger, loop.id, &on->self, sample_now,
                                                t->arena, &other, &t->err));
    EXPECT_OK(mg_store_list(store, stranger, 0, t->arena, &all, &t->err));
    EXPECT_EQ(0, all.count);
    EXPECT_EQ(MG_PURSUIT_RUNNING, loaded(t, store, loop.id).status);
}

CONTRACT(a_loop_is_named_by_its_beginning_or_as_the_last)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit a = sample_loop(t->arena, "a"), b = sample_loop(t->arena, "b");
    a.id = MG_STR("0190aaaa-0000-7000-8000-000000000001");
    b.id = MG_STR("0190aaaa-0000-7000-8000-000000000002");
    mg_str other;
    mg_pursuit got;
    const mg_str me = MG_STR("1000");
    EXPECT_OK(mg_store_begin(store, &a, &on->self, sample_now, t->arena, &other, &t->err));
    EXPECT_OK(mg_store_load(store, me, MG_STR("0190"), t->arena, &got, NULL, &t->err));
    EXPECT_OK(mg_store_begin(store, &b, &on->self, sample_now - 5000, t->arena, &other, &t->err));
    EXPECT_OK(mg_store_load(store, me, MG_STR("last"), t->arena, &got, NULL, &t->err));
    EXPECT_STR(b.id.ptr, got.id); /* the order they began in, whatever the clock said */
    EXPECT_EQ(MG_ERR_INVALID,
              mg_store_load(store, me, MG_STR("0190aaaa"), t->arena, &got, NULL, &t->err));
    EXPECT_ERR_CONTAINS(a.id.ptr);
    EXPECT_ERR_CONTAINS(b.id.ptr);
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, me, MG_STR("0191"), t->arena, &got, NULL, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, me, MG_STR(""), t->arena, &got, NULL, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, me, MG_STR("%"), t->arena, &got, NULL, &t->err));
    EXPECT_EQ(MG_ERR_NOT_FOUND,
              mg_store_load(store, me, MG_STR("' OR 1=1 --"), t->arena, &got, NULL, &t->err));
}

CONTRACT(a_list_is_newest_first_and_has_no_attempts_loaded)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuits all;
    EXPECT_OK(mg_store_list(store, MG_STR("1000"), 0, t->arena, &all, &t->err));
    EXPECT_EQ(0, all.count);
    mg_pursuit loops[3];
    for (int i = 0; i < 3; i++) {
        loops[i] = begun(t, store, &on->self, mg_strf(t->arena, "%d", i).ptr);
        const mg_attempt one = sample_attempt(t->arena, 1, MG_VERDICT_NOT_MET);
        EXPECT_OK(mg_store_attempt(store, &loops[i], &one, &t->err));
    }
    EXPECT_OK(mg_store_list(store, MG_STR("1000"), 2, t->arena, &all, &t->err));
    EXPECT_EQ(2, all.count);
    EXPECT_STR(loops[2].id.ptr, all.items[0].id);
    EXPECT_STR(loops[1].id.ptr, all.items[1].id);
    EXPECT_EQ(1, all.items[0].attempt_total);
    EXPECT_EQ(0, all.items[0].attempt_count);
}

CONTRACT(an_id_is_taken_once)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_str other;
    loop.scope = MG_STR("elsewhere");
    EXPECT_EQ(MG_ERR_DENIED,
              mg_store_begin(store, &loop, &on->self, sample_now, t->arena, &other, &t->err));
    loop.id = MG_STR("");
    EXPECT_EQ(MG_ERR_INVALID,
              mg_store_begin(store, &loop, &on->self, sample_now, t->arena, &other, &t->err));
}

/* --- Events --- */

CONTRACT(events_follow_each_other_without_a_hole)
{
    MG_AUTO(mg_store) store = opened(t, on);
    mg_pursuit loop = begun(t, store, &on->self, "s");
    mg_pursuit_status stored;
    uint64_t seq = 99;
    EXPECT_OK(mg_store_last_event(store, loop.id, &seq, &t->err));
    EXPECT_EQ(0, seq);
    EXPECT_EQ(MG_ERR_INVALID, mg_store_event(store, loop.id, 2, 1, "gap", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_event(store, loop.id, 1, 1, "loop_started", MG_STR("{}"), &t->err));
    EXPECT_EQ(MG_ERR_INVALID, mg_store_event(store, loop.id, 1, 1, "gap", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_event(store, loop.id, 2, 1, "gap", MG_STR("{}"), &t->err));
    loop.status = MG_PURSUIT_GAVE_UP;
    loop.reason = MG_WHY_STAGNATED;
    EXPECT_OK(mg_store_finish(store, &loop, &stored, &t->err));
    /* Stored first, told then. */
    EXPECT_OK(mg_store_event(store, loop.id, 3, 1, "loop_finished", MG_STR("{}"), &t->err));
    EXPECT_OK(mg_store_last_event(store, loop.id, &seq, &t->err));
    EXPECT_EQ(3, seq);
}

/* --- Killed in the middle --- */

typedef struct acknowledged { /* shared with the writer: what the store said yes to */
    volatile uint32_t attempts, events;
    char id[40];
} acknowledged;

static _Noreturn void write_until_killed(test *t, const place *on, const char *scope,
                                         acknowledged *ack)
{
    mg_store *store = opened(t, on);
    mg_owner self;
    EXPECT_OK(mg_owner_self(t->arena, &self, &t->err));
    mg_pursuit loop = begun(t, store, &self, scope);
    memcpy(ack->id, loop.id.ptr, 36);
    for (uint32_t n = 1;; n++) {
        const mg_attempt attempt = sample_attempt(t->arena, n, MG_VERDICT_NOT_MET);
        loop.spent.attempts = n;
        EXPECT_OK(mg_store_attempt(store, &loop, &attempt, &t->err));
        ack->attempts = n;
        EXPECT_OK(mg_store_event(store, loop.id, n, sample_now, "gap", MG_STR("{}"), &t->err));
        ack->events = n;
    }
}

CONTRACT(a_writer_killed_at_any_moment_loses_nothing_that_was_acknowledged)
{
    const int rounds = MG_MAX(60 / (int)test_slowness(), 3);
    acknowledged *ack = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(ack != MAP_FAILED);
    for (int round = 0; round < rounds; round++) {
        const char *scope = mg_strf(t->arena, "%d", round).ptr;
        memset((void *)ack, 0, sizeof *ack);
        const pid_t writer = fork();
        if (writer == 0)
            write_until_killed(t, on, scope, ack);
        (void)usleep((useconds_t)(round * 977 % 30000)); /* also while it opens and begins */
        EXPECT_EQ(0, kill(writer, SIGKILL));
        int status;
        EXPECT_EQ(writer, waitpid(writer, &status, 0));
        EXPECT(WIFSIGNALED(status));
        MG_AUTO(mg_store) store = opened(t, on);
        if (ack->attempts == 0)
            continue;
        const mg_pursuit got = loaded(t, store, (mg_str){ack->id, 36});
        const uint32_t acked = ack->attempts, acked_events = ack->events;
        uint64_t events;
        EXPECT(got.attempt_count == acked || got.attempt_count == acked + 1);
        EXPECT_EQ(got.attempt_count, got.spent.attempts);
        EXPECT_EQ(got.attempt_count, got.attempts[got.attempt_count - 1].number);
        EXPECT_OK(mg_store_last_event(store, got.id, &events, &t->err));
        EXPECT(events == acked_events || events == acked_events + 1);
        EXPECT(got.stale && got.status == MG_PURSUIT_RUNNING);
        EXPECT_EQ(0, got.warnings.count);
    }
}
