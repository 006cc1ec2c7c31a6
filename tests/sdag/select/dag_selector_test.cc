// SPDX-License-Identifier: Apache-2.0

// Selection of single DAGs: the instructions that nodes become. The comments of the rules and llc_selection_test
// show the instructions of llc-22.

#include "sdag/select/dag_selector.h"

#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "mir/text/mir_writer.h"
#include "sdag/emit/emit_schedule.h"
#include "sdag/select/rule_table.h"
#include "tests/sdag/dag_fixture.h"

namespace ptxmir::sdag {
namespace {

ptx::Subtarget Sm(std::string_view cpu, std::string_view features = "") {
  return *ptx::Subtarget::Create(cpu, features);
}

std::string Indented(std::string_view lines) {
  std::string text;
  for (const char c : lines) {
    if (text.empty() || text.back() == '\n') text += "    ";
    text += c;
  }
  return text;
}

// The instructions that the lines of a DAG become, except PHIs and copies of registers.
class SelectorTest : public testing::Test {
 protected:
  std::string Select(std::string_view lines, const ISelOptions& options) {
    text_ = std::make_unique<DagText>(OneBlock(Indented(lines)));
    if (!text_->ok()) return "unreadable";
    const absl::Status status = SelectDag(text_->dag(), options);
    if (!status.ok()) return std::string(status.message());
    const absl::StatusOr<EmitResult> emitted = EmitSchedule(text_->dag(), {.subtarget = options.subtarget});
    if (!emitted.ok()) return std::string(emitted.status().message());
    std::string result;
    for (const MachineInstr& instr : *text_->dags().machine_function().front()) {
      if (!instr.is_copy()) WriteInstr(instr, {}, result);
      if (!result.empty() && result.back() != '\n') result += '\n';
    }
    return result;
  }
  std::string Select(std::string_view lines) { return Select(lines, {.subtarget = &subtarget_}); }

