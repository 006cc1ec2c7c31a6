// SPDX-License-Identifier: Apache-2.0

// Ensembles of regression trees over integer features, as bench/fit_ptxas_model.py fits them (Friedman, "Greedy
// Function Approximation: A Gradient Boosting Machine", Annals of Statistics 2001). The value of an ensemble is a
// constant and one leaf of each tree. All arithmetic is on integers, so a value is the same on all machines.

#ifndef PTXMIR_PASSES_PTXAS_MODEL_REGRESSION_TREES_H_
#define PTXMIR_PASSES_PTXAS_MODEL_REGRESSION_TREES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace ptxmir {

// A complete tree of `depth` levels of tests, level by level: test i is followed by test 2i+1, or by 2i+2 if the
// feature exceeds the threshold.
struct TreeTest {
  int32_t threshold;
  uint8_t feature;
};

struct TreeEnsemble {
  int32_t base;  // the constant, in the unit of the leaves
  uint32_t depth;
  absl::Span<const TreeTest> tests;  // 2^depth - 1 for each tree
  absl::Span<const int16_t> leaves;  // 2^depth for each tree

  // `features` returns the feature with an index.
  template <typename Features>
  int32_t Evaluate(const Features& features) const {
    const size_t num_leaves = size_t{1} << depth;
    int32_t value = base;
    for (size_t tree = 0; tree * num_leaves < leaves.size(); ++tree) {
      const TreeTest* const tree_tests = &tests[tree * (num_leaves - 1)];
      size_t node = 0;
      for (uint32_t level = 0; level < depth; ++level) {
        const TreeTest& test = tree_tests[node];
        node = 2 * node + 1 + (features(test.feature) > test.threshold ? 1 : 0);
      }
      value += leaves[tree * num_leaves + node - (num_leaves - 1)];
    }
    return value;
  }
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PTXAS_MODEL_REGRESSION_TREES_H_
