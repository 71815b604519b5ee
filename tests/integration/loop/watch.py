"""The watcher: an agent is stopped the instant the goal holds, and only then.

Agents here do what they do and then sleep far longer than a test may take: whoever is not stopped
is seen by his attempt's time limit.
"""
import os
import socket
import threading
import time

from going import expect, go, server
from loops import agent, alive, sandbox, start, wait_for
from tap import main, test

LONG = "sleep 60\n"
LIMIT = ["-n", "1", "--attempt-timeout", "20s"]


def file_goal(path, more=""):
    return f"goal: x\nassert: [{{file_contains: {{path: {path}, pattern: '^good$'}}}}]\n{more}"


def stopped(got):
    """The watcher ended it, at once, and the barrier agreed."""
    expect(got, 0, "succeeded", "goal_met", watched=True, terminal_reason="cancelled",
           verdict="met", status="success", reason="assertions_hold")
    assert got["seconds"] < 15, got["seconds"]
    return got


def not_stopped(got, code=1, **fields):
    return expect(got, code, watched=False, **fields)


@test
def an_agent_is_stopped_when_the_file_is_right(t):
    stopped(go(t, file_goal("out.txt"), "sleep 0.2; echo good > out.txt; " + LONG, *LIMIT))


@test
def a_file_that_is_right_from_the_start_of_an_attempt_is_seen(t):
    # The second attempt begins with the file right and misses the other one for a while.
    goal = "goal: x\nassert: [{file_exists: a}, {file_exists: b}]\n"
    got = go(t, goal, "if [ $MAKEGOOD_ATTEMPT = 1 ]; then echo a > a; exit; fi; sleep 0.2; echo b > b; "
             + LONG, "-n", "2", "--attempt-timeout", "20s")
    stopped(got)
    assert [a["watched"] for a in got["attempts"]] == [False, True]


@test
def directories_that_are_made_later_are_followed(t):
    stopped(go(t, file_goal("a/b/c/out.txt"), "sleep 0.1; mkdir a; sleep 0.1; mkdir -p a/b/c; "
               "sleep 0.1; echo good > a/b/c/out.txt; " + LONG, *LIMIT))


@test
def a_deep_path_that_is_made_all_at_once_is_seen(t):
    stopped(go(t, file_goal("a/b/c/d/e/f/out.txt"), "sleep 0.1; mkdir -p a/b/c/d/e/f; "
               "echo good > a/b/c/d/e/f/out.txt; " + LONG, *LIMIT))


@test
def a_file_that_is_renamed_into_place_is_seen(t):
    t.write("root/out.txt", "bad\n")
    stopped(go(t, file_goal("out.txt"), "sleep 0.2; echo good > .new; sleep 0.2; mv .new out.txt; "
               + LONG, *LIMIT))


@test
def a_file_that_is_made_elsewhere_and_moved_in_is_seen(t):
    stopped(go(t, file_goal("sub/out.txt"), f"echo good > {t.dir}/away; mkdir sub; sleep 0.2; "
               f"mv {t.dir}/away sub/out.txt; " + LONG, *LIMIT))


@test
def a_directory_that_is_replaced_is_seen(t):
    t.write("root/site/out.txt", "bad\n")
    t.write("root/new/out.txt", "good\n")
    stopped(go(t, file_goal("site/out.txt"), "sleep 0.2; mv site old; mv new site; " + LONG, *LIMIT))


@test
def a_directory_far_above_that_is_replaced_is_seen(t):
    t.write("root/a/b/c/out.txt", "bad\n")
    t.write("root/new/b/c/out.txt", "good\n")
    stopped(go(t, file_goal("a/b/c/out.txt"), "sleep 0.2; mv a old; mv new a; " + LONG, *LIMIT))


@test
def a_directory_that_is_removed_and_made_again_is_seen(t):
    t.write("root/d/e/out.txt", "bad\n")
    stopped(go(t, file_goal("d/e/out.txt"), "sleep 0.2; rm -r d; sleep 0.2; mkdir -p d/e; sleep 0.2; "
               "echo good > d/e/out.txt; " + LONG, *LIMIT))


@test
def a_link_to_a_directory_is_followed(t):
    t.write("root/real/keep", "x\n")
    os.symlink("real", t.dir / "root/link")
    stopped(go(t, file_goal("link/out.txt"), "sleep 0.2; echo good > real/out.txt; " + LONG, *LIMIT))


@test
def a_link_to_a_directory_that_is_made_later_is_followed(t):
    t.write("root/real/keep", "x\n")
    stopped(go(t, file_goal("link/out.txt"), "sleep 0.2; ln -s real link; sleep 0.5; "
               "echo good > real/out.txt; " + LONG, *LIMIT))


@test
def a_link_that_is_pointed_elsewhere_is_followed(t):
    t.write("root/one/out.txt", "bad\n")
    t.write("root/two/out.txt", "bad\n")
    os.symlink("one", t.dir / "root/link")
    stopped(go(t, file_goal("link/out.txt"), "sleep 0.2; ln -s two link.new; mv -T link.new link; "
               "sleep 0.5; echo good > two/out.txt; " + LONG, *LIMIT))


