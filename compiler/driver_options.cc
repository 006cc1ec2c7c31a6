// SPDX-License-Identifier: Apache-2.0

#include "compiler/driver_options.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/nearest_name.h"
#include "base/str_cat.h"
#include "options/nvvm_pass_options.h"

namespace ptxmir {
namespace {

enum class Category { kGeneral, kTarget, kPipeline, kRegisters, kPrinting };

enum class Argument { kNone, kOptional, kRequired };

struct OptionInfo {
  std::string_view name;  // without dashes
  Argument argument;
  std::string_view value_name;  // for --help
  std::string_view help;
  Category category;
  // Applies the value, which is empty for Argument::kNone.
  absl::Status (*apply)(std::string_view value, DriverOptions& options);
};

absl::Status Ok() { return absl::OkStatus(); }

absl::Status Invalid(std::string_view option, std::string_view value, std::string_view wanted) {
  return absl::InvalidArgumentError(StrCat("invalid value '", value, "' for -", option, ": expected ", wanted));
}

void AppendList(std::string_view text, std::vector<std::string>& list) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) list.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
}

absl::Status AppendPasses(std::string_view text, std::vector<std::string>& list) {
  const size_t first = list.size();
  AppendList(text, list);
  for (size_t i = first; i < list.size(); ++i) {
    if (FindPass(list[i]) == nullptr) return absl::InvalidArgumentError(UnknownPassMessage(list[i]));
  }
  return Ok();
}

absl::Status SetPosition(std::string_view text, std::optional<PassPosition>& position) {
  absl::StatusOr<PassPosition> parsed = PassPosition::Parse(text);
  if (!parsed.ok()) return parsed.status();
  position = *std::move(parsed);
  return Ok();
}

absl::Status SetOptLevel(std::string_view value, DriverOptions& options) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '3') {
    return Invalid("O", value, "0, 1, 2 or 3");
  }
  options.has_opt_level = true;
  options.pipeline.opt_level = options.run.opt_level = value[0] - '0';
  options.pass_options->set_opt_level(options.pipeline.opt_level);
  return Ok();
}

template <bool RunOptions::*kMember>
absl::Status SetRunFlag(std::string_view value, DriverOptions& options) {
  if (value != "" && value != "true" && value != "1" && value != "false" && value != "0") {
    return absl::InvalidArgumentError(StrCat("'", value, "' is not a boolean: expected true or false"));
  }
  options.run.*kMember = value != "false" && value != "0";
  return Ok();
}

template <bool DriverOptions::*kMember>
absl::Status SetFlag(std::string_view, DriverOptions& options) {
  options.*kMember = true;
  return Ok();
}

template <bool PrintOptions::*kMember>
absl::Status SetPrintFlag(std::string_view, DriverOptions& options) {
  options.run.print.*kMember = true;
  return Ok();
}

template <std::optional<PassPosition> PipelineOptions::*kMember>
absl::Status SetPipelinePosition(std::string_view value, DriverOptions& options) {
  return SetPosition(value, options.pipeline.*kMember);
}

absl::Status CheckTriple(std::string_view value, DriverOptions&) {
  if (value.substr(0, 5) == "nvptx") return Ok();
  return Invalid("mtriple", value, "an nvptx or nvptx64 triple");
}

// The number of launches of each kernel if the option does not give one.
constexpr unsigned kDefaultLaunches = 3;

// Parses a count from 1 to 1000. An empty value means `when_empty`, unless that is 0.
absl::Status SetCount(std::string_view option, std::string_view value, unsigned when_empty, unsigned& count) {
  constexpr unsigned kMaxCount = 1000;
  count = when_empty;
  if (value.empty() && when_empty != 0) return Ok();
  if (absl::SimpleAtoi(ToAbsl(value), &count) && count > 0 && count <= kMaxCount) return Ok();
  return Invalid(option, value, "a number from 1 to 1000");
}

absl::Status SetVerifyExec(std::string_view value, DriverOptions& options) {
  return SetCount("verify-exec", value, kDefaultLaunches, options.verify_exec_inputs);
}

