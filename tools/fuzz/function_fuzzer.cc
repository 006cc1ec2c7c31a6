// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/function_fuzzer.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <sstream>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "mir/verify/verifier.h"
#include "passes/pipeline/pass_table.h"
#include "passes/pipeline/pipeline_parser.h"
#include "ptx/interpreter/decode/coverage.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/function_check.h"
#include "tools/support/external_programs.h"

namespace ptxmir::fuzz {
namespace {

constexpr size_t kMaxFindings = 100;

// The result that the child process sends to its parent: one line of words for each item.
struct InputResult {
  bool is_valid = false;
  bool is_defined = false;
  bool is_external = false;
  uint64_t instructions = 0;
  std::vector<Opcode> opcodes;
  std::vector<PassCount> passes;
  std::string finding;

  std::string ToText() const {
    std::string text = StrCat(int{is_valid}, " ", int{is_defined}, " ", int{is_external}, " ", instructions, "\n");
    StrAppend(&text, opcodes.size());
    for (const Opcode opcode : opcodes) StrAppend(&text, " ", opcode);
    StrAppend(&text, "\n", passes.size());
    for (const PassCount& pass : passes) StrAppend(&text, " ", pass.runs, " ", pass.changes);
    return StrCat(text, "\n", finding);
  }

  // Returns false if the text is incomplete.
  bool FromText(const std::string& text) {
    std::istringstream in(text);
    size_t count = 0;
    in >> is_valid >> is_defined >> is_external >> instructions >> count;
    if (!in || count > text.size()) return false;
    opcodes.resize(count);
    for (Opcode& opcode : opcodes) in >> opcode;
    in >> count;
    if (!in || count > text.size()) return false;
    passes.resize(count);
    for (PassCount& pass : passes) in >> pass.runs >> pass.changes;
    in.get();
    if (!in) return false;
    finding.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    return true;
  }
};

struct ExternalPrograms {
  std::string llc;
  std::string ptxas;
};

void NoteOpcodes(const Module& module, InputResult& result) {
  std::vector<bool> seen(module.machine_functions().front()->target().instrs.size());
  for (const auto& function : module.machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      for (const MachineInstr& instr : block) {
        ++result.instructions;
        if (!seen[instr.opcode()]) result.opcodes.push_back(instr.opcode());
        seen[instr.opcode()] = true;
      }
    }
  }
}

InputResult CheckInput(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options, uint64_t seed,
                       const ExternalPrograms& programs) {
  InputResult result;
  const std::unique_ptr<Module> module = GenerateMirModule(catalog, ptx::PtxTargetInfo(), ShapeOf(options, seed), seed);
  NoteOpcodes(*module, result);
  for (const auto& function : module->machine_functions()) {
    if (!VerifyMachineFunction(*function, result.finding)) return result;
  }
  result.is_valid = true;
  std::string mir;
  WriteMir(*module, {}, mir);
  FunctionCheck check(std::move(mir), options.launches);
  result.finding = check.CheckFixedPoint();
  if (result.finding.empty()) {
    result.finding = check.CheckExecution();
    result.is_defined = result.finding.empty();
  }
  if (result.finding.empty()) result.finding = check.CheckPipeline(options.pipeline, seed);
  result.is_external = options.sample_external != 0 && seed % options.sample_external == 0 &&
                       !(programs.llc.empty() && programs.ptxas.empty());
  if (result.finding.empty() && result.is_external) {
    result.finding = check.CheckExternal(programs.llc, programs.ptxas);
  }
  result.passes = check.passes();
  return result;
}

std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(file, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
}

// Limits the processor time, so that an input either finishes or not, whatever the load on the machine. A process
// that only waits is ended by the wall clock.
void LimitTime(unsigned seconds) {
  itimerval limit = {};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
  constexpr unsigned kPatience = 20;
  alarm(kPatience * seconds);
}

InputResult CheckInputInChild(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options, uint64_t seed,
                              const ExternalPrograms& programs) {
  InputResult result;
  int ends[2];
  if (pipe(ends) != 0) {
    result.finding = StrCat("cannot make a pipe: ", std::strerror(errno));
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    LimitTime(options.seconds_per_input);
    WriteAll(ends[1], CheckInput(catalog, options, seed, programs).ToText());
    _exit(0);
  }
  close(ends[1]);
  const std::string text = child < 0 ? std::string() : ReadAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) {
    result.finding = StrCat("cannot fork: ", std::strerror(errno));
  } else if (WIFSIGNALED(status)) {
    const bool is_late = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF;
    result.finding = is_late ? StrCat("it takes more than ", options.seconds_per_input, " seconds")
                             : StrCat("crash: ", strsignal(WTERMSIG(status)));
  } else if (!result.FromText(text)) {
    result.finding = StrCat("the check ended with status ", WEXITSTATUS(status));
  }
  return result;
}

