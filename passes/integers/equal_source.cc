// SPDX-License-Identifier: Apache-2.0

#include "passes/integers/equal_source.h"

#include <algorithm>
#include <optional>

#include "analysis/values/integer_operations.h"
#include "analysis/values/integer_transfer.h"
#include "passes/support/unused_instrs.h"

namespace ptxmir {
namespace {

constexpr int64_t kSaturate = 32;

// Returns true if the conversion only truncates or extends.
bool IsPlainConversion(const MachineInstr& instr, const IntegerOperation& operation) {
  if (operation.op != IntegerOp::kConvert) return false;
  return instr.num_operands() < 3 || (instr.operand(2).is_imm() && (instr.operand(2).imm() & kSaturate) == 0);
}

// Returns the register that the instruction reads in operand `i` if it is virtual and of the class of `like`. There may
// be no such operand.
Register SourceOfClass(const MachineInstr& instr, unsigned i, Register like) {
  if (i >= instr.num_operands()) return {};
  const MachineOperand& source = instr.operand(i);
  if (!source.reads_reg() || !source.reg().is_virtual()) return {};
  const MachineRegisterInfo& reg_info = instr.function().reg_info();
  return reg_info.reg_class(source.reg()) == reg_info.reg_class(like) ? source.reg() : Register();
}

Register SourceLikeResult(const MachineInstr& instr, unsigned i) {
  return SourceOfClass(instr, i, instr.operand(0).reg());
}

// A value as a function of a register of the result's class: its low `width` bits, extended.
struct ExtendedValue {
  Register source;
  unsigned width = 0;
  bool is_signed = false;
};

// Returns true if a conversion fills its register with the sign. Numbers of 8 bits are extended as the type of the
// result says, others as that of the source.
bool IsSignedResult(const IntegerOperation& conversion) {
  return conversion.bits <= std::min<unsigned>(conversion.from_bits, 8) ? conversion.is_signed : conversion.from_signed;
}

const MachineInstr* SimpleDef(const MachineInstr& instr, unsigned operand) {
  const MachineOperand& source = instr.operand(operand);
  if (!source.reads_reg() || !source.reg().is_virtual()) return nullptr;
  const MachineInstr* const def = instr.function().reg_info().UniqueDef(source.reg());
  return def != nullptr && IsSimpleOperation(*def) ? def : nullptr;
}

// Recognizes an extension of a truncation, and a pair of shifts by the same amount.
std::optional<ExtendedValue> ExtensionOfTwo(const MachineInstr& instr, const IntegerOperation& operation) {
  const MachineInstr* const inner = SimpleDef(instr, 1);
  if (inner == nullptr) return std::nullopt;
  const IntegerOperation& first = IntegerOperationOf(inner->opcode());
  const Register source = SourceOfClass(*inner, 1, instr.operand(0).reg());
  if (!source.is_valid()) return std::nullopt;
  if (IsPlainConversion(instr, operation) && IsPlainConversion(*inner, first)) {
    // The bits that the inner conversion adds in its register must not be read.
    const unsigned kept = std::min(first.bits, first.from_bits);
    const unsigned width = std::min(operation.bits, operation.from_bits);
    if (width > kept) return std::nullopt;
    return ExtendedValue{source, width, IsSignedResult(operation)};
  }
  const bool are_shifts = operation.op == IntegerOp::kShr && first.op == IntegerOp::kShl &&
                          first.bits == operation.bits && instr.operand(2).is_imm() && inner->operand(2).is_imm() &&
                          instr.operand(2).imm() == inner->operand(2).imm();
  if (!are_shifts || instr.operand(2).imm() <= 0 || instr.operand(2).imm() >= operation.bits) return std::nullopt;
  return ExtendedValue{source, operation.bits - static_cast<unsigned>(instr.operand(2).imm()), operation.is_signed};
}

// Recognizes one instruction that extends the low bits of a register within it: cvt.s32.s8, bfe at position 0.
std::optional<ExtendedValue> ExtensionInRegister(const MachineInstr& instr, const IntegerOperation& operation) {
  const Register source = SourceLikeResult(instr, 1);
  if (!source.is_valid()) return std::nullopt;
  if (IsPlainConversion(instr, operation) && operation.bits >= operation.from_bits) {
    return ExtendedValue{source, operation.from_bits, IsSignedResult(operation)};
  }
  if (operation.op != IntegerOp::kExtractField || !instr.operand(2).is_imm() || !instr.operand(3).is_imm()) {
    return std::nullopt;
  }
  const int64_t length = instr.operand(3).imm();
  if (instr.operand(2).imm() != 0 || length <= 0 || length > operation.bits) return std::nullopt;
  return ExtendedValue{source, static_cast<unsigned>(length), operation.is_signed};
}

std::optional<ExtendedValue> FindExtension(const MachineInstr& instr, const IntegerOperation& operation) {
  const std::optional<ExtendedValue> in_register = ExtensionInRegister(instr, operation);
  return in_register.has_value() ? in_register : ExtensionOfTwo(instr, operation);
}

// Returns true if and, or or xor with `mask` leaves the bits of a value in `bits` alone.
bool LeavesAlone(IntegerOp op, uint64_t mask, uint64_t bits) {
  return op == IntegerOp::kAnd ? (bits & ~mask) == 0 : (bits & mask) == 0;
}

bool IsLogic(IntegerOp op) { return op == IntegerOp::kAnd || op == IntegerOp::kOr || op == IntegerOp::kXor; }

}  // namespace

bool IsSimpleOperation(const MachineInstr& instr) {
  const bool is_bundled = instr.has_flag(MachineInstr::kBundledPred) || instr.has_flag(MachineInstr::kBundledSucc);
  if (is_bundled || instr.is_copy() || instr.is_phi() || !IsPlainComputation(instr)) return false;
  return instr.desc().num_defs == 1 && instr.num_operands() == instr.desc().num_operands &&
         instr.operand(0).reg().is_virtual();
}

Register FindEqualToMasked(const MachineInstr& instr, const KnownBits& known_bits) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  if (IsLogic(operation.op)) {
    const IntegerFacts a = known_bits.OfOperand(instr, 1, operation.bits);
    const IntegerFacts b = known_bits.OfOperand(instr, 2, operation.bits);
    if (a.is_empty || b.is_empty) return {};
    // Returns true if the mask leaves the value as it is.
    const auto is_neutral = [&](const IntegerFacts& value, const IntegerFacts& mask) {
      if (operation.op == IntegerOp::kAnd) return (value.mask() & ~value.zeros & ~mask.ones) == 0;
      if (operation.op == IntegerOp::kOr) return (value.mask() & ~value.ones & ~mask.zeros) == 0;
      return mask.is_exact() && mask.min == 0;
    };
    if (is_neutral(a, b)) return SourceLikeResult(instr, 1);
    return is_neutral(b, a) ? SourceLikeResult(instr, 2) : Register();
  }
  const std::optional<ExtendedValue> extension = FindExtension(instr, operation);
  if (!extension.has_value()) return {};
  const IntegerFacts facts = known_bits.At(extension->source, *instr.parent());
  if (facts.bits == 0 || facts.is_empty) return {};
  const bool is_kept = extension->width >= facts.bits || (extension->is_signed ? facts.FitsSigned(extension->width)
                                                                               : facts.FitsUnsigned(extension->width));
  return is_kept ? extension->source : Register();
}

