"""The C++ rules of this project. Every BUILD file loads them from here.

Bazel's default mode (fastbuild) becomes the checked build: asserts, the checks
under PTXMIR_CHECKED and those of libstdc++ are on, at -O1 so that tests stay
fast. `-c opt` is the release build, without them; `-c dbg` is the checked build
for a debugger. Flags that do not depend on the mode stand in .bazelrc.

Tests are compiled without optimization: compiling them takes longer than running
them. So is everything under sanitizers, for the same reason; tests themselves
are there under AddressSanitizer alone.
"""

# Of what GCC does for speed at -O2, the release build leaves out what costs size and gained nothing: stack protectors, which
# Bazel asks for, cold parts of functions as functions of their own, each with tables for unwinding, and padding in front of
# what is jumped to.
_RELEASE_COPTS = [
    "-fno-stack-protector",
    "-fno-reorder-blocks-and-partition",
    "-fno-align-jumps",
    "-fno-align-labels",
]

_COPTS = select({
    "//:opt": _RELEASE_COPTS,
    "//:dbg": ["-D_GLIBCXX_ASSERTIONS"],
    "//:sanitized": ["-O0", "-D_GLIBCXX_ASSERTIONS"],
    "//conditions:default": ["-O1", "-D_GLIBCXX_ASSERTIONS"],
})

_TEST_COPTS = select({
    "//:opt": [],
    "//:dbg": ["-D_GLIBCXX_ASSERTIONS"],
    "//:sanitized": ["-O0", "-g0", "-fno-sanitize=undefined", "-D_GLIBCXX_ASSERTIONS"],
    "//conditions:default": ["-O0", "-D_GLIBCXX_ASSERTIONS"],
})

_DEFINES = select({
    "//:opt": [],
    "//conditions:default": ["PTXMIR_CHECKED=1"],
})

# Code that takes no noticeable part of a compilation is optimized for size: it is little more than half as large then.
# What GCC warns of depends on how it optimizes; warnings are errors where it does as everywhere else.
_SMALL_COPTS = select({
    "//:opt": [
        "-Os",
        "-Wno-error",
    ],
    "//conditions:default": [],
})

# For what says what kernels compute: floating-point arithmetic as it is written. Where the target has instructions for that,
# GCC makes one operation of a product and a sum otherwise, which rounds once (-ffp-contract=fast). CMakeLists.txt says so for
# all code.
EXACT_FLOATS = ["-ffp-contract=off"]

def cc_library(name, copts = [], defines = [], is_small = False, **kwargs):
    """A library. `is_small`: in the release build it is optimized for size, not for speed."""
    copts = _COPTS + (_SMALL_COPTS if is_small else []) + copts

    # Static: nothing here links with a shared library, and Bazel would make one of each.
    native.cc_library(name = name, copts = copts, defines = _DEFINES + defines, linkstatic = True, **kwargs)

def cc_binary(name, copts = [], defines = [], **kwargs):
    native.cc_binary(name = name, copts = _COPTS + copts, defines = _DEFINES + defines, **kwargs)

def cc_test(name, copts = [], defines = [], **kwargs):
    native.cc_test(name = name, copts = _TEST_COPTS + copts, defines = _DEFINES + defines, **kwargs)
