# SPDX-License-Identifier: Apache-2.0

"""Runs the commands of sections and reads what they print."""

import csv
import json
import os
import re
import shlex
import subprocess
import tempfile
from typing import NamedTuple


def run(root, command):
    """Runs a shell command in the root of the repository and returns its output. Raises an error if it fails."""
    return subprocess.run(command, shell=True, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


def build(root, *targets):
    run(root, "bazel build -c opt " + shlex.join(targets))


def run_with_json(root, command, option):
    """Runs a command that writes JSON to the file that `option` names. Returns the JSON and the output."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        output = run(root, f"{command} {option}={path}")
        with open(path, encoding="utf-8") as file:
            return json.load(file), output


def benchmark(root, name, *options):
    """Builds and runs a benchmark. Returns {name of a case: its figures} and the output."""
    build(root, "//bench:" + name)
    command = shlex.join([f"bazel-bin/bench/{name}", "--benchmark_out_format=json", *options])
    results, output = run_with_json(root, command, "--benchmark_out")
    return {case["name"]: case for case in results["benchmarks"] if case.get("run_type") != "aggregate"}, output


def compare_registers(root, arguments, option_sets=(), budgets="default,32,40,64"):
    """Runs bench/registers.py with its default or the given option sets, which are pairs of a name and flags. Returns
    its summary and the rows of its CSV file."""
    build(root, "//tools:ptxmir")
    command = f"bench/registers.py --show=none --budgets={budgets} {arguments}"
    for name, flags in option_sets:
        command += " --options " + shlex.quote(f"{name}=-O2 {flags}".rstrip())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernels.csv")
        results, _ = run_with_json(root, f"{command} --csv={path}", "--json")
        with open(path, encoding="utf-8", newline="") as file:
            return results["summary"], list(csv.DictReader(file))


def option_sets_of_autotune(root):
    """Returns the names and flags of the option sets of -autotune (compiler/option_sets.cc)."""
    with open(os.path.join(root, "compiler/option_sets.cc"), encoding="utf-8") as file:
        table = re.search(r"kTuningSets\[\] = \{(.*?)\};", file.read(), re.DOTALL)[1]
    joined = re.sub(r'"\s*\n\s*"', "", re.sub(r"//.*", "", table))
    return [tuple(part.strip() for part in entry.split(":", 1)) for entry in re.findall(r'"([^"]*)"', joined)]


class Measured(NamedTuple):
    seconds: float  # of the CPU
    megabytes: float  # at most resident
    output: str  # both streams


def run_on_generated(root, instructions, command):
    """Generates a file of one function and runs a command on it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "generated.mir")
        run(root, f"bazel-bin/bench/generate_mir {instructions} 1 > {path}")
        with open(os.path.join(folder, "output"), "w+", encoding="utf-8") as output:
            process = subprocess.Popen([*shlex.split(command), path], cwd=root, stdout=output, stderr=output)
            _, status, usage = os.wait4(process.pid, 0)
            output.seek(0)
            text = output.read()
        if status != 0:
            raise RuntimeError(f"{command}: {text}")
        return Measured(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def numbers_after(text, *labels):
    """Returns, for each label, the integer in the line of `text` that ends with the label (the form of -stats)."""
    return [int(re.search(rf"^\s*(\d+)\s.*{re.escape(label)}$", text, re.MULTILINE)[1]) for label in labels]
