// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_parser.h"

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "compiler/foreign_options.h"
#include "compiler/option_table.h"
#include "compiler/option_values.h"
#include "options/llc_options.h"

namespace ptxmir {
namespace {

// An argument such as "-name=value", taken apart.
struct Argument {
  std::string_view text;  // the whole argument
  std::string_view name;  // without dashes
  std::string_view value;
  bool has_value = false;
  const std::string_view* next = nullptr;  // the next argument; null if there is none
};

// Takes an argument that begins with a dash apart, as LLVM does. -O and -j take a value that follows at once.
Argument TakeApart(absl::Span<const std::string_view> arguments, size_t index) {
  Argument argument;
  argument.text = arguments[index];
  argument.name = argument.text.substr(argument.text[1] == '-' ? 2 : 1);
  if (index + 1 < arguments.size()) argument.next = &arguments[index + 1];
  const std::string_view name = argument.name;
  const size_t equals = name.find('=');
  if (equals != std::string_view::npos) {
    argument.value = name.substr(equals + 1);
    argument.name = name.substr(0, equals);
    argument.has_value = true;
  } else if (name.size() >= 2 &&
             ((name[0] == 'O' && name != "Ofast-compile") || (name[0] == 'j' && name[1] >= '0' && name[1] <= '9'))) {
    argument.value = name.substr(1);
    argument.name = name.substr(0, 1);
    argument.has_value = true;
  }
  if (argument.name == "h") argument.name = "help";
  return argument;
}

absl::Status UnknownArgument(const Argument& argument) {
  std::string message = StrCat("unknown command line argument '", argument.text, "'");
  if (const std::string hint = ForeignOptionHint(argument.name, argument.has_value         ? argument.value
                                                                : argument.next != nullptr ? *argument.next
                                                                                           : std::string_view());
      !hint.empty()) {
    return absl::InvalidArgumentError(StrCat(message, "; ", hint));
  }
  NearestName nearest(argument.name);
  for (const OptionInfo& option : OptionTable()) nearest.Consider(option.name);
  for (const RemarkOptionInfo& option : RemarkOptionTable()) nearest.Consider(option.name);
  ConsiderKnobs(nearest);
  PassOptionRegistry::ConsiderFlags(nearest);
  ConsiderLlcOptions(nearest);
  if (!nearest.best().empty()) {
    StrAppend(&message, "; did you mean '-", nearest.best(), "'?");
  } else if (argument.name[0] == 'o' || argument.name[0] == 'x') {
    // As in llc, these take their value after a space or "=" only.
    StrAppend(&message, "; did you mean '-", argument.name.substr(0, 1), "=", argument.name.substr(1), "'?");
  }
  return absl::InvalidArgumentError(message);
}

absl::Status RequiresValue(const Argument& argument) {
  return absl::InvalidArgumentError(StrCat("option '-", argument.name, "' requires a value"));
}

// Checks the value of a switch. Returns the text that its setter takes: empty or "false".
absl::StatusOr<std::string_view> SwitchValue(const Argument& argument) {
  const std::optional<bool> is_on = ParseBoolean(argument.value);
  if (is_on.has_value() && (!argument.has_value || !argument.value.empty())) return *is_on ? "" : "false";
  return InvalidOptionValue(argument.name, argument.value, "true or false");
}

// The functions below parse one kind of option each. They return the number of arguments consumed, or 0 if there is
// no such option of that kind.

absl::StatusOr<int> ParseOwnOption(const Argument& argument, DriverOptions& options) {
  const OptionInfo* option = FindOption(argument.name);
  if (option == nullptr) return 0;
  std::string_view value = argument.value;
  int taken = 1;
  if (option->argument == OptionArgument::kNone) {
    const absl::StatusOr<std::string_view> switch_value = SwitchValue(argument);
    if (!switch_value.ok()) return switch_value.status();
    value = *switch_value;
  } else if (option->argument == OptionArgument::kRequired && !argument.has_value) {
    if (argument.next == nullptr) return RequiresValue(argument);
    value = *argument.next;
    taken = 2;
  }
  if (absl::Status status = option->apply(value, options); !status.ok()) return status;
  return taken;
}

// Parses an option that begins with -pass-remarks.
absl::StatusOr<int> ParseRemarkOption(const Argument& argument, DriverOptions& options) {
  const RemarkOptionInfo* option = FindRemarkOption(argument.name);
  if (option == nullptr) return 0;
  const bool takes_value = !option->value_name.empty();
  if (!takes_value) {
    const absl::StatusOr<std::string_view> value = SwitchValue(argument);
    if (!value.ok()) return value.status();
    if (!value->empty()) return 1;
  }
  const bool takes_next = takes_value && !argument.has_value;
  if (takes_next && argument.next == nullptr) return RequiresValue(argument);
  if (absl::Status status = option->set(*option, takes_next ? *argument.next : argument.value, options.remarks);
      !status.ok()) {
    return status;
  }
  return takes_next ? 2 : 1;
}

// Parses a knob or an NVVMPassOptions flag.
absl::StatusOr<int> ParseKnobOrPassOption(const Argument& argument, DriverOptions& options) {
  int taken = 1;
  const KnobInfo* knob = FindKnob(argument.name);
  const bool requires_value =
      knob != nullptr ? knob->RequiresValue() : PassOptionRegistry::RequiresValue(argument.name);
  std::string flag = std::string(argument.name);
  if (argument.has_value) {
    StrAppend(&flag, "=", argument.value);
  } else if (requires_value && argument.next != nullptr && !argument.next->empty()) {
    StrAppend(&flag, "=", *argument.next);
    taken = 2;
  }
  const absl::StatusOr<bool> is_knob = options.knobs.ParseFlag(flag);
  if (!is_knob.ok()) return is_knob.status();
  if (*is_knob) return taken;
  const absl::StatusOr<bool> is_option = options.pass_options->ParseFlag(flag);
  if (!is_option.ok()) return is_option.status();
  return *is_option ? taken : 0;
}

// Notes what an option of llc asks for that is heeded for LLVM IR.
absl::Status HeedOnIr(std::string_view name, std::string_view value, DriverOptions& options) {
  if (name != "fp-contract") {
    options.default_attributes.emplace_back(name, StrCat(value, ",", value));
  } else if (value == "fast") {
    return options.knobs.Set("nvptx-fma-level", "2", KnobOrigin::kCommandLine);
  } else if (value == "off") {
    options.warnings.emplace_back("option '-fp-contract=off' has no effect: llvm.fmuladd becomes fma in any case");
  }
  return absl::OkStatus();
}

// Parses an option of llc that has no counterpart here.
absl::StatusOr<int> ParseLlcOption(const Argument& argument, DriverOptions& options) {
  const std::optional<LlcOption> option = FindLlcOption(argument.name);
  if (!option.has_value()) return 0;
  const bool takes_next = option->RequiresValue() && !argument.has_value;
  if (takes_next && argument.next == nullptr) return RequiresValue(argument);
  const std::string_view value = takes_next ? *argument.next : argument.value;
  if (absl::Status status = CheckLlcOptionValue(*option, value); !status.ok()) return status;
  const auto warning = [&] { return StrCat("option '-", option->name, "' has no effect: ", option->reason); };
  if (option->effect == LlcOptionEffect::kEffectInLlc) {
    options.warnings.push_back(warning());
  } else if (option->effect == LlcOptionEffect::kEffectOnIr) {
    options.warnings_for_mir.push_back(warning());
    if (const absl::Status status = HeedOnIr(option->name, value, options); !status.ok()) return status;
  }
  return takes_next ? 2 : 1;
}

// Parses one argument that begins with a dash. Returns the number of arguments consumed.
absl::StatusOr<int> ParseOption(const Argument& argument, DriverOptions& options) {
  for (const auto parse : {ParseOwnOption, ParseRemarkOption, ParseKnobOrPassOption, ParseLlcOption}) {
    const absl::StatusOr<int> taken = parse(argument, options);
    if (!taken.ok() || *taken != 0) return taken;
  }
  return UnknownArgument(argument);
}

absl::Status SetInput(std::string_view argument, DriverOptions& options) {
  if (argument.empty()) return absl::InvalidArgumentError("empty input file name");
  if (options.input.empty()) {
    options.input = std::string(argument);
  } else {
    options.more_inputs.emplace_back(argument);
  }
  return absl::OkStatus();
}

// Adds passes, separated by '|', to a pattern of those whose remarks are shown.
void ShowRemarksOf(std::string_view passes, std::optional<std::string>& pattern) {
  const std::string names = StrCat("^(?:", passes, ")$");
  pattern = pattern.has_value() ? StrCat("(?:", *pattern, ")|", names) : names;
}

// Has the remarks of the passes of -debug-only shown besides those that other options ask for.
void ApplyDebugOnly(DriverOptions& options) {
  if (options.debug_only.empty()) return;
  const std::string names = absl::StrJoin(options.debug_only, "|");
  RemarkOptions& remarks = options.remarks;
  for (std::optional<std::string>* pattern : {&remarks.passed, &remarks.missed, &remarks.analysis}) {
    ShowRemarksOf(names, *pattern);
  }
}

// Has the driver print what an option of cicc asks for.
void ApplyOutput(const NamedPassOption& option, DriverOptions& options) {
  const std::string_view pass = option.PrintedPass();
  switch (option.output()) {
    case PassOutput::kNone:
      return;
    case PassOutput::kCodeBefore:
      options.run.print.before.push_back(std::string(pass));
      return;
    case PassOutput::kCodeAfter:
      options.run.print.after.push_back(std::string(pass));
      return;
    case PassOutput::kMissedRemarks:
      ShowRemarksOf(pass, options.remarks.missed);
      return;
  }
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
    if (option.output() == PassOutput::kNone) continue;
    if (registry.NamedValue(option.name).value_or("0") != "0") ApplyOutput(option, options);
  }
  return absl::OkStatus();
}

// Checks that -explore goes with the other options.
absl::Status CheckExploration(DriverOptions& options) {
  if (!options.explores()) {
    if (options.explore_with.has_value()) options.warnings.push_back("-explore-with has no effect without -explore");
    return absl::OkStatus();
  }
  const std::string_view other = options.emit_llvm                          ? "-emit-llvm"
                                 : options.occupancy.threads != 0           ? "-occupancy"
                                 : options.bisect_goal != BisectGoal::kNone ? "-opt-bisect=ptxas or exec"
                                                                            : "";
  if (other.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("-explore shows a compilation, and ", other, " is none"));
}

}  // namespace

