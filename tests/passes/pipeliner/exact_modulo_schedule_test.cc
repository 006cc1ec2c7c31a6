// SPDX-License-Identifier: Apache-2.0

// The intervals that modulo scheduling reaches, against the least ones there are, on random loops of up to 20
// instructions.
//
// The yardstick is an exact search. A schedule gives each instruction a row (its cycle modulo II) and a stage. Rows are
// chosen by branch and bound, instructions of recurrences first. Given rows, the stages that dependences ask for are
// differences, so that there are stages for them if and only if no circuit of dependences asks for more than 0 stages
// in all. With the longest paths between all instructions in place of the dependences, this can be asked of the rows
// that are chosen so far. Units are used in total, which is what the last of the pass's methods asks for; so
// an interval with enough cycles of each unit restricts nothing but the rows of instructions that are issued.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis_manager.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "passes/pipeliner/loop_body.h"
#include "passes/pipeliner/loop_dependences.h"
#include "passes/pipeliner/modulo_graph.h"
#include "passes/pipeliner/modulo_schedule.h"
#include "ptx/target/machine_model.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/passes/pipeliner/loop_maker.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

constexpr uint64_t kNumLoops = testing::NumInputs(200, 40);
constexpr uint32_t kMaxInstrs = 20;
// The rows that the exact search tries for all instructions together before it gives up.
constexpr uint64_t kMaxTrials = 100'000;
// The default of -pipeliner-ii-search-range.
constexpr uint32_t kSearchRange = 10;

constexpr int64_t kNoPath = std::numeric_limits<int64_t>::min() / 4;

class ExactSearch {
 public:
  ExactSearch(const ModuloGraph& graph, uint32_t ii) : graph_(graph), ii_(ii), paths_(LongestPaths(graph, ii)) {
    for (const Recurrence& recurrence : graph.recurrences) {
      for (const uint32_t node : recurrence.nodes) order_.push_back(node);
    }
    for (uint32_t node = 0; node < graph.size(); ++node) {
      if (std::find(order_.begin(), order_.end(), node) == order_.end()) order_.push_back(node);
    }
    rows_.assign(graph.size(), 0);
    is_issued_.assign(ii, false);
  }

  // Returns whether there is a schedule, or nullopt if that takes too long to decide.
  std::optional<bool> Run() {
    for (uint32_t node = 0; node < graph_.size(); ++node) {
      if (paths_[node][node] > 0) return false;
    }
    const bool found = Choose(0);
    if (!found && trials_ >= kMaxTrials) return std::nullopt;
    return found;
  }

 private:
  using Matrix = std::vector<std::vector<int64_t>>;

  // Returns the most cycles that dependences ask for from one instruction to the other.
  static Matrix LongestPaths(const ModuloGraph& graph, uint32_t ii) {
    const uint32_t size = graph.size();
    Matrix paths(size, std::vector<int64_t>(size, kNoPath));
    for (const ScheduleDependence& d : graph.dag.dependences()) {
      paths[d.from][d.to] = std::max<int64_t>(paths[d.from][d.to], WeightAt(d, ii));
    }
    Relax(paths);
    return paths;
  }

  // Floyd and Warshall's algorithm.
  static void Relax(Matrix& paths) {
    const size_t size = paths.size();
    for (size_t k = 0; k < size; ++k) {
      for (size_t i = 0; i < size; ++i) {
        if (paths[i][k] == kNoPath) continue;
        for (size_t j = 0; j < size; ++j) {
          if (paths[k][j] != kNoPath) paths[i][j] = std::max(paths[i][j], paths[i][k] + paths[k][j]);
        }
      }
    }
  }

  // Chooses rows for the instructions from `position` on.
  bool Choose(size_t position) {
    if (position == order_.size()) return true;
    const uint32_t node = order_[position];
    const bool issues = graph_.resources[node].issues;
    // All rows can be rotated together, so the first instruction has one choice.
    const uint32_t num_rows = position == 0 ? 1 : ii_;
    for (uint32_t row = 0; row < num_rows; ++row) {
      if (issues && is_issued_[row]) continue;
      if (++trials_ > kMaxTrials) return false;
      rows_[node] = row;
      if (!HasStages(position + 1)) continue;
      if (issues) is_issued_[row] = true;
      if (Choose(position + 1)) return true;
      if (issues) is_issued_[row] = false;
    }
    return false;
  }

