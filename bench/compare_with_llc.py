#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ptxmir with llc-22: time and peak memory from the same MIR files to PTX, in one run.

    bazel build -c opt //tools:ptxmir //bench:generate_mir
    bench/compare_with_llc.py                                # generated files of growing size, at -O0
    bench/compare_with_llc.py --level=2 --joined=300000      # the kernels of tests/corpus, joined and repeated
    bench/compare_with_llc.py --level=2 tests/corpus/*.mir   # real kernels, one process a file
    bench/compare_with_llc.py --level=2 --joined=300000 --ir # their LLVM IR
    bench/compare_with_llc.py --level=2 --passes FILE        # the passes in which the time is spent, side by side

Both start where the MIR was written (finalize-isel), or with LLVM IR if the file is a .ll, with one thread. Each figure
is the median of several runs, in which the two tools alternate. Start-up time, measured on an empty function, is shown
and subtracted. The last lines are the ratio of the sums, and the geometric mean of the files' ratios. Times are those of
the processor.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

# llc needs minutes and gigabytes for a million instructions in one function.
ONLY_OURS = ("1000000x1.mir",)
START_UP_RUNS = 15
GENERATED = "1000x1,10000x1,100000x1,300000x20,1000000x1"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXMIR = os.path.join(ROOT, "bazel-bin/tools/ptxmir")
GENERATE = os.path.join(ROOT, "bazel-bin/bench/generate_mir")
JOIN = os.path.join(ROOT, "bench/join_kernels.py")


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


def count_ir_instructions(path):
    """Returns the number of lines that are indented by two."""
    with open(path, errors="replace") as lines:
        return sum(line.startswith("  ") and not line.startswith("   ") for line in lines)


def count_instructions(path):
    """Returns the number of lines of machine code: the lines in function bodies that are indented by four."""
    if path.endswith(".ll"):
        return count_ir_instructions(path)
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


def commands_for(path, args):
    """Returns the command lines of llc and ptxmir for a file."""
    common = [f"-O{args.level}", "-mcpu=" + args.mcpu]
    if not path.endswith(".ll"):
        common.append("-start-after=finalize-isel")
    if args.mattr:
        common.append("-mattr=" + args.mattr)
    return [
        [args.llc, *common, path, "-o", os.devnull],
        [args.ptxmir, "-j1", *common, path, "-o", os.devnull],
    ]


def pass_times(command):
    """Returns {pass: seconds} from the report of -time-passes, and the total of the report."""
    report = subprocess.run([*command, "-time-passes"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                            check=False).stderr
    times = {}
    for line in report.splitlines():
        match = re.match(r"\s+([\d.]+) \(\s*[\d.]+%\).*\)\s+([^()]+?)\s*$", line)
        if match:
            # The columns before the name are user, system, both and wall time; the third is the processor's.
            columns = re.findall(r"([\d.]+) \(\s*[\d.]+%\)", line)
            seconds = float(columns[-2] if len(columns) > 1 else columns[0])
            times[match.group(2)] = times.get(match.group(2), 0.0) + seconds
    return times


def show_passes(path, args):
    for name, command in zip(("llc", "ptxmir"), commands_for(path, args)):
        times = pass_times(command)
        times.pop("Total", None)
        print(f"{name}, {os.path.basename(path)}:")
        for pass_name, seconds in sorted(times.items(), key=lambda item: -item[1])[:15]:
            print(f"  {seconds:8.3f} s  {pass_name}")


class Table:
    """Prints a line for each file and keeps what the last lines are made of."""

    def __init__(self, starts):
        self.starts = starts
        self.rows = []
        print(f"start-up (an empty function): llc {starts[0] * 1000:.1f} ms, ptxmir {starts[1] * 1000:.1f} ms")
        print(f"{'file':<28}{'instrs':>9}{'llc s':>9}{'ours s':>9}{'ratio':>8}{'llc MB':>9}{'ours MB':>9}"
              f"{'ours Mi/s':>11}{'B/instr':>9}")

    def add_ours(self, path, ours):
        seconds = ours[0] - self.starts[1]
        instructions = count_instructions(path)
        self.rows.append({"name": os.path.basename(path), "instructions": instructions, "ptxmir_seconds": seconds,
                          "ptxmir_mb": ours[1]})
        print(f"{os.path.basename(path):<28}{instructions:>9}{'':>9}{seconds:>9.4f}{'':>8}{'':>9}{ours[1]:>9.0f}"
              f"{instructions / seconds / 1e6:>11.2f}{ours[1] * 1048576 / instructions:>9.0f}")

    def add(self, path, llc, ours):
        name, instructions = os.path.basename(path), count_instructions(path)
        if not llc[2] or not ours[2]:
            print(f"{name:<28}{instructions:>9}  rejected by {'llc' if not llc[2] else 'ptxmir'}")
            return
        llc_net, our_net = (max(tool[0] - start, 1e-4) for tool, start in zip((llc, ours), self.starts))
        self.rows.append({"name": name, "instructions": instructions, "llc_seconds": llc_net, "ptxmir_seconds": our_net,
                          "llc_mb": llc[1], "ptxmir_mb": ours[1]})
        print(f"{name:<28}{instructions:>9}{llc_net:>9.3f}{our_net:>9.4f}{llc_net / our_net:>8.1f}"
              f"{llc[1]:>9.0f}{ours[1]:>9.0f}{instructions / our_net / 1e6:>11.2f}"
              f"{ours[1] * 1048576 / max(instructions, 1):>9.0f}")

    def summary(self):
        """Returns the sums over the files that both compiled, and the geometric mean of the ratios."""
        both = [row for row in self.rows if "llc_seconds" in row]
        total = {"files": len(both)}
        for figure in ("instructions", "llc_seconds", "ptxmir_seconds"):
            total[figure] = sum(row[figure] for row in both)
        if both:
            logs = [math.log(row["llc_seconds"] / row["ptxmir_seconds"]) for row in both]
            total["geomean"] = math.exp(sum(logs) / len(logs))
        return total

    def finish(self, json_path):
        total = self.summary()
        if total["files"] > 1:
            print(f"{'sums':<28}{total['instructions']:>9}{total['llc_seconds']:>9.3f}{total['ptxmir_seconds']:>9.4f}"
                  f"{total['llc_seconds'] / total['ptxmir_seconds']:>8.1f}")
            print(f"{'geometric mean of ratios':<55}{total['geomean']:>8.1f}")
        if json_path:
            content = {"start_up": dict(zip(("llc", "ptxmir"), self.starts)), "files": self.rows, "all": total}
            with open(json_path, "w", encoding="utf-8") as file:
                json.dump(content, file)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--level", type=int, default=0, choices=range(4), help="both tools' optimization level")
    parser.add_argument("--joined", type=int, metavar="N",
                        help="join the kernels of the files (default: tests/corpus) and repeat them to N instructions")
    parser.add_argument("--ir", action="store_true", help="join the LLVM IR of the kernels")
    parser.add_argument("--sizes", default=GENERATED, metavar="NxF,...",
                        help="generate files of N instructions in F functions (default: %(default)s)")
    parser.add_argument("--passes", action="store_true", help="show the passes that take most time, too")
    parser.add_argument("--llc", default="llc-22")
    parser.add_argument("--ptxmir", default=PTXMIR)
    parser.add_argument("--generate", default=GENERATE, help="the program that generates MIR")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    parser.add_argument("--mcpu", default="sm_90a")
    parser.add_argument("--mattr", default="+ptx88")
    args = parser.parse_args()
    if shutil.which(args.llc) is None:
        sys.exit(f"{args.llc} is not installed (./setup --peers)")
    return args


def main():
    args = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:

        def generated(instructions, functions):
            path = os.path.join(folder, f"{instructions}x{functions}.mir")
            with open(path, "wb") as out:
                subprocess.run([args.generate, str(instructions), str(functions)], stdout=out, check=True)
            return path

        if args.joined:
            files = [os.path.join(folder, f"joined_{args.joined}.{'ll' if args.ir else 'mir'}")]
            subprocess.run([JOIN, f"--instructions={args.joined}", f"--mcpu={args.mcpu}", f"--mattr={args.mattr}",
                            f"--llc={args.llc}", "-o", files[0], *args.files], check=True)
        else:
            files = args.files or [generated(*size.split("x")) for size in args.sizes.split(",")]
        # Subtracted from every file, so its noise must be less than that of the files.
        start_up = measure(commands_for(generated(1, 1), args), max(args.runs, START_UP_RUNS))
        table = Table([time for time, _, _ in start_up])
        for path in files:
            commands = commands_for(path, args)
            if os.path.basename(path) in ONLY_OURS:
                table.add_ours(path, measure(commands[1:], args.runs)[0])
            else:
                table.add(path, *measure(commands, args.runs))
        table.finish(args.json)
        if args.passes:
            for path in files:
                show_passes(path, args)


if __name__ == "__main__":
    main()
