// SPDX-License-Identifier: Apache-2.0

// The part of IrParser that parses types.

#include <algorithm>
#include <array>
#include <utility>

#include "base/str_cat.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

using TypeKind = IrType::Kind;

constexpr std::pair<std::string_view, TypeKind> kTypeWords[] = {
    {"float", TypeKind::kFloat},       {"double", TypeKind::kDouble},      {"half", TypeKind::kHalf},
    {"bfloat", TypeKind::kBFloat},     {"void", TypeKind::kVoid},          {"label", TypeKind::kLabel},
    {"metadata", TypeKind::kMetadata}, {"token", TypeKind::kToken},        {"fp128", TypeKind::kFp128},
    {"x86_fp80", TypeKind::kX86Fp80},  {"ppc_fp128", TypeKind::kPpcFp128}, {"x86_amx", TypeKind::kX86Amx},
};

bool IsIntegerTypeWord(std::string_view word) {
  return word.size() > 1 && word[0] == 'i' &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return IsIrDigit(c); });
}

}  // namespace

bool IrParser::IsTypeStart(const IrToken& token) {
  switch (token.kind) {
    case IrToken::Kind::kLocal:
      return true;
    case IrToken::Kind::kPunctuation:
      return token.Is('{') || token.Is('[') || token.Is('<');
    case IrToken::Kind::kWord:
      if (IsIntegerTypeWord(token.text) || token.text == "ptr" || token.text == "target") return true;
      return std::any_of(std::begin(kTypeWords), std::end(kTypeWords),
                         [&](const auto& entry) { return entry.first == token.text; });
    default:
      return false;
  }
}

const IrType* IrParser::ParseType(bool allow_void) {
  const char* position = token().begin();
  const IrType* type = ParseTypeNoFunction();
  while (type != nullptr && (token().Is('(') || token().Is('*') || token().IsWord("addrspace"))) {
    type = token().Is('(') ? ParseFunctionType(type) : ParsePointerSuffix();
  }
  if (type != nullptr && type->is_void() && !allow_void) {
    ErrorAt(position, "void type only allowed for function results");
    return nullptr;
  }
  return type;
}

// Parses what makes a pointer of a type, `*` or `addrspace(1)*`, as LLVM wrote it before version 15.
const IrType* IrParser::ParsePointerSuffix() {
  uint32_t address_space;
  if (!ParseOptionalAddressSpace(&address_space) || !ExpectPunctuation('*', "in pointer type")) return nullptr;
  return module_.types().Pointer(address_space);
}

const IrType* IrParser::ParseTypeNoFunction() {
  const DepthGuard guard(*this);
  if (guard.too_deep()) {
    Error("type is nested too deeply");
    return nullptr;
  }
  switch (token().kind) {
    case IrToken::Kind::kWord:
      return ParseTypeWord();
    case IrToken::Kind::kLocal:
      return ParseLocalType();
    case IrToken::Kind::kPunctuation:
      if (token().Is('{')) return ParseStructType();
      if (TryPunctuation('[')) return ParseSequenceType(']');
      if (token().Is('<')) {
        const IrToken open = token();
        lexer_.Advance();
        if (!token().Is('{')) return ParseSequenceType('>');
        lexer_.JumpTo(open.begin());
        return ParseStructType();
      }
      break;
    default:
      break;
  }
  Error("expected type");
  return nullptr;
}

const IrType* IrParser::ParseTypeWord() {
  const std::string_view word = token().text;
  IrTypeTable& types = module_.types();
  if (word == "ptr") {
    lexer_.Advance();
    uint32_t address_space;
    return ParseOptionalAddressSpace(&address_space) ? types.Pointer(address_space) : nullptr;
  }
  if (IsIntegerTypeWord(word)) {
    uint64_t width = 0;
    if (!ParseIrDecimal(word.substr(1), IrTypeTable::kMaxIntegerWidth, &width) || width == 0) {
      Error("bitwidth for integer type out of range");
      return nullptr;
    }
    lexer_.Advance();
    return types.Integer(static_cast<uint32_t>(width));
  }
  for (const auto& [name, kind] : kTypeWords) {
    if (name == word) {
      lexer_.Advance();
      return types.Simple(kind);
    }
  }
  if (word == "target") return ParseTargetType();
  Error("expected type");
  return nullptr;
}

const IrType* IrParser::ParseLocalType() {
  const IrToken name = token();
  lexer_.Advance();
  IrType* type = module_.types().NamedStruct(Unescaped(name), name.is_number);
  if (type->is_opaque()) undefined_structs_.emplace(type, name.begin());
  return type;
}

bool IrParser::ParseStructBody(std::vector<const IrType*>* members, bool* packed) {
  *packed = TryPunctuation('<');
  if (!ExpectPunctuation('{', "in structure type")) return false;
  if (!TryPunctuation('}')) {
    do {
      const char* position = token().begin();
      const IrType* member = ParseType();
      if (member == nullptr) return false;
      if (member->is_function() || !member->is_first_class()) {
        return ErrorAt(position, "invalid element type for struct");
      }
      members->push_back(member);
    } while (TryPunctuation(','));
    if (!ExpectPunctuation('}', "at end of struct")) return false;
  }
  return !*packed || ExpectPunctuation('>', "at end of packed struct");
}

const IrType* IrParser::ParseStructType() {
  std::vector<const IrType*> members;
  bool packed;
  if (!ParseStructBody(&members, &packed)) return nullptr;
  return module_.types().Struct(members, packed);
}

