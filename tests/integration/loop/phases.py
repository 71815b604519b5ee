"""The phases of a loop: before attempt 1, what counts as an effect, findings, budgets, contexts."""
import json
import os
import time

from going import expect, go, prompts
from loops import GOAL, agent, drive, sandbox
from tap import main, test

GOOD = "echo good > out.txt\n"
FILE = "{file_contains: {path: out.txt, pattern: '^good$'}}"


def ran(t):
    return f"touch {t.dir}/ran\n"


def did_run(t):
    return (t.dir / "ran").exists()


# --- Before attempt 1 ---


@test
def an_invariant_that_does_not_hold_is_exit_2(t):
    for invariant in ["file_exists: nope", "command_returns: {run: exit 1}",
                      "command_returns: {run: no-such-program-at-all}",
                      "file_contains: {path: ., pattern: x}"]:  # the last is unknown, not fail
        sandbox(t).goal(f"goal: x\nassert: [{FILE}]\ninvariant: [{{{invariant}}}]\n",
                        "root/makegood.yaml")
        t.expect(drive(t, "--", agent(t, ran(t))), 2, err=["invariant", "make it an assertion"])
        assert not did_run(t)


@test
def a_goal_that_holds_is_already_met_where_no_effect_is_asked_for(t):
    t.write("root/out.txt", "good\n")
    got = go(t, GOAL + "effect: optional\n", ran(t))
    expect(got, 0, "succeeded", "already_met")
    assert got["attempts"] == [] and not did_run(t)


@test
def a_goal_that_holds_cannot_be_proved_where_an_effect_is_asked_for(t):
    t.write("root/out.txt", "good\n")
    got = go(t, GOAL, ran(t))
    expect(got, 3, "gave_up", "unverifiable")
    assert got["attempts"] == [] and not did_run(t) and got["message"], got


@test
def nothing_about_the_world_can_be_proved_by_words(t):
    got = go(t, "goal: x\nassert: [{response_contains: {pattern: done}}]\n", ran(t))
    expect(got, 3, "gave_up", "unverifiable")
    assert not did_run(t) and "assert" in got["message"], got["message"]
    got = go(t, "goal: x\n", ran(t))
    expect(got, 3, "gave_up", "unverifiable")
    assert not did_run(t)


@test
def an_entry_that_could_not_be_asked_is_not_already_met(t):
    (sandbox(t).root / "out.txt").mkdir()
    got = go(t, GOAL + "effect: optional\n", "rmdir out.txt; " + GOOD, "-n", "1")
    assert got["baseline"][0]["verdict"] != "pass", got["baseline"]
    assert len(got["attempts"]) == 1, got


@test
def a_single_run_is_supervised_and_never_verified(t):
    sandbox(t)
    for script, code, status, reason in [
            ("echo All done!; exit 0\n", 3, "gave_up", "unverifiable"),
            ("exit 3\n", 4, "errored", "agent_error"),
            ("kill -9 $$\n", 4, "errored", "agent_error")]:
        got = go(t, "goal: Just run.\n", script, "-n", "1")
        expect(got, code, status, reason)
        assert len(got["attempts"]) == 1, got


# --- Effect, and what is ours ---


@test
def what_verification_writes_is_not_an_effect(t):
    goal = "goal: x\nassert: [{command_returns: {run: 'date +%N >> log; grep -q good out.txt'}}]\n"
    got = go(t, goal, "true\n", "-n", "2")
    expect(got, 1, "gave_up", "attempts_exhausted")
    for attempt in got["attempts"]:
        assert attempt["mutations"] == [] and attempt["goal_actions_executed"] is False, attempt
        assert attempt["gap"]["detector"] == "no_mutations", attempt["gap"]


@test
def what_verification_wrote_counts_once_the_agent_changes_it(t):
    goal = "goal: x\nassert: [{command_returns: {run: 'echo x > log; grep -q good out.txt'}}]\n"
    got = go(t, goal, "[ $MAKEGOOD_ATTEMPT = 2 ] && echo mine >> log; true\n", "-n", "3")
    expect(got, 1, "gave_up", "attempts_exhausted")
    paths = [[m["path"] for m in a["mutations"]] for a in got["attempts"]]
    assert paths == [[], ["log"], []], paths
    assert [a["goal_actions_executed"] for a in got["attempts"]] == [False, True, False]


