#!/usr/bin/env python3
"""Judges register allocation on MIR files (made by `llc-22 -stop-after=finalize-isel`), at many budgets:

    bazel build -c opt //tools:ptxmir
    tests/check_budgets.py [--budgets 4-255] [--no-exec] [--jobs N] [FILE.mir ...]      # default: tests/corpus

For each file and budget, with spilling forced; with every register spilled, and with all split at random: the register
checker proves what was done, the verifier finds nothing, and (-verify-exec) kernels compute in the interpreter what
they computed before. Prints what failed, and a line of counts at the end. Kernels that store clocks or race compute
something else each time: --ignore=NAME leaves messages out that name them.
"""

import argparse
import concurrent.futures
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEFORE = "nvptx-forward-params,nvptx-proxy-reg-erasure,phi-node-elimination,twoaddressinstruction"
PASSES = BEFORE + ",register-checker-begin,greedy,virtregrewriter,register-checker"


def budgets_of(text):
    budgets = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        budgets.extend(range(int(first), int(last or first) + 1))
    return budgets


def failures_of(arguments, file, flags):
    command = [arguments.ptxmir, "-run-pass=" + PASSES, *flags, "-verify-machineinstrs", "-o", os.devnull, file]
    if not arguments.no_exec:
        command.append("-verify-exec")
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=arguments.timeout)
    except subprocess.TimeoutExpired:
        return ["timed out"]
    if process.returncode == 0:
        return []
    messages = [line for line in process.stderr.splitlines() if "error:" in line] or [process.stderr[-500:]]
    return [message for message in messages if not any(name in message for name in arguments.ignore)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--budgets", default="4-255", type=budgets_of)
    parser.add_argument("--no-exec", action="store_true", help="only the checker and the verifier")
    parser.add_argument("--ignore", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    arguments = parser.parse_args()
    files = arguments.files or sorted(glob.glob(os.path.join(ROOT, "tests/corpus/*.mir")))
    runs = [(file, ["-ra-spill=always", f"-ra-limit={budget}"]) for file in files for budget in arguments.budgets]
    for stress in ("spill-all", "split"):
        runs += [(file, ["-ra-stress=" + stress, *compact]) for file in files for compact in ([], ["-compact-regs"])]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda run: failures_of(arguments, *run), runs)
        for (file, flags), messages in zip(runs, results):
            failed += bool(messages)
            if messages:
                print(f"{os.path.basename(file)} {' '.join(flags)}: {messages[0]}", flush=True)
    print(f"{len(files)} files, {len(runs)} runs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
