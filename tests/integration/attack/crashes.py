"""Crashes: the driver is killed at every phase, and at any moment. No process is left, the loop can
be told to be dead, and going on with it loses nothing, repeats nothing and tells nothing twice."""
import json
import os
import random
import signal
import time

from field import CHECK, GOAL, attack, main, wait_for

# The agent writes something else each time, so it never stands still, and never does the work
# before $MARKS/able is there. It notes every run; where it is told to, it waits to be killed.
AGENT = """
echo $MAKEGOOD_ATTEMPT >> $MARKS/runs
echo bad $MAKEGOOD_ATTEMPT $$ > out.txt
[ -e $MARKS/tamper ] && echo 'exit 0' > tests/check.sh
if [ -e $MARKS/agent-$MAKEGOOD_ATTEMPT ]; then touch $MARKS/here; sleep 60; fi
[ -e $MARKS/limited ] && cat $MARKS/limited
[ -e $MARKS/able ] && echo good > out.txt
touch $MARKS/ended
"""
# What the test does is decided by the marks, too: how often it ran says in which look it is.
TEST = """
echo x >> $MARKS/looks
if [ -e $MARKS/look-$(wc -l < $MARKS/looks) ]; then touch $MARKS/here; sleep 60; fi
""" + CHECK


def prepare(f, goal=GOAL):
    f.write("tests/check.sh", TEST)
    f.goal(goal)
    return f


def mark(f, name, text=""):
    (f.marks / name).write_text(text)


def marked(f, name):
    return (f.marks / name).exists()


def unmark(f, *names):
    for name in names:
        (f.marks / name).unlink(missing_ok=True)


def kill(f, process):
    """SIGKILL, and what has to be true right after it; it may have come to its end just before."""
    process.kill()
    ran = f.end(process)
    f.nobody_left(2)
    return ran


def kill_at(f, *args, at="here"):
    driver = f.start_drive(AGENT, *args)
    wait_for(lambda: marked(f, at) or driver.poll() is not None)
    ran = kill(f, driver)
    assert ran.code == -signal.SIGKILL, str(ran)
    return ran


def runs(f):
    path = f.marks / "runs"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def recorded(f):
    return [n for n, in f.query("SELECT number FROM attempts ORDER BY number")]


def is_stale(f):
    loops = f.loops()
    assert len(loops) == 1, loops
    assert loops[0]["stale"] is True and loops[0]["status"] == "running", loops
    assert loops[0]["verified"] is False, loops
    return loops[0]["loop_id"]


def is_whole(f, ran, attempts=None, streams=(), baselines=1):
    """What the store and the answer tell: every attempt once, every event once, no hole."""
    numbers = recorded(f)
    assert numbers == list(range(1, len(numbers) + 1)), numbers
    assert attempts is None or len(numbers) == attempts, (numbers, str(ran))
    events = [json.loads(text) for text, in f.query("SELECT json FROM events ORDER BY seq")]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1)), events
    for kind, many in (("loop_started", 1), ("loop_finished", 1)):
        told = [e["seq"] for e in events if e["type"] == kind]
        assert len(told) == many, f"{kind} was told {len(told)} times\n{ran}"
    told = [e["seq"] for e in events if e["type"] == "baseline"]
    assert 1 <= len(told) <= baselines, f"the baseline was told {len(told)} times\n{ran}"
    finished = [e["attempt"] for e in events if e["type"] == "attempt_finished"]
    assert finished == numbers, f"recorded {numbers}, told {finished}\n{ran}"
    if ran.json is not None:
        assert [a["number"] for a in ran.attempts] == numbers, str(ran)
        counted = sum(a["counted"] for a in ran.attempts)
        assert ran.json["budget"]["spent"]["attempts"] == counted, str(ran)
    seen = [e["seq"] for stream in streams for e in stream if e["type"] != "output"]
    assert len(seen) == len(set(seen)) and set(seen) <= {e["seq"] for e in events}, seen


# --- Each phase ---

@attack
def killed_during_the_baseline(f):
    mark(prepare(f), "look-1")
    first = kill_at(f, "-n", "2")
    is_stale(f)
    assert runs(f) == []
    ran = f.lose(f.resume(), 1, reason="attempts_exhausted")
    is_whole(f, ran, 2, (first.events, ran.events))
    assert runs(f) == [1, 2], runs(f)