@test
def a_file_that_is_taken_away_is_seen(t):
    t.write("root/lock", "x\n")
    stopped(go(t, "goal: x\nassert: [{not: {file_exists: lock}}]\n", "sleep 0.2; rm lock; " + LONG,
               *LIMIT))


@test
def a_write_through_an_open_file_is_seen(t):
    # One descriptor, never closed: no rename, no close to go by.
    stopped(go(t, file_goal("out.txt"), "exec 3> out.txt; echo bad >&3; sleep 0.3; echo good >&3; "
               + LONG, *LIMIT))


@test
def a_server_is_asked_again_and_again(t):
    with server(lambda _: 200 if (t.dir / "root/go").exists() else 503) as port:
        goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/'}}]\n"
                "watch: {every: 50ms, settle: 50ms}\n")
        stopped(go(t, goal, "sleep 0.3; echo > go; " + LONG, *LIMIT))


@test
def a_socket_is_asked_again_and_again(t):
    # The listener is not the agent's: what the agent starts is gone before the goal is judged.
    path = str(t.dir / "root/sock")
    listener = socket.socket(socket.AF_UNIX)

    def listen_when_asked():
        wait_for(lambda: (t.dir / "root/go").exists(), 60)
        listener.bind(path)
        listener.listen()

    sandbox(t)
    thread = threading.Thread(target=listen_when_asked)
    thread.start()
    try:
        stopped(go(t, "goal: x\nassert: [{socket_open: {path: sock}}]\n", "sleep 0.3; echo x > go; "
                   + LONG, *LIMIT))
    finally:
        thread.join()
        listener.close()


@test
def a_server_of_the_agents_own_is_gone_at_the_barrier(t):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    got = go(t, f"goal: x\nassert: [{{socket_open: '127.0.0.1:{port}'}}]\n",
             f"exec python3 -m http.server -b 127.0.0.1 {port}\n", *LIMIT)
    expect(got, 1, "gave_up", "attempts_exhausted", watched=True, terminal_reason="cancelled",
           verdict="not_met", reason="assertion_failed")


@test
def a_quick_command_is_asked_after_a_change(t):
    goal = "goal: x\nassert: [{command_returns: {run: grep -q good out.txt}}]\n"
    stopped(go(t, goal, "sleep 0.2; echo bad > out.txt; sleep 0.5; echo good > out.txt; " + LONG,
               *LIMIT))


@test
def a_quick_command_sees_changes_in_directories_that_are_new(t):
    goal = "goal: x\nassert: [{command_returns: {run: grep -qr good deep}}]\n"
    stopped(go(t, goal, "sleep 0.2; mkdir -p deep/er/est; sleep 0.5; echo good > deep/er/est/f; "
               + LONG, *LIMIT))


@test
def a_command_is_not_run_while_nothing_changes(t):
    goal = (f"goal: x\nassert: [{{command_returns: {{run: 'echo >> {t.dir}/runs; test -e out.txt'}}}}]\n"
            "watch: {every: 10ms}\n")
    got = go(t, goal, "sleep 2\n", "-n", "1")
    not_stopped(got, terminal_reason="completed")
    runs = len(t.read("runs").splitlines())
    assert runs <= 4, f"{runs} runs"  # baseline, one look, verification


@test
def a_server_is_asked_although_there_is_a_command(t):
    # The file is right long before the server is: no change on disk tells of that moment.
    ready = []
    with server(lambda _: 200 if ready else 503) as port:
        goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/'}}, "
                "{command_returns: {run: grep -q good out.txt}}]\n")
        timer = threading.Timer(4, lambda: ready.append(1))
        timer.start()
        stopped(go(t, goal, "echo good > out.txt; " + LONG, *LIMIT))


@test
def a_slow_command_is_left_for_the_end(t):
    goal = ("goal: x\nassert: [{command_returns: {run: 'sleep 0.4; grep -q good out.txt'}}]\n")
    not_stopped(go(t, goal, "echo good > out.txt; sleep 3\n", "-n", "1"), 0,
                terminal_reason="completed")


@test
def a_slow_command_is_watched_when_that_is_asked_for(t):
    goal = ("goal: x\nassert: [{command_returns: {run: 'sleep 0.4; grep -q good out.txt'}}]\n"
            "watch: {commands: true}\n")
    stopped(go(t, goal, "echo good > out.txt; " + LONG, *LIMIT))


@test
def a_command_that_leaves_files_is_left_for_the_end(t):
    goal = ("goal: x\nassert: [{command_returns: {run: 'date +%N > log; grep -q good out.txt'}}]\n")
    got = go(t, goal, "echo good > out.txt; sleep 2\n", "-n", "1")
    not_stopped(got, 0, terminal_reason="completed")
    assert [m["path"] for m in got["attempts"][0]["mutations"]] == ["out.txt"], got["attempts"]