@test
def what_verification_wrote_and_the_agent_removes_counts(t):
    goal = ("goal: x\neffect: required\n"
            "assert: [{command_returns: {run: 'test -e cache || echo x > cache; grep -q good out.txt'}}]\n")
    got = go(t, goal, "[ $MAKEGOOD_ATTEMPT = 2 ] && rm cache; true\n", "-n", "2")
    paths = [[(m["path"], m["change"]) for m in a["mutations"]] for a in got["attempts"]]
    assert paths == [[], [("cache", "deleted")]], paths


@test
def a_rewrite_with_the_same_bytes_is_no_effect(t):
    t.write("root/out.txt", "bad\n")
    got = go(t, GOAL, "echo bad > out.txt\n", "-n", "1")
    expect(got, 1, goal_actions_executed=False)
    assert [m["no_op"] for m in got["attempts"][0]["mutations"]] == [True], got["attempts"][0]


# --- Findings ---


def findings(got):
    return [(f["rule"], f["path"]) for f in got["attempts"][-1]["findings"]]


@test
def an_empty_file_keeps_a_goal_from_being_met(t):
    got = go(t, GOAL, GOOD + ": > other.txt\n", "-n", "2")
    expect(got, 3, "gave_up", "unverifiable", verdict="unknown", reason="findings")
    assert findings(got) == [("empty_file", "other.txt")], findings(got)


@test
def a_file_that_became_empty_keeps_a_goal_from_being_met(t):
    t.write("root/style.css", "body {}\n")
    got = go(t, GOAL, GOOD + ": > style.css\n", "-n", "1")
    expect(got, 3, "gave_up", "unverifiable", reason="findings")
    assert findings(got) == [("empty_file", "style.css")], findings(got)


@test
def files_that_are_meant_to_be_empty_are_fine(t):
    expect(go(t, GOAL, GOOD + "mkdir pkg; : > pkg/__init__.py; : > .gitkeep; : > pkg/py.typed\n", "-n",
              "1"), 0, findings=[])


@test
def a_file_that_was_empty_before_is_fine(t):
    t.write("root/other.txt", "")
    expect(go(t, GOAL, GOOD + "touch other.txt; : > other.txt; chmod 600 other.txt\n", "-n", "1"), 0,
           findings=[])


@test
def pipes_and_sockets_are_not_empty_files(t):
    expect(go(t, GOAL, GOOD + "mkfifo pipe; python3 -c 'import socket; "
              "socket.socket(socket.AF_UNIX).bind(\"sock\")'\n", "-n", "1"), 0, findings=[])


@test
def a_silenced_finding_is_not_there(t):
    expect(go(t, GOAL + "silence: [{rule: empty_file, path: 'logs/**'}]\n",
              GOOD + "mkdir logs; : > logs/a\n", "-n", "1"), 0, findings=[])


@test
def silence_is_only_for_what_it_names(t):
    for silence in ["{rule: empty_file, path: 'logs/**'}", "{rule: verifier_changed}"]:
        got = go(t, GOAL + f"silence: [{silence}]\n", GOOD + ": > a\n", "-n", "1")
        expect(got, 3, reason="findings")
        (t.root / "a").unlink()
        (t.root / "out.txt").unlink()


@test
def a_changed_verifier_is_told_of(t):
    t.write("root/tests/run.sh", "exit 1\n")
    goal = "goal: x\nassert: [{command_returns: {run: sh tests/run.sh}}]\n"
    got = go(t, goal, "echo 'grep -q good out.txt' > tests/run.sh; " + GOOD, "-n", "1")
    found = got["attempts"][-1]["findings"]
    assert [(f["rule"], f["path"]) for f in found] == [("verifier_changed", "tests/run.sh")], found
    assert "protect: ['tests/run.sh']" in found[0]["message"], found
    assert "medium" in found[0].values(), found


@test
def a_protected_verifier_is_restored_instead(t):
    t.write("root/tests/run.sh", "grep -q good out.txt\n")
    goal = "goal: x\nassert: [{command_returns: {run: sh tests/run.sh}}]\nprotect: ['tests/**']\n"
    got = go(t, goal, "echo 'exit 0' > tests/run.sh\n", "-n", "2")
    expect(got, 1, "gave_up", "tampered", reason="tampered")
    assert t.read("root/tests/run.sh") == "grep -q good out.txt\n"
    assert findings(got) == [], findings(got)
    assert "tests/run.sh" in prompts(got)[1], prompts(got)[1]