// Parses the part after '[' or '<': `4 x T`, `vscale x 4 x T`.
const IrType* IrParser::ParseSequenceType(char close) {
  const bool is_vector = close == '>';
  bool scalable = false;
  if (is_vector && TryWord("vscale")) {
    scalable = true;
    if (!ExpectWord("x", "expected 'x' after vscale")) return nullptr;
  }
  uint64_t count;
  const char* count_position = token().begin();
  if (!ParseUnsigned(~uint64_t{0}, "expected number in address space", &count)) return nullptr;
  if (!ExpectWord("x", "expected 'x' after element count")) return nullptr;
  const char* position = token().begin();
  const IrType* element = ParseType();
  if (element == nullptr) return nullptr;
  if (!ExpectPunctuation(close, "at end of sequential type")) return nullptr;
  if (!is_vector) {
    if (!element->is_sized_kind()) {
      ErrorAt(position, "invalid array element type");
      return nullptr;
    }
    return module_.types().Array(element, count);
  }
  if (count == 0 || count > ~uint32_t{0}) {
    ErrorAt(count_position, count == 0 ? "zero element vector is illegal" : "size too large for vector");
    return nullptr;
  }
  if (!element->is_integer() && !element->is_floating_point() && !element->is_pointer()) {
    ErrorAt(position, "invalid vector element type");
    return nullptr;
  }
  return module_.types().Vector(element, count, scalable);
}

// Parses `target("name", T, 1, 2)`.
const IrType* IrParser::ParseTargetType() {
  lexer_.Advance();
  if (!ExpectPunctuation('(', "in target extension type")) return nullptr;
  std::string_view name;
  if (!ParseString("expected string constant", &name)) return nullptr;
  std::vector<const IrType*> types;
  std::vector<uint32_t> integers;
  while (TryPunctuation(',')) {
    if (token().kind == IrToken::Kind::kInteger) {
      uint64_t integer;
      if (!ParseUnsigned(~uint32_t{0}, "expected integer", &integer)) return nullptr;
      integers.push_back(static_cast<uint32_t>(integer));
      continue;
    }
    const IrType* type = ParseType(/*allow_void=*/true);
    if (type == nullptr) return nullptr;
    types.push_back(type);
  }
  if (!ExpectPunctuation(')', "in target extension type")) return nullptr;
  return module_.types().TargetExt(name, types, integers);
}

const IrType* IrParser::ParseFunctionType(const IrType* result) {
  lexer_.Advance();
  std::vector<const IrType*> parameters;
  bool vararg = false;
  if (!TryPunctuation(')')) {
    do {
      if (token().kind == IrToken::Kind::kEllipsis) {
        lexer_.Advance();
        vararg = true;
        break;
      }
      const IrType* parameter = ParseType();
      if (parameter == nullptr) return nullptr;
      parameters.push_back(parameter);
    } while (TryPunctuation(','));
    if (!ExpectPunctuation(')', "at end of argument list")) return nullptr;
  }
  return module_.types().Function(result, parameters, vararg);
}

bool IrParser::DefineStruct(const IrType* type) {
  undefined_structs_.erase(type);
  return defined_structs_.emplace(type, true).second;
}

void IrParser::CheckNamedStructs() {
  // Report in the order of the text, not in the order of the table.
  std::vector<std::pair<const char*, const IrType*>> undefined;
  for (const auto& [type, position] : undefined_structs_) {
    if (!defined_structs_.contains(type)) undefined.emplace_back(position, type);
  }
  std::sort(undefined.begin(), undefined.end());
  for (const auto& [position, type] : undefined) {
    ErrorAt(position, type->is_numbered() ? StrCat("use of undefined type '%", type->name(), "'")
                                          : StrCat("use of undefined type named '", type->name(), "'"));
  }
  CheckStructNesting();
}

// Checks that every type is finite and not so deep that recursive traversal would be dangerous. For the same
// reason, the check uses its own stack. A structure that fails loses its body.
bool IrParser::CheckStructNesting() {
  constexpr uint32_t kMaxTypeDepth = 1000;
  constexpr uint32_t kOpen = ~uint32_t{0};
  struct Frame {
    const IrType* type;
    size_t next;
    uint32_t depth;
  };
  absl::flat_hash_map<const IrType*, uint32_t> depths;
  std::vector<Frame> stack;
  bool ok = true;
  for (IrType* root : module_.types().named_structs()) {
    if (!depths.emplace(root, kOpen).second) continue;
    stack.push_back({root, 0, 0});
    bool failed = false;
    while (!stack.empty() && !failed) {
      Frame& frame = stack.back();
      const absl::Span<const IrType* const> members = frame.type->is_aggregate() || frame.type->is_vector()
                                                          ? frame.type->members()
                                                          : absl::Span<const IrType* const>();
      if (frame.next == members.size()) {
        const uint32_t depth = frame.depth + 1;
        depths[frame.type] = depth;
        stack.pop_back();
        if (!stack.empty()) stack.back().depth = std::max(stack.back().depth, depth);
        failed = depth > kMaxTypeDepth;
        continue;
      }
      const IrType* member = members[frame.next++];
      const auto [known, is_new] = depths.emplace(member, kOpen);
      if (is_new) {
        stack.push_back({member, 0, 0});
      } else if (known->second == kOpen) {
        failed = true;
      } else {
        frame.depth = std::max(frame.depth, known->second);
      }
    }
    if (!failed) continue;
    ok = false;
    error_(module_.ir_text().data() != nullptr ? module_.ir_text().data() : token().begin(),
           StrCat("identified structure type '", root->name(), "' is recursive or nested too deeply"));
    // All types on the stack take part in the error: a cycle need not include the root.
    stack.push_back({root, 0, 0});
    for (const Frame& frame : stack) {
      depths[frame.type] = 1;
      if (frame.type->is_named()) {
        module_.types().SetBody(module_.types().NamedStruct(frame.type->name(), frame.type->is_numbered()), {}, false);
      }
    }
    stack.clear();
  }
  return ok;
}

}  // namespace ptxmir
