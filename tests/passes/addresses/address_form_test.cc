// SPDX-License-Identifier: Apache-2.0

// Random expressions, evaluated as instructions, as polynomials, and as instructions made from the polynomials.

#include "passes/addresses/address_form.h"

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/control_flow/machine_dominators.h"
#include "base/split_mix64.h"
#include "gtest/gtest.h"
#include "passes/addresses/form_expander.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

namespace op = ptx::op;

class AddressFormTest : public ::testing::Test {
 protected:
  AddressFormTest() : function_(nullptr, ptx::PtxTargetInfo(), "f", 0), block_(*function_.CreateBlock()) {
    function_.InsertBlock(nullptr, &block_);
    function_.SetProperty(FunctionProperty::kIsSsa);
  }

  // Makes a register with a value but without a definition.
  Register Leaf(RegClassId reg_class, uint64_t value) {
    const Register reg = function_.reg_info().CreateVirtualRegister(reg_class);
    SetValue(reg, value, true);
    return reg;
  }
  void SetValue(Register reg, uint64_t value, bool is_defined) {
    if (reg.virtual_index() >= values_.size()) {
      values_.resize(reg.virtual_index() + 1);
      defined_.resize(reg.virtual_index() + 1);
    }
    values_[reg.virtual_index()] = value;
    defined_[reg.virtual_index()] = is_defined;
  }
  Register Emit(Opcode opcode, RegClassId reg_class, std::initializer_list<MachineOperand> sources,
                uint32_t flags = 0) {
    const Register result = function_.reg_info().CreateVirtualRegister(reg_class);
    MachineInstrBuilder builder = BuildMI(block_, nullptr, opcode);
    builder.AddDef(result).SetFlags(flags);
    for (const MachineOperand& source : sources) builder.Add(source);
    Execute(*builder.Insert());
    return result;
  }

  uint64_t Value(const MachineOperand& operand) const {
    return operand.is_imm() ? static_cast<uint64_t>(operand.imm()) : values_[operand.reg().virtual_index()];
  }
  static uint64_t SignExtend(uint64_t value) { return static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}); }
  static uint64_t ZeroExtend(uint64_t value) { return static_cast<uint32_t>(value); }

  // A sum or product of 32 bits that violates its flags is undefined, and so is everything computed from it.
  void Execute(const MachineInstr& instr) {
    const auto value = [&](unsigned i) { return Value(instr.operand(i)); };
    bool is_defined = true;
    for (unsigned i = 1; i < instr.num_operands(); ++i) {
      if (instr.operand(i).is_reg()) is_defined &= defined_[instr.operand(i).reg().virtual_index()];
    }
    uint64_t exact_signed = 0, exact_unsigned = 0, result = 0;
    bool is_narrow = false;
    const auto narrow = [&](uint64_t with_sign, uint64_t without) {
      is_narrow = true;
      exact_signed = with_sign;
      exact_unsigned = without;
      result = ZeroExtend(with_sign);
    };
    switch (instr.opcode()) {
      case op::ADD64rr:
      case op::ADD64ri:
        result = value(1) + value(2);
        break;
      case op::SUB64rr:
        result = value(1) - value(2);
        break;
      case op::MULT64rr:
      case op::MULT64ri:
        result = value(1) * value(2);
        break;
      case op::MAD_LO_S64rrr:
        result = value(1) * value(2) + value(3);
        break;
      case op::SHL64_ri:
        result = value(1) << value(2);
        break;
      case op::MOV_B64_i:
        result = value(1);
        break;
      case op::CVT_s64_s32:
        result = SignExtend(value(1));
        break;
      case op::CVT_u64_u32:
        result = ZeroExtend(value(1));
        break;
      case op::MUL_WIDEs32_ri:
      case op::MUL_WIDEs32_rr:
        result = SignExtend(value(1)) * SignExtend(value(2));
        break;
      case op::MUL_WIDEu32_ri:
      case op::MUL_WIDEu32_rr:
        result = ZeroExtend(value(1)) * ZeroExtend(value(2));
        break;
      case op::ADD32rr:
      case op::ADD32ri:
        narrow(SignExtend(value(1)) + SignExtend(value(2)), ZeroExtend(value(1)) + ZeroExtend(value(2)));
        break;
      case op::MULT32rr:
        narrow(SignExtend(value(1)) * SignExtend(value(2)), ZeroExtend(value(1)) * ZeroExtend(value(2)));
        break;
      case op::SHL32_ri:
        narrow(SignExtend(value(1)) << value(2), ZeroExtend(value(1)) << value(2));
        break;
      default:
        FAIL() << "opcode " << instr.opcode();
    }
    if (is_narrow && instr.has_flag(MachineInstr::kNoSWrap)) is_defined &= SignExtend(result) == exact_signed;
    if (is_narrow && instr.has_flag(MachineInstr::kNoUWrap)) is_defined &= result == exact_unsigned;
    SetValue(instr.operand(0).reg(), result, is_defined);
  }

  uint64_t Evaluate(const AddressForms& forms, const AddressForms::Form& form) const {
    uint64_t sum = form.constant;
    for (const AddressForms::Term& term : form.terms) {
      uint64_t product = term.coefficient;
      for (const AddressForms::LeafId id : forms.monomial(term.monomial)) {
        if (id == 0) continue;
        const AddressForms::Leaf& leaf = forms.leaf(id);
        uint64_t value = values_[leaf.reg.virtual_index()];
        if (leaf.extension == AddressForms::Extension::kSigned) value = SignExtend(value);
        if (leaf.extension == AddressForms::Extension::kUnsigned) value = ZeroExtend(value);
        product *= value;
      }
      sum += product;
    }
    return sum;
  }

  MachineFunction function_;
  MachineBasicBlock& block_;
  std::vector<uint64_t> values_;
  std::vector<bool> defined_;
};