# --- Budgets, with an agent that tells what the script says ---


def scripted(t, script, *args, goal=GOAL):
    sandbox(t).goal(goal, "root/makegood.yaml")
    path = t.write("script.yaml", script)
    done = drive(t, "--agent", "scripted", "--format", "json", *args, "--", str(path))
    got = json.loads(done.stdout)
    got["exit"] = done.returncode
    return got


@test
def two_denials_in_a_row_are_an_agent_error(t):
    got = scripted(t, "- [deny: Write(out.txt)]\n")
    expect(got, 4, "errored", "agent_error")
    assert len(got["attempts"]) == 2 and all(a["counted"] for a in got["attempts"])
    assert got["attempts"][0]["gap"]["detector"] == "blocked_step", got["attempts"][0]["gap"]


@test
def a_denial_between_others_is_not_two_in_a_row(t):
    got = scripted(t, "- [deny: A]\n- [write: {path: a, text: a}]\n- [deny: A]\n"
                      "- [write: {path: out.txt, text: good}]\n")
    expect(got, 0, "succeeded", "goal_met")
    assert len(got["attempts"]) == 4


@test
def a_rate_limit_is_waited_for_and_costs_no_attempt(t):
    began = time.monotonic()
    got = scripted(t, "- [limit: 700ms]\n- [write: {path: out.txt, text: good}]\n", "-n", "1")
    expect(got, 0, "succeeded", "goal_met")
    assert [a["counted"] for a in got["attempts"]] == [False, True], got["attempts"]
    assert [a["number"] for a in got["attempts"]] == [1, 2]
    assert time.monotonic() - began >= 0.6


@test
def three_rate_limits_in_a_row_are_an_agent_error(t):
    got = scripted(t, "- [limit: 100ms]\n", "-n", "2")
    expect(got, 4, "errored", "agent_error")
    assert [a["counted"] for a in got["attempts"]] == [False] * 3


@test
def a_rate_limit_beyond_the_time_budget_is_not_waited_for(t):
    began = time.monotonic()
    got = scripted(t, "- [limit: 1h]\n", "--time", "60s")
    expect(got, 1, "gave_up", "time_exhausted")
    assert time.monotonic() - began < 30 and len(got["attempts"]) == 1


@test
def a_limited_agent_that_did_the_work_has_succeeded(t):
    got = scripted(t, "- [write: {path: out.txt, text: good}, limit: 1h]\n", "-n", "1")
    expect(got, 0, "succeeded", "goal_met")


@test
def two_failures_without_effect_are_an_agent_error(t):
    got = go(t, GOAL, "echo cannot >&2; exit 7\n")
    expect(got, 4, "errored", "agent_error")
    assert len(got["attempts"]) == 2


@test
def failures_with_an_effect_go_on(t):
    got = go(t, GOAL, "date +%N > a$MAKEGOOD_ATTEMPT; exit 7\n", "-n", "4")
    expect(got, 1, "gave_up", "attempts_exhausted")
    assert len(got["attempts"]) == 4


@test
def a_failure_that_did_the_work_is_a_success(t):
    expect(go(t, GOAL, GOOD + "exit 9\n"), 0, "succeeded", "goal_met", exit_code=9)


@test
def tokens_and_money_are_counted_over_the_attempts(t):
    spend = "- [write: {path: a%d, text: a}, usage: {input_tokens: 600, output_tokens: 0, cost_usd: 0.6}]\n"
    script = "".join(spend % n for n in range(5))
    got = scripted(t, script, "--tokens", "1000")
    expect(got, 1, "gave_up", "tokens_exhausted")
    assert len(got["attempts"]) == 2
    got = scripted(t, script.replace("path: a", "path: b"), "--cost", "1")
    expect(got, 1, "gave_up", "cost_exhausted")
    assert len(got["attempts"]) == 2


@test
def the_last_attempt_is_judged_although_the_budget_is_spent(t):
    script = "- [write: {path: out.txt, text: good}, usage: {input_tokens: 9000, output_tokens: 0}]\n"
    expect(scripted(t, script, "--tokens", "10"), 0, "succeeded", "goal_met")
    (t.root / "out.txt").unlink()
    # Time runs out while it works: it is stopped, judged, and right.
    expect(go(t, GOAL + "watch: false\n", GOOD + "sleep 60\n", "--time", "2s"), 0, "succeeded",
           "goal_met", terminal_reason="timeout")
    (t.root / "out.txt").unlink()
    expect(go(t, GOAL, "echo bad > out.txt; sleep 60\n", "--time", "1s"), 1, "gave_up",
           "time_exhausted", terminal_reason="timeout", status="partial")


