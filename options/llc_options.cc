// SPDX-License-Identifier: Apache-2.0

#include "options/llc_options.h"

#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/str_cat.h"

namespace ptxmir {
namespace {

// Options with the same reason, as the table has them.
struct OptionGroup {
  LlcOptionEffect effect;
  std::string_view reason;
  std::string_view options;  // separated by spaces
};

constexpr OptionGroup kGroups[] = {
#define PTXMIR_LLC_OPTIONS(effect, reason, options) {LlcOptionEffect::effect, reason, options},
#include "options/llc_option_table.inc"
};

LlcOption ParseRow(const OptionGroup& group, std::string_view row) {
  const size_t equals = row.find('=');
  if (equals == std::string_view::npos) return {row, "", group.effect, group.reason};
  return {row.substr(0, equals), row.substr(equals + 1), group.effect, group.reason};
}

// Returns true if the value is an integer as LLVM writes it: decimal, 0x, 0b or octal.
bool IsInteger(std::string_view value, bool may_be_negative) {
  if (may_be_negative && !value.empty() && value[0] == '-') value.remove_prefix(1);
  const bool has_prefix = value.size() > 2 && value[0] == '0' && (value[1] == 'x' || value[1] == 'b');
  const bool is_hexadecimal = has_prefix && value[1] == 'x';
  if (has_prefix) value.remove_prefix(2);
  const std::string_view digits = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  return !value.empty() && value.find_first_not_of(digits) == std::string_view::npos;
}

bool IsValidValue(std::string_view values, std::string_view value) {
  if (values == "any") return true;
  if (values == "int") return IsInteger(value, /*may_be_negative=*/true);
  if (values == "uint") return IsInteger(value, /*may_be_negative=*/false);
  double number;
  if (values == "number") return absl::SimpleAtod(ToAbsl(value), &number);
  if (values.empty()) values = "|true|TRUE|True|1|false|FALSE|False|0";
  for (const absl::string_view word : absl::StrSplit(ToAbsl(values), '|')) {
    if (FromAbsl(word) == value) return true;
  }
  return false;
}

std::string ExpectedValue(std::string_view values) {
  if (values.empty()) return "true or false";
  if (values == "int") return "an integer";
  if (values == "uint") return "an integer that is not negative";
  if (values == "number") return "a number";
  return StrCat("one of ", values);
}

}  // namespace

void ForEachLlcOption(absl::FunctionRef<void(const LlcOption&)> visit) {
  for (const OptionGroup& group : kGroups) {
    for (const absl::string_view row : absl::StrSplit(ToAbsl(group.options), ' ', absl::SkipEmpty())) {
      visit(ParseRow(group, FromAbsl(row)));
    }
  }
}

std::optional<LlcOption> FindLlcOption(std::string_view name) {
  std::optional<LlcOption> found;
  ForEachLlcOption([&](const LlcOption& option) {
    if (option.name == name) found = option;
  });
  return found;
}

absl::Status CheckLlcOptionValue(const LlcOption& option, std::string_view value) {
  if (IsValidValue(option.values, value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("invalid value '", value, "' for -", option.name, ": expected ", ExpectedValue(option.values)));
}

void ConsiderLlcOptions(NearestName& nearest) {
  ForEachLlcOption([&](const LlcOption& option) { nearest.Consider(option.name); });
}

}  // namespace ptxmir
