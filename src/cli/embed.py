#!/usr/bin/env python3
"""embed.py OUTPUT FILE... - files as a C table, so that the program carries its example."""
import os
import sys


def literal(data: bytes) -> str:
    """The bytes as C string literals, a line each; octal, which no following digit can extend."""
    plain = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n"}
    lines = data.splitlines(keepends=True) or [b""]
    text = ["".join(plain.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line)
            for line in lines]
    return "\n     ".join(f'"{line}"' for line in text)


def main() -> None:
    output, files = sys.argv[1], sys.argv[2:]
    with open(output, "w", encoding="ascii") as out:
        out.write('#include "cli/site.h"\n\nconst mg_site_file mg_site[] = {\n')
        for name in files:
            with open(name, "rb") as f:
                data = f.read()
            out.write(f'    {{"{os.path.basename(name)}",\n     {literal(data)},\n     {len(data)}}},\n')
        out.write("    {0},\n};\n")


main()