@test
def standing_still_is_given_up(t):
    for more, count in [("", 3), ("budget: {stagnation: 2}\n", 2), ("budget: {stagnation: 1}\n", 1)]:
        got = go(t, GOAL + more, "true\n", "-n", "9")
        expect(got, 1, "gave_up", "stagnated")
        assert len(got["attempts"]) == count, len(got["attempts"])
    # The first attempt leaves a file; those after it write the same bytes: another headline.
    got = go(t, GOAL, "echo bad > out.txt\n", "-n", "9")
    expect(got, 1, "gave_up", "stagnated")
    assert len(got["attempts"]) == 4, len(got["attempts"])


@test
def moving_is_not_standing_still(t):
    got = go(t, GOAL, "echo bad$MAKEGOOD_ATTEMPT > out.txt\n", "-n", "5")
    expect(got, 1, "gave_up", "attempts_exhausted")


# --- What an attempt is told ---

WRONG = "echo wrong-$MAKEGOOD_ATTEMPT > out.txt; echo said-$MAKEGOOD_ATTEMPT\n"


@test
def the_first_attempt_is_told_goal_entries_and_protected_paths(t):
    t.write("root/tests/a", "x\n")
    first = prompts(go(t, GOAL + "protect: ['tests/**']\n", WRONG, "-n", "1"))[0]
    for part in ("Make the file.", "out.txt", "tests/**"):
        assert part in first, first


@test
def history_tells_of_the_attempts_before(t):
    told = prompts(go(t, GOAL + "agent: {context: history}\n", WRONG, "-n", "4"))
    assert len(told) == 4
    assert "Make the file." in told[3] and "out.txt" in told[3]
    for number in (1, 2, 3):
        assert f"ttempt {number}" in told[3], told[3]


@test
def none_tells_the_goal_and_the_gap_alone(t):
    told = prompts(go(t, GOAL + "agent: {context: none}\n", WRONG, "-n", "3"))
    assert "Make the file." in told[2] and "out.txt" in told[2]
    assert "ttempt 2" in told[2] and "ttempt 1" not in told[2], told[2]


CLAUDE = """#!/usr/bin/python3
import json, os, sys
prompt = sys.stdin.read()
with open({log!r}, "a") as f:
    f.write(json.dumps([sys.argv[1:], prompt]) + "\\n")
print(json.dumps({{"type": "system", "subtype": "init", "session_id": "session-7"}}))
{body}
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": "Done.",
                  "session_id": "session-7", "num_turns": 1, "total_cost_usd": 0.1,
                  "usage": {{"input_tokens": 1, "output_tokens": 1}}}}))
"""


def claude(t, body, *args):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.write("bin/claude", CLAUDE.format(log=str(t.dir / "calls"), body=body)).chmod(0o755)
    done = drive(t, "--agent", "claude", "--format", "json", *args,
                 env={"PATH": f"{t.dir}/bin:{os.environ['PATH']}"})
    got = json.loads(done.stdout)
    got["exit"] = done.returncode
    return got, [json.loads(line) for line in t.read("calls").splitlines()]


@test
def resume_tells_the_gap_alone_in_the_same_conversation(t):
    got, calls = claude(t, 'open("out.txt", "w").write("bad%s" % os.environ["MAKEGOOD_ATTEMPT"])',
                        "-n", "2")
    expect(got, 1, "gave_up", "attempts_exhausted")
    (first, told_first), (second, told_second) = calls
    assert "--resume" not in first and "Make the file." in told_first
    assert second[second.index("--resume") + 1] == "session-7", second
    assert "Make the file." not in told_second and "out.txt" in told_second, told_second


