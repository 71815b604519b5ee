"""makegood drive: exit 0 only for what was seen, and every mistake before anything runs."""
import json
import os
import signal
import time

from loops import GOAL, agent, alive, drive, loops, run_agent_that_waits, sandbox, start, wait_for
from tap import main, on_terminal, read_terminal, test

GOOD = "echo good > out.txt\n"


@test
def an_agent_that_does_the_work_is_exit_0(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "--", agent(t, GOOD))
    t.expect(done, 0, out=["goal: Make the file.", "success", "assertions_hold",
                           "makegood: succeeded, verified (goal_met) - 1 of 1 hold after 1 attempt"],
             err=["attempt 1 of 5 begins", "attempt 1: success"])


@test
def an_agent_that_only_claims_is_exit_1(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "-n", "2", "--", agent(t, "echo 'All tests passed. Done!'; exit 0\n"))
    t.expect(done, 1, out=["gave up, the goal is not met (attempts_exhausted)", "nothing",
                           "FAIL"], not_out="verified (")
    got = json.loads(drive(t, "-n", "1", "--format", "json", "--", agent(t, "true\n")).stdout)
    assert got["verified"] is False and got["status"] == "gave_up", got
    assert got["attempts"][0]["goal_actions_executed"] is False, got


@test
def the_second_attempt_is_told_what_is_missing(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "--", agent(t, f"""
cat > {t.dir}/prompt-$MAKEGOOD_ATTEMPT
if [ $MAKEGOOD_ATTEMPT = 1 ]; then echo bad > out.txt; else echo good > out.txt; fi
"""))
    t.expect(done, 0, out="after 2 attempts")
    assert "Make the file." in t.read("prompt-1")
    assert "out.txt" in t.read("prompt-2"), t.read("prompt-2")


@test
def until_alone_needs_no_goal_file(t):
    sandbox(t)
    done = drive(t, "--until", "grep -q good out.txt", "--", agent(t, GOOD))
    t.expect(done, 0, out="succeeded, verified")
    t.expect(drive(t, "-u", "grep -q good out.txt", "--", agent(t, "exit 1\n")), 0,
             out="already_met", not_err="attempt 1 of")


@test
def until_alone_says_that_it_does_not_read_the_goal_file(t):
    sandbox(t).goal(GOAL + "protect: [keep]\n", "root/makegood.yaml")
    says = "makegood: warning: ./makegood.yaml is not read, and its protect and invariants do not hold"
    first = drive(t, "-q", "-u", "grep -q good out.txt", "-n", "1", "--", agent(t, "true\n"))
    t.expect(first, 1, err=says)
    assert first.stderr.startswith(says), first.stderr
    t.expect(t.makegood("loop", "show"), 0, out="warning: ./makegood.yaml is not read")
    both = drive(t, "-f", "makegood.yaml", "-u", "true", "-n", "1", "--", agent(t, "true\n"))
    t.expect(both, 1, not_err="not read")


@test
def until_has_the_time_of_a_test_suite(t):
    sandbox(t)
    drive(t, "-q", "-u", "false", "-n", "1", "--", agent(t, "true\n"))
    t.expect(t.makegood("loop", "report", "-o", "-"), 0, out="10m")


@test
def warnings_come_before_the_agent_begins(t):
    sandbox(t).goal(GOAL + "protect: [nothing/**]\nllm: {model: x}\njudge: {when: never}\n",
                    "root/makegood.yaml")
    for quiet in [[], ["-q"]]:
        done = drive(t, *quiet, "-v" if not quiet else "-q", "-n", "1", "--", agent(t, "echo began\n"))
        t.expect(done, 1, err=["warning: protect: 'nothing/**'", "the key 'llm' is not used"],
                 not_err="'judge'", not_out="warning:")
        assert done.stderr.count("nothing/**") == 1
        if not quiet:
            assert done.stderr.index("nothing/**") < done.stderr.index("| began"), done.stderr
    assert len(json.loads(drive(t, "--format", "json", "-n", "1", "--",
                                agent(t, "true\n")).stdout)["warnings"]) == 2
    t.expect(t.makegood("loop", "show"), 0, out="warning: protect:")


