# SPDX-License-Identifier: Apache-2.0

"""ptxmir knows every option that the installed llc lists."""

import re
import shutil
import subprocess
import unittest

import python_test


def _listed_options(*command):
    """Returns the names at the beginnings of lines."""
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +-{1,2}([\w.-]+)", text, re.MULTILINE))


class LlcOptionsTest(unittest.TestCase):
    def test_options_of_llc_are_known(self):
        llc = python_test.require_peer(shutil.which("llc-22"), "llc-22")
        wanted = _listed_options(llc, "--help-list-hidden")
        self.assertGreater(len(wanted), 2000)
        known = _listed_options("tools/ptxmir", "-help-list-hidden")
        # "-h" is another name of "-help".
        self.assertEqual(sorted(wanted - known - {"h"}), [])


if __name__ == "__main__":
    python_test.main()