Register FindEqualInDemandedBits(const MachineInstr& instr, uint64_t demanded) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  if (IsLogic(operation.op)) {
    const bool has_mask = instr.operand(2).is_imm();
    const uint64_t bits = demanded & IntegerFacts::LowMask(operation.bits);
    const bool is_equal = has_mask && LeavesAlone(operation.op, static_cast<uint64_t>(instr.operand(2).imm()), bits);
    return is_equal ? SourceLikeResult(instr, 1) : Register();
  }
  const std::optional<ExtendedValue> extension = FindExtension(instr, operation);
  const bool is_equal = extension.has_value() && (demanded & ~IntegerFacts::LowMask(extension->width)) == 0;
  return is_equal ? extension->source : Register();
}

Register FindPickedSource(const MachineInstr& instr, const KnownBits& known_bits) {
  const IntegerOperation& operation = IntegerOperationOf(instr.opcode());
  switch (operation.op) {
    case IntegerOp::kAnd:
    case IntegerOp::kOr:
    case IntegerOp::kXor:
      return operation.bits == 1 ? FindEqualToMasked(instr, known_bits) : Register();
    case IntegerOp::kSelect: {
      const IntegerFacts predicate = known_bits.OfOperand(instr, 3, 1);
      return predicate.is_exact() ? SourceLikeResult(instr, predicate.min != 0 ? 1 : 2) : Register();
    }
    case IntegerOp::kMin:
    case IntegerOp::kMax: {
      const IntegerFacts a = known_bits.OfOperand(instr, 1, operation.bits);
      const IntegerFacts b = known_bits.OfOperand(instr, 2, operation.bits);
      const auto order = operation.is_signed ? IntegerComparison::kLessEqual : IntegerComparison::kLessEqualUnsigned;
      const bool is_min = operation.op == IntegerOp::kMin;
      if (Decide(order, a, b) == true) return SourceLikeResult(instr, is_min ? 1 : 2);
      return Decide(order, b, a) == true ? SourceLikeResult(instr, is_min ? 2 : 1) : Register();
    }
    case IntegerOp::kRem: {
      const IntegerFacts a = known_bits.OfOperand(instr, 1, operation.bits);
      const IntegerFacts b = known_bits.OfOperand(instr, 2, operation.bits);
      const bool is_smaller =
          !a.is_empty && !b.is_empty && a.max < b.min && (!operation.is_signed || (a.smin >= 0 && b.smin >= 0));
      return is_smaller ? SourceLikeResult(instr, 1) : Register();
    }
    default:
      return {};
  }
}

}  // namespace ptxmir