  // Returns true if there are stages for the rows of the first instructions.
  bool HasStages(size_t num_chosen) const {
    Matrix stages(num_chosen, std::vector<int64_t>(num_chosen, kNoPath));
    for (size_t i = 0; i < num_chosen; ++i) {
      for (size_t j = 0; j < num_chosen; ++j) {
        const int64_t path = paths_[order_[i]][order_[j]];
        if (path == kNoPath) continue;
        const int64_t rows = int64_t{rows_[order_[j]]} - int64_t{rows_[order_[i]]};
        stages[i][j] = CeilOfRatio(path - rows, ii_);
      }
    }
    Relax(stages);
    for (size_t i = 0; i < num_chosen; ++i) {
      if (stages[i][i] > 0) return false;
    }
    return true;
  }

  static int64_t CeilOfRatio(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

  const ModuloGraph& graph_;
  const uint32_t ii_;
  const Matrix paths_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> rows_;   // by node
  std::vector<bool> is_issued_;  // by row
  uint64_t trials_ = 0;
};

// Returns the II of the schedule that the methods of the pass find, in the pass's order.
std::optional<uint32_t> ReachedII(const ModuloGraph& graph, const std::vector<bool>& is_control, uint32_t min_ii) {
  const std::vector<uint32_t> order = SwingOrder(graph, is_control, min_ii);
  for (uint32_t ii = min_ii; ii < min_ii + kSearchRange; ++ii) {
    for (const UnitUse use : {UnitUse::kInRows, UnitUse::kInTotal}) {
      if (PlaceNodes(graph, is_control, order, ii, use).has_value()) return ii;
    }
    if (PlaceNodesIteratively(graph, is_control, ii).has_value()) return ii;
  }
  return std::nullopt;
}

// The counts over all loops.
struct Counts {
  uint64_t loops = 0;
  uint64_t at_min_ii = 0;
  uint64_t undecided = 0;
  uint64_t above_least = 0;  // loops for which there is a schedule with a lower II than that reached
  uint64_t excess = 0;       // cycles by which the IIs are higher than the least ones
};

void Compare(const ModuloGraph& graph, const std::vector<bool>& is_control, Counts& counts) {
  const uint32_t min_ii = std::max(ResourceMinII(graph.resources), RecurrenceMinII(graph));
  const std::optional<uint32_t> reached = ReachedII(graph, is_control, min_ii);
  ASSERT_TRUE(reached.has_value());
  ++counts.loops;
  if (*reached == min_ii) ++counts.at_min_ii;
  // The search agrees that there is a schedule with the II that was reached.
  const std::optional<bool> exists = ExactSearch(graph, *reached).Run();
  ASSERT_TRUE(exists.value_or(true));
  for (uint32_t ii = min_ii; ii < *reached; ++ii) {
    const std::optional<bool> found = ExactSearch(graph, ii).Run();
    if (!found.has_value()) {
      ++counts.undecided;
      return;
    }
    if (!*found) continue;
    ++counts.above_least;
    counts.excess += *reached - ii;
    return;
  }
}

TEST(ExactModuloScheduleTest, ReachesTheLeastIntervals) {
  Counts counts;
  for (uint64_t seed = 0; seed < kNumLoops; ++seed) {
    const std::unique_ptr<Module> module = testing::ReadModule(testing::LoopMaker(seed, 4).Make());
    ASSERT_NE(module, nullptr);
    MachineFunction& function = testing::OnlyFunction(*module);
    AnalysisManager analyses(function);
    const FoundLoopBody found = FindLoopBody(analyses.Get<MachineLoops>(), 0, analyses.Get<Uniformity>());
    if (!found.refusal.empty() || found.body.instrs.size() > kMaxInstrs) continue;
    const ptx::MachineModel& model = ptx::MachineModel::Default();
    ScheduleDag dag;
    LoopDagBuilder(function, analyses.Get<MemoryDependence>(), model).Build(found.body, dag);
    // Few warps make long latencies of recurrences, many warps make few rows.
    for (const unsigned warps : {1, 4, 16}) {
      Compare(MakeModuloGraph(dag, model, {.warps = warps}), found.body.is_control, counts);
    }
  }
  RecordProperty("loops", static_cast<int>(counts.loops));
  RecordProperty("at the lower bound", static_cast<int>(counts.at_min_ii));
  RecordProperty("above the least interval", static_cast<int>(counts.above_least));
  RecordProperty("cycles above it", static_cast<int>(counts.excess));
  RecordProperty("undecided", static_cast<int>(counts.undecided));
  EXPECT_GT(counts.loops, kNumLoops / 4);
  EXPECT_LE(counts.undecided * 25, counts.loops);
  EXPECT_LE(counts.above_least * 100, counts.loops * 3);
}

}  // namespace
}  // namespace ptxmir
