// SPDX-License-Identifier: Apache-2.0

// The target hooks: the instructions that they make, and that these compute the same.

#include <bit>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "ptx/interpreter/create_device.h"
#include "ptx/target/subtarget.h"
#include "tests/sdag/emit/emit_fixture.h"

namespace ptxmir::sdag {
namespace {

ptx::Subtarget Sm(std::string_view name, std::string_view features = "") {
  absl::StatusOr<ptx::Subtarget> subtarget = ptx::Subtarget::Create(name, features);
  EXPECT_TRUE(subtarget.ok()) << subtarget.status();
  return *subtarget;
}

class HooksTest : public EmitTest {
 protected:
  SDValue Parameter(int number) {
    const SDValue name = dag_->GetExternalSymbol("k_param_" + std::to_string(number), MVT::kI64, true);
    return Node(op::LD_i64, {MVT::kI64, MVT::kOther},
                {Imm(0), Imm(0), Imm(101), Imm(3), Imm(64), Imm(-1), name, Imm(0), dag_->EntryToken()});
  }
  void EmitFor(std::string_view sm, std::string_view features = "") {
    dag_->SetRoot(Node(op::Return, {MVT::kOther}, {dag_->root()}));
    const ptx::Subtarget subtarget = Sm(sm, features);
    Emit({.subtarget = &subtarget});
    Verify();
  }
  // Runs the kernel on `out` and `in`.
  template <typename Out, typename In>
  std::vector<Out> Run(std::vector<Out> out, const std::vector<In>& in, uint32_t threads) {
    auto device = ptx::CreateDevice(*module_, {function_});
    EXPECT_TRUE(device.ok()) << device.status();
    if (!device.ok()) return {};
    const uint64_t out_address = (*device)->Allocate("out", out.size() * sizeof(Out));
    const uint64_t in_address = (*device)->Allocate("in", in.size() * sizeof(In));
    (*device)->Write(out_address, {reinterpret_cast<const uint8_t*>(out.data()), out.size() * sizeof(Out)});
    (*device)->Write(in_address, {reinterpret_cast<const uint8_t*>(in.data()), in.size() * sizeof(In)});
    ptx::LaunchConfig config;
    config.kernel = "k";
    config.block = {threads};
    const auto result =
        (*device)->Launch(config, {ptx::KernelArgument::Of(out_address), ptx::KernelArgument::Of(in_address)});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_FALSE(result->fault.is_fault()) << result->fault.ToString() << Dump();
    (*device)->Read(out_address, {reinterpret_cast<uint8_t*>(out.data()), out.size() * sizeof(Out)});
    return out;
  }
  // in + tid * bytes
  SDValue InAddress(int64_t bytes) {
    const SDValue tid = Node(op::INT_PTX_SREG_TID_x, {MVT::kI32}, {});
    return Node(op::ADD64rr, {MVT::kI64}, {Parameter(1), Node(op::MUL_WIDEu32_ri, {MVT::kI64}, {tid, Imm(bytes)})});
  }
};

TEST_F(HooksTest, AdditionOfDoublesBecomesALoopWhereTheSmLacksIt) {
  const SDValue in = Node(op::LD_i64, {MVT::kI64, MVT::kOther},
                          {Imm(0), Imm(0), Imm(0), Imm(3), Imm(64), Imm(-1), InAddress(8), Imm(0), dag_->EntryToken()});
  const SDValue old =
      Node(op::INT_PTX_ATOM_ADD_F64_GENr, {MVT::kF64, MVT::kOther}, {Parameter(0), Imm(8), in, in.Result(1)});
  dag_->SetRoot(old.Result(1));
  EmitFor("sm_52");
  EXPECT_EQ(Count(op::INT_PTX_ATOM_ADD_F64_GENr), 0u);
  EXPECT_EQ(Count(op::INT_PTX_ATOM_CAS_64_rr), 1u);
  EXPECT_EQ(function_->num_blocks(), 3u) << Dump();
  std::vector<double> values(64);
  std::iota(values.begin(), values.end(), 1.0);
  EXPECT_EQ(Run(std::vector<double>{3.0, 0.5, 7.0}, values, 64), (std::vector<double>{3.0, 2080.5, 7.0}));
}

TEST_F(HooksTest, OldValuesAreReturned) {
  // out[1] += 1. The old value, which differs for each thread, is stored where `in` says.
  const SDValue old = Node(
      op::INT_PTX_ATOM_ADD_F64_GENi, {MVT::kF64, MVT::kOther},
      {Parameter(0), Imm(8), dag_->GetConstantFP(std::bit_cast<uint64_t>(1.0), MVT::kF64, true), dag_->EntryToken()});
  const SDValue index = Node(op::CVT_u32_f64, {MVT::kI32}, {old, Imm(2)});
  const SDValue address =
      Node(op::ADD64rr, {MVT::kI64}, {Parameter(0), Node(op::MUL_WIDEu32_ri, {MVT::kI64}, {index, Imm(8)})});
  dag_->SetRoot(
      Node(op::ST_i64, {MVT::kOther}, {old, Imm(0), Imm(0), Imm(0), Imm(64), address, Imm(16), old.Result(1)}));
  EmitFor("sm_35");
  EXPECT_EQ(Count(op::INT_PTX_ATOM_CAS_64_rr), 1u);
  std::vector<double> expected(2 + 40);
  expected[1] = 40;
  for (int i = 0; i < 40; ++i) expected[static_cast<size_t>(2 + i)] = i;
  EXPECT_EQ(Run(std::vector<double>(42), std::vector<double>{0}, 40), expected);
}

TEST_F(HooksTest, WhatTheSmHasStays) {
  const SDValue old = Node(op::INT_PTX_ATOM_ADD_F64_GENr, {MVT::kF64, MVT::kOther},
                           {Parameter(0), Imm(0), Parameter(1), dag_->EntryToken()});
  dag_->SetRoot(old.Result(1));
  EmitFor("sm_60");
  EXPECT_EQ(Count(op::INT_PTX_ATOM_ADD_F64_GENr), 1u);
  EXPECT_EQ(function_->num_blocks(), 1u);
}

// The opcode, the SM, and the numbers one and two in the format.
using Half = std::tuple<Opcode, const char*, uint16_t, uint16_t>;
class HalfTest : public HooksTest, public testing::WithParamInterface<Half> {};

TEST_P(HalfTest, AdditionWithinAWordLeavesTheOtherHalfAlone) {
  const auto [opcode, sm, one, sum] = GetParam();
  const SDValue in = Node(op::LD_i16, {MVT::kI16, MVT::kOther},
                          {Imm(0), Imm(0), Imm(0), Imm(3), Imm(16), Imm(-1), InAddress(2), Imm(0), dag_->EntryToken()});
  const SDValue old = Node(opcode, {MVT::kI16, MVT::kOther}, {Parameter(0), Imm(6), in, in.Result(1)});
  const SDValue other = Node(opcode, {MVT::kI16, MVT::kOther}, {Parameter(0), Imm(0), in, old.Result(1)});
  dag_->SetRoot(other.Result(1));
  EmitFor(sm);
  EXPECT_EQ(Count(op::INT_PTX_ATOM_CAS_32_rr), 2u);
  EXPECT_EQ(function_->num_blocks(), 5u);
  const std::vector<uint16_t> out = {0, 0x1234, 0x4321, 0};
  EXPECT_EQ(Run(out, std::vector<uint16_t>(32, one), 32), (std::vector<uint16_t>{sum, 0x1234, 0x4321, sum}));
}

TEST_P(HalfTest, NaNsEndTheLoop) {
  const auto [opcode, sm, one, sum] = GetParam();
  const SDValue in = Node(op::LD_i16, {MVT::kI16, MVT::kOther},
                          {Imm(0), Imm(0), Imm(0), Imm(3), Imm(16), Imm(-1), InAddress(2), Imm(0), dag_->EntryToken()});
  dag_->SetRoot(Node(opcode, {MVT::kI16, MVT::kOther}, {Parameter(0), Imm(0), in, in.Result(1)}).Result(1));
  EmitFor(sm);
  EXPECT_EQ(Run(std::vector<uint16_t>{0x7fff, 5}, std::vector<uint16_t>(8, one), 8),
            (std::vector<uint16_t>{0x7fff, 5}));
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfTest,
                         testing::Values(Half{op::INT_PTX_ATOM_ADD_F16_GENr, "sm_60", 0x3c00, 0x5000},
                                         Half{op::INT_PTX_ATOM_ADD_BF16_GENr, "sm_80", 0x3f80, 0x4200},
                                         Half{op::INT_PTX_ATOM_ADD_BF16_GENr, "sm_60", 0x3f80, 0x4200}));

TEST_F(HooksTest, LoopsKeepThePhisOfSuccessors) {
  // The block into which the loop is inserted has a successor with a PHI, and is a successor of itself.
  MachineBasicBlock* block = function_->front();
  MachineBasicBlock* exit = function_->CreateBlock();
  function_->InsertBlock(nullptr, exit);
  block->AddSuccessor(exit);
  const Register value = NewRegister();
  const SDValue address = Parameter(0);
  const SDValue old = Node(op::INT_PTX_ATOM_ADD_F64_GENr, {MVT::kF64, MVT::kOther},
                           {address, Imm(0), Parameter(1), dag_->EntryToken()});
  const SDValue number = Node(op::MOV_B32_i, {MVT::kI32}, {Imm(7)});
  const SDValue copy = dag_->GetCopyToReg({}, old.Result(1), value, number);
  dag_->SetRoot(Node(op::GOTO, {MVT::kOther}, {dag_->GetBasicBlock(exit->number()), copy}));
  function_->SetProperty(FunctionProperty::kNoPhis, false);
  const Register merged = NewRegister();
  BuildMI(*exit, nullptr, generic::kPhi).AddDef(merged).AddUse(value).AddBlock(*block).Insert();
  BuildMI(*exit, nullptr, generic::kKill).AddUse(merged).Insert();
  const ptx::Subtarget subtarget = Sm("sm_50");
  const EmitResult result = Emit({.subtarget = &subtarget});
  EXPECT_NE(result.last_block, block);
  EXPECT_EQ(exit->front()->operand(2).block(), result.last_block->number());
  Verify();
}

TEST_F(HooksTest, ShufflesAndVotesTakePartWithTheLanesThatAreActive) {
  const SDValue tid = Node(op::INT_PTX_SREG_TID_x, {MVT::kI32}, {});
  const SDValue shuffled =
      Node(op::SHFL_BFLY_I32_rii, {MVT::kI32, MVT::kOther}, {tid, Imm(1), Imm(31), dag_->EntryToken()});
  const SDValue odd =
      Node(op::SETP_i32ri, {MVT::kI1}, {Node(op::AND_b32ri, {MVT::kI32}, {tid, Imm(1)}), Imm(0), Imm(1)});
  const SDValue ballot = Node(op::VOTE_BALLOT, {MVT::kI32, MVT::kOther}, {odd, shuffled.Result(1)});
  const SDValue sum = Add(shuffled, ballot);
  const SDValue address =
      Node(op::ADD64rr, {MVT::kI64}, {Parameter(0), Node(op::MUL_WIDEu32_ri, {MVT::kI64}, {tid, Imm(4)})});
  dag_->SetRoot(
      Node(op::ST_i32, {MVT::kOther}, {sum, Imm(0), Imm(0), Imm(0), Imm(32), address, Imm(0), ballot.Result(1)}));
  EmitFor("sm_80");
  EXPECT_EQ(Count(op::ACTIVEMASK), 2u);
  EXPECT_EQ(Count(op::SHFL_BFLY_I32_rii), 0u);
  EXPECT_EQ(Count(op::SHFL_SYNC_BFLY_I32_riir), 1u) << Dump();
  EXPECT_EQ(Count(op::VOTE_SYNC_BALLOTr), 1u);
  std::vector<uint32_t> expected(32);
  for (uint32_t i = 0; i < 32; ++i) expected[i] = (i ^ 1) + 0xaaaaaaaa;
  EXPECT_EQ(Run(std::vector<uint32_t>(32), std::vector<uint32_t>{0}, 32), expected);
}

TEST_F(HooksTest, ShufflesStayWhereTheSmHasThem) {
  const SDValue tid = Node(op::INT_PTX_SREG_TID_x, {MVT::kI32}, {});
  dag_->SetRoot(
      Node(op::SHFL_BFLY_I32_rii, {MVT::kI32, MVT::kOther}, {tid, Imm(1), Imm(31), dag_->EntryToken()}).Result(1));
  EmitFor("sm_60");
  EXPECT_EQ(Count(op::SHFL_BFLY_I32_rii), 1u);
}

TEST_F(HooksTest, SymbolsBecomeHandlesOfTexturesAndSurfaces) {
  const SDValue texture = dag_->GetExternalSymbol("tex", MVT::kI64, true);
  const SDValue x = Live();
  const SDValue texel = Node(op::TEX_UNIFIED_1D_F32_S32_R, {MVT::kF32, MVT::kF32, MVT::kF32, MVT::kF32, MVT::kOther},
                             {texture, x, dag_->EntryToken()});
  const SDValue store = Node(op::SUST_B_1D_I32_CLAMP_R, {MVT::kOther}, {texture, x, texel.Result(2), texel.Result(4)});
  dag_->SetRoot(store);
  Emit();
  EXPECT_EQ(Dump(),
            "%5:b64 = texsurf_handles &tex\n"
            "%1:b32, %2:b32, %3:b32, %4:b32 = TEX_UNIFIED_1D_F32_S32_R killed %5:b64, %0:b32\n"
            "%6:b64 = texsurf_handles &tex\n"
            "SUST_B_1D_I32_CLAMP_R killed %6:b64, %0:b32, killed %3:b32\n");
  Verify();
}

TEST_F(HooksTest, ADefaultTargetExpandsNothing) {
  EmitTargetHooks hooks;
  hooks.reg_class_for = PtxEmitHooks().reg_class_for;
  const SDValue texture = dag_->GetExternalSymbol("tex", MVT::kI64, true);
  dag_->SetRoot(Node(op::TEX_UNIFIED_1D_F32_S32_R, {MVT::kF32, MVT::kF32, MVT::kF32, MVT::kF32, MVT::kOther},
                     {texture, Live(), dag_->EntryToken()})
                    .Result(4));
  EXPECT_EQ(Emit({.hooks = &hooks}).num_expanded, 0u);
  EXPECT_EQ(Count(op::texsurf_handles), 0u);
}

}  // namespace
}  // namespace ptxmir::sdag
