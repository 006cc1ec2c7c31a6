// SPDX-License-Identifier: Apache-2.0

// The part of FunctionReader that reads calls: attributes, arguments, inline assembly and operand bundles.

#include <algorithm>
#include <array>
#include <cstring>

#include "base/str_cat.h"
#include "ir/ir_text.h"
#include "ir/text/function_reader.h"
#include "ir/text/word_table.h"

namespace ptxmir::ir {
namespace {

using ConventionTable = WordTable<uint32_t, 256>;

const ConventionTable& CallingConventions() {
  static const ConventionTable table = [] {
    constexpr uint32_t kEnd = 128;  // above all conventions that have a word
    ConventionTable made;
    made.Add("ccc", calling_convention::kC);
    for (uint32_t number = 1; number < kEnd; ++number) {
      if (const std::string_view name = CallingConventionName(number); !name.empty()) made.Add(name, number);
    }
    return made;
  }();
  return table;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

const char* SkipBlanks(const char* p) {
  while (IsBlank(*p)) ++p;
  return p;
}

constexpr std::array<bool, 256> kIsInAttribute = [] {
  std::array<bool, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (const char c : {'(', ')', '_', ' '}) table[static_cast<uint8_t>(c)] = true;
  return table;
}();

const char* SkipWord(const char* p) {
  while (IsIrNameChar(*p)) ++p;
  return p;
}

}  // namespace

// Returns the end of the attribute at `p`, or null if there is none. What it says is parsed later, and only once for
// each text.
const char* FunctionReader::ScanAttribute(const char* p, bool is_function) const {
  if (is_function && *p == '#') {
    ++p;
    if (*p == 'd') return nullptr;  // a debug record in front of the next instruction
    while (IsIrDigit(*p)) ++p;
    return p;
  }
  if (*p == '"') {
    if (!is_function) return nullptr;
    // "name" or "name"="value"; "name": is the label of the next block.
    for (int part = 0; part < 2; ++part) {
      const void* close = std::memchr(p + 1, '"', static_cast<size_t>(end_ - p - 1));
      if (close == nullptr) return nullptr;
      p = static_cast<const char*>(close) + 1;
      if (*p == ':') return nullptr;
      if (*p != '=' || p[1] != '"') break;
      ++p;
    }
    return p;
  }
  const char* end = SkipWord(p);
  const std::string_view word(p, static_cast<size_t>(end - p));
  if (word.empty() || *end == ':' || !IrParser::IsKnownAttribute(word)) return nullptr;
  const char* next = SkipBlanks(end);
  if (*next == '(') {
    int depth = 0;
    for (; next < end_; ++next) {
      if (*next == '(') ++depth;
      if (*next == ')' && --depth == 0) return next + 1;
    }
    return nullptr;
  }
  if (word == "align" || word == "alignstack") {
    while (IsIrDigit(*next)) ++next;
    return next;
  }
  return end;
}

// Recognizes what LLVM writes most often, if it was read before. Returns true if it has set `id` and the cursor is
// behind the attributes.
bool FunctionReader::TryKnownAttributes(bool is_function, AttributeSetId* id) {
  if (is_function) {
    // The next instruction may follow.
    if (*p_ == ',' || *p_ == '%' || *p_ == '}') return true;
    if (!CanReadAhead()) return false;
    if (*p_ != '#') return IsFirstWord(PackedWord::BeforeSpace(p_));
    const uint64_t chars = LoadChars(p_ + 1);
    const unsigned count = CountDigits(chars);
    if (count == 0 || count > 4) return false;
    const uint32_t number = ParseDigits(chars, count);
    const char next = p_[1 + count];
    if ((next != '\n' && next != ',') || (p_[1] == '0' && count > 1)) return false;
    if (number >= group_sets_.size() || group_sets_[number] == 0) return false;
    *id = group_sets_[number];
    p_ += 1 + count;
    return true;
  }
  if (*p_ < 'a' || *p_ > 'z') return true;
  // Attributes consist of lower-case letters, numbers and parentheses. If a name follows them, it ends them.
  const char* end = p_;
  while (kIsInAttribute[static_cast<uint8_t>(*end)]) ++end;
  if (*end != '%' && *end != '@') return false;
  while (end[-1] == ' ') --end;
  const auto found = attribute_texts_.find(std::string_view(p_, static_cast<size_t>(end - p_)));
  if (found == attribute_texts_.end()) return false;
  *id = found->second;
  p_ = end;
  return true;
}

bool FunctionReader::ParseAttributesSlow(bool is_function, AttributeSetId* id) {
  const char* begin = p_;
  const char* last = nullptr;
  for (const char* p = p_; (p = ScanAttribute(p, is_function)) != nullptr; p = SkipBlanks(p)) last = p;
  if (last == nullptr) return true;
  p_ = last;
  const std::string_view text(begin, static_cast<size_t>(last - begin));
  if (const auto found = attribute_texts_.find(text); found != attribute_texts_.end()) {
    *id = found->second;
    return true;
  }
  AttributeSet set;
  set.text = text;
  bool completed = false;  // with types of pointers
  p_ = begin;
  while (p_ < last) {
    SkipSpace();
    if (*p_ == '#') {
      ++p_;
      uint64_t group;
      const char* position = p_ - 1;
      if (!ParseUnsigned(~uint32_t{0}, &group)) return false;
      if (module_.FindAttributeGroup(static_cast<uint32_t>(group)) == nullptr) {
        return Error(position, StrCat("use of undefined attribute group '#", group, "'"));
      }
      set.groups.push_back(static_cast<uint32_t>(group));
      continue;
    }
    const char* start = p_;
    const bool ok = WithParser([&](IrParser& parser) {
      if (!parser.ParseAttributes(false, &set.attributes)) return false;
      // The first word of the next instruction is no attribute.
      std::vector<IrAttribute>& all = set.attributes.mutable_all();
      while (!all.empty() && all.back().text.data() >= last) all.pop_back();
      bool completed_now = false;
      const bool is_complete = parser.CompleteTypeAttributes(pointer_text_, &set.attributes, &completed_now);
      completed |= completed_now;
      return is_complete;
    });
    if (!ok) return false;
    if (p_ == start) break;
    p_ = std::min(p_, last);
  }
  p_ = last;
  if (completed) set.text = module_.CopyString(AttributesText(set.attributes));
  *id = program_.AddAttributeSet(std::move(set));
  // The same text may be completed with another type elsewhere.
  if (completed) return true;
  attribute_texts_.emplace(text, *id);
  uint64_t group;
  if (text[0] == '#' && ParseIrDecimal(text.substr(1), kMaxGroupSets, &group) && (text[1] != '0' || group == 0)) {
    if (group_sets_.size() <= group) group_sets_.resize(group + 1, 0);
    group_sets_[group] = *id;
  }
  return true;
}

// Parses what is between `call` and the type.
bool FunctionReader::ParseCallHead(CallDetail* detail) {
  pointer_text_ = {};
  SkipSpace();
  // Most calls have no such things: their type follows.
  if (CanReadAhead() && ((*p_ == 'i' && IsIrDigit(p_[1])) || BeginsWith<"void ">(p_) || BeginsWith<"float ">(p_) ||
                         BeginsWith<"double ">(p_) || *p_ == '{' || *p_ == '[')) {
    return true;
  }
  if (TryWord("cc")) {
    uint64_t number;
    if (!ParseUnsigned(1023, &number)) return false;
    detail->calling_convention = static_cast<uint32_t>(number);
  } else {
    const std::string_view word = PeekWord();
    if (const uint32_t* number = CallingConventions().Find(word); number != nullptr) {
      detail->calling_convention = *number;
      p_ += word.size();
    }
  }
  if (!ParseAttributes(/*is_function=*/false, &detail->return_attributes)) return false;
  if (PeekWord() != "addrspace") return true;
  return WithParser([&](IrParser& parser) { return parser.ParseOptionalAddressSpace(&detail->address_space); });
}

// Returns the type of a function with this result and the types of the arguments.
const IrType* FunctionReader::CalledType(const Value* callee, const IrType* result) {
  // It nearly always is the type of the function that is called.
  if (callee != nullptr && callee->is_constant()) {
    const IrConstant& constant = static_cast<const ConstantValue*>(callee)->constant();
    if (constant.kind == IrConstant::Kind::kGlobal) {
      const IrType* type = module_.global_value(constant.global).value_type;
      if (type->is_function() && !type->is_vararg() && type->return_type() == result &&
          std::ranges::equal(type->parameters(), argument_types_)) {
        return type;
      }
    }
  }
  return types_.Function(result, argument_types_, /*vararg=*/false);
}

Instruction* FunctionReader::ReadCall() {
  CallDetail detail;
  if (!ParseCallHead(&detail)) return nullptr;
  SkipSpace();
  const char* position = p_;
  const IrType* type = ParseType();
  if (type == nullptr) return nullptr;
  SkipSpace();
  const char* callee_position = p_;
  // The callee is parsed when the types of the arguments are known, because those give its type.
  Value* callee;
  std::string_view undeclared;  // an intrinsic that the call declares, as in LLVM's parser
  if (*p_ == '@' && detail.address_space == 0) {
    callee = ParseGlobal(types_.Pointer(), &undeclared);
  } else if (PeekWord() == "asm") {
    callee = ParseInlineAsm();
  } else {
    callee = ParseValue(types_.Pointer(detail.address_space));
  }
  if (callee == nullptr && undeclared.empty()) return nullptr;
  if (callee != nullptr && type == void_ && IsDebugCall(*callee)) [[unlikely]]
    return ReadDebugCall(*callee);
  argument_types_.clear();
  argument_attributes_.clear();
  if (!ParseArguments(&argument_types_)) return nullptr;
  detail.num_arguments = static_cast<uint32_t>(operands_.size());
  detail.states_function_type = type->is_function();
  detail.function_type = type->is_function() ? type : CalledType(callee, type);
  const IrType* result = detail.function_type->return_type();
  if (result->kind() == IrType::Kind::kLabel || result->kind() == IrType::Kind::kMetadata || result->is_function()) {
    Error(position, "invalid result type for function call");
    return nullptr;
  }
  const size_t num_parameters = detail.function_type->parameters().size();
  if (detail.num_arguments < num_parameters ||
      (detail.num_arguments > num_parameters && !detail.function_type->is_vararg())) {
    Error(callee_position, detail.num_arguments < num_parameters ? "not enough parameters specified for call"
                                                                 : "too many arguments specified");
    return nullptr;
  }
  if (callee == nullptr) {
    const IrFunction& declared = module_.CreateFunction(undeclared, detail.function_type, Linkage::kExternal);
    callee = function_->GlobalAddress(declared.id());
  }
  std::vector<OperandBundle> bundles;
  pointer_text_ = {};
  if (!AtPlainEnd()) {
    if (!ParseAttributes(/*is_function=*/true, &detail.function_attributes)) return nullptr;
    if (!AtPlainEnd() && !ParseBundles(&bundles)) return nullptr;
  }
  operands_.Add(*callee);
  Instruction* instruction = Create(Opcode::kCall, result);
  Arena& arena = function_->arena();
  AttributeSetId any_attribute = 0;
  for (const AttributeSetId id : argument_attributes_) any_attribute |= id;
  if (any_attribute != 0) detail.argument_attributes = arena.CopyArray<AttributeSetId>(argument_attributes_);
  detail.bundles = arena.CopyArray<OperandBundle>(bundles);
  function_->SetDetail(*instruction, detail);
  return instruction;
}

bool FunctionReader::ParseArguments(std::vector<const IrType*>* types) {
  if (!Expect('(', "in call")) return false;
  if (Try(')')) return true;
  do {
    SkipSpace();
    if (*p_ == '.' && p_[1] == '.' && p_[2] == '.') {
      // The arguments that a variadic function forwards.
      return ErrorHere("'...' as an argument is not supported: PTX has no musttail calls");
    }
    if (!ParseArgument(types)) return false;
  } while (Try(','));
  return Expect(')', "at end of argument list");
}

bool FunctionReader::ParseArgument(std::vector<const IrType*>* types) {
  SkipSpace();
  const char* position = p_;
  const IrType* type = ParseType();
  if (type == nullptr) return false;
  if (!type->is_first_class()) return Error(position, "invalid type for function argument");
  types->push_back(type);
  argument_attributes_.push_back(0);
  if (type == metadata_) return PushMetadata();
  pointer_text_ = p_[-1] == '*' ? std::string_view(position, static_cast<size_t>(p_ - position)) : std::string_view();
  return ParseAttributes(/*is_function=*/false, &argument_attributes_.back()) && Push(ParseValue(type));
}

// Parses an operand after the word `metadata`: a value, or a node.
bool FunctionReader::PushMetadata() {
  SkipSpace();
  if (*p_ != '!') {
    Value* value = ParseTypedValue();
    if (value == nullptr) return false;
    operands_.Add(*value, /*is_metadata=*/true);
    return true;
  }
  constexpr std::string_view kList = "!DIArgList";
  if (std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, kList.size()) == kList) {
    return ErrorHere("!DIArgList is only supported as the first argument of llvm.dbg.value");
  }
  MetadataRef node;
  if (!ParseMetadata(&node)) return false;
  operands_.Add(*function_->arena().New<MetadataValue>(metadata_, node));
  return true;
}

// Parses `asm sideeffect "text", "constraints"`.
Value* FunctionReader::ParseInlineAsm() {
  p_ += 3;
  uint8_t flags = 0;
  constexpr std::pair<std::string_view, InlineAsm::Flag> kWords[] = {{"sideeffect", InlineAsm::kSideEffect},
                                                                     {"alignstack", InlineAsm::kAlignStack},
                                                                     {"inteldialect", InlineAsm::kIntelDialect},
                                                                     {"unwind", InlineAsm::kUnwind}};
  for (const auto& [word, flag] : kWords) {
    if (TryWord(word)) flags |= flag;
  }
  std::string_view text, constraints;
  if (!ParseQuoted(&text) || !Expect(',', "in inline asm expression") || !ParseQuoted(&constraints)) return nullptr;
  return function_->arena().New<InlineAsm>(types_.Pointer(), text, constraints, flags);
}

// Parses `[ "tag"(i32 %x), "other"() ]` if that follows.
bool FunctionReader::ParseBundles(std::vector<OperandBundle>* bundles) {
  if (!Try('[')) return true;
  do {
    OperandBundle bundle;
    if (!ParseQuoted(&bundle.tag) || !Expect('(', "in operand bundle")) return false;
    bundle.first = static_cast<uint32_t>(operands_.size());
    if (!Try(')')) {
      do {
        SkipSpace();
        const char* position = p_;
        const IrType* type = ParseType();
        if (type == nullptr) return false;
        if (!type->is_first_class()) return Error(position, "invalid type in operand bundle");
        if (type == metadata_ ? !PushMetadata() : !Push(ParseValue(type))) return false;
      } while (Try(','));
      if (!Expect(')', "in operand bundle")) return false;
    }
    bundle.count = static_cast<uint32_t>(operands_.size()) - bundle.first;
    bundles->push_back(bundle);
  } while (Try(','));
  return Expect(']', "at end of operand bundles");
}

}  // namespace ptxmir::ir
