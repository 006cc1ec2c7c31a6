// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads attachments, debug records, and calls of debug intrinsics. LLVM wrote those
// before version 19; they become the records that it writes since.

#include <utility>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"

namespace ptxmir::ir {
namespace {

struct DebugIntrinsic {
  std::string_view name;  // without "llvm.dbg."
  unsigned num_parameters;
  Opcode opcode;
};

constexpr DebugIntrinsic kDebugIntrinsics[] = {
    {"addr", 3, Opcode::kDbgValue},       // the value is in memory: it is read with DW_OP_deref
    {"assign", 6, Opcode::kDbgAssign},    //
    {"declare", 3, Opcode::kDbgDeclare},  //
    {"label", 1, Opcode::kDbgLabel},      //
    {"value", 3, Opcode::kDbgValue},      //
    {"value", 4, Opcode::kDbgValue},      // with an offset behind the value
};

// Returns null if the function is no debug intrinsic, or does not have its type.
const DebugIntrinsic* FindDebugIntrinsic(const GlobalValue& function) {
  constexpr std::string_view kPrefix = "llvm.dbg.";
  if (!function.is_function() || function.name.substr(0, kPrefix.size()) != kPrefix) return nullptr;
  const IrType* type = function.value_type;
  if (type->is_vararg() || !type->return_type()->is_void()) return nullptr;
  const absl::Span<const IrType* const> parameters = type->parameters();
  for (const DebugIntrinsic& known : kDebugIntrinsics) {
    if (function.name.substr(kPrefix.size()) != known.name || parameters.size() != known.num_parameters) continue;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const bool is_offset = parameters.size() == 4 && i == 1;
      if (!(is_offset ? parameters[i]->is_integer(64) : parameters[i]->kind() == IrType::Kind::kMetadata)) {
        return nullptr;
      }
    }
    return &known;
  }
  return nullptr;
}

// Returns the expression with DW_OP_deref behind what computes the address.
std::string Dereferenced(std::string_view expression) {
  constexpr std::string_view kEmpty = "!DIExpression()";
  if (expression == kEmpty) return "!DIExpression(DW_OP_deref)";
  size_t place = expression.rfind(')');
  for (const std::string_view last : {", DW_OP_LLVM_fragment", ", DW_OP_stack_value"}) {
    if (const size_t found = expression.find(last); found != expression.npos) place = found;
  }
  return StrCat(expression.substr(0, place), ", DW_OP_deref", expression.substr(place));
}

bool IsZero(const Value& value) {
  if (!value.is_constant()) return false;
  const IrConstant& constant = static_cast<const ConstantValue&>(value).constant();
  return constant.is_integer() && constant.ZExtValue() == 0;
}

}  // namespace

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

// Parses `!tbaa !9`.
bool FunctionReader::ParseAttachment(std::string_view* kind, MetadataRef* node) {
  SkipSpace();
  const char* begin = p_ + 1;
  if (*p_ != '!') return ErrorHere("expected metadata after comma");
  const char* end = begin;
  bool has_escapes = false;
  for (; IsIrNameChar(*end) || *end == '\\'; ++end) has_escapes |= *end == '\\';
  if (end == begin || IsIrDigit(*begin)) return ErrorHere("expected metadata after comma");
  *kind = std::string_view(begin, static_cast<size_t>(end - begin));
  if (has_escapes) *kind = module_.CopyString(UnescapeIrString(*kind));
  p_ = end;
  return ParseMetadata(node);
}

