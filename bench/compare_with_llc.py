#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ptxmir with llc-22: time and peak memory from the same MIR files to PTX, in one run.

    bazel build -c opt //tools:ptxmir //bench:generate_mir
    bench/compare_with_llc.py                      # generated files of growing size
    bench/compare_with_llc.py tests/corpus/*.mir   # real kernels, one process per file

Both run at -O0 from the point where the MIR was written (finalize-isel). Each figure is the median of several
runs, in which the two tools alternate. Start-up time, measured on an empty function, is shown and subtracted.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

# llc needs minutes and gigabytes for a million instructions in one function.
ONLY_OURS = ("1000000x1.mir",)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXMIR = os.path.join(ROOT, "bazel-bin/tools/ptxmir")
GENERATE = os.path.join(ROOT, "bazel-bin/bench/generate_mir")


def run(command):
    """Returns the CPU seconds, the peak resident memory in MB and the success of one process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status == 0


def measure(commands, runs):
    """Runs the commands alternately. Returns (median seconds, peak MB, ok) for each."""
    results = [[] for _ in commands]
    for _ in range(runs):
        for result, command in zip(results, commands):
            result.append(run(command))
    return [
        (statistics.median(r[0] for r in result), max(r[1] for r in result), all(r[2] for r in result))
        for result in results
    ]


def count_instructions(path):
    """Returns the number of lines of machine code: the lines in function bodies that are indented by four."""
    count = 0
    in_body = False
    with open(path, errors="replace") as lines:
        for line in lines:
            if line.startswith("body:"):
                in_body = True
            elif line.startswith(("...", "---")):
                in_body = False
            elif in_body and line.startswith("    ") and not line.lstrip().startswith(("successors:", "liveins:", ";", "\n")):
                count += line.strip() != ""
    return count


def commands_for(path, llc, ptxmir, cpu, attributes):
    target = ["-mcpu=" + cpu] + (["-mattr=" + attributes] if attributes else [])
    return [
        [llc, "-O0", "-start-after=finalize-isel", *target, path, "-o", os.devnull],
        [ptxmir, "-O0", "-j1", "-start-after=finalize-isel", *target, path, "-o", os.devnull],
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--llc", default="llc-22")
    parser.add_argument("--ptxmir", default=PTXMIR)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mcpu", default="sm_90")
    parser.add_argument("--mattr", default="+ptx88")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    arguments = parser.parse_args()
    if shutil.which(arguments.llc) is None:
        sys.exit(f"{arguments.llc} is not installed (./setup --peers)")

    with tempfile.TemporaryDirectory() as folder:

        def generated(instructions, functions):
            path = os.path.join(folder, f"{instructions}x{functions}.mir")
            with open(path, "wb") as out:
                subprocess.run([GENERATE, str(instructions), str(functions)], stdout=out, check=True)
            return path

        def compare(path):
            return measure(
                commands_for(path, arguments.llc, arguments.ptxmir, arguments.mcpu, arguments.mattr),
                arguments.runs,
            )

        (llc_start, _, _), (our_start, _, _) = compare(generated(1, 1))
        print(f"start-up (an empty function): llc {llc_start * 1000:.1f} ms, ptxmir {our_start * 1000:.1f} ms")
        print(f"{'file':<28}{'instrs':>9}{'llc s':>9}{'ours s':>9}{'ratio':>8}{'llc MB':>9}{'ours MB':>9}"
              f"{'ours Mi/s':>11}{'B/instr':>9}")
        rows = []
        files = arguments.files or [
            generated(n, f) for n, f in ((1000, 1), (10000, 1), (100000, 1), (300000, 20), (1000000, 1))
        ]
        for path in files:
            instructions = count_instructions(path)
            name = os.path.basename(path)
            if name in ONLY_OURS:
                our_time, our_memory, _ = measure(
                    commands_for(path, arguments.llc, arguments.ptxmir, arguments.mcpu, arguments.mattr)[1:],
                    arguments.runs)[0]
                our_net = our_time - our_start
                rows.append({"name": name, "instructions": instructions, "ptxmir_seconds": our_net,
                             "ptxmir_mb": our_memory})
                print(f"{name:<28}{instructions:>9}{'':>9}{our_net:>9.4f}{'':>8}{'':>9}{our_memory:>9.0f}"
                      f"{instructions / our_net / 1e6:>11.2f}{our_memory * 1048576 / instructions:>9.0f}")
                continue
            (llc_time, llc_memory, llc_ok), (our_time, our_memory, our_ok) = compare(path)
            if not llc_ok or not our_ok:
                print(f"{name:<28}{instructions:>9}  rejected by {'llc' if not llc_ok else 'ptxmir'}")
                continue
            llc_net = max(llc_time - llc_start, 1e-4)
            our_net = max(our_time - our_start, 1e-4)
            rows.append({"name": name, "instructions": instructions, "llc_seconds": llc_net, "ptxmir_seconds": our_net,
                         "llc_mb": llc_memory, "ptxmir_mb": our_memory})
            print(f"{name:<28}{instructions:>9}{llc_net:>9.3f}{our_net:>9.4f}{llc_net / our_net:>8.1f}"
                  f"{llc_memory:>9.0f}{our_memory:>9.0f}{instructions / our_net / 1e6:>11.2f}"
                  f"{our_memory * 1048576 / max(instructions, 1):>9.0f}")
        both = [row for row in rows if "llc_seconds" in row]
        total = {"files": len(both)}
        for figure in ("instructions", "llc_seconds", "ptxmir_seconds"):
            total[figure] = sum(row[figure] for row in both)
        if len(files) > 1 and both:
            print(f"{'all':<28}{total['instructions']:>9}{total['llc_seconds']:>9.3f}{total['ptxmir_seconds']:>9.4f}"
                  f"{total['llc_seconds'] / total['ptxmir_seconds']:>8.1f}")
        if arguments.json:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump({"start_up": {"llc": llc_start, "ptxmir": our_start}, "files": rows, "all": total}, file)


if __name__ == "__main__":
    main()
