// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/function_fuzzer.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"
#include "mir/text/mir_writer.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/interpreter/decode/coverage.h"
#include "ptx/isa/isa_enums.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/input_check.h"
#include "tools/fuzz/random_pipeline.h"
#include "tools/support/external_programs.h"

namespace ptxmir::fuzz {
namespace {

// The number of small inputs that one process checks.
constexpr uint64_t kBatch = 64;

// The report of a process is sent to its parent as numbers with spaces between them, and texts with their lengths.
std::string ToText(const FunctionFuzzReport& report) {
  std::string text = StrCat(report.inputs, " ", report.valid, " ", report.defined, " ", report.external, " ",
                            report.instructions, "\n");
  for (size_t i = 0; i < report.opcodes.size(); ++i) {
    if (report.opcodes[i]) StrAppend(&text, i, " ");
  }
  StrAppend(&text, report.opcodes.size(), "\n");
  for (const PassCoverage& pass : report.passes) StrAppend(&text, pass.runs, " ", pass.changes, " ");
  StrAppend(&text, report.findings.size(), "\n");
  for (const FunctionFuzzFinding& finding : report.findings) {
    StrAppend(&text, finding.seed, " ", int{static_cast<uint8_t>(finding.shape)}, " ", finding.what.size(), " ",
              finding.what, "\n");
  }
  return text;
}

// Adds the report in the text to `report`. Returns false if the text is incomplete.
bool AddFromText(const std::string& text, FunctionFuzzReport& report) {
  std::istringstream in(text);
  FunctionFuzzReport part;
  in >> part.inputs >> part.valid >> part.defined >> part.external >> part.instructions;
  std::vector<size_t> opcodes;
  for (size_t opcode = 0; in >> opcode && opcode < report.opcodes.size();) opcodes.push_back(opcode);
  part.passes.resize(report.passes.size());
  for (PassCoverage& pass : part.passes) in >> pass.runs >> pass.changes;
  size_t num_findings = 0;
  in >> num_findings;
  if (!in || num_findings > text.size()) return false;
  part.findings.resize(num_findings);
  for (FunctionFuzzFinding& finding : part.findings) {
    int shape = 0;
    size_t size = 0;
    in >> finding.seed >> shape >> size;
    if (!in || size > text.size()) return false;
    finding.shape = static_cast<FuzzShape>(shape);
    finding.what.resize(size);
    in.get();
    in.read(finding.what.data(), static_cast<std::streamsize>(size));
  }
  if (!in) return false;
  report.inputs += part.inputs;
  report.valid += part.valid;
  report.defined += part.defined;
  report.external += part.external;
  report.instructions += part.instructions;
  for (const size_t opcode : opcodes) report.opcodes[opcode] = true;
  for (size_t i = 0; i < part.passes.size(); ++i) {
    report.passes[i].runs += part.passes[i].runs;
    report.passes[i].changes += part.passes[i].changes;
  }
  for (FunctionFuzzFinding& finding : part.findings) report.findings.push_back(std::move(finding));
  return true;
}

FunctionFuzzReport EmptyReport() {
  FunctionFuzzReport report;
  report.opcodes.resize(ptx::PtxTargetInfo().instrs.size());
  for (const PassInfo& pass : PassTable()) report.passes.push_back({.pass = pass.name});
  return report;
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

// Keeps memory that is freed for the next input. Giving the buffers of every launch back to the system and taking them
// again takes longer than a small kernel.
void KeepMemory() {
  constexpr int kMostKept = 1 << 28;
  mallopt(M_MMAP_THRESHOLD, kMostKept);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
}

double ProcessorSeconds() {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    total += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return total;
}

// Consecutive seeds that one process checks.
struct Batch {
  uint64_t first = 0;
  uint64_t count = 0;
  pid_t child = -1;
  int results = -1;  // the end of the pipe from the child
};

class Runner {
 public:
  Runner(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options,
         const std::function<void(const FunctionFuzzFinding&)>& on_finding)
      : catalog_(catalog), options_(options), on_finding_(on_finding), report_(EmptyReport()) {
    if (options.sample_external != 0) programs_ = {FindLlc(), FindPtxas()};
  }

  FunctionFuzzReport Run() {
    const double processor_before = ProcessorSeconds();
    // Reports are added in the order of seeds, whatever the number of processes.
    std::deque<Batch> running;
    for (uint64_t next = options_.first_seed;;) {
      while (running.size() < std::max(options_.jobs, 1u) && !IsOver(next)) {
        running.push_back(Start(next, BatchSize(next)));
        next += running.back().count;
      }
      if (running.empty()) break;
      const Batch batch = running.front();
      running.pop_front();
      Finish(batch);
    }
    report_.seconds = Seconds();
    report_.processor_seconds = ProcessorSeconds() - processor_before;
    return std::move(report_);
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  bool IsLate() const { return options_.seconds != 0 && Seconds() >= options_.seconds; }
  bool IsOver(uint64_t next) const {
    return IsLate() || (options_.count != 0 && next - options_.first_seed >= options_.count) ||
           report_.findings.size() >= options_.max_findings;
  }
  // Large inputs have a process each.
  uint64_t BatchSize(uint64_t next) const {
    const bool is_large =
        options_.pipeline == kEachPass || options_.shape.value_or(FuzzShape::kSmall) != FuzzShape::kSmall;
    if (is_large) return 1;
    return options_.count == 0 ? kBatch : std::min(kBatch, options_.first_seed + options_.count - next);
  }

  // Checks the inputs of a batch in a child process. A child with one input also sends what it is about to run, so
  // that a crash has a name.
  Batch Start(uint64_t first, uint64_t count) {
    Batch batch = {.first = first, .count = count};
    int ends[2];
    if (pipe(ends) != 0) return batch;
    // Otherwise the child would print the buffered text again.
    std::fflush(stdout);
    batch.child = fork();
    if (batch.child == 0) {
      close(ends[0]);
      KeepMemory();
      FunctionFuzzReport report = EmptyReport();
      const auto announce = [&](const std::string& what) {
        if (count == 1) WriteAll(ends[1], what);
      };
      for (uint64_t seed = first;
           seed < first + count && !(seed > first && IsLate()) && report.findings.size() < options_.max_findings;
           ++seed) {
        LimitTime(options_.seconds_per_input);
        if (options_.before_input) options_.before_input(seed);
        CheckInput(catalog_, options_, seed, programs_, report, announce);
      }
      WriteAll(ends[1], StrCat(std::string_view("\0", 1), ToText(report)));
      _exit(0);
    }
    close(ends[1]);
    batch.results = ends[0];
    return batch;
  }

  // Waits for a batch. If its process did not end well, checks its inputs again, each in a process of its own.
  void Finish(const Batch& batch) {
    const size_t findings_before = report_.findings.size();
    const std::string failure = Collect(batch);
    if (!failure.empty() && batch.count == 1) {
      ++report_.inputs;
      AddFinding(batch.first, failure);
    }
    for (size_t i = findings_before; i < report_.findings.size(); ++i) on_finding_(report_.findings[i]);
    if (!failure.empty() && batch.count > 1) {
      for (uint64_t i = 0; i < batch.count && report_.findings.size() < options_.max_findings; ++i) {
        Finish(Start(batch.first + i, 1));
      }
      if (report_.findings.size() == findings_before) {
        AddFinding(batch.first, StrCat(failure, ", but only after others in one process"), batch.count);
        on_finding_(report_.findings.back());
      }
    }
  }

  void AddFinding(uint64_t seed, std::string what, uint64_t count = 1) {
    report_.findings.push_back({seed, ShapeOf(options_, seed), std::move(what), count});
  }

  // Adds the report of a batch. Returns how its process failed, or an empty string.
  std::string Collect(const Batch& batch) {
    if (batch.child < 0) return StrCat("cannot start a process: ", std::strerror(errno));
    const std::string text = ReadAll(batch.results);
    close(batch.results);
    int status = 0;
    while (waitpid(batch.child, &status, 0) < 0 && errno == EINTR) {
    }
    const size_t end = text.find('\0');
    const std::string doing = StrCat(text.empty() ? "" : ": ", text.substr(0, end));
    if (WIFSIGNALED(status)) {
      const bool is_late = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF;
      return is_late ? StrCat("it takes more than ", options_.seconds_per_input, " seconds", doing)
                     : StrCat("crash: ", strsignal(WTERMSIG(status)), doing);
    }
    const bool is_complete = end != text.npos && AddFromText(text.substr(end + 1), report_);
    return is_complete ? std::string() : StrCat("the check ended with status ", WEXITSTATUS(status), doing);
  }

  const OpcodeCatalog& catalog_;
  const FunctionFuzzOptions& options_;
  const std::function<void(const FunctionFuzzFinding&)>& on_finding_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ExternalPrograms programs_;
  FunctionFuzzReport report_;
};

}  // namespace

FuzzShape ShapeOf(const FunctionFuzzOptions& options, uint64_t seed) {
  if (options.shape.has_value()) return *options.shape;
  const uint64_t at = FuzzRandom(seed).Below(100'000);
  if (at < 2) return FuzzShape::kLive;
  if (at < 12) return FuzzShape::kNest;
  if (at < 32) return FuzzShape::kSwitch;
  if (at < 332) return FuzzShape::kPressure;
  return at < 2'000 ? FuzzShape::kMixed : FuzzShape::kSmall;
}

std::string GeneratedMir(const OpcodeCatalog& catalog, uint64_t seed, FuzzShape shape) {
  std::string mir;
  WriteMir(*GenerateMirModule(catalog, ptx::PtxTargetInfo(), shape, seed), {}, mir);
  return mir;
}

absl::Status CheckPipelineName(std::string_view pipeline) {
  if (pipeline == kRandomPipeline || pipeline == kEachPass) return absl::OkStatus();
  return NamedPipeline(pipeline).status();
}

FunctionFuzzReport RunFunctionFuzzer(const OpcodeCatalog& catalog, const FunctionFuzzOptions& options,
                                     const std::function<void(const FunctionFuzzFinding&)>& on_finding) {
  return Runner(catalog, options, on_finding).Run();
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
  const auto per_second = [&](double seconds) {
    return seconds > 0 ? static_cast<double>(report.inputs) / seconds : 0.0;
  };
  std::string out = std::string(
      absl::StrFormat("%d inputs (%d instructions) in %.0f s, %.1f inputs/s; %.0f s of processor time, %.1f inputs/s\n"
                      "valid %.2f %%, executed without a fault %.2f %%, given to ptxas and llc %d\n"
                      "opcodes generated: %d of %d that have semantics\n",
                      report.inputs, report.instructions, report.seconds, per_second(report.seconds),
                      report.processor_seconds, per_second(report.processor_seconds), percent(report.valid),
                      percent(report.defined), report.external, generated, coverage.covered));
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
