# SPDX-License-Identifier: Apache-2.0

"""bench/pass_effects.py: which flags switch a pass, what is compared, and what its figures say."""

import os
import struct
import tempfile
import types
import unittest

import pass_effects
import python_test
from registers import ptxas

_PASSES = """Standard pipeline
   #  pass                            O0      O1      O2      O3      description
   1  finalize-isel                   on      on      on      on      Finalize ISel
                                        knobs: -nvptx-sched4reg
   2  machine-sink                    -       on      on      on      Machine code sinking
                                        to switch off: -disable-machine-sink
                                        knobs: -disable-machine-sink
   3  nvptx-mem2reg                   -       on      on      on      Mem2Reg
                                        to switch off: -nv-disable-mem2reg
   4  early-machinelicm               -       off     off     off     Hoisting
                                        to switch on: -enable-mlicm -other=false
   5  nvptx-mem2reg                   -       on      on      on      Mem2Reg
                                        to switch off: -nv-disable-mem2reg
"""


def _row(options, kernel, **figures):
    return {"file": "f", "kernel": kernel, "options": options, "budget": "default", "ptxmir": figures}


class OptionSetsTest(unittest.TestCase):
    def test_takes_passes_and_their_flags_from_what_ptxmir_prints(self):
        self.assertEqual(pass_effects.switchable_passes(_PASSES), [
            ("machine-sink", "off", ["-disable-machine-sink"]),
            ("nvptx-mem2reg", "off", ["-nv-disable-mem2reg"]),
            ("early-machinelicm", "on", ["-enable-mlicm", "-other=false"])])

    def test_compares_with_the_pass_to_without_it(self):
        sets, comparisons = pass_effects.option_sets(pass_effects.switchable_passes(_PASSES), alone=False)
        self.assertEqual(sets["machine-sink off"], ["-O2", "-disable-machine-sink"])
        self.assertEqual(comparisons[0], ("machine-sink", "on", "default", "machine-sink off"))
        self.assertEqual(comparisons[2], ("early-machinelicm", "off", "early-machinelicm on", "default"))

    def test_switches_passes_on_where_all_others_are_off(self):
        sets, comparisons = pass_effects.option_sets(pass_effects.switchable_passes(_PASSES), alone=True)
        self.assertEqual(sets["least"], ["-O2", "-disable-machine-sink", "-nv-disable-mem2reg"])
        self.assertEqual(sets["machine-sink alone"], ["-O2", "-nv-disable-mem2reg"])
        self.assertEqual(comparisons[-1], ("nvptx-mem2reg", "alone", "nvptx-mem2reg alone", "least"))


class EffectsTest(unittest.TestCase):
    def setUp(self):
        self.effects = pass_effects.Effects(types.SimpleNamespace(
            rows=[_row("with", "a", registers=20, executed=90, spill_bytes=0),
                  _row("with", "b", registers=40, executed=100, spill_bytes=4),
                  _row("without", "a", registers=10, executed=100, spill_bytes=0),
                  _row("without", "b", registers=40, executed=100, spill_bytes=0),
                  _row("without", "c", registers=1)],
            seconds={("ptxmir", "with", "default"): {"f": 3.0}, ("ptxmir", "without", "default"): {"f": 2.0}}))

    def test_means_are_over_the_kernels_of_both(self):
        self.assertAlmostEqual(self.effects.mean("with", "without", "default", "registers"), 2**0.5)
        self.assertAlmostEqual(self.effects.mean("with", "without", "default", "spill_bytes", plus=4), 2**0.5)
        self.assertAlmostEqual(self.effects.time("with", "without"), 1.5)

    def test_names_the_kernel_that_a_pass_costs_most(self):
        self.assertEqual(self.effects.worst("with", "without", "default", "registers"), (("f", "a"), 2))
        self.assertIsNone(self.effects.worst("with", "without", "default", "executed"))


class CodeSizesTest(unittest.TestCase):
    def test_reads_the_sections_of_machine_code(self):
        names = b"\0.text.kernel\0.nv.info\0.shstrtab\0"
        sections = [(names.index(b".text.kernel"), 0, 384), (names.index(b".nv.info"), 0, 48),
                    (names.index(b".shstrtab"), 64, len(names))]
        table = b"".join(struct.pack("<IIQQQQIIQQ", name, 0, 0, 0, offset, size, 0, 0, 0, 0)
                         for name, offset, size in sections)
        header = bytearray(64)
        header[:4] = b"\x7fELF"
        struct.pack_into("<Q", header, 0x28, 64 + len(names))
        struct.pack_into("<HHH", header, 0x3a, 64, len(sections), 2)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cubin")
            with open(path, "wb") as file:
                file.write(bytes(header) + names + table)
            self.assertEqual(ptxas.code_sizes(path), {"kernel": 384})
            self.assertEqual(ptxas.code_sizes(os.path.join(folder, "nothing")), {})


if __name__ == "__main__":
    python_test.main()
