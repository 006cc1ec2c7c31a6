// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_parser.h"

#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "compiler/option_table.h"
#include "compiler/option_values.h"

namespace ptxmir {
namespace {

absl::Status UnknownArgument(std::string_view argument, std::string_view name) {
  NearestName nearest(name);
  for (const OptionInfo& option : OptionTable()) nearest.Consider(option.name);
  for (const RemarkOptionInfo& option : RemarkOptionTable()) nearest.Consider(option.name);
  ConsiderKnobs(nearest);
  PassOptionRegistry::ConsiderFlags(nearest);
  std::string message = StrCat("unknown command line argument '", argument, "'");
  if (!nearest.best().empty()) StrAppend(&message, "; did you mean '-", nearest.best(), "'?");
  return absl::InvalidArgumentError(message);
}

// Parses an option that begins with -pass-remarks. `next` is the next argument; null if there is none. Returns the
// number of arguments consumed, or 0 if `name` is not such an option.
absl::StatusOr<int> ParseRemarkOption(std::string_view name, bool has_value, std::string_view value,
                                      const std::string_view* next, DriverOptions& options) {
  const RemarkOptionInfo* option = FindRemarkOption(name);
  if (option == nullptr) return 0;
  const bool takes_value = !option->value_name.empty();
  if (!takes_value && has_value) return absl::InvalidArgumentError(StrCat("option '-", name, "' takes no value"));
  const bool takes_next = takes_value && !has_value;
  if (takes_next && next == nullptr) {
    return absl::InvalidArgumentError(StrCat("option '-", name, "' requires a value"));
  }
  if (absl::Status status = option->set(*option, takes_next ? *next : value, options.remarks); !status.ok()) {
    return status;
  }
  return takes_next ? 2 : 1;
}

// Parses a knob or an NVVMPassOptions flag. Returns the number of arguments consumed, or 0 if there is none with
// this name.
absl::StatusOr<int> ParseKnobOrPassOption(std::string_view name, bool has_value, std::string_view value,
                                          std::string_view next, DriverOptions& options) {
  int taken = 1;
  const KnobInfo* knob = FindKnob(name);
  const bool requires_value = knob != nullptr ? knob->RequiresValue() : PassOptionRegistry::RequiresValue(name);
  std::string flag = std::string(name);
  if (has_value) {
    StrAppend(&flag, "=", value);
  } else if (requires_value && !next.empty()) {
    StrAppend(&flag, "=", next);
    taken = 2;
  }
  const absl::StatusOr<bool> is_knob = options.knobs.ParseFlag(flag);
  if (!is_knob.ok()) return is_knob.status();
  if (*is_knob) return taken;
  const absl::StatusOr<bool> is_option = options.pass_options->ParseFlag(flag);
  if (!is_option.ok()) return is_option.status();
  return *is_option ? taken : 0;
}

// Applies the pass options that the driver reads, unless an option of the driver says it. opt-level and sm-arch are
// what -O and -mcpu are. -Ofast-compile lowers the optimization level: max to 0, mid to 1.
absl::Status ApplyPassOptions(DriverOptions& options) {
  constexpr int kOptLevelSlot = 5;
  constexpr int kArchSlot = 6;
  const PassOptionRegistry& registry = *options.pass_options;
  if (!options.has_opt_level) {
    std::string_view level = registry.GetStringOption(kOptLevelSlot, "");
    const std::string_view fast = registry.NamedValue("fast-compile").value_or("");
    if (fast == "max") level = "0";
    if (fast == "mid" && level != "0") level = "1";
    if (!level.empty()) {
      if (absl::Status status = SetOptLevel(level, options); !status.ok()) return status;
    }
  }
  if (options.cpu.empty()) options.cpu = std::string(registry.GetStringOption(kArchSlot, ""));
  for (const NamedPassOption& option : NamedPassOptions()) {
    if (option.DumpedPass().empty() || registry.NamedValue(option.name).value_or("0") == "0") continue;
    PrintOptions& print = options.run.print;
    (option.DumpsBefore() ? print.before : print.after).push_back(std::string(option.DumpedPass()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseCommandLine(absl::Span<const std::string_view> arguments, DriverOptions& options) {
  bool only_inputs = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (only_inputs || argument.size() < 2 || argument[0] != '-') {
      if (!options.input.empty()) {
        return absl::InvalidArgumentError(
            StrCat("more than one input file: '", options.input, "' and '", argument, "'"));
      }
      if (argument.empty()) return absl::InvalidArgumentError("empty input file name");
      options.input = std::string(argument);
      continue;
    }
    if (argument == "--") {
      only_inputs = true;
      continue;
    }
    std::string_view name = argument.substr(argument[1] == '-' ? 2 : 1);
    std::string_view value;
    const size_t equals = name.find('=');
    bool has_value = equals != std::string_view::npos;
    if (has_value) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (name.size() >= 2 && (name[0] == 'O' || name[0] == 'j') && name[1] >= '0' && name[1] <= '9') {
      // -O2 and -j4.
      value = name.substr(1);
      name = name.substr(0, 1);
      has_value = true;
    }
    if (name == "h") name = "help";
    const OptionInfo* option = FindOption(name);
    if (option == nullptr) {
      const std::string_view next = i + 1 < arguments.size() ? arguments[i + 1] : std::string_view();
      absl::StatusOr<int> taken =
          ParseRemarkOption(name, has_value, value, i + 1 < arguments.size() ? &arguments[i + 1] : nullptr, options);
      if (taken.ok() && *taken == 0) taken = ParseKnobOrPassOption(name, has_value, value, next, options);
      if (!taken.ok()) return taken.status();
      if (*taken == 0) return UnknownArgument(argument, name);
      i += static_cast<size_t>(*taken) - 1;
      continue;
    }
    if (option->argument == OptionArgument::kNone && has_value) {
      return absl::InvalidArgumentError(StrCat("option '-", name, "' takes no value"));
    }
    if (option->argument == OptionArgument::kRequired && !has_value) {
      if (i + 1 == arguments.size()) {
        return absl::InvalidArgumentError(StrCat("option '-", name, "' requires a value"));
      }
      value = arguments[++i];
    }
    if (absl::Status status = option->apply(value, options); !status.ok()) return status;
  }
  options.run.verify_each = options.knobs.verify_machineinstrs().value_or(options.run.verify_each);
  if (absl::Status status = ApplyPassOptions(options); !status.ok()) return status;
  return ForwardPassOptionsToKnobs(*options.pass_options, options.knobs);
}

}  // namespace ptxmir
