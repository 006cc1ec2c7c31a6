# SPDX-License-Identifier: Apache-2.0

"""ptx/isa/tables/anonymous_names.tsv is what list_anonymous_names.py makes from the tables and llc-22."""

import shutil
import unittest

import list_anonymous_names
import python_test

_GENERATOR = "ptx/isa/generator/generate_isa"


class AnonymousNamesTest(unittest.TestCase):
    def test_the_file_is_what_the_script_makes(self):
        llc = python_test.require_peer(shutil.which("llc-22"), "llc-22")
        text = list_anonymous_names.names_text(_GENERATOR, llc)
        self.assertEqual(text, list_anonymous_names.NAMES.read_text(encoding="utf-8"))

    def test_all_nameless_records_of_llvm_have_a_row(self):
        lines = list_anonymous_names.NAMES.read_text(encoding="utf-8").split("\n")
        numbers = {int(line.split("\tanonymous_")[1]) for line in lines if line and line[0] != "#"}
        self.assertEqual(numbers, set(list_anonymous_names.llvm_records()))


if __name__ == "__main__":
    python_test.main()
