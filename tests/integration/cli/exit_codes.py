"""The exit codes are the contract that scripts rely on: every way to each of them."""
import json
import signal
import subprocess

from tap import PROGRAM, main, test

HOLDS = "assert: [{file_exists: a.txt}]"
FAILS = "assert: [{file_exists: b.txt}]"
UNKNOWN = "assert: [{response_contains: done}]"


@test
def a_goal_that_holds_is_0(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS)
    t.expect(t.makegood("check"), 0, out="met")


@test
def a_goal_that_does_not_hold_is_1(t):
    t.goal(FAILS)
    t.expect(t.makegood("check"), 1, out=["b.txt", "not met"])


@test
def what_cannot_be_told_is_3(t):
    t.goal(UNKNOWN)
    t.expect(t.makegood("check"), 3, not_out="\nmakegood: met")


@test
def an_empty_list_is_3_in_every_format(t):
    t.goal("goal: nothing is asserted\nassert: []")
    for form in ["text", "json", "junit", "tap", "sarif", "github", "prometheus"]:
        t.expect(t.makegood("check", "--format", form), 3)


@test
def invariants_alone_prove_nothing(t):
    t.write("a.txt", "hello")
    t.goal("invariant: [{file_exists: a.txt}]")
    t.expect(t.makegood("check"), 3)


@test
def a_failure_outweighs_an_unknown(t):
    t.goal("assert: [{response_contains: done}, {file_exists: b.txt}]")
    t.expect(t.makegood("check"), 1)


@test
def a_bad_goal_file_is_2_with_its_place(t):
    t.goal("assert:\n  - file_exsts: a.txt\n")
    t.expect(t.makegood("check"), 2, err=["makegood.yaml:2", "file_exists", "nothing was run"])


@test
def no_goal_file_is_2_with_a_hint(t):
    t.expect(t.makegood("check"), 2, err="makegood init")


@test
def an_unreadable_goal_file_is_2(t):
    t.expect(t.makegood("check", "-f", "missing.yaml"), 2, err="missing.yaml")
    (t.dir / "folder").mkdir()
    t.expect(t.makegood("check", "-f", "folder"), 2, err="folder")


@test
def a_root_that_is_not_there_is_2(t):
    t.goal(HOLDS)
    t.expect(t.makegood("check", "--root", "nowhere"), 2, err="nowhere")
    t.goal("root: nowhere\n" + HOLDS)
    t.expect(t.makegood("check"), 2, err="nowhere")


@test
def only_that_matches_nothing_is_2(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS)
    t.expect(t.makegood("check", "--only", "nothing*"), 2, err="nothing*")


@test
def bad_usage_is_2(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS)
    for args in [[], ["chek"], ["--nope"], ["check", "--waitt", "1s"], ["check", "--wait"],
                 ["check", "--wait", "5"], ["check", "--wait", "soon"], ["check", "--jobs", "0"],
                 ["check", "--jobs", "-1"], ["check", "--jobs", "99999999999"], ["check", "extra"],
                 ["check", "--format", "xml"], ["check", "--quiet=yes"], ["check", "-x"],
                 ["check", "--wai", "1s"], ["check", "--root", "a", "--root", "b"],
                 ["check", "-f", ""], ["kinds", "nope"], ["help", "nope"], ["version", "now"],
                 ["check", "--"," extra"], ["check", "--=x"], ["demo", "x"], ["init", "a", "b"]]:
        t.expect(t.makegood(*args), 2, not_out="met")


@test
def the_nearest_name_is_suggested(t):
    t.expect(t.makegood("chek"), 2, err="did you mean 'check'?")
    t.expect(t.makegood("--hlep"), 2, err="did you mean '--help'?")
    t.expect(t.makegood("check", "--fomat", "x"), 2, err="did you mean '--format'?")
    t.expect(t.makegood("check", "--format", "jsn"), 2, err="did you mean 'json'?")
    t.expect(t.makegood("kinds", "file_exist"), 2, err="did you mean 'file_exists'?")


@test
def hostile_words_are_shown_harmless(t):
    done = t.makegood("\x1b[31mred")
    t.expect(done, 2, not_err="\x1b")
    t.expect(t.makegood("check", "--\x1b[2Jx"), 2, not_err="\x1b")


