// SPDX-License-Identifier: Apache-2.0

#include "mir/code/debug_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "ir/module.h"

namespace ptxmir {
namespace {

constexpr std::string_view kHead = "!DIExpression(";
constexpr std::string_view kFragment = "DW_OP_LLVM_fragment";
constexpr std::string_view kStackValue = "DW_OP_stack_value";

// The words of an expression: names of operations, each followed by its arguments. A fragment is kept apart.
struct Expression {
  struct Fragment {
    uint64_t offset, size;
  };
  std::vector<std::string_view> words;
  std::optional<Fragment> fragment;
};

std::string_view TextOf(const MachineFunction& function, MetadataId expression) {
  if (MachineFunction::IsInlineMetadata(expression)) return function.inline_metadata(expression);
  return function.module() == nullptr ? std::string_view() : function.module()->MetadataText(expression);
}

std::string_view WithoutSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<uint64_t> Number(std::string_view word) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<Expression> Parse(const MachineFunction& function, MetadataId id) {
  std::string_view text = WithoutSpace(TextOf(function, id));
  if (!text.starts_with(kHead) || !text.ends_with(")")) return std::nullopt;
  text = WithoutSpace(text.substr(kHead.size(), text.size() - kHead.size() - 1));
  Expression expression;
  std::vector<std::string_view>& words = expression.words;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    words.push_back(WithoutSpace(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (words.size() < 3 || words[words.size() - 3] != kFragment) return expression;
  const std::optional<uint64_t> offset = Number(words[words.size() - 2]), size = Number(words.back());
  if (!offset.has_value() || !size.has_value()) return std::nullopt;
  expression.fragment = {*offset, *size};
  words.resize(words.size() - 3);
  return expression;
}

MetadataId Intern(MachineFunction& function, const Expression& expression) {
  std::string text(kHead);
  std::string_view separator;
  for (const std::string_view word : expression.words) {
    StrAppend(&text, separator, word);
    separator = ", ";
  }
  if (expression.fragment.has_value()) {
    StrAppend(&text, separator, kFragment, ", ", expression.fragment->offset, ", ", expression.fragment->size);
  }
  return function.InternInlineMetadata(text + ")");
}

bool IsDereference(std::string_view word) {
  return word.starts_with("DW_OP_deref") || word.starts_with("DW_OP_xderef");
}

// Returns true if bits of the result depend on bits of the value that are elsewhere. A computed address may be taken
// apart, because what counts is the memory there.
bool ComputesWithValue(const Expression& expression) {
  constexpr std::array kArithmetic = {"DW_OP_shr",         "DW_OP_shra",  "DW_OP_shl", "DW_OP_plus",
                                      "DW_OP_plus_uconst", "DW_OP_minus", "DW_OP_mul", "DW_OP_LLVM_convert"};
  bool computes = false;
  for (const std::string_view word : expression.words) {
    if (IsDereference(word)) computes = false;
    if (std::find(kArithmetic.begin(), kArithmetic.end(), word) != kArithmetic.end()) computes = true;
  }
  return computes;
}

}  // namespace

std::optional<MetadataId> ExpressionWithOffset(MachineFunction& function, MetadataId expression, int64_t offset,
                                               bool is_address) {
  std::optional<Expression> changed = Parse(function, expression);
  if (!changed.has_value() || offset == 0) return changed.has_value() ? std::optional(expression) : std::nullopt;
  const std::string number = StrCat(offset > 0 ? static_cast<uint64_t>(offset) : 0 - static_cast<uint64_t>(offset));
  std::vector<std::string_view> words;
  if (offset > 0) {
    words = {"DW_OP_plus_uconst", number};
  } else {
    words = {"DW_OP_constu", number, "DW_OP_minus"};
  }
  std::vector<std::string_view>& rest = changed->words;
  // A trailing dereference says that the variable is in memory, where it stays.
  const bool is_value = !is_address && (rest.empty() || (!IsDereference(rest.back()) && rest.back() != kStackValue));
  words.insert(words.end(), rest.begin(), rest.end());
  if (is_value) words.push_back(kStackValue);
  rest = std::move(words);
  return Intern(function, *changed);
}

std::optional<MetadataId> ExpressionOfBits(MachineFunction& function, MetadataId expression, uint64_t offset,
                                           uint64_t size) {
  std::optional<Expression> changed = Parse(function, expression);
  if (!changed.has_value() || ComputesWithValue(*changed)) return std::nullopt;
  if (changed->fragment.has_value()) {
    if (offset >= changed->fragment->size) return std::nullopt;
    size = std::min(size, changed->fragment->size - offset);
    offset += changed->fragment->offset;
  }
  changed->fragment = {offset, size};
  return Intern(function, *changed);
}

}  // namespace ptxmir
