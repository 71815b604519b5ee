"""Benchmark of `makegood drive`, each figure beside that of the usual way, in one run.

usage: drive.py MAKEGOOD BENCH_SNAPSHOT BENCH_STORE [PART...]     parts: tree stop attempt store
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

makegood, bench_snapshot, bench_store = (os.path.abspath(p) for p in sys.argv[1:4])
parts = sys.argv[4:] or ["tree", "stop", "attempt", "store"]

FILES, CHANGES = 50000, 100
ROUNDS, SETTLE_MS = 100, 50
ATTEMPTS = 200


def quiet(argv, **more):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, **more).returncode


def timed(argv, rounds, codes=(0,), **more):
    """Milliseconds of the fastest round: noise only ever adds time."""
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        code = quiet(argv, **more)
        best = min(best, (time.perf_counter() - began) * 1000)
        if code not in codes:
            sys.exit(f"{argv[0]} ended with {code}")
    return best


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def line(name, value, note=""):
    print(f"{name:46}{value:10.2f} ms   {note}".rstrip())


# --- (a) A large tree: first snapshot, and delta with a warm cache ---


def make_tree():
    for i in range(FILES // 50):
        os.makedirs(f"tree/d{i % 40}/e{i}")
        for n in range(50):
            with open(f"tree/d{i % 40}/e{i}/f{n}.txt", "w") as f:
                f.write(f"file {n} of {i}\n" * (1 + n % 40))
    git = ["git", "-C", "tree", "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "tree"]):
        if quiet(git + args) != 0:
            sys.exit(f"git {args[0]} did not work")


def figures(text):
    words = text.split()
    return {k: float(v) for k, v in zip(words[::2], words[1::2])}


def tree():
    make_tree()
    time.sleep(1.1)  # so that no file is as young as the index
    status = ["git", "-C", "tree", "status", "--porcelain"]
    timed(status, 1)  # refreshes its index
    runs = []
    for _ in range(3):  # each makes its changes before it measures the delta
        done = subprocess.run([bench_snapshot, "tree", str(CHANGES), "."], stdout=subprocess.PIPE,
                              text=True, check=True)
        runs.append(figures(done.stdout))
    git_status = timed(status, 9)
    first = min(r["freeze_ms"] + r["first_ms"] for r in runs)
    delta = min(r["fastest_ms"] for r in runs)
    print(f"\n{FILES} files in git, {CHANGES} changed")
    line("git status --porcelain", git_status)
    line("snapshot and delta, warm", delta, f"{delta / git_status:.2f} of git status (aim: at most 1)")
    line("scope and first snapshot", first, f"{first / git_status:.2f} of git status (aim: at most 5)")
    shutil.rmtree("tree")


# --- (b) From "the file is right" to the signal ---

STOPPED = """
import os, signal, sys, time
def stop(*_):
    with open(sys.argv[1], "a") as f:
        f.write("%f\\n" % ((time.monotonic() - right) * 1000))
    os._exit(0)
signal.signal(signal.SIGINT, stop)
time.sleep(float(sys.argv[2]))
with open("out.new", "w") as f:
    f.write("good\\n")
right = time.monotonic()
os.rename("out.new", "out.txt")
while True:
    time.sleep(10)
"""

# What people write: look ten times a second, and be sure for the settle time.
POLLER = """
import os, signal, subprocess, sys, time
agent = subprocess.Popen(sys.argv[1:])
def good():
    try:
        return open("out.txt").read() == "good\\n"
    except FileNotFoundError:
        return False
while True:
    time.sleep(0.1)
    if good():
        time.sleep(%f)
        if good():
            agent.send_signal(signal.SIGINT)
            agent.wait()
            sys.exit(0)
