#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the upgrade of MIR of an old LLVM, on CUDA sources:

    bazel build -c opt //tools:ptxmir //tools/run:ptxmir-run
    tests/mir/upgrade/compare_old_mir.py 19 [--folder=FOLDER] [FILE.cu ...]

Without files it takes those of tests/corpus. clang and llc of the old version, llc-22, ptxas and CUDA's headers must
be installed. For each file that the old clang and llc compile:
  read    ptxmir reads the old llc's MIR
  ptxas   ptxas accepts what ptxmir makes of it at -O0
  text    the machine code that the old llc prints last, printed by ptxmir, is the old llc's PTX but for the names of
          types and registers; lines that the upgrade writes in another way are counted as different
  run     each kernel computes in the interpreter what the code computes that llc-22 selects from the same IR
Prints what is not so, and a line of counts at the end. FOLDER keeps the files.
"""

import argparse
import collections
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "tools/run"))
import compare_with_gpu  # pylint: disable=wrong-import-position
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
TARGET = ["-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_80"]
STEPS = ("compiled", "read", "ptxas", "text", "run")


def run(command, timeout=120):
    """Returns whether a command succeeds, and what it prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return False, "timed out"
    return done.returncode == 0, done.stdout + done.stderr


def statements(ptx):
    """The instructions of PTX, one by one, and the declarations of registers."""
    call = ""
    for line in ptx.split("\n"):
        line = re.sub(r"\s+", " ", re.sub(r"//.*", "", line)).strip()
        if call or re.match(r"call(\.uni)?( |$)", line):
            # Old LLVMs print a call in several lines.
            call = f"{call} {line}"
            if not call.endswith(";"):
                continue
            line, call = re.sub(r"\s*([(),])\s*", r"\1", call).strip(), ""
        if line.startswith("{ .reg "):
            # A scope in one line: the declaration and the instruction.
            declaration, _, line = line[2:].removesuffix("}").strip().partition("; ")
            yield declaration + ";"
        is_text = line.startswith((".", "{", "}", "$", "(", ")", ";")) or ".func" in line or ".entry" in line
        if line and (not is_text or line.startswith(".reg ") or ".func" in line or ".entry" in line):
            yield line


def normalized(ptx):
    """The instructions, with what versions of LLVM write in other ways made equal: types, names, negated branches."""
    lines = []
    for line in statements(ptx):
        line = re.sub(r"\b(mov|selp|shr|ld[a-z.]*|st[a-z.]*)((?:\.v\d)?)\.[uf](8|16|32|64)\b", r"\1\2.b\3", line)
        line = re.sub(r"\b(mov|selp)\.s(16|32|64)\b", r"\1.b\2", line)
        line = re.sub(r"\b(add|sub)\.u(32|64)\b", r"\1.s\2", line)
        line = re.sub(r"\b(setp\.(?:eq|ne))\.[us](16|32|64)\b", r"\1.b\2", line)
        line = re.sub(r"\+0\]", "]", line)
        negated = re.match(r"@(%p\d+) bra (.*)", line)
        if negated and lines and lines[-1].startswith(f"not.pred {negated[1]},"):
            line = f"@!{lines.pop().split(',')[1].strip(' ;')} bra {negated[2]}"
        lines.append(line)
    return renumbered(lines)


def renumbered(lines):
    """The instructions, with registers and labels numbered by their first occurrence in a function."""
    names = r"%(?:rd|rs|r|fd|f|hh|h|p|rq)\d+\b|\$L__BB\d+_\d+|%lhs|%rhs|%amt2|%te?mp|\bte?mp\b|%SPL?\b"
    numbers = {}
    next_number = itertools.count()
    result = []
    for line in lines:
        if ".func" in line or ".entry" in line:
            numbers = {}
        elif line.startswith(".reg "):
            # A declaration within braces begins a new register of this name.
            for name in re.findall(r"[%\w]+(?=[;,])", line):
                numbers.pop(name, None)
        else:
            result.append(re.sub(names, lambda name: numbers.get(name[0]) or
                                 numbers.setdefault(name[0], f"%{next(next_number)}"), line))
    return result