TEST_F(AddressFormTest, RandomExpressions) {
  constexpr RegClassId k64 = ptx::reg_class::kB64;
  constexpr RegClassId k32 = ptx::reg_class::kB32;
  SplitMix64 random(1);
  const auto number = [&](uint64_t bound) { return random.Next() % bound; };
  const auto use = [](Register reg) { return MachineOperand::CreateReg(reg); };
  const auto imm = [](int64_t value) { return MachineOperand::CreateImm(value); };
  // Small and large values, and values near the limits of 32 bits.
  const auto value = [&]() -> uint64_t {
    constexpr std::array<uint64_t, 6> kBorders = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe};
    return number(2) == 0 ? kBorders[number(kBorders.size())] : number(3) == 0 ? random.Next() : number(1000);
  };
  int num_undefined = 0, num_assuming = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Register> wide, narrow;
    for (int i = 0; i < 3; ++i) wide.push_back(Leaf(k64, value()));
    for (int i = 0; i < 3; ++i) narrow.push_back(Leaf(k32, static_cast<uint32_t>(value())));
    const auto any64 = [&] { return use(wide[number(wide.size())]); };
    const auto any32 = [&] { return use(narrow[number(narrow.size())]); };
    for (int i = 0; i < 24; ++i) {
      constexpr std::array<uint32_t, 4> kFlags = {0, MachineInstr::kNoSWrap, MachineInstr::kNoUWrap,
                                                  MachineInstr::kNoSWrap | MachineInstr::kNoUWrap};
      const uint32_t flags = kFlags[number(4)];
      const auto small = imm(static_cast<int64_t>(number(9)) - 4);
      switch (number(14)) {
        case 0:
          wide.push_back(Emit(op::ADD64rr, k64, {any64(), any64()}));
          break;
        case 1:
          wide.push_back(Emit(op::ADD64ri, k64, {any64(), small}));
          break;
        case 2:
          wide.push_back(Emit(op::SUB64rr, k64, {any64(), any64()}));
          break;
        case 3:
          wide.push_back(Emit(op::MULT64rr, k64, {any64(), any64()}));
          break;
        case 4:
          wide.push_back(Emit(op::MULT64ri, k64, {any64(), small}));
          break;
        case 5:
          wide.push_back(Emit(op::MAD_LO_S64rrr, k64, {any64(), any64(), any64()}));
          break;
        case 6:
          wide.push_back(Emit(op::SHL64_ri, k64, {any64(), imm(static_cast<int64_t>(number(64)))}));
          break;
        case 7:
          wide.push_back(Emit(op::CVT_s64_s32, k64, {any32(), imm(0)}));
          break;
        case 8:
          wide.push_back(Emit(op::CVT_u64_u32, k64, {any32(), imm(0)}));
          break;
        case 9:
          wide.push_back(Emit(op::MUL_WIDEs32_ri, k64, {any32(), small}));
          break;
        case 10:
          wide.push_back(Emit(op::MUL_WIDEu32_rr, k64, {any32(), any32()}));
          break;
        case 11:
          narrow.push_back(Emit(op::ADD32rr, k32, {any32(), any32()}, flags));
          break;
        case 12:
          narrow.push_back(Emit(op::ADD32ri, k32, {any32(), small}, flags));
          break;
        default:
          narrow.push_back(Emit(op::SHL32_ri, k32, {any32(), imm(static_cast<int64_t>(number(4)))}, flags));
      }
    }
    AddressForms forms(function_);
    const MachineDominatorTree dominators(function_);
    FormExpander expander(function_, forms, dominators);
    expander.SetPlace(block_);
    const size_t num_wide = wide.size();
    for (size_t i = 0; i < num_wide; ++i) {
      const AddressForms::Form form = forms.Of(wide[i]);
      num_assuming += form.assumes_no_wrap;
      num_undefined += !defined_[wide[i].virtual_index()];
      const uint64_t evaluated = Evaluate(forms, form);
      if (!form.assumes_no_wrap || defined_[wide[i].virtual_index()]) {
        EXPECT_EQ(evaluated, values_[wide[i].virtual_index()]) << "round " << round << ", expression " << i;
      }
      MachineInstr* last = block_.back();
      const Register again = expander.Expand(forms.Intern(form.terms), form.constant);
      for (MachineInstr* instr = last->next(); instr != nullptr; instr = instr->next()) Execute(*instr);
      // The value of the form, whether or not an operation has wrapped.
      EXPECT_EQ(values_[again.virtual_index()], evaluated) << "round " << round << ", expression " << i;
    }
    while (block_.back() != nullptr) block_.back()->EraseFromParent();
  }
  EXPECT_GT(num_undefined, 100);
  EXPECT_GT(num_assuming, 100);
}

