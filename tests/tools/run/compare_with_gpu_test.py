# SPDX-License-Identifier: Apache-2.0

"""tools/run/compare_with_gpu.py: what counts as equal, and whole runs with the interpreter in the place of a GPU."""

import io
import os
import stat
import struct
import tempfile
import unittest

import compare_with_gpu
import gpu_roads
import python_test
from compare_with_gpu import DIFFERENT, EQUAL, NEAR

# Does the commands of ptxmir-gpu-run in the interpreter, with the MIR beside the PTX, and makes mistakes on purpose.
_STAND_IN = """#!/bin/bash
commands=${{1#--commands=}}
while read -r code options; do
  echo "$code $options" >> {log}
  for option in $options; do
    case $option in
      --save=*) folder=${{option#--save=}};;
      --fill=*) echo 'ptxmir-gpu-run: 64 copies';;
      --time=*) echo 'ptxmir-gpu-run: {time} us';;
    esac
  done
  {run} $(dirname $code)/kernel.mir $(sed -E 's/--(copies|fill|time)=[0-9]+//g' <<< "$options") || exit 1
  {mistake}
  echo ptxmir-gpu-run: done
done < $commands
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


class CopiesTest(unittest.TestCase):
    def test_finds_kernels_that_read_the_z_extent(self):
        ptx = (".func f()\n{\nmov %r1, %ctaid.z;\n}\n.entry a()\n{\nmov %r1, %ctaid.z;\n}\n.entry b()\n{\nadd;\n}\n"
               ".entry c()\n{\ncall f;\n}\n")
        self.assertEqual([compare_with_gpu.reads_z(ptx, kernel) for kernel in "abc"], [True, False, True])


class RoadTest(unittest.TestCase):
    def test_names_and_limits(self):
        road = gpu_roads.Road.parse('lean@32=-O2 -opt="-a -b"')
        self.assertEqual((road.name, road.flags, road.registers, road.tool()), ("lean@32", ["-O2", "-opt=-a -b"], 32, "ptxmir"))
        self.assertEqual(gpu_roads.Road.parse("llc@32").tool(), "llc")
        with self.assertRaises(ValueError):
            gpu_roads.Road.parse("a b=-O2")


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_scan(self, mistake, *options, paths=("tests/corpus/scan.mir",)):
        interpreter, stand_in = "tools/run/ptxmir-run", os.path.join(self.folder, "gpu-run")
        with open(stand_in, "w", encoding="utf-8") as file:
            file.write(_STAND_IN.format(run=interpreter, mistake=mistake, time=5, log=os.path.join(self.folder, "log")))
        os.chmod(stand_in, stat.S_IRWXU)
        out = io.StringIO()
        status = compare_with_gpu.main(["--ptxmir=tools/ptxmir", f"--ptxmir-run={interpreter}", f"--gpu-run={stand_in}",
                                        "--inputs=2", *options, *paths], out)
        return status, out.getvalue()

    def test_runs_each_kernel_at_each_level(self):
        status, out = self.run_scan("")
        self.assertEqual(status, 0, out)
        self.assertIn("scan.mir: _Z12BlellochScanPKfPfi: 4 equal\n", out)
        self.assertTrue(out.endswith("\n16 equal, 0 near, 0 undecided, 0 different, 0 failed, 0 not run\n"), out)

    def test_says_where_results_differ(self):
        status, out = self.run_scan(r"printf '\x55\x55\x55\x55' | dd of=$folder/argument_0.after bs=1 seek=8 conv=notrunc "
                                    "status=none", "--road=O2=-O2")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"scan.mir: _Z12BlellochScanPKfPfi: 2 different\n    input 0 by O2: different: argument_0, byte ")
        self.assertTrue(out.endswith("\n0 equal, 0 near, 0 undecided, 8 different, 0 failed, 0 not run\n"), out)

    def test_says_what_failed(self):
        status, out = self.run_scan("echo 'error: no device' >&2; exit 1", "--road=O0=-O0")
        self.assertEqual(status, 1)
        self.assertIn("    input 1 by O0: failed: error: no device\n", out)

    def test_goes_on_after_a_failure(self):
        status, out = self.run_scan('grep -q BlellochScan <<< "$options" && exit 3', "--road=O0=-O0")
        self.assertEqual(status, 1)
        self.assertTrue(out.endswith("\n6 equal, 0 near, 0 undecided, 0 different, 2 failed, 0 not run\n"), out)

    def test_stops_a_run_that_does_not_end(self):
        status, out = self.run_scan('grep -q BlellochScan <<< "$options" && sleep 60', "--road=O0=-O0", "--inputs=1", "--timeout=3")
        self.assertEqual(status, 1)
        self.assertIn("    input 0 by O0: failed: not done in 3.0 seconds\n", out)
        self.assertTrue(out.endswith("\n3 equal, 0 near, 0 undecided, 0 different, 1 failed, 0 not run\n"), out)

    def test_goes_on_with_what_another_machine_compiled(self):
        compiled = os.path.join(self.folder, "compiled")
        status, out = self.run_scan("", f"--compile-to={compiled}")
        self.assertEqual((status, out), (0, "1 files compiled, 0 not\n"))
        status, out = self.run_scan("", f"--compiled={compiled}", paths=())
        self.assertEqual(status, 0, out)
        self.assertTrue(out.endswith("\n16 equal, 0 near, 0 undecided, 0 different, 0 failed, 0 not run\n"), out)

    def test_times_copies_that_fill_the_gpu(self):
        times = os.path.join(self.folder, "times")
        status, out = self.run_scan("", "--inputs=1", f"--time={times}")
        self.assertEqual(status, 0, out)
        self.assertIn("time of O2 to O0, 4 kernels: geometric mean 1.0000", out)
        with open(times, encoding="utf-8") as file:
            header, *rows = [line.split("\t") for line in file.read().splitlines()]
        self.assertEqual(header, ["source", "kernel", "copies", "O0", "O2"])
        self.assertTrue(len(rows) == 4 and all(row[2:] == ["64", "5.000", "5.000"] for row in rows), rows)
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            log = file.read()
        # Each kernel's copies are found by one road and timed twice by each.
        self.assertEqual((log.count(" --fill="), log.count(" --copies=64 --time=")), (4, 16))

    def test_says_what_was_not_run(self):
        out = io.StringIO()
        self.assertEqual(compare_with_gpu.main(["--ptxmir=tools/ptxmir", "--ptxmir-run=tools/run/ptxmir-run", "--gpu-run=none",
                                                "tests/corpus/textures.mir"], out), 0)
        self.assertIn("not run: ptxmir-run: error: --generate is not for kernels of textures and surfaces", out.getvalue())


if __name__ == "__main__":
    python_test.main()