@test
def every_spelling_of_an_option_is_read(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS, "g.yaml")
    for args in [["-f", "g.yaml"], ["-fg.yaml"], ["--file", "g.yaml"], ["--file=g.yaml"],
                 ["-qfg.yaml"], ["-q", "-f", "g.yaml", "--no-color"], ["-f", "g.yaml", "--"]]:
        t.expect(t.makegood("check", *args), 0)


@test
def stdin_is_a_goal_file_about_the_working_directory(t):
    t.write("a.txt", "hello")
    t.expect(t.makegood("check", "-f", "-", stdin=HOLDS), 0)
    t.expect(t.makegood("check", "-f", "-", stdin=FAILS), 1)
    t.expect(t.makegood("check", "-f", "-", stdin="assert: ["), 2, err="stdin:")
    t.expect(t.makegood("check", "-f", "-", stdin=""), 2)


@test
def a_pipe_from_the_shell_is_too(t):
    t.write("a.txt", "hello")
    for goal, code in [(HOLDS, 0), (FAILS, 1)]:
        done = subprocess.run(["bash", "-c", f'"{PROGRAM}" check -f <(echo "{goal}")'], cwd=t.dir,
                              capture_output=True)
        assert done.returncode == code, done


@test
def root_is_relative_to_the_goal_file_and_overridden_from_here(t):
    t.write("sub/site/a.txt", "hello")
    t.goal("root: site\n" + HOLDS, "sub/goal.yaml")
    t.expect(t.makegood("check", "-f", "sub/goal.yaml"), 0)
    t.expect(t.makegood("check", "-f", str(t.dir / "sub/goal.yaml"), cwd="/"), 0)
    t.expect(t.makegood("check", "-f", "sub/goal.yaml", "--root", "."), 1)
    t.expect(t.makegood("check", "-f", "sub/goal.yaml", "--root", "sub/site"), 0)


