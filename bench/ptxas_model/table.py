# SPDX-License-Identifier: Apache-2.0

"""Writes ensembles of trees as C++, for passes/ptxas_model/ptxas_model.cc."""

_UNIT = 4096  # of the leaves: 1/4096 of a doubling
_HEAD = """// SPDX-License-Identifier: Apache-2.0

// The trees of the model of ptxas. Written by bench/fit_ptxas_model.py; do not edit.

"""


def _wrapped(items):
    lines, line = [], "   "
    for item in items:
        if len(line) + 1 + len(item) > 118:
            lines.append(line)
            line = "   "
        line += " " + item
    return "\n".join([*lines, line])


def _ensemble(name, base, trees):
    depth = len(trees[0].leaves).bit_length() - 1
    tests = [f"{{{threshold}, {feature}}}," for tree in trees for feature, threshold in zip(tree.features, tree.thresholds)]
    leaves = [f"{leaf}," for tree in trees for leaf in rounded_leaves(tree)]
    return (f"constexpr TreeTest k{name}Tests[] = {{\n{_wrapped(tests)}\n}};\n"
            f"constexpr int16_t k{name}Leaves[] = {{\n{_wrapped(leaves)}\n}};\n"
            f"constexpr TreeEnsemble k{name} = {{\n    .base = {round(base * _UNIT)}, .depth = {depth}, "
            f".tests = k{name}Tests, .leaves = k{name}Leaves}};\n")


def rounded_leaves(tree):
    return [max(-32768, min(32767, round(leaf * _UNIT))) for leaf in tree.leaves]


def write(path, ensembles):
    """`ensembles` are (name, base, trees)."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(_HEAD + "\n".join(_ensemble(*ensemble) for ensemble in ensembles))
