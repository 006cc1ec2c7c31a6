# SPDX-License-Identifier: Apache-2.0
"""A few files of random IR compute the same in llc's code and in ours; random_ir.py runs more."""

import pathlib
import shutil
import tempfile
import unittest

import python_test
import random_ir


class ProgramTest(unittest.TestCase):
    def test_a_seed_is_always_the_same_file(self):
        self.assertEqual(random_ir.Program(7).text(3), random_ir.Program(7).text(3))
        self.assertNotEqual(random_ir.Program(7).text(3), random_ir.Program(8).text(3))


class PtxTest(unittest.TestCase):
    def test_ptxas_accepts_the_ptx(self):
        ptxas = python_test.require_peer(python_test.find_ptxas(), "ptxas")
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(15):
                self.assertEqual(random_ir.check_ptx(seed, 8, pathlib.Path(folder), ptxas), "")


class CheckTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        python_test.require_peer(shutil.which("llc-22"), "llc-22")

    def test_kernels_compute_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(40):
                self.assertEqual(random_ir.check(seed, 8, pathlib.Path(folder)), "")

    def test_a_difference_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            found = random_ir.check(1, 8, pathlib.Path(folder),
                                    change=lambda ir: ir.replace("add i32 %before, %tid", "sub i32 %before, %tid"))
        self.assertIn("seed 1, -O2", found)


if __name__ == "__main__":
    python_test.main()
