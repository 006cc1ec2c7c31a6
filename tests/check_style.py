#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no compiler checks in the sources, and prints file:line: message for each fault.

    tests/check_style.py [--fix]

- No comment begins with a relative pronoun ("What ...", "That ..."): it begins with a verb or a noun phrase.
- Every source begins with the license.
- Every folder with a library has a README.md of at most a screen.
- Something reads every knob whose pass exists, or the table says why nothing does.
- The arrows in a folder's README.md are those of its includes (--fix writes them).
- Links between documents lead somewhere.
- No two types of the same namespace have one name: in one program, that would be undefined behavior.

Exit status: 0 when there is no fault.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENERS = {"what", "who", "whose", "whom", "that", "those", "which"}
LICENSE = "SPDX-License-Identifier: Apache-2.0"
README_LINES = 60
# The pipeline with a glossary, and the descriptions of two languages.
LONG_READMES = ("passes", "ptx/isa", "sdag/select")
# Folders that README.md and docs describe.
WITHOUT_README = ("tests", "tools", "bench", "compiler", "include", "examples", "third_party")


def tracked_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\n") if name and (ROOT / name).is_file()]


def opener_faults(name, lines):
    """Yields the comments that begin with a pronoun. A line that continues a comment does not count."""
    in_comment = False
    for number, line in enumerate(lines, 1):
        match = re.match(r"(.*?)//+ ?(\S+)", line)
        if match is None or '"' in match.group(1):
            in_comment = False
            continue
        own_line = not match.group(1).strip()
        begins = not (own_line and in_comment)
        in_comment = own_line
        if begins and match.group(2).lower() in OPENERS:
            yield number, f"a comment begins with '{match.group(2)}'; begin with a verb or a noun phrase"


def license_faults(name, lines):
    if not any(LICENSE in line for line in lines[:3]):
        yield 1, f"the file does not begin with {LICENSE}"


def readme_faults(files):
    folders = {os.path.dirname(name) for name in files if name.endswith("/BUILD.bazel")}
    for folder in sorted(folders):
        if folder.split("/")[0] in WITHOUT_README or folder in ("cmake", "docs"):
            continue
        has_code = any(os.path.dirname(name) == folder and name.endswith((".cc", ".h")) for name in files)
        readme = ROOT / folder / "README.md"
        if has_code and not readme.is_file():
            yield f"{folder}/README.md", 1, "a folder with a library has no README.md"
        elif has_code and folder not in LONG_READMES and len(readme.read_text().split("\n")) > README_LINES:
            yield f"{folder}/README.md", README_LINES, f"a folder's README.md has more than {README_LINES} lines"


def knob_faults(texts):
    """Yields the knobs of passes that exist which nothing reads, by accessor or by name."""
    table = texts["options/knob_table.inc"]
    passes = set(re.findall(r'\.name = "([^"]+)"(?=[^}]*\.run = )', texts["passes/pipeline/pass_table.cc"]))
    code = "\n".join(text for name, text in texts.items()
                     if name.endswith((".cc", ".h")) and not name.startswith(("tests/", "options/")))
    rows = list(re.finditer(r'^PTXMIR_KNOB_(?!GROUP|WITHOUT)\w+\((\w+), "([^"]+)"', table, re.M))
    for i, row in enumerate(rows):
        end = rows[i + 1].start() if i + 1 < len(rows) else len(table)
        text = table[row.start():end]
        identifier, name = row.groups()
        is_excused = "PTXMIR_KNOB_WITHOUT_EFFECT" in text
        is_read = re.search(rf"\b{identifier}\(\)", code) or f'"{name}"' in code
        belongs_to_pass = any(f'"{p}"' in text or f"{p}," in text or f",{p}" in text for p in passes)
        if belongs_to_pass and bool(is_read) == is_excused:
            line = table[:row.start()].count("\n") + 1
            yield "options/knob_table.inc", line, f"knob '{name}' is {'read' if is_read else 'not read'}, but its row says otherwise"


# Folders that stand for everything below them in the arrows.
WHOLE = ("bench", "compiler", "examples", "include", "tests", "tools")