@attack
def killed_during_the_first_snapshot(f):
    prepare(f)
    for n in range(100):
        (f.root / f"d{n}").mkdir()
        for k in range(100):
            (f.root / f"d{n}/{k}").write_text(str(k))
    driver = f.start_drive(AGENT, "-n", "2")
    wait_for(lambda: '"baseline"' in (driver.events.read_text() if driver.events.exists() else ""),
             every=0.0005)
    first = kill(f, driver)
    is_stale(f)
    ran = f.lose(f.resume(), 1, reason="attempts_exhausted")
    is_whole(f, ran, 2, (first.events, ran.events), baselines=2)  # the first one was not kept
    assert [n for n in runs(f) if n > 1] == [2], runs(f)


@attack
def killed_while_the_agent_runs(f):
    mark(prepare(f), "agent-2")
    first = kill_at(f, "-n", "3")
    is_stale(f)
    assert recorded(f) == [1] and runs(f) == [1, 2]
    unmark(f, "agent-2")
    f.goal("goal: Easy.\nassert: [{file_exists: out.txt}]\n")  # what was frozen counts
    ran = f.lose(f.resume(), 1)
    assert "is not what it was" in ran.err, str(ran)
    is_whole(f, ran, 3, (first.events, ran.events))
    assert runs(f) == [1, 2, 2, 3], runs(f)
    assert ran.json["goal"] == "Make the test pass.", str(ran)


@attack
def killed_while_the_agent_runs_and_then_done(f):
    mark(prepare(f), "agent-2")
    kill_at(f, "-n", "3")
    unmark(f, "agent-2")
    mark(f, "able")
    ran = f.win(f.resume())
    is_whole(f, ran, 2)
    assert runs(f) == [1, 2, 2], runs(f)
    again = f.resume()
    assert again.code == 1 and "came to its end" in again.err, str(again)


@attack
def killed_while_protected_files_are_restored(f):
    """The restore may be half done: what is left is still seen as tampering, or was put back."""
    for attempt in range(4):
        prepare(f)
        mark(f, "tamper")
        unmark(f, "ended", "runs", "looks")
        driver = f.start_drive(AGENT, "-n", "2")
        wait_for(lambda: marked(f, "ended") or driver.poll() is not None, every=0.0005)
        time.sleep(attempt * 0.004)
        kill(f, driver)
        unmark(f, "tamper")
        ran = f.resume()
        f.lose(ran)
        if ran.json is not None:
            is_whole(f, ran, 2)
        assert f.read("tests/check.sh") == TEST, f"{f.read('tests/check.sh')}\n{ran}"
        f.forget()


@attack
def killed_while_services_start(f):
    service = ("if [ -e $MARKS/service ]; then touch $MARKS/here; sleep 60; fi; touch $MARKS/up; "
               "exec sleep 60")
    prepare(f, GOAL + f"service: [{{run: '{service}', ready: {{command_returns: "
                      "{run: 'test -e $MARKS/up'}}, timeout: 20s}]\n")
    driver = f.start_drive(AGENT, "-n", "2")
    wait_for(lambda: runs(f) == [1])
    kill(f, driver)
    mark(f, "service")
    unmark(f, "up")
    second = f.start_resume()
    wait_for(lambda: marked(f, "here") or second.poll() is not None)
    kill(f, second)
    is_stale(f)
    unmark(f, "service")
    ran = f.lose(f.resume(), 1)
    is_whole(f, ran, 2)


@attack
def killed_during_the_check(f):
    mark(prepare(f), "look-3")  # the baseline, attempt 1, attempt 2
    first = kill_at(f, "-n", "3")
    is_stale(f)
    assert recorded(f) == [1]
    ran = f.lose(f.resume(), 1)
    is_whole(f, ran, 3, (first.events, ran.events))
    assert runs(f) == [1, 2, 2, 3], runs(f)


@attack
def killed_between_the_record_and_the_end(f):
    """What is stored then is what a finished loop has, without its last update."""
    prepare(f)
    f.lose(f.drive(AGENT, "-n", "2"), 1)
    f.query("DELETE FROM events WHERE type = 'loop_finished'")
    f.query("UPDATE loops SET status = 'running', reason = NULL, finished_ms = 0")
    is_stale(f)
    ran = f.lose(f.resume(), 1, reason="attempts_exhausted")
    is_whole(f, ran, 2)
    assert runs(f) == [1, 2], f"the budget was two attempts: {runs(f)}\n{ran}"


