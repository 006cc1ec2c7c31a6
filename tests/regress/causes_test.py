# SPDX-License-Identifier: Apache-2.0

"""Every file here tells the cause of the bug that it is there for, then how it is tested, in front of its text."""

import os
import re
import unittest

import python_test

_FOLDER = "tests/regress"
_SUFFIXES = (".mir", ".sdag")
# Of what makes a sentence that says what was done wrong, and what came of it.
_FEWEST_WORDS = 12


def _flaw(text):
    """What is missing; None if nothing is."""
    head = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        head.append(line[1:].strip())
    commands = [i for i, line in enumerate(head) if line.startswith("RUN:")]
    if not commands:
        return "no RUN line in the comment at the top"
    cause = " ".join(head[: commands[0]]).strip()
    if len(re.findall(r"\w+", cause)) < _FEWEST_WORDS:
        return "no cause in front of the first RUN line"
    if not cause.endswith("."):
        return "the cause is no sentence"
    return None


class CausesTest(unittest.TestCase):
    def test_every_file_names_its_cause(self):
        files = [name for name in os.listdir(_FOLDER) if name.endswith(_SUFFIXES)]
        self.assertGreaterEqual(len(files), 6)
        for name in sorted(files):
            with self.subTest(name), open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
                self.assertIsNone(_flaw(file.read()))

    def test_nothing_else_lies_here(self):
        known = _SUFFIXES + ("causes_test.py", "BUILD.bazel", "text_test")
        others = [name for name in os.listdir(_FOLDER) if not name.endswith(known) and "causes_test" not in name]
        self.assertEqual(others, [])

    def test_what_is_missing_is_noticed(self):
        cause = "# The reader took a number for another one, because it forgot the sign of those that are negative.\n"
        run = "# RUN: ptxmir %s\n"
        self.assertIsNone(_flaw(cause + "#\n" + run + "---\n"))
        self.assertIn("no RUN", _flaw(cause + "---\n" + run))
        self.assertIn("no cause", _flaw(run + cause))
        self.assertIn("no cause", _flaw("# Crash.\n" + run))
        self.assertIn("no sentence", _flaw(cause.replace(".\n", "\n") + run))


if __name__ == "__main__":
    python_test.main()
