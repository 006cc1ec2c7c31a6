// SPDX-License-Identifier: Apache-2.0

#include "ir/passes/support/known_range.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

#include "ir/code/program.h"
#include "ir/passes/support/effects.h"
#include "ir/passes/support/simplify.h"

namespace ptxmir::ir {
namespace {

// The number of definitions on one path that are looked at.
constexpr unsigned kMaxRangeDepth = 6;

uint64_t LargestOf(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
uint64_t SignBitOf(uint32_t width) { return uint64_t{1} << (width - 1); }

KnownRange AllOf(uint32_t width) { return {0, LargestOf(width)}; }

// Returns the range of a half-open interval as LLVM states it, unless it wraps around.
std::optional<KnownRange> FromInterval(int64_t begin, int64_t end, uint32_t width) {
  const uint64_t low = static_cast<uint64_t>(begin) & LargestOf(width);
  const uint64_t high = (static_cast<uint64_t>(end) - 1) & LargestOf(width);
  if (low > high) return std::nullopt;
  return KnownRange{low, high};
}

// Parses "i32 0, 1024", the value of the attribute `range`.
std::optional<KnownRange> FromAttribute(std::string_view text, uint32_t width) {
  const size_t blank = text.find(' ');
  const size_t comma = text.find(", ");
  if (blank == text.npos || comma == text.npos || comma < blank) return std::nullopt;
  const std::string_view first = text.substr(blank + 1, comma - blank - 1);
  const std::string_view second = text.substr(comma + 2);
  int64_t begin = 0, end = 0;
  const bool is_read = std::from_chars(first.data(), first.data() + first.size(), begin).ec == std::errc() &&
                       std::from_chars(second.data(), second.data() + second.size(), end).ec == std::errc();
  return is_read ? FromInterval(begin, end, width) : std::nullopt;
}

// Returns the range that !range states. Several intervals count as one around them.
std::optional<KnownRange> FromMetadata(const Instruction& instruction, uint32_t width) {
  const Function& function = instruction.function();
  for (const Attachment& attachment : instruction.attachments()) {
    if (function.program().metadata_kind(attachment.kind) != "range" || attachment.node.is_inline()) continue;
    const MetadataNode* const node = function.module().metadata(attachment.node.node());
    if (node == nullptr || node->operands.size() < 2 || node->operands.size() % 2 != 0) return std::nullopt;
    KnownRange all = {~uint64_t{0}, 0};
    for (size_t i = 0; i < node->operands.size(); i += 2) {
      const IrConstant* const begin = node->operands[i].constant;
      const IrConstant* const end = node->operands[i + 1].constant;
      if (begin == nullptr || end == nullptr) return std::nullopt;
      const std::optional<KnownRange> part = FromInterval(begin->SExtValue(), end->SExtValue(), width);
      if (!part.has_value()) return std::nullopt;
      all = {std::min(all.least, part->least), std::max(all.most, part->most)};
    }
    return all;
  }
  return std::nullopt;
}

class RangeFinder {
 public:
  KnownRange Of(const Value& value, unsigned depth) {
    const uint32_t width = value.type()->integer_width();
    if (const std::optional<uint64_t> constant = ConstantInteger(value); constant.has_value()) {
      return {*constant, *constant};
    }
    if (depth == kMaxRangeDepth || !value.is_instruction()) return AllOf(width);
    return OfInstruction(static_cast<const Instruction&>(value), width, depth + 1).value_or(AllOf(width));
  }

 private:
  // Returns nullopt if nothing is known.
  std::optional<KnownRange> OfInstruction(const Instruction& i, uint32_t width, unsigned depth) {
    switch (i.opcode()) {
      case Opcode::kCall:
        return OfCall(i, width, depth);
      case Opcode::kLoad:
        return FromMetadata(i, width);
      case Opcode::kZExt:
        return i.operand(0).type()->is_integer() ? std::optional(Of(i.operand(0), depth)) : std::nullopt;
      case Opcode::kTrunc: {
        if (!IsSmall(i.operand(0))) return std::nullopt;
        const KnownRange source = Of(i.operand(0), depth);
        return source.most <= LargestOf(width) ? std::optional(source) : std::nullopt;
      }
      case Opcode::kSelect:
        return Around(Of(i.operand(1), depth), Of(i.operand(2), depth));
      default:
        return i.num_operands() == 2 && IsBinary(i.opcode())
                   ? OfBinary(i.opcode(), Of(i.operand(0), depth), Of(i.operand(1), depth), width)
                   : std::nullopt;
    }
  }

  std::optional<KnownRange> OfCall(const Instruction& call, uint32_t width, unsigned depth) {
    const Program& program = call.function().program();
    const IrAttribute* range = program.attribute_set(call.call().return_attributes).attributes.Find("range");
    const IrFunction* const callee = CalledFunction(call);
    if (range == nullptr && callee != nullptr) range = callee->return_attributes.Find("range");
    if (range != nullptr) return FromAttribute(range->value, width);
    if (const std::optional<KnownRange> stated = FromMetadata(call, width); stated.has_value()) return stated;
    if (call.call().num_arguments == 2 && IsIntrinsicCall(call, "llvm.umin.")) {
      const KnownRange a = Of(call.operand(0), depth), b = Of(call.operand(1), depth);
      return KnownRange{std::min(a.least, b.least), std::min(a.most, b.most)};
    }
    return std::nullopt;
  }

  static std::optional<KnownRange> OfBinary(Opcode opcode, const KnownRange& a, const KnownRange& b, uint32_t width) {
    const uint64_t largest = LargestOf(width);
    switch (opcode) {
      case Opcode::kAdd:
        if (a.most > largest - b.most) return std::nullopt;
        return KnownRange{a.least + b.least, a.most + b.most};
      case Opcode::kSub:
        if (a.least < b.most) return std::nullopt;
        return KnownRange{a.least - b.most, a.most - b.least};
      case Opcode::kMul:
        if (b.most != 0 && a.most > largest / b.most) return std::nullopt;
        return KnownRange{a.least * b.least, a.most * b.most};
      case Opcode::kShl:
        if (b.most >= width || a.most > largest >> b.most) return std::nullopt;
        return KnownRange{a.least << b.least, a.most << b.most};
      case Opcode::kLShr:
        if (b.most >= width) return std::nullopt;
        return KnownRange{a.least >> b.most, a.most >> b.least};
      case Opcode::kUDiv:
        if (b.least == 0) return std::nullopt;
        return KnownRange{a.least / b.most, a.most / b.least};
      case Opcode::kURem:
        if (b.least == 0) return std::nullopt;
        return KnownRange{0, std::min(a.most, b.most - 1)};
      case Opcode::kAnd:
        return KnownRange{0, std::min(a.most, b.most)};
      case Opcode::kOr:
      case Opcode::kXor: {
        // No bit is set above the highest one of both.
        const int bits = 64 - std::countl_zero(a.most | b.most);
        return KnownRange{opcode == Opcode::kOr ? std::max(a.least, b.least) : 0,
                          LargestOf(static_cast<uint32_t>(std::max(bits, 1)))};
      }
      default:
        return std::nullopt;
    }
  }

  static bool IsSmall(const Value& value) { return value.type()->is_integer() && value.type()->integer_width() <= 64; }
  static KnownRange Around(const KnownRange& a, const KnownRange& b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }
};

// Returns whether a < b, if that is the same for all values.
std::optional<bool> IsBelow(const KnownRange& a, const KnownRange& b) {
  if (a.most < b.least) return true;
  if (a.least >= b.most) return false;
  return std::nullopt;
}

std::optional<bool> Not(std::optional<bool> value) {
  return value.has_value() ? std::optional<bool>(!*value) : std::nullopt;
}

// Returns the range with the order of signed numbers, or nullopt if it has numbers of both signs.
std::optional<KnownRange> InSignedOrder(const KnownRange& range, uint32_t width) {
  const uint64_t sign = SignBitOf(width);
  if ((range.least & sign) != (range.most & sign)) return std::nullopt;
  return KnownRange{range.least ^ sign, range.most ^ sign};
}

}  // namespace

KnownRange KnownRangeOf(const Value& value) { return RangeFinder().Of(value, 0); }

std::optional<bool> CompareRanges(Predicate predicate, const KnownRange& a, const KnownRange& b, uint32_t width) {
  switch (predicate) {
    case Predicate::kEq:
      return a.most < b.least || b.most < a.least ? std::optional<bool>(false) : std::nullopt;
    case Predicate::kNe:
      return a.most < b.least || b.most < a.least ? std::optional<bool>(true) : std::nullopt;
    case Predicate::kUlt:
      return IsBelow(a, b);
    case Predicate::kUge:
      return Not(IsBelow(a, b));
    case Predicate::kUgt:
      return IsBelow(b, a);
    case Predicate::kUle:
      return Not(IsBelow(b, a));
    default:
      break;
  }
  const std::optional<KnownRange> x = InSignedOrder(a, width), y = InSignedOrder(b, width);
  if (!x.has_value() || !y.has_value()) return std::nullopt;
  switch (predicate) {
    case Predicate::kSlt:
      return IsBelow(*x, *y);
    case Predicate::kSge:
      return Not(IsBelow(*x, *y));
    case Predicate::kSgt:
      return IsBelow(*y, *x);
    case Predicate::kSle:
      return Not(IsBelow(*y, *x));
    default:
      return std::nullopt;
  }
}

}  // namespace ptxmir::ir
