// SPDX-License-Identifier: Apache-2.0

#include "ptx/target/parameter_names.h"

#include <charconv>
#include <system_error>

namespace ptxmir::ptx {
namespace {

bool IsNumbered(std::string_view symbol, std::string_view prefix) {
  if (!symbol.starts_with(prefix) || symbol.size() == prefix.size()) return false;
  return symbol.find_first_not_of("0123456789", prefix.size()) == symbol.npos;
}

}  // namespace

std::optional<uint32_t> ParameterNumber(std::string_view symbol, std::string_view function) {
  constexpr std::string_view kParameter = "_param_";
  if (!symbol.starts_with(function)) return std::nullopt;
  symbol.remove_prefix(function.size());
  if (!IsNumbered(symbol, kParameter)) return std::nullopt;
  symbol.remove_prefix(kParameter.size());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

bool IsParameterName(std::string_view symbol, std::string_view function) {
  if (ParameterNumber(symbol, function).has_value()) return true;
  return symbol.starts_with(function) && symbol.substr(function.size()) == "_vararg";
}

bool IsPassedName(std::string_view symbol) {
  return symbol == kFunctionResult || symbol == kCallResult || IsNumbered(symbol, "param");
}

}  // namespace ptxmir::ptx