absl::Status SetOccupancy(std::string_view value, DriverOptions& options) {
  std::vector<std::string> words;
  AppendList(value, words);
  unsigned numbers[3] = {};
  bool ok = !words.empty() && words.size() <= std::size(numbers);
  for (size_t i = 0; ok && i < words.size(); ++i) ok = absl::SimpleAtoi(words[i], &numbers[i]);
  if (!ok || numbers[0] == 0 || numbers[0] > ptx::kMaxCtaThreads || numbers[1] > 255) {
    return Invalid("occupancy", value, "threads (1 to 1024), registers (up to 255) and bytes of shared memory");
  }
  options.occupancy = {.threads = numbers[0], .registers = numbers[1], .shared_bytes = numbers[2]};
  return Ok();
}

absl::Status SetTimeTraceGranularity(std::string_view value, DriverOptions& options) {
  uint32_t microseconds;
  if (!absl::SimpleAtoi(ToAbsl(value), &microseconds)) {
    return Invalid("time-trace-granularity", value, "a number of microseconds");
  }
  options.time_trace_granularity = std::chrono::microseconds(microseconds);
  return Ok();
}

constexpr OptionInfo kOptions[] = {
    {"help", Argument::kNone, "", "Show this and exit", Category::kGeneral, SetFlag<&DriverOptions::show_help>},
    {"version", Argument::kNone, "", "Show the version and exit", Category::kGeneral,
     SetFlag<&DriverOptions::show_version>},
    {"print-isa-coverage", Argument::kNone, "", "Show which opcodes the interpreter can execute and exit",
     Category::kGeneral, SetFlag<&DriverOptions::print_isa_coverage>},
    {"print-passes", Argument::kNone, "", "Show all passes and analyses in pipeline order and exit", Category::kGeneral,
     SetFlag<&DriverOptions::print_passes>},
    {"print-machine-model", Argument::kNone, "", "Show the resources and instruction costs of the GPU (-mcpu) and exit",
     Category::kGeneral, SetFlag<&DriverOptions::print_machine_model>},
    {"print-knobs", Argument::kNone, "", "Show every knob with its value, range and help and exit", Category::kGeneral,
     SetFlag<&DriverOptions::print_knobs>},
    {"print-options", Argument::kNone, "", "Show every slot of NVVMPassOptions with its value and exit",
     Category::kGeneral, SetFlag<&DriverOptions::print_options>},
    {"o", Argument::kRequired, "file", "Where the result goes; - is standard output (default)", Category::kGeneral,
     [](std::string_view value, DriverOptions& options) {
       options.output = std::string(value);
       return value.empty() ? Invalid("o", value, "a file name") : Ok();
     }},
    {"x", Argument::kRequired, "mir", "Language of the input; MIR is the only one", Category::kGeneral,
     [](std::string_view value, DriverOptions&) { return value == "mir" ? Ok() : Invalid("x", value, "mir"); }},
    {"mcpu", Argument::kRequired, "sm_NN", "GPU to compile for (default: what the functions ask for)",
     Category::kTarget,
     [](std::string_view value, DriverOptions& options) {
       options.cpu = std::string(value);
       return Ok();
     }},
    {"mattr", Argument::kRequired, "+ptxNN", "PTX version (default: the least that the GPU needs)", Category::kTarget,
     [](std::string_view value, DriverOptions& options) {
       if (!options.attributes.empty()) options.attributes += ',';
       options.attributes += std::string(value);
       return Ok();
     }},
    {"mtriple", Argument::kRequired, "triple", "Accepted for compatibility with llc; must be an NVPTX one",
     Category::kTarget, CheckTriple},
    {"O", Argument::kRequired, "0..3", "Optimization level (default: 2)", Category::kPipeline, SetOptLevel},
    {"run-pass", Argument::kRequired, "a,b", "Run exactly these passes and write MIR", Category::kPipeline,
     [](std::string_view value, DriverOptions& options) {
       std::optional<std::string>& passes = options.pipeline.run_passes;
       passes = passes.has_value() ? StrCat(*passes, ",", value) : std::string(value);
       return Ok();
     }},
    {"passes", Argument::kRequired, "pipeline", "Run this pipeline and write MIR: a,loop(b),print<analysis>,verify",
     Category::kPipeline,
     [](std::string_view value, DriverOptions& options) {
       options.pipeline.passes = std::string(value);
       return Ok();
     }},
    {"start-before", Argument::kRequired, "pass[,N]", "Begin with this pass", Category::kPipeline,
     SetPipelinePosition<&PipelineOptions::start_before>},
    {"start-after", Argument::kRequired, "pass[,N]", "Begin with the pass that follows this one", Category::kPipeline,
     SetPipelinePosition<&PipelineOptions::start_after>},
    {"stop-before", Argument::kRequired, "pass[,N]", "Stop ahead of this pass and write MIR", Category::kPipeline,
     SetPipelinePosition<&PipelineOptions::stop_before>},
    {"stop-after", Argument::kRequired, "pass[,N]", "Stop when this pass has run and write MIR", Category::kPipeline,
     SetPipelinePosition<&PipelineOptions::stop_after>},
    {"verify-exec", Argument::kOptional, "inputs",
     "Execute kernels before and after every pass and stop at the first difference (3 inputs each)",
     Category::kPipeline, SetVerifyExec},
    {"explain-registers", Argument::kNone, "", "Say on stderr where the registers of each function go",
     Category::kRegisters, SetFlag<&DriverOptions::explain_registers>},
    {"pressure-report", Argument::kRequired, "file", "Write register pressure before and after each pass, as JSON",
     Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.pressure_report_file = std::string(value);
       return value.empty() ? Invalid("pressure-report", value, "a file name") : Ok();
     }},
    {"count-executed", Argument::kOptional, "launches",
     "Count in the pressure report what kernels execute, in the interpreter (3 launches each)", Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       return SetCount("count-executed", value, kDefaultLaunches, options.count_executed_launches);
     }},
    {"fail-on-spill", Argument::kNone, "", "Fail when passes have put registers into memory", Category::kRegisters,
     SetFlag<&DriverOptions::fail_on_spill>},
    {"max-registers-expected", Argument::kRequired, "n", "Fail when more registers than this are live at once",
     Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       return SetCount("max-registers-expected", value, 0, options.max_registers_expected);
     }},
    {"autotune", Argument::kRequired, "ptxas",
     "Compile each kernel under several option sets and keep what ptxas makes the best of", Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.autotune = true;
       return value == "ptxas" ? Ok() : Invalid("autotune", value, "ptxas");
     }},
    {"autotune-exhaustive", Argument::kNone, "",
     "Ask ptxas about every option set that makes other PTX, even if it cannot be the best", Category::kRegisters,
     SetFlag<&DriverOptions::autotune_exhaustive>},
    {"autotune-set", Argument::kRequired, "name:flags", "Add an option set: -autotune-set=\"tight: -maxreg=40\"",
     Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       absl::StatusOr<OptionSet> set = ParseOptionSet(value);
       if (!set.ok()) return set.status();
       options.autotune_sets.push_back(*std::move(set));
       return Ok();
     }},
    {"autotune-ptxas-flags", Argument::kRequired, "flags",
     "What ptxas is called with besides -arch (default: what enforces -maxreg)", Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.autotune_ptxas_flags = absl::StrSplit(ToAbsl(value), ' ', absl::SkipEmpty());
       return Ok();
     }},
    {"autotune-cache", Argument::kRequired, "folder",
     "Where the answers of ptxas are kept (default: ptxmir in the user's cache; empty: nowhere)", Category::kRegisters,
     [](std::string_view value, DriverOptions& options) {
       options.autotune_cache = std::string(value);
       return Ok();
     }},
    {"occupancy", Argument::kRequired, "threads[,registers[,bytes]]",
     "Show the occupancy of kernels with CTAs of this size, registers and shared memory, and exit",
     Category::kRegisters, SetOccupancy},
    {"simplify-mir", Argument::kNone, "", "Leave out of MIR what a reader can do without", Category::kPrinting,
     SetFlag<&DriverOptions::simplify_mir>},
    {"stable-names", Argument::kNone, "", "Write our names for the opcodes that LLVM numbers (anonymous_N)",
     Category::kPrinting, SetPrintFlag<&PrintOptions::stable_names>},
    {"print-before", Argument::kRequired, "a,b", "Print functions to stderr before these passes", Category::kPrinting,
     [](std::string_view value, DriverOptions& options) { return AppendPasses(value, options.run.print.before); }},
    {"print-after", Argument::kRequired, "a,b", "Print functions to stderr after these passes", Category::kPrinting,
     [](std::string_view value, DriverOptions& options) { return AppendPasses(value, options.run.print.after); }},
    {"print-before-all", Argument::kNone, "", "Print functions to stderr before every pass", Category::kPrinting,
     SetPrintFlag<&PrintOptions::before_all>},
    {"print-after-all", Argument::kNone, "", "Print functions to stderr after every pass", Category::kPrinting,
     SetPrintFlag<&PrintOptions::after_all>},
    {"print-changed", Argument::kNone, "", "Print functions to stderr after passes that changed them",
     Category::kPrinting, SetPrintFlag<&PrintOptions::changed>},
    {"filter-print-funcs", Argument::kRequired, "f,g", "Only print these functions", Category::kPrinting,
     [](std::string_view value, DriverOptions& options) {
       AppendList(value, options.run.print.functions);
       return Ok();
     }},
    {"time-passes", Argument::kNone, "", "Report on stderr how long each step took", Category::kPrinting,
     SetRunFlag<&RunOptions::time_passes>},
    {"time-trace", Argument::kNone, "", "Write a trace for Chrome of where the time went", Category::kPrinting,
     SetFlag<&DriverOptions::time_trace>},
    {"time-trace-file", Argument::kRequired, "file", "Where the trace goes (default: <output>.time-trace)",
     Category::kPrinting,
     [](std::string_view value, DriverOptions& options) {
       options.time_trace = true;
       options.time_trace_file = std::string(value);
       return value.empty() ? Invalid("time-trace-file", value, "a file name") : Ok();
     }},
    {"time-trace-granularity", Argument::kRequired, "N", "Only trace what takes N microseconds at least (default: 500)",
     Category::kPrinting, SetTimeTraceGranularity},
    {"stats", Argument::kNone, "", "Report on stderr what the passes did", Category::kPrinting,
     SetFlag<&DriverOptions::print_stats>},
};