@test
def a_rate_limit_is_told_while_it_is_waited_for(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    script = t.write("script.yaml", "- - limit: 1s\n- - write: {path: out.txt, text: good}\n")
    done = drive(t, "--agent", "scripted", "--", str(script))
    t.expect(done, 0, err="rate limited; waiting ")


@test
def what_was_protected_and_changed_is_said_with_what_became_of_it(t):
    sandbox(t).goal(GOAL + "protect: [keep/**]\n", "root/makegood.yaml")
    (t.root / "keep").mkdir()
    (t.root / "keep/a").write_text("a\n")
    done = drive(t, "-n", "1", "--", agent(t, "echo b > keep/a; echo c > keep/new\n"))
    says = "is protected and was changed; everything protected is as it was again"
    t.expect(done, 1, out=["'keep/a' " + says, "'keep/new' " + says])
    assert t.read("root/keep/a") == "a\n" and not (t.root / "keep/new").exists()
    t.expect(t.makegood("loop", "report", "-o", "-"), 0, out=says)


@test
def quiet_and_verbose_are_refused_together(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.expect(drive(t, "-q", "-v", "--", agent(t, f"touch {t.dir}/ran\n")), 2, err="--verbose")
    assert not (t.dir / "ran").exists()


@test
def a_fifo_for_the_events_needs_a_reader(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    os.mkfifo(t.dir / "fifo")
    args = ["--events", str(t.dir / "fifo"), "-n", "1", "--", agent(t, GOOD)]
    t.expect(drive(t, *args), 2, err="nobody reads it")
    reader = os.open(t.dir / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    t.expect(drive(t, *args), 0)
    lines = os.read(reader, 1 << 16).decode().splitlines()
    os.close(reader)
    assert json.loads(lines[-1])["type"] == "loop_finished", lines


@test
def until_is_added_to_a_goal_file(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "-f", "makegood.yaml", "-u", "test -e extra", "-n", "1", "--", agent(t, GOOD))
    t.expect(done, 1, out=["1 of 2 hold", "test -e extra"])
    t.expect(drive(t, "-f", "makegood.yaml", "-u", "test -e extra", "-g", "Both files.", "--",
                   agent(t, "rm -f out.txt; echo x > extra; " + GOOD)), 0, out="goal: Both files.")


@test
def the_goal_can_come_from_stdin(t):
    sandbox(t)
    t.expect(drive(t, "-f", "-", "--", agent(t, GOOD), stdin=GOAL), 0)


@test
def the_file_names_the_agent_beneath_its_root(t):
    sandbox(t)
    agent(t, GOOD, "root/tool.sh")
    t.goal(GOAL + "agent: {command: [./tool.sh]}\n", "root/makegood.yaml")
    t.expect(t.makegood("drive", "-f", "root/makegood.yaml"), 0, out="verified")


@test
def a_program_after_the_dashes_is_meant_from_where_one_stands(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    agent(t, "pwd > where; " + GOOD)
    t.expect(t.makegood("drive", "-f", "root/makegood.yaml", "--", "./agent.sh"), 0)
    assert os.path.samefile(t.read("root/where").strip(), t.root)


@test
def mistakes_are_found_before_anything_runs(t):
    sandbox(t)
    ran = agent(t, f"touch {t.dir}/ran\n")
    bad = GOAL.replace("file_contains", "file_contain")
    for goal, args, says in [
            (None, ["--", ran], "no makegood.yaml"),
            (GOAL, [], "nobody is named"),
            (GOAL, ["--agent", "cluade"], "did you mean 'claude'?"),
            (GOAL, ["--", "./no-such-agent"], "no-such-agent"),
            (GOAL, [ran], "goes after '--'"),
            (bad, ["--", ran], "did you mean 'file_contains'?"),
            (GOAL + "hide: [x]\n", ["--", ran], "hide"),
            (GOAL + "sandbox: true\n", ["--", ran], "sandbox"),
            (GOAL + "judge: {when: always}\n", ["--", ran], "judge"),
            (GOAL + "agent: {context: resume}\n", ["--", ran], "context"),
            (GOAL + "invariant: [{file_exists: nope}]\n", ["--", ran], "invariant"),
            (GOAL, ["--events", "-", "--format", "json", "--", ran], "stdout"),
            (GOAL, ["--cost", "0", "--", ran], "above 0"),
            (GOAL, ["--time", "0s", "--", ran], "no time"),
            (GOAL, ["--root", "nowhere", "--", ran], "nowhere")]:
        if goal:
            t.goal(goal, "root/makegood.yaml")
        t.expect(drive(t, *args), 2, err=says)
    assert not (t.dir / "ran").exists()


@test
def state_beneath_the_root_is_refused(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "--", agent(t, GOOD), env={"XDG_STATE_HOME": str(t.root / ".state")})
    t.expect(done, 2, err="XDG_STATE_HOME")


@test
def a_goal_that_nothing_can_prove_is_exit_3(t):
    sandbox(t).goal("goal: Be nice.\nassert: [{command_returns: {run: 'true'}}]\n",
                    "root/makegood.yaml")
    t.expect(drive(t, "--", agent(t, f"touch {t.dir}/ran\n")), 3, out="unverifiable")
    assert not (t.dir / "ran").exists()


@test
def a_single_run_without_a_goal_is_never_a_success(t):
    sandbox(t)
    t.expect(drive(t, "-n", "1", "--", agent(t, "echo done\n")), 3, not_out="verified (")


@test
def the_output_of_drive_is_not_the_agents_work(t):
    # Both streams and the events go to files in the root, and nothing else changes there.
    sandbox(t).goal("goal: x\nassert: [{changes: {created: ['*.txt']}}]\n", "root/makegood.yaml")
    with open(t.root / "out.log", "w") as out, open(t.root / "err.log", "w") as err:
        done = drive(t, "-n", "1", "--events", "events.ndjson", "--", agent(t, "echo hello\n"),
                     stdout=out, stderr=err)
    assert done.returncode == 1, t.read("root/out.log")
    done = drive(t, "-n", "1", "--events", "events.ndjson", "--format", "json", "--",
                 agent(t, "echo hello\n"))
    got = json.loads(done.stdout)
    assert got["attempts"][0]["mutations"] == [], got["attempts"][0]
    assert got["attempts"][0]["goal_actions_executed"] is False


@test
def events_are_lines_of_json_in_order(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = drive(t, "--events", "-", "--", agent(t, "echo hello; " + GOOD))
    events = [json.loads(line) for line in t.expect(done, 0, err="verified").stdout.splitlines()]
    kept = [e["seq"] for e in events if e["type"] != "output"]  # output has the number before it
    assert kept == list(range(1, len(kept) + 1)), events
    assert sorted(e["seq"] for e in events) == [e["seq"] for e in events]
    types = [e["type"] for e in events]
    assert types[0] == "loop_started" and types[-1] == "loop_finished", types
    assert {"baseline", "attempt_started", "output", "attempt_finished"} <= set(types), types
    assert len({e["loop_id"] for e in events}) == 1 and events[-1]["verified"] is True


@test
def a_reader_of_events_that_goes_away_does_not_stop_the_loop(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        done = drive(t, "--events", "/dev/fd/%d" % gone.fileno(), "--", agent(t, GOOD),
                     pass_fds=[gone.fileno()])
    t.expect(done, 0, out="verified", err="events are not written any further")
    assert done.stderr.count("any further") == 1


@test
def a_reader_of_events_that_sleeps_does_not_stop_the_loop(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    reading, writing = os.pipe()
    flood = "i=0; while [ $i -lt 3000 ]; do echo line-$i-xxxxxxxxxxxxxxxxxxxxxxxxx; i=$((i+1)); done; "
    done = drive(t, "--events", "/dev/fd/%d" % writing, "--", agent(t, flood + GOOD),
                 pass_fds=[writing])
    os.close(reading)
    os.close(writing)
    t.expect(done, 0, out="verified", err="does not read")


@test
def verbose_shows_the_agents_output_made_harmless(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    text = "printf 'one\\033[2J\\ntwo'; echo oops >&2; " + GOOD
    done = drive(t, "-v", "--", agent(t, text))
    t.expect(done, 0, err=["| one", "| two", "! oops"], not_err="\x1b[2J")
    (t.root / "out.txt").unlink()
    t.expect(drive(t, "--", agent(t, text)), 0, not_err="| two")


@test
def quiet_shows_only_the_result(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    done = t.expect(drive(t, "-q", "--", agent(t, GOOD)), 0, out="makegood: succeeded, verified")
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1, done


@test
def a_terminal_gets_a_line_that_is_drawn_anew(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    program = agent(t, "sleep 1; " + GOOD)
    args = ["drive", "-f", str(t.root / "makegood.yaml"), "--", program]
    data, code = read_terminal(*on_terminal(t, args, env={"LANG": "C.UTF-8"}))
    assert code == 0, data
    assert b"\r\x1b[K" in data and b"attempt 1 of 5  agent" in data and b"left" in data, data
    assert "\u2591".encode() in data and b"succeeded, verified" in data, data
    plain, code = read_terminal(*on_terminal(t, args, env={"TERM": "dumb"}))
    assert b"\x1b[" not in plain, plain
    quiet, code = read_terminal(*on_terminal(t, args, env={"NO_COLOR": "1"}))
    assert b"\x1b[3" not in quiet, quiet


@test
def a_second_drive_in_the_same_place_is_refused(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    try:
        running = loops(t)[0]["loop_id"]
        done = drive(t, "--", agent(t, GOOD, "other.sh"))
        t.expect(done, 5, err=[running, "loop cancel", "resume"])
        other = t.makegood("drive", "--", agent(t, GOOD, "other.sh"), cwd=t.root,
                           env={"XDG_STATE_HOME": str(t.dir / "elsewhere")})
        t.expect(other, 5, err="refused")
    finally:
        driver.send_signal(signal.SIGINT)
        driver.communicate(timeout=60)


@test
def ctrl_c_stops_everything_and_tells_how_to_go_on(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.send_signal(signal.SIGINT)
    out, err = driver.communicate(timeout=60)
    assert driver.returncode == 130, (out, err)
    assert "makegood loop resume" in err and not alive(pid), err
    assert "attempt 1: cancelled, not judged;" in err and "0 of 0" not in err + out, err
    assert "before any attempt:\n  FAIL" in out and "not met" not in out, out
    assert "makegood: cancelled; the goal was not judged - 1 attempt" in out, out
    assert loops(t)[0]["status"] == "cancelled"


@test
def ctrl_c_on_a_terminal_does_the_same(t):
    program = agent(sandbox(t), f"echo $$ > {t.dir}/pid.new; mv {t.dir}/pid.new {t.dir}/pid; sleep 60\n")
    t.goal(GOAL, "root/makegood.yaml")
    pid, fd = on_terminal(t, ["drive", "-f", str(t.root / "makegood.yaml"), "--", program])
    wait_for(lambda: (t.dir / "pid").exists())
    os.write(fd, b"\x03")
    data, code = read_terminal(pid, fd)
    assert code == 130 and b"makegood loop resume" in data, (code, data)
    assert not alive(int(t.read("pid")))


@test
def a_second_ctrl_c_does_not_wait_for_a_stubborn_agent(t):
    program = agent(sandbox(t), f"trap '' INT TERM; echo $$ > {t.dir}/pid.new\n"
                                f"mv {t.dir}/pid.new {t.dir}/pid; while :; do sleep 1; done\n")
    t.goal(GOAL + "agent: {drain: 60s}\n", "root/makegood.yaml")
    driver = start(t, "--", program)
    wait_for(lambda: (t.dir / "pid").exists())
    driver.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert driver.poll() is None
    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=20)
    assert driver.returncode == 130
    wait_for(lambda: not alive(int(t.read("pid"))))
    assert loops(t)[0]["verified"] is False


@test
def a_result_that_nobody_reads_is_no_success(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    reading, writing = os.pipe()
    os.close(reading)
    done = drive(t, "--", agent(t, GOOD), stdout=writing)
    os.close(writing)
    assert done.returncode == 4, done


@test
def a_store_that_is_broken_is_exit_4(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.expect(drive(t, "-q", "--", agent(t, GOOD)), 0)
    for file in (t.dir / "state/makegood").iterdir():
        if file.is_file():
            file.write_bytes(b"rubbish " * 1000)
    (t.root / "out.txt").unlink()
    done = drive(t, "--", agent(t, GOOD))
    assert done.returncode == 4 and "verified (" not in done.stdout, done
    assert t.makegood("loop", "list").returncode == 4


main()
