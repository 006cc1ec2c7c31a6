// SPDX-License-Identifier: Apache-2.0

// Values: picking them, and emitting instructions that compute new ones.

#include <algorithm>

#include "base/str_cat.h"
#include "mir/code/inline_asm.h"
#include "ptx/isa/isa_opcodes.h"
#include "tools/fuzz/generator/mir_function_generator_internal.h"

namespace ptxmir::fuzz {

namespace op = ptx::op;
using ptx::reg_class::kB1;
using ptx::reg_class::kB128;
using ptx::reg_class::kB16;
using ptx::reg_class::kB32;
using ptx::reg_class::kB64;

Register FunctionGenerator::Emit(Opcode opcode, RegClassId reg_class, std::initializer_list<MachineOperand> sources,
                                 uint32_t flags) {
  const Register result = NewRegister(reg_class);
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, opcode);
  builder.AddDef(result).SetFlags(flags);
  for (const MachineOperand& source : sources) builder.Add(source);
  builder.Insert();
  cost_ += trips_;
  --budget_;
  return result;
}

// Mostly recent values, so that chains grow, but sometimes any value, so that some live long.
Value FunctionGenerator::PickValue(RegClassId reg_class) {
  const std::vector<Value>& values = values_[reg_class];
  constexpr size_t kRecent = 6;
  if (values.size() > kRecent && random_.Percent(60)) {
    return values[values.size() - 1 - random_.Below(kRecent)];
  }
  return random_.Pick(values);
}

Value FunctionGenerator::PickUniform(RegClassId reg_class) {
  for (int i = 0; i < 6; ++i) {
    const Value value = PickValue(reg_class);
    if (value.is_uniform) return value;
  }
  for (const Value& value : values_[reg_class]) {
    if (value.is_uniform) return value;
  }
  const Register constant = Emit(op::MOV_B32_i, kB32, {Imm(random_.Between(-100, 100))});
  if (reg_class == kB32) return {constant, true};
  return {Emit(op::CVT_u64_u32, kB64, {Use(constant), Imm(0)}), true};
}

RegClassId FunctionGenerator::PickClass() {
  const uint64_t at = random_.Below(100);
  if (at < 8) return kB1;
  if (at < 20) return kB16;
  if (at < 66) return kB32;
  if (at < 97 || !Has(kB128)) return kB64;
  return kB128;
}

Value FunctionGenerator::Condition(bool uniform) {
  if (!uniform && Has(kB1) && random_.Percent(40)) return PickValue(kB1);
  constexpr int64_t kComparisons[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11};
  const Value value = uniform ? PickUniform(kB32) : PickValue(kB32);
  // Compares some bits of the value with one of their possible values, so that both paths are taken sometimes.
  const int64_t mask = (int64_t{1} << random_.Between(1, 4)) - 1;
  const Register bits = Emit(op::AND_b32ri, kB32, {Use(value.reg), Imm(mask)});
  const Register result =
      Emit(op::SETP_i32ri, kB1, {Use(bits), Imm(random_.Between(0, mask)), Imm(random_.Pick(kComparisons))});
  return {result, value.is_uniform};
}

Value FunctionGenerator::Index(uint32_t bound, bool uniform) {
  const Value value = uniform ? PickUniform(kB32) : PickValue(kB32);
  if ((bound & (bound - 1)) == 0) {
    return {Emit(op::AND_b32ri, kB32, {Use(value.reg), Imm(int64_t{bound} - 1)}), value.is_uniform};
  }
  return {Emit(op::UREM32ri, kB32, {Use(value.reg), Imm(int64_t{bound})}), value.is_uniform};
}

MachineOperand FunctionGenerator::Immediate(const FormOperand& operand) {
  switch (operand.source) {
    case OperandSource::kCount:
      return Imm(random_.Between(0, std::min<int64_t>(operand.bits, 64) - 1));
    case OperandSource::kNonzero:
      return Imm(random_.Percent(20) ? -random_.Between(1, 100) : random_.Between(1, 1000));
    case OperandSource::kZero:
      return Imm(0);
    case OperandSource::kBoolean:
      return Imm(-random_.Between(0, 1));
    case OperandSource::kMask:
      return Imm(-1);
    case OperandSource::kFloat: {
      constexpr uint64_t kHalves[] = {0, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x7c00, 0x0001};
      constexpr uint64_t kBFloats[] = {0, 0x3f80, 0xbf80, 0x3f00, 0x4000, 0x7f80, 0x0001};
      constexpr uint64_t kFloats[] = {0, 0x3f800000, 0xbf800000, 0x3f000000, 0x40400000, 0x7f800000, 1, 0x3dcccccd};
      constexpr uint64_t kDoubles[] = {
          0, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x4008000000000000, 0x7ff0000000000000,
          1, 0x3fb999999999999a};
      using Width = MachineOperand::FPWidth;
      if (operand.bits == 64) return MachineOperand::CreateFPImm(Width::kDouble, random_.Pick(kDoubles));
      if (operand.bits == 32) return MachineOperand::CreateFPImm(Width::kFloat, random_.Pick(kFloats));
      if (operand.is_bfloat) return MachineOperand::CreateFPImm(Width::kBFloat, random_.Pick(kBFloats));
      return MachineOperand::CreateFPImm(Width::kHalf, random_.Pick(kHalves));
    }
    default:
      break;
  }
  if (random_.Percent(60)) return Imm(random_.Between(-16, 64));
  const auto bits = static_cast<int64_t>(random_.Next());
  if (operand.bits <= 16) return Imm(operand.reg_class == kNoRegClass ? bits & 0x7fff : bits >> 48);
  return Imm(operand.bits == 32 ? static_cast<int32_t>(bits) : bits);
}