void AddResult(const InputResult& result, FunctionFuzzReport& report) {
  ++report.inputs;
  report.valid += result.is_valid;
  report.defined += result.is_defined;
  report.external += result.is_external;
  report.instructions += result.instructions;
  for (const Opcode opcode : result.opcodes) report.opcodes[opcode] = true;
  for (size_t i = 0; i < result.passes.size(); ++i) {
    report.passes[i].runs += result.passes[i].runs;
    report.passes[i].changes += result.passes[i].changes;
  }
}

}  // namespace

FuzzShape ShapeOf(const FunctionFuzzOptions& options, uint64_t seed) {
  if (options.shape.has_value()) return *options.shape;
  const uint64_t at = FuzzRandom(seed).Below(1000);
  if (at < 2) return FuzzShape::kLive;
  if (at < 4) return FuzzShape::kNest;
  if (at < 6) return FuzzShape::kSwitch;
  return at < 80 ? FuzzShape::kPressure : FuzzShape::kMixed;
}

std::string GeneratedMir(const OpcodeCatalog& catalog, uint64_t seed, FuzzShape shape) {
  std::string mir;
  WriteMir(*GenerateMirModule(catalog, ptx::PtxTargetInfo(), shape, seed), {}, mir);
  return mir;
}

absl::Status CheckPipelineName(std::string_view pipeline) {
  if (pipeline == "random") return absl::OkStatus();
  if (pipeline.size() == 2 && pipeline[0] == 'O' && pipeline[1] >= '0' && pipeline[1] <= '3') return absl::OkStatus();
  DiagnosticEngine diagnostics;
  if (ParsePipeline(pipeline, "--pipeline", diagnostics).has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(diagnostics.ToString());
}

FunctionFuzzReport RunFunctionFuzzer(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options,
                                     const std::function<void(const FunctionFuzzFinding&)>& on_finding) {
  FunctionFuzzReport report;
  report.opcodes.resize(ptx::PtxTargetInfo().instrs.size());
  for (const PassInfo& pass : PassTable()) report.passes.push_back({.pass = pass.name});
  ExternalPrograms programs;
  if (options.sample_external != 0) programs = {FindLlc(), FindPtxas()};
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t seed = options.first_seed;; ++seed) {
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (options.count != 0 && report.inputs >= options.count) break;
    if (options.seconds != 0 && report.seconds >= options.seconds) break;
    if (report.findings.size() >= kMaxFindings) break;
    const InputResult result = CheckInputInChild(catalog, options, seed, programs);
    AddResult(result, report);
    if (result.finding.empty()) continue;
    report.findings.push_back({seed, ShapeOf(options, seed), result.finding});
    on_finding(report.findings.back());
  }
  return report;
}

std::vector<Opcode> MissingOpcodes(const FunctionFuzzReport& report) {
  std::vector<Opcode> missing;
  for (size_t i = 0; i < report.opcodes.size(); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    if (!report.opcodes[i] && ptx::CoverageOf(opcode).state == ptx::OpcodeCoverage::State::kCovered) {
      missing.push_back(opcode);
    }
  }
  return missing;
}

std::string FunctionFuzzSummary(const FunctionFuzzReport& report) {
  const ptx::IsaCoverage coverage = ptx::MeasureIsaCoverage();
  const std::vector<Opcode> missing = MissingOpcodes(report);
  const int generated = coverage.covered - static_cast<int>(missing.size());
  const auto percent = [&](uint64_t part) {
    return report.inputs == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(report.inputs);
  };
  std::string out = std::string(
      absl::StrFormat("%d inputs (%d instructions) in %.0f s, %.1f inputs/s\n"
                      "valid %.2f %%, executed without a fault %.2f %%, given to ptxas and llc %d\n"
                      "opcodes generated: %d of %d that have semantics\n",
                      report.inputs, report.instructions, report.seconds,
                      report.seconds > 0 ? static_cast<double>(report.inputs) / report.seconds : 0.0,
                      percent(report.valid), percent(report.defined), report.external, generated, coverage.covered));
  // The families that the interpreter can execute but of which no opcode was generated.
  std::map<std::string_view, int> families;
  for (const Opcode opcode : missing) ++families[ptx::FamilyName(ptx::InstrInfo(opcode).family)];
  out += "families not generated:";
  for (const ptx::IsaCoverage::Family& family : coverage.families) {
    if (family.covered != 0 && families[family.name] == family.covered) StrAppend(&out, " ", family.name);
  }
  out += "\npass                                 functions    changed   share\n";
  for (const PassCoverage& pass : report.passes) {
    if (pass.runs == 0) continue;
    absl::StrAppendFormat(&out, "%-34s %11d %10d %5.1f %%\n", std::string(pass.pass), pass.runs, pass.changes,
                          100.0 * static_cast<double>(pass.changes) / static_cast<double>(pass.runs));
  }
  absl::StrAppendFormat(&out, "findings: %d\n", report.findings.size());
  return out;
}

}  // namespace ptxmir::fuzz