@test
def a_moment_is_not_enough(t):
    # Right for a fifth of the settle time, again and again.
    got = go(t, file_goal("out.txt", "watch: {settle: 500ms}\n"),
             "for i in 1 2 3 4 5 6 7 8; do echo good > out.txt; sleep 0.1; echo bad > out.txt; "
             "sleep 0.1; done\n", "-n", "1")
    not_stopped(got, terminal_reason="completed", verdict="not_met")


@test
def the_settle_time_is_kept(t):
    got = go(t, file_goal("out.txt", "watch: {settle: 1s}\n"), f"""exec python3 -c '
import signal, time
def stop(*_):
    open("{t.dir}/took", "w").write(str(time.monotonic() - began))
    raise SystemExit(0)
signal.signal(signal.SIGINT, stop)
time.sleep(0.3)
began = time.monotonic()
open("out.txt", "w").write("good\\n")
time.sleep(60)'
""", *LIMIT)
    stopped(got)
    took = float(t.read("took"))
    assert 0.95 <= took < 10, took


@test
def goals_about_the_attempt_are_not_watched(t):
    for entry in ["response_contains: {pattern: hello}", "changes: {created: [out.txt]}",
                  "any: [{output_contains: {pattern: hello}}, {file_exists: out.txt}]"]:
        goal = f"goal: x\nassert: [{{file_exists: out.txt}}, {{{entry}}}]\n"
        not_stopped(go(t, goal, "echo hello; echo x > out.txt; sleep 1\n", "-n", "1"), 0,
                    terminal_reason="completed")
        (t.root / "out.txt").unlink()


@test
def watching_can_be_turned_off(t):
    not_stopped(go(t, file_goal("out.txt", "watch: false\n"), "echo good > out.txt; sleep 1\n", "-n",
                   "1"), 0, terminal_reason="completed")


@test
def the_barrier_has_the_final_say(t):
    got = go(t, file_goal("out.txt"), "trap 'echo broken > out.txt; exit 0' INT\n"
             "echo good > out.txt; while :; do sleep 0.1; done\n", *LIMIT)
    expect(got, 1, "gave_up", "attempts_exhausted", watched=True, terminal_reason="cancelled",
           verdict="not_met", reason="assertion_failed")


@test
def an_agent_that_breaks_it_again_and_again_does_not_succeed(t):
    # Whatever the moment in which the tree ends: the verdict is that of the file then.
    got = go(t, file_goal("out.txt", "watch: {settle: 1ms}\n"), "trap '' INT TERM\n"
             "while :; do echo good > out.txt; sleep 0.05; echo bad > out.txt; sleep 0.01; done\n",
             "-n", "1", "--attempt-timeout", "20s")
    holds = t.read("root/out.txt") == "good\n"
    assert got["verified"] is holds and got["exit"] == (0 if holds else 1), got["attempts"]


@test
def an_agent_that_ignores_the_signal_is_ended_all_the_same(t):
    got = go(t, file_goal("out.txt", "agent: {drain: 300ms}\n"), f"trap '' INT TERM; "
             f"echo $$ > {t.dir}/pid; echo good > out.txt; while :; do sleep 0.1; done\n", *LIMIT)
    stopped(got)
    assert not alive(int(t.read("pid")))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_of_a_core(t, goal, flood):
    """What the driver itself burns while an agent floods the workspace for four seconds."""
    sandbox(t).goal(goal, "root/makegood.yaml")
    script = f"""exec python3 -c '
import os, time
n = 0
until = time.monotonic() + 4
open("{t.dir}/begun", "w").close()
while time.monotonic() < until:
    n += 1
    {flood}
open("{t.dir}/over", "w").write(str(n))
time.sleep(60)'
"""
    driver = start(t, "-n", "1", "--", agent(t, script))
    try:
        wait_for(lambda: (t.dir / "begun").exists())
        before, began = cpu_seconds(driver.pid), time.monotonic()
        wait_for(lambda: (t.dir / "over").exists() and t.read("over"))
        used, took = cpu_seconds(driver.pid) - before, time.monotonic() - began
        print(f"# {t.read('over')} rounds; the driver used {used:.2f} s of {took:.2f} s")
        return used / took
    finally:
        driver.terminate()
        driver.communicate(timeout=60)


@test
def an_agent_that_writes_all_the_time_does_not_busy_the_driver(t):
    t.write("root/sub/x", "x\n")
    flood = 'open("sub/f%d" % (n % 5000), "w").write("x" * 100)'
    share = share_of_a_core(t, file_goal("sub/out.txt"), flood)
    assert share < 0.4, share


@test
def an_agent_that_makes_directories_all_the_time_does_not_busy_the_driver(t):
    flood = 'os.makedirs("d%d/e/f" % n); open("d%d/e/f/x" % n, "w").close()'
    goal = "goal: x\nassert: [{command_returns: {run: grep -q good out.txt}}]\n"
    share = share_of_a_core(t, goal, flood)
    assert share < 0.4, share


main()
