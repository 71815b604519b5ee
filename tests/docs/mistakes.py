"""mistakes.py PROGRAM SOURCE - a mistake in a document does not go unnoticed: each of WRONG has
one, and run.py must complain of it; of those in RIGHT it must not."""
import argparse
import pathlib
import sys
import tempfile

import run
import tap

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]

GOAL = "```yaml file=makegood.yaml\nassert:\n  - file_exists: a.txt\n```\n"
HOLDS = GOAL + ("```console\n$ touch a.txt\n$ makegood check\n  ok       file_exists a.txt\n\n"
                "makegood: met - 1 of 1 passed (0.123 s)\n$ echo $?\n0\n```\n")

TABLE = """  attempt  status   verdict  ended      hold  changed  time   why
  1        failed   not met  completed  0/1   nothing  {first}  assertion_failed
  2        success  met      {ended}  1/1   nothing  18 ms  assertions_hold
makegood: loop {id}: it took its time ({time})
"""
SHOWN = TABLE.format(first="8 ms ", ended="completed", id="01a1ddb2-6a16", time="67 ms")
LATER = TABLE.format(first="1.3 s", ended="cancelled (watched)", id="01b2ddb2-0000", time="2.4 s")


def prints(got, shown):
    return f"```text file=table\n{got}```\n```console\n$ cat table\n{shown}```\n"


RIGHT = {
    "an_example_that_is_true": HOLDS,
    "a_file_stays_for_the_next_block":
        GOAL + "```console\n$ touch a.txt\n```\n```console\n$ ls\na.txt\nmakegood.yaml\n```\n",
    "a_directory_stays_for_the_next_command":
        "```console\n$ mkdir sub\n$ cd sub\n$ basename \"$PWD\"\nsub\n```\n",
    "an_entry_that_took_its_time_today":
        "```console\n$ printf '  ok       a  (0.201 s, invariant)\\n  ok       b  (1.2 s)\\n'\n"
        "  ok       a  (invariant)\n  ok       b\n```\n",
    "a_loop_that_took_longer_today": prints(LATER, SHOWN),
    "a_directory_that_is_called_otherwise": "```console\n$ pwd\n/home/ada/work\n```\n",
    "loops_of_before_the_reset_are_gone":
        "```console\n$ makegood drive -q --until 'test -d .' -- true\n...\n"
        "next: The goal holds already; the agent was not started.\n```\n<!-- reset -->\n"
        "```console\n$ makegood loop\nNo loop yet; 'makegood drive' begins one.\n```\n",
    "lines_that_are_left_out": "```console\n$ seq 5\n1\n...\n5\n```\n",
    "no_lines_that_are_left_out": "```console\n$ seq 2\n1\n...\n2\n```\n",
    "an_exit_code_that_is_said": "```console\n$ false\n$ echo $?\n1\n```\n",
    "a_check_that_falls_short": GOAL + "```console\n$ makegood check --quiet\n  FAIL "
        "    file_exists a.txt\n...\nmakegood: not met - 0 of 1 passed, 1 failed (0.000 s)\n```\n",
    "an_entry_that_can_be_read": "```yaml\nfile_exists: index.html\n```\n",
    "a_goal_file_that_can_be_read": "```yaml\ngoal: It is done.\nassert: [{file_exists: a}]\n```\n",
    "an_excerpt": "```c from=examples/c/check_goal.c\n#include <makegood/makegood.h>\n```\n",
    "a_block_that_is_left_alone": "<!-- not run: no such program -->\n```sh\nfrobnicate\n```\n",
    "a_server_in_the_background": "```console\n$ sleep 600 &\n$ echo on\non\n```\n",
    "a_reset_begins_anew": HOLDS + "<!-- reset -->\n```console\n$ ls\n```\n",
}