@test
def a_session_that_is_gone_is_told_the_history(t):
    got, calls = claude(t, """
if "--resume" in sys.argv:
    print("No conversation found with session ID: session-7", file=sys.stderr)
    sys.exit(1)
open("out.txt", "w").write("bad%s" % os.environ["MAKEGOOD_ATTEMPT"])""", "-n", "2")
    expect(got, 1, "gave_up", "attempts_exhausted")
    assert len(calls) == 3 and len(got["attempts"]) == 2, calls
    assert "--resume" in calls[1][0] and "--resume" not in calls[2][0]
    assert "Make the file." in calls[2][1] and "ttempt 1" in calls[2][1], calls[2][1]
    assert "resume" in got["attempts"][1]["note"], got["attempts"][1]


# --- What a reviewer found ---


@test
def a_command_that_was_only_slow_at_first_is_no_work_of_the_agent(t):
    slow = t.write("slow.sh", f"test -e {t.dir}/warm && exit 0\ntouch {t.dir}/warm\nsleep 5\n")
    goal = f"goal: x\nassert: [{{command_returns: {{run: 'sh {slow}', timeout: 300ms}}}}]\n"
    expect(go(t, goal, "true\n", "-n", "1"), 1, verdict="not_met", reason="no_effect")
    (t.dir / "warm").unlink()
    expect(go(t, goal, "echo faster > how\n", "-n", "1"), 0)  # then it may be the agent's


@test
def a_loop_that_ends_with_a_cheat_says_so_whatever_ended_it(t):
    t.write("root/tests/t", "1\n")
    goal = "goal: x\nprotect: [tests/**]\nassert: [{file_exists: never}]\n"
    expect(go(t, goal, "echo 2 > tests/t\n"), 1, "gave_up", "tampered")
    assert t.read("root/tests/t") == "1\n"


@test
def a_finding_is_told_to_the_next_attempt(t):
    goal = "goal: x\nassert: [{file_contains: {path: a, pattern: yes}}]\n"
    script = "echo yes > a; if [ $MAKEGOOD_ATTEMPT = 1 ]; then : > b; else echo 1 > b; fi\n"
    got = go(t, goal, script)
    expect(got, 0, "succeeded", "goal_met")
    assert [a["verdict"] for a in got["attempts"]] == ["unknown", "met"], got["attempts"]
    assert "'b'" in prompts(got)[1], prompts(got)[1]


@test
def reading_the_workspace_has_a_deadline(t):
    goal = "goal: x\ncheck: {deadline: 1s}\nassert: [{file_exists: a}]\n"
    got = go(t, goal, "echo 1 > a; truncate -s 4T big\n", "-n", "1")
    expect(got, 3, "gave_up", "unverifiable", verdict="unknown", reason="unsafe_to_verify")
    assert got["seconds"] < 20, got["seconds"]


@test
def what_steers_the_verifier_is_found(t):
    t.write("root/Makefile", "test:\n\tgrep -q ok x\n")
    goal = "goal: x\nprotect: [Makefile]\nassert: [{command_returns: make test}]\n"
    got = go(t, goal, "printf 'test:\\n\\ttrue\\n' > GNUmakefile\n", "-n", "1")
    expect(got, 3, "gave_up", "unverifiable", reason="findings")
    assert got["attempts"][0]["findings"][0]["rule"] == "verifier_shadowed", got["attempts"][0]
    (t.dir / "root/GNUmakefile").unlink()
    expect(go(t, goal, "echo ok > x\n", "-n", "1"), 0)


@test
def memory_does_not_grow_with_what_agents_print(t):
    goal = "goal: x\nbudget: {stagnation: 1000}\nassert: [{file_exists: never}]\n"
    got = go(t, goal, "head -c 3000000 /dev/zero | tr '\\0' x; echo\n", "-n", "30")
    expect(got, 1, "gave_up", "attempts_exhausted")
    assert max(len(a["response"]) for a in got["attempts"]) <= 65536


@test
def what_is_undone_is_kept(t):
    t.write("root/tests/a", "1\n")
    goal = "goal: x\nprotect: [tests/**]\nassert: [{file_exists: never}]\n"
    got = go(t, goal, "echo mine > tests/new; echo 2 > tests/a; rm -f tests/gone\n", "-n", "1")
    expect(got, 1, "gave_up", "tampered")
    assert not (t.dir / "root/tests/new").exists() and t.read("root/tests/a") == "1\n"
    assert f"kept in loops/{got['loop_id']}/undone" in got["attempts"][0]["note"], got["attempts"][0]
    kept = sorted(p.read_text() for p in t.dir.glob(f"**/loops/{got['loop_id']}/undone/*"))
    assert kept == ["2\n", "mine\n"], kept


main()
