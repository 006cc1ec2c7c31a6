#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges ptxmir on any set of MIR files (made by `llc-22 -stop-after=finalize-isel`):

    bazel build -c opt //tools:ptxmir
    tests/check_files.py [--jobs N] FILE.mir ...

For each file, with what is installed of llc-22 and ptxas:
  read       ptxmir reads and verifies it
  roundtrip  written back it is the same text
  parity     what ptxmir prints from llc's last machine code is what llc prints (comments and blanks aside);
             llc makes that code from FILE.ll if it lies beside FILE.mir, else from FILE.mir
  ptxas-80, ptxas-90   ptxas accepts ptxmir's PTX at -O0 (where it accepts none of llc's, the file is skipped)
Prints what failed, and a line of counts at the end.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def find_ptxas():
    for place in ("ptxas", os.path.join(os.environ.get("CUDA_HOME", ""), "bin/ptxas"), "/usr/local/cuda/bin/ptxas"):
        if shutil.which(place):
            return shutil.which(place)
    return None


def run(command, timeout=300):
    try:
        process = subprocess.run(command, capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return False, b"", b"timed out"
    return process.returncode == 0, process.stdout, process.stderr


def normalized(ptx):
    """Without comments, trailing blanks and empty lines. llc prints module variables in an order that changes
    from run to run: they are sorted."""
    lines = (re.sub(rb"//.*", b"", line).rstrip() for line in ptx.split(b"\n"))
    lines = [line for line in lines if line]
    is_variable = re.compile(rb"(\.(extern|visible|weak|common) )?\.(global|const|shared|local) ").match
    variables = iter(sorted(line for line in lines if is_variable(line)))
    return [next(variables) if is_variable(line) else line for line in lines]


class Checker:
    def __init__(self, arguments):
        self.ptxmir = arguments.ptxmir
        self.llc = shutil.which(arguments.llc)
        self.ptxas = find_ptxas()
        self.attributes = arguments.mattr

    def check(self, path):
        """(step, verdict, detail) for each step tried."""
        results = []
        ok, text, error = run([self.ptxmir, "-run-pass=finalize-isel", path])
        results.append(("read", ok, error.decode(errors="replace")[:400]))
        if not ok:
            return results
        with open(path, "rb") as file:
            results.append(("roundtrip", text == file.read(), first_difference(path, text)))
        if self.llc:
            results += self.check_parity(path)
        if self.ptxas:
            for cpu in ("sm_80", "sm_90"):
                results += self.check_ptxas(path, cpu)
        return results

    def check_parity(self, path):
        source = path[:-4] + ".ll"
        if not os.path.exists(source):
            source = path
        start = [] if source.endswith(".ll") else ["-start-after=finalize-isel"]
        target = ["-mcpu=sm_90", "-mattr=" + self.attributes]
        with tempfile.TemporaryDirectory() as folder:
            late = os.path.join(folder, "late.mir")
            ok, _, _ = run([self.llc, *target, *start, "-stop-after=stack-frame-layout", source, "-o", late])
            if not ok:
                return [("parity", None, "llc rejects it")]
            ok, wanted, _ = run([self.llc, *target, "-start-after=stack-frame-layout", late, "-o", "-"])
            if not ok:
                return [("parity", None, "llc rejects it")]
            ok, got, error = run([self.ptxmir, *target, "-start-after=stack-frame-layout", late])
            if not ok:
                return [("parity", False, error.decode(errors="replace")[:400])]
        wanted, got = normalized(wanted), normalized(got)
        detail = ""
        if wanted != got:
            at = next((i for i, (a, b) in enumerate(zip(wanted, got)) if a != b), min(len(wanted), len(got)))
            detail = f"line {at}: llc  {wanted[at:at + 1]}\n{'':12}ours {got[at:at + 1]}"
        return [("parity", wanted == got, detail)]

    def check_ptxas(self, path, cpu):
        step = "ptxas-" + cpu[3:]
        target = ["-mcpu=" + cpu, "-mattr=" + self.attributes]
        with tempfile.TemporaryDirectory() as folder:
            ptx, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
            ok, _, error = run([self.ptxmir, "-O0", *target, path, "-o", ptx])
            if not ok:
                return [(step, False, error.decode(errors="replace")[:400])]
            ok, _, error = run([self.ptxas, "-arch=" + cpu, ptx, "-o", cubin])
            if ok:
                return [(step, True, "")]
            # Is it the input? Ask llc.
            detail = error.decode(errors="replace")[:400]
            if self.llc:
                source = path[:-4] + ".ll" if os.path.exists(path[:-4] + ".ll") else path
                start = [] if source.endswith(".ll") else ["-start-after=finalize-isel"]
                made, _, _ = run([self.llc, *target, *start, source, "-o", ptx])
                if made and not run([self.ptxas, "-arch=" + cpu, ptx, "-o", cubin])[0]:
                    return [(step, None, "rejected from llc too: " + detail)]
            return [(step, False, detail)]


def first_difference(path, text):
    with open(path, "rb") as file:
        wanted = file.read().split(b"\n")
    for number, (a, b) in enumerate(zip(wanted, text.split(b"\n")), 1):
        if a != b:
            return f"line {number}: was {a[:160]}\n{'':12}is  {b[:160]}"
    return "one is longer"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    parser.add_argument("--llc", default="llc-22")
    parser.add_argument("--mattr", default="+ptx88")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    checker = Checker(arguments)
    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, results in zip(arguments.files, pool.map(checker.check, arguments.files)):
            for step, verdict, detail in results:
                counts[step][verdict] += 1
                if verdict is False:
                    print(f"{path}: {step} FAILED\n            {detail}", flush=True)
    for step, verdicts in counts.items():
        print(f"{step}: {verdicts[True]} ok, {verdicts[False]} failed, {verdicts[None]} not applicable")
    raise SystemExit(any(verdicts[False] for verdicts in counts.values()))


if __name__ == "__main__":
    main()
