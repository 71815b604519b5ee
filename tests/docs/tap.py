"""tap.py - a list of named checks as TAP: each is a function that raises what is wrong."""
import sys
import traceback


class Skip(Exception):
    """A means that is missing here."""


def run(checks):
    print(f"1..{len(checks)}")
    failed = 0
    for number, check in enumerate(checks, 1):
        name = check.__name__.replace("_", " ")
        try:
            check()
            print(f"ok {number} - {name}", flush=True)
        except Skip as why:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
        except Exception as error:
            failed += 1
            text = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            for line in text.splitlines():
                print(f"# {line}")
            print(f"not ok {number} - {name}", flush=True)
    sys.exit(1 if failed or not checks else 0)
