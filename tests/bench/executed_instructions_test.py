# SPDX-License-Identifier: Apache-2.0

"""The instructions that ptxmir executes to compile kernels of the corpus, counted by valgrind.

Counts depend neither on the load nor on the clock of a machine, so that a pass that takes 3 % more shows. They are those
of the checked build without its checks: -O1 where the release has -O2, otherwise the same code. Counts of another
compiler differ; executed_instructions.tsv names the one that it is of, and the test is skipped with others.

To record again, after a change that is meant to be faster or is worth being slower:

    bazel build //tools:ptxmir
    PTXMIR_RECORD=$PWD/tests/bench/executed_instructions.tsv bazel test //tests/bench:executed_instructions_test \\
        --test_env=PTXMIR_RECORD --spawn_strategy=local
"""

import os
import re
import shutil
import subprocess
import unittest

import python_test

_FILES = ("aes", "bitonic_sort", "convolution", "dynamic_programming", "fft", "flash_attention", "hgemm_mma", "lbm_d3q19",
          "monte_carlo", "sgemm_f32", "spmv", "stencil_2d")
_LEVELS = (0, 2)
_TOLERANCE = 0.03
_RECORD = "tests/bench/executed_instructions.tsv"


def _compiler():
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    return "g++ " + version


def _count(valgrind, file, level):
    """Returns the instructions executed, and those of machine code in the file."""
    path = f"tests/corpus/{file}.mir"
    command = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", "tools/ptxmir", f"-O{level}", "-j1",
               "-verify-machineinstrs=0", path, "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with open(path, encoding="utf-8") as text:
        bodies = re.findall(r"^body: .*\n((?:  .*\n|\s*\n)*)", text.read(), re.M)
    machine_code = sum(len(re.findall(r"^    (?!successors:|liveins:|;)\S", body, re.M)) for body in bodies)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1)), machine_code


class ExecutedInstructionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.valgrind = shutil.which("valgrind")
        python_test.require_peer(cls.valgrind, "valgrind")

    def measured(self):
        return {(file, level): _count(self.valgrind, file, level) for file in _FILES for level in _LEVELS}

    def test_are_as_many_as_recorded(self):
        if record := os.environ.get("PTXMIR_RECORD"):
            with open(record, "w", encoding="utf-8") as out:
                out.write(f"# {_compiler()}: file, level, executed, machine instructions, executed for each\n")
                for (file, level), (executed, code) in self.measured().items():
                    out.write(f"{file}\t{level}\t{executed}\t{code}\t{executed // code}\n")
            self.skipTest(f"recorded {record}")
        with open(_RECORD, encoding="utf-8") as lines:
            head, *rows = lines.read().splitlines()
        if _compiler() not in head:
            self.skipTest(f"recorded with another compiler than {_compiler()}: {head}")
        recorded = {(row[0], int(row[1])): int(row[2]) for row in (line.split("\t") for line in rows)}
        measured = self.measured()
        self.assertEqual(recorded.keys(), measured.keys())
        for level in _LEVELS:
            before = sum(count for (_, at), count in recorded.items() if at == level)
            now = sum(count for (_, at), (count, _) in measured.items() if at == level)
            with self.subTest(level=level):
                self.assertLess(abs(now - before), _TOLERANCE * before,
                                f"-O{level} executes {now} instructions, {before} are recorded: {self.changes(recorded, measured)}")

    @staticmethod
    def changes(recorded, measured):
        return ", ".join(f"{file} -O{level} {(measured[file, level][0] / count - 1) * 100:+.1f} %"
                         for (file, level), count in recorded.items())


if __name__ == "__main__":
    python_test.main()
