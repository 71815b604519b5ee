"""makegood demo: what it shows has really happened, and nothing is left behind."""
import json
import os
import shutil
import signal
import subprocess
import time

from tap import PROGRAM, SOURCE, main, test


def tidy(t):
    (t.dir / "tmp").mkdir()
    t.env["TMPDIR"] = str(t.dir / "tmp")
    t.env["XDG_STATE_HOME"] = str(t.dir / "state")


@test
def two_attempts_fall_short_and_the_third_makes_it_hold(t):
    tidy(t)
    done = t.makegood("demo")
    t.expect(done, 0, out=["dark green", "Attempt 1: hit iteration cap",
                           "goal_actions_executed: false", "Done! The background is dark green",
                           "is empty", "makegood: succeeded, verified (goal_met) - 5 of 5"])
    assert os.listdir(t.dir / "tmp") == [] and done.stderr == ""
    assert not (t.dir / "state").exists()  # the user's own loops are left alone


@test
def for_programs_there_is_json(t):
    tidy(t)
    got = json.loads(t.expect(t.makegood("demo", "--format", "json"), 0).stdout)
    assert got["schema"] == 1 and got["as_expected"] is True
    loop = got["loop"]
    assert (loop["status"], loop["reason"], loop["verified"]) == ("succeeded", "goal_met", True)
    one, two, three = loop["attempts"]
    assert (one["terminal_reason"], one["status"], one["verdict"], one["goal_actions_executed"],
            one["mutations"]) == ("max_iterations", "partial", "not_met", False, [])
    assert [(m["path"], m["size_after"]) for m in two["mutations"]] == [("style.css", 0)]
    assert (two["terminal_reason"], two["verdict"]) == ("completed", "not_met")
    assert (three["verdict"], three["status"], three["proved_by"]) == ("met", "success", "user")


@test
def success_is_what_was_observed(t):
    # Without grep the last entry can not hold, so the demo has to notice.
    tidy(t)
    os.mkdir(t.dir / "bin")
    os.symlink(shutil.which("sh"), t.dir / "bin/sh")
    t.expect(t.makegood("demo", env={"PATH": str(t.dir / "bin")}), 4, err="the demo")
    assert os.listdir(t.dir / "tmp") == []


@test
def without_its_agent_the_demo_is_4(t):
    tidy(t)
    alone = shutil.copy(PROGRAM, t.dir / "makegood")
    done = subprocess.run([alone, "demo"], env=t.env, text=True, capture_output=True, timeout=60)
    t.expect(done, 4, err="the demo")
    assert os.listdir(t.dir / "tmp") == []


@test
def interrupted_it_leaves_nothing(t):
    tidy(t)
    for pause in (0.0, 0.02, 0.05, 0.1, 0.2):
        demo = subprocess.Popen([PROGRAM, "demo"], cwd=t.dir, env=t.env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(pause)
        demo.send_signal(signal.SIGINT)
        out, err = demo.communicate(timeout=60)
        assert demo.returncode in (0, 130, -signal.SIGINT), (demo.returncode, out, err)
        if demo.returncode != -signal.SIGINT:  # before it could be caught there was nothing
            assert os.listdir(t.dir / "tmp") == [], err


@test
def the_example_can_be_driven_as_it_stands(t):
    tidy(t)
    shutil.copytree(SOURCE / "examples/site", t.dir / "site")
    t.expect(t.makegood("drive", cwd=t.dir / "site"), 0, out="after 3 attempts")


@test
def without_a_place_for_it_the_demo_is_4(t):
    t.expect(t.makegood("demo", env={"TMPDIR": "/proc/nowhere"}), 4, err="/proc/nowhere")


@test
def the_example_in_the_tree_is_the_one_in_the_program(t):
    shutil.copytree(SOURCE / "examples/site", t.dir / "site")
    t.expect(t.makegood("check", cwd=t.dir / "site"), 1, out="darkgreen")
    css = t.read("site/style.css").replace("background: white", "background: #006400")
    t.write("site/style.css", css.replace("color: #222", "color: #fff"))
    t.expect(t.makegood("check", cwd=t.dir / "site"), 1, out="app.js")
    script = t.read("site/app.js").splitlines(keepends=True)
    t.write("site/app.js", "".join(l for l in script if "style.background" not in l))
    t.expect(t.makegood("check", cwd=t.dir / "site"), 0)


main()
