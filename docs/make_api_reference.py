#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Makes docs/api-reference.md from the public headers: docs/make_api_reference.py [--check]

Every header's first comment becomes text, and what it declares becomes code, with its comments. Private members,
includes and include guards are left out. With --check nothing is written, and the status is 1 if the page is out of date.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).absolute().parent.parent
HEADERS = ("compiler.h", "pass.h", "kernel_builder.h", "kernel_types.h", "status.h", "version.h")
PAGE = ROOT / "docs/api-reference.md"
HEAD = """# API reference

The public headers of [include/ptxmir](../include/README.md), without what is private. `docs/make_api_reference.py` makes
this page from them. The manuals are [embedding.md](embedding.md) and [kernel-builder.md](kernel-builder.md).

"""


def without_private(lines):
    """Drops the private part of each class. It ends where the class does, or at the next public part."""
    kept, hidden_at = [], None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if hidden_at is not None:
            if line.strip() and indent < hidden_at or line.strip() == "public:" and indent == hidden_at:
                hidden_at = None
            else:
                continue
        if line.strip() in ("private:", "protected:"):
            hidden_at = indent
            while kept and not kept[-1].strip():
                kept.pop()
            continue
        kept.append(line)
    return kept


def section(name):
    """Returns the Markdown text for a header."""
    lines = (ROOT / "include/ptxmir" / name).read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("//") and "SPDX" not in line)
    comment = []
    while lines[at].startswith("//"):
        comment.append(lines[at][3:])
        at += 1
    body = [line for line in lines[at:]
            if not re.match(r"#(include|ifndef PTXMIR_\w+_H_|define PTXMIR_\w+_H_|endif)", line)
            and not re.match(r"}?\s*(//)?\s*namespace ", line)]
    body = "\n".join(without_private(body)).strip("\n")
    body = re.sub(r"\n{3,}", "\n\n", body)
    return f"## ptxmir/{name}\n\n" + "\n".join(comment).strip() + f"\n\n```cpp\n{body}\n```\n"


def page():
    return HEAD + "\n".join(section(name) for name in HEADERS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")
    if not parser.parse_args().check:
        PAGE.write_text(page(), encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print("docs/api-reference.md is out of date; run docs/make_api_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
