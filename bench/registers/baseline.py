# SPDX-License-Identifier: Apache-2.0

"""The figures of an earlier run, stored in a file, and the regressions since."""

import json

_VERSION = 1

# (figure, whether more is worse, description).
FIGURES = (
    ("registers", True, "registers"),
    ("spill_bytes", True, "spill bytes"),
    ("stack", True, "bytes of stack"),
    ("warps", False, "warps resident"),
)


def _key(row):
    return [row["file"], row["kernel"], row["options"], row["budget"]]


def write(path, rows, ptxas_version):
    """Writes one line per kernel and setting, in order, so that a diff shows the changes."""
    entries = []
    for row in rows:
        if row["ptxmir"]:
            figures = {name: row["ptxmir"][name] for name, _, _ in FIGURES if name in row["ptxmir"]}
            entries.append(json.dumps([*_key(row), figures]))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{{"version": {_VERSION}, "ptxas": {json.dumps(ptxas_version)}, "kernels": [\n')
        file.write(",\n".join(entries))
        file.write("\n]}\n")


class Unusable(Exception):
    """The file is not a baseline."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        if content["version"] != _VERSION:
            raise Unusable(f"{path}: version {content['version']}, where {_VERSION} is expected")
        kernels = {tuple(entry[:4]): entry[4] for entry in content["kernels"]}
        return kernels, content["ptxas"]
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise Unusable(f"{path}: not a baseline: {error}") from error


def compare(before, rows, files, options, budgets, tolerances):
    """Returns (regressions, improvements, number of kernels compared). The first two are lists of lines. A missing
    kernel of the baseline is a regression if its file and setting were part of the run."""
    regressions, improvements = [], []
    compared = 0
    now = {tuple(_key(row)): row["ptxmir"] for row in rows if row["ptxmir"]}
    for key, old in before.items():
        file, kernel, option_set, budget = key
        where = f"{file}:{kernel} ({option_set}, budget {budget})"
        if key not in now:
            if file in files and option_set in options and budget in budgets:
                regressions.append(f"{where}: does not compile any more")
            continue
        compared += 1
        for name, more_is_worse, words in FIGURES:
            if name not in old or name not in now[key]:
                continue
            change = now[key][name] - old[name]
            worse = change if more_is_worse else -change
            line = f"{where}: {words} {old[name]} -> {now[key][name]}"
            if worse > tolerances[name]:
                regressions.append(line)
            elif worse < 0:
                improvements.append(line)
    return regressions, improvements, compared
