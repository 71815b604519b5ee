"""Services: started for the verification, ended after it, and never a reason to call something met."""
import signal
import socket
import time

from going import expect, go, server
from loops import agent, alive, drive, sandbox, start, wait_for
from tap import main, test

SERVER = """
import http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Quiet).serve_forever()
"""
GOOD = "echo good > out.txt\n"
FILE = "{file_contains: {path: out.txt, pattern: '^good$'}}"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def pids(t, name="pids"):
    return [int(line) for line in t.read(name).split()]


def all_gone(t, count):
    assert len(pids(t)) == count, pids(t)
    assert not [pid for pid in pids(t) if alive(pid)], pids(t)


def findings(got):
    return [(f["rule"], f["severity"] if "severity" in f else f["level"])
            for f in got["attempts"][-1]["findings"]]


@test
def a_goal_about_a_server_that_the_agent_writes(t):
    # Red at the baseline because nothing listens; the agent's own processes are gone when it is met.
    port = free_port()
    goal = (f"goal: Write a server.\nassert: [{{http_200: 'http://127.0.0.1:{port}/index.html'}}]\n"
            f"service: [{{run: 'exec python3 server.py {port}', "
            f"ready: {{socket_open: '127.0.0.1:{port}'}}, timeout: 20s}}]\n")
    got = go(t, goal, f"cat > server.py <<'E'\n{SERVER}E\necho hello > index.html\n", "-n", "1")
    expect(got, 0, "succeeded", "goal_met", verdict="met", watched=False)
    assert got["baseline"][0]["verdict"] == "fail", got["baseline"]


@test
def a_server_that_does_not_serve_is_not_met(t):
    port = free_port()
    goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/index.html'}}]\n"
            f"service: [{{run: 'exec python3 server.py {port}', "
            f"ready: {{socket_open: '127.0.0.1:{port}'}}, timeout: 20s}}]\n")
    got = go(t, goal, f"cat > server.py <<'E'\n{SERVER}E\n", "-n", "1")  # no index.html: 404
    expect(got, 1, "gave_up", "attempts_exhausted", verdict="not_met")


@test
def a_service_runs_at_the_baseline_and_after_every_attempt(t):
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'echo $$ >> {t.dir}/pids; touch {t.dir}/up; "
            f"exec sleep 100', ready: {{command_returns: {{run: test -e {t.dir}/up}}}}}}]\n")
    got = go(t, goal, f"rm {t.dir}/up; cp {t.dir}/pids {t.dir}/seen-$MAKEGOOD_ATTEMPT\n"
             "[ $MAKEGOOD_ATTEMPT = 2 ] && " + GOOD, "-n", "3")
    expect(got, 0, "succeeded", "goal_met")
    all_gone(t, 3)
    assert [len(pids(t, f"seen-{n}")) for n in (1, 2)] == [1, 2]


@test
def nothing_of_a_service_is_left(t):
    # A child in the background, one in a session of its own, and all of them deaf to signals.
    run = (f"trap \"\" TERM INT HUP; setsid sleep 1000 & echo $! >> {t.dir}/pids; sleep 1001 & "
           f"echo $! >> {t.dir}/pids; echo $$ >> {t.dir}/pids; touch {t.dir}/up; "
           "while :; do sleep 0.1; done")
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: '{run}', "
            f"ready: {{command_returns: {{run: test -e {t.dir}/up}}}}}}]\n")
    expect(go(t, goal, f"rm {t.dir}/up; " + GOOD, "-n", "1"), 0)
    all_gone(t, 6)


@test
def a_service_that_is_never_ready_proves_nothing(t):
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'echo $$ >> {t.dir}/pids; echo still loading; "
            "exec sleep 100', ready: {file_exists: never}, timeout: 300ms}]\n")
    got = go(t, goal, GOOD, "-n", "1")
    expect(got, 3, "gave_up", "unverifiable", verdict="unknown", status="unverified")
    assert got["attempts"][0]["assertions"][0]["verdict"] == "unknown", got["attempts"][0]
    assert ("service_not_ready", "medium") in findings(got), findings(got)
    assert "still loading" in str(got["attempts"][0]), got["attempts"][0]
    all_gone(t, 2)


@test
def an_agent_mends_the_service_that_it_broke(t):
    port = free_port()
    goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/index.html'}}, {{file_exists: server.py}}]\n"
            f"service: [{{run: 'exec python3 server.py {port}', "
            f"ready: {{socket_open: '127.0.0.1:{port}'}}, timeout: 20s}}]\n")
    got = go(t, goal, "echo hello > index.html; if [ $MAKEGOOD_ATTEMPT = 1 ]; then echo 'def' > server.py; "
             f"exit; fi; cat > server.py <<'E'\n{SERVER}E\n", "-n", "2")
    expect(got, 0, "succeeded", "goal_met")
    assert len(got["attempts"]) == 2 and got["attempts"][0]["verdict"] != "met"


@test
def a_stranger_who_answers_in_place_of_the_service_proves_nothing(t):
    t.write("root/index.html", "hello\n")
    with server(lambda _: 200 if (t.dir / "root/out.txt").exists() else 503) as port:
        goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/'}}]\n"
                f"service: [{{run: 'exec python3 server.py {port}', "
                f"ready: {{socket_open: '127.0.0.1:{port}'}}, timeout: 20s}}]\n")
        sandbox(t)
        t.goal(goal, "root/makegood.yaml")
        done = drive(t, "--", agent(t, f"touch {t.dir}/ran; " + GOOD))
    assert done.returncode == 2 and "something else answers there" in done.stderr, done
    assert not (t.dir / "ran").exists(), "only the user can end what is in the way"