  ptx::Subtarget subtarget_ = Sm("sm_80", "+ptx80");
  std::unique_ptr<DagText> text_;
};

// Returns the instructions for a value of two others: `lines` define t4 from t1 and t2, which have type `type`.
std::string OfTwo(std::string_view type, std::string_view lines, std::string_view result = "") {
  const std::string t(type);
  return "t0: ch,glue = EntryToken\nt1: " + t + ",ch = CopyFromReg t0, Register:" + t + " %0\nt2: " + t +
         ",ch = CopyFromReg t0, Register:" + t + " %1\n" + std::string(lines) +
         "\nt9: ch = CopyToReg t0, Register:" + std::string(result.empty() ? type : result) + " %2, t4\n";
}

TEST_F(SelectorTest, IntegersInRegistersAndAsImmediates) {
  EXPECT_EQ(Select(OfTwo("i32", "t4: i32 = add t1, t2")), "%2:b32 = ADD32rr %0:b32, %1:b32\n");
  EXPECT_EQ(Select(OfTwo("i64", "t4: i64 = add t1, Constant:i64<7>")), "%2:b64 = ADD64ri %0:b64, 7\n");
  EXPECT_EQ(Select(OfTwo("i16", "t4: i16 = sub Constant:i16<0>, t1")), "%2:b16 = NEG_S16 %0:b16\n");
}

TEST_F(SelectorTest, AProductGoesIntoTheSumThatIsItsOnlyUse) {
  EXPECT_EQ(Select(OfTwo("i32", "t3: i32 = mul t1, t2\nt4: i32 = add t1, t3")),
            "%2:b32 = MAD_LO_S32rrr %0:b32, %1:b32, %0:b32\n");
}

TEST_F(SelectorTest, WhatHasNoRuleIsNamed) {
  EXPECT_EQ(Select(OfTwo("f32", "t4: f32 = fsin t1")), "in function 'f', bb.0: cannot select: t4: f32 = fsin t3");
}

TEST_F(SelectorTest, LoadsAndStoresTakeOffsets) {
  EXPECT_EQ(Select("t0: ch,glue = EntryToken\nt1: i64,ch = CopyFromReg t0, Register:i64 %0\n"
                   "t2: i64 = add t1, Constant:i64<16>\n"
                   "t3: i32,ch = load<(load (s32), addrspace 1)> t0, t2, undef:i64\n"
                   "t4: ch = store<(store (s8), addrspace 3), trunc to i8> t3:1, t3, t1, undef:i64\n"),
            "%1:b32 = LD_i32 0, 0, 1, 3, 32, -1, %0:b64, 16 :: (load (s32), addrspace 1)\n"
            "ST_i32 killed %1:b32, 0, 0, 3, 8, %0:b64, 0 :: (store (s8), addrspace 3)\n");
}

// An addition to memory at %0.
std::string Atomic(std::string_view access) {
  return "t0: ch,glue = EntryToken\nt1: i64,ch = CopyFromReg t0, Register:i64 %0\nt2: i32,ch = CopyFromReg t0, "
         "Register:i32 %1\nt3: i32,ch = AtomicLoadAdd<(load store " +
         std::string(access) + ")> t0, t1, t2\nt9: ch = CopyToReg t3:1, Register:i32 %2, t3\n";
}

TEST_F(SelectorTest, AtomicsHaveTheirSpaceScopeAndOrder) {
  EXPECT_EQ(Select(Atomic("syncscope(\"device\") monotonic (s32), addrspace 1")),
            "%2:b32 = INT_PTX_ATOM_ADD_32_Gr %0:b64, 0, %1:b32 :: "
            "(load store syncscope(\"device\") monotonic (s32), addrspace 1)\n");
  EXPECT_EQ(Select(Atomic("monotonic (s32)")),
            "%2:b32 = INT_PTX_SATOM_ADD_s32_sysgenr %0:b64, 0, %1:b32 :: (load store monotonic (s32))\n");
  EXPECT_EQ(Select(Atomic("syncscope(\"block\") acq_rel (s32), addrspace 3")),
            "atomic_thread_fence_acq_rel_cta\n%2:b32 = INT_PTX_ATOM_ADD_32_Sr %0:b64, 0, %1:b32 :: "
            "(load store syncscope(\"block\") acq_rel (s32), addrspace 3)\natomic_thread_fence_acq_rel_cta\n");
  EXPECT_EQ(Select(Atomic("monotonic (s32), addrspace 5")).substr(0, 42), "in function 'f', bb.0: cannot select: t6: ");
}

TEST_F(SelectorTest, IntrinsicsTakeConstantsWhereTheyCan) {
  EXPECT_EQ(Select("t0: ch,glue = EntryToken\nt1: i32,ch = CopyFromReg t0, Register:i32 %0\n"
                   "t2: i32,ch = llvm.nvvm.shfl.sync.down.i32 t0, Constant:i32<-1>, t1, Constant:i32<1>, "
                   "Constant:i32<31>\nt9: ch = CopyToReg t2:1, Register:i32 %1, t2\n"),
            "%1:b32 = anonymous_14932 %0:b32, 1, 31, -1\n");
}

TEST_F(SelectorTest, TheLegalizerCanAsk) {
  using T = MVT;
  EXPECT_TRUE(IsSelectable(isd::kAdd, {T::kI32}, {T::kI32, T::kI32}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kAdd, {T::kI8}, {T::kI8, T::kI8}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kAdd, {T::kV2I16}, {T::kV2I16, T::kV2I16}, subtarget_));
  EXPECT_TRUE(IsSelectable(isd::kAdd, {T::kV2I16}, {T::kV2I16, T::kV2I16}, Sm("sm_90", "+ptx80")));
  EXPECT_TRUE(IsSelectable(isd::kSetCC, {T::kI1}, {T::kF32, T::kF32, T::kOther}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kSetCC, {T::kI32}, {T::kF32, T::kF32, T::kOther}, subtarget_));
  EXPECT_TRUE(IsSelectable(isd::kFDiv, {T::kF32}, {T::kF32, T::kF32}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kFSin, {T::kF32}, {T::kF32}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kFAdd, {T::kBF16}, {T::kBF16, T::kBF16}, subtarget_));
  EXPECT_TRUE(IsSelectable(isd::kShl, {T::kI64}, {T::kI64, T::kI32}, subtarget_));
  EXPECT_FALSE(IsSelectable(isd::kShl, {T::kI64}, {T::kI64, T::kI64}, subtarget_));
  EXPECT_TRUE(IsSelectable(isd::kLoad, {T::kI32, T::kOther}, {T::kOther, T::kI64, T::kI64}, subtarget_));
  EXPECT_TRUE(IsLegalType(MVT::kV4I8, subtarget_));
  EXPECT_FALSE(IsLegalType(MVT::kI8, subtarget_));
  EXPECT_FALSE(IsLegalType(MVT::kV2F32, subtarget_));
}

}  // namespace
}  // namespace ptxmir::sdag
