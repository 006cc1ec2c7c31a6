# SPDX-License-Identifier: Apache-2.0

"""The Bazel targets other than tests that the documentation names. Bazel checks that they exist.

cmake/tests.bzl lists the tests.
"""

DOCUMENTED_TARGETS = [
    "//bench:analysis_benchmark",
    "//bench:compare_executed",
    "//bench:generate_mir",
    "//bench:interpreter_benchmark",
    "//bench:live_intervals_benchmark",
    "//bench:machine_register_pressure_benchmark",
    "//bench:pipeline_benchmark",
    "//bench:reader_benchmark",
    "//ptx/isa/generator:generate_isa",
    "//tests/budgets:check_budgets",
    "//tests/embed:sources_test",
    "//tests/mutation:fuzz_planted_bugs",
    "//tools/fuzz:libfuzzer_mir",
    "//tools/fuzz:ptxmir-fuzz",
    "//tools/fuzz:ptxmir-fuzz-text",
    "//tools/reduce:ptxmir-reduce",
    "//tools/run:ptxmir-gpu-run",
    "//tools/run:ptxmir-run",
    "//tools:ptxmir",
]

# They need what not every machine has: looking them up would make everybody install it.
TARGETS_WITH_LLVM = [
    "//bench:embed_latency_with_llvm",
]
