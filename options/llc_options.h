// SPDX-License-Identifier: Apache-2.0

// The options of llc that have no counterpart here but are accepted, so that a command line for llc works.

#ifndef PTXMIR_OPTIONS_LLC_OPTIONS_H_
#define PTXMIR_OPTIONS_LLC_OPTIONS_H_

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/nearest_name.h"

namespace ptxmir {

// Whether the PTX that llc writes can depend on an option. If it can, the user must learn that it has no effect here.
// kEffectOnIr: it is heeded for LLVM IR, and has no effect on machine code.
enum class LlcOptionEffect { kNoEffect, kEffectInLlc, kEffectOnIr };

struct LlcOption {
  std::string_view name;    // without dashes
  std::string_view values;  // "int", "uint", "number", "any", or the words that it takes: "a|b"; empty: a switch
  LlcOptionEffect effect;
  // For kEffectInLlc and kEffectOnIr, the reason for the missing effect: "it configures ...". Otherwise, the things
  // that it concerns.
  std::string_view reason;

  // Returns true if the option without "=value" takes the next argument as its value.
  bool RequiresValue() const { return !values.empty(); }
};

std::optional<LlcOption> FindLlcOption(std::string_view name);

// Checks a value as LLVM does. Errors are kInvalidArgument.
absl::Status CheckLlcOptionValue(const LlcOption& option, std::string_view value);

// Calls `visit` for each option, in the order of the table: options with the same effect and reason follow each other.
void ForEachLlcOption(absl::FunctionRef<void(const LlcOption&)> visit);

// Offers the names of all options.
void ConsiderLlcOptions(NearestName& nearest);

}  // namespace ptxmir

#endif  // PTXMIR_OPTIONS_LLC_OPTIONS_H_