void FunctionGenerator::EmitForm(const OpcodeForm& form) {
  bool is_uniform = !form.is_collective && !form.is_thread_dependent;
  for (const FormOperand& operand : form.operands) {
    if (operand.source == OperandSource::kRegister && !Has(operand.reg_class)) return;
  }
  std::vector<MachineOperand> operands;
  std::vector<std::pair<Register, RegClassId>> results;
  size_t modifier = 0;
  const std::array<int16_t, 2> modifiers =
      form.modifiers.empty() ? std::array<int16_t, 2>{} : random_.Pick(form.modifiers);
  for (const FormOperand& operand : form.operands) {
    switch (operand.source) {
      case OperandSource::kResult:
        results.emplace_back(NewRegister(operand.reg_class), operand.reg_class);
        operands.push_back(MachineOperand::CreateReg(results.back().first, MachineOperand::kDefine));
        break;
      case OperandSource::kRegister: {
        const Value value = PickValue(operand.reg_class);
        is_uniform &= value.is_uniform;
        operands.push_back(Use(value.reg));
        break;
      }
      case OperandSource::kSelector:
        operands.push_back(Use(Emit(op::MOV_B16_i, kB16, {Imm(static_cast<int64_t>(random_.Next() & operand.bits))})));
        break;
      case OperandSource::kModifier:
        operands.push_back(Imm(modifiers[modifier++]));
        break;
      case OperandSource::kMetadata:
        // Elements 0 and 1 of every four, which is valid in every format.
        operands.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(0x44444444)})));
        break;
      case OperandSource::kMask:
        if (operand.reg_class != kNoRegClass) {
          operands.push_back(Use(Emit(op::MOV_B32_i, kB32, {Imm(-1)})));
          break;
        }
        [[fallthrough]];
      default:
        operands.push_back(Immediate(operand));
        break;
    }
  }
  // The flag by itself changes nothing.
  const bool is_contract = !form.modifiers.empty() && random_.Percent(20);
  block_->Append(function_.CreateInstr(form.opcode, operands, MachineInstr::kNoDebugLoc,
                                       is_contract ? uint32_t{MachineInstr::kFmContract} : 0u));
  for (const auto& [reg, reg_class] : results) Push(reg, reg_class, is_uniform && divergence_ == 0);
  cost_ += trips_;
  --budget_;
}

// Emits inline asm, sometimes with a use that is tied to the result.
void FunctionGenerator::EmitInlineAsm() {
  struct Text {
    std::string_view text;
    RegClassId reg_class;
    unsigned num_sources;
    bool is_tied;  // the first source is the result's register
  };
  static constexpr Text kTexts[] = {
      {"add.u32 $0, $1, $2;", kB32, 2, false},
      {"shf.l.wrap.b32 $0, $1, $2, 7;", kB32, 2, false},
      {"{ .reg .pred %p; setp.lt.s32 %p, $1, $2; selp.b32 $0, $1, $2, %p; }", kB32, 2, false},
      {"mad.lo.u64 $0, $1, $2, $1;", kB64, 2, false},
      {"xor.b32 $0, $0, $2;", kB32, 2, true},
      {"add.u64 $0, $0, $2;", kB64, 2, true},
      {"mul.lo.u16 $0, $0, $2;", kB16, 2, true},
  };
  const Text& text = random_.Pick(kTexts);
  if (!Has(text.reg_class)) return;
  const int64_t class_bits = (int64_t{text.reg_class} + 1) << 16 | 1 << 3;
  const Register result = NewRegister(text.reg_class);
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, op::INLINEASM);
  builder.Add(MachineOperand::CreateExternalSymbol(function_.InternSymbol(text.text)))
      .AddImm(random_.Percent(30) ? int64_t{InlineAsmProperty::kSideEffects} : 0)
      .AddImm(class_bits | static_cast<int64_t>(InlineAsmGroup::Kind::kDef))
      .AddDef(result);
  bool is_uniform = divergence_ == 0;
  for (unsigned i = 0; i < text.num_sources; ++i) {
    const Value value = PickValue(text.reg_class);
    is_uniform &= value.is_uniform;
    constexpr int64_t kTiedToGroup0 = int64_t{1} << 31 | 1 << 3;
    builder
        .AddImm((text.is_tied && i == 0 ? kTiedToGroup0 : class_bits) |
                static_cast<int64_t>(InlineAsmGroup::Kind::kUse))
        .AddUse(value.reg);
  }
  MachineInstr* instr = builder.Insert();
  if (text.is_tied) instr->TieOperands(3, 5);
  Push(result, text.reg_class, is_uniform);
  cost_ += trips_;
  --budget_;
}

