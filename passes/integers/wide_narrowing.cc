// SPDX-License-Identifier: Apache-2.0

#include "passes/integers/wide_narrowing.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/values/integer_transfer.h"
#include "mir/code/operand_ranges.h"
#include "passes/integers/equal_source.h"
#include "ptx/isa/register_classes.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/opcode_forms.h"

namespace ptxmir {
namespace {

constexpr unsigned kHalf = 32;

// Returns the opcode of an operation on operands of these kinds ("ri"), if there is one.
std::optional<Opcode> OperationOpcode(const IntegerOperation& operation, std::string_view kinds) {
  const std::optional<ptx::SemanticTag> semantics = FindSemantics(operation);
  return semantics.has_value() ? ptx::FindForm(*semantics, kinds) : std::nullopt;
}

IntegerOperation Truncation() { return {.op = IntegerOp::kConvert, .bits = kHalf, .from_bits = 2 * kHalf}; }

bool IsComputation(const MachineInstr& instr) {
  return IsSimpleOperation(instr) && !ptx::InstrInfo(instr.opcode()).Has(ptx::Property::kFrame);
}

}  // namespace

WideNarrowing::Upper WideNarrowing::UpperOf(const IntegerFacts& facts) {
  if (facts.FitsUnsigned(kHalf)) return Upper::kZeros;
  return facts.FitsSigned(kHalf) ? Upper::kSigns : Upper::kUnknown;
}

WideNarrowing::Upper WideNarrowing::CommonUpper(const IntegerFacts& a, const IntegerFacts& b) {
  if (a.FitsUnsigned(kHalf) && b.FitsUnsigned(kHalf)) return Upper::kZeros;
  return a.FitsSigned(kHalf) && b.FitsSigned(kHalf) ? Upper::kSigns : Upper::kUnknown;
}

Register WideNarrowing::ExtendedFrom(Register reg) const {
  const MachineInstr* const def = reg.is_virtual() ? reg_info_.UniqueDef(reg) : nullptr;
  if (def == nullptr || !IsSimpleOperation(*def)) return {};
  const IntegerOperation& operation = IntegerOperationOf(def->opcode());
  const bool is_extension = operation.op == IntegerOp::kConvert && operation.bits == 2 * kHalf &&
                            operation.from_bits == kHalf && def->operand(1).reads_reg() &&
                            def->operand(1).reg().is_virtual() &&
                            reg_info_.reg_class(def->operand(1).reg()) == ptx::reg_class::kB32;
  return is_extension ? def->operand(1).reg() : Register();
}

std::optional<int64_t> WideNarrowing::ConstantIn(Register reg) const {
  const MachineInstr* const def = reg.is_virtual() ? reg_info_.UniqueDef(reg) : nullptr;
  if (def == nullptr || IntegerOperationOf(def->opcode()).op != IntegerOp::kMove || !def->operand(1).is_imm()) {
    return std::nullopt;
  }
  return def->operand(1).imm();
}

bool WideNarrowing::HasFreeLowHalf(const MachineOperand& operand) const {
  if (operand.is_imm()) return true;
  return operand.reads_reg() && (ExtendedFrom(operand.reg()).is_valid() || ConstantIn(operand.reg()).has_value());
}

MachineOperand WideNarrowing::LowHalf(const MachineOperand& operand, MachineBasicBlock& block, MachineInstr* at) {
  const auto constant = [](int64_t value) {
    return MachineOperand::CreateImm(IntegerFacts::SignExtend(static_cast<uint64_t>(value), kHalf));
  };
  if (operand.is_imm()) return constant(operand.imm());
  if (const std::optional<int64_t> value = ConstantIn(operand.reg())) return constant(*value);
  if (const Register half = ExtendedFrom(operand.reg()); half.is_valid()) {
    reg_info_.ClearKillFlags(half);
    return MachineOperand::CreateReg(half);
  }
  return MachineOperand::CreateReg(TruncatedOnce(operand.reg(), block, at));
}

// ptxas takes the lower half of a pair of registers without an instruction. The truncation stands behind the
// definition, so that all users share it.
Register WideNarrowing::TruncatedOnce(Register wide, MachineBasicBlock& block, MachineInstr* at) {
  Register& half = halves_[wide.virtual_index()];
  if (half.is_valid() && reg_info_.UniqueDef(half) != nullptr) {
    reg_info_.ClearKillFlags(half);
    return half;
  }
  half = reg_info_.CreateVirtualRegister(ptx::reg_class::kB32);
  MachineInstr* const def = reg_info_.UniqueDef(wide);
  const bool has_place = def != nullptr && !def->is_terminator() && !def->is_inline_asm();
  MachineBasicBlock& place = has_place ? *def->parent() : block;
  MachineInstr* const before = !has_place ? at : def->is_phi() ? place.FirstNonPhi() : def->next();
  BuildMI(place, before, *OperationOpcode(Truncation(), "r")).AddDef(half).AddUse(wide).AddImm(0).Insert();
  if (!has_place) return std::exchange(half, Register());
  reg_info_.ClearKillFlags(wide);
  return half;
}

void WideNarrowing::InsertExtension(MachineBasicBlock& block, MachineInstr* before, Register wide, Register narrow,
                                    Upper upper, MetadataId debug_loc) {
  const bool is_signed = upper == Upper::kSigns;
  const IntegerOperation extension = {.op = IntegerOp::kConvert,
                                      .is_signed = is_signed,
                                      .from_signed = is_signed,
                                      .bits = 2 * kHalf,
                                      .from_bits = kHalf};
  BuildMI(block, before, *OperationOpcode(extension, "r"), debug_loc).AddDef(wide).AddUse(narrow).AddImm(0).Insert();
}

bool WideNarrowing::Replace(MachineInstr& instr, const IntegerOperation& operation, Upper upper, unsigned num_halves) {
  MachineBasicBlock& block = *instr.parent();
  std::vector<MachineOperand> operands;
  std::string kinds;
  for (unsigned i = 1; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    const bool is_constant = operand.is_imm() || (i <= num_halves && ConstantIn(operand.reg()).has_value());
    kinds += is_constant ? 'i' : 'r';
  }
  // The opcode is looked for before anything is inserted. The operands of a comparison end with a modifier.
  const bool is_compare = operation.op == IntegerOp::kCompare;
  const std::optional<Opcode> opcode = OperationOpcode(operation, is_compare ? kinds.substr(0, 2) : kinds);
  if (!opcode.has_value()) return false;
  for (unsigned i = 1; i < instr.num_operands(); ++i) {
    const MachineOperand& operand = instr.operand(i);
    if (operand.is_reg()) unused_.Add(operand.reg());
    operands.push_back(i <= num_halves ? LowHalf(operand, block, &instr) : operand);
  }
  const Register result = instr.operand(0).reg();
  const Register narrow = upper == Upper::kUnknown ? result : reg_info_.CreateVirtualRegister(ptx::reg_class::kB32);
  MachineInstrBuilder builder = BuildMI(block, &instr, *opcode, instr.debug_loc());
  builder.AddDef(narrow);
  for (const MachineOperand& operand : operands) {
    if (operand.is_reg()) {
      builder.AddUse(operand.reg());
    } else {
      builder.Add(operand);
    }
  }
  builder.Insert();
  if (upper != Upper::kUnknown) InsertExtension(block, &instr, result, narrow, upper, instr.debug_loc());
  for (const MachineOperand& operand : operands) {
    if (operand.is_reg()) reg_info_.ClearKillFlags(operand.reg());
  }
  instr.EraseFromParent();
  return true;
}

bool WideNarrowing::NarrowCompare(MachineInstr& compare) {
  const Upper upper = CommonUpper(Facts(compare, 1), Facts(compare, 2));
  if (upper == Upper::kUnknown || !compare.operand(3).is_imm() || !IsIntegerComparison(compare.operand(3).imm())) {
    return false;
  }
  // Numbers below 2^32 compare as unsigned ones. Extended signs keep both orders.
  constexpr int64_t kFirstSigned = static_cast<int64_t>(IntegerComparison::kLess);
  constexpr int64_t kToUnsigned = static_cast<int64_t>(IntegerComparison::kLessUnsigned) - kFirstSigned;
  const int64_t code = compare.operand(3).imm();
  const int64_t narrow_code =
      upper == Upper::kZeros && code >= kFirstSigned && code < kFirstSigned + 4 ? code + kToUnsigned : code;
  compare.operand(3).set_imm(narrow_code);
  if (Replace(compare, {.op = IntegerOp::kCompare, .bits = kHalf}, Upper::kUnknown, 2)) return true;
  compare.operand(3).set_imm(code);
  return false;
}

bool WideNarrowing::NarrowDivision(MachineInstr& division, const IntegerOperation& operation) {
  const IntegerFacts a = Facts(division, 1);
  const IntegerFacts b = Facts(division, 2);
  const Upper upper = CommonUpper(a, b);
  // A quotient by zero, which PTX does not define, stays what it is.
  if (upper == Upper::kUnknown || b.Allows(0)) return false;
  if (upper == Upper::kSigns) {
    const bool may_overflow = a.smin == std::numeric_limits<int32_t>::min() && b.Allows(~uint64_t{0});
    if (!operation.is_signed || may_overflow) return false;
  }
  return Replace(division, {.op = operation.op, .is_signed = upper == Upper::kSigns, .bits = kHalf}, upper, 2);
}

bool WideNarrowing::NarrowExtreme(MachineInstr& extreme, const IntegerOperation& operation) {
  const Upper upper = CommonUpper(Facts(extreme, 1), Facts(extreme, 2));
  if (upper == Upper::kUnknown) return false;
  const bool is_signed = operation.is_signed && upper == Upper::kSigns;
  return Replace(extreme, {.op = operation.op, .is_signed = is_signed, .bits = kHalf}, upper, 2);
}

bool WideNarrowing::NarrowProduct(MachineInstr& product, const IntegerOperation& operation) {
  const Upper upper = CommonUpper(Facts(product, 1), Facts(product, 2));
  if (upper == Upper::kUnknown) return false;
  // A constant that is negative in 32 bits has no unsigned form.
  for (unsigned i = 1; i <= 2; ++i) {
    const MachineOperand& operand = product.operand(i);
    const std::optional<int64_t> value = operand.is_imm() ? operand.imm() : ConstantIn(operand.reg());
    const bool is_large = value.has_value() && upper == Upper::kZeros && *value > std::numeric_limits<int32_t>::max();
    if (is_large) return false;
  }
  const IntegerOp op = operation.op == IntegerOp::kMulLo ? IntegerOp::kMulWide : IntegerOp::kMadWide;
  return Replace(product, {.op = op, .is_signed = upper == Upper::kSigns, .bits = kHalf}, Upper::kUnknown, 2);
}

bool WideNarrowing::NarrowShiftRight(MachineInstr& shift, const IntegerOperation& operation) {
  const Upper upper = UpperOf(Facts(shift, 1));
  if (upper == Upper::kUnknown || (upper == Upper::kSigns && !operation.is_signed)) return false;
  if (!HasFreeLowHalf(shift.operand(1))) return false;
  const bool is_signed = upper == Upper::kSigns;
  return Replace(shift, {.op = IntegerOp::kShr, .is_signed = is_signed, .bits = kHalf}, upper, 1);
}

// The lower half of a sum, or of bitwise logic, depends on the lower halves alone.
bool WideNarrowing::NarrowModular(MachineInstr& instr, const IntegerOperation& operation) {
  const Upper upper = UpperOf(known_bits_.At(instr.operand(0).reg(), *instr.parent()));
  if (upper == Upper::kUnknown) return false;
  for (unsigned i = 1; i <= 2; ++i) {
    if (!HasFreeLowHalf(instr.operand(i))) return false;
  }
  IntegerOperation narrow = operation;
  narrow.bits = kHalf;
  return Replace(instr, narrow, upper, 2);
}

bool WideNarrowing::Narrow(MachineInstr& instr) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  if (operation.bits != 2 * kHalf || !IsComputation(instr)) return false;
  switch (operation.op) {
    case IntegerOp::kCompare:
      return NarrowCompare(instr);
    case IntegerOp::kDiv:
    case IntegerOp::kRem:
      return NarrowDivision(instr, operation);
    case IntegerOp::kMin:
    case IntegerOp::kMax:
      return NarrowExtreme(instr, operation);
    case IntegerOp::kMulLo:
    case IntegerOp::kMadLo:
      return NarrowProduct(instr, operation);
    case IntegerOp::kShr:
      return NarrowShiftRight(instr, operation);
    case IntegerOp::kAdd:
    case IntegerOp::kSub:
    case IntegerOp::kAnd:
    case IntegerOp::kOr:
    case IntegerOp::kXor:
      return NarrowModular(instr, operation);
    default:
      return false;
  }
}

