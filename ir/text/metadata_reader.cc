// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads attachments and debug records.

#include <utility>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"

namespace ptxmir::ir {

// Parses `!7`, or a node that is written in place: `!{}`, `!DIExpression(DW_OP_deref)`, `!"text"`.
bool FunctionReader::ParseMetadata(MetadataRef* node) {
  SkipSpace();
  const char* position = p_;
  if (*p_ != '!') return ErrorHere("expected '!' here");
  if (IsIrDigit(p_[1])) {
    ++p_;
    uint64_t number;
    if (!ParseUnsigned(~uint32_t{0} >> 2, &number)) return false;
    if (!module_.HasMetadata(static_cast<MetadataId>(number))) {
      return Error(position, StrCat("use of undefined metadata '!", number, "'"));
    }
    node->bits = static_cast<uint32_t>(number);
    return true;
  }
  const bool is_string = p_[1] == '"';
  const bool ok = WithParser([is_string](IrParser& parser) {
    std::string_view text;
    if (!is_string) return parser.ParseMetadataNode() != nullptr && parser.ResolveGlobalReferences();
    parser.lexer().Advance();
    return parser.ParseString("expected string", &text);
  });
  if (!ok) return false;
  *node = program_.AddMetadataText({position, static_cast<size_t>(p_ - position)});
  return true;
}

// A tag of the older kind is the accessed type itself, !{!"int", !5} or !{!"int", !5, i64 1}. LLVM makes !{T, T, i64 0}
// of it (UpgradeTBAANode). The result is written in place.
MetadataRef FunctionReader::UpgradedTbaa(MetadataRef node) {
  if (node.is_none() || node.is_inline()) return node;
  const std::string_view text = module_.MetadataText(node.node());
  if (text.substr(0, 3) != "!{!" || text.size() < 4 || text[3] != '"') return node;
  const auto [place, is_new] = upgraded_tbaa_.try_emplace(node.node(), node);
  if (!is_new) return place->second;
  const MetadataNode* type = module_.metadata(node.node());
  if (type == nullptr || type->operands.size() < 2) return node;
  std::string own = StrCat("!", node.node());
  std::string offset = "i64 0";
  if (type->operands.size() == 3 && type->operands[1].kind == MetadataOperand::Kind::kNode &&
      type->operands[2].constant != nullptr) {
    // The type without the mark of constant memory, which the tag has instead.
    std::string name;
    AppendEscapedIrString(type->operands[0].text, &name);
    own = StrCat("!{!\"", name, "\", !", type->operands[1].node, "}");
    StrAppend(&offset, ", ", ToStringWithType(module_, *type->operands[2].constant));
  }
  place->second = program_.AddMetadataText(module_.CopyString(StrCat("!{", own, ", ", own, ", ", offset, "}")));
  return place->second;
}

// Parses `, !dbg !7, !tbaa !9`.
bool FunctionReader::ParseAttachments(Instruction& instruction) {
  attachments_.clear();
  while (Try(',')) {
    SkipSpace();
    const char* begin = p_ + 1;
    if (*p_ != '!') return ErrorHere("expected metadata after comma");
    const char* end = begin;
    bool has_escapes = false;
    for (; IsIrNameChar(*end) || *end == '\\'; ++end) has_escapes |= *end == '\\';
    if (end == begin || IsIrDigit(*begin)) return ErrorHere("expected metadata after comma");
    std::string_view kind(begin, static_cast<size_t>(end - begin));
    if (has_escapes) kind = module_.CopyString(UnescapeIrString(kind));
    p_ = end;
    MetadataRef node;
    if (!ParseMetadata(&node)) return false;
    if (kind == "dbg") {
      instruction.set_debug_loc(node);
    } else {
      if (kind == "tbaa") node = UpgradedTbaa(node);
      attachments_.push_back({program_.AddMetadataKind(kind), node});
    }
  }
  instruction.SetAttachments(attachments_);
  return true;
}

// Parses the location of a debug record: a value, a list of values, or other metadata.
bool FunctionReader::ParseLocation(DebugRecordDetail* detail, MetadataRef* raw) {
  SkipSpace();
  if (*p_ != '!') {
    if (TryWord("metadata")) return ParseLocation(detail, raw);
    return PushTyped();
  }
  constexpr std::string_view kList = "!DIArgList(";
  if (std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, kList.size()) != kList) return ParseMetadata(raw);
  detail->is_list = true;
  p_ += kList.size();
  if (Try(')')) return true;
  do {
    if (!PushTyped()) return false;
  } while (Try(','));
  return Expect(')', "at end of DIArgList");
}

// Parses what follows the location of the value.
bool FunctionReader::ParseRecordFields(Opcode opcode, DebugRecordDetail* detail) {
  const auto field = [this](MetadataRef* node) { return Expect(',', "in debug record") && ParseMetadata(node); };
  if (!field(&detail->variable) || !field(&detail->expression)) return false;
  if (opcode == Opcode::kDbgAssign) {
    if (!field(&detail->assignment) || !Expect(',', "in debug record") ||
        !ParseLocation(detail, &detail->raw_address) || !field(&detail->address_expression)) {
      return false;
    }
  }
  return field(&detail->location);
}

// Reads `#dbg_value(i32 %x, !12, !DIExpression(), !20)`. The record belongs to the next instruction.
bool FunctionReader::ReadRecord() {
  const char* position = p_++;
  const std::string_view word = PeekWord();
  auto opcode = Opcode::kDbgValue;
  while (OpcodeWord(opcode) != word) {
    if (opcode == Opcode::kDbgLabel) return Error(position, "expected debug record type");
    opcode = static_cast<Opcode>(static_cast<int>(opcode) + 1);
  }
  p_ += word.size();
  if (CurrentBlock() == nullptr) return false;
  operands_.clear();
  flags_ = 0;
  DebugRecordDetail detail;
  if (!Expect('(', "in debug record")) return false;
  if (opcode == Opcode::kDbgLabel) {
    if (!ParseMetadata(&detail.variable) || !Expect(',', "in debug record") || !ParseMetadata(&detail.location)) {
      return false;
    }
  } else if (!ParseLocation(&detail, &detail.raw_location) || !ParseRecordFields(opcode, &detail)) {
    return false;
  }
  if (!Expect(')', "at end of debug record")) return false;
  Instruction* record = Create(opcode, void_);
  record->set_position(static_cast<uint32_t>(position - text_begin_) + 1);
  function_->SetDetail(*record, detail);
  if (first_record_ == nullptr) {
    first_record_ = record;
  } else {
    last_record_->set_next_record(record);
  }
  last_record_ = record;
  return true;
}

}  // namespace ptxmir::ir
