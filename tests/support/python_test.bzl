# SPDX-License-Identifier: Apache-2.0

"""python_test: a Python file of unittest cases that ends with python_test.main() (see python_test.py)."""

load("//:cc.bzl", "TEST_VISIBILITY")

def python_test(name, src, data = [], **kwargs):
    native.sh_test(
        name = name,
        visibility = TEST_VISIBILITY,
        srcs = ["//tests/support:run_python_test.sh"],
        args = ["$(rootpath %s)" % src],
        data = [src, "//tests/support:python_test.py"] + data,
        **kwargs
    )
