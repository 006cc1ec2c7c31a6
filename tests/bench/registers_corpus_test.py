# SPDX-License-Identifier: Apache-2.0

"""bench/registers.py with the ptxmir of this build, and with what is here of ptxas, llc and nvcc."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import python_test
from registers import command
from registers.processes import find_tool

_ROOT = os.getcwd()  # Bazel's folder of what a test may read
_LAUNCHER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(command.__file__))), "registers.py")
_FILES = ("sgemm_f32", "jump_table.phi-node-elimination", "launch_bounds")


class CorpusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        python_test.require_peer(find_tool("ptxas"), "ptxas")
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        place = lambda name: os.path.join(cls.holder.name, name)
        files = [os.path.join(_ROOT, "tests/corpus", name + ".mir") for name in _FILES]
        done = subprocess.run(
            [sys.executable, _LAUNCHER, "--ptxmir=" + os.path.join(_ROOT, "tools/ptxmir"), "--cache=" + place("cache"),
             "--budgets=default,32", "--nvcc=none", "--json=" + place("out.json"), "--csv=" + place("out.csv"),
             "--html=" + place("page.html"), "--write-baseline=" + place("baseline"), "-j2", *files],
            capture_output=True, text=True, check=False)
        if not os.path.exists(place("out.json")):
            raise AssertionError(done.stdout + done.stderr)
        cls.status, cls.text, cls.error = done.returncode, done.stdout, done.stderr
        with open(place("out.json"), encoding="utf-8") as file:
            cls.content = json.load(file)
        with open(place("page.html"), encoding="utf-8") as file:
            cls.page = file.read()

    def row(self, file, kernel, budget):
        return next(row for row in self.content["rows"]
                    if (row["file"], row["kernel"], row["budget"]) == (file, kernel, budget))

    def test_takes_every_file(self):
        self.assertEqual(self.status, 0, self.text + self.error)
        self.assertEqual(self.content["failures"], [])
        self.assertEqual({row["file"] for row in self.content["rows"]}, set(_FILES))

    def test_a_budget_is_a_limit_whatever_the_directives(self):
        # .maxntid 256: ptxas alone would not heed its own limit.
        free = self.row("sgemm_f32", "Sgemm128", "default")["ptxmir"]
        limited = self.row("sgemm_f32", "Sgemm128", "32")["ptxmir"]
        self.assertEqual(free["threads"], 256)
        self.assertGreater(free["registers"], 64)
        self.assertEqual(free["spill_bytes"], 0)
        self.assertEqual(limited["registers"], 32)
        self.assertGreater(limited["spill_bytes"], 0)
        self.assertTrue(self.row("sgemm_f32", "Sgemm128", "32")["high_pressure"])
        self.assertFalse(self.row("sgemm_f32", "SgemmGuarded", "32")["high_pressure"])

    def test_knows_occupancy(self):
        figures = self.row("sgemm_f32", "Sgemm128", "32")["ptxmir"]
        # 256 threads of 32 registers: 8 CTAs by registers and by warps.
        self.assertEqual((figures["warps"], figures["max_warps"]), (64, 64))

    def test_knows_the_pressure(self):
        figures = self.row("sgemm_f32", "Sgemm128", "default")["ptxmir"]
        self.assertEqual(figures["steps"][0]["pass"], "input")
        self.assertGreater(figures["max_live_input"], 64)
        self.assertIn('data-pass="input"', self.page)
        self.assertEqual(self.row("sgemm_f32", "Sgemm128", "32")["ptxmir"]["target"], 32)

    def test_counts_what_is_computed_again(self):
        by_budget = {setting["budget"]: setting["own"]["rematerialized"] for setting in self.content["summary"]}
        self.assertGreater(by_budget["32"], by_budget["default"])


if __name__ == "__main__":
    python_test.main()