@attack
def killed_between_a_success_and_the_end(f):
    prepare(f)
    mark(f, "able")
    f.win(f.drive(AGENT, "-n", "1"))
    f.query("DELETE FROM events WHERE type = 'loop_finished'")
    f.query("UPDATE loops SET status = 'running', reason = NULL, verified = 0, finished_ms = 0")
    ran = f.resume()  # the store's word is no proof: looked at again, or not called a success
    assert runs(f) == [1], f"the budget was one attempt: {runs(f)}\n{ran}"
    assert ran.code in (0, 3), str(ran)
    is_whole(f, ran, 1)


@attack
def killed_between_the_record_and_its_event(f):
    prepare(f)
    mark(f, "agent-2")
    kill_at(f, "-n", "2")
    last, = f.query("SELECT seq FROM events WHERE type = 'attempt_finished'")[0]
    f.query("DELETE FROM events WHERE seq >= ?", last)
    unmark(f, "agent-2")
    ran = f.lose(f.resume(), 1)
    is_whole(f, ran, 2)


@attack
def killed_while_waiting_for_a_limit_to_pass(f):
    mark(prepare(f), "limited", '{"type":"makegood","version":1}\n'
         '{"type":"result","terminal_reason":"error","error":"limit","retry_ms":60000}\n')
    driver = f.start_drive(AGENT, "-n", "2")
    wait_for(lambda: "attempt_finished" in (driver.events.read_text()
                                            if driver.events.exists() else ""))
    first = kill(f, driver)
    is_stale(f)
    unmark(f, "limited")
    ran = f.lose(f.resume(), 1)
    assert ran.attempts[0]["counted"] is False, str(ran)
    is_whole(f, ran, 3, (first.events, ran.events))
    assert runs(f) == [1, 2, 3], runs(f)


# --- Any moment ---

def kill_at_random(f, seed):
    """One loop, killed at random until it gets to its end."""
    dice = random.Random(seed)
    prepare(f)
    if seed % 3 == 0:
        mark(f, "tamper")
    budget, kills, streams = 3, 0, []
    driver = f.start_drive(AGENT, "-n", str(budget))
    while True:
        time.sleep(dice.uniform(0.002, 0.1))
        if driver.poll() is not None or kills == 4:
            ran = f.end(driver) if driver.returncode is None else None
            break
        known = recorded(f) if f.database() else []
        ran = kill(f, driver)
        kills += 1
        streams.append(ran.events)
        assert recorded(f)[:len(known)] == known if f.database() else not known
        before = runs(f)
        if not f.database() or not f.query("SELECT 1 FROM sqlite_master WHERE name = 'loops'") or \
           not f.query("SELECT 1 FROM loops"):
            driver = f.start_drive(AGENT, "-n", str(budget))
            continue
        if f.query("SELECT status FROM loops") != [("running",)]:
            break  # it had come to its end
        is_stale(f)
        kept = recorded(f)
        driver = f.start_resume()
        wait_for(lambda: len(runs(f)) > len(before) or driver.poll() is not None)
        assert not set(runs(f)[len(before):]) & set(kept), (runs(f), kept)
    if driver.returncode is None:
        ran = f.end(driver)
    text = f"seed {seed}, {kills} kills, runs {runs(f)}\n{ran}"
    final = f.makegood("loop", "show", "--format", "json")
    assert final.json["status"] == "gave_up", text + str(final)
    assert recorded(f) == [1, 2, 3], text
    try:
        is_whole(f, final, 3, baselines=1 + kills)
    except AssertionError as error:
        raise AssertionError(text) from error
    for number in (1, 2, 3):
        assert runs(f).count(number) <= 1 + kills, text
    assert f.read("tests/check.sh") == TEST
    return kills


def killed_at_random(seeds):
    def run(f):
        kills = 0
        for seed in seeds:
            for name in os.listdir(f.marks):
                (f.marks / name).unlink()
            (f.root / "out.txt").unlink(missing_ok=True)
            kills += kill_at_random(f, seed)
            f.forget()
        print(f"# {kills} kills", flush=True)
        assert kills >= len(seeds) // 2, kills
    run.__name__ = f"killed_at_any_moment_{seeds[0]}_to_{seeds[-1]}"
    return run


for begin in range(1, 21, 4):
    attack(killed_at_random(range(begin, begin + 4)))


# --- After the death ---

@attack
def a_new_drive_marks_the_dead_one_abandoned(f):
    mark(prepare(f), "agent-1")
    kill_at(f, "-n", "1")
    dead = is_stale(f)
    unmark(f, "agent-1")
    ran = f.lose(f.drive(AGENT, "-n", "1"), 1)
    assert dead[:13] in ran.err and "loop resume" in ran.err, str(ran)
    got = {loop["loop_id"]: (loop["status"], loop["reason"]) for loop in f.loops()}
    assert got[dead] == ("errored", "abandoned") and len(got) == 2, got
    ran = f.lose(f.resume(dead), 1)  # also now it can be gone on with
    assert [a["number"] for a in ran.attempts] == [1], str(ran)


