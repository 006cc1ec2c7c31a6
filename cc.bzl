# SPDX-License-Identifier: Apache-2.0

"""The C++ rules of this project. Every BUILD file loads them from here.

Bazel's default mode (fastbuild) becomes the checked build: asserts, the checks
under PTXMIR_CHECKED and those of libstdc++ are on, at -O1 so that tests stay
fast. `-c opt` is the release build, without them; `-c dbg` is the checked build
for a debugger. Flags that do not depend on the mode stand in .bazelrc.

Tests are compiled without optimization: compiling them takes longer than running
them. So is everything under sanitizers, for the same reason; tests themselves
are there under AddressSanitizer alone.

The release build, the sanitized one and --config=joined compile each library as one file (joined_sources.bzl), or several
libraries (joined_groups.bzl), which takes a third of the time; the checked build compiles file by file, because that is what is
compiled again after a change.
"""

load("@rules_cc//cc:defs.bzl", native_cc_binary = "cc_binary", native_cc_library = "cc_library", native_cc_test = "cc_test")
load("//:joined_groups.bzl", "JOINED_GROUPS", "JOINED_GROUP_OF")
load("//:joined_sources.bzl", "joined_sources")

# Of what GCC does for speed at -O2, the release build leaves out what costs size and gained nothing: stack protectors, which
# Bazel asks for, cold parts of functions as functions of their own, each with tables for unwinding, and padding in front of
# what is jumped to.
_RELEASE_COPTS = [
    "-fno-stack-protector",
    "-fno-reorder-blocks-and-partition",
    "-fno-align-jumps",
    "-fno-align-labels",
    # Passes that take a twentieth of the time and change the instructions that ptxmir executes by less than a hundredth.
    "-fno-code-hoisting",
    "-fno-gcse",
    "-fno-ipa-cp",
    "-fno-ipa-icf",
    "-fno-ipa-modref",
    "-fno-schedule-insns2",
    "-fno-tree-pre",
    "-fno-tree-slp-vectorize",
    # Bazel's toolchain keeps frame pointers otherwise.
    "-fomit-frame-pointer",
    # A tenth of the tool would be tables for exceptions, which only passes of clients throw (has_exceptions).
    "-fno-exceptions",
    "-fno-asynchronous-unwind-tables",
    # GCC limits how much a file grows by inlining; joined sources would be inlined less than the files were.
    "--param=large-unit-insns=200000",
]

# In joined sources, GCC's warnings about array bounds and uninitialized values are unreliable. The checked build, which
# compiles file by file, makes errors of them.
_JOINED_COPTS = [
    "-Wno-array-bounds",
    "-Wno-maybe-uninitialized",
]

# Floating-point arithmetic as it is written, since some code says what kernels compute. Where the target has instructions for
# that, GCC makes one operation of a product and a sum otherwise, which rounds once (-ffp-contract=fast).
_EXACT_FLOATS = ["-ffp-contract=off"]

# Exported for the precompiled headers, which are made with the flags of those who use them.
COPTS = _EXACT_FLOATS + select({
    "//:opt": _RELEASE_COPTS + _JOINED_COPTS,
    "//:dbg": ["-D_GLIBCXX_ASSERTIONS"],
    "//:sanitized": ["-O0", "-D_GLIBCXX_ASSERTIONS"],
    "//:joined": ["-O1", "-D_GLIBCXX_ASSERTIONS"] + _JOINED_COPTS,
    "//conditions:default": ["-O1", "-D_GLIBCXX_ASSERTIONS"],
})

