# SPDX-License-Identifier: Apache-2.0

"""Regression trees, fitted by gradient boosting (Friedman, "Greedy Function Approximation: A Gradient Boosting Machine",
Annals of Statistics 2001) on histograms of the features, for squared errors.

A tree is complete: `depth` levels of tests `feature > threshold`, then 2**depth leaves. Level by level, node i has the
children 2i+1 and 2i+2. A node that is not worth splitting has a threshold that nothing exceeds.
"""

import dataclasses

import numpy

NEVER = 2**31 - 1
_BINS = 64


@dataclasses.dataclass
class Tree:
    features: list
    thresholds: list
    leaves: list


@dataclasses.dataclass
class Settings:
    trees: int = 150
    depth: int = 4
    rate: float = 0.08  # of learning
    least_weight: float = 10.0  # of the samples in a leaf
    ridge: float = 5.0  # added to the weight of a leaf
    # The shares of samples' groups and of features that a tree is fitted on.
    group_share: float = 0.7
    feature_share: float = 0.5


def _thresholds(column):
    values = numpy.unique(column)
    if len(values) > _BINS:
        values = numpy.unique(numpy.quantile(column, numpy.linspace(0, 1, _BINS + 1)[1:-1], method="lower"))
    return values[:-1] if len(values) and values[-1] == column.max() else values


class Booster:
    """Fits trees to `targets` given the integer features of each sample."""

    def __init__(self, rows, groups, weights, settings, seed=1):
        self._rows = rows
        self._weights = weights
        self._groups = groups
        self._settings = settings
        self._random = numpy.random.RandomState(seed)
        self._thresholds = [_thresholds(rows[:, i]) for i in range(rows.shape[1])]
        self._bins = numpy.stack([numpy.searchsorted(thresholds, rows[:, i], side="left")
                                  for i, thresholds in enumerate(self._thresholds)], axis=1)
        # Bin b holds values above thresholds[b - 1] and at most thresholds[b].

    def fit(self, targets):
        """Returns the constant to begin with, and the trees."""
        base = float(numpy.average(targets, weights=self._weights))
        predictions = numpy.full(len(targets), base)
        trees = []
        names = numpy.unique(self._groups)
        for _ in range(self._settings.trees):
            chosen = self._random.permutation(names)[:max(1, int(len(names) * self._settings.group_share))]
            weights = self._weights * numpy.isin(self._groups, chosen)
            tree, leaf_of = self._fit_tree(targets - predictions, weights)
            predictions += numpy.array(tree.leaves)[leaf_of]
            trees.append(tree)
        return base, trees

    def _fit_tree(self, residuals, weights):
        depth = self._settings.depth
        count = self._rows.shape[1]
        candidates = self._random.permutation(count)[:max(1, int(count * self._settings.feature_share))]
        node_of = numpy.zeros(len(residuals), dtype=numpy.int64)  # within the level
        features, thresholds = [], []
        for level in range(depth):
            nodes = 2**level
            best_gain = numpy.zeros(nodes)
            best_feature = numpy.zeros(nodes, dtype=numpy.int64)
            best_bin = numpy.full(nodes, -1)
            for feature in candidates:
                bins = len(self._thresholds[feature]) + 1
                if bins < 2:
                    continue
                index = node_of * bins + self._bins[:, feature]
                weight = numpy.bincount(index, weights, nodes * bins).reshape(nodes, bins)
                total = numpy.bincount(index, weights * residuals, nodes * bins).reshape(nodes, bins)
                left_weight, left_total = weight.cumsum(1)[:, :-1], total.cumsum(1)[:, :-1]
                all_weight, all_total = weight.sum(1, keepdims=True), total.sum(1, keepdims=True)
                right_weight, right_total = all_weight - left_weight, all_total - left_total
                ridge = self._settings.ridge
                gain = (left_total**2 / (left_weight + ridge) + right_total**2 / (right_weight + ridge)
                        - all_total**2 / (all_weight + ridge))
                least = self._settings.least_weight
                gain[(left_weight < least) | (right_weight < least)] = 0
                at = gain.argmax(1)
                value = gain[numpy.arange(nodes), at]
                better = value > best_gain + 1e-9
                best_gain[better], best_feature[better], best_bin[better] = value[better], feature, at[better]
            goes_right = numpy.zeros(len(residuals), dtype=bool)
            for node in range(nodes):
                feature = int(best_feature[node])
                if best_bin[node] < 0:
                    features.append(0)
                    thresholds.append(NEVER)
                    continue
                features.append(feature)
                thresholds.append(int(self._thresholds[feature][best_bin[node]]))
                inside = node_of == node
                goes_right[inside] = self._bins[inside, feature] > best_bin[node]
            node_of = 2 * node_of + goes_right
        leaves = 2**depth
        weight = numpy.bincount(node_of, weights, leaves)
        total = numpy.bincount(node_of, weights * residuals, leaves)
        values = self._settings.rate * total / (weight + self._settings.ridge)
        return Tree(features, thresholds, values.tolist()), node_of


def predict(rows, base, trees):
    result = numpy.full(len(rows), float(base))
    for tree in trees:
        depth = len(tree.leaves).bit_length() - 1
        node = numpy.zeros(len(rows), dtype=numpy.int64)
        features, thresholds = numpy.array(tree.features), numpy.array(tree.thresholds)
        for _ in range(depth):
            node = 2 * node + 1 + (rows[numpy.arange(len(rows)), features[node]] > thresholds[node])
        result += numpy.array(tree.leaves)[node - len(tree.features)]
    return result
