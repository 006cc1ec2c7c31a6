#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes ptx/isa/tables/anonymous_names.tsv: LLVM's names of the opcodes that LLVM itself leaves nameless.

    tests/ptx/isa/list_anonymous_names.py > ptx/isa/tables/anonymous_names.tsv
    tests/ptx/isa/list_anonymous_names.py --check

TableGen calls such a record anonymous_N; N depends on all records before it, so it means nothing. The tables have a
name for each. This script finds the record of each name: the one with the same operands and flags
(llvm22_opcodes.txt) for which llc-22 prints what the table says. Records that do not differ in this (shfl of i32 and
of f32) are in the order of the tables.

Options: --generator FILE, where bazel has put generate_isa; --llc FILE; --check, which writes nothing and compares.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).absolute().parents[3]
TABLES = ROOT / "ptx/isa/tables"
NAMES = TABLES / "anonymous_names.tsv"
FACTS = ROOT / "tests/ptx/isa/llvm22_opcodes.txt"
# No other table has anonymous rows, but the first two define what these use.
TABLE_FILES = ("prelude", "memory", "sync", "tensor", "tcgen05")
HEAD = """\
# LLVM's names of the opcodes that LLVM leaves nameless, by ours, in the order of the tables.
# tests/ptx/isa/list_anonymous_names.py makes this file from the tables and llc-22.
"""

CLASSES = ("b1", "b16", "b32", "b64")
REGISTERS = 160  # of each class; more than any instruction has operands
FIRST_IMMEDIATE = 70000  # operand N is this number plus N
PTX_VERSION = 70


def table_rows(generator):
    """Returns (name, facts, text) of each anonymous row of the tables."""
    files = [str(TABLES / f"{name}.isa") for name in TABLE_FILES]
    dump = subprocess.run([generator, "--dump"] + files, check=True, capture_output=True, text=True).stdout
    rows = []
    for line in dump.split("\n"):
        columns = line.split("\t")
        if columns[0] != "anonymous":
            continue
        name, operands, flags, template = columns[1], columns[4], columns[5], columns[6]
        types = "no operands" if operands == "-" else " ".join(word.split("/")[0] for word in operands.split(" "))
        facts = types + " |" + ("" if flags == "-" else " " + ",".join(sorted(flags.split(","))))
        text = re.sub(r"\$\{(\d+):mma\.aligned\}", ".aligned", template)
        text = re.sub(r"\$\{(\d+):addr\}", r"$\1", text)
        rows.append((name, facts, text.replace("\\t", " ").replace("\\n", " ").split()))
    return rows


def llvm_records():
    """Returns {number: facts} of LLVM's nameless records."""
    records = {}
    facts = ""
    for line in FACTS.read_text(encoding="utf-8").split("\n"):
        if not line.startswith(" "):
            facts = line
            continue
        for first, last in re.findall(r"\banonymous_(\d+)(?:-(\d+))?", line):
            for number in range(int(first), int(last or first) + 1):
                records[number] = facts
    return records


def unknown_operands(first, count):
    """Returns the operands of a run of slots to which LLVM gives no type, from operand number `first` on."""
    address = [f"%b64_{first}", "0"]
    # In these instructions they are an address, the PTX version, or both.
    return {1: [str(PTX_VERSION)], 2: address, 3: address + [str(PTX_VERSION)]}[count]


def machine_instr(number, facts):
    """Returns a line of MIR: operand N is register N of its class, or a number that contains N."""
    types = facts.split(" |")[0]
    types = [] if types == "no operands" else types.split(" ")
    results, operands = [], []
    i = 0
    while i < len(types):
        count = 1
        if types[i] == "unknown":
            while i + count < len(types) and types[i + count] == "unknown":
                count += 1
            operands += unknown_operands(i, count)
        elif types[i] == "imm":
            operands.append(str(FIRST_IMMEDIATE + i))
        elif types[i].startswith("="):
            mir_class = types[i][1:].lower()
            results.append(f"%{mir_class}_{i}:{mir_class}")
        else:
            operands.append(f"%{types[i].lower()}_{i}")
        i += count
    head = ", ".join(results) + " = " if results else ""
    return f"    {head}anonymous_{number} {', '.join(operands)}".rstrip() + "\n"


def printed_texts(records, llc):
    """Returns what llc prints for each record, as the templates of the tables spell it."""
    numbers = sorted(records)
    body = ""
    indices = {}
    for mir_class in CLASSES:
        for i in range(REGISTERS):
            indices[f"%{mir_class}_{i}"] = len(indices)
            body += f"    %{indices[f'%{mir_class}_{i}']}:{mir_class} = IMPLICIT_DEF\n"
    for number in numbers:
        # A marker between instructions, some of which print several lines.
        body += machine_instr(number, records[number]) + "    CP_ASYNC_WAIT_ALL\n"
    body = re.sub(r"%b\d+_\d+", lambda match: f"%{indices[match.group()]}", body)
    module = ('--- |\n  target triple = "nvptx64-nvidia-cuda"\n  define void @f() { ret void }\n...\n---\nname: f\n'
              f"body: |\n  bb.0:\n{body}    Return\n...\n")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "f.mir"
        path.write_text(module, encoding="utf-8")
        ptx = subprocess.run([llc, "-mtriple=nvptx64", "-mcpu=sm_100a", "-start-after=stack-frame-layout", str(path),
                              "-o", "-"], check=True, capture_output=True, text=True).stdout
    ptx = re.sub(r"//.*", "", ptx)
    ptx = ptx[ptx.rindex(".reg .b64"):].split("\n", 1)[1]
    ptx = re.sub(r"%(p|rs|rd|r)(\d+)", lambda match: f"${int(match.group(2)) - 1}", ptx)
    ptx = re.sub(rf"\b{FIRST_IMMEDIATE // 1000}(\d\d\d)\b", lambda match: f"${int(match.group(1))}", ptx)
    texts = ptx.split("cp.async.wait_all;")
    if len(texts) != len(numbers) + 1:
        sys.exit(f"llc printed {len(texts) - 1} instructions, not {len(numbers)}")
    return {number: text.split() for number, text in zip(numbers, texts)}


def names_text(generator, llc):
    records = llvm_records()
    texts = printed_texts(records, llc)
    candidates = collections.defaultdict(list)
    for number in sorted(records, reverse=True):
        candidates[records[number], tuple(texts[number])].append(number)
    lines = []
    for name, facts, text in table_rows(generator):
        numbers = candidates[facts, tuple(text)]
        if not numbers:
            sys.exit(f"LLVM has no record that prints '{' '.join(text)}' and has the operands '{facts}', as {name} has")
        lines.append(f"{name}\tanonymous_{numbers.pop()}\n")
    left = [number for numbers in candidates.values() for number in numbers]
    if left:
        sys.exit(f"the tables lack anonymous_{min(left)}, which prints '{' '.join(texts[min(left)])}'")
    return HEAD + "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", default=str(ROOT / "bazel-bin/ptx/isa/generator/generate_isa"))
    parser.add_argument("--llc", default=shutil.which("llc-22"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.llc is None:
        sys.exit("llc-22 was not found")
    text = names_text(arguments.generator, arguments.llc)
    if not arguments.check:
        sys.stdout.write(text)
    elif text != NAMES.read_text(encoding="utf-8"):
        sys.exit(f"{NAMES.relative_to(ROOT)} is not what this script makes")


if __name__ == "__main__":
    main()
