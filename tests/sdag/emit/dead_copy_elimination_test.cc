// SPDX-License-Identifier: Apache-2.0

#include "sdag/emit/dead_copy_elimination.h"

#include <string>

#include "tests/sdag/emit/emit_fixture.h"

namespace ptxmir::sdag {
namespace {

constexpr uint32_t kR0 = 39;

class DeadCopyTest : public EmitTest {
 protected:
  // Makes the parameters of a kernel as selection does: loads from parameter space, copies of registers that the
  // driver sets, and copies of physical registers. `num_used` of them are summed up.
  void MakeParameters(int count, int num_used) {
    SDValue sum = Live();
    std::vector<SDValue> chains = {dag_->EntryToken()};
    for (int i = 0; i < count; ++i) {
      SDValue value;
      if (i % 3 == 0) {
        const SDValue name = dag_->GetExternalSymbol("k_param_" + std::to_string(i), MVT::kI64, true);
        value = Node(op::LD_i32, {MVT::kI32, MVT::kOther},
                     {Imm(0), Imm(0), Imm(101), Imm(3), Imm(32), Imm(-1), name, Imm(0), dag_->EntryToken()});
      } else {
        const uint32_t number = i % 3 == 1 ? ptx::phys_reg::kEnvReg0 + static_cast<uint32_t>(i) / 3
                                           : kR0 + static_cast<uint32_t>(i) / 3 % 5;
        value = dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(number), MVT::kI32);
      }
      chains.push_back(value.Result(1));
      if (i < num_used) sum = Add(sum, value);
    }
    dag_->SetRoot(dag_->GetTokenFactor({}, chains));
    Export(sum);
  }
  size_t NumUnused() const {
    size_t count = 0;
    for (const MachineInstr& instr : *function_->front()) {
      if (instr.num_operands() == 0 || !instr.operand(0).is_def() || !instr.operand(0).reg().is_virtual()) continue;
      const Register reg = instr.operand(0).reg();
      const bool is_exported = reg == exported_[0];
      count += !is_exported && function_->reg_info().Uses(reg).empty();
    }
    return count;
  }
};

class ParameterTest : public DeadCopyTest, public testing::WithParamInterface<int> {};

TEST_P(ParameterTest, KernelsWithManyParametersBeginWithNoDeadCopy) {
  MakeParameters(GetParam(), GetParam() / 4);
  const EmitResult result = Emit();
  EXPECT_EQ(NumUnused(), 0u) << Dump();
  EXPECT_GT(result.dead_copies.erased, 0u);
  EXPECT_EQ(Count(op::LD_i32), (static_cast<size_t>(GetParam()) / 4 + 2) / 3);
  EXPECT_EQ(Count(op::ADD32rr), static_cast<size_t>(GetParam()) / 4);
  EXPECT_EQ(function_->reg_info().CheckUseLists(), "");
}

TEST_P(ParameterTest, AllStayWhenDeadNodesAreToBeEmitted) {
  MakeParameters(GetParam(), 0);
  EXPECT_EQ(Emit({.emit_dead_nodes = true}).dead_copies.erased, 0u);
  EXPECT_EQ(Count(op::LD_i32), (static_cast<size_t>(GetParam()) + 2) / 3);
  EXPECT_GE(NumUnused(), Count(op::LD_i32) + 5);
}

INSTANTIATE_TEST_SUITE_P(Counts, ParameterTest, testing::Values(20, 32, 45, 60));

TEST_F(DeadCopyTest, WhatHasAnEffectStays) {
  const SDValue base = dag_->GetExternalSymbol("k_param_0", MVT::kI64, true);
  const auto load = [&](int64_t order, int64_t offset) {
    return Node(op::LD_i32, {MVT::kI32, MVT::kOther},
                {Imm(order), Imm(0), Imm(1), Imm(3), Imm(32), Imm(-1), base, Imm(offset), dag_->root()});
  };
  dag_->SetRoot(load(0, 0).Result(1));
  dag_->SetRoot(load(8, 4).Result(1));  // volatile
  dag_->SetRoot(load(4, 8).Result(1));  // acquire
  Emit();
  EXPECT_EQ(Count(op::LD_i32), 2u) << Dump();
}

TEST_F(DeadCopyTest, CopiesIntoRegistersOfOtherBlocksStay) {
  const Register elsewhere = Export(dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32));
  Emit();
  EXPECT_TRUE(function_->reg_info().Uses(elsewhere).empty());
  EXPECT_EQ(Dump(), "%0:b32 = COPY $r0\n");
}