def folder_of(name):
    folder = os.path.dirname(name)
    top = folder.split("/")[0]
    return top if top in WHOLE else folder


def arrows_of(texts):
    """Returns, by folder, the folders that it includes files of and the folders that include its files."""
    uses, used_by = {}, {}
    for name, text in texts.items():
        if not name.endswith((".cc", ".h", ".inc")):
            continue
        for header in re.findall(r'^#include "([^"]+)"', text, re.M):
            # Headers for programs that embed the library are included as such programs include them.
            header = header if header in texts else "include/" + header
            here, there = folder_of(name), folder_of(header)
            if header in texts and here != there:
                uses.setdefault(here, set()).add(there)
                used_by.setdefault(there, set()).add(here)
    return uses, used_by


def arrow_text(title, folders):
    """Returns the line for README.md, wrapped at 120 columns."""
    words = [f"`{folder}`," for folder in sorted(folders)] or ["no other folder,"]
    lines = [f"- {title}:"]
    for word in words:
        if len(lines[-1]) + 1 + len(word) > 119:
            lines.append(" ")
        lines[-1] += " " + word
    return "\n".join(lines)[:-1] + "."


def arrow_faults(texts, fix):
    uses, used_by = arrows_of(texts)
    for name, text in texts.items():
        folder = os.path.dirname(name)
        if not name.endswith("/README.md") or "\n## Arrows\n" not in text or folder != folder_of(name):
            continue
        head, rest = text.split("\n## Arrows\n", 1)
        after = rest.find("\n## ")
        tail = rest[after:] if after >= 0 else ""
        section = "\n" + arrow_text("Uses", uses.get(folder, ())) + "\n" + arrow_text("Used by", used_by.get(folder, ()))
        expected = head + "\n## Arrows\n" + section + "\n" + tail
        if expected == text:
            continue
        if fix:
            (ROOT / name).write_text(expected)
        else:
            yield name, head.count("\n") + 2, "the arrows are not those of the includes; run tests/check_style.py --fix"


def link_faults(name, text):
    for match in re.finditer(r"\]\(([^)#\s]+)(#[^)]*)?\)", text):
        target = match.group(1)
        if "://" not in target and not (ROOT / name).parent.joinpath(target).exists():
            yield text[:match.start()].count("\n") + 1, f"there is no {target}"


def type_faults(texts):
    """Yields the second of two types with one name. Types of tests are not in one program."""
    first = {}
    for name in sorted(texts):
        if not name.endswith((".cc", ".h")) or name.startswith("tests/"):
            continue
        namespaces = []
        for number, line in enumerate(texts[name].split("\n"), 1):
            opened = re.match(r"(?:inline )?namespace ?([\w:]*) \{$", line)
            if opened:
                namespaces.append(opened.group(1))
            elif re.match(r"\}  // (anonymous )?namespace", line) and namespaces:
                namespaces.pop()
            defined = re.match(r"(?:class|struct|union|enum class|enum) (\w+)(?: final)?(?: : [^;]*)? \{", line)
            if not defined or "" in namespaces:
                continue
            key = "::".join([*namespaces, defined.group(1)])
            if key in first:
                yield name, number, f"{key} is also defined in {first[key]}"
            first.setdefault(key, name)


def main():
    files = tracked_files()
    texts = {}
    for name in files:
        if name.endswith((".cc", ".h", ".inc", ".md", ".py", ".bzl")) and not name.startswith("tests/corpus/"):
            texts[name] = (ROOT / name).read_text()
    faults = []
    for name, text in texts.items():
        lines = text.split("\n")
        if name.endswith((".cc", ".h")):
            faults += [(name, *fault) for fault in opener_faults(name, lines)]
        if name.endswith((".cc", ".h", ".py", ".bzl")):
            faults += [(name, *fault) for fault in license_faults(name, lines)]
        if name.endswith(".md"):
            faults += [(name, *fault) for fault in link_faults(name, text)]
    faults += readme_faults(files)
    faults += knob_faults(texts)
    faults += type_faults(texts)
    faults += arrow_faults(texts, fix="--fix" in sys.argv[1:])
    for name, line, message in faults:
        print(f"{name}:{line}: {message}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
