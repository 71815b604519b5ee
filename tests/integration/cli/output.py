"""Where results go: stdout, files, closed pipes, full disks, terminals."""
import http.server
import json
import os
import shutil
import subprocess
import threading
import time

import tap
from tap import PROGRAM, main, test

HOLDS = "assert: [{file_exists: a.txt}]"


def site(t):
    t.write("a.txt", "hello")
    t.goal(HOLDS)


@test
def a_full_disk_is_4_and_never_0(t):
    site(t)
    for args in [["check"], ["version"], ["--help"], ["kinds"], ["doctor"], ["demo"], ["help"]]:
        with open("/dev/full", "w") as full:
            done = t.makegood(*args, stdout=full)
        assert done.returncode == 4, (args, done.returncode)
        assert "No space left" in done.stderr, done.stderr


@test
def a_closed_stdout_is_4(t):
    site(t)
    done = subprocess.run(f'"{PROGRAM}" check >&-', shell=True, cwd=t.dir, capture_output=True)
    assert done.returncode == 4, done


@test
def a_reader_that_leaves_early_is_no_complaint(t):
    site(t)
    t.goal("assert:\n" + "".join(f"  - file_exists: f{i}\n" for i in range(20000)), "many.yaml")
    done = subprocess.run(["bash", "-c", f'"{PROGRAM}" check -f many.yaml | head -1; '
                           'echo "${PIPESTATUS[0]}"'], cwd=t.dir, capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.splitlines()[-1] == "1", done


@test
def output_goes_to_the_file_and_only_there(t):
    site(t)
    t.expect(t.makegood("check", "--format", "json", "-o", "r.json"), 0, not_out="met")
    assert json.loads(t.read("r.json"))["verdict"] == "met"
    assert sorted(os.listdir(t.dir)) == ["a.txt", "makegood.yaml", "r.json"]
    t.expect(t.makegood("check", "--format", "json", "-o", "-"), 0, out='"met"')


@test
def an_output_file_is_replaced_whole_or_not_at_all(t):
    site(t)
    t.write("r.txt", "old")
    t.expect(t.makegood("check", "-o", "r.txt"), 0)
    assert "met" in t.read("r.txt") and "old" not in t.read("r.txt")
    t.goal("assert: [{command_returns: {run: touch ran && test -s a.txt}}]", "runs.yaml")
    for place in ["nowhere/r.txt", ".", "a.txt/r.txt"]:
        t.expect(t.makegood("check", "-f", "runs.yaml", "-o", place), 4, err=place)
    assert not (t.dir / "ran").exists()  # a report that has nowhere to go is noticed before
    t.expect(t.makegood("check", "-o", "/dev/full"), 4, err="/dev/full")
    t.expect(t.makegood("check", "-o", "/dev/null"), 0)
    assert not os.path.isfile("/dev/null")


@test
def an_output_that_cannot_be_written_leaves_the_old_one(t):
    site(t)
    t.write("locked/r.txt", "old")
    os.chmod(t.dir / "locked", 0o500)
    program, more = PROGRAM, {}
    if os.geteuid() == 0:  # root may write everywhere; nobody may not
        os.chmod(t.dir, 0o755)
        program = shutil.copy(PROGRAM, t.dir / "program")
        more = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        done = subprocess.run([program, "check", "-o", "locked/r.txt"], cwd=t.dir, text=True,
                              capture_output=True, **more)
        t.expect(done, 4, err="locked/r.txt")
        assert t.read("locked/r.txt") == "old"
    finally:
        os.chmod(t.dir / "locked", 0o700)


def on_terminal(t, args, env=None):
    return tap.read_terminal(*tap.on_terminal(t, args, env))


@test
def colours_only_on_a_terminal_that_wants_them(t):
    site(t)
    colored, code = on_terminal(t, ["check"])
    assert code == 0 and b"\x1b[" in colored, colored
    for args, env in [(["check", "--no-color"], {}), (["check"], {"NO_COLOR": "1"}),
                      (["check"], {"TERM": "dumb"}), (["check", "-o", "r.txt"], {})]:
        plain, code = on_terminal(t, args, env)
        assert code == 0 and b"\x1b[" not in plain, (args, env, plain)
    assert "\x1b" not in t.read("r.txt")
    still, _ = on_terminal(t, ["check"], {"NO_COLOR": ""})
    assert b"\x1b[" in still
    t.expect(t.makegood("check", env={"TERM": "xterm"}), 0, not_out="\x1b")


@test
def a_long_check_shows_its_progress_and_clears_it(t):
    t.goal("assert: [{command_returns: {name: the slow one, run: sleep 1.8 && test -s makegood.yaml}}]")
    shown, code = on_terminal(t, ["check", "--no-color"])
    assert code == 0 and b"0 of 1 settled" in shown and b"the slow one" in shown, shown
    assert b"\r\x1b[K" in shown
    quiet, _ = on_terminal(t, ["check", "--quiet", "--no-color"])
    assert b"settled" not in quiet
    t.expect(t.makegood("check"), 0, not_err="settled")


@test
def github_gets_annotations_and_a_summary_page(t):
    t.goal("assert: [{file_exists: b.txt}]")
    t.write("summary.md", "before\n")
    done = t.makegood("check", "--format", "github",
                      env={"GITHUB_STEP_SUMMARY": str(t.dir / "summary.md")})
    t.expect(done, 1, out="::error")
    assert t.read("summary.md").startswith("before\n") and "b.txt" in t.read("summary.md")
    done = t.makegood("check", "--format", "github", env={"GITHUB_STEP_SUMMARY": "/nowhere/x"})
    t.expect(done, 1, err="GITHUB_STEP_SUMMARY")
    t.makegood("check", "--format", "tap", env={"GITHUB_STEP_SUMMARY": str(t.dir / "other.md")})
    assert not (t.dir / "other.md").exists()


@test
def what_a_command_or_a_server_said_is_shown(t):
    """It outlives the question that it answered."""
    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(503)
            self.end_headers()
            self.wfile.write(b"closed for repairs")

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    t.goal("assert:\n  - command_returns: {run: 'echo the last words; test -e gone'}\n"
           f"  - http_200: 'http://127.0.0.1:{server.server_port}/'\n")
    for form in ["text", "json", "junit", "tap", "sarif", "github", "prometheus"]:
        done = t.expect(t.makegood("check", "--format", form), 1)
        if form in ("text", "json", "junit"):
            t.expect(done, 1, out=["the last words", "closed for repairs"])
    server.shutdown()


@test
def warnings_of_the_goal_file_are_in_the_report(t):
    t.goal("assert: [{command_returns: {run: 'false || true'}}]")
    done = t.makegood("check", "--format", "json")
    got = json.loads(t.expect(done, 3).stdout)
    assert got["warnings"], got


@test
def a_success_that_nobody_read_is_no_success(t):
    site(t)
    for form in ["text", "json"]:
        reader, writer = os.pipe()
        os.close(reader)
        done = t.makegood("check", "--format", form, stdout=writer)
        os.close(writer)
        assert (done.returncode, done.stderr) == (4, ""), done
    reader, writer = os.pipe()
    os.close(reader)
    assert t.makegood("kinds", stdout=writer).returncode == 0  # nothing is verified by it
    os.close(writer)


@test
def the_report_never_replaces_the_goal(t):
    site(t)
    os.link(t.dir / "makegood.yaml", t.dir / "hard.yaml")
    os.symlink("makegood.yaml", t.dir / "soft.yaml")
    t.goal("assert: [{command_returns: {run: touch ran}}]", "other.yaml")
    for args in [["-o", "makegood.yaml"], ["-o", "./makegood.yaml"], ["-o", "hard.yaml"],
                 ["-o", "soft.yaml"], ["-f", "soft.yaml", "-o", "makegood.yaml"],
                 ["-f", "other.yaml", "-f", "makegood.yaml", "-o", "hard.yaml"]]:
        t.expect(t.makegood("check", *args), 2, err="goal file")
        assert t.read("makegood.yaml") == HOLDS and t.read("hard.yaml") == HOLDS
    with open(t.dir / "makegood.yaml", encoding="ascii") as goal:
        done = subprocess.run([PROGRAM, "check", "-f", "-", "-o", "makegood.yaml"], cwd=t.dir,
                              stdin=goal, capture_output=True, text=True)
    t.expect(done, 2, err="goal file")
    assert t.read("makegood.yaml") == HOLDS and not (t.dir / "ran").exists()


@test
def an_older_report_does_not_survive_a_check_that_gave_none(t):
    site(t)
    for args, code in [(["-f", "missing.yaml"], 2), (["-f", "bad.yaml"], 2),
                       (["--only", "nothing"], 2)]:
        t.write("r.txt", "met")
        t.write("bad.yaml", "asert: []")
        t.expect(t.makegood("check", "-o", "r.txt", *args), code)
        assert not (t.dir / "r.txt").exists(), args
    t.write("real/r.txt", "met")
    os.symlink("real/r.txt", t.dir / "link.txt")
    t.expect(t.makegood("check", "-o", "link.txt", "-f", "missing.yaml"), 2)
    assert not (t.dir / "real/r.txt").exists()
    t.write("real/r.txt", "old")
    t.expect(t.makegood("check", "-o", "link.txt"), 0)
    assert "met" in t.read("real/r.txt") and (t.dir / "link.txt").is_symlink()
    # What was not asked for stays: bad usage, and whatever is not a regular file.
    t.write("r.txt", "old")
    t.expect(t.makegood("check", "-o", "r.txt", "--nope"), 2)
    assert t.read("r.txt") == "old"
    os.mkfifo(t.dir / "fifo")
    t.expect(t.makegood("check", "-o", "fifo", "-f", "missing.yaml"), 2)
    assert (t.dir / "fifo").is_fifo()
    t.expect(t.makegood("check", "-o", "real", "-f", "makegood.yaml"), 4)
    assert (t.dir / "real").is_dir()


@test
def an_interrupted_check_leaves_no_older_report(t):
    t.goal("assert: [{command_returns: {run: touch on && sleep 60}}]")
    t.write("r.txt", "met")
    child = subprocess.Popen([PROGRAM, "check", "-o", "r.txt"], cwd=t.dir, stderr=subprocess.PIPE)
    until = time.monotonic() + 20
    while not (t.dir / "on").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    child.terminate()
    child.communicate(timeout=20)
    assert child.returncode == 130 and not (t.dir / "r.txt").exists()


@test
def waiting_says_which_round_it_is_what_is_missing_and_how_long_is_left(t):
    t.goal("assert: [{file_exists: {path: late.txt, name: the late one}}]")
    pid, fd = tap.on_terminal(t, ["check", "--no-color", "--wait", "30s", "--every", "300ms"])
    shown = b""
    while b"left" not in shown:
        shown += os.read(fd, 4096)
    t.write("late.txt", "here")
    rest, code = tap.read_terminal(pid, fd)
    assert code == 0, (shown, rest)
    assert b"round " in shown and b"the late one" in shown and b" s left" in shown, shown


@test
def many_entries_do_not_make_the_progress_slow(t):
    """Each entry that is settled costs the same, however many there are."""
    t.write("a.txt", "hello")
    t.goal("assert:\n" + "".join(
        f"  - file_exists: {{path: a.txt, name: number {i:06}}}\n" for i in range(45000)))
    plain, seen = [], []
    for _ in range(3):  # the best of each: the machine may be busy with something else
        began = time.monotonic()
        t.expect(t.makegood("check", "-o", "r.txt"), 0)
        plain.append(time.monotonic() - began)
        began = time.monotonic()
        _, code = on_terminal(t, ["check", "-o", "r.txt"])
        seen.append(time.monotonic() - began)
        assert code == 0
    assert min(seen) < 1.5 * min(plain) + 0.3, (plain, seen)


main()
