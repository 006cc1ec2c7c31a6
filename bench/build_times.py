#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where the time of a build goes: by kind of action, then the slowest translation units, tests and headers.

    bazel clean && bazel test --profile=/tmp/profile.gz //...
    bench/build_times.py /tmp/profile.gz [--most=20] [--headers]

Seconds are those of each action; as many actions run at once as there are cores. With --headers, each header of the
project is parsed by itself (g++ -fsyntax-only), which takes minutes. Generated headers come from bazel-bin.
"""

import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def actions(profile):
    """Yields (kind, description, seconds)."""
    with gzip.open(profile, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event.get("cat") != "action processing":
            continue
        name = event["name"]
        kind = name.split(" ", 1)[0]
        if kind == "Compiling":
            kind += " tests" if " tests/" in name else " the rest"
        yield kind, name, event["dur"] / 1e6


def print_slowest(title, rows, most):
    print(f"\n{title}")
    for name, seconds in sorted(rows, key=lambda row: -row[1])[:most]:
        print(f"{seconds:8.1f} s  {name}")


def header_seconds(header):
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as source:
        source.write(f'#include "{header}"\n')
        source.flush()
        begin = time.monotonic()
        subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I.", "-Iinclude", "-Ibazel-bin", source.name], cwd=ROOT,
                       check=True)
        return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("profile")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--headers", action="store_true")
    arguments = parser.parse_args()

    seconds = collections.Counter()
    count = collections.Counter()
    names = collections.defaultdict(list)
    for kind, name, duration in actions(arguments.profile):
        seconds[kind] += duration
        count[kind] += 1
        names[kind].append((name, duration))
    for kind, total in seconds.most_common():
        if total >= 1:
            print(f"{total:8.0f} s  {count[kind]:5} times  {kind}")
    compilations = names["Compiling the rest"] + names["Compiling tests"]
    print_slowest("The slowest translation units", compilations, arguments.most)
    print_slowest("The slowest tests", names["Testing"], arguments.most)
    if arguments.headers:
        listed = subprocess.run(["git", "ls-files", "*.h"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        headers = [path for path in listed.split() if not path.startswith(("tests/", "bench/", "examples/", "third_party/"))]
        print_slowest("The slowest headers", [(header, header_seconds(header)) for header in headers], arguments.most)


if __name__ == "__main__":
    sys.exit(main())
