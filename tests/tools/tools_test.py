# SPDX-License-Identifier: Apache-2.0

"""What all tools have in common."""

import subprocess
import unittest

import python_test

_TOOLS = ["tools/ptxmir", "tools/run/ptxmir-run", "tools/fuzz/ptxmir-fuzz", "tools/fuzz/ptxmir-fuzz-text",
          "tools/reduce/ptxmir-reduce"]


def _output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


class ToolsTest(unittest.TestCase):
    def test_version_names_the_tool_and_is_the_same_otherwise(self):
        version = _output("tools/ptxmir", "--version")
        self.assertRegex(version, r"^ptxmir version \d+\.\d+\.\d+\n")
        for tool in _TOOLS:
            name = tool.rsplit("/", 1)[1]
            self.assertEqual(_output(tool, "--version"), version.replace("ptxmir ", name + " ", 1))

    def test_help_names_version(self):
        for tool in _TOOLS:
            self.assertRegex(_output(tool, "--help"), r"-version\b", tool)


if __name__ == "__main__":
    python_test.main()
