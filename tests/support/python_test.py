# SPDX-License-Identifier: Apache-2.0

"""Runs unittest as a Bazel test: cases are counted in the XML report, and skipped ones say why."""

import os
import shutil
import sys
import unittest
from xml.sax.saxutils import quoteattr


class _Result(unittest.TextTestResult):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.names = []

    def stopTest(self, test):
        self.names.append(test.id())
        super().stopTest(test)


def _number_of_tests(result):
    """With what setUpClass skipped or broke, which unittest does not count."""
    classes = [test for test, _ in result.skipped + result.errors if not isinstance(test, unittest.TestCase)]
    return result.testsRun + len(classes)


def _write_report(path, result):
    counts = {"tests": _number_of_tests(result), "failures": len(result.failures), "errors": len(result.errors),
              "skipped": len(result.skipped)}
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
        file.write("<testsuite name=%s %s>\n" % (quoteattr(os.path.basename(sys.argv[0])),
                                                 " ".join(f'{name}="{value}"' for name, value in counts.items())))
        for name in result.names:
            file.write(f"<testcase name={quoteattr(name)}/>\n")
        file.write("</testsuite>\n</testsuites>\n")


def require_peer(path, tool):
    """Returns `path`, where `tool` was found. If it is None, skips the test, or the class in setUpClass; with
    PTXMIR_REQUIRE_PEERS=1 in the environment, fails it (tests/parity/external_tools.h does so for tests in C++)."""
    if path is not None:
        return path
    if os.environ.get("PTXMIR_REQUIRE_PEERS") == "1":
        raise AssertionError(f"{tool} was not found, and PTXMIR_REQUIRE_PEERS=1 asks for it")
    raise unittest.SkipTest(f"{tool} was not found")


def find_ptxas():
    """Returns the path of ptxas, or None: on PATH, then where the CUDA toolkit is installed."""
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def main():
    """For the end of a test file: runs the cases of the file that is the program."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(resultclass=_Result, verbosity=2).run(suite)
    if report := os.environ.get("XML_OUTPUT_FILE"):
        _write_report(report, result)
    # A file without cases tests nothing.
    sys.exit(0 if result.wasSuccessful() and _number_of_tests(result) > 0 else 1)