WRONG = {
    "a_wrong_status_of_an_attempt":
        (prints(LATER.replace("failed ", "partial"), SHOWN), "the document says"),
    "a_wrong_reason_of_an_attempt":
        (prints(LATER.replace("assertion_failed", "tampered"), SHOWN), "the document says"),
    "a_failed_attempt_that_was_stopped":
        (prints(LATER.replace("completed ", "cancelled (watched) "), SHOWN), "the document says"),
    "a_drive_that_gave_up":
        ("```console\n$ makegood drive -q --until 'test -d x' -n 1 -- true\n...\n"
         "makegood: gave up, the goal is not met (attempts_exhausted) - 0 of 1 hold after 1 "
         "attempt (9 ms)\n```\n", "does not say so"),
    "a_wrong_word": (HOLDS.replace("met -", "not met -"), "the document says"),
    "a_wrong_exit_code": (HOLDS.replace("$ echo $?\n0", "$ echo $?\n1"), "the document says"),
    "a_time_that_cannot_be":
        ("```console\n$ echo '  unknown  a  (3517.263 s)'\n  unknown  a\n```\n", "it prints"),
    "output_that_is_not_shown": ("```console\n$ echo hello\n```\n", "it prints\nhello"),
    "a_line_too_many": ("```console\n$ echo hello\nhello\nworld\n```\n", "the document says"),
    "a_line_too_few": ("```console\n$ seq 3\n1\n2\n```\n", "the document says"),
    "a_wrong_end_after_a_gap": ("```console\n$ seq 5\n1\n...\n6\n```\n", "the document says"),
    "nothing_but_a_gap": ("```console\n$ seq 5\n...\n```\n", "without a line"),
    "a_failure_that_is_not_said": ("```console\n$ false\n```\n", "does not say so"),
    "a_bad_goal_file_that_is_not_said":
        ("```yaml file=makegood.yaml\nasert: []\n```\n```console\n$ makegood check\n"
         "makegood: nothing was run\n...\n```\n", "does not say so"),
    "an_option_that_is_not_there":
        (GOAL + "```console\n$ touch a.txt\n$ makegood check --frobnicate\n```\n", "it prints"),
    "a_program_that_is_not_there": ("```console\n$ frobnicate\n```\n", "not found"),
    "an_entry_that_cannot_be_read": ("```yaml\nfile_exist: index.html\n```\n", "unknown assertion"),
    "a_key_that_is_not_there": ("```yaml\ngaol: It is done.\n```\n", "unknown key 'gaol'"),
    "an_excerpt_that_was_changed":
        ("```c from=examples/c/check_goal.c\n#include <makegood/other.h>\n```\n", "word for word"),
    "a_block_that_nothing_tests": ("```sh\nmake\n```\n", "nothing tests a block of 'sh'"),
    "a_block_without_a_language": ("```\nmake\n```\n", "nothing tests"),
    "a_console_without_a_command": ("```console\nmake\n```\n", "begins with a line"),
    "a_note_that_is_not_right_before_its_block":
        ("<!-- not run: why -->\nSome words.\n```sh\nmake\n```\n", "nothing tests"),
    "a_block_without_an_end": ("```console\n$ true\n", "no end"),
    "a_file_of_before_the_reset":
        (HOLDS + "<!-- reset -->\n```console\n$ ls\na.txt\nmakegood.yaml\n```\n", "it prints"),
}


def complaints(text):
    args = argparse.Namespace(program=PROGRAM, source=SOURCE, build=None, cc=None)
    with tempfile.TemporaryDirectory(prefix="makegood-docs-") as directory:
        document = pathlib.Path(directory) / "document.md"
        document.write_text(text)
        try:
            told = list(run.tell_all(run.World(args, directory), [document]))
        except run.Mistake as mistake:
            return str(mistake)
    return "\n".join(c for _, _, c in told if c is not None)


def named(name, check):
    check.__name__ = name
    return check


def right(name):
    def check():
        got = complaints(RIGHT[name])
        assert got == "", got
    return named(f"no_complaint_of_{name}", check)


def wrong(name):
    def check():
        text, part = WRONG[name]
        got = complaints(text)
        assert part in got, f"expected a complaint with {part!r}, got {got!r}"
    return named(f"a_complaint_of_{name}", check)


tap.run([*map(right, RIGHT), *map(wrong, WRONG)])