void FunctionGenerator::EmitCopy() {
  const RegClassId reg_class = PickClass();
  if (!Has(reg_class)) return;
  const Value value = PickValue(reg_class);
  Push(Emit(op::COPY, reg_class, {Use(value.reg)}), reg_class, value.is_uniform && divergence_ == 0);
}

// Emits operations on two words, with the carry between them in no register.
void FunctionGenerator::EmitCarryChain() {
  struct Pair {
    Opcode low;
    Opcode high;
    RegClassId reg_class;
  };
  static constexpr Pair kPairs[] = {
      {op::ADDCCi32rr, op::ADDCCCi32rr, kB32},
      {op::ADDCCi64rr, op::ADDCCCi64rr, kB64},
      {op::SUBCCi32rr, op::SUBCCCi32rr, kB32},
      {op::SUBCCi64rr, op::SUBCCCi64rr, kB64},
  };
  const Pair& pair = random_.Pick(kPairs);
  const RegClassId reg_class = pair.reg_class;
  const Value sources[] = {PickValue(reg_class), PickValue(reg_class), PickValue(reg_class), PickValue(reg_class)};
  const Register low = Emit(pair.low, reg_class, {Use(sources[0].reg), Use(sources[1].reg)});
  const Register high = Emit(pair.high, reg_class, {Use(sources[2].reg), Use(sources[3].reg)});
  Push(low, reg_class, false);
  Push(high, reg_class, false);
}

// Emits an undefined value, of which no bit reaches a result.
void FunctionGenerator::EmitUndefined() {
  const bool is_wide = random_.Percent(40);
  const RegClassId reg_class = is_wide ? kB64 : kB32;
  const Register undefined = Emit(op::IMPLICIT_DEF, reg_class, {});
  if (random_.Percent(50)) {
    Push(Emit(is_wide ? op::AND_b64ri : op::AND_b32ri, reg_class, {Use(undefined), Imm(0)}), reg_class, true);
  } else {
    Push(Emit(is_wide ? op::OR_b64ri : op::OR_b32ri, reg_class, {Use(undefined), Imm(-1)}), reg_class, true);
  }
}

// Picks by weight mostly, and sometimes the next form in order. Returns null if no form is possible here.
const OpcodeForm* FunctionGenerator::PickForm(RegClassId result) {
  const OpcodeForm* const form =
      random_.Percent(30) ? module_.NextForm() : module_.catalog.Pick(result, IsConverged(), random_);
  if (form == nullptr || !module_.catalog.IsAvailable(form->opcode, module_.sm)) return nullptr;
  if (form->is_collective && !IsConverged()) return nullptr;
  return uses_b128_ || form->operands.front().reg_class != kB128 ? form : nullptr;
}

void FunctionGenerator::EmitOps(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t at = random_.Below(100);
    if (at < 24) {
      EmitMemoryAccess();
    } else if (at < 27) {
      EmitCopy();
    } else if (at < 29) {
      EmitInlineAsm();
    } else if (at < 31) {
      EmitCarryChain();
    } else if (at < 32) {
      EmitUndefined();
    } else if (at < 33) {
      EmitScopedObject();
    } else if (at < 36) {
      EmitSpecial();
    } else {
      const RegClassId wanted = random_.Percent(50) ? PickClass() : kNoRegClass;
      if (const OpcodeForm* const form = PickForm(wanted)) EmitForm(*form);
    }
  }
}

FunctionGenerator::Scope FunctionGenerator::Mark() const {
  Scope scope;
  for (size_t i = 0; i < scope.size(); ++i) scope[i] = values_[i].size();
  return scope;
}

void FunctionGenerator::Release(const Scope& scope) {
  for (size_t i = 0; i < scope.size(); ++i) values_[i].resize(scope[i]);
}

}  // namespace ptxmir::fuzz
