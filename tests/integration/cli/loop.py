"""makegood loop: what was driven can be listed, shown, stopped, gone on with and reported."""
import html.parser
import json
import os
import signal
import time

from loops import GOAL, agent, alive, drive, loops, run_agent_that_waits, sandbox, wait_for
from tap import main, test

GOOD = "echo good > out.txt\n"


@test
def without_loops_the_list_is_empty(t):
    sandbox(t)
    assert loops(t) == []
    t.expect(t.makegood("loop"), 0, out="No loop yet")
    for action in ["show", "cancel", "resume", "report"]:
        done = t.makegood("loop", action)
        assert done.returncode == 1 and done.stderr, done
    t.expect(t.makegood("loop", "shwo"), 2, err="did you mean 'show'?")
    t.expect(t.makegood("loop", "show", "no-such-loop"), 1)


@test
def the_newest_comes_first(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.expect(drive(t, "-n", "1", "--", agent(t, "true\n")), 1)
    t.expect(drive(t, "--", agent(t, GOOD)), 0)
    got = loops(t)
    assert [l["status"] for l in got] == ["succeeded", "gave_up"], got
    assert [l["verified"] for l in got] == [True, False] and got[0]["attempts"] == 1
    assert set(got[0]) == {"loop_id", "root", "goal", "status", "reason", "verified", "attempts",
                           "stale", "created", "finished"}
    assert got[1]["created"] < got[1]["finished"] <= got[0]["finished"], got
    text = t.expect(t.makegood("loop", "list"), 0, out=["goal_met", "attempts_exhausted",
                                                        "Make the file."]).stdout
    rows = text.splitlines()[1:]
    for row, loop in zip(rows, got):  # what is shown of an id is enough to name it
        shown = t.makegood("loop", "show", row.split()[0], "--format", "json")
        assert json.loads(t.expect(shown, 0).stdout)["loop_id"] == loop["loop_id"]
    assert len(t.makegood("loop", "list", "-n", "1").stdout.splitlines()) == 2


@test
def without_an_id_the_newest_here_is_meant(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    (t.dir / "other").mkdir()
    (t.root / "sub").mkdir()
    drive(t, "-n", "1", "--", agent(t, "true\n"))
    t.makegood("drive", "-u", "test -e x", "-n", "1", "--", agent(t, "true\n"), cwd=t.dir / "other")
    newer, older = [l["loop_id"] for l in loops(t)]
    for cwd, expected in [(t.root, older), (t.root / "sub", older), (t.dir / "other", newer),
                          (t.dir, newer)]:
        done = t.expect(t.makegood("loop", "show", "--format", "json", cwd=cwd), 0, err=expected[:13])
        assert json.loads(done.stdout)["loop_id"] == expected, (cwd, done)
    t.expect(t.makegood("loop", "resume", cwd=t.root), 1, err="came to its end")
    t.expect(t.makegood("loop", "list"), 0, out=["Make the file.", "--until 'test -e x'"])


@test
def an_option_of_another_action_is_refused(t):
    sandbox(t)
    for args, says in [(["list", "--html", "x"], "--html"), (["show", "--events", "x"], "--events"),
                       (["resume", "-n", "5"], "--limit"), (["report", "--format", "json"], "--format"),
                       (["cancel", "-v"], "--verbose"), (["resume", "-v", "-q"], "--quiet"),
                       (["list", "some-id"], "takes no ID")]:
        t.expect(t.makegood("loop", *args), 2, err=[says, "loop " + args[0]])


@test
def show_is_what_drive_said(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    said = t.expect(drive(t, "--", agent(t, GOOD)), 0).stdout
    assert t.expect(t.makegood("loop", "show"), 0).stdout == said
    t.expect(t.makegood("loop", "show", "last"), 0, out="succeeded, verified")


@test
def cancel_ends_the_agent_and_the_driver(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    began = time.monotonic()
    t.expect(t.makegood("loop", "cancel"), 0, out=["cancelled", "loop resume"])
    assert time.monotonic() - began < 15
    out, err = driver.communicate(timeout=60)
    assert driver.returncode == 130 and not alive(pid), (driver.returncode, err)
    assert loops(t)[0]["status"] == "cancelled"
    done = t.makegood("loop", "cancel", loops(t)[0]["loop_id"])
    assert done.returncode == 1 and done.stderr, done


@test
def a_dead_loop_is_cancelled_at_once(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.kill()
    driver.communicate(timeout=60)
    wait_for(lambda: loops(t)[0]["stale"])
    t.expect(t.makegood("loop", "cancel"), 1, err="no loop is running")
    t.expect(t.makegood("loop", "cancel", loops(t)[0]["loop_id"]), 0, out="cancelled")
    assert loops(t)[0]["status"] == "cancelled"


@test
def a_suspended_driver_is_not_waited_for(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        t.expect(t.makegood("loop", "cancel"), 1, err=["suspended", f"kill -CONT {driver.pid}"])
        assert time.monotonic() - began < 15
    finally:
        driver.send_signal(signal.SIGCONT)
        driver.communicate(timeout=60)
    assert driver.returncode == 130 and loops(t)[0]["status"] == "cancelled"


@test
def a_cancelled_loop_is_gone_on_with(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=60)
    agent(t, GOOD)  # the same program, now able to do it
    done = t.makegood("loop", "resume", "--format", "json", cwd="/")
    got = json.loads(t.expect(done, 0).stdout)
    assert got["verified"] is True and got["attempts"][-1]["number"] == 2, got
    assert len(loops(t)) == 1
    t.expect(t.makegood("loop", "resume"), 1, err="came to its end")


@test
def a_killed_driver_leaves_a_loop_to_go_on_with(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.kill()
    driver.communicate(timeout=60)
    wait_for(lambda: not alive(pid))
    assert loops(t)[0]["stale"] is True, loops(t)
    agent(t, GOOD)
    t.expect(t.makegood("loop", "resume"), 0, out="succeeded, verified")


@test
def a_new_drive_over_a_dead_one_tells_of_it(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.kill()
    driver.communicate(timeout=60)
    wait_for(lambda: not alive(pid))
    dead = loops(t)[0]["loop_id"]
    t.expect(drive(t, "--", agent(t, GOOD)), 0, err=[dead, "loop resume"])
    assert [l["status"] for l in loops(t)] == ["succeeded", "errored"], loops(t)


@test
def a_changed_goal_file_does_not_change_the_loop(t):
    driver, pid = run_agent_that_waits(sandbox(t))
    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=60)
    t.goal("goal: Easy.\nassert: [{file_exists: makegood.yaml}]\neffect: optional\n",
           "root/makegood.yaml")
    agent(t, "true\n")
    done = t.makegood("loop", "resume")
    assert done.returncode != 0 and "is not what it was" in done.stderr, done


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], set(), ""
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            assert not name.startswith("on") and "://" not in (value or ""), (tag, name, value)
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


@test
def the_report_is_one_page_that_needs_nothing(t):
    sandbox(t).goal(GOAL.replace("Make the file.", "Make <b>it</b> & 'go'."), "root/makegood.yaml")
    evil = "echo '<script>alert(1)</script>'; echo x > '<img src=x onerror=alert(1)>'; "
    t.expect(drive(t, "--", agent(t, "[ $MAKEGOOD_ATTEMPT = 1 ] && exit 0\n" + evil + GOOD)), 0)
    t.expect(t.makegood("loop", "report", "--html", "page.html"), 0, err="page.html")
    page = Page(t.read("page.html"))
    assert "script" not in page.tags and "img" not in page.tags and "link" not in page.tags
    for part in ["The goal holds, verified", "Make <b>it</b> & 'go'.", "Attempt 2", "out.txt",
                 "<img src=x onerror=alert(1)>", "file_contains"]:
        assert part in page.text, part
    assert t.expect(t.makegood("loop", "report", "-o", "-"), 0).stdout == t.read("page.html")
    assert t.expect(t.makegood("loop", "report"), 0).stdout == t.read("page.html")


@test
def a_page_that_cannot_be_written_is_exit_4(t):
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.expect(drive(t, "--", agent(t, GOOD)), 0)
    t.expect(t.makegood("loop", "report", "--html", "nowhere/page.html"), 4, err="nowhere")


@test
def others_do_not_see_it(t):
    if os.getuid() != 0:
        return
    sandbox(t).goal(GOAL, "root/makegood.yaml")
    t.expect(drive(t, "--", agent(t, GOOD)), 0)
    os.chmod(t.dir, 0o755)
    done = t.makegood("loop", "list", "--format", "json", user=65534, group=65534)
    assert done.returncode != 0 or json.loads(done.stdout)["loops"] == [], done


main()
