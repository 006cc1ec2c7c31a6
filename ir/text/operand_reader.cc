// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads types and values.

#include <bit>
#include <cstring>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"

namespace ptxmir::ir {
namespace {

bool IsWordAt(const char* p, std::string_view word) {
  return std::memcmp(p, word.data(), word.size()) == 0 && !IsIrNameChar(p[word.size()]);
}

// Returns the text of a type that begins with a bracket or '%', or an empty text if its end is not found nearby.
std::string_view CompositeText(const char* p, const char* end) {
  const char* begin = p;
  if (*p == '%') {
    ++p;
    if (*p == '"') return {};
    while (IsIrNameChar(*p)) ++p;
    return {begin, static_cast<size_t>(p - begin)};
  }
  constexpr ptrdiff_t kLongest = 200;
  const char* limit = end - p > kLongest ? p + kLongest : end;
  int depth = 0;
  for (; p < limit; ++p) {
    if (*p == '<' || *p == '{' || *p == '[') ++depth;
    if (*p == '"' || *p == ';' || *p == '\n') return {};
    if ((*p == '>' || *p == '}' || *p == ']') && --depth == 0) return {begin, static_cast<size_t>(p + 1 - begin)};
  }
  return {};
}

}  // namespace

// The checked text is shorter than 16 characters, and SourceBuffer has a zero behind its text; comparisons stop there.
const IrType* FunctionReader::ParseType() {
  SkipSpace();
  const char* begin = p_;
  const IrType* type = nullptr;
  switch (*p_) {
    case 'i': {
      const char* p = p_ + 1;
      uint32_t width = 0;
      while (IsIrDigit(*p) && p - p_ <= 4) width = width * 10 + static_cast<uint32_t>(*p++ - '0');
      if (p == p_ + 1 || IsIrNameChar(*p) || width == 0) return ParseTypeSlow();
      p_ = p;
      type = types_.Integer(width);
      break;
    }
    case 'p':
      if (end_ - p_ < 16 || !IsWordAt(p_, "ptr") || std::memcmp(p_ + 3, " addrspace", 10) == 0) return ParseTypeSlow();
      p_ += 3;
      return types_.Pointer();
    case 'f':
      if (end_ - p_ < 16 || !IsWordAt(p_, "float")) return ParseTypeSlow();
      p_ += 5;
      type = types_.Float();
      break;
    case 'd':
      if (end_ - p_ < 16 || !IsWordAt(p_, "double")) return ParseTypeSlow();
      p_ += 6;
      type = types_.Double();
      break;
    case 'v':
      if (end_ - p_ < 16 || !IsWordAt(p_, "void")) return ParseTypeSlow();
      p_ += 4;
      type = void_;
      break;
    case '<':
    case '{':
    case '[':
    case '%': {
      const std::string_view text = CompositeText(p_, end_);
      if (text.empty()) return ParseTypeSlow();
      if (const auto found = type_texts_.find(text); found != type_texts_.end()) {
        p_ += text.size();
        type = found->second;
        break;
      }
      type = ParseTypeSlow();
      if (type != nullptr && p_ == text.data() + text.size()) type_texts_.emplace(text, type);
      return type;
    }
    default:
      return ParseTypeSlow();
  }
  // The type may go on: '(' of a function type, and '*' of the pointers that LLVM had before version 15.
  const char* next = p_;
  while (*next == ' ') ++next;
  if (*next == '(' || *next == '*' || (*next == 'a' && std::strncmp(next, "addrspace", 9) == 0)) {
    p_ = begin;
    return ParseTypeSlow();
  }
  return type;
}

const IrType* FunctionReader::ParseTypeSlow() {
  const char* position = p_;
  const size_t num_structs = types_.named_structs().size();
  const IrType* type = WithParser([](IrParser& parser) { return parser.ParseType(/*allow_void=*/true); });
  if (type != nullptr && types_.named_structs().size() > num_structs) {
    Error(position, StrCat("use of undefined type '", types_.named_structs().back()->ToString(), "'"));
    return nullptr;
  }
  return CheckType(type, position);
}

// Named structures have been checked by themselves, so recursion is bounded by the text of the type.
bool FunctionReader::ContainsScalable(const IrType* type) {
  if (type->is_vector()) return type->is_scalable();
  if (type->is_array()) return ContainsScalable(type->element());
  if (type->is_function()) {
    if (ContainsScalable(type->return_type())) return true;
    for (const IrType* parameter : type->parameters()) {
      if (ContainsScalable(parameter)) return true;
    }
  }
  if (!type->is_struct() || type->is_named()) return false;
  for (const IrType* member : type->members()) {
    if (ContainsScalable(member)) return true;
  }
  return false;
}

const IrType* FunctionReader::CheckType(const IrType* type, const char* position) {
  if (type == nullptr || !ContainsScalable(type)) return type;
  Error(position, StrCat("scalable vectors are not supported: '", type->ToString(), "'"));
  return nullptr;
}

Value* FunctionReader::ParseValue(const IrType* type) {
  SkipSpace();
  switch (*p_) {
    case '%':
      return ParseLocal(type);
    case '@':
      return ParseGlobal(type);
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
    case '-':
      return type->is_integer() ? ParseInteger(type) : ParseConstantSlow(type);
    case 't':
    case 'f':
    case 'n':
    case 'u':
    case 'p':
    case 'z':
      return ParseConstantWord(type);
    default:
      return ParseConstantSlow(type);
  }
}

Value* FunctionReader::ParseLocal(const IrType* type) {
  Name name;
  if (!ParseName(&name)) return nullptr;
  if (!name.is_number) return LocalEntry(named_[name.text], type, name);
  if (numbered_.size() <= name.number) numbered_.resize(std::max<size_t>(name.number + 1, numbered_.size() * 2));
  return LocalEntry(numbered_[name.number], type, name);
}

Value* FunctionReader::LocalEntry(Value*& entry, const IrType* type, const Name& name) {
  if (entry == nullptr) {
    if (type->is_void() || type->is_function() || type == metadata_) {
      Error(name.position, StrCat("invalid use of type '", type->ToString(), "'"));
      return nullptr;
    }
    if (type == label_) {
      BasicBlock* block = function_->CreateBlock();
      pending_blocks_.emplace_back(block, name);
      ++num_undefined_blocks_;
      entry = block;
    } else {
      auto* placeholder = function_->arena().New<Placeholder>(type, name.position);
      placeholders_.emplace_back(placeholder, name);
      ++num_undefined_values_;
      entry = placeholder;
    }
    return entry;
  }
  if (entry->type() == type) return entry;
  if (type == label_) {
    Error(name.position, StrCat("'", Printed(name), "' is not a basic block"));
  } else if (entry->is_block()) {
    Error(name.position, StrCat("'", Printed(name), "' is a basic block but expected '", type->ToString(), "'"));
  } else {
    Error(name.position, StrCat("'", Printed(name), "' defined with type '", entry->type()->ToString(),
                                "' but expected '", type->ToString(), "'"));
  }
  return nullptr;
}

Value* FunctionReader::ParseGlobal(const IrType* type) {
  const char* position = p_;
  Name name;
  if (!ParseName(&name, ~uint32_t{0} >> 1)) return nullptr;
  const GlobalValue* global = module_.FindGlobal(name.text, name.is_number);
  if (global == nullptr) {
    std::string printed = Printed(name);
    printed[0] = '@';
    Error(position, StrCat("use of undefined value '", printed, "'"));
    return nullptr;
  }
  ConstantValue* value = function_->GlobalAddress(global->id());
  if (value->type() == type) return value;
  if (!type->is_pointer()) {
    Error(position, "global variable reference must have pointer type");
  } else {
    Error(position, StrCat("'@", global->name, "' defined with type '", value->type()->ToString(), "' but expected '",
                           type->ToString(), "'"));
  }
  return nullptr;
}

Value* FunctionReader::ParseInteger(const IrType* type) {
  const uint32_t width = type->integer_width();
  const bool is_negative = *p_ == '-';
  const char* p = p_ + (is_negative ? 1 : 0);
  const char* digits = p;
  uint64_t value = 0;
  while (IsIrDigit(*p)) value = value * 10 + static_cast<uint64_t>(*p++ - '0');
  const uint32_t usable = is_negative ? width - 1 : width;
  if (p == digits || p - digits > 18 || width > 64 || IsIrNameChar(*p) ||
      (usable < 64 && value > (uint64_t{1} << usable) - (is_negative ? 0 : 1))) {
    return ParseConstantSlow(type);
  }
  p_ = p;
  if (is_negative) value = 0 - value;
  return function_->Integer(type, width < 64 ? value & ((uint64_t{1} << width) - 1) : value);
}

Value* FunctionReader::ParseConstantWord(const IrType* type) {
  const std::string_view word = PeekWord();
  const auto simple = [&](IrConstant::Kind kind) {
    p_ += word.size();
    return function_->Simple(kind, type);
  };
  if (type->is_integer(1) && (word == "true" || word == "false")) {
    p_ += word.size();
    return function_->Integer(type, word[0] == 't' ? 1 : 0);
  }
  if (type->is_pointer() && word == "null") return simple(IrConstant::Kind::kNullPointer);
  if (type->is_first_class() && type != label_ && type != metadata_) {
    if (word == "undef") return simple(IrConstant::Kind::kUndef);
    if (word == "poison") return simple(IrConstant::Kind::kPoison);
  }
  return ParseConstantSlow(type);
}

Value* FunctionReader::ParseConstantSlow(const IrType* type) {
  const char* position = p_;
  const IrConstant* constant = WithParser([type](IrParser& parser) {
    const IrConstant* parsed = parser.ParseConstant(type);
    return parser.ResolveGlobalReferences() ? parsed : nullptr;
  });
  if (constant == nullptr) return nullptr;
  if (type->is_void() || type->is_function() || type == label_ || type == metadata_) {
    Error(position, StrCat("invalid use of type '", type->ToString(), "'"));
    return nullptr;
  }
  if (constant->kind == IrConstant::Kind::kZeroInitializer && type->is_pointer()) {
    return function_->Simple(IrConstant::Kind::kNullPointer, type);
  }
  return function_->Constant(*constant);
}

// Parses a comma and a value with the type of the first operand.
bool FunctionReader::PushSameType(std::string_view where) {
  return Expect(',', where) && Push(ParseValue(operands_[0].value->type()));
}

BasicBlock* FunctionReader::ParseTypedBlock() {
  if (!TryWord("label")) {
    ErrorHere("expected 'label' type");
    return nullptr;
  }
  SkipSpace();
  if (*p_ != '%') {
    ErrorHere("expected a basic block");
    return nullptr;
  }
  return static_cast<BasicBlock*>(ParseLocal(label_));
}

bool FunctionReader::PushBlock() { return Push(ParseTypedBlock()); }

}  // namespace ptxmir::ir