bool WideNarrowing::RemoveTruncation(MachineInstr& instr) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  const bool is_truncation = operation.op == IntegerOp::kConvert && operation.bits == kHalf &&
                             operation.from_bits == 2 * kHalf && IsSimpleOperation(instr) &&
                             instr.operand(1).reads_reg() && instr.operand(2).is_imm() && instr.operand(2).imm() == 0;
  if (!is_truncation) return false;
  const Register half = ExtendedFrom(instr.operand(1).reg());
  if (!half.is_valid()) return false;
  unused_.Add(instr.operand(1).reg());
  reg_info_.ReplaceRegister(instr.operand(0).reg(), half);
  instr.EraseFromParent();
  reg_info_.ClearKillFlags(half);
  return true;
}

// Returns true if what uses the PHI works on its lower half, or will once the PHI is narrow.
bool WideNarrowing::IsNarrowUse(const MachineOperand& use, const MachineInstr& phi) const {
  const MachineInstr& user = *use.parent();
  if (!IsComputation(user)) return false;
  const IntegerOperation& operation = IntegerOperationOf(user.opcode());
  switch (operation.op) {
    case IntegerOp::kConvert:
      return operation.bits <= kHalf;
    case IntegerOp::kCompare:
    case IntegerOp::kMulLo:
      return operation.bits == 2 * kHalf && CommonUpper(Facts(user, 1), Facts(user, 2)) != Upper::kUnknown;
    case IntegerOp::kAdd:
    case IntegerOp::kSub: {
      // The step of the PHI.
      const auto incoming = PhiIncomings(phi);
      const bool is_step = std::any_of(incoming.begin(), incoming.end(),
                                       [&](const PhiIncoming& value) { return value.reg() == user.operand(0).reg(); });
      const MachineOperand& other = user.operand(use.operand_number() == 1 ? 2 : 1);
      return is_step && HasFreeLowHalf(other) && UpperOf(known_bits_.Of(user.operand(0).reg())) != Upper::kUnknown;
    }
    case IntegerOp::kAnd:
      return use.operand_number() == 1 && user.operand(2).is_imm() && operation.bits == 2 * kHalf &&
             UpperOf(known_bits_.Of(user.operand(0).reg())) != Upper::kUnknown;
    default:
      return false;
  }
}