TEST_COPTS = _EXACT_FLOATS + select({
    # As in joined sources, GCC warns of what is not there when it inlines.
    "//:opt": [
        "-Wno-array-bounds",
        "-Wno-maybe-uninitialized",
        "-Wno-stringop-overflow",
        "-Wno-stringop-overread",
    ],
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
SMALL_COPTS = select({
    "//:opt": [
        "-Os",
        "-fno-tree-pta",
        "-fno-tree-vrp",
        "-Wno-error",
    ],
    "//conditions:default": [],
})

# Programs that run once, during the build, are optimized as little as makes no difference: compiling them takes half as long.
GENERATOR_COPTS = select({
    "//:opt": [
        "-Og",
        "-Wno-error",
    ],
    "//conditions:default": [],
})

_PRECOMPILED = "//third_party/precompiled:"

# The precompiled header `name`, or `small_name` in the release build, in the compiler's flags and among the dependencies.
# --config=own_headers does without.
def _include_precompiled(name, small_name = None):
    return select({
        "//:own_headers": [],
        "//:opt": ["-include $(execpath %s)" % (_PRECOMPILED + (small_name or name))],
        "//conditions:default": ["-include $(execpath %s)" % (_PRECOMPILED + name)],
    })

def _depend_on_precompiled(name, small_name = None):
    return select({
        "//:own_headers": [],
        "//:opt": [_PRECOMPILED + (small_name or name)],
        "//conditions:default": [_PRECOMPILED + name],
    })

# `joined` in the modes that join sources, `separate` in the others.
def _select_joined(joined, separate):
    return select({
        "//:opt": joined,
        "//:sanitized": joined,
        "//:joined": joined,
        "//conditions:default": separate,
    })

# The sources of the library `name` as the mode wants them: one by one, or joined.
def _sources(name, srcs):
    if len([source for source in srcs if source.endswith(".cc")]) < 2:
        return srcs
    joined_sources(
        name = name + "_joined",
        srcs = srcs,
        tags = ["manual"],
        visibility = ["//visibility:private"],
    )
    return _select_joined([name + "_joined"], srcs)

# Libraries by the full names that joined_groups.bzl has.
def _full_label(label):
    package, _, name = label.rpartition(":") if ":" in label else (label, "", label.rpartition("/")[2])
    return (package or "//" + native.package_name()) + ":" + name

def _compiled_library(name, srcs, deps, is_small, copts = [], has_exceptions = False, **kwargs):
    copts = COPTS + (SMALL_COPTS if is_small else []) + copts
    if has_exceptions:
        # GCC takes no header that was precompiled without.
        copts = copts + ["-fexceptions"]
    else:
        small_name = "small" if is_small else None
        copts = copts + _include_precompiled("standard", small_name)
        deps = deps + _depend_on_precompiled("standard", small_name)
    native_cc_library(
        name = name,
        srcs = srcs,
        copts = copts,
        # Static: nothing here links with a shared library, and Bazel would make one of each.
        linkstatic = True,
        deps = deps,
        **kwargs
    )

# A member of a group of joined libraries. The group has to know its sources, and its headers apart from its code, because
# the libraries of a group may depend on each other.
def _member_library(name, group_name, srcs, hdrs, textual_hdrs, defines, deps, is_small, **kwargs):
    native.filegroup(
        name = name + "_sources",
        srcs = srcs,
        visibility = ["//:__pkg__"],
    )
    native_cc_library(
        name = name + "_headers",
        hdrs = hdrs,
        textual_hdrs = textual_hdrs,
        defines = defines,
        tags = ["manual"],
        visibility = ["//:__subpackages__"],
        deps = [
            _full_label(d) + "_headers" if JOINED_GROUP_OF.get(_full_label(d)) == group_name else d
            for d in deps
        ],
    )
    _compiled_library(
        name = name,
        srcs = _select_joined([], srcs),
        hdrs = hdrs,
        textual_hdrs = textual_hdrs,
        defines = defines,
        deps = _select_joined(["//:joined_" + group_name], deps),
        is_small = is_small,
        **kwargs
    )

def cc_library(
        name,
        srcs = [],
        hdrs = [],
        textual_hdrs = [],
        copts = [],
        defines = [],
        deps = [],
        is_small = False,
        has_exceptions = False,
        **kwargs):
    """A library.

    Args:
      is_small: in the release build it is optimized for size, not for speed.
      has_exceptions: in the release build it is compiled with exceptions, which only a library of its own can be.
    """
    defines = _DEFINES + defines
    group_name = JOINED_GROUP_OF.get(_full_label(":" + name))
    if group_name:
        if copts or has_exceptions or is_small != JOINED_GROUPS[group_name].is_small:
            fail("%s is not compiled as the other libraries of its group are" % _full_label(":" + name))
        _member_library(name, group_name, srcs, hdrs, textual_hdrs, defines, deps, is_small, **kwargs)
        return
    _compiled_library(
        name = name,
        srcs = _sources(name, srcs),
        hdrs = hdrs,
        textual_hdrs = textual_hdrs,
        copts = copts,
        defines = defines,
        deps = deps,
        is_small = is_small,
        has_exceptions = has_exceptions,
        **kwargs
    )

def joined_libraries():
    """The groups of joined_groups.bzl, as `joined_` and their names."""
    for name, group in JOINED_GROUPS.items():
        joined_sources(
            name = "joined_%s_sources" % name,
            srcs = [library + "_sources" for library in group.libraries],
            tags = ["manual"],
            visibility = ["//visibility:private"],
        )
        _compiled_library(
            name = "joined_" + name,
            srcs = ["joined_%s_sources" % name],
            defines = _DEFINES,
            deps = [library + "_headers" for library in group.libraries],
            is_small = group.is_small,
            tags = ["manual"],
            visibility = ["//:__subpackages__"],
        )

def cc_binary(name, copts = [], defines = [], deps = [], **kwargs):
    native_cc_binary(
        name = name,
        copts = COPTS + _include_precompiled("standard") + copts,
        defines = _DEFINES + defines,
        deps = deps + _depend_on_precompiled("standard"),
        **kwargs
    )

# CMake builds the tests, too (cmake/source_lists.bzl).
TEST_VISIBILITY = ["//cmake:__pkg__"]

def cc_test(name, copts = [], defines = [], deps = [], visibility = TEST_VISIBILITY, **kwargs):
    native_cc_test(
        name = name,
        visibility = visibility,
        copts = TEST_COPTS + _include_precompiled("tests") + copts,
        defines = _DEFINES + defines,
        deps = deps + _depend_on_precompiled("tests"),
        **kwargs
    )
