// SPDX-License-Identifier: Apache-2.0

// The dependences between iterations, on loops whose distances are known.

#include "passes/pipeliner/loop_dependences.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis_manager.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/pipeliner/modulo_graph.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// A loop over a pointer that advances by `step`.
std::string Loop(int step, std::string_view body) {
  return StrCat(
      "---\nname: k\ntracksRegLiveness: true\nbody: |\n"
      "  bb.0:\n"
      "    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &p0, 0 :: (load (s64), addrspace 101)\n"
      "    %1:b64 = LD_i64 0, 0, 101, 3, 64, -1, &p1, 0 :: (load (s64), addrspace 101)\n"
      "    %2:b32 = LD_i32 0, 0, 101, 3, 32, -1, &p2, 0 :: (load (s32), addrspace 101)\n"
      "    GOTO %bb.1\n"
      "  bb.1:\n"
      "    successors: %bb.1, %bb.2\n"
      "    %3:b32 = PHI %2, %bb.0, %6, %bb.1\n"
      "    %4:b64 = PHI %0, %bb.0, %7, %bb.1\n"
      "    %5:b64 = PHI %1, %bb.0, %8, %bb.1\n",
      body,
      "    %6:b32 = ADD32ri %3, -1\n"
      "    %7:b64 = ADD64ri %4, ",
      step,
      "\n"
      "    %8:b64 = ADD64ri %5, ",
      step,
      "\n"
      "    %9:b1 = SETP_i32ri %6, 0, 1\n"
      "    CBranch %9, %bb.1\n    GOTO %bb.2\n"
      "  bb.2:\n    Return\n...\n");
}

// Returns "from>to:distance" for each dependence of a kind between iterations.
std::vector<std::string> CarriedDependences(const std::string& text, DependenceKind kind) {
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("loop.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString() << text;
  if (module == nullptr) return {};
  MachineFunction& function = *module->machine_functions().front();
  AnalysisManager analyses(function);
  const FoundLoopBody found = FindLoopBody(analyses.Get<MachineLoops>(), 0, analyses.Get<Uniformity>());
  EXPECT_EQ(found.refusal, "");
  ScheduleDag dag;
  LoopDagBuilder(function, analyses.Get<MemoryDependence>(), ptx::MachineModel::Default()).Build(found.body, dag);
  std::vector<std::string> result;
  for (const ScheduleDependence& d : dag.dependences()) {
    if (d.distance != 0 && d.kind == kind) result.push_back(StrCat(d.from, ">", d.to, ":", d.distance));
  }
  return result;
}

constexpr std::string_view kLoad = " = LD_i32 0, 0, 1, 3, 32, -1, ";

std::string LoadAndStore(std::string_view load_base, int load_offset, std::string_view store_base, int store_offset) {
  return StrCat("    %20:b32", kLoad, load_base, ", ", load_offset,
                " :: (load (s32), addrspace 1)\n    ST_i32 %20, 0, 0, 1, 32, ", store_base, ", ", store_offset,
                " :: (store (s32), addrspace 1)\n");
}

using Expected = std::vector<std::string>;

TEST(LoopDependencesTest, AStoreReachesALoadOfALaterIteration) {
  // a[i + 3] = a[i]
  EXPECT_EQ(CarriedDependences(Loop(4, LoadAndStore("%4", 0, "%4", 12)), DependenceKind::kMemory), Expected({"1>0:3"}));
}

TEST(LoopDependencesTest, ALoadComesBeforeAStoreOfALaterIteration) {
  // a[i] = a[i + 2]
  EXPECT_EQ(CarriedDependences(Loop(4, LoadAndStore("%4", 8, "%4", 0)), DependenceKind::kMemory), Expected({"0>1:2"}));
}

TEST(LoopDependencesTest, PointersMayGoDown) {
  EXPECT_EQ(CarriedDependences(Loop(-4, LoadAndStore("%4", 0, "%4", -20)), DependenceKind::kMemory),
            Expected({"1>0:5"}));
  EXPECT_EQ(CarriedDependences(Loop(-8, LoadAndStore("%4", 0, "%4", -4)), DependenceKind::kMemory), Expected());
}

TEST(LoopDependencesTest, AccessesBetweenEachOtherNeverMeet) {
  // a[2 * i + 1] = a[2 * i]
  EXPECT_EQ(CarriedDependences(Loop(8, LoadAndStore("%4", 0, "%4", 4)), DependenceKind::kMemory), Expected());
}

TEST(LoopDependencesTest, OverlapByAByteCounts) {
  EXPECT_EQ(CarriedDependences(Loop(4, LoadAndStore("%4", 0, "%4", 7)), DependenceKind::kMemory), Expected({"1>0:1"}));
}

TEST(LoopDependencesTest, AnAddressThatStaysMeetsItselfInEachIteration) {
  EXPECT_EQ(CarriedDependences(Loop(4, LoadAndStore("%0", 0, "%0", 0)), DependenceKind::kMemory),
            Expected({"1>0:1", "0>1:1"}));
}

TEST(LoopDependencesTest, UnrelatedPointersMayMeetInTheNextIteration) {
  EXPECT_EQ(CarriedDependences(Loop(4, LoadAndStore("%4", 0, "%5", 0)), DependenceKind::kMemory),
            Expected({"1>0:1", "0>1:1"}));
}

TEST(LoopDependencesTest, AValueThatPassesThroughTwoPhisIsTwoIterationsOld) {
  const std::string text = Loop(4,
                                "    %10:b32 = PHI %2, %bb.0, %11, %bb.1\n    %11:b32 = PHI %2, %bb.0, %12, %bb.1\n"
                                "    %12:b32 = ADD32rr %10, %2\n");
  const std::vector<std::string> carried = CarriedDependences(text, DependenceKind::kData);
  EXPECT_NE(std::find(carried.begin(), carried.end(), "0>0:2"), carried.end());
}

}  // namespace
}  // namespace ptxmir
