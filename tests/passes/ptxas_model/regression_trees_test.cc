// SPDX-License-Identifier: Apache-2.0

#include "passes/ptxas_model/regression_trees.h"

#include <cstddef>
#include <limits>

#include "gtest/gtest.h"

namespace ptxmir {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

// Two trees of two levels. The first asks for feature 0 above 10, then for feature 1 above 5 or 7. The second asks
// nothing.
constexpr TreeTest kTests[] = {{10, 0}, {5, 1}, {7, 1}, {kNever, 0}, {kNever, 0}, {kNever, 0}};
constexpr int16_t kLeaves[] = {1, 2, 3, 4, 100, 0, 0, 0};
constexpr TreeEnsemble kEnsemble = {.base = -1000, .depth = 2, .tests = kTests, .leaves = kLeaves};

int32_t Evaluate(int32_t first, int32_t second) {
  return kEnsemble.Evaluate([&](size_t feature) { return feature == 0 ? first : second; });
}

TEST(TreeEnsembleTest, FollowsTheTestsOfEachTree) {
  EXPECT_EQ(Evaluate(10, 5), -1000 + 1 + 100);
  EXPECT_EQ(Evaluate(10, 6), -1000 + 2 + 100);
  EXPECT_EQ(Evaluate(11, 7), -1000 + 3 + 100);
  EXPECT_EQ(Evaluate(11, 8), -1000 + 4 + 100);
}

}  // namespace
}  // namespace ptxmir
