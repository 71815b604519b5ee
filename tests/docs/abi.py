"""abi.py LIBRARY SOURCE - what the shared library exports is what docs/abi.txt says, and both are
what the headers declare. A symbol that appears or goes is a decision, made in that file."""
import pathlib
import re
import subprocess
import sys

import tap

LIBRARY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
LISTED = (SOURCE / "docs/abi.txt").read_text().splitlines()

# What the sanitizers add to a library of their own accord.
INSTRUMENTED = re.compile(r"^(__odr_asan|__asan|__ubsan|__sanitizer|___asan|asan\.)")


def exported():
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    return sorted(name for name in names if not INSTRUMENTED.match(name))


def declared():
    text = "".join(p.read_text() for p in sorted((SOURCE / "include/makegood").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    return sorted(re.findall(r"\bMG_API\b[^;(]*?(\w+)\s*\(", text))


def differences(name, got):
    extra, missing = sorted(set(got) - set(LISTED)), sorted(set(LISTED) - set(got))
    assert not extra, f"{name}, but not in docs/abi.txt: {', '.join(extra)}"
    assert not missing, f"in docs/abi.txt, but not {name}: {', '.join(missing)}"


def the_list_is_sorted_and_not_empty():
    assert LISTED and LISTED == sorted(set(LISTED)), "docs/abi.txt: one name a line, sorted"


def the_library_exports_what_is_listed():
    differences("exported", exported())


def the_headers_declare_what_is_listed():
    differences("declared in include/makegood with MG_API", declared())


def every_name_has_our_prefix():
    assert all(name.startswith("mg_") for name in LISTED), "every symbol begins with mg_"


tap.run([the_list_is_sorted_and_not_empty, the_library_exports_what_is_listed,
         the_headers_declare_what_is_listed, every_name_has_our_prefix])
