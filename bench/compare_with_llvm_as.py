#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares ptxmir with llvm-as-22: time and peak memory for reading LLVM IR text, in one run.

    bazel build -c opt //tools:ptxmir //bench:ir_reader_benchmark
    bench/compare_with_llvm_as.py --megabytes=10 FILE.ll ...   # the functions of the files, repeated to that size
    bench/compare_with_llvm_as.py FILE.ll ...                  # each file by itself

"read": both read the text and verify it, and nothing else: `llvm-as -disable-output`, and ir_reader_benchmark, because
ptxmir always goes on. "write": llvm-as also writes bitcode to /dev/null, and `ptxmir -emit-llvm` text. Each figure is
the median of several runs, in which the two alternate; behind it is the minimum. Start-up time, measured on an empty
module, is shown and subtracted. Times are those of the processor, user and system.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PTXMIR = os.path.join(ROOT, "bazel-bin/tools/ptxmir")
READER = os.path.join(ROOT, "bazel-bin/bench/ir_reader_benchmark")
NAME = re.compile(r'@(?!llvm\.)([-\w.$]+)')
METADATA_LINE = re.compile(r'^![\w.]+ = .*$', re.MULTILINE)
ATTACHMENT = re.compile(r', !(?:tbaa|tbaa\.struct|srcloc|llvm\.loop|range|noundef|dbg|noalias|alias\.scope) !\d+')
GROUPS = re.compile(r'^attributes #\d+ = .*$', re.MULTILINE)
NAMED_TYPE = re.compile(r'^%\S.* = type ', re.MULTILINE)
LEFT_OUT = re.compile(r'^(source_filename|target |; ModuleID|\$|@llvm\.).*$', re.MULTILINE)


def run(command):
    """Returns the CPU seconds and the peak resident memory in MB of one process, and whether it was successful."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status == 0


def join(paths, size):
    """Repeats the modules, with other names each time, until the text has `size` bytes. What numbers nodes of a module
    cannot be joined as text: metadata and attribute groups are left out."""
    parts, total, copy, declared = [], 0, 0, set()
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "!DI" in text or NAMED_TYPE.search(text) or "comdat" in text:
            continue
        for pattern in (METADATA_LINE, ATTACHMENT, GROUPS, LEFT_OUT):
            text = pattern.sub("", text)
        texts.append(re.sub(r' #\d+', "", text))
    if not texts:
        sys.exit("no file can be joined")
    while total < size:
        for text in texts:
            lines = []
            for line in NAME.sub(lambda match, n=copy: f"@{match.group(1)}.{n}", text).split("\n"):
                if line.startswith("declare ") and "@llvm." in line:
                    if line in declared:
                        continue
                    declared.add(line)
                lines.append(line)
            parts.append("\n".join(lines))
            total += len(parts[-1])
            copy += 1
            if total >= size:
                break
    return "\n".join(parts)


def start_time(command, runs=15):
    return statistics.median(run(command)[0] for _ in range(runs))


def compare(path, commands, start, runs):
    """Prints a line. Returns the medians of the times."""
    name = os.path.basename(path)
    if not all(run(command + [path])[2] for command in commands.values()):
        print(f"{name:32} cannot be read by both")
        return dict.fromkeys(commands, 0.0)
    samples = {tool: [] for tool in commands}
    for _ in range(runs):
        for tool, command in commands.items():
            samples[tool].append(run(command + [path]))
    memory = {tool: statistics.median(s[1] for s in v) for tool, v in samples.items()}
    times = {tool: max(statistics.median(s[0] for s in v) - start[tool], 1e-6) for tool, v in samples.items()}
    least = {tool: max(min(s[0] for s in v) - start[tool], 1e-6) for tool, v in samples.items()}
    cells = " ".join(f"{1000 * times[tool]:8.1f} ({1000 * least[tool]:6.1f})" for tool in commands)
    print(f"{name:32} {os.path.getsize(path) / 1e6:6.1f} {cells} {times['llvm-as'] / times['ptxmir']:6.1f} "
          f"{memory['llvm-as']:6.0f} {memory['ptxmir']:6.0f}")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=0)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--ptxmir", default=PTXMIR)
    parser.add_argument("--reader", default=READER)
    parser.add_argument("--llvm-as", default="llvm-as-22")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = arguments.files
        if arguments.megabytes:
            files = [os.path.join(folder, "joined.ll")]
            with open(files[0], "w", encoding="utf-8") as file:
                file.write(join(arguments.files, arguments.megabytes * 1e6))
        empty = os.path.join(folder, "empty.ll")
        with open(empty, "w", encoding="utf-8") as file:
            file.write("define void @f() {\n  ret void\n}\n")
        tasks = {
            "read": {"llvm-as": [arguments.llvm_as, "-disable-output"], "ptxmir": [arguments.reader, "--runs=1"]},
            "write": {"llvm-as": [arguments.llvm_as, "-o", "/dev/null"],
                      "ptxmir": [arguments.ptxmir, "-x", "ir", "-emit-llvm", "-o", "/dev/null"]},
        }
        for task, commands in tasks.items():
            start = {tool: start_time(command + [empty]) for tool, command in commands.items()}
            print(f"{task}; start-up: " + ", ".join(f"{tool} {1000 * seconds:.1f} ms" for tool, seconds in start.items()))
            print(f"{'file':32} {'MB':>6} {'llvm-as, ms (min)':>17} {'ptxmir, ms (min)':>17} {'ratio':>6} {'memory, MB':>13}")
            sums = dict.fromkeys(commands, 0.0)
            for path in files:
                for tool, seconds in compare(path, commands, start, arguments.runs).items():
                    sums[tool] += seconds
            if len(files) > 1 and sums["ptxmir"] > 0:
                print(f"ratio of the sums: {sums['llvm-as'] / sums['ptxmir']:.1f}")


if __name__ == "__main__":
    main()
