// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads types and values.

#include <bit>
#include <cstring>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"

namespace ptxmir::ir {
namespace {

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

// Adds the type whose text is [begin, end) to known_types_, if it is short.
void FunctionReader::RememberType(const IrType* type, const char* begin, const char* end) {
  if (end - begin > 7 || (*end != ' ' && *end != ',')) return;
  const uint64_t key = LoadChars(begin) & ~uint64_t{0} >> (56 - 8 * (end - begin));
  known_types_[KnownTypeIndex(key)] = {key, type};
}

const IrType* FunctionReader::ParseUnknownType() {
  if (!CanReadAhead()) return ParseTypeSlow();
  const IrType* type;
  const char* next;  // behind the type
  switch (*p_) {
    case 'i': {
      const uint64_t chars = LoadChars(p_ + 1);
      const unsigned count = CountDigits(chars);
      if (count == 0 || count > 4) return ParseTypeSlow();
      const uint32_t width = ParseDigits(chars, count);
      next = p_ + 1 + count;
      if (width == 0) return ParseTypeSlow();
      type = types_.Integer(width);
      break;
    }
    case 'p':
      if (!BeginsWith<"ptr">(p_)) return ParseTypeSlow();
      next = p_ + 3;
      if (BeginsWith<" addrspa">(next) && BeginsWith<"ce(">(next + 8)) {
        const uint64_t chars = LoadChars(next + 11);
        const unsigned count = CountDigits(chars);
        if (count == 0 || count > 4 || next[11 + count] != ')') return ParseTypeSlow();
        next += 12 + count;
        type = types_.Pointer(ParseDigits(chars, count));
        break;
      }
      if (IsIrNameChar(*next) || *next == '(' || BeginsWith<" (">(next) || BeginsWith<" addrsp">(next)) {
        return ParseTypeSlow();
      }
      RememberType(types_.Pointer(), p_, next);
      p_ = next;
      return types_.Pointer();
    case 'f':
      if (!BeginsWith<"float">(p_)) return ParseTypeSlow();
      next = p_ + 5;
      type = types_.Float();
      break;
    case 'd':
      if (!BeginsWith<"double">(p_)) return ParseTypeSlow();
      next = p_ + 6;
      type = types_.Double();
      break;
    case 'v':
      if (!BeginsWith<"void">(p_)) return ParseTypeSlow();
      next = p_ + 4;
      type = void_;
      break;
    case '<':
    case '{':
    case '[':
    case '%': {
      const std::string_view text = CompositeText(p_, end_);
      if (text.empty()) return ParseTypeSlow();
      next = text.data() + text.size();
      if (const auto found = type_texts_.find(text); found != type_texts_.end()) {
        type = found->second;
        break;
      }
      type = ParseTypeSlow();
      if (type != nullptr && p_ == next) type_texts_.emplace(text, type);
      return type;
    }
    default:
      return ParseTypeSlow();
  }
  // The word and the type may go on: '(' of a function type, and '*' of the pointers that LLVM had before version 15.
  if (*next != ' ' && *next != ',' && *next != ')') [[unlikely]] {
    if (IsIrNameChar(*next) || *next == '(' || *next == '*' || *next == '\t') return ParseTypeSlow();
  } else if (next[1] <= ' ' || next[1] == '(' || next[1] == '*' || BeginsWith<" addrsp">(next)) {
    return ParseTypeSlow();
  }
  RememberType(type, p_, next);
  p_ = next;
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
      return type->is_integer() ? ParseInteger(type) : ParseFloat(type);
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

Value* FunctionReader::ParseLocalSlow(const IrType* type) {
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

Value* FunctionReader::ParseGlobal(const IrType* type, std::string_view* undeclared) {
  const char* position = p_;
  const char* name_end = p_ + 1;
  while (IsIrNameChar(*name_end)) ++name_end;
  const std::string_view written(p_ + 1, static_cast<size_t>(name_end - p_ - 1));
  // The last characters tell names apart better than the first.
  KnownGlobal& known =
      known_globals_[((written.size() >= 8 ? LoadChars(name_end - 8) : written.size()) * 0x9e3779b97f4a7c15 >> 32) %
                     kNumKnownGlobals];
  if (known.value != nullptr && known.name == written && known.value->type() == type) {
    p_ = name_end;
    return known.value;
  }
  Name name;
  if (!ParseName(&name, ~uint32_t{0} >> 1)) return nullptr;
  const GlobalValue* global = module_.FindGlobal(name.text, name.is_number);
  if (global == nullptr) {
    if (undeclared != nullptr && written.starts_with("llvm.")) {
      *undeclared = written;
      return nullptr;
    }
    std::string printed = Printed(name);
    printed[0] = '@';
    Error(position, StrCat("use of undefined value '", printed, "'"));
    return nullptr;
  }
  ConstantValue* value = function_->GlobalAddress(global->id());
  if (value->type() == type) {
    if (!written.empty()) known = {written, value};
    return value;
  }
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
  uint64_t value = 0;
  size_t count;
  if (const uint64_t chars = CanReadAhead() ? LoadChars(p) : 0; (count = CountDigits(chars)) < 8 && count > 0) {
    value = ParseDigits(chars, static_cast<unsigned>(count));
    p += count;
  } else {
    const char* digits = p;
    while (IsIrDigit(*p)) value = value * 10 + static_cast<uint64_t>(*p++ - '0');
    count = static_cast<size_t>(p - digits);
  }
  const uint32_t usable = is_negative ? width - 1 : width;
  if (count == 0 || count > 18 || width > 64 || IsIrNameChar(*p) ||
      (usable < 64 && value > (uint64_t{1} << usable) - (is_negative ? 0 : 1))) {
    return ParseConstantSlow(type);
  }
  p_ = p;
  if (is_negative) value = 0 - value;
  return function_->Integer(type, width < 64 ? value & ((uint64_t{1} << width) - 1) : value);
}

// Reads a float or double as LLVM writes it: 0x and 16 hexadecimal digits, or a decimal number that is converted
// exactly without arithmetic on large numbers. IrParser reads any other.
Value* FunctionReader::ParseFloat(const IrType* type) {
  const bool is_float = type->kind() == IrType::Kind::kFloat;
  if ((!is_float && type->kind() != IrType::Kind::kDouble) || !CanReadAhead()) return ParseConstantSlow(type);
  const char* p = p_;
  double value;
  if (p[0] == '0' && p[1] == 'x') {
    uint32_t high, low;
    if (!ParseHexDigits(LoadChars(p + 2), &high) || !ParseHexDigits(LoadChars(p + 10), &low)) {
      return ParseConstantSlow(type);
    }
    p += 18;
    const uint64_t bits = uint64_t{high} << 32 | low;
    value = std::bit_cast<double>(bits);
  } else {
    // Both the digits and the power of ten are exact, so that the one operation rounds correctly.
    constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool is_negative = *p == '-';
    p += is_negative ? 1 : 0;
    uint64_t digits = 0;
    const char* first = p;
    while (IsIrDigit(*p)) digits = digits * 10 + static_cast<uint64_t>(*p++ - '0');
    if (p == first || *p != '.') return ParseConstantSlow(type);
    const char* point = p++;
    while (IsIrDigit(*p)) digits = digits * 10 + static_cast<uint64_t>(*p++ - '0');
    int exponent = static_cast<int>(point + 1 - p);
    if (p - first > 16 || p[0] != 'e' || (p[1] != '+' && p[1] != '-') || !IsIrDigit(p[2]) || !IsIrDigit(p[3]) ||
        IsIrDigit(p[4])) {
      return ParseConstantSlow(type);
    }
    const int written = (p[2] - '0') * 10 + (p[3] - '0');
    exponent += p[1] == '-' ? -written : written;
    if (exponent < -22 || exponent > 22) return ParseConstantSlow(type);
    p += 4;
    value = exponent < 0 ? static_cast<double>(digits) / kPowers[-exponent]
                         : static_cast<double>(digits) * kPowers[exponent];
    if (is_negative) value = -value;
  }
  if (IsIrNameChar(*p)) return ParseConstantSlow(type);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if (is_float) {
    const auto narrow = static_cast<float>(value);
    // Fails for NaNs, too.
    if (static_cast<double>(narrow) != value) return ParseConstantSlow(type);
    bits = std::bit_cast<uint32_t>(narrow);
  }
  p_ = p;
  return function_->Float(type, bits);
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
