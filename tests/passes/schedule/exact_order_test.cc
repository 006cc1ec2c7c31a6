// SPDX-License-Identifier: Apache-2.0

// The heuristic orders of ScheduleRegion against the best ones there are, in all regions of the corpus with up to 30
// instructions. A branch-and-bound search finds the lowest peak of live registers: for a limit one below the best order
// known, it places instructions from the bottom up and gives up where the limit is exceeded or the same instructions
// have been placed in vain before. An instruction after which no more registers are live than before is placed at once,
// because no order gets worse by it.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/pressure/machine_register_pressure.h"
#include "analysis/values/memory_dependence.h"
#include "gtest/gtest.h"
#include "passes/pipeline/pass_table.h"
#include "passes/schedule/dag/schedule_dag.h"
#include "passes/schedule/instr_region.h"
#include "passes/schedule/schedule_region.h"
#include "ptx/target/machine_model.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/corpus.h"

namespace ptxmir {
namespace {

constexpr size_t kMaxInstrs = 30;
constexpr size_t kMaxStates = 20000;

class ExactSearch {
 public:
  enum class Answer : uint8_t { kYes, kNo, kUnknown };

  ExactSearch(const ScheduleDag& dag, const LiveUnits& below) : dag_(dag), below_(below) {}

  // Says whether there is an order in which at most `limit` units are live.
  Answer HasOrder(uint32_t limit) {
    limit_ = limit;
    failed_.clear();
    const bool found = Search(0, below_);
    if (found) return Answer::kYes;
    return failed_.size() > kMaxStates ? Answer::kUnknown : Answer::kNo;
  }

 private:
  bool IsReady(uint32_t node, uint64_t placed) const {
    if ((placed >> node & 1) != 0) return false;
    const auto successors = dag_.Successors(node);
    return std::all_of(successors.begin(), successors.end(),
                       [&](const ScheduleDependence& edge) { return (placed >> edge.to & 1) != 0; });
  }

  bool Search(uint64_t placed, LiveUnits live) {
    std::vector<uint32_t> ready;
    for (bool is_forced = true; is_forced;) {
      is_forced = false;
      if (placed + 1 == uint64_t{1} << dag_.size()) return true;
      ready.clear();
      for (uint32_t node = 0; node < dag_.size() && !is_forced; ++node) {
        if (!IsReady(node, placed)) continue;
        LiveUnits after = live;
        if (after.StepUp(dag_.instr(node)) > limit_) continue;
        is_forced = after.units() <= live.units();
        ready.push_back(node);
        if (!is_forced) continue;
        live.CopyFrom(after);
        placed |= uint64_t{1} << node;
      }
    }
    if (failed_.size() > kMaxStates || !failed_.insert(placed).second) return false;
    for (const uint32_t node : ready) {
      LiveUnits after = live;
      after.StepUp(dag_.instr(node));
      if (Search(placed | uint64_t{1} << node, after)) return true;
    }
    return false;
  }

  const ScheduleDag& dag_;
  const LiveUnits& below_;
  uint32_t limit_ = 0;
  absl::flat_hash_set<uint64_t> failed_;
};

struct Totals {
  uint64_t regions = 0;
  uint64_t optimal = 0;
  uint64_t unknown = 0;
  uint64_t excess = 0;
  uint64_t units = 0;  // at the optimal peaks
};

class RegionComparison {
 public:
  RegionComparison(MachineFunction& function, StandalonePassContext& standalone, Totals& totals)
      : function_(function),
        pressure_(standalone.analyses.Get<MachineRegisterPressure>()),
        graph_(function, standalone.analyses.Get<MemoryDependence>(), ptx::MachineModel::Default()),
        totals_(totals) {}

  void Run() {
    for (MachineBasicBlock& block : function_) {
      LiveUnits live(function_);
      for (const uint32_t reg : pressure_.LiveOuts(block)) live.Add(reg);
      VisitUpwards(
          block, [&](MachineInstr& boundary) { live.StepUp(boundary); },
          [&](const InstrRegion& region) {
            if (region.instrs.size() >= 3 && region.instrs.size() <= kMaxInstrs) Compare(region, live);
            PeakOf(region, live);
          });
    }
  }

 private:
  void Compare(const InstrRegion& region, const LiveUnits& below) {
    graph_.Build(region.instrs);
    LiveUnits live = below;
    uint32_t peak = PeakOf(region, live);
    for (const ScheduleTie tie : kScheduleTies) {
      live.CopyFrom(below);
      peak = std::min(peak, graph_.Schedule(tie, live).peak);
    }
    ExactSearch search(graph_.dag(), below);
    uint32_t best = peak;
    ExactSearch::Answer answer = ExactSearch::Answer::kNo;
    while (best > 0 && (answer = search.HasOrder(best - 1)) == ExactSearch::Answer::kYes) --best;
    totals_.unknown += answer == ExactSearch::Answer::kUnknown;
    if (answer == ExactSearch::Answer::kUnknown) return;
    ++totals_.regions;
    totals_.optimal += best == peak;
    totals_.excess += peak - best;
    totals_.units += best;
  }

  MachineFunction& function_;
  MachineRegisterPressure& pressure_;
  ScheduleRegion graph_;
  Totals& totals_;
};

TEST(ExactOrderTest, TheHeuristicIsMostlyOptimal) {
  Totals totals;
  const Knobs knobs;
  for (const std::string& path : testing::CorpusSample()) {
    const auto buffer = SourceBuffer::FromFile(path);
    ASSERT_TRUE(buffer.ok());
    const std::unique_ptr<Module> module = testing::ReadModule((*buffer)->text());
    ASSERT_NE(module, nullptr) << path;
    for (const auto& function : module->machine_functions()) {
      StandalonePassContext standalone(*function, {.knobs = &knobs});
      RegionComparison(*function, standalone, totals).Run();
    }
  }
  std::cout << totals.regions << " regions, " << totals.optimal << " with the lowest peak, " << totals.unknown
            << " not known; " << totals.excess << " registers more than " << totals.units << "\n";
  EXPECT_GT(totals.regions, 1000 / testing::kCorpusSampleStride);
  EXPECT_GE(totals.optimal * 100, totals.regions * 90);
  EXPECT_LE(totals.unknown * 100, totals.regions);
}

}  // namespace
}  // namespace ptxmir
