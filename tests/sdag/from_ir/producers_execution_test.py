# SPDX-License-Identifier: Apache-2.0
"""IR of other producers than clang 22 computes the same in llc's code and in ours, without optimization and with it."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import python_test

PRODUCERS = pathlib.Path("tests/ir/producers")
LIBRARIES = PRODUCERS / "libraries/stand_ins.ll"
TOOL = "tools/ptxmir"
COMPARE = "tests/sdag/from_ir/compare_with_mir"

# Numba writes a kernel and the function that it calls as two modules.
TWO_MODULES = re.compile(r"(numba_\w+)_(kernel|function)$")

# Files that neither llc nor ptxmir compiles: PTX only approximates the cosine, which the file does not allow.
REFUSED = {"flang22_blas"}

# Files whose kernels do not come to their end on generated inputs: they follow pointers that they load, or count to an
# argument of 64 bits.
NOT_EXECUTED = {"flang22_stencil", "ldc_bits"}


def programs():
    """Returns the files of each program, by name: the one with the kernel first, for the others are libraries."""
    found = {}
    for path in sorted(PRODUCERS.glob("*.ll"), reverse=True):
        match = TWO_MODULES.match(path.stem)
        found.setdefault(match.group(1) if match else path.stem, []).append(path)
    return found


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


class ProducersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        python_test.require_peer(shutil.which("llc-22"), "llc-22")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compare(self, name, files, level):
        """Returns how many kernels were compared. Fails if one computes something else."""
        # llc does not read typed pointers any more, so it gets what our reader has made of them. It does not read its own
        # MIR if the name of a block has a blank.
        ir = pathlib.Path(self.folder.name) / (name + ".ll")
        mir = ir.with_suffix(".mir")
        written = run(TOOL, "-only-needed", "-emit-llvm", *files, LIBRARIES, "-o", ir)
        self.assertEqual(written.returncode, 0, written.stderr)
        ir.write_text(re.sub(r'(?m)(^|%)"(\w+) (\w+)"(?=[:,\s)])', r"\1\2_\3", ir.read_text()))
        selected = run("llc-22", "-O2", "-march=nvptx64", "-mcpu=sm_80", "-stop-after=finalize-isel", ir, "-o", mir)
        self.assertEqual(selected.returncode, 0, name + ": " + selected.stderr)
        compared = run(COMPARE, ir, mir, level, "sm_80")
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
        return int(re.search(r"(\d+) decided", compared.stdout).group(1))

    def test_kernels_compute_the_same(self):
        undecided = []
        for name, files in programs().items():
            if name in REFUSED:
                continue
            for level in (0, 2):
                with self.subTest(name=name, level=level):
                    if self.compare(name, files, level) == 0 and name not in NOT_EXECUTED:
                        undecided.append((name, level))
        self.assertEqual(undecided, [])

    def test_what_is_refused_is_refused_by_name(self):
        for name in REFUSED:
            result = run(TOOL, "-mcpu=sm_80", PRODUCERS / (name + ".ll"), "-o", "-")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("PTX only approximates it", result.stderr)


if __name__ == "__main__":
    python_test.main()
