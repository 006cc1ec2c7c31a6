// SPDX-License-Identifier: Apache-2.0

// Compares the answers of SharingEffect and PredicateRoom with those of machine-rpa, which tries the edit out.

#include "passes/ssa/sharing_effect.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "gtest/gtest.h"
#include "passes/ssa/predicate_room.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/support/sanitized.h"

namespace ptxmir {
namespace {

using testing::OnlyFunction;
using testing::ReadBody;

struct Pair {
  Register from;
  Register to;
};

// Returns the registers that could stand for each other if their values were equal: of the same class, the definition
// of `to` before that of `from`, which defines nothing else.
std::vector<Pair> PairsToShare(MachineFunction& function) {
  constexpr size_t kMaxPairs = 400;
  const MachineRegisterInfo& reg_info = function.reg_info();
  AnalysisManager analyses(function);
  const auto& dominators = analyses.Get<MachineDominatorTree>();
  std::vector<Pair> pairs;
  for (uint32_t i = 0; i < reg_info.num_virtual_registers(); ++i) {
    const Register from = Register::Virtual(i);
    const MachineInstr* const later = reg_info.UniqueDef(from);
    if (later == nullptr || later->is_phi() || later->num_explicit_defs() != 1) continue;
    if (reg_info.NonDebugUses(from).empty() || !dominators.Contains(*later->parent())) continue;
    for (uint32_t j = 0; j < reg_info.num_virtual_registers() && pairs.size() < kMaxPairs; ++j) {
      const Register to = Register::Virtual(j);
      const MachineInstr* const earlier = reg_info.UniqueDef(to);
      if (earlier == nullptr || earlier->is_phi() || reg_info.reg_class(from) != reg_info.reg_class(to)) continue;
      if (earlier != later && dominators.Dominates(*earlier, *later)) pairs.push_back({from, to});
    }
  }
  return pairs;
}

bool IsPredicate(const MachineFunction& function, Register reg) {
  return function.reg_info().reg_class(reg) == ptx::reg_class::kB1;
}

TEST(SharingEffectTest, AnswersAsTheTrialOfMachineRpa) {
  int num_raised = 0, num_not_raised = 0, num_unknown = 0;
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 31000, 20, [&](MachineFunction& function, const std::string& where) {
        if (!function.HasProperty(FunctionProperty::kIsSsa)) return;
        const MachineRegisterPressure pressure(function);
        AnalysisManager analyses(function);
        SharingEffect effect(function, analyses.Get<MachineDominatorTree>());
        for (const auto& [from, to] : PairsToShare(function)) {
          const std::optional<bool> raises = effect.RaisesPressure(from, to, pressure);
          if (!raises.has_value()) {
            ++num_unknown;
            continue;
          }
          const RaisedPressure trial = pressure.WhatIfReplaced(from, to);
          ASSERT_EQ(*raises, (IsPredicate(function, from) ? trial.predicates : trial.units) > 0)
              << where << ": %" << to.virtual_index() << " for %" << from.virtual_index();
          ++(*raises ? num_raised : num_not_raised);
        }
      });
  EXPECT_GT(num_raised, testing::NumInputs(100, 10));
  EXPECT_GT(num_not_raised, testing::NumInputs(100, 10));
  EXPECT_GT(num_unknown, testing::NumInputs(100, 10));  // where both ends lie in different blocks
}

// Returns what RaisesPressure says of %3, which computes %2 once more.
std::optional<bool> RaisesPressure(const std::string& body) {
  const auto module = ReadBody(body);
  MachineFunction& function = OnlyFunction(*module);
  const MachineRegisterPressure pressure(function);
  AnalysisManager analyses(function);
  return SharingEffect(function, analyses.Get<MachineDominatorTree>())
      .RaisesPressure(Register::Virtual(3), Register::Virtual(2), pressure);
}

TEST(SharingEffectTest, AnOperandThatOnlyTheLaterOneReadsMakesRoom) {
  const std::string begin = R"(  bb.0:
    %0:b64 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b64 = ADD64rr %0, %1
    KILL %2
    KILL %0
    %3:b64 = ADD64rr %0, %1
)";
  EXPECT_EQ(RaisesPressure(begin + "    KILL %3\n    Return\n"), false);
  EXPECT_EQ(RaisesPressure(begin + "    KILL %3\n    KILL %1\n    Return\n"), true);  // %0 ends too late
}

TEST(SharingEffectTest, AResultThatIsReadLaterMakesNoDifference) {
  EXPECT_EQ(RaisesPressure(R"(  bb.0:
    %0:b64 = IMPLICIT_DEF
    %1:b64 = IMPLICIT_DEF
    %2:b64 = ADD64rr %0, %1
    %3:b64 = ADD64rr %0, %1
    KILL %2
    KILL %3, %1, %0
    Return
)"),
            false);
}

TEST(PredicateRoomTest, KeepsTheFunctionWithinItsLimit) {
  int num_kept = 0, num_refused = 0;
  testing::ForEachGeneratedFunction(
      fuzz::FuzzShape::kMixed, 32000, 50, [&](MachineFunction& function, const std::string& where) {
        if (!function.HasProperty(FunctionProperty::kIsSsa)) return;
        MachineRegisterInfo& reg_info = function.reg_info();
        MachineRegisterPressure pressure(function);
        const uint32_t limit = std::max(pressure.MaxPredicates(), 1u);
        PredicateRoom room(function, limit);
        for (const auto& [from, to] : PairsToShare(function)) {
          MachineInstr* const later = reg_info.UniqueDef(from);
          if (!IsPredicate(function, from) || later == nullptr || reg_info.UniqueDef(to) == nullptr) continue;
          if (!room.Keep(to, *later, pressure)) {
            ++num_refused;
            continue;
          }
          pressure.WillErase(*later);
          later->EraseFromParent();
          pressure.WillReplaceRegister(from, to);
          reg_info.ReplaceRegister(from, to);
          ASSERT_LE(pressure.MaxPredicates(), limit) << where << ": %" << to.virtual_index();
          ++num_kept;
        }
      });
  EXPECT_GT(num_kept, testing::NumInputs(50, 5));
  EXPECT_GT(num_refused, testing::NumInputs(50, 5));
}

TEST(PredicateRoomTest, OnlyBlocksWhereThePredicateBecomesLiveMustHaveRoom) {
  const auto module = ReadBody(R"(  bb.0:
    successors: %bb.1, %bb.2
    %0:b1 = IMPLICIT_DEF
    KILL %0
    CBranch undef %0, %bb.2
  bb.1:
    successors: %bb.3
    %1:b1 = IMPLICIT_DEF
    %2:b1 = IMPLICIT_DEF
    KILL %1, %2
  bb.2:
    successors: %bb.3
    KILL
  bb.3:
    %3:b1 = IMPLICIT_DEF
    KILL %3
    Return
)");
  MachineFunction& function = OnlyFunction(*module);
  MachineRegisterPressure pressure(function);
  const Register predicate = Register::Virtual(0);
  EXPECT_FALSE(PredicateRoom(function, 2).Keep(predicate, *function.block(3)->front(), pressure));  // %bb.1 is full
  EXPECT_TRUE(PredicateRoom(function, 3).Keep(predicate, *function.block(3)->front(), pressure));
  EXPECT_TRUE(PredicateRoom(function, 2).Keep(predicate, *function.block(2)->front(), pressure));
}

}  // namespace
}  // namespace ptxmir