// Parses `, !dbg !7, !tbaa !9`.
bool FunctionReader::ParseAttachments(Instruction& instruction) {
  attachments_.clear();
  while (Try(',')) {
    std::string_view kind;
    MetadataRef node;
    if (!ParseAttachment(&kind, &node)) return false;
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

// Parses the next node of a debug record or of a call of a debug intrinsic.
bool FunctionReader::ParseRecordNode(bool is_call, MetadataRef* node) {
  if (!Expect(',', "in debug record")) return false;
  if (is_call && !TryWord("metadata")) return ErrorHere("expected 'metadata' here");
  return ParseMetadata(node);
}

// Parses what follows the location of the value, but for the place in the source.
bool FunctionReader::ParseRecordFields(Opcode opcode, bool is_call, DebugRecordDetail* detail) {
  if (!ParseRecordNode(is_call, &detail->variable) || !ParseRecordNode(is_call, &detail->expression)) return false;
  if (opcode != Opcode::kDbgAssign) return true;
  return ParseRecordNode(is_call, &detail->assignment) && Expect(',', "in debug record") &&
         ParseLocation(detail, &detail->raw_address) && ParseRecordNode(is_call, &detail->address_expression);
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
  } else if (!ParseLocation(&detail, &detail.raw_location) || !ParseRecordFields(opcode, /*is_call=*/false, &detail) ||
             !ParseRecordNode(/*is_call=*/false, &detail.location)) {
    return false;
  }
  if (!Expect(')', "at end of debug record")) return false;
  Instruction* record = Create(opcode, void_);
  record->set_position(static_cast<uint32_t>(position - text_begin_) + 1);
  function_->SetDetail(*record, detail);
  AddRecord(*record);
  return true;
}

// Makes the record one of the next instruction.
void FunctionReader::AddRecord(Instruction& record) {
  if (first_record_ == nullptr) {
    first_record_ = &record;
  } else {
    last_record_->set_next_record(&record);
  }
  last_record_ = &record;
}

// Returns true if the call whose arguments begin at the current place is one of a debug intrinsic.
bool FunctionReader::IsDebugCall(const Value& callee) const {
  constexpr std::string_view kBegin = "(metadata";
  if (std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, kBegin.size()) != kBegin) return false;
  if (!callee.is_constant()) return false;
  const IrConstant& constant = static_cast<const ConstantValue&>(callee).constant();
  return constant.kind == IrConstant::Kind::kGlobal &&
         FindDebugIntrinsic(module_.global_value(constant.global)) != nullptr;
}

// Reads the arguments and attachments of a call that IsDebugCall has found, and makes a record of it. One that has no
// place in the source, or an offset, which no record can express, belongs to no instruction; LLVM drops those, too.
Instruction* FunctionReader::ReadDebugCall(const Value& callee) {
  const IrConstant& constant = static_cast<const ConstantValue&>(callee).constant();
  const DebugIntrinsic& intrinsic = *FindDebugIntrinsic(module_.global_value(constant.global));
  operands_.clear();
  DebugRecordDetail detail;
  bool has_offset = false;
  if (!Expect('(', "in call")) return nullptr;
  if (intrinsic.opcode == Opcode::kDbgLabel) {
    if (!TryWord("metadata") || !ParseMetadata(&detail.variable)) {
      ErrorHere("expected a label here");
      return nullptr;
    }
  } else {
    if (!ParseLocation(&detail, &detail.raw_location)) return nullptr;
    if (intrinsic.num_parameters == 4) {
      Value* offset = Expect(',', "in call") ? ParseTypedValue() : nullptr;
      if (offset == nullptr) return nullptr;
      has_offset = !IsZero(*offset);
    }
    if (!ParseRecordFields(intrinsic.opcode, /*is_call=*/true, &detail)) return nullptr;
  }
  AttributeSetId attributes;
  if (!Expect(')', "at end of argument list") || !ParseAttributes(/*is_function=*/true, &attributes)) return nullptr;
  if (intrinsic.name == "addr") {
    const std::string_view text = detail.expression.is_inline() ? program_.metadata_text(detail.expression)
                                                                : module_.MetadataText(detail.expression.node());
    detail.expression = program_.AddMetadataTextCopy(Dereferenced(text));
  }
  while (Try(',')) {
    MetadataRef node;
    std::string_view kind;
    if (!ParseAttachment(&kind, &node)) return nullptr;
    if (kind == "dbg") detail.location = node;
  }
  Instruction* record = Create(intrinsic.opcode, void_);
  function_->SetDetail(*record, detail);
  if (detail.location.is_none() || has_offset) {
    record->EraseFromParent();
  } else {
    AddRecord(*record);
  }
  return record;
}

}  // namespace ptxmir::ir
