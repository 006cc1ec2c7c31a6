// SPDX-License-Identifier: Apache-2.0

// The target hooks: the instructions that they make, and that these compute the same.

#include <string>
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
};

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
