# SPDX-License-Identifier: Apache-2.0

"""Fits the model to samples, writes its table, and prints how well it does."""

import pathlib
import re

import numpy

from ptxas_model import model, table
from ptxas_model.samples import DEFAULT_SET

# The table of option sets.
_OPTION_SETS = pathlib.Path(__file__).resolve().parents[2] / "compiler/option_sets.cc"


def _model_sets():
    """Returns the names of the sets among which ptxmir lets the model choose."""
    names = re.search(r"kModelSets\[\] = \{([^}]*)\}", _OPTION_SETS.read_text()).group(1)
    return {DEFAULT_SET, *re.findall(r'"([^"]+)"', names)}


def _print_choices(name, choices):
    for label, chosen in (("all", choices[:, 0] > 0), ("high pressure", choices[:, 0] >= 48)):
        before, after, best = choices[chosen].T
        print(f"{name}, {label}, {chosen.sum()} kernels: registers {model.geomean(after / before):.4f} of the default's, "
              f"{(after < before).sum()} fewer, {(after > before).sum()} more; the best set {model.geomean(best / before):.4f}")


def _evaluate(data, registers, changes, groups):
    predicted = model.predict_registers(data, registers)
    predicted_changes = model.predict_change(data, data.changes(), changes)
    for name, chosen in groups:
        errors = numpy.abs(predicted - data.registers)[chosen]
        ratio = numpy.abs(numpy.log2(predicted / data.registers))[chosen]
        pairs = chosen[data.version]
        share, count = model.share_of_pairs_in_order(data, predicted_changes, pairs)
        print(f"{name}: {chosen.sum():,} versions; mean absolute error {errors.mean():.2f} registers "
              f"({100 * (2**ratio.mean() - 1):.1f} %); {100 * share:.1f} % of {count:,} pairs of versions in order")
        gains = model.predict_gain(data, predicted_changes)
        _print_choices(name + ", all sets", model.choose(data, gains, pairs, data.option_sets))
        _print_choices(name + ", the model's sets", model.choose(data, gains, pairs, _model_sets()))


def fit(samples, held_out, places_apart, output):
    """Fits to all samples but those of the held-out files and of the places apart."""
    data = model.Table(samples)
    apart = numpy.array([sample.place in places_apart for sample in samples])
    held = numpy.array([sample.file in held_out for sample in samples]) & ~apart
    learned = ~apart & ~held
    registers = model.fit_registers(data, learned)
    changes = model.fit_change(data, data.changes(), learned[data.version])
    table.write(output, [("Registers", *registers), ("Change", *changes)])
    _evaluate(data, registers, changes, [("learned from", learned), ("held out", held), ("apart", apart)])
