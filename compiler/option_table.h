// SPDX-License-Identifier: Apache-2.0

// The table of the tool's own options. The parser, --help and everything else that lists options read it.

#ifndef PTXMIR_COMPILER_OPTION_TABLE_H_
#define PTXMIR_COMPILER_OPTION_TABLE_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/driver_options.h"

namespace ptxmir {

// The heading under which --help shows an option.
enum class OptionCategory { kCommon, kGeneral, kTarget, kPipeline, kRegisters, kPrinting, kInformation };

// kNone: a switch, which takes a boolean after "=" all the same.
enum class OptionArgument { kNone, kOptional, kRequired };

struct OptionInfo {
  std::string_view name;  // without dashes
  OptionArgument argument;
  std::string_view value_name;  // for --help
  std::string_view help;
  OptionCategory category;
  // Applies the value. That of OptionArgument::kNone is empty, or "false". Null: the row shows a knob of that name.
  absl::Status (*apply)(std::string_view value, DriverOptions& options);
  bool is_hidden = false;  // shown by -help-hidden only
};

// Returns the options in the order of --help.
absl::Span<const OptionInfo> OptionTable();

// Returns null if there is no option with this name. Rows of knobs are not found.
const OptionInfo* FindOption(std::string_view name);

}  // namespace ptxmir

#endif  // PTXMIR_COMPILER_OPTION_TABLE_H_