def refuses(f, spoil):
    """A loop that was killed in its second attempt of three, and spoiled: it must not go on."""
    for name in os.listdir(f.marks):
        (f.marks / name).unlink()
    mark(prepare(f), "agent-2")
    kill_at(f, "-n", "3")
    unmark(f, "agent-2")
    mark(f, "able")
    spoil(f)
    ran = f.resume()
    assert ran.code in (1, 4) and ran.err, f"{spoil.__name__}\n{ran}"
    assert runs(f) == [1, 2], f"{spoil.__name__}: the agent ran again\n{ran}"
    f.forget()


def kept(f, name):
    return next((f.state / "makegood/loops").glob(f"*/{name}"))


def another_goal(f):
    f.query("UPDATE loop_texts SET frozen = "
            "replace(frozen, 'sh tests/check.sh', 'test -e out.txt')")


def another_goal_with_its_hash(f):
    import hashlib
    another_goal(f)
    text, = f.query("SELECT frozen FROM loop_texts")[0]
    f.query("UPDATE loop_texts SET frozen_sha256 = ?", hashlib.sha256(text.encode()).hexdigest())


def another_start(f):
    data = bytearray(kept(f, "start").read_bytes())
    data[-1] ^= 1
    kept(f, "start").write_bytes(data)


def no_start(f):
    kept(f, "start").unlink()


def another_scope(f):
    kept(f, "scope").write_bytes(kept(f, "scope").read_bytes() + b"x")


