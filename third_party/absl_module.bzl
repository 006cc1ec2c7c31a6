# SPDX-License-Identifier: Apache-2.0

"""absl_module: the repository @absl for MODULE.bazel, with the one target that third_party/absl.BUILD has for WORKSPACE."""

_BUILD = """
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "absl",
    visibility = ["//visibility:public"],
    deps = [
        "@abseil-cpp//absl/container:flat_hash_map",
        "@abseil-cpp//absl/container:flat_hash_set",
        "@abseil-cpp//absl/container:inlined_vector",
        "@abseil-cpp//absl/functional:function_ref",
        "@abseil-cpp//absl/hash",
        "@abseil-cpp//absl/numeric:int128",
        "@abseil-cpp//absl/status",
        "@abseil-cpp//absl/status:statusor",
        "@abseil-cpp//absl/strings",
        "@abseil-cpp//absl/strings:cord",
        "@abseil-cpp//absl/strings:str_format",
        "@abseil-cpp//absl/strings:string_view",
        "@abseil-cpp//absl/types:span",
    ],
)
"""

def _absl_repository_impl(ctx):
    ctx.file("BUILD.bazel", _BUILD)

_absl_repository = repository_rule(implementation = _absl_repository_impl)

def _absl_module_impl(_ctx):
    _absl_repository(name = "absl")

absl_module = module_extension(implementation = _absl_module_impl)
