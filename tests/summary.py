"""Counts what the suites of one or more Meson test logs did: the last line is for CI."""
import json
import re
import sys

passed = failed = skipped = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as log:
        for line in log:
            run = json.loads(line)
            out = run.get("stdout") or ""
            ok = re.findall(r"^ok \d+(.*)$", out, re.M)
            bad = re.findall(r"^not ok \d+(.*)$", out, re.M)
            if run["result"] in ("OK", "EXPECTEDFAIL") and not ok:
                passed += 1  # a test that is one program, not a list of cases
            skips = [line for line in ok if "# SKIP" in line]
            passed += len(ok) - len(skips)
            skipped += len(skips) + (run["result"] == "SKIP" and not ok)
            failed += len(bad)
            if run["result"] not in ("OK", "SKIP", "EXPECTEDFAIL") and not bad:
                failed += 1  # crashed, timed out, or ended without saying why
                print(f"{run['name']}: {run['result']}", file=sys.stderr)
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