def another_manifest(f):
    data = bytearray(kept(f, "restore/manifest").read_bytes())
    data[len(data) // 2] ^= 1
    kept(f, "restore/manifest").write_bytes(data)


def another_program(f):
    f.write("judge", "#!/bin/sh\nexit 0\n", 0o755, f.bin)


def another_baseline(f):
    f.query("UPDATE loop_texts SET baseline = replace(baseline, 'fail', 'pass')")


def no_attempt(f):
    f.query("DELETE FROM attempts")


@attack
def what_was_tampered_with_is_not_gone_on_with(f):
    f.write("judge", "#!/bin/sh\nexec sh tests/check.sh\n", 0o755, f.bin)
    f.env["PATH"] = f"{f.bin}:/usr/bin:/bin"
    for spoil in (another_goal, another_goal_with_its_hash, another_start, no_start, another_scope,
                  another_manifest, another_baseline, no_attempt):
        refuses(f, spoil)


@attack
def a_program_that_became_another_is_not_gone_on_with(f):
    f.write("judge", "#!/bin/sh\nexec sh tests/check.sh\n", 0o755, f.bin)
    f.env["PATH"] = f"{f.bin}:/usr/bin:/bin"
    prepare(f, GOAL.replace("sh tests/check.sh", "judge"))
    mark(f, "agent-2")
    kill_at(f, "-n", "3")
    unmark(f, "agent-2")
    mark(f, "able")
    another_program(f)
    ran = f.lose(f.resume())
    assert "program" in ran.err and runs(f) == [1, 2], str(ran)


# --- Ctrl-C, cancel ---

@attack
def ctrl_c_leaves_a_loop_to_go_on_with(f):
    mark(prepare(f), "agent-2")
    driver = f.start_drive(AGENT, "-n", "3")
    wait_for(lambda: marked(f, "here"))
    driver.send_signal(signal.SIGINT)
    ran = f.end(driver, 10)
    f.lose(ran, 130)
    f.nobody_left(0.1)
    loop = ran.json["loop_id"]
    assert f"loop resume {loop[:13]}" in ran.err, str(ran)
    assert ran.json["status"] == "cancelled" and ran.attempts[-1]["counted"] is False
    unmark(f, "agent-2")
    mark(f, "able")
    ran = f.resume(loop[:13])
    f.win(ran)
    assert runs(f) == [1, 2, 3] and recorded(f) == [1, 2, 3], runs(f)


@attack
def ctrl_c_at_any_moment(f):
    dice = random.Random(7)
    for _ in range(6):
        for name in os.listdir(f.marks):
            (f.marks / name).unlink()
        prepare(f)
        driver = f.start_drive(AGENT, "-n", "3")
        time.sleep(dice.uniform(0.02, 0.3))
        if driver.poll() is None:
            driver.send_signal(signal.SIGINT)
        ran = f.end(driver, 10) if driver.returncode is None else None
        f.nobody_left(0.2)
        if ran is None:
            continue
        assert ran.code in (1, 130, -signal.SIGINT), str(ran)
        if ran.code == 130 and ran.json:
            done = f.lose(f.resume(), 1)
            numbers = [a["number"] for a in done.attempts]
            assert numbers == list(range(1, len(numbers) + 1)), str(done)
            assert sum(a["counted"] for a in done.attempts) == 3, str(done)


@attack
def cancel_interrupts_a_running_agent(f):
    mark(prepare(f), "agent-1")
    driver = f.start_drive(AGENT, "-n", "3")
    wait_for(lambda: marked(f, "here"))
    began = time.monotonic()
    done = f.makegood("loop", "cancel", cwd="/")
    assert done.code == 0, str(done)
    ran = f.end(driver, 10)
    took = time.monotonic() - began
    f.lose(ran, 130)
    f.nobody_left(0.1)
    assert took < 1.5, took
    assert f.loops()[0]["status"] == "cancelled"


@attack
def a_cancel_during_the_last_check_stays_visible(f):
    """The work is done; while it is looked at, somebody cancels. That is not a success."""
    prepare(f)
    mark(f, "able")
    mark(f, "look-2")
    f.write("tests/check.sh", TEST.replace("sleep 60", "sleep 0.5"))
    driver = f.start_drive(AGENT, "-n", "1")
    wait_for(lambda: marked(f, "here"))
    f.query("UPDATE loops SET cancel_ms = 1")  # without the file that would wake the driver
    ran = f.end(driver)
    assert ran.code == 130 and not ran.json["verified"], str(ran)
    assert ran.json["status"] == "cancelled", str(ran)
    loop = f.loops()[0]
    assert loop["status"] == "cancelled" and loop["verified"] is False, loop
    last = ran.events[-1]
    assert last["type"] == "loop_finished" and last["verified"] is False, last
    f.won = True  # the attempt itself was met, and is stored as that


@attack
def a_cancel_of_a_dead_loop(f):
    mark(prepare(f), "agent-1")
    kill_at(f, "-n", "1")
    done = f.makegood("loop", "cancel", "last", cwd="/")
    assert done.code == 0, str(done)
    assert f.loops()[0]["status"] == "cancelled"
    unmark(f, "agent-1")
    f.lose(f.resume(), 1)


# --- Two at once ---

def two_at_once(f, other_env):
    prepare(f)
    mark(f, "agent-1")
    first = f.start_drive(AGENT, "-n", "1")
    wait_for(lambda: marked(f, "here"))
    began = time.monotonic()
    second = f.drive([str(f.dir / "agent")], "-n", "1", env=other_env)
    assert time.monotonic() - began < 2
    assert second.code == 5 and second.json is None, str(second)
    assert runs(f) == [1], runs(f)
    named = f.loops()[0]["loop_id"]
    first.send_signal(signal.SIGINT)
    f.lose(f.end(first), 130)
    return named, second


@attack
def two_drives_in_one_root(f):
    named, second = two_at_once(f, {})
    assert named in second.err, str(second)


@attack
def two_drives_in_one_root_with_two_states(f):
    (f.dir / "other").mkdir()
    _, second = two_at_once(f, {"XDG_STATE_HOME": str(f.dir / "other")})
    assert "another" in second.err, str(second)


@attack
def many_drives_begin_at_the_same_time(f):
    prepare(f)
    mark(f, "agent-1")
    agent = f.agent(AGENT)
    drivers = [f.start_drive([agent], "-n", "1") for _ in range(5)]
    wait_for(lambda: sum(d.poll() is None for d in drivers) == 1 and marked(f, "here"))
    codes = sorted(d.returncode for d in drivers if d.returncode is not None)
    assert codes == [5, 5, 5, 5], codes
    assert runs(f) == [1], runs(f)
    last = [d for d in drivers if d.returncode is None][0]
    last.send_signal(signal.SIGINT)
    f.lose(f.end(last), 130)


@attack
def a_root_behind_a_link_is_the_same_root(f):
    prepare(f)
    mark(f, "agent-1")
    first = f.start_drive(AGENT, "-n", "1")
    wait_for(lambda: marked(f, "here"))
    (f.dir / "alias").symlink_to(f.root)
    second = f.drive([str(f.dir / "agent")], "-n", "1", cwd=f.dir / "alias")
    assert second.code == 5, str(second)
    first.send_signal(signal.SIGINT)
    f.lose(f.end(first), 130)


main()
