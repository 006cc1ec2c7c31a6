// SPDX-License-Identifier: Apache-2.0

// The part of IrParser that parses attributes.

#include <algorithm>

#include "base/str_cat.h"
#include "ir/ir_parser.h"
#include "ir/ir_text.h"

namespace ptxmir {
namespace {

// The attributes of LLVM 22, and a few that older versions wrote. Sorted.
constexpr std::string_view kKnownAttributes[] = {
    "align",
    "alignstack",
    "allocalign",
    "allockind",
    "allocptr",
    "allocsize",
    "alwaysinline",
    "argmemonly",
    "builtin",
    "byref",
    "byval",
    "captures",
    "cold",
    "convergent",
    "coro_elide_safe",
    "coro_only_destroy_when_complete",
    "dead_on_return",
    "dead_on_unwind",
    "dereferenceable",
    "dereferenceable_or_null",
    "disable_sanitizer_instrumentation",
    "elementtype",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "immarg",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "inalloca",
    "initializes",
    "inlinehint",
    "inreg",
    "jumptable",
    "memory",
    "minsize",
    "mustprogress",
    "naked",
    "nest",
    "no_sanitize_address",
    "no_sanitize_hwaddress",
    "noalias",
    "nobuiltin",
    "nocallback",
    "nocapture",
    "nocf_check",
    "nocreateundeforpoison",
    "nodivergencesource",
    "noduplicate",
    "noext",
    "nofpclass",
    "nofree",
    "noimplicitfloat",
    "noinline",
    "nomerge",
    "nonlazybind",
    "nonnull",
    "noprofile",
    "norecurse",
    "noredzone",
    "noreturn",
    "nosanitize_bounds",
    "nosanitize_coverage",
    "nosync",
    "noundef",
    "nounwind",
    "null_pointer_is_valid",
    "optdebug",
    "optforfuzzing",
    "optnone",
    "optsize",
    "preallocated",
    "presplitcoroutine",
    "range",
    "readnone",
    "readonly",
    "returned",
    "returns_twice",
    "safestack",
    "sanitize_address",
    "sanitize_alloc_token",
    "sanitize_hwaddress",
    "sanitize_memory",
    "sanitize_memtag",
    "sanitize_numerical_stability",
    "sanitize_realtime",
    "sanitize_realtime_blocking",
    "sanitize_thread",
    "sanitize_type",
    "shadowcallstack",
    "signext",
    "skipprofile",
    "speculatable",
    "speculative_load_hardening",
    "sret",
    "ssp",
    "sspreq",
    "sspstrong",
    "strictfp",
    "swiftasync",
    "swifterror",
    "swiftself",
    "uwtable",
    "vscale_range",
    "willreturn",
    "writable",
    "writeonly",
    "zeroext",
};

// Words that are not attributes but may follow attributes: other properties of a function, and the first words of
// the next entity.
constexpr std::string_view kNotAttributes[] = {
    "addrspace",
    "comdat",
    "gc",
    "local_unnamed_addr",
    "partition",
    "personality",
    "prefix",
    "prologue",
    "section",
    "unnamed_addr",
    "attributes",
    "declare",
    "define",
    "module",
    "source_filename",
    "uselistorder",
    "uselistorder_bb",
};

template <size_t N>
bool IsOneOf(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool TakesType(std::string_view name) {
  return name == "byval" || name == "sret" || name == "byref" || name == "inalloca" || name == "preallocated" ||
         name == "elementtype";
}

}  // namespace

std::string AttributesText(const IrAttributes& attributes) {
  std::string text;
  for (const IrAttribute& attribute : attributes.all()) StrAppend(&text, text.empty() ? "" : " ", attribute.text);
  return text;
}

bool IrParser::IsKnownAttribute(std::string_view word) {
  return std::binary_search(std::begin(kKnownAttributes), std::end(kKnownAttributes), word);
}

// Skips a bracketed text, which may contain brackets of any kind. The current token is the opening bracket.
bool IrParser::SkipBalanced(char open, char close) {
  const char* position = token().begin();
  int depth = 0;
  do {
    if (token().Is(open)) ++depth;
    if (token().Is(close)) --depth;
    if (token().kind == IrToken::Kind::kEnd || token().kind == IrToken::Kind::kError) {
      return ErrorAt(position, "unmatched bracket");
    }
    lexer_.Advance();
  } while (depth > 0);
  return true;
}

// Parses "(...)" after an attribute's name: a type, a number, or other text, which is kept as text.
bool IrParser::ParseParenthesizedAttribute(IrAttribute* attribute) {
  const char* open = token().begin();
  if (TakesType(attribute->name)) {
    lexer_.Advance();
    attribute->type = ParseType();
    if (attribute->type == nullptr) return false;
    if (!ExpectPunctuation(')', "in attribute")) return false;
  } else if (!SkipBalanced('(', ')')) {
    return false;
  }
  const char* close = lexer_.previous_end() - 1;
  attribute->value = {open + 1, static_cast<size_t>(close - open - 1)};
  uint64_t number;
  if (ParseIrDecimal(attribute->value, ~uint64_t{0}, &number)) attribute->integer = number;
  return true;
}

bool IrParser::ParseAttributes(bool in_group, IrAttributes* attributes) {
  unknown_attribute_ = nullptr;
  while (true) {
    const IrToken name = token();
    IrAttribute attribute;
    if (name.kind == IrToken::Kind::kString) {
      lexer_.Advance();
      attribute.is_string = true;
      attribute.name = Unescaped(name);
      if (TryPunctuation('=')) {
        if (!ParseString("expected attribute value", &attribute.value)) return false;
      }
    } else if (name.kind == IrToken::Kind::kWord && !IsTypeStart(name) && !IsOneOf(kNotAttributes, name.text)) {
      lexer_.Advance();
      attribute.name = name.text;
      const bool takes_number = name.text == "align" || name.text == "alignstack";
      if (token().Is('(')) {
        if (!ParseParenthesizedAttribute(&attribute)) return false;
      } else if (in_group && takes_number && TryPunctuation('=')) {
        if (!ParseUnsigned(uint64_t{1} << 32, "expected integer", &attribute.integer)) return false;
      } else if (takes_number) {
        if (!ParseUnsigned(uint64_t{1} << 32, "expected integer", &attribute.integer)) return false;
      } else if (unknown_attribute_ == nullptr && !IsKnownAttribute(name.text)) {
        unknown_attribute_ = name.begin();
      }
      if (name.text == "align" && (attribute.integer & (attribute.integer - 1)) != 0) {
        return ErrorAt(name.begin(), "alignment is not a power of two");
      }
    } else {
      return true;
    }
    attribute.text = {name.begin(), static_cast<size_t>(lexer_.previous_end() - name.begin())};
    attributes->Add(attribute);
  }
}

bool IrParser::CompleteTypeAttributes(std::string_view type_text, IrAttributes* attributes, bool* completed) {
  *completed = false;
  for (IrAttribute& attribute : attributes->mutable_all()) {
    if (attribute.is_string || attribute.type != nullptr || !TakesType(attribute.name)) continue;
    if (type_text.empty() || type_text.back() != '*') {
      return ErrorAt(attribute.text.data(), StrCat("expected '(' and a type after '", attribute.name, "'"));
    }
    std::string_view pointee = type_text.substr(0, type_text.size() - 1);
    while (!pointee.empty() && IsIrSpace(pointee.back())) pointee.remove_suffix(1);
    if (const size_t space = pointee.rfind("addrspace("); space != pointee.npos && pointee.back() == ')') {
      if (pointee.find(')', space) == pointee.size() - 1) pointee = pointee.substr(0, space);
    }
    IrParser inner(pointee, module_, error_);
    attribute.type = inner.ParseType();
    if (attribute.type == nullptr) return false;
    for (const auto& [type, position] : inner.undefined_structs_) undefined_structs_.emplace(type, position);
    attribute.value = module_.CopyString(attribute.type->ToString());
    attribute.text = module_.CopyString(StrCat(attribute.name, "(", attribute.value, ")"));
    *completed = true;
  }
  return true;
}

}  // namespace ptxmir
