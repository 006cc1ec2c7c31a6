"""Tests of what kernels of tests/corpus compute."""

load("//:cc.bzl", "cc_test")

def corpus_kernel_test(name, units, **kwargs):
    """A test NAME.cc that runs kernels.

    Args:
      name: of the test.
      units: the files of tests/corpus that it loads, without ".mir".
      **kwargs: as of cc_test.
    """
    cc_test(
        name = name,
        srcs = [name + ".cc"],
        data = ["//tests/corpus:manifest.tsv"] + ["//tests/corpus:%s.mir" % unit for unit in units],
        deps = [
            ":kernel_fixture",
            "@gtest//:gtest_main",
        ],
        **kwargs
    )
