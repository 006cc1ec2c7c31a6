# SPDX-License-Identifier: Apache-2.0

"""tools/run/compare_with_gpu.py: what counts as equal, and whole runs with the interpreter in the place of a GPU."""

import io
import os
import stat
import struct
import tempfile
import unittest

import compare_with_gpu
import python_test
from compare_with_gpu import DIFFERENT, EQUAL, NEAR

# Takes the options of ptxmir-gpu-run, runs the MIR that the PTX was made of, and makes mistakes on purpose.
_STAND_IN = """#!/bin/bash
set -e
shift
{run} {mir} "$@"
for option in "$@"; do
  case $option in --save=*) folder=${{option#--save=}};; esac
done
{mistake}
"""


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


class CompareTest(unittest.TestCase):
    def test_equal_bytes_are_equal(self):
        self.assertEqual(compare_with_gpu.compare(words(1, 2), words(1, 2), b""), (EQUAL, None))

    def test_names_the_first_byte_that_differs(self):
        self.assertEqual(compare_with_gpu.compare(words(1, 2, 3), words(1, 0x1002, 4), b""), (DIFFERENT, 5))

    def test_undefined_bits_may_be_anything(self):
        self.assertEqual(compare_with_gpu.compare(words(0, 2), words(0xf0, 2), words(0xff, 0)), (EQUAL, None))
        self.assertEqual(compare_with_gpu.compare(words(0, 2), words(0x1f0, 2), words(0xff, 0)), (DIFFERENT, 1))

    def test_floats_that_were_rounded_otherwise_are_near(self):
        self.assertEqual(compare_with_gpu.compare(struct.pack("<2f", 1, 3), struct.pack("<2f", 1, 3.00001), b"")[0], NEAR)
        self.assertEqual(compare_with_gpu.compare(struct.pack("<d", 3), struct.pack("<d", 3 + 1e-14), b"")[0], NEAR)
        self.assertEqual(compare_with_gpu.compare(struct.pack("<2e", 1, 3), struct.pack("<2e", 1, 3.01), b"")[0], NEAR)
        self.assertEqual(compare_with_gpu.compare(struct.pack("<f", 3), struct.pack("<f", 3.1), b"")[0], DIFFERENT)

    def test_nans_are_near_and_infinities_are_not(self):
        nan, inf = float("nan"), float("inf")
        quiet = struct.pack("<f", nan)
        self.assertEqual(compare_with_gpu.compare(quiet, struct.pack("<I", 0x7fffffff), b"")[0], NEAR)
        self.assertEqual(compare_with_gpu.compare(struct.pack("<f", inf), struct.pack("<f", -inf), b"")[0], DIFFERENT)

    def test_integers_are_not_taken_for_tiny_floats(self):
        for number in (5, 1000, 1025, 70000, 1000000):
            self.assertEqual(compare_with_gpu.compare(words(number), words(number + 1), b"")[0], DIFFERENT, number)

    def test_buffers_of_other_sizes_differ(self):
        self.assertEqual(compare_with_gpu.compare(words(1, 2), words(1), b""), (DIFFERENT, 4))

    def test_finds_the_kernels_of_ptx(self):
        ptx = ".version 8.8\n.visible .entry _Z1kPf(\n.param .u64 p\n)\n{\n}\n.func f()\n.entry a$b()\n.weak .entry c()\n"
        self.assertEqual(compare_with_gpu.kernels_of(ptx), ["_Z1kPf", "a$b", "c"])


class RunTest(unittest.TestCase):
    def run_scan(self, mistake, *options):
        mir, interpreter = "tests/corpus/scan.mir", "tools/run/ptxmir-run"
        with tempfile.TemporaryDirectory() as folder:
            stand_in = os.path.join(folder, "gpu-run")
            with open(stand_in, "w", encoding="utf-8") as file:
                file.write(_STAND_IN.format(run=interpreter, mir=mir, mistake=mistake))
            os.chmod(stand_in, stat.S_IRWXU)
            out = io.StringIO()
            status = compare_with_gpu.main(["--ptxmir=tools/ptxmir", f"--ptxmir-run={interpreter}", f"--gpu-run={stand_in}",
                                            "--inputs=2", *options, mir], out)
            return status, out.getvalue()

    def test_runs_each_kernel_at_each_level(self):
        status, out = self.run_scan("")
        self.assertEqual(status, 0, out)
        self.assertIn("scan.mir: _Z12BlellochScanPKfPfi: 4 equal\n", out)
        self.assertTrue(out.endswith("\n16 equal, 0 near, 0 different, 0 failed, 0 not run\n"), out)

    def test_says_where_results_differ(self):
        status, out = self.run_scan(r"printf '\x55\x55\x55\x55' | dd of=$folder/argument_0.after bs=1 seek=8 conv=notrunc "
                                    "status=none", "--levels=2")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"scan.mir: _Z12BlellochScanPKfPfi: 2 different\n    input 0 at -O2: different: argument_0, byte ")
        self.assertTrue(out.endswith("\n0 equal, 0 near, 8 different, 0 failed, 0 not run\n"), out)

    def test_says_what_failed(self):
        status, out = self.run_scan("echo 'error: no device' >&2; exit 1", "--levels=0")
        self.assertEqual(status, 1)
        self.assertIn("    input 1 at -O0: failed: error: no device\n", out)

    def test_says_what_was_not_run(self):
        out = io.StringIO()
        self.assertEqual(compare_with_gpu.main(["--ptxmir=tools/ptxmir", "--ptxmir-run=tools/run/ptxmir-run", "--gpu-run=none",
                                                "tests/corpus/textures.mir"], out), 0)
        self.assertIn("not run: ptxmir-run: error: --generate is not for kernels of textures and surfaces", out.getvalue())


if __name__ == "__main__":
    python_test.main()
