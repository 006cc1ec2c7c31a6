# SPDX-License-Identifier: Apache-2.0

"""docs/api-reference.md is what docs/make_api_reference.py makes of the public headers, and it leaves none out."""

import glob
import os
import sys
import unittest

import python_test

sys.path.insert(0, "docs")
import make_api_reference  # noqa: E402


class ApiReferenceTest(unittest.TestCase):
    def test_is_up_to_date(self):
        if make_api_reference.PAGE.read_text(encoding="utf-8") != make_api_reference.page():
            self.fail("docs/api-reference.md is out of date; run docs/make_api_reference.py")

    def test_has_every_header(self):
        headers = sorted(os.path.basename(path) for path in glob.glob("include/ptxmir/*.h"))
        self.assertEqual(sorted(make_api_reference.HEADERS), headers)

    def test_leaves_out_what_is_private(self):
        text = "class A {\n public:\n  int a();\n\n private:\n  int b_;\n};\nint c();".split("\n")
        self.assertEqual(make_api_reference.without_private(text), ["class A {", " public:", "  int a();", "};", "int c();"])


if __name__ == "__main__":
    python_test.main()
