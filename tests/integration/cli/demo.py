"""makegood demo: what it shows has really happened, and nothing is left behind."""
import json
import os
import shutil
import signal
import subprocess

from tap import PROGRAM, SOURCE, main, test


@test
def it_falls_short_is_repaired_and_holds(t):
    (t.dir / "tmp").mkdir()
    done = t.makegood("demo", env={"TMPDIR": str(t.dir / "tmp")})
    t.expect(done, 0, out=["dark green", "FAIL", "not met", "+  background: darkgreen;",
                           "makegood: met"])
    assert done.stdout.index("not met") < done.stdout.index("makegood: met")
    assert os.listdir(t.dir / "tmp") == [] and done.stderr == ""


@test
def for_programs_there_is_json(t):
    got = json.loads(t.expect(t.makegood("demo", "--format", "json"), 0).stdout)
    assert got == {"schema": 1, "before": "not_met", "after": "met", "as_expected": True}


@test
def success_is_what_was_observed(t):
    # Without grep the last entry can not hold, so the demo has to notice.
    os.mkdir(t.dir / "bin")
    os.symlink(shutil.which("sh"), t.dir / "bin/sh")
    t.expect(t.makegood("demo", env={"PATH": str(t.dir / "bin")}), 4, err="went wrong")


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
