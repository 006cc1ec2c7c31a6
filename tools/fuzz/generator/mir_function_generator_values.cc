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
  if (results.size() == 1 && !form.is_collective) computations_.push_back({block_->back(), &form});
  cost_ += trips_;
  --budget_;
}

Register FunctionGenerator::EmitAgain(const Computation& computation, absl::FunctionRef<Register(Register)> here) {
  const bool has_other_immediates = random_.Percent(30);
  std::vector<MachineOperand> operands;
  Register result;
  for (unsigned i = 0; i < computation.form->operands.size(); ++i) {
    const FormOperand& operand = computation.form->operands[i];
    const MachineOperand& old = computation.instr->operand(i);
    if (operand.source == OperandSource::kResult) {
      result = NewRegister(operand.reg_class);
      operands.push_back(MachineOperand::CreateReg(result, MachineOperand::kDefine));
    } else if (old.is_reg()) {
      operands.push_back(Use(here(old.reg())));
    } else if (has_other_immediates && operand.source != OperandSource::kModifier) {
      operands.push_back(Immediate(operand));
    } else {
      operands.push_back(old);
    }
  }
  block_->Append(function_.CreateInstr(computation.form->opcode, operands));
  cost_ += trips_;
  --budget_;
  return result;
}

// Emits inline asm, sometimes with uses that are tied to the results.
void FunctionGenerator::EmitInlineAsm() {
  struct Text {
    std::string_view text;
    RegClassId reg_class;
    unsigned num_results;
    unsigned num_sources;
    unsigned num_tied;  // the first sources are in the registers of the results
  };
  static constexpr Text kTexts[] = {
      {"add.u32 $0, $1, $2;", kB32, 1, 2, 0},
      {"shf.l.wrap.b32 $0, $1, $2, 7;", kB32, 1, 2, 0},
      {"{ .reg .pred %p; setp.lt.s32 %p, $1, $2; selp.b32 $0, $1, $2, %p; }", kB32, 1, 2, 0},
      {"mad.lo.u64 $0, $1, $2, $1;", kB64, 1, 2, 0},
      {"xor.b32 $0, $0, $2;", kB32, 1, 2, 1},
      {"add.u64 $0, $0, $2;", kB64, 1, 2, 1},
      {"mul.lo.u16 $0, $0, $2;", kB16, 1, 2, 1},
      {"add.u32 $0, $0, $4; xor.b32 $1, $1, $0;", kB32, 2, 3, 2},
      {"sub.u64 $1, $1, $4; add.u64 $0, $0, $1;", kB64, 2, 3, 2},
  };
  const Text& text = random_.Pick(kTexts);
  if (!Has(text.reg_class)) return;
  const int64_t class_bits = (int64_t{text.reg_class} + 1) << 16 | 1 << 3;
  MachineInstrBuilder builder = BuildMI(*block_, nullptr, op::INLINEASM);
  builder.Add(MachineOperand::CreateExternalSymbol(function_.InternSymbol(text.text)))
      .AddImm(random_.Percent(30) ? int64_t{InlineAsmProperty::kSideEffects} : 0);
  std::vector<Register> results;
  for (unsigned i = 0; i < text.num_results; ++i) {
    results.push_back(NewRegister(text.reg_class));
    builder.AddImm(class_bits | static_cast<int64_t>(InlineAsmGroup::Kind::kDef)).AddDef(results.back());
  }
  bool is_uniform = divergence_ == 0;
  for (unsigned i = 0; i < text.num_sources; ++i) {
    const Value value = PickValue(text.reg_class);
    is_uniform &= value.is_uniform;
    const int64_t tied_to_group = int64_t{1} << 31 | int64_t{i} << 16 | 1 << 3;
    builder.AddImm((i < text.num_tied ? tied_to_group : class_bits) | static_cast<int64_t>(InlineAsmGroup::Kind::kUse))
        .AddUse(value.reg);
  }
  MachineInstr* instr = builder.Insert();
  // Operands 0 and 1 are the text and the properties. A group is its description and its register.
  for (unsigned i = 0; i < text.num_tied; ++i) instr->TieOperands(3 + 2 * i, 3 + 2 * (text.num_results + i));
  for (const Register result : results) Push(result, text.reg_class, is_uniform);
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
    if (IsSmall() && !computations_.empty() && random_.Percent(8)) {
      const Computation computation = random_.Pick(computations_);
      const auto same = [](Register reg) { return reg; };
      Push(EmitAgain(computation, same), computation.form->operands.front().reg_class, false);
    } else if (at < 24) {
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
  for (size_t i = 0; i < scope.values.size(); ++i) scope.values[i] = values_[i].size();
  scope.computations = computations_.size();
  return scope;
}

void FunctionGenerator::Release(const Scope& scope) {
  for (size_t i = 0; i < scope.values.size(); ++i) values_[i].resize(scope.values[i]);
  computations_.resize(scope.computations);
}

FunctionGenerator::LaterValues FunctionGenerator::EmitForLater() {
  LaterValues later;
  const Scope scope = Mark();
  if (random_.Percent(50)) EmitMemoryAccess();
  EmitOps(1);
  for (size_t i = 0; i < later.size(); ++i) {
    later[i].assign(values_[i].begin() + static_cast<ptrdiff_t>(scope.values[i]), values_[i].end());
  }
  Release(scope);
  return later;
}

void FunctionGenerator::ShowLater(const LaterValues& values) {
  for (size_t i = 0; i < values.size(); ++i) values_[i].insert(values_[i].end(), values[i].begin(), values[i].end());
}

}  // namespace ptxmir::fuzz