bool WideNarrowing::NarrowPhi(MachineInstr& phi) {
  const Register wide = phi.operand(0).reg();
  if (!wide.is_virtual() || reg_info_.reg_class(wide) != ptx::reg_class::kB64) return false;
  const Upper upper = UpperOf(known_bits_.Of(wide));
  if (upper == Upper::kUnknown) return false;
  for (const PhiIncoming incoming : PhiIncomings(std::as_const(phi))) {
    if (!incoming.value().reads_reg()) return false;
    const MachineInstr* const def = reg_info_.UniqueDef(incoming.reg());
    const bool is_step =
        def != nullptr && def->num_operands() > 2 && def->operand(1).is_reg() && def->operand(1).reg() == wide;
    if (!is_step && !HasFreeLowHalf(incoming.value())) return false;
  }
  const auto uses = reg_info_.NonDebugUses(wide);
  if (uses.empty()) return false;
  for (const MachineOperand& use : uses) {
    if (!IsNarrowUse(use, phi)) return false;
  }
  MachineBasicBlock& block = *phi.parent();
  const Register narrow = reg_info_.CreateVirtualRegister(ptx::reg_class::kB32);
  std::vector<std::pair<Register, BlockNumber>> halves;
  for (const PhiIncoming incoming : PhiIncomings(std::as_const(phi))) {
    MachineBasicBlock& from = *function_.block(incoming.predecessor());
    MachineOperand half = LowHalf(incoming.value(), from, from.FirstTerminator());
    if (half.is_imm()) {
      const Register constant = reg_info_.CreateVirtualRegister(ptx::reg_class::kB32);
      BuildMI(from, from.FirstTerminator(), *OperationOpcode({.op = IntegerOp::kMove, .bits = kHalf}, "i"))
          .AddDef(constant)
          .AddImm(half.imm())
          .Insert();
      half = MachineOperand::CreateReg(constant);
    }
    halves.emplace_back(half.reg(), incoming.predecessor());
    unused_.Add(incoming.reg());
  }
  MachineInstrBuilder builder = BuildMI(block, &phi, generic::kPhi, phi.debug_loc());
  builder.AddDef(narrow);
  for (const auto& [half, from] : halves) builder.AddUse(half).AddBlock(*function_.block(from));
  builder.Insert();
  InsertExtension(block, block.FirstNonPhi(), wide, narrow, upper, phi.debug_loc());
  phi.EraseFromParent();
  unused_.Add(wide);
  return true;
}

}  // namespace ptxmir
