# SPDX-License-Identifier: Apache-2.0

"""text_test: a test of .mir files with RUN and CHECK lines (see text_test_runner.cc)."""

load("//:cc.bzl", "cc_test")

def text_test(name, srcs, **kwargs):
    cc_test(
        name = name,
        args = ["$(rootpath //tools:ptxmir)"] + ["$(rootpath %s)" % src for src in srcs],
        data = srcs + ["//tools:ptxmir"],
        deps = ["//tests/support:text_test_runner"],
        **kwargs
    )
