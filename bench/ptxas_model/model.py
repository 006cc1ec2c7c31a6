# SPDX-License-Identifier: Apache-2.0

"""The two ensembles of the model of ptxas, as passes/ptxas_model/ptxas_model.cc evaluates them.

registers  the binary logarithm of the registers that ptxas reports, from the features of a version of a kernel. Fitted is
           the difference to the registers live at once in the order with the fewest
change     the difference of this logarithm between two versions of a kernel, from the changes of the features between
           them and the features of the first. Fitted is what half the change of the live registers does not explain
"""

import math

import numpy

from ptxas_model import trees
from ptxas_model.samples import DEFAULT_SET

# As in passes/ptxas_model/ptxas_model.cc.
OVERHEAD = 6
START_FEATURE = "peak_least"
START_SHARE = 0.5
LEAST_GAIN = 0.02
WORK_SHARE = 0.5
_SETTINGS_REGISTERS = trees.Settings(trees=120, depth=4, rate=0.08, least_weight=10)
_SETTINGS_CHANGE = trees.Settings(trees=100, depth=3, rate=0.06, least_weight=10)
_ABSOLUTE = ("work",)  # a logarithm already
_FIXED = ("generation", "threads", "limit", "full")


def fixed_log2(values):
    """FixedLog2 of passes/ptxas_model/ptxas_features.h."""
    result = numpy.zeros(len(values), dtype=numpy.int64)
    for i, value in enumerate(values.tolist()):
        if value > 0:
            exponent = value.bit_length() - 1
            fraction = value ^ (1 << exponent)
            result[i] = exponent * 256 + (fraction >> exponent - 8 if exponent >= 8 else fraction << 8 - exponent)
    return result


class Table:
    """Samples as arrays. A pair is a version of a kernel and the kernel's default version."""

    def __init__(self, samples):
        self.samples = samples
        self.names = list(samples[0].features)
        self.rows = numpy.array([list(sample.features.values()) for sample in samples], dtype=numpy.int64)
        self.registers = numpy.array([sample.registers for sample in samples])
        kernels = [(sample.place, sample.file, sample.kernel) for sample in samples]
        number = {kernel: i for i, kernel in enumerate(dict.fromkeys(kernels))}
        self.kernel = numpy.array([number[kernel] for kernel in kernels])
        files = {name: i for i, name in enumerate(dict.fromkeys(sample.file for sample in samples))}
        self.file = numpy.array([files[sample.file] for sample in samples])
        default = {kernel: i for i, (kernel, sample) in enumerate(zip(kernels, samples)) if DEFAULT_SET in sample.option_sets}
        self.version = numpy.array([i for i, kernel in enumerate(kernels) if kernel in default])
        self.default = numpy.array([default[kernels[i]] for i in self.version])
        # Kernels with many versions count more, but not as many times more.
        counts = numpy.bincount(self.kernel)
        self.weights = 1 / numpy.sqrt(counts[self.kernel])
        self.logarithms = numpy.log2(self.registers)
        self.option_sets = {name for sample in samples for name in sample.option_sets}

    def column(self, name):
        return self.rows[:, self.names.index(name)]

    def start(self):
        return fixed_log2(self.column(START_FEATURE) + OVERHEAD) / 256

    def changes(self):
        """Returns the features of pairs: changes, then those of the default version."""
        columns = []
        for i, name in enumerate(self.names):
            after, before = self.rows[self.version, i], self.rows[self.default, i]
            if name in _FIXED:
                columns.append(numpy.zeros(len(after), dtype=numpy.int64))
            elif name in _ABSOLUTE:
                columns.append(after - before)
            else:
                columns.append(fixed_log2(after + OVERHEAD) - fixed_log2(before + OVERHEAD))
        return numpy.stack([*columns, *self.rows[self.default].T], axis=1)

    def change_start(self):
        start = self.start()
        return START_SHARE * (start[self.version] - start[self.default])


def fit_registers(table, chosen):
    """Fits to the samples where the mask is set."""
    booster = trees.Booster(table.rows[chosen], table.file[chosen], table.weights[chosen], _SETTINGS_REGISTERS)
    return booster.fit((table.logarithms - table.start())[chosen])


def predict_registers(table, fitted):
    return numpy.exp2(table.start() + trees.predict(table.rows, *fitted))


def fit_change(table, changes, chosen):
    """Fits to the pairs where the mask is set."""
    targets = table.logarithms[table.version] - table.logarithms[table.default] - table.change_start()
    # It is for the kernels of high pressure that registers decide how many warps are resident.
    weights = table.weights[table.version] * numpy.where(table.registers[table.default] >= 40, 3, 1)
    booster = trees.Booster(changes[chosen], table.file[table.version][chosen], weights[chosen], _SETTINGS_CHANGE)
    _, fitted = booster.fit(targets[chosen])
    return 0.0, fitted  # no change of features, no change of registers


def predict_change(table, changes, fitted):
    unchanged = changes.copy()
    unchanged[:, :len(table.names)] = 0
    return table.change_start() + trees.predict(changes, *fitted) - trees.predict(unchanged, *fitted)


def predict_gain(table, predicted_changes):
    """PredictGain of passes/ptxas_model/ptxas_model.h: what falls is worth half of what rises in executed instructions."""
    work = table.column("work")
    more = numpy.maximum(work[table.version] - work[table.default], 0) / 256
    gain = -predicted_changes - WORK_SHARE * more
    return numpy.where(gain > LEAST_GAIN, gain, 0)


def choose(table, gains, chosen, sets):
    """Returns for each kernel the default's registers, those of the version that the model chooses, and the fewest."""
    versions = {}
    for pair in numpy.flatnonzero(chosen):
        if not sets.isdisjoint(table.samples[table.version[pair]].option_sets):
            versions.setdefault(table.kernel[table.version[pair]], []).append(pair)
    result = []
    for pairs in versions.values():
        default = table.default[pairs[0]]
        best = max(pairs, key=lambda pair: gains[pair] if table.version[pair] != default else 0)
        takes = table.version[best] != default and gains[best] > 0
        registers = [table.registers[table.version[pair]] for pair in pairs] + [table.registers[default]]
        result.append((table.registers[default], table.registers[table.version[best] if takes else default],
                       min(registers)))
    return numpy.array(result)


def share_of_pairs_in_order(table, predictions, chosen):
    """Returns the share of the pairs of versions of a kernel with different registers that the model puts in order."""
    right = count = 0
    for kernel in numpy.unique(table.kernel[table.version[chosen]]):
        pairs = numpy.flatnonzero(chosen & (table.kernel[table.version] == kernel))
        registers, guess = table.registers[table.version[pairs]], predictions[pairs]
        difference = numpy.sign(registers[:, None] - registers[None, :])
        guessed = numpy.sign(guess[:, None] - guess[None, :])
        above = numpy.triu(difference != 0, 1)
        count += above.sum()
        right += ((difference == guessed) & above).sum() + 0.5 * ((guessed == 0) & above).sum()
    return right / max(count, 1), int(count)


def geomean(ratios):
    return math.exp(numpy.log(ratios).mean()) if len(ratios) else 1.0
