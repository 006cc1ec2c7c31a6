// SPDX-License-Identifier: Apache-2.0

// Plants one bug after the other and looks how long ptxmir-fuzz takes to find it, with nothing but what it generates:
//
//     bazel build //tests/mutation:fuzz_planted_bugs
//     bazel-bin/tests/mutation/fuzz_planted_bugs --inputs=10000 --only=passes/
//
// Prints for each bug the inputs until the first finding, and at the end how many bugs were found within how much
// time. `--only` asks for the bugs with this word in their names or in the paths of their sources.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "ptx/target/ptx_target.h"
#include "tests/mutation/planted_bugs.h"
#include "tools/fuzz/command_line.h"
#include "tools/fuzz/function_fuzzer.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::testing {
namespace {

struct Options {
  uint64_t inputs = 10000;  // for each bug, at most
  std::string only;
};

bool IsAskedFor(const PlantedBug& bug, const std::string& word) {
  if (bug.name.find(word) != bug.name.npos) return true;
  for (const PlantedBug::Place& place : bug.places) {
    if (place.file.find(word) != place.file.npos) return true;
  }
  return false;
}

// Fuzzes until the first finding. Prints a line about it, and exits with 0 if there is one.
[[noreturn]] void Search(const fuzz::OpcodeCatalog& catalog, const PlantedBug& bug, uint64_t inputs) {
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  Plant(bug);
  fuzz::FunctionFuzzOptions options;
  options.count = inputs;
  options.seconds_per_input = 5;
  options.shape = fuzz::FuzzShape::kSmall;
  options.max_findings = 1;
  const fuzz::FunctionFuzzReport report = RunFunctionFuzzer(catalog, options, [](const fuzz::FunctionFuzzFinding&) {});
  const bool is_found = !report.findings.empty();
  std::string what = is_found ? report.findings.front().what : std::string("NOT FOUND");
  for (char& c : what) c = c == '\n' ? ' ' : c;
  std::printf("%-36s %7llu inputs %6.1f s  %s\n", std::string(bug.name).c_str(),
              static_cast<unsigned long long>(report.inputs), report.processor_seconds,
              what.substr(what.size() > 160 ? what.size() - 160 : 0).c_str());
  std::fflush(stdout);
  _exit(is_found ? 0 : 1);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view value;
    if (fuzz::TakeValue(argv[i], "--only=", value)) {
      options.only = std::string(value);
    } else if (!fuzz::TakeValue(argv[i], "--inputs=", value) || !absl::SimpleAtoi(ToAbsl(value), &options.inputs)) {
      std::fprintf(stderr, "fuzz_planted_bugs: error: unknown argument '%s'\n", argv[i]);
      return 2;
    }
  }
  const fuzz::OpcodeCatalog catalog(ptx::PtxTargetInfo());
  unsigned found = 0, tried = 0;
  for (const PlantedBug& bug : PlantedBugs()) {
    if (!IsAskedFor(bug, options.only)) continue;
    ++tried;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) Search(catalog, bug, options.inputs);
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    found += child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  std::printf("%u of %u bugs found in %.0f s of processor time\n", found, tried,
              static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec));
  return 0;
}

}  // namespace
}  // namespace ptxmir::testing

int main(int argc, char** argv) { return ptxmir::testing::Main(argc, argv); }
