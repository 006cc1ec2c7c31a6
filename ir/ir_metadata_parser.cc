// SPDX-License-Identifier: Apache-2.0

// The part of IrParser that parses metadata nodes.

#include <algorithm>

#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

template <typename T>
absl::Span<const T> CopyInto(Module& module, const std::vector<T>& values) {
  if (values.empty()) return {};
  T* copy = static_cast<T*>(module.arena()->allocate(values.size() * sizeof(T), alignof(T)));
  std::uninitialized_copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

}  // namespace

const MetadataNode* IrParser::ParseMetadataNode() {
  const DepthGuard guard(*this);
  if (guard.too_deep()) {
    Error("metadata is nested too deeply");
    return nullptr;
  }
  const bool distinct = TryWord("distinct");
  if (token().kind == IrToken::Kind::kMetadataName) return ParseSpecializedNode(distinct);
  if (TryPunctuation('!') && token().Is('{')) return ParseMetadataTuple(distinct);
  Error("expected '!' here");
  return nullptr;
}

// Parses `{ operand, operand }`.
const MetadataNode* IrParser::ParseMetadataTuple(bool distinct) {
  lexer_.Advance();
  std::vector<MetadataOperand> operands;
  if (!TryPunctuation('}')) {
    do {
      MetadataOperand operand;
      if (!ParseMetadataOperand(&operand)) return nullptr;
      operands.push_back(operand);
    } while (TryPunctuation(','));
    if (!ExpectPunctuation('}', "at end of metadata node")) return nullptr;
  }
  auto* node = new (module_.arena()->allocate(sizeof(MetadataNode), alignof(MetadataNode))) MetadataNode();
  node->is_distinct = distinct;
  node->operands = CopyInto(module_, operands);
  return node;
}

// Parses a node such as `!DILocation(line: 3, scope: !4)` or `!DIExpression(DW_OP_plus_uconst, 8)`.
const MetadataNode* IrParser::ParseSpecializedNode(bool distinct) {
  auto* node = new (module_.arena()->allocate(sizeof(MetadataNode), alignof(MetadataNode))) MetadataNode();
  node->is_distinct = distinct;
  node->kind = Unescaped(token());
  lexer_.Advance();
  if (!ExpectPunctuation('(', "here")) return nullptr;
  std::vector<MetadataOperand> operands;
  if (!TryPunctuation(')')) {
    do {
      MetadataOperand operand;
      const IrToken word = token();
      if (word.kind == IrToken::Kind::kWord && word.end() < lexer_.text_end() && *word.end() == ':') {
        lexer_.Advance();
        lexer_.Advance();
        operand.key = word.text;
      }
      if (!ParseMetadataOperand(&operand)) return nullptr;
      operands.push_back(operand);
    } while (TryPunctuation(','));
    if (!ExpectPunctuation(')', "here")) return nullptr;
  }
  node->operands = CopyInto(module_, operands);
  return node;
}

bool IrParser::ParseMetadataOperand(MetadataOperand* operand) {
  using Kind = MetadataOperand::Kind;
  const IrToken first = token();
  switch (first.kind) {
    case IrToken::Kind::kMetadataNumber: {
      uint64_t number;
      if (!ParseIrDecimal(first.value, MetadataId{1} << 30, &number)) return Error("expected metadata number");
      operand->kind = Kind::kNode;
      operand->node = static_cast<MetadataId>(number);
      lexer_.Advance();
      return true;
    }
    case IrToken::Kind::kMetadataName:
      operand->kind = Kind::kInlineNode;
      operand->inline_node = ParseMetadataNode();
      return operand->inline_node != nullptr;
    case IrToken::Kind::kString:
      operand->kind = Kind::kString;
      return ParseString("expected string", &operand->text);
    case IrToken::Kind::kInteger: {
      const bool negative = first.text[0] == '-';
      uint64_t magnitude;
      if (!ParseIrDecimal(first.text.substr(negative ? 1 : 0), ~uint64_t{0}, &magnitude)) {
        return Error("integer value is too large");
      }
      operand->kind = Kind::kInteger;
      operand->integer = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
      operand->text = first.text;
      lexer_.Advance();
      return true;
    }
    default:
      break;
  }
  if (TryPunctuation('!')) {
    operand->kind = Kind::kString;
    if (token().kind == IrToken::Kind::kString) return ParseString("expected string", &operand->text);
    if (!token().Is('{')) return Error("expected metadata operand");
    lexer_.JumpTo(first.begin());
    operand->kind = Kind::kInlineNode;
    operand->inline_node = ParseMetadataNode();
    return operand->inline_node != nullptr;
  }
  if (IsTypeStart(first)) {
    // The word "metadata" in front of an operand has no meaning.
    if (first.text == "metadata") {
      while (TryWord("metadata")) {
      }
      return ParseMetadataOperand(operand);
    }
    operand->kind = Kind::kConstant;
    operand->constant = ParseTypedConstant();
    return operand->constant != nullptr;
  }
  if (first.kind != IrToken::Kind::kWord) return Error("expected metadata operand");
  return ParseMetadataSymbol(operand);
}

// Parses a symbol: `null`, `DW_TAG_member`, `DIFlagA | DIFlagB`.
bool IrParser::ParseMetadataSymbol(MetadataOperand* operand) {
  const char* begin = token().begin();
  if (TryWord("null")) {
    operand->kind = MetadataOperand::Kind::kNull;
    return true;
  }
  lexer_.Advance();
  while (TryPunctuation('|')) {
    if (token().kind != IrToken::Kind::kWord && token().kind != IrToken::Kind::kInteger) {
      return Error("expected debug info flag");
    }
    lexer_.Advance();
  }
  operand->kind = MetadataOperand::Kind::kSymbol;
  operand->text = {begin, static_cast<size_t>(lexer_.previous_end() - begin)};
  return true;
}

}  // namespace ptxmir