TEST_F(AddressFormTest, DifferenceOfStrides) {
  const Register x = Leaf(ptx::reg_class::kB64, 5);
  const Register y = Leaf(ptx::reg_class::kB64, 7);
  const Register base = Leaf(ptx::reg_class::kB64, 1000);
  const auto use = [](Register reg) { return MachineOperand::CreateReg(reg); };
  const auto imm = [](int64_t value) { return MachineOperand::CreateImm(value); };
  // (y + 2) * x + base, and y * x + base + 16.
  const Register y2 = Emit(op::ADD64ri, ptx::reg_class::kB64, {use(y), imm(2)});
  const Register a = Emit(op::MAD_LO_S64rrr, ptx::reg_class::kB64, {use(y2), use(x), use(base)});
  const Register b = Emit(op::MAD_LO_S64rrr, ptx::reg_class::kB64, {use(y), use(x), use(base)});
  const Register c = Emit(op::ADD64ri, ptx::reg_class::kB64, {use(b), imm(16)});
  AddressForms forms(function_);
  AddressForms::Form difference = forms.Of(a);
  ASSERT_TRUE(AddressForms::AddTo(difference, forms.Of(c), ~uint64_t{0}));
  ASSERT_EQ(difference.terms.size(), 1u);
  EXPECT_EQ(difference.terms[0].monomial, forms.MonomialOf({x, AddressForms::Extension::kNone}));
  EXPECT_EQ(difference.terms[0].coefficient, 2u);
  EXPECT_EQ(static_cast<int64_t>(difference.constant), -16);
  EXPECT_FALSE(difference.assumes_no_wrap);
}

TEST_F(AddressFormTest, LongSumsAndHighPowersAreLeaves) {
  const auto use = [](Register reg) { return MachineOperand::CreateReg(reg); };
  Register power = Leaf(ptx::reg_class::kB64, 3);
  for (int i = 0; i < 2; ++i) power = Emit(op::MULT64rr, ptx::reg_class::kB64, {use(power), use(power)});
  Register sum = Leaf(ptx::reg_class::kB64, 3);
  for (size_t i = 0; i < AddressForms::kMaxTerms; ++i) {
    sum = Emit(op::ADD64rr, ptx::reg_class::kB64, {use(sum), use(Leaf(ptx::reg_class::kB64, i))});
  }
  AddressForms forms(function_);
  EXPECT_EQ(forms.Of(power).terms[0].monomial, forms.MonomialOf({power, AddressForms::Extension::kNone}));
  EXPECT_EQ(forms.Of(sum).terms.size(), 1u);
}

}  // namespace
}  // namespace ptxmir
