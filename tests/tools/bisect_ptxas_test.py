# SPDX-License-Identifier: Apache-2.0

"""-opt-bisect=ptxas names a run of a pass, and ptxas itself confirms the figures before and after that run."""

import os
import re
import subprocess
import tempfile
import unittest

import python_test

_PTXMIR = "tools/ptxmir"
_RUN = re.compile(r"^  run (\d+), (.*): (\d+) registers and (\d+) bytes of spills before, "
                  r"(\d+) registers and (\d+) bytes of spills after$", re.MULTILINE)
_KERNEL = re.compile(r"^kernel '(\w+)': (\d+) registers and (\d+) bytes of spills without them, "
                     r"(\d+) registers and (\d+) bytes of spills with all", re.MULTILINE)
# ptxas needs more registers for this file with all passes than with none.
_WORSE = "tests/corpus/quantised.mir"


class BisectPtxasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ptxas = python_test.require_peer(python_test.find_ptxas(), "ptxas")

    def _bisect(self, *arguments):
        return subprocess.run([_PTXMIR, "-mcpu=sm_80", "-opt-bisect=ptxas", *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)

    def _figures(self, kernel, limit):
        """Registers and bytes of spills that ptxas states for the kernel, compiled with the first `limit` runs."""
        with tempfile.TemporaryDirectory() as folder:
            ptx = os.path.join(folder, "k.ptx")
            subprocess.run([_PTXMIR, "-mcpu=sm_80", f"-opt-bisect-limit={limit}", "-opt-bisect-verbose=false", _WORSE,
                            "-o", ptx], check=True, stdin=subprocess.DEVNULL)
            text = subprocess.run([self.ptxas, "-arch=sm_80", "-v", ptx, "-o", os.path.join(folder, "k.cubin")],
                                  capture_output=True, text=True, check=True).stderr
        _, _, about_kernel = text.partition(f"Compiling entry function '{kernel}'")
        spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", about_kernel)
        registers = re.search(r"Used (\d+) registers", about_kernel)
        return int(registers[1]), int(spills[1]) + int(spills[2])

    def test_the_run_to_blame_raises_what_ptxas_needs(self):
        result = self._bisect(_WORSE, "-o", os.devnull)
        self.assertEqual(result.returncode, 0, result.stderr)
        reports = re.split(r"^(?=kernel ')", result.stdout + result.stderr, flags=re.MULTILINE)[1:]
        blamed = [report for report in reports if _RUN.search(report)]
        self.assertTrue(blamed, result.stderr)
        for report in blamed:
            kernel, without_registers, without_spills = _KERNEL.search(report).group(1, 2, 3)
            number, before, after = (lambda run: (int(run[1]), (int(run[3]), int(run[4])),
                                                  (int(run[5]), int(run[6]))))(_RUN.search(report))
            self.assertEqual(self._figures(kernel, number - 1), before, report)
            self.assertEqual(self._figures(kernel, number), after, report)
            self.assertEqual(self._figures(kernel, 0), (int(without_registers), int(without_spills)), report)
            # Spills count first, registers where they are equal.
            self.assertGreater(after[::-1], (int(without_spills), int(without_registers)), report)

    def test_pipelines_without_ptx_are_refused(self):
        result = self._bisect("-stop-after=machine-sink", _WORSE)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("-opt-bisect=ptxas needs PTX", result.stderr)


if __name__ == "__main__":
    python_test.main()