@test
def what_fails_without_the_service_is_not_known(t):
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'sleep 100', ready: {{file_exists: never}}, "
            "timeout: 200ms}]\n")
    expect(go(t, goal, "echo x > other\n", "-n", "1"), 3, "gave_up", "unverifiable", verdict="unknown")
    expect(go(t, goal, "true\n", "-n", "1"), 1, verdict="not_met", reason="no_effect")


@test
def a_service_that_was_only_slow_at_first_is_no_work_of_the_agent(t):
    port = free_port()
    t.write("root/index.html", "hello\n")
    t.write("root/server.py", SERVER)
    slow = f"if [ -e {t.dir}/warm ]; then exec python3 server.py {port}; fi; touch {t.dir}/warm; exec sleep 100"
    goal = (f"goal: x\nassert: [{{http_200: 'http://127.0.0.1:{port}/index.html'}}]\n"
            f"service: [{{run: '{slow}', ready: {{socket_open: '127.0.0.1:{port}'}}, timeout: 2s}}]\n")
    expect(go(t, goal, "true\n", "-n", "1"), 1, "gave_up", "attempts_exhausted", verdict="not_met")
    (t.dir / "warm").unlink()
    expect(go(t, goal, GOOD, "-n", "1"), 0, "succeeded", "goal_met")


@test
def a_service_that_dies_early_proves_nothing(t):
    for run, ready in [("echo no config >&2; exit 3", "ready: {file_exists: never}, "),
                       ("exec ./no-such-server", "ready: {file_exists: never}, ")]:
        goal = f"goal: x\nassert: [{FILE}]\nservice: [{{run: '{run}', {ready}timeout: 20s}}]\n"
        began = time.monotonic()
        got = go(t, goal, GOOD, "-n", "1")
        expect(got, 3, "gave_up", "unverifiable", verdict="unknown")
        assert "ended before it was ready" in str(got["attempts"][0]), got["attempts"][0]
        assert time.monotonic() - began < 15, "its death was not waited for"
        (t.root / "out.txt").unlink()


@test
def a_program_that_is_not_there_proves_nothing(t):
    goal = f"goal: x\nassert: [{FILE}]\nservice: [{{run: [no-such-program-at-all]}}]\n"
    expect(go(t, goal, GOOD, "-n", "1"), 3, "gave_up", "unverifiable", verdict="unknown")


@test
def a_service_that_is_ready_and_then_dies_does_not_pass_by_itself(t):
    port = free_port()
    t.write("root/server.py", SERVER)
    goal = (f"goal: x\nassert: [{FILE}, {{http_200: 'http://127.0.0.1:{port}/'}}]\n"
            f"service: [{{run: 'touch up; exit 0'}}]\n")
    expect(go(t, goal, GOOD, "-n", "1"), 1, "gave_up", "attempts_exhausted", verdict="not_met")


@test
def services_start_in_their_order(t):
    first, second = free_port(), free_port()
    t.write("root/server.py", SERVER)
    t.write("root/index.html", "hello\n")
    wait = f"python3 -c \"import socket; socket.create_connection((\\\"127.0.0.1\\\", {first}))\""
    goal = (f"goal: x\nassert: [{FILE}, {{http_200: 'http://127.0.0.1:{second}/'}}]\nservice:\n"
            f"  - {{run: 'exec python3 server.py {first}', ready: {{socket_open: '127.0.0.1:{first}'}}}}\n"
            f"  - {{run: '{wait} && exec python3 server.py {second}', "
            f"ready: {{socket_open: '127.0.0.1:{second}'}}}}\n")
    expect(go(t, goal, GOOD, "-n", "1"), 0)


@test
def what_a_service_writes_is_not_the_agents_work(t):
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'date +%N > log; touch up; exec sleep 100', "
            "ready: {file_exists: up}}]\n")
    got = go(t, goal, "[ $MAKEGOOD_ATTEMPT = 3 ] && " + GOOD + "true\n", "-n", "3")
    expect(got, 0)
    paths = [[m["path"] for m in a["mutations"]] for a in got["attempts"]]
    assert paths == [[], [], ["out.txt"]], paths
    assert [a["goal_actions_executed"] for a in got["attempts"]] == [False, False, True]


@test
def a_goal_with_a_service_is_not_watched(t):
    goal = (f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'exec sleep 100'}}]\n")
    expect(go(t, goal, GOOD + "sleep 1\n", "-n", "1"), 0, watched=False, terminal_reason="completed")


@test
def ctrl_c_ends_a_service_that_is_not_ready(t):
    sandbox(t).goal(f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'echo $$ >> {t.dir}/pids; exec sleep 100', "
                    "ready: {file_exists: never}, timeout: 60s}]\n", "root/makegood.yaml")
    driver = start(t, "--", agent(t, GOOD))
    wait_for(lambda: (t.dir / "pids").exists() and t.read("pids"))
    driver.send_signal(signal.SIGINT)
    out, err = driver.communicate(timeout=30)
    assert driver.returncode == 130, (driver.returncode, out, err)
    all_gone(t, 1)


@test
def a_killed_driver_leaves_no_service(t):
    sandbox(t).goal(f"goal: x\nassert: [{FILE}]\nservice: [{{run: 'echo $$ >> {t.dir}/pids; exec sleep 100', "
                    "ready: {file_exists: never}, timeout: 60s}]\n", "root/makegood.yaml")
    driver = start(t, "--", agent(t, GOOD))
    wait_for(lambda: (t.dir / "pids").exists() and t.read("pids"))
    driver.kill()
    driver.communicate(timeout=30)
    wait_for(lambda: not alive(pids(t)[0]))


main()
