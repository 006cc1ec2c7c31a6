#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the kernels of many MIR files, repeated under other names, into one large MIR file.

    bench/join_kernels.py --instructions=300000 -o joined.mir               # tests/corpus
    bench/join_kernels.py --instructions=300000 -o joined.mir FILE.mir ...
    bench/join_kernels.py --instructions=300000 -o joined.ll       # the linked module instead

The IR modules that the files embed are taken in turn, their symbols get a suffix, and llvm-link-22 links them. llc-22
selects instructions for the result, so that llc and ptxmir can be given the same file. Modules for a GPU other than
that of --mcpu, and modules that llc cannot select for it or whose MIR llc cannot read back, are left out and named.
"""

import argparse
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A symbol, or a string, in which inline assembly has guards like @p. Names in quotes begin with the @.
SYMBOL = re.compile(r'@("(?:[^"\\]|\\.)*"|[-\w$.]+)|"[^"]*"')
DECLARED = re.compile(r'^declare [^@]*@("(?:[^"\\]|\\.)*"|[-\w$.]+)', re.M)


def module_of(path):
    """Returns the text of the IR module in a MIR file, or None."""
    text = path.read_text()
    match = re.match(r"(?:#.*\n|\s*\n)*--- \|\n((?:  .*\n|\s*\n)*)", text)
    if match is None:
        return None
    return re.sub(r"^  ", "", match.group(1), flags=re.M)


def rename(module, suffix):
    """Gives the symbols that the module defines a suffix. Drops comdats and module flags, which cannot be joined."""
    module = re.sub(r"^(\$.* = comdat any|!llvm\.module\.flags = .*)$", "", module, flags=re.M)
    module = re.sub(r",? comdat(\(\$[^)]*\))?(?=[ ,\n])", "", module)
    kept = set(DECLARED.findall(module))

    def renamed(match):
        name = match.group(1)
        if name is None or name in kept or name.strip('"').startswith("llvm."):
            return match.group(0)
        return f'@{name[:-1]}{suffix}"' if name.endswith('"') else f"@{name}{suffix}"

    return SYMBOL.sub(renamed, module)


def count_instructions(mir):
    """Returns the number of lines of machine code: the lines of bodies that are indented by four."""
    bodies = re.findall(r"^body: .*\n((?:  .*\n|\s*\n)*)", mir, re.M)
    return sum(len(re.findall(r"^    (?!successors:|liveins:|;)\S", body, re.M)) for body in bodies)


def select(ir, mir, args):
    command = [args.llc, "-mtriple=nvptx64-nvidia-cuda", f"-mcpu={args.mcpu}", f"-mattr={args.mattr}",
               "-stop-after=finalize-isel", str(ir), "-o", str(mir)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def can_read_back(mir, args):
    command = [args.llc, "-mtriple=nvptx64-nvidia-cuda", f"-mcpu={args.mcpu}", f"-mattr={args.mattr}", "-O2",
               "-start-after=finalize-isel", str(mir), "-o", os.devnull]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def usable_modules(paths, folder, args):
    """Returns (name, module, instructions) for the files that llc selects instructions for."""
    modules = []
    for path in paths:
        module = module_of(path)
        ir, mir = folder / "one.ll", folder / "one.mir"
        if module is not None:
            ir.write_text(rename(module, "_k0"))
        if module is None or not select(ir, mir, args) or not can_read_back(mir, args):
            print(f"left out: {path.name}", file=sys.stderr)
            continue
        modules.append((path.name, module, count_instructions(mir.read_text())))
    return modules


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--instructions", type=int, default=300000)
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--llc", default="llc-22")
    parser.add_argument("--link", default="llvm-link-22")
    parser.add_argument("--mcpu", default="sm_90a")
    parser.add_argument("--mattr", default="+ptx88")
    args = parser.parse_args()
    paths = args.files or [ROOT / name for name in sorted(glob.glob(str(ROOT / "tests/corpus/*.mir")))]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        modules = usable_modules(paths, folder, args)
        total, parts = 0, []
        while modules and total < args.instructions:
            copy, (_, module, instructions) = len(parts), modules[len(parts) % len(modules)]
            part = folder / f"part{copy}.ll"
            part.write_text(rename(module, f"_k{copy}"))
            parts.append(str(part))
            total += instructions
        linked = folder / "linked.ll"
        link = subprocess.run([args.link, "-S", *parts, "-o", str(linked)], stderr=subprocess.PIPE, text=True, check=False)
        if link.returncode != 0:
            sys.exit(f"join_kernels: {link.stderr[:2000]}")
        if args.output.endswith(".ll"):
            shutil.copy(linked, args.output)
            print(f"{args.output}: some {total} instructions after selection, of {len(modules)} files", file=sys.stderr)
            return
        if not select(linked, args.output, args):
            sys.exit("join_kernels: llc failed on the linked module")
    mir = pathlib.Path(args.output).read_text()
    print(f"{args.output}: {count_instructions(mir)} instructions in {mir.count(chr(10) + 'body: ')} functions "
          f"of {len(modules)} files", file=sys.stderr)


if __name__ == "__main__":
    main()
