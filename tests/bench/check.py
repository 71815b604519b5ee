"""Benchmark of `makegood check`, side by side with a shell loop and with the floor.

1,000 file assertions with 1,000 distinct patterns over 1,000 files. Every contender is run in
turn, several rounds, and its fastest round counts: noise only ever adds time.
usage: check.py MAKEGOOD FLOOR [ROUNDS]
"""
import os
import subprocess
import sys
import tempfile
import time

makegood, floor = (os.path.abspath(p) for p in sys.argv[1:3])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
COUNT = 1000

SHELL = r"""
while IFS="$(printf '\t')" read -r path pattern; do
    test -f "$path" && grep -qP -- "$pattern" "$path" || exit 1
done < list.tsv
"""


def prepare():
    with open("list.tsv", "w") as tsv, open("makegood.yaml", "w") as goal:
        goal.write("goal: a thousand files say what they should\nassert:\n")
        for i in range(COUNT):
            path, pattern = f"src/f{i}.txt", rf"value{i}\s*=\s*(alpha|beta){i % 7}"
            with open(path, "w") as f:
                f.write("".join(f"line {n} of file {i}\n" for n in range(40)) + f"value{i} = beta{i % 7}\n")
            tsv.write(f"{path}\t{pattern}\n")
            goal.write(f"  - file_contains: {{path: {path}, pattern: '{pattern}'}}\n")
    with open("one.yaml", "w") as goal:
        goal.write("assert:\n  - file_exists: list.tsv\n")


def measure(argv):
    """Wall milliseconds of one run."""
    began = time.perf_counter()
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    took = (time.perf_counter() - began) * 1000
    if done.returncode != 0:
        sys.exit(f"{argv[0]} ended with {done.returncode}")
    return took


def peak_mb(argv):
    """Peak resident memory, through time(1): a child of this script would inherit its own."""
    subprocess.run(["/usr/bin/time", "-f", "%M", "-o", "peak", *argv], stdout=subprocess.DEVNULL)
    with open("peak") as f:
        return int(f.read().split()[-1]) / 1024


def syscalls(argv):
    done = subprocess.run(["strace", "-f", "-c", "-o", "trace", *argv], stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        return "-"
    with open("trace") as f:
        return f.read().rstrip().splitlines()[-1].split()[3]


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    os.mkdir("src")
    prepare()
    contenders = {
        "makegood check": [makegood, "check", "--quiet"],
        "start-up: one file_exists": [makegood, "check", "--quiet", "-f", "one.yaml"],
        "floor: open, read, compile, match": [floor, "list.tsv"],
        "shell loop of test and grep -P": ["sh", "-c", SHELL],
    }
    best = {}
    for n in range(rounds):
        for name, argv in contenders.items():
            if name.startswith("shell") and n >= 3:
                continue
            best[name] = min(measure(argv), best.get(name, float("inf")))
    print(f"{COUNT} assertions, {COUNT} patterns, {COUNT} files; fastest of {rounds} rounds\n")
    print(f"{'':36}{'ms':>10}{'peak MB':>10}{'syscalls':>10}")
    for name, argv in contenders.items():
        calls = syscalls(argv) if not name.startswith("shell") else "-"
        print(f"{name:36}{best[name]:10.2f}{peak_mb(argv):10.1f}{calls:>10}")
    ours, start, least, shell = (best[n] for n in contenders)
    print(f"\nshell loop / makegood          {shell / ours:8.1f}   (aim: at least 30)")
    print(f"makegood / (floor + start-up)  {ours / (least + start):8.2f}   (aim: at most 2)")

    # Memory: the size of the file must not matter.
    with open("huge.txt", "w") as f:
        f.truncate(1 << 30)
    with open("huge.yaml", "w") as goal:
        goal.write("assert:\n  - file_not_contains: {path: huge.txt, pattern: 'needle[0-9]+'}\n")
    huge = [makegood, "check", "--quiet", "-f", "huge.yaml"]
    print(f"a file of 1 GB: {measure(huge):.0f} ms, peak {peak_mb(huge):.1f} MB   (aim: under 20 MB)")
