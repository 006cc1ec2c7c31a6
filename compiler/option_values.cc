// SPDX-License-Identifier: Apache-2.0

#include "compiler/option_values.h"

#include <iterator>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "compiler/dag_steps.h"
#include "re2/re2.h"

namespace ptxmir {

absl::Status InvalidOptionValue(std::string_view option, std::string_view value, std::string_view wanted) {
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
    if (FindPass(list[i]) == nullptr && !FindDagStep(list[i]).has_value())
      return absl::InvalidArgumentError(UnknownPassMessage(list[i]));
  }
  return absl::OkStatus();
}

std::optional<bool> ParseBoolean(std::string_view text) {
  for (const std::string_view yes : {"", "true", "TRUE", "True", "1"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"false", "FALSE", "False", "0"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

absl::Status SetOptLevel(std::string_view value, DriverOptions& options) {
  // As in LLVM, code for a small size is generated at level 2; what makes it small are passes on LLVM IR.
  if (value == "s" || value == "z") value = "2";
  if (value.size() != 1 || value[0] < '0' || value[0] > '3') {
    return InvalidOptionValue("O", value, "0, 1, 2, 3, s or z");
  }
  options.has_opt_level = true;
  options.pipeline.opt_level = options.run.opt_level = value[0] - '0';
  options.pass_options->set_opt_level(options.pipeline.opt_level);
  return absl::OkStatus();
}

absl::Status SetTriple(std::string_view value, DriverOptions& options) {
  const std::string_view architecture = value.substr(0, value.find('-'));
  if (architecture != "nvptx" && architecture != "nvptx64") {
    return InvalidOptionValue("mtriple", value, "an nvptx or nvptx64 triple");
  }
  options.architecture = std::string(architecture);
  return absl::OkStatus();
}

absl::Status SetArchitecture(std::string_view value, DriverOptions& options) {
  if (value != "nvptx" && value != "nvptx64") return InvalidOptionValue("march", value, "nvptx64 or nvptx");
  options.architecture = std::string(value);
  return absl::OkStatus();
}

absl::Status SetCpu(std::string_view value, DriverOptions& options) {
  constexpr std::string_view kVirtual = "compute_";
  if (value.substr(0, kVirtual.size()) == kVirtual) {
    return InvalidOptionValue("mcpu", value, StrCat("a GPU, as 'sm_", value.substr(kVirtual.size()), "'"));
  }
  options.cpu = std::string(value);
  if (value != "help") return absl::OkStatus();
  options.cpu.clear();
  options.lists_targets = true;
  return absl::OkStatus();
}

absl::Status SetFeatures(std::string_view value, DriverOptions& options) {
  if (value == "help" || value == "+help") {
    options.lists_targets = true;
    return absl::OkStatus();
  }
  if (!options.attributes.empty()) options.attributes += ',';
  options.attributes += std::string(value);
  return absl::OkStatus();
}

absl::Status SetFileType(std::string_view value, DriverOptions& options) {
  if (value == "asm") {
    options.file_type = OutputFileType::kAssembly;
  } else if (value == "null") {
    options.file_type = OutputFileType::kNull;
  } else if (value == "obj") {
    options.file_type = OutputFileType::kObject;
  } else {
    return InvalidOptionValue("filetype", value, "asm, null or obj");
  }
  return absl::OkStatus();
}

absl::Status SetPasses(std::string_view value, DriverOptions& options) {
  options.pipeline.passes = std::string(value);
  return absl::OkStatus();
}

absl::Status SetPipelineDump(std::string_view value, DriverOptions& options) {
  if (value == "Disabled") {
    options.pipeline_dump = PipelineDump::kNone;
  } else if (value == "Arguments") {
    options.pipeline_dump = PipelineDump::kArguments;
  } else if (value == "Structure") {
    options.pipeline_dump = PipelineDump::kStructure;
  } else {
    return InvalidOptionValue(
        "debug-pass", value,
        "Disabled, Arguments or Structure (-time-trace and -print-after-all follow the execution)");
  }
  return absl::OkStatus();
}

absl::Status SetDebugOnly(std::string_view value, DriverOptions& options) {
  const size_t first = options.debug_only.size();
  if (absl::Status status = AppendPasses(value, options.debug_only); !status.ok()) return status;
  PrintOptions& print = options.run.print;
  for (size_t i = first; i < options.debug_only.size(); ++i) {
    print.before.push_back(options.debug_only[i]);
    print.after.push_back(options.debug_only[i]);
  }
  return absl::OkStatus();
}

absl::Status SetNoWarnings(std::string_view value, DriverOptions& options) {
  options.shows_warnings = !value.empty();
  return absl::OkStatus();
}

absl::Status DisableLoadStoreVectorizer(std::string_view value, DriverOptions& options) {
  return options.knobs.Set("load-store-vectorizer", value.empty() ? "false" : "true", KnobOrigin::kCommandLine);
}

absl::Status SetAutotune(std::string_view value, DriverOptions& options) {
  using Autotune = DriverOptions::Autotune;
  constexpr std::pair<std::string_view, Autotune> kValues[] = {
      {"ptxas", Autotune::kPtxas}, {"model", Autotune::kModel}, {"none", Autotune::kNone}};
  for (const auto& [name, autotune] : kValues) {
    if (value != name) continue;
    options.autotune = autotune;
    return absl::OkStatus();
  }
  return InvalidOptionValue("autotune", value, "ptxas, model or none");
}

absl::Status SetPrintKnobs(std::string_view value, DriverOptions& options) {
  options.print_knobs = true;
  options.knob_pattern = std::string(value);
  const re2::RE2 pattern(options.knob_pattern, re2::RE2::Quiet);
  if (pattern.ok()) return absl::OkStatus();
  return InvalidOptionValue("print-knobs", value, StrCat("a regular expression: ", pattern.error()));
}

absl::Status SetCompletionShell(std::string_view value, DriverOptions& options) {
  if (value != "bash" && value != "zsh" && value != "fish") {
    return InvalidOptionValue("print-completion", value, "bash, zsh or fish");
  }
  options.completion_shell = std::string(value);
  return absl::OkStatus();
}

absl::Status SetCount(std::string_view option, std::string_view value, unsigned when_empty, unsigned& count) {
  constexpr unsigned kMaxCount = 1000;
  count = when_empty;
  if (value.empty() && when_empty != 0) return absl::OkStatus();
  if (absl::SimpleAtoi(ToAbsl(value), &count) && count > 0 && count <= kMaxCount) return absl::OkStatus();
  return InvalidOptionValue(option, value, "a number from 1 to 1000");
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
    return InvalidOptionValue("occupancy", value,
                              "threads (1 to 1024), registers (up to 255) and bytes of shared memory");
  }
  options.occupancy = {.threads = numbers[0], .registers = numbers[1], .shared_bytes = numbers[2]};
  return absl::OkStatus();
}

absl::Status SetTimeTraceGranularity(std::string_view value, DriverOptions& options) {
  uint32_t microseconds;
  if (!absl::SimpleAtoi(ToAbsl(value), &microseconds)) {
    return InvalidOptionValue("time-trace-granularity", value, "a number of microseconds");
  }
  options.time_trace_granularity = std::chrono::microseconds(microseconds);
  return absl::OkStatus();
}

int RequestedThreads(const DriverOptions& options) {
  if (options.knobs.IsSet("j")) return options.knobs.threads();
  return ThreadCount(MakeNvvmPassOptions(*options.pass_options), 0);
}

}  // namespace ptxmir