const OptionInfo* FindOption(std::string_view name) {
  for (const OptionInfo& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

absl::Status UnknownArgument(std::string_view argument, std::string_view name) {
  NearestName nearest(name);
  for (const OptionInfo& option : kOptions) nearest.Consider(option.name);
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
  return Ok();
}

std::string_view CategoryTitle(Category category) {
  switch (category) {
    case Category::kGeneral:
      return "General options";
    case Category::kTarget:
      return "Target";
    case Category::kPipeline:
      return "Passes";
    case Category::kRegisters:
      return "Registers";
    case Category::kPrinting:
      return "Printing";
  }
  return "";
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
    if (option->argument == Argument::kNone && has_value) {
      return absl::InvalidArgumentError(StrCat("option '-", name, "' takes no value"));
    }
    if (option->argument == Argument::kRequired && !has_value) {
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

std::string HelpText() {
  std::string out =
      "OVERVIEW: ptxmir compiles NVPTX machine IR (MIR) and SelectionDAGs to PTX\n\n"
      "USAGE: ptxmir [options] <input.mir | input.sdag | ->\n\n"
      "The input is what `llc -mtriple=nvptx64-nvidia-cuda -stop-after=finalize-isel` writes, or MIR from\n"
      "any later pass. Functions that have a SelectionDAG (`dag:` in place of `body:`) go through instruction\n"
      "selection first. The result is PTX, or MIR where -passes, -run-pass, -stop-before or -stop-after ask for it.\n"
      "Knobs of passes are options too (-print-knobs), and so are NVVMPassOptions (-opt \"-do-remat=0\",\n"
      "-print-options).\n";
  for (const Category category :
       {Category::kGeneral, Category::kTarget, Category::kPipeline, Category::kRegisters, Category::kPrinting}) {
    StrAppend(&out, "\n", CategoryTitle(category), ":\n");
    for (const OptionInfo& option : kOptions) {
      if (option.category != category) continue;
      std::string left = StrCat("-", option.name);
      if (option.name == "O") {
        left = "-O<0..3>";
      } else if (option.argument == Argument::kRequired) {
        StrAppend(&left, option.name.size() == 1 ? " <" : "=<", option.value_name, ">");
      } else if (option.argument == Argument::kOptional) {
        StrAppend(&left, "[=<", option.value_name, ">]");
      }
      absl::StrAppendFormat(&out, "  %-26s %s\n", left, ToAbsl(option.help));
    }
  }
  out += "\nRemarks:\n";
  for (const RemarkOptionInfo& option : RemarkOptionTable()) {
    const std::string value = option.value_name.empty() ? "" : StrCat("=<", option.value_name, ">");
    absl::StrAppendFormat(&out, "  %-26s %s\n", StrCat("-", option.name, value), ToAbsl(option.help));
  }
  return out;
}

}  // namespace ptxmir
