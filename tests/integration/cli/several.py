"""Several goal files in one run: all are read first, the worst answer decides."""
import json
import xml.etree.ElementTree

from tap import main, test

HOLDS = "goal: first\nassert: [{file_exists: a.txt}]"
FAILS = "goal: second\nassert: [{file_exists: b.txt}]"
UNKNOWN = "goal: third\nassert: [{response_contains: done}]"


def files(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS, "holds.yaml")
    t.goal(FAILS, "fails.yaml")
    t.goal(UNKNOWN, "unknown.yaml")
    t.goal("assert: [{command_returns: {run: touch ran}}]", "runs.yaml")


@test
def the_worst_answer_decides(t):
    files(t)
    for names, code in [(["holds", "holds"], 0), (["holds", "fails"], 1), (["fails", "holds"], 1),
                        (["holds", "unknown"], 3), (["unknown", "fails"], 1),
                        (["fails", "unknown", "holds"], 1)]:
        args = [a for n in names for a in ("-f", n + ".yaml")]
        for form in ["text", "json", "junit", "tap", "sarif", "github", "prometheus"]:
            t.expect(t.makegood("check", *args, "--format", form), code)


@test
def nothing_runs_when_one_of_them_is_bad(t):
    files(t)
    t.goal("assert: [{nope: 1}]", "bad.yaml")
    t.goal("asert: []", "worse.yaml")
    done = t.makegood("check", "-f", "runs.yaml", "-f", "bad.yaml", "-f", "worse.yaml")
    t.expect(done, 2, err=["bad.yaml:1", "worse.yaml:1"])
    assert not (t.dir / "ran").exists()


@test
def text_has_a_heading_for_each(t):
    files(t)
    t.expect(t.makegood("check", "-f", "holds.yaml", "-f", "fails.yaml"), 1,
             out=["== holds.yaml ==", "== fails.yaml ==", "first", "second"])
    t.expect(t.makegood("check", "-f", "holds.yaml"), 0, not_out="==")


@test
def json_is_a_list_of_checks(t):
    files(t)
    done = t.makegood("check", "-f", "holds.yaml", "-f", "fails.yaml", "--format", "json")
    got = json.loads(t.expect(done, 1).stdout)
    assert got["schema"] == 1 and got["verdict"] == "not_met"
    assert [c["verdict"] for c in got["checks"]] == ["met", "not_met"]
    assert [c["goal"] for c in got["checks"]] == ["first", "second"]
    one = json.loads(t.makegood("check", "-f", "holds.yaml", "--format", "json").stdout)
    assert one["verdict"] == "met" and "checks" not in one


@test
def sarif_has_a_run_for_each(t):
    files(t)
    done = t.makegood("check", "-f", "holds.yaml", "-f", "fails.yaml", "--format", "sarif")
    got = json.loads(t.expect(done, 1).stdout)
    assert got["version"] == "2.1.0" and len(got["runs"]) == 2 and "$schema" in got


@test
def junit_and_tap_are_one_document_with_the_files_in_the_names(t):
    files(t)
    args = ["check", "-f", "holds.yaml", "-f", "fails.yaml", "--format"]
    tree = xml.etree.ElementTree.fromstring(t.makegood(*args, "junit").stdout)
    names = [c.get("name") for c in tree.iter("testcase")]
    assert len(names) == 2 and names[0].startswith("holds.yaml: "), names
    assert len(list(tree.iter("failure"))) == 1
    tap = t.makegood(*args, "tap").stdout
    assert tap.count("TAP version 14") == 1 and "1..2" in tap, tap


@test
def only_leaves_out_files_in_which_nothing_matches(t):
    files(t)
    args = ["check", "-f", "holds.yaml", "-f", "fails.yaml", "--only"]
    t.expect(t.makegood(*args, "*a.txt"), 0, not_out="fails.yaml")
    t.expect(t.makegood(*args, "*c.txt"), 2, err="c.txt")


@test
def fail_fast_says_what_was_not_checked(t):
    files(t)
    done = t.makegood("check", "--fail-fast", "-f", "fails.yaml", "-f", "runs.yaml")
    t.expect(done, 1, err="1 goal file")
    assert not (t.dir / "ran").exists()


@test
def a_file_in_which_nothing_matches_is_named(t):
    files(t)
    args = ["check", "-f", "holds.yaml", "-f", "fails.yaml", "--only", "*a.txt"]
    t.expect(t.makegood(*args), 0, err=["'fails.yaml'", "--only"])
    got = json.loads(t.makegood(*args, "--format", "json").stdout)
    assert got["left_out"] == 1, got


@test
def waiting_ends_only_when_all_hold_in_the_same_round(t):
    """The first holds only until the second, which does not hold yet, was asked."""
    t.write("first", "")
    t.goal("assert: [{command_returns: {run: test -e first}}]", "one.yaml")
    t.goal("assert: [{command_returns: {run: 'echo >> rounds; "
           "rm -f first; test $(wc -l < rounds) -ge 2'}}]", "two.yaml")
    t.expect(t.makegood("check", "-f", "one.yaml", "-f", "two.yaml", "--wait", "600ms", "--every",
                        "50ms"), 1)
    assert len(t.read("rounds").splitlines()) > 2
    t.write("first", "")
    (t.dir / "rounds").unlink()
    t.goal("assert: [{command_returns: {run: 'echo >> rounds; "
           "test $(wc -l < rounds) -ge 3'}}]", "two.yaml")
    t.expect(t.makegood("check", "-f", "one.yaml", "-f", "two.yaml", "--wait", "60s", "--every",
                        "50ms"), 0)
    assert len(t.read("rounds").splitlines()) == 3


@test
def prometheus_has_a_label_for_each_file(t):
    files(t)
    done = t.makegood("check", "-f", "holds.yaml", "-f", "fails.yaml", "-f", "holds.yaml",
                      "--format", "prometheus")
    t.expect(done, 1, out=['makegood_goal_met{file="holds.yaml"} 1\n',
                           'makegood_goal_met{file="fails.yaml"} 0\n',
                           'makegood_goal_met{file="holds.yaml",run="2"} 1\n'],
             not_out='file=""')
    lines = done.stdout.splitlines()
    series = [line.rsplit(" ", 1)[0] for line in lines if not line.startswith("#")]
    assert len(series) == len(set(series)), series
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families)), families


@test
def the_time_of_all_is_told(t):
    t.goal("assert: [{command_returns: {run: 'sleep 0.2; test -d .'}}]", "one.yaml")
    t.goal("assert: [{command_returns: {run: 'sleep 0.2; test -d /'}}]", "two.yaml")
    done = t.expect(t.makegood("check", "-f", "one.yaml", "-f", "two.yaml", "--format", "json"), 0)
    for check in json.loads(done.stdout)["checks"]:
        assert check["duration_ms"] >= 200, check


main()
