# SPDX-License-Identifier: Apache-2.0

"""What plant_bugs.py makes of sources, and what it refuses."""

import unittest

import plant_bugs
import python_test

SOURCE = """int F(int a, int b) {
  if (a == b) return 1;  // the same
  return Sum(
      a, b);
}
int G(int a, int b) {
  if (a == b) return 2;
  return a;
}
"""


def plant(*bug_texts, source=SOURCE):
    return plant_bugs.plant([(f"bugs{i}.txt", text) for i, text in enumerate(bug_texts)], {"f.cc": source}.get)


class PlantBugsTest(unittest.TestCase):
    def copy_of(self, *bug_texts):
        """The copy behind its head."""
        files, errors = plant(*bug_texts)
        self.assertEqual(errors, [])
        self.assertEqual(sorted(files), ["f.cc", "planted_bugs.cc"])
        head, copy = files["f.cc"].split('#line 1 "f.cc"\n')
        self.head = head
        self.table = files["planted_bugs.cc"]
        self.assertEqual(copy.count("\n"), SOURCE.count("\n"))
        return copy

    def assert_error(self, part, *bug_texts):
        files, errors = plant(*bug_texts)
        self.assertEqual(files, {})
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(part, errors[0])

    def test_replaces(self):
        copy = self.copy_of("# A comment.\n\nf-adds-twice: what it does\n  and what not\nin f.cc\n- Sum(a, b)\n"
                            "+ Sum(a, PLANTED ? a : b)\n")
        self.assertIn("  return Sum(a, ::ptxmir::testing::planted::f_adds_twice ? a : b)\n;\n", copy)
        self.assertIn("bool f_adds_twice = false;\n", self.head)
        self.assertIn('"f-adds-twice",\n       "what it does and what not",\n       "",\n'
                      '       {{"f.cc", &planted::f_adds_twice}}', self.table)

    def test_inserts(self):
        copy = self.copy_of("x: d\nin f.cc\n  if (a == b) return 2;\n+ if (PLANTED) return 3;\n\n"
                            "y: d\nin f.cc\n+ if (PLANTED) return 4;\n  if (a == b) return 1;\n")
        self.assertIn("  if (a == b) return 2; if (::ptxmir::testing::planted::x) return 3;\n", copy)
        self.assertIn("  if (::ptxmir::testing::planted::y) return 4; if (a == b) return 1;  // the same\n", copy)

    def test_lines_around_a_change_may_overlap(self):
        copy = self.copy_of("x: d\nin f.cc\n- if (a == b)\n+ if (a == b || PLANTED)\n  return 2;\n\n"
                            "y: d\nin f.cc\n  if (a == b)\n- return 2;\n+ return PLANTED ? 3 : 2;\n")
        self.assertIn("  if (a == b || ::ptxmir::testing::planted::x) return ::ptxmir::testing::planted::y ? 3 : 2;\n",
                      copy)

    def test_a_text_may_ask_for_two_bugs(self):
        copy = self.copy_of("x: d\nin f.cc\n- return a;\n+ return PLANTED ? 3 : PLANTED(y-z) ? 4 : a;\n\ny-z: d\n")
        self.assertIn("return ::ptxmir::testing::planted::x ? 3 : ::ptxmir::testing::planted::y_z ? 4 : a;\n", copy)
        self.assertIn('{{"f.cc", &planted::y_z}}', self.table)

    def test_a_bug_in_several_places_and_files(self):
        files, errors = plant_bugs.plant(
            [("b.txt", "x: d\nin f.cc\n- return 1;\n+ return PLANTED;\nin f.cc\n- return 2;\n+ return 2 - PLANTED;\n"
                       "in g.cc\n- return 1;\n+ return PLANTED;\n")], {"f.cc": SOURCE, "g.cc": SOURCE}.get)
        self.assertEqual(errors, [])
        self.assertEqual(files["f.cc"].count("planted::x_1"), 2)
        self.assertEqual(files["g.cc"].count("planted::x_2"), 1)
        self.assertIn('{{"f.cc", &planted::x_1}, {"g.cc", &planted::x_2}}', files["planted_bugs.cc"])

    def test_a_reason_why_nothing_sees_it(self):
        self.copy_of("x: says \"d\"\nnot caught: Nobody\n  looks.\nin f.cc\n- return a;\n+ return PLANTED;\n")
        self.assertIn('"says \\"d\\"",\n       "Nobody looks.",\n', self.table)

    def test_a_text_that_is_not_there(self):
        self.assert_error("bugs0.txt:2: x: f.cc does not have this text "
                          "(line 7 has no more of it than: return 2; return):\n"
                          "    return 2;\n    return c;",
                          "x: d\nin f.cc\n- return 2;\n- return c;\n+ return PLANTED;\n")
        # Words are whole.
        self.assert_error("f.cc does not have this text (not even", "x: d\nin f.cc\n- um(a, b)\n+ PLANTED\n")
        self.assert_error("f.cc does not have this text", "x: d\nin f.cc\n- int\n- F(int a, in\n+ PLANTED\n")

    def test_a_text_that_is_there_twice(self):
        self.assert_error("bugs1.txt:4: x: f.cc has this text 2 times, in lines 2, 7; add lines around it",
                          "", "# A comment.\n\nx: d\nin f.cc\n- a == b\n+ PLANTED\n")

    def test_joins_what_the_library_joins(self):
        files, _ = plant("x: d\nin f.cc\n- return a;\n+ return PLANTED;\n")
        copy = files["f.cc"]
        plant_bugs.join(files, [["e.cc", "f.cc"], ["g.cc", "h.cc"]], {"e.cc": "int e;\n", "f.cc": SOURCE}.get)
        self.assertEqual(sorted(files), ["f_joined.cc", "planted_bugs.cc"])
        self.assertEqual(files["f_joined.cc"], '#line 1 "e.cc"\nint e;\n' + copy)

    def test_a_file_that_is_not_there(self):
        self.assert_error("bugs0.txt:2: x: the library has no .cc file named g.cc", "x: d\nin g.cc\n- a\n+ PLANTED\n")
        self.assert_error("the library has no .cc file named f.h", "x: d\nin f.h\n- a\n+ PLANTED\n")

    def test_texts_that_overlap(self):
        self.assert_error("bugs0.txt:7: y: the text overlaps with that of x, in line 4 of f.cc",
                          "x: d\nin f.cc\n- Sum(a, b)\n+ PLANTED\n\ny: d\nin f.cc\n- a, b);\n+ PLANTED);\n")

    def test_what_cannot_be_switched_on(self):
        self.assert_error("bugs0.txt:1: x: no text in f.cc asks whether it is PLANTED",
                          "x: d\nin f.cc\n- return a;\n+ return b;\n")
        self.assert_error("bugs0.txt:1: x: no text asks whether it is PLANTED", "x: d\n")
        self.assert_error("bugs0.txt:2: x: there is no bug named y",
                          "x: d\nin f.cc\n- return a;\n+ return PLANTED ? 1 : PLANTED(y) ? 2 : a;\n")

    def test_what_says_too_little(self):
        self.assert_error("bugs0.txt:1: a bug begins with 'name: what it does'", "x\n")
        self.assert_error("bugs0.txt:3: x: this line says nothing: return a;", "x: d\nin f.cc\nreturn a;\n"
                          "- return a;\n+ return PLANTED;\n")
        self.assert_error("bugs0.txt:2: x: where this belongs is not said", "x: d\nin f.cc\n+ PLANTED\n")
        self.assert_error("bugs0.txt:5: x: nothing changes here",
                          "x: d\nin f.cc\n- return a;\n+ PLANTED;\nin f.cc\n  return 2;\n")
        self.assert_error("bugs0.txt:3: x: this line says nothing: - ", "x: d\nin f.cc\n- \n- return a;\n+ PLANTED;\n")
        self.assert_error("a comment hides what follows", "x: d\nin f.cc\n- return a;\n+ return PLANTED;  // why\n")
        self.assert_error("bugs1.txt:1: x: bugs0.txt:1 has this name already",
                          "x: d\nin f.cc\n- return a;\n+ PLANTED;\n", "x: d\nin f.cc\n- return 2;\n+ PLANTED;\n")


if __name__ == "__main__":
    python_test.main()