class Judge:
    """Judges files of one version, and counts."""

    def __init__(self, options, folder):
        self.version = options.version
        self.folder = folder
        self.programs = options.programs
        self.counts = {step: collections.Counter() for step in STEPS}
        self.includes = os.path.join(folder, "include")
        os.makedirs(self.includes, exist_ok=True)
        # CUDA 13 lacks a header that old clangs include.
        with open(os.path.join(self.includes, "texture_fetch_functions.h"), "w", encoding="utf-8"):
            pass

    def tool(self, name):
        """The path of one of our programs."""
        return os.path.join(self.programs, name)

    def note(self, step, outcome, what=""):
        """Counts an outcome of a step and prints it unless it is good."""
        self.counts[step][outcome] += 1
        if outcome != "equal" and outcome != "yes" and what:
            print(f"{step} {outcome}: {what}", flush=True)

    def compile(self, source, stem):
        """Makes IR, MIR and last machine code with the old tools, and MIR with llc-22."""
        clang = [f"clang-{self.version}", "-x", "cuda", f"--cuda-path={CUDA}", "-I" + self.includes,
                 f"-I{CUDA}/include/cccl", "--cuda-gpu-arch=sm_80", "--cuda-device-only", "-O3", "-std=c++17", "-S",
                 "-emit-llvm", "-w", source, "-o", stem + ".ll"]
        llc = [f"llc-{self.version}", *TARGET, stem + ".ll", "-o"]
        ok = run(clang)[0] and run([*llc, stem + ".mir", "-stop-after=finalize-isel"])[0]
        if not ok:
            return False
        run([*llc, stem + ".late.mir", "-stop-after=stack-frame-layout"])
        run([*llc, stem + ".llc.ptx"])
        run(["llc-22", *TARGET, "-stop-after=finalize-isel", stem + ".ll", "-o", stem + ".22.mir"])
        return True

    def judge(self, source):
        """Judges a CUDA source."""
        name = os.path.basename(source).removesuffix(".cu")
        stem = os.path.join(self.folder, name)
        if not os.path.exists(stem + ".mir") and not self.compile(source, stem):
            return self.note("compiled", "no")
        self.note("compiled", "yes")
        ok, message = run([self.tool("tools/ptxmir"), "-O0", stem + ".mir", "-o", stem + ".ptx"])
        if not ok:
            self.note("read", "refused" if "cannot be upgraded" in message else "FAILED", f"{name}: {message[:300]}")
            return None
        self.note("read", "yes")
        ok, message = run([f"{CUDA}/bin/ptxas", "-O0", "-arch=sm_80", stem + ".ptx", "-o", "/dev/null"])
        self.note("ptxas", "yes" if ok else "no", f"{name}: {message[:300]}")
        self.judge_text(name, stem)
        return self.judge_runs(name, stem)

    def judge_text(self, name, stem):
        """Compares the text of the last machine code, line by line."""
        ok, message = run([self.tool("tools/ptxmir"), "-start-after=stack-frame-layout", stem + ".late.mir", "-o",
                           stem + ".late.ptx"])
        if not ok:
            return self.note("text", "not read", f"{name}: {message[:300]}")
        with open(stem + ".llc.ptx", encoding="utf-8") as old, open(stem + ".late.ptx", encoding="utf-8") as new:
            wanted, got = normalized(old.read()), normalized(new.read())
        at = next((i for i, (a, b) in enumerate(zip(wanted, got)) if a != b), min(len(wanted), len(got)))
        equal = wanted == got
        return self.note("text", "equal" if equal else "different",
                         f"{name}: {wanted[at:at + 2]} and {got[at:at + 2]}")

    def judge_runs(self, name, stem):
        """Runs each kernel of the old MIR and of llc-22's."""
        if not os.path.exists(stem + ".22.mir"):
            return
        with open(stem + ".ptx", encoding="utf-8") as file:
            kernels = re.findall(r"\.entry (\S+?)\(", file.read())
        for kernel in dict.fromkeys(kernels):
            self.judge_kernel(name, stem, kernel)

    def judge_kernel(self, name, stem, kernel):
        """Runs a kernel on a generated input."""
        with tempfile.TemporaryDirectory() as saved, tempfile.TemporaryDirectory() as again:
            command = [self.tool("tools/run/ptxmir-run"), "--show=nothing", "--max-steps=1000000"]
            ok, _ = run([*command, stem + ".22.mir", f"--kernel={kernel}", "--generate=1", "--save=" + saved])
            if not ok or not os.path.exists(os.path.join(saved, "options")):
                self.note("run", "does not run")
                return
            with open(os.path.join(saved, "options"), encoding="utf-8") as file:
                launch = file.read().splitlines()
            ok, message = run([*command, stem + ".mir", *launch, "--save=" + again])
            if not ok:
                self.note("run", "FAILED", f"{name}: {kernel}: {message[:300]}")
                return
            outcome, place = compare_with_gpu.compare_folders(saved, again)
        self.note("run", outcome, f"{name}: {kernel}: {place}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", type=int)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--folder", help="keep files here, and use what is there")
    parser.add_argument("--programs", default=os.path.join(ROOT, "bazel-bin"), help="where our programs are built")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        judge = Judge(options, os.path.abspath(options.folder or temporary))
        for source in options.files or sorted(glob.glob(os.path.join(ROOT, "tests/corpus/*.cu"))):
            judge.judge(source)
    for step in STEPS:
        print(f"{step}: " + ", ".join(f"{number} {outcome}" for outcome, number in judge.counts[step].most_common()))


if __name__ == "__main__":
    main()
