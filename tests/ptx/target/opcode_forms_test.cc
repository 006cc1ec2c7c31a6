// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/opcode_forms.h"

#include <string>

#include "gtest/gtest.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/isa/isa_semantics.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

std::string NameOf(std::optional<Opcode> opcode) {
  return opcode.has_value() ? std::string(PtxTargetInfo().Name(*opcode)) : "none";
}

TEST(OpcodeFormsTest, FindsTheFormWithAnImmediate) {
  EXPECT_EQ(NameOf(FormWithImmediate(op::ADD32rr, 2)), "ADD32ri");
  EXPECT_EQ(NameOf(FormWithImmediate(op::ADD32rr, 1)), "none");
  EXPECT_EQ(NameOf(FormWithImmediate(op::SUB64rr, 1)), "SUB64ir");
  EXPECT_EQ(NameOf(FormWithImmediate(op::MAD_LO_S32rrr, 3)), "MAD_LO_S32rri");
  EXPECT_EQ(NameOf(FormWithImmediate(op::MAD_LO_S32rri, 2)), "MAD_LO_S32rii");
  EXPECT_EQ(NameOf(FormWithImmediate(op::INT_PTX_ATOM_ADD_32_Sr, 3)), "INT_PTX_ATOM_ADD_32_Si") << "in its space";
  EXPECT_EQ(NameOf(FormWithImmediate(op::INT_PTX_SATOM_ADD_s32_sysgenr, 3)), "INT_PTX_SATOM_ADD_s32_sysgeni")
      << "in its scope";
  EXPECT_EQ(NameOf(FormWithImmediate(op::CP_ASYNC_CA_SHARED_GLOBAL_16_s, 4)), "CP_ASYNC_CA_SHARED_GLOBAL_16_si")
      << "of its size";
  EXPECT_EQ(NameOf(FormWithImmediate(op::ADD32ri, 2)), "none") << "it is an immediate already";
  EXPECT_EQ(NameOf(FormWithImmediate(op::ADD32rr, 0)), "none") << "definitions are registers";
}

TEST(OpcodeFormsTest, FindsTheFormWithARegister) {
  EXPECT_EQ(NameOf(FormWithRegister(op::ADD32ri, 2)), "ADD32rr");
  EXPECT_EQ(NameOf(FormWithRegister(op::SUB64ir, 1)), "SUB64rr");
  EXPECT_EQ(NameOf(FormWithRegister(op::ADD32rr, 2)), "none");
}

TEST(OpcodeFormsTest, FindsAComputationByTheKindsOfItsOperands) {
  EXPECT_EQ(NameOf(FindForm(InstrInfo(op::ADD64rr).semantics, "ri")), "ADD64ri");
  EXPECT_EQ(NameOf(FindForm(InstrInfo(op::ADD64rr).semantics, "rr")), "ADD64rr");
  EXPECT_EQ(NameOf(FindForm(InstrInfo(op::ADD64rr).semantics, "ir")), "none");
}

TEST(OpcodeFormsTest, FormsOfEveryOpcodeComputeTheSameAndLeadBack) {
  constexpr uint32_t kKept = Property::kPure | Property::kRead | Property::kWrite | Property::kCollective;
  for (Opcode opcode = 0; opcode < kNumOpcodes; ++opcode) {
    for (unsigned operand = 0; operand < PtxTargetInfo().Get(opcode).num_operands; ++operand) {
      const std::optional<Opcode> form = FormWithImmediate(opcode, operand);
      if (!form.has_value()) continue;
      EXPECT_EQ(InstrInfo(*form).semantics, InstrInfo(opcode).semantics);
      EXPECT_EQ(InstrInfo(*form).properties & kKept, InstrInfo(opcode).properties & kKept) << NameOf(form);
      const std::optional<Opcode> back = FormWithRegister(*form, operand);
      ASSERT_TRUE(back.has_value()) << NameOf(form);
      EXPECT_EQ(InstrInfo(*back).semantics, InstrInfo(opcode).semantics);
    }
  }
}

}  // namespace
}  // namespace ptxmir::ptx
