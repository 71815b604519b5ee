"""Ctrl-C: exit 130, and nothing that was started is left running."""
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

from tap import PROGRAM, main, on_terminal, read_terminal, test

# Whoever runs this may ignore them (nohup, a job in the background), and what is started would
# inherit that.
for ignored in [signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM]:
    signal.signal(ignored, signal.SIG_DFL)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(condition, what):
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


def waiting_bytes(pipe):
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def children_of(t):
    """The command and its own child, once both have said who they are."""
    names = ["outer.pid", "inner.pid"]
    wait_for(lambda: all((t.dir / n).exists() and t.read(n).strip() for n in names),
             "the command did not start")
    return [int(t.read(n)) for n in names]


def slow(t):
    t.write("slow.sh", "echo $$ > outer.pid\nsleep 300 & echo $! > inner.pid\nwait\n")
    t.goal("assert: [{command_returns: {run: sh slow.sh, timeout: 5m}}]")


@test
def ctrl_c_on_a_terminal_is_130_and_kills_the_command(t):
    slow(t)
    pid, fd = on_terminal(t, ["check"])
    pids = children_of(t)
    os.write(fd, b"\x03")
    data, code = read_terminal(pid, fd)
    assert code == 130, (code, data)
    wait_for(lambda: not any(alive(p) for p in pids), "something is still running")
    assert b"interrupted" in data, data


@test
def other_signals_that_end_a_program_do_the_same(t):
    for number in [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]:
        slow(t)
        child = subprocess.Popen([PROGRAM, "check"], cwd=t.dir, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        pids = children_of(t)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
        assert child.returncode == 130, (number, child.returncode, out, err)
        assert b"met" not in out, out
        wait_for(lambda: not any(alive(p) for p in pids), "something is still running")
        for name in ["outer.pid", "inner.pid"]:
            (t.dir / name).unlink()


@test
def waiting_can_be_interrupted(t):
    t.goal("assert: [{command_returns: {run: touch on && test -e never.txt}}]")
    child = subprocess.Popen([PROGRAM, "check", "--wait", "5m", "--every", "1m"], cwd=t.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: (t.dir / "on").exists(), "the command did not start")
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130


@test
def the_second_ctrl_c_ends_it_at_once(t):
    """Also when it is stuck: here in writing to a pipe that nobody reads."""
    t.goal("assert:\n" + "".join(f"  - file_exists: missing-{i}\n" for i in range(5000)))
    child = subprocess.Popen([PROGRAM, "check"], cwd=t.dir, stdout=subprocess.PIPE)
    wait_for(lambda: waiting_bytes(child.stdout) > 0, "it never wrote")
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=20) == 130


@test
def an_ignored_signal_stays_ignored(t):
    t.write("a.txt", "hello")
    t.goal("assert: [{file_exists: a.txt}, {command_returns: {run: touch on && sleep 1}}]")
    child = subprocess.Popen(["sh", "-c", f'trap "" HUP; exec "{PROGRAM}" check'], cwd=t.dir,
                             stdout=subprocess.PIPE)
    wait_for(lambda: (t.dir / "on").exists(), "the command did not start")
    child.send_signal(signal.SIGHUP)
    child.communicate(timeout=20)
    assert child.returncode == 0, child.returncode


@test
def a_signal_before_the_handlers_are_there_is_no_success(t):
    """It is still reading the goal then; the writer's end of the FIFO tells that it began."""
    os.mkfifo(t.dir / "goal.yaml")
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGQUIT]:
        child = subprocess.Popen([PROGRAM, "check", "-f", "goal.yaml"], cwd=t.dir,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pipe = os.open(t.dir / "goal.yaml", os.O_WRONLY)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
        os.close(pipe)
        assert child.returncode in (130, -number), (child.returncode, out, err)


@test
def several_files_that_wait_can_be_interrupted(t):
    t.goal("assert: [{command_returns: {run: touch on && test -e never.txt}}]")
    child = subprocess.Popen([PROGRAM, "check", "-f", "makegood.yaml", "-f", "makegood.yaml",
                              "--wait", "5m", "--every", "4m"], cwd=t.dir,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: (t.dir / "on").exists(), "the command did not start")
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130


main()