TEST_F(DeadCopyTest, WhatOnlyDeadInstructionsReadIsOnTheDeadList) {
  const SDValue a = dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32);
  const SDValue address = Node(op::CVT_u64_u32, {MVT::kI64}, {Add(a, a), Imm(0)});
  const SDValue load = Node(op::LD_i32, {MVT::kI32, MVT::kOther},
                            {Imm(0), Imm(0), Imm(1), Imm(3), Imm(32), Imm(-1), address, Imm(0), dag_->EntryToken()});
  dag_->SetRoot(load.Result(1));
  const EmitResult result = Emit();
  EXPECT_EQ(Dump(), "");
  EXPECT_EQ(result.num_instrs, 4u);
  EXPECT_EQ(result.dead_copies.erased, 1u);
  EXPECT_EQ(result.dead_copies.deferred, 3u);
}

TEST_F(DeadCopyTest, GluedPredecessorsGoWithADeadCopy) {
  // A value, a node that is glued to it, and a copy that is glued to that node and that only the chain keeps.
  const SDValue a = Live();
  const SDValue first = Node(op::ADD32rr, {MVT::kI32, MVT::kGlue}, {a, a});
  const SDValue second = Node(op::SUB32rr, {MVT::kI32, MVT::kGlue}, {a, a, first.Result(1)});
  const SDValue copy =
      dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32, second.Result(1));
  dag_->SetRoot(copy.Result(1));
  const EmitResult result = Emit();
  EXPECT_EQ(Dump(), "");
  EXPECT_EQ(result.dead_copies.erased + result.dead_copies.deferred, 3u);
}

TEST_F(DeadCopyTest, GluedPredecessorsWithUsesStay) {
  const SDValue a = Live();
  const SDValue first = Node(op::ADD32rr, {MVT::kI32, MVT::kGlue}, {a, a});
  const SDValue copy =
      dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32, first.Result(1));
  dag_->SetRoot(copy.Result(1));
  Export(Add(first, a));
  Emit();
  EXPECT_EQ(Count(generic::kCopy), 0u) << Dump();
  EXPECT_EQ(Count(op::ADD32rr), 2u) << Dump();
}

TEST_F(DeadCopyTest, AFoldedCopyGoesIfAllUsersHaveFoldedIt) {
  // Calls the function directly, without an emitter: a copy whose record says that its user reads the source.
  MachineBasicBlock& block = *function_->front();
  MachineRegisterInfo& info = function_->reg_info();
  const Register folded = info.CreateVirtualRegister(ptx::reg_class::kB32);
  const Register partly = info.CreateVirtualRegister(ptx::reg_class::kB32);
  const Register source = Register::Physical(kR0);
  const SDValue node = dag_->EntryToken();
  EmitResultRecord records[] = {
      {BuildMI(block, nullptr, generic::kCopy).AddDef(folded).AddUse(source).Insert(), node.node(), source, folded,
       ptx::reg_class::kB32, 0,
       EmitResultRecord::kCopy | EmitResultRecord::kOwnResult | EmitResultRecord::kInlineFolded},
      {BuildMI(block, nullptr, generic::kCopy).AddDef(partly).AddUse(source).Insert(), node.node(), source, partly,
       ptx::reg_class::kB32, 0,
       EmitResultRecord::kCopy | EmitResultRecord::kOwnResult | EmitResultRecord::kInlineFolded}};
  BuildMI(block, nullptr, generic::kKill).AddUse(partly).Insert();
  const DeadCopyCounts counts = EliminateDeadCopies(*function_, absl::MakeSpan(records), PtxEmitHooks());
  EXPECT_EQ(counts.erased, 1u);
  EXPECT_EQ(counts.folded, 1u);
  EXPECT_EQ(Dump(), "%1:b32 = COPY $r0\nKILL %1:b32\n");
}

TEST_F(DeadCopyTest, DebugUsesDoNotKeepACopyAlive) {
  const SDValue a = dag_->GetCopyFromReg({}, dag_->EntryToken(), Register::Physical(kR0), MVT::kI32);
  dag_->SetRoot(a.Result(1));
  dag_->AddDbgValue({.value = a, .variable = 5, .expression = 6, .loc = {.order = 4, .debug_loc = 9}});
  Emit();
  EXPECT_EQ(Dump(), "DBG_VALUE $noreg, $noreg, !5, !6, debug-location !9\n");
}

}  // namespace
}  // namespace ptxmir::sdag