@test
def wait_gives_up_in_time_and_notices_what_appears(t):
    import time
    t.goal(HOLDS)
    began = time.monotonic()
    t.expect(t.makegood("check", "--wait", "600ms", "--every", "100ms"), 1)
    took = time.monotonic() - began
    assert 0.5 <= took < 10, took
    child = subprocess.Popen([PROGRAM, "check", "--wait", "60s", "--every", "50ms"], cwd=t.dir,
                             stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    assert child.poll() is None
    t.write("a.txt", "hello")
    assert child.wait(timeout=20) == 0


@test
def the_deadline_leaves_unknown_behind(t):
    t.goal("assert: [{command_returns: {run: sleep 30}}]")
    t.expect(t.makegood("check", "--deadline", "300ms"), 3, out="deadline")


@test
def fail_fast_stops_and_stays_a_failure(t):
    t.goal("assert: [{command_returns: test -e b.txt}, {command_returns: {run: touch ran}}]\n"
           "check: {jobs: 1}")
    t.expect(t.makegood("check", "--fail-fast"), 1)
    assert not (t.dir / "ran").exists()


@test
def a_bad_probe_rule_is_2(t):
    t.goal("probe: {allow: [not-an-address]}\n" + HOLDS)
    t.write("a.txt", "hello")
    t.expect(t.makegood("check"), 2, err="not-an-address")


@test
def only_says_what_was_not_asked_in_every_format(t):
    """A part that holds is exit 0, because that part was asked for; but nobody may take it for
    the whole."""
    t.write("a.txt", "hello")
    t.goal("assert: [{file_exists: a.txt}, {file_exists: b.txt}, {file_exists: c.txt}]")
    said = "met - 1 of 1 passed; 2 entries were not asked (--only)"
    only = ["check", "--only", "*a.txt"]
    t.expect(t.makegood(*only), 0, out="makegood: " + said)
    t.expect(t.makegood(*only, "-q"), 0, out="makegood: " + said)
    t.expect(t.makegood(*only, "--format", "tap"), 0, out="# makegood: " + said)
    t.expect(t.makegood(*only, "--format", "github"), 0, out="makegood: " + said)
    t.expect(t.makegood(*only, "--format", "junit"), 0,
             out='<property name="left_out" value="2"/>')
    got = json.loads(t.expect(t.makegood(*only, "--format", "json"), 0).stdout)
    assert got["left_out"] == 2 and got["verdict"] == "met", got
    got = json.loads(t.expect(t.makegood(*only, "--format", "sarif"), 0).stdout)
    assert got["runs"][0]["properties"]["left_out"] == 2, got
    t.expect(t.makegood(*only, "--format", "prometheus"), 0,
             out=['makegood_goal_met{file="makegood.yaml"} 0\n',
                  'makegood_entries_left_out{file="makegood.yaml"} 2\n'])
    t.goal(HOLDS)
    got = json.loads(t.makegood(*only, "--format", "json").stdout)
    assert "left_out" not in got, got
    t.expect(t.makegood("check", "--format", "prometheus"), 0,
             out=['makegood_goal_met{file="makegood.yaml"} 1\n',
                  'makegood_entries_left_out{file="makegood.yaml"} 0\n'])


@test
def options_that_could_not_do_what_they_say_are_2(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS)
    t.expect(t.makegood("check", "--jobs", "256"), 0)
    t.expect(t.makegood("check", "--jobs", "257"), 2, err="256")
    t.expect(t.makegood("check", "--every", "1s"), 2, err=["--every", "--wait"])
    t.expect(t.makegood("check", "--every", "0s", "--wait", "1s"), 2, err="--every")
    t.expect(t.makegood("check", "--deadline", "0s"), 2, err="--deadline")
    t.expect(t.makegood("check", "--deadline", "0"), 2, err="--deadline")


@test
def what_a_goal_file_or_its_name_says_cannot_steer_the_terminal(t):
    t.goal('"\\e[31mred\\nmakegood: met": 1\nassert: [{"file\\e[2J": 1}]')
    t.expect(t.makegood("check"), 2, not_err=["\x1b", "\nmakegood: met"])
    name = "odd\x1b[31m\nmakegood: met.yaml"
    t.expect(t.makegood("check", "-f", name), 2, not_err=["\x1b", "\nmakegood: met"])
    t.goal("asert: []", name)
    t.expect(t.makegood("check", "-f", name), 2, not_err=["\x1b", "\nmakegood: met"])
    t.goal("root: nowhere\n" + HOLDS, name)
    t.expect(t.makegood("check", "-f", name), 2, not_err=["\x1b", "\nmakegood: met"])
    (t.dir / "d\x1b[1m").mkdir()
    t.expect(t.makegood("init", "d\x1b[1m"), 0, not_out="\x1b", not_err="\x1b")


@test
def a_parent_that_ignores_or_blocks_its_children_s_end_changes_nothing(t):
    t.goal("assert: [{command_returns: {run: test -e makegood.yaml}}]")
    done = subprocess.run(["sh", "-c", f'trap "" CHLD; exec "{PROGRAM}" check'], cwd=t.dir,
                          capture_output=True, text=True, timeout=60)
    t.expect(done, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    try:
        t.expect(t.makegood("check", "--deadline", "20s"), 0)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


@test
def quiet_shows_the_warnings_that_the_advice_speaks_of(t):
    t.goal("assert: [{command_returns: {run: 'true'}}]")
    t.expect(t.makegood("check", "-q"), 3, out=["warning:", "see the warnings"])
    t.write("a.txt", "hello")
    t.goal("assert: [{command_returns: {run: 'true'}}, {file_exists: a.txt}]")
    t.expect(t.makegood("check", "-q"), 0, not_out="warning:")


@test
def what_fail_fast_left_is_one_line(t):
    for kind in ["file_exists: ", "command_returns: test -e "]:
        t.goal("check: {jobs: 1}\nassert:\n" + "".join(f"  - {kind}f{i}\n" for i in range(300)))
        done = t.expect(t.makegood("check", "--fail-fast"), 1,
                        out=["f0\n", "299 entries were not evaluated: ", "1 failed, 299 unknown"])
        assert len(done.stdout.splitlines()) < 15, done.stdout


@test
def a_service_that_is_not_started_is_told(t):
    t.write("a.txt", "hello")
    t.goal("service: [{run: sleep 9}]\nassert: [{file_exists: a.txt}]", "makegood.yaml")
    done = t.expect(t.makegood("check", "--format", "json"), 0)
    assert "check starts no 'service:'" in json.loads(done.stdout)["warnings"][0]


main()
