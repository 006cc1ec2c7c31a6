// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/simplify.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/code/program.h"
#include "ir/passes/support/gep_indices.h"
#include "ir/passes/support/known_range.h"

namespace ptxmir::ir {
namespace {

using ConstantKind = IrConstant::Kind;

uint64_t Mask(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t SignExtend(uint64_t value, uint32_t width) {
  if (width >= 64) return static_cast<int64_t>(value);
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}

bool IsSmallInteger(const IrType* type) { return type->is_integer() && type->integer_width() <= 64; }

const IrConstant* AsConstant(const Value& value) {
  return value.is_constant() ? &static_cast<const ConstantValue&>(value).constant() : nullptr;
}

// Returns the result of an operation on integers; nothing if it is poison or undefined behavior.
std::optional<uint64_t> FoldBinary(const Instruction& instruction, uint64_t a, uint64_t b, uint32_t width) {
  const int64_t sa = SignExtend(a, width);
  const int64_t sb = SignExtend(b, width);
  const int64_t lowest = SignExtend(uint64_t{1} << (width - 1), width);
  switch (instruction.opcode()) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kSub:
      return a - b;
    case Opcode::kMul:
      return a * b;
    case Opcode::kUDiv:
      if (b == 0) return std::nullopt;
      return a / b;
    case Opcode::kURem:
      if (b == 0) return std::nullopt;
      return a % b;
    case Opcode::kSDiv:
      if (b == 0 || (sb == -1 && sa == lowest)) return std::nullopt;
      return static_cast<uint64_t>(sa / sb);
    case Opcode::kSRem:
      if (b == 0 || (sb == -1 && sa == lowest)) return std::nullopt;
      return static_cast<uint64_t>(sa % sb);
    case Opcode::kShl:
      if (b >= width) return std::nullopt;
      return a << b;
    case Opcode::kLShr:
      if (b >= width) return std::nullopt;
      return a >> b;
    case Opcode::kAShr:
      if (b >= width) return std::nullopt;
      return static_cast<uint64_t>(sa >> b);
    case Opcode::kAnd:
      return a & b;
    case Opcode::kOr:
      return a | b;
    case Opcode::kXor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

bool Compare(Predicate predicate, uint64_t a, uint64_t b, uint32_t width) {
  const int64_t sa = SignExtend(a, width);
  const int64_t sb = SignExtend(b, width);
  switch (predicate) {
    case Predicate::kEq:
      return a == b;
    case Predicate::kNe:
      return a != b;
    case Predicate::kUgt:
      return a > b;
    case Predicate::kUge:
      return a >= b;
    case Predicate::kUlt:
      return a < b;
    case Predicate::kUle:
      return a <= b;
    case Predicate::kSgt:
      return sa > sb;
    case Predicate::kSge:
      return sa >= sb;
    case Predicate::kSlt:
      return sa < sb;
    default:
      return sa <= sb;
  }
}

// Returns true for the predicates that hold of equal integers.
bool HoldsForEqual(Predicate predicate) { return Compare(predicate, 0, 0, 64); }

// A float constant as a double, if it is zero, normal or infinite.
std::optional<double> FloatValue(const Value& value) {
  const IrConstant* constant = AsConstant(value);
  if (constant == nullptr) return std::nullopt;
  const bool is_float = value.type()->kind() == IrType::Kind::kFloat;
  if (!is_float && value.type()->kind() != IrType::Kind::kDouble) return std::nullopt;
  if (constant->kind == ConstantKind::kZeroInitializer) return 0.0;
  if (constant->kind != ConstantKind::kFloat) return std::nullopt;
  if (is_float) {
    const float result = std::bit_cast<float>(static_cast<uint32_t>(constant->ZExtValue()));
    const int category = std::fpclassify(result);
    if (category == FP_SUBNORMAL || category == FP_NAN) return std::nullopt;
    return result;
  }
  const double result = std::bit_cast<double>(constant->ZExtValue());
  const int category = std::fpclassify(result);
  if (category == FP_SUBNORMAL || category == FP_NAN) return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> FoldFloat(Opcode opcode, T a, T b) {
  T result;
  switch (opcode) {
    case Opcode::kFAdd:
      result = a + b;
      break;
    case Opcode::kFSub:
      result = a - b;
      break;
    case Opcode::kFMul:
      result = a * b;
      break;
    default:
      return std::nullopt;
  }
  const int category = std::fpclassify(result);
  if (category != FP_NORMAL && category != FP_ZERO) return std::nullopt;
  return result;
}

class Simplifier {
 public:
  explicit Simplifier(Instruction& instruction) : i_(instruction), function_(instruction.function()) {}

  Value* Run() {
    const Opcode opcode = i_.opcode();
    if (IsBinary(opcode)) return IsFloatBinary(opcode) ? FloatBinary() : IntegerBinary();
    if (IsCast(opcode)) return Cast();
    switch (opcode) {
      case Opcode::kICmp:
        return ICmp();
      case Opcode::kFCmp:
        return FCmp();
      case Opcode::kSelect:
        return Select();
      case Opcode::kPhi:
        return Phi();
      case Opcode::kGetElementPtr:
        return GetElementPtr();
      case Opcode::kExtractValue:
        return ExtractValue();
      case Opcode::kFreeze:
        return Freeze();
      default:
        return nullptr;
    }
  }

 private:
  Value& A() const { return i_.operand(0); }
  Value& B() const { return i_.operand(1); }
  Value* Integer(uint64_t value) { return function_.Integer(i_.type(), value & Mask(i_.type()->integer_width())); }
  Value* Bool(bool value) { return i_.type()->is_integer(1) ? function_.Integer(i_.type(), value ? 1 : 0) : nullptr; }

  Value* IntegerBinary() {
    if (!IsSmallInteger(i_.type())) return nullptr;
    const uint32_t width = i_.type()->integer_width();
    const std::optional<uint64_t> a = ConstantInteger(A());
    const std::optional<uint64_t> b = ConstantInteger(B());
    if (a.has_value() && b.has_value()) {
      const std::optional<uint64_t> result = FoldBinary(i_, *a, *b, width);
      return result.has_value() ? Integer(*result) : nullptr;
    }
    if (&A() == &B() && !IsUndefined(A())) {
      if (i_.opcode() == Opcode::kSub || i_.opcode() == Opcode::kXor) return Integer(0);
      if (i_.opcode() == Opcode::kAnd || i_.opcode() == Opcode::kOr) return &A();
    }
    if (b.has_value()) return WithRight(*b, width);
    return a.has_value() ? WithLeft(*a, width) : nullptr;
  }

  Value* WithRight(uint64_t b, uint32_t width) {
    switch (i_.opcode()) {
      case Opcode::kAdd:
      case Opcode::kSub:
      case Opcode::kShl:
      case Opcode::kLShr:
      case Opcode::kAShr:
      case Opcode::kXor:
        return b == 0 ? &A() : nullptr;
      case Opcode::kOr:
        if (b == Mask(width)) return Integer(b);
        return b == 0 ? &A() : nullptr;
      case Opcode::kAnd:
        if (b == 0) return Integer(0);
        return b == Mask(width) ? &A() : nullptr;
      case Opcode::kMul:
        if (b == 0) return Integer(0);
        return b == 1 ? &A() : nullptr;
      case Opcode::kUDiv:
      case Opcode::kSDiv:
        return b == 1 && width > 1 ? &A() : nullptr;
      case Opcode::kURem:
        return b == 1 ? Integer(0) : nullptr;
      default:
        return nullptr;
    }
  }

  Value* WithLeft(uint64_t a, uint32_t width) {
    switch (i_.opcode()) {
      case Opcode::kAdd:
      case Opcode::kXor:
        return a == 0 ? &B() : nullptr;
      case Opcode::kOr:
        if (a == Mask(width)) return Integer(a);
        return a == 0 ? &B() : nullptr;
      case Opcode::kAnd:
        if (a == 0) return Integer(0);
        return a == Mask(width) ? &B() : nullptr;
      case Opcode::kMul:
        if (a == 0) return Integer(0);
        return a == 1 ? &B() : nullptr;
      case Opcode::kShl:
      case Opcode::kLShr:
      case Opcode::kAShr:
        return a == 0 ? Integer(0) : nullptr;
      default:
        return nullptr;
    }
  }

  Value* FloatBinary() {
    const std::optional<double> a = FloatValue(A());
    const std::optional<double> b = FloatValue(B());
    if (!a.has_value() || !b.has_value()) return nullptr;
    uint64_t bits = 0;
    if (i_.type()->kind() == IrType::Kind::kFloat) {
      const std::optional<float> result = FoldFloat(i_.opcode(), static_cast<float>(*a), static_cast<float>(*b));
      if (!result.has_value()) return nullptr;
      bits = std::bit_cast<uint32_t>(*result);
    } else {
      const std::optional<double> result = FoldFloat(i_.opcode(), *a, *b);
      if (!result.has_value()) return nullptr;
      bits = std::bit_cast<uint64_t>(*result);
    }
    return function_.Constant(function_.NewIrConstant(
        {.kind = ConstantKind::kFloat, .type = i_.type(), .words = absl::MakeConstSpan(&bits, 1)}));
  }

  Value* Cast() {
    const IrType* from = A().type();
    const IrType* to = i_.type();
    if (i_.opcode() == Opcode::kBitCast && from == to) return &A();
    if (const std::optional<uint64_t> value = ConstantInteger(A()); value.has_value() && IsSmallInteger(to)) {
      if (i_.opcode() == Opcode::kTrunc || i_.opcode() == Opcode::kZExt) return Integer(*value);
      if (i_.opcode() == Opcode::kSExt) {
        return Integer(static_cast<uint64_t>(SignExtend(*value, from->integer_width())));
      }
    }
    if (!A().is_instruction()) return nullptr;
    const auto& source = static_cast<const Instruction&>(A());
    const bool undoes =
        (i_.opcode() == Opcode::kTrunc && (source.opcode() == Opcode::kZExt || source.opcode() == Opcode::kSExt)) ||
        (i_.opcode() == Opcode::kBitCast && source.opcode() == Opcode::kBitCast);
    return undoes && source.operand(0).type() == to ? &source.operand(0) : nullptr;
  }

  Value* ICmp() {
    const std::optional<uint64_t> a = ConstantInteger(A());
    const std::optional<uint64_t> b = ConstantInteger(B());
    if (a.has_value() && b.has_value()) {
      return Bool(Compare(i_.predicate(), *a, *b, A().type()->integer_width()));
    }
    if (&A() == &B() && !IsUndefined(A())) return Bool(HoldsForEqual(i_.predicate()));
    if (b.has_value() && *b == 0) {
      if (i_.predicate() == Predicate::kUlt) return Bool(false);
      if (i_.predicate() == Predicate::kUge) return Bool(true);
      if (Value* value = CompareWithZero(); value != nullptr) return value;
    }
    if (!IsSmallInteger(A().type())) return nullptr;
    const std::optional<bool> result =
        CompareRanges(i_.predicate(), KnownRangeOf(A()), KnownRangeOf(B()), A().type()->integer_width());
    return result.has_value() ? Bool(*result) : nullptr;
  }

  // icmp ne (zext i1 %c), 0 is %c.
  Value* CompareWithZero() {
    if (i_.predicate() != Predicate::kNe || !A().is_instruction()) return nullptr;
    const auto& source = static_cast<const Instruction&>(A());
    if (source.opcode() != Opcode::kZExt && source.opcode() != Opcode::kSExt) return nullptr;
    return source.operand(0).type()->is_integer(1) ? &source.operand(0) : nullptr;
  }

  Value* FCmp() {
    const std::optional<double> a = FloatValue(A());
    const std::optional<double> b = FloatValue(B());
    if (i_.predicate() == Predicate::kFalse) return Bool(false);
    if (i_.predicate() == Predicate::kTrue) return Bool(true);
    if (!a.has_value() || !b.has_value()) return nullptr;
    const unsigned relation = *a == *b ? 1 : *a > *b ? 2 : 4;
    return Bool((static_cast<unsigned>(i_.predicate()) & relation) != 0);
  }

  Value* Select() {
    Value& yes = i_.operand(1);
    Value& no = i_.operand(2);
    if (&yes == &no) return &yes;
    if (const std::optional<uint64_t> condition = ConstantInteger(A()); condition.has_value()) {
      return (*condition & 1) != 0 ? &yes : &no;
    }
    if (i_.type()->is_integer(1) && A().type() == i_.type() && ConstantInteger(yes) == uint64_t{1} &&
        ConstantInteger(no) == uint64_t{0}) {
      return &A();
    }
    return nullptr;
  }

  Value* Phi() {
    Value* same = nullptr;
    for (unsigned i = 0; i < i_.num_incoming(); ++i) {
      Value& value = i_.incoming_value(i);
      if (&value == &i_) continue;
      if (same != nullptr && same != &value) return nullptr;
      same = &value;
    }
    return same;
  }

  Value* GetElementPtr() {
    if (A().type() != i_.type()) return nullptr;
    for (unsigned i = 1; i < i_.num_operands(); ++i) {
      if (ConstantInteger(i_.operand(i)) != uint64_t{0}) return nullptr;
    }
    return &A();
  }

  // Follows insertvalue to the value that was put in at these indices.
  Value* ExtractValue() {
    Value* aggregate = &A();
    const absl::Span<const uint32_t> wanted = i_.indices();
    while (aggregate->is_instruction() && static_cast<Instruction*>(aggregate)->opcode() == Opcode::kInsertValue) {
      auto& insert = static_cast<Instruction&>(*aggregate);
      const absl::Span<const uint32_t> put = insert.indices();
      if (put == wanted) return &insert.operand(1);
      const size_t common = std::min(put.size(), wanted.size());
      if (put.first(common) == wanted.first(common)) return nullptr;  // one contains the other
      aggregate = &insert.operand(0);
    }
    const IrConstant* constant = AsConstant(*aggregate);
    if (constant == nullptr) return nullptr;
    return OfConstant(*constant);
  }

  Value* OfConstant(const IrConstant& whole) {
    const IrConstant* constant = &whole;
    for (const uint32_t index : i_.indices()) {
      if (constant->kind != ConstantKind::kAggregate || index >= constant->operands.size()) break;
      constant = constant->operands[index];
    }
    if (constant->type == i_.type() && constant != &whole) return function_.Constant(*constant);
    if (constant->kind == ConstantKind::kUndef || constant->kind == ConstantKind::kPoison) {
      return function_.Simple(constant->kind, i_.type());
    }
    if (constant->kind != ConstantKind::kZeroInitializer) return nullptr;
    if (IsSmallInteger(i_.type())) return function_.Integer(i_.type(), 0);
    return i_.type()->is_pointer() ? function_.Simple(ConstantKind::kNullPointer, i_.type()) : nullptr;
  }

  Value* Freeze() {
    const IrConstant* constant = AsConstant(A());
    if (constant == nullptr) return nullptr;
    const bool is_plain = constant->kind == ConstantKind::kInteger || constant->kind == ConstantKind::kFloat ||
                          constant->kind == ConstantKind::kNullPointer || constant->kind == ConstantKind::kGlobal;
    return is_plain ? &A() : nullptr;
  }

  Instruction& i_;
  Function& function_;
};

bool ContainsUndefined(const IrConstant& constant) {
  if (constant.kind == ConstantKind::kUndef || constant.kind == ConstantKind::kPoison) return true;
  for (const IrConstant* operand : constant.operands) {
    if (ContainsUndefined(*operand)) return true;
  }
  return false;
}

}  // namespace

Value* Simplify(Instruction& instruction) {
  Value* value = Simplifier(instruction).Run();
  return value == &instruction ? nullptr : value;
}

std::optional<uint64_t> ConstantInteger(const Value& value) {
  const IrConstant* constant = AsConstant(value);
  if (constant == nullptr || !IsSmallInteger(value.type())) return std::nullopt;
  if (constant->kind == ConstantKind::kZeroInitializer) return 0;
  if (constant->kind != ConstantKind::kInteger) return std::nullopt;
  return constant->ZExtValue() & Mask(value.type()->integer_width());
}

std::optional<int64_t> ConstantSigned(const Value& value) {
  const std::optional<uint64_t> bits = ConstantInteger(value);
  if (!bits.has_value()) return std::nullopt;
  return SignExtend(*bits, value.type()->integer_width());
}

bool IsUndefined(const Value& value) {
  const IrConstant* constant = AsConstant(value);
  return constant != nullptr && ContainsUndefined(*constant);
}

std::optional<int64_t> ConstantOffset(const Instruction& gep) {
  if (gep.type()->is_vector()) return std::nullopt;
  uint64_t offset = 0;
  const bool is_constant = ForEachGepIndex(gep, [&](const GepIndex& index) {
    const std::optional<int64_t> value = ConstantSigned(index.value);
    if (!value.has_value()) return false;
    offset += index.is_field ? index.bytes : static_cast<uint64_t>(*value) * index.bytes;
    return true;
  });
  if (!is_constant) return std::nullopt;
  return static_cast<int64_t>(offset);
}

}  // namespace ptxmir::ir
