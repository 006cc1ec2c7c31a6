// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/reducer.h"

#include <algorithm>
#include <functional>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "mir/text/mir_reader.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"

namespace ptxmir {
namespace {

// An IR document and the text around it.
struct SplitFile {
  bool has_ir = false;
  std::vector<std::string> ir_lines;
  std::string_view rest;  // from the line "..." on
};

SplitFile Split(std::string_view mir) {
  SplitFile split;
  constexpr std::string_view kBegin = "--- |\n";
  if (!mir.starts_with(kBegin)) return split;
  size_t at = kBegin.size();
  while (at < mir.size()) {
    const size_t end = std::min(mir.find('\n', at), mir.size());
    const std::string_view line = mir.substr(at, end - at);
    if (line == "...") {
      split.has_ir = true;
      split.rest = mir.substr(at);
      return split;
    }
    split.ir_lines.emplace_back(line);
    at = end + 1;
  }
  return split;
}

std::string Join(const SplitFile& split) {
  std::string mir = "--- |\n";
  for (const std::string& line : split.ir_lines) StrAppend(&mir, line, "\n");
  mir += split.rest;
  return mir;
}

std::string Write(const Module& module, bool simplify) {
  std::string mir;
  WriteMir(module, {.simplify = simplify}, mir);
  return mir;
}

}  // namespace

std::unique_ptr<Module> Reducer::ReadAndVerify(std::string_view name, std::string_view mir, std::string* why) const {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>(std::string(name), mir), target_, diagnostics);
  bool is_good = module != nullptr;
  if (is_good) {
    for (const OwnedMachineFunction& function : module->machine_functions()) {
      std::string report;
      if (VerifyMachineFunction(*function, report)) continue;
      is_good = false;
      diagnostics.Error(std::move(report));
    }
  }
  if (why != nullptr) *why = diagnostics.ToString();
  return is_good ? std::move(module) : nullptr;
}

bool Reducer::IsInteresting(std::string_view mir) {
  ++num_tests_;
  return is_interesting_(mir);
}

std::string Reducer::Apply(const ReductionStep& step, TargetChooser& chooser) const {
  if (step.change_ir != nullptr) {
    SplitFile split = Split(current_);
    if (!split.has_ir) return "";
    step.change_ir(split.ir_lines, chooser);
    return Join(split);
  }
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("candidate", current_), target_, diagnostics);
  if (module == nullptr) return "";
  step.change_module(*module, chooser);
  return Write(*module, simplify_);
}

bool Reducer::Accept(std::string candidate) {
  if (candidate.empty() || !seen_.insert(std::hash<std::string_view>()(candidate)).second) return false;
  if (ReadAndVerify("candidate", candidate, nullptr) == nullptr) {
    ++num_refused_;
    return false;
  }
  if (!IsInteresting(candidate)) return false;
  current_ = std::move(candidate);
  return true;
}

void Reducer::Run(const ReductionStep& step) {
  const auto count = [&] {
    TargetChooser none(0, 0);
    Apply(step, none);
    return none.num_targets();
  };
  const size_t bytes_before = current_.size();
  size_t num_targets = count();
  for (size_t chunk = num_targets; chunk != 0; chunk = std::min(chunk, num_targets) / 2) {
    for (size_t begin = 0; begin < num_targets && !is_at_limit();) {
      TargetChooser chooser(begin, begin + chunk);
      if (!Accept(Apply(step, chooser))) {
        begin += chunk;
        continue;
      }
      // The targets after the changed ones have moved up by the number of targets that are gone.
      const size_t new_num_targets = count();
      const size_t num_gone = num_targets - std::min(num_targets, new_num_targets);
      begin += chunk - std::min(chunk, num_gone);
      num_targets = new_num_targets;
    }
  }
  if (options_.progress && current_.size() < bytes_before) {
    options_.progress(StrCat(step.name, ": ", bytes_before, " -> ", current_.size(), " bytes, ", num_tests_, " tests"));
  }
}

absl::Status Reducer::Normalize(std::string_view name, std::string_view mir) {
  std::string why;
  const std::unique_ptr<Module> module = ReadAndVerify(name, mir, &why);
  if (module == nullptr) return absl::InvalidArgumentError(StrCat("the file is not well-formed:\n", why));
  if (!IsInteresting(mir)) return absl::FailedPreconditionError(StrCat("'", name, "' is not interesting"));
  for (const bool simplify : {true, false}) {
    std::string written = Write(*module, simplify);
    if (written != mir && (ReadAndVerify(name, written, nullptr) == nullptr || !IsInteresting(written))) continue;
    current_ = std::move(written);
    simplify_ = simplify;
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      StrCat("'", name, "' is interesting only as it is written, not when read and ", "written back"));
}

absl::StatusOr<std::string> Reducer::Reduce(std::string_view name, std::string_view mir) {
  seen_.clear();
  if (absl::Status status = Normalize(name, mir); !status.ok()) return status;
  size_t bytes_before;
  do {
    bytes_before = current_.size();
    for (const ReductionStep& step : ReductionSteps()) Run(step);
  } while (current_.size() < bytes_before && !is_at_limit());
  const std::unique_ptr<Module> module = ReadAndVerify(name, current_, nullptr);
  RenumberForReading(*module);
  Accept(Write(*module, simplify_));
  return current_;
}

std::vector<std::string> ReduceList(std::vector<std::string> items,
                                    const std::function<bool(const std::vector<std::string>&)>& is_interesting) {
  bool is_smaller = true;
  while (is_smaller) {
    is_smaller = false;
    for (size_t chunk = items.size(); chunk != 0; chunk = std::min(chunk, items.size()) / 2) {
      for (size_t begin = 0; begin < items.size();) {
        const auto first = items.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = items.begin() + static_cast<std::ptrdiff_t>(std::min(begin + chunk, items.size()));
        std::vector<std::string> rest(items.begin(), first);
        rest.insert(rest.end(), last, items.end());
        if (is_interesting(rest)) {
          items = std::move(rest);
          is_smaller = true;
        } else {
          begin += chunk;
        }
      }
    }
  }
  return items;
}

}  // namespace ptxmir
