// SPDX-License-Identifier: Apache-2.0

#include "ptx/dwarf/dwarf_debug_expression.h"

#include <algorithm>

#include "ptx/dwarf/dwarf_constants.h"

namespace ptxmir::ptx {
namespace {

using Operation = DebugExpression::Operation;

int NumArguments(uint64_t code) {
  if (code >= 0x70 && code < 0x90) return 1;  // DW_OP_bregN
  switch (code) {
    case dwarf::kOpLlvmConvert:
    case dwarf::kOpLlvmFragment:
    case dwarf::kOpLlvmExtractBitsSext:
    case dwarf::kOpLlvmExtractBitsZext:
    case dwarf::kOpBregx:
      return 2;
    case dwarf::kOpConstu:
    case dwarf::kOpConsts:
    case dwarf::kOpDerefSize:
    case dwarf::kOpPlusUconst:
    case dwarf::kOpLlvmTagOffset:
    case dwarf::kOpLlvmEntryValue:
    case dwarf::kOpLlvmArg:
    case dwarf::kOpRegx:
      return 1;
    default:
      return 0;
  }
}

// Returns an operation's code or argument, or nullopt if it is neither an integer nor a known symbol.
std::optional<uint64_t> ElementOf(const MetadataOperand& operand) {
  if (operand.kind == MetadataOperand::Kind::kInteger) return static_cast<uint64_t>(operand.integer);
  if (operand.kind != MetadataOperand::Kind::kSymbol) return std::nullopt;
  if (const auto code = dwarf::FindOperation(operand.text)) return *code;
  if (const auto encoding = dwarf::FindEncoding(operand.text)) return *encoding;
  return std::nullopt;
}

}  // namespace

std::optional<DebugExpression> DebugExpression::Parse(const MetadataNode* node) {
  DebugExpression expression;
  if (node == nullptr) return expression;
  if (node->kind != "DIExpression") return std::nullopt;
  for (size_t i = 0; i < node->operands.size(); ++i) {
    const auto code = ElementOf(node->operands[i]);
    if (!code.has_value()) return std::nullopt;
    Operation operation{.code = *code};
    for (int k = 0; k < NumArguments(*code); ++k) {
      const auto argument = ++i < node->operands.size() ? ElementOf(node->operands[i]) : std::nullopt;
      if (!argument.has_value()) return std::nullopt;
      operation.arguments[k] = *argument;
    }
    expression.operations_.push_back(operation);
  }
  return expression;
}

std::optional<DebugFragment> DebugExpression::fragment() const {
  if (operations_.empty() || operations_.back().code != dwarf::kOpLlvmFragment) return std::nullopt;
  const Operation& last = operations_.back();
  return DebugFragment{.offset_in_bits = last.arguments[0], .size_in_bits = last.arguments[1]};
}

bool DebugExpression::Overlaps(const DebugExpression& other) const {
  const auto a = fragment(), b = other.fragment();
  if (!a.has_value() || !b.has_value()) return true;
  return a->offset_in_bits + a->size_in_bits > b->offset_in_bits &&
         b->offset_in_bits + b->size_in_bits > a->offset_in_bits;
}

bool DebugExpression::is_constant() const {
  const size_t size = operations_.size();
  if (size == 0 || size > 3) return false;
  if (operations_[0].code != dwarf::kOpConstu && operations_[0].code != dwarf::kOpConsts) return false;
  if (size > 1 && operations_[1].code != dwarf::kOpStackValue) return false;
  return size < 3 || operations_[2].code == dwarf::kOpLlvmFragment;
}

DebugExpression DebugExpression::WithoutAddressClass(std::optional<uint64_t>* address_class) const {
  const size_t size = operations_.size();
  if (size < 3 || operations_[size - 3].code != dwarf::kOpConstu || operations_[size - 2].code != dwarf::kOpSwap ||
      operations_[size - 1].code != dwarf::kOpXderef) {
    return *this;
  }
  *address_class = operations_[size - 3].arguments[0];
  return DebugExpression(std::vector<Operation>(operations_.begin(), operations_.end() - 3));
}

std::optional<DebugExpression> DebugExpression::AsNonVariadic() const {
  const auto is_argument = [](const Operation& operation) { return operation.code == dwarf::kOpLlvmArg; };
  auto begin = operations_.begin();
  if (begin != operations_.end() && is_argument(*begin)) {
    if (begin->arguments[0] != 0) return std::nullopt;
    ++begin;
  }
  if (std::any_of(begin, operations_.end(), is_argument)) return std::nullopt;
  return DebugExpression(std::vector<Operation>(begin, operations_.end()));
}

}  // namespace ptxmir::ptx