absl::Status ParseCommandLine(absl::Span<const std::string_view> arguments, DriverOptions& options) {
  bool only_inputs = false;
  for (size_t i = 0; i < arguments.size();) {
    const std::string_view argument = arguments[i];
    if (only_inputs || argument.size() < 2 || argument[0] != '-') {
      if (absl::Status status = SetInput(argument, options); !status.ok()) return status;
      ++i;
    } else if (argument == "--") {
      only_inputs = true;
      ++i;
    } else {
      const absl::StatusOr<int> taken = ParseOption(TakeApart(arguments, i), options);
      if (!taken.ok()) return taken.status();
      i += static_cast<size_t>(*taken);
    }
  }
  // Only IR is linked.
  const std::string_view first = options.input;
  const bool is_ir = options.reads_ir || (first.size() > 3 && first.substr(first.size() - 3) == ".ll");
  if (!options.more_inputs.empty() && !is_ir) {
    return absl::InvalidArgumentError(
        StrCat("more than one input file: '", options.input, "' and '", options.more_inputs[0], "'"));
  }
  options.run.verify_each = options.knobs.verify_machineinstrs().value_or(options.run.verify_each);
  ApplyDebugOnly(options);
  if (absl::Status status = CheckExploration(options); !status.ok()) return status;
  if (absl::Status status = ApplyPassOptions(options); !status.ok()) return status;
  return ForwardPassOptionsToKnobs(*options.pass_options, options.knobs);
}

}  // namespace ptxmir