""" % (SETTLE_MS / 1000)


def stop_rounds(command, name, rounds):
    took = os.path.abspath(f"{name}.took")
    for n in range(rounds):
        root = tempfile.mkdtemp(dir=".")
        with open(f"{root}/makegood.yaml", "w") as f:
            f.write(f"goal: x\nwatch: {{settle: {SETTLE_MS}ms}}\n"
                    "assert: [{file_contains: {path: out.txt, pattern: '^good$'}}]\n")
        pause = 0.3 + 0.1 * n / rounds  # so that a poller is met at every point of its pause
        agent = [sys.executable, os.path.abspath("agent.py"), took, str(pause)]
        if quiet(command + agent, cwd=root) != 0:
            sys.exit(f"{name}: a round did not succeed")
        shutil.rmtree(root)
    with open(took) as f:
        beyond = [float(ms) - SETTLE_MS for ms in f]
    if len(beyond) != rounds:
        sys.exit(f"{name}: {len(beyond)} signals in {rounds} rounds")
    return beyond


def stop():
    for name, text in (("agent.py", STOPPED), ("poller.py", POLLER)):
        with open(name, "w") as f:
            f.write(text)
    ours = stop_rounds([makegood, "drive", "-q", "-n", "1", "--"], "drive", ROUNDS)
    theirs = stop_rounds([sys.executable, os.path.abspath("poller.py")], "poller", ROUNDS // 2)
    print(f"\nfrom a file that is right to SIGINT in the agent, beyond the settle time of {SETTLE_MS} ms; "
          f"{ROUNDS} rounds")
    line("makegood drive, median", statistics.median(ours))
    line("makegood drive, 95 of 100", percentile(ours, 0.95), "(aim: at most 20)")
    line("a loop that looks every 100 ms, median", statistics.median(theirs))
    line("a loop that looks every 100 ms, 95 of 100", percentile(theirs, 0.95))


# --- (c) What an attempt costs beside its agent ---

GOAL = """goal: x
effect: optional
budget: {{attempts: {n}, stagnation: 1000}}
assert: [{entry}]
"""
FILE = "{file_exists: never}"
COMMAND = "{command_returns: {run: [/usr/bin/test, -e, never]}}"
SHELL = "n=0; while [ $n -lt %d ]; do /bin/true; %s && break; n=$((n+1)); done"


def spawn_ms():
    """fork and exec of /bin/true, as cheap as this machine can."""
    began = time.perf_counter()
    for _ in range(ATTEMPTS):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)
    return (time.perf_counter() - began) * 1000 / ATTEMPTS


def drive_ms(entry):
    """Of one attempt: the difference of many and few, so that start-up does not count."""
    took = {}
    for n in (10, 10 + ATTEMPTS):
        with open("attempts/makegood.yaml", "w") as f:
            f.write(GOAL.format(n=n, entry=entry))
        took[n] = timed([makegood, "drive", "-q", "--", "/bin/true"], 3, (1,), cwd="attempts")
    return (took[10 + ATTEMPTS] - took[10]) / ATTEMPTS


def attempt():
    os.mkdir("attempts")
    spawn = min(spawn_ms() for _ in range(5))
    print(f"\nan attempt whose agent is /bin/true, of {ATTEMPTS} in a row")
    line("fork and exec", spawn)
    for name, entry, check in (("a file", FILE, "[ -e never ]"),
                               ("a command", COMMAND, "/usr/bin/test -e never")):
        shell = timed(["bash", "-c", SHELL % (ATTEMPTS, check)], 3) / ATTEMPTS
        ours = drive_ms(entry)
        line(f"bash while loop, {name} is checked", shell)
        line(f"makegood drive, {name} is checked", ours,
             f"{ours - spawn:.2f} beyond fork and exec (aim: under 10)")


# --- (d) A full store ---


def store():
    state = os.path.abspath("state")
    os.makedirs(f"{state}/makegood", mode=0o700)
    subprocess.run([bench_store, f"{state}/makegood"], stdout=subprocess.DEVNULL, check=True)
    env = {**os.environ, "XDG_STATE_HOME": state}
    took = timed([makegood, "loop", "list"], 9, env=env)
    empty = timed([makegood, "loop", "list"], 9, env={**env, "XDG_STATE_HOME": state + "/none"})
    print("\na store of 10,000 attempts in 1,000 loops")
    line("makegood loop list", took, "(aim: under 50)")
    line("makegood loop list, nothing stored", empty)


with tempfile.TemporaryDirectory(prefix="makegood-bench-") as tmp:
    os.chdir(tmp)
    os.environ["XDG_STATE_HOME"] = tmp + "/drive-state"
    for part in parts:
        {"tree": tree, "stop": stop, "attempt": attempt, "store": store}[part]()
    os.chdir("/")
