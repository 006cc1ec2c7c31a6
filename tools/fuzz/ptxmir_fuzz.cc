// SPDX-License-Identifier: Apache-2.0

// ptxmir-fuzz: generates machine code and runs it through passes; see
// function_fuzzer.h.

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/instr_info.h"
#include "ptx/target/ptx_target.h"
#include "tools/fuzz/command_line.h"
#include "tools/fuzz/function_fuzzer.h"
#include "tools/support/external_programs.h"
#include "tools/support/tool_version.h"

namespace ptxmir::fuzz {
namespace {

constexpr std::string_view kHelp =
    "OVERVIEW: ptxmir-fuzz generates machine functions and checks what passes make of them\n\n"
    "USAGE: ptxmir-fuzz [options]\n\n"
    "  --seed=<N>              begin with this seed; each input has the next one (default: 0)\n"
    "  --count=<N>             this many inputs\n"
    "  --seconds=<S>           this long (default: 10, when --count is not given)\n"
    "  --shape=<name>          small, mixed, pressure, switch, live or nest (default: small, the others now and then)\n"
    "  --pipeline=<name>       random (default), O0, O1, O2, O3, or passes with commas: one pipeline, judged by its\n"
    "                          result; each: each pass alone and more, with checks after every pass\n"
    "  --launches=<N>          launches of each kernel to compare (default: one, three for one input in 16)\n"
    "  --jobs=<N>              processes at a time (default: 1)\n"
    "  --sample-external=<N>   give every Nth input to ptxas and llc (default: 0, none)\n"
    "  --print                 print the input of --seed as MIR and exit\n"
    "  --print-missing         list the opcodes that have semantics and were not generated\n"
    "  --write-findings=<dir>  write each input with a finding there, and what was found\n"
    "  --count-families <file> ...  print how often MIR files use each family of opcodes and exit\n"
    "  --version               print the version and exit\n\n"
    "An input, and what is done with it, depends on its seed, the shape and the pipeline alone. The exit status is 1\n"
    "when there were findings.\n";

struct Options {
  FunctionFuzzOptions run;
  std::string findings_directory;
  bool print = false;
  bool print_missing = false;
  bool count_families = false;
  bool show_help = false;
  bool show_version = false;
  std::vector<std::string> files;
};

// Returns the reason if an argument is wrong.
std::string ParseArgument(std::string_view argument, Options& options) {
  std::string_view value;
  bool ok = true;
  if (argument.substr(0, 1) != "-") {
    options.files.emplace_back(argument);
  } else if (TakeValue(argument, "--seed=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.first_seed);
  } else if (TakeValue(argument, "--count=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.count) && options.run.count > 0;
  } else if (TakeValue(argument, "--seconds=", value)) {
    ok = absl::SimpleAtod(ToAbsl(value), &options.run.seconds) && options.run.seconds > 0;
  } else if (TakeValue(argument, "--shape=", value)) {
    options.run.shape = FindFuzzShape(value);
    ok = options.run.shape.has_value();
  } else if (TakeValue(argument, "--pipeline=", value)) {
    options.run.pipeline = std::string(value);
    const absl::Status status = CheckPipelineName(value);
    if (!status.ok()) return std::string(status.message());
  } else if (TakeValue(argument, "--launches=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.launches);
  } else if (TakeValue(argument, "--jobs=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.jobs) && options.run.jobs > 0;
  } else if (TakeValue(argument, "--sample-external=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.sample_external);
  } else if (TakeValue(argument, "--write-findings=", value)) {
    options.findings_directory = std::string(value);
  } else if (argument == "--print") {
    options.print = true;
  } else if (argument == "--print-missing") {
    options.print_missing = true;
  } else if (argument == "--count-families") {
    options.count_families = true;
  } else if (argument == "--help" || argument == "-help" || argument == "-h") {
    options.show_help = true;
  } else if (IsVersionFlag(argument)) {
    options.show_version = true;
  } else {
    return StrCat("unknown command line argument '", argument, "'");
  }
  return ok ? std::string() : StrCat("invalid value in '", argument, "'");
}

int Fail(const std::string& message) {
  std::fprintf(stderr, "ptxmir-fuzz: error: %s\n", message.c_str());
  return 2;
}

std::string CommandFor(const Options& options, const FunctionFuzzFinding& finding) {
  return StrCat("ptxmir-fuzz --seed=", finding.seed, " --count=", finding.count,
                " --shape=", FuzzShapeName(finding.shape), " --pipeline=", options.run.pipeline,
                options.run.launches == 0 ? std::string() : StrCat(" --launches=", options.run.launches),
                options.run.sample_external == 0 ? "" : " --sample-external=1");
}

void ReportFinding(const OpcodeCatalog& catalog, const Options& options, const FunctionFuzzFinding& finding) {
  const std::string command = CommandFor(options, finding);
  std::printf("finding: %s\n%s\n", command.c_str(), finding.what.c_str());
  std::fflush(stdout);
  if (options.findings_directory.empty()) return;
  const std::string stem = StrCat(options.findings_directory, "/", FuzzShapeName(finding.shape), "-", finding.seed);
  std::ofstream(stem + ".mir", std::ios::binary) << GeneratedMir(catalog, finding.seed, finding.shape);
  std::ofstream(stem + ".log", std::ios::binary) << command << "\n" << finding.what << "\n";
}

// Returns the enumerator of a family: "kIntAdd" for "int.add".
std::string FamilyEnumerator(std::string_view name) {
  std::string out = "k";
  bool begins_word = true;
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      begins_word = true;
      continue;
    }
    out += begins_word ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    begins_word = false;
  }
  return out;
}

// Prints the table of opcode_weights.cc.
int CountFamilies(const std::vector<std::string>& files) {
  std::map<std::string_view, uint64_t> counts;
  for (const std::string& path : files) {
    DiagnosticEngine diagnostics;
    absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(path);
    if (!buffer.ok()) return Fail(std::string(buffer.status().message()));
    const std::unique_ptr<Module> module = ReadMir(*buffer, ptx::PtxTargetInfo(), diagnostics);
    if (module == nullptr) return Fail(diagnostics.ToString());
    for (const auto& function : module->machine_functions()) {
      for (const MachineBasicBlock& block : *function) {
        for (const MachineInstr& instr : block) ++counts[ptx::FamilyName(ptx::InstrInfo(instr.opcode()).family)];
      }
    }
  }
  for (const auto& [family, count] : counts) {
    std::printf("    {ptx::Family::%s, %llu},\n", FamilyEnumerator(family).c_str(),
                static_cast<unsigned long long>(count));
  }
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string error = ParseArgument(argv[i], options);
    if (!error.empty()) return Fail(error);
  }
  if (options.show_help) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return 0;
  }
  if (options.show_version) {
    std::fputs(ToolVersionText("ptxmir-fuzz").c_str(), stdout);
    return 0;
  }
  if (options.count_families) return CountFamilies(options.files);
  if (!options.files.empty()) return Fail(StrCat("unexpected argument '", options.files.front(), "'"));
  if (options.run.count == 0 && options.run.seconds == 0) options.run.seconds = 10;
  const OpcodeCatalog catalog(ptx::PtxTargetInfo());
  if (options.print) {
    const std::string mir = GeneratedMir(catalog, options.run.first_seed, ShapeOf(options.run, options.run.first_seed));
    std::fwrite(mir.data(), 1, mir.size(), stdout);
    return 0;
  }
  if (options.run.sample_external != 0) {
    if (FindPtxas().empty()) std::printf("no ptxas: nothing is given to it\n");
    if (FindLlc().empty()) std::printf("no llc-22: nothing is given to it\n");
  }
  if (!options.findings_directory.empty()) {
    if (const std::string error = MakeFindingsFolder(options.findings_directory); !error.empty()) return Fail(error);
  }
  const FunctionFuzzReport report = RunFunctionFuzzer(
      catalog, options.run, [&](const FunctionFuzzFinding& finding) { ReportFinding(catalog, options, finding); });
  std::fputs(FunctionFuzzSummary(report).c_str(), stdout);
  for (const Opcode opcode : options.print_missing ? MissingOpcodes(report) : std::vector<Opcode>()) {
    std::printf("not generated: %s\n", std::string(ptx::PtxTargetInfo().StableName(opcode)).c_str());
  }
  return report.findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace ptxmir::fuzz

int main(int argc, char** argv) { return ptxmir::fuzz::Main(argc, argv); }
