// SPDX-License-Identifier: Apache-2.0

// ptxmir-fuzz-text: feeds damaged texts to everything that reads text; see
// text_targets.h.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/str_cat.h"
#include "tools/fuzz/command_line.h"
#include "tools/fuzz/text_fuzzer.h"
#include "tools/fuzz/text_mutator.h"
#include "tools/fuzz/text_targets.h"
#include "tools/support/tool_version.h"

namespace ptxmir::fuzz {
namespace {

constexpr std::string_view kHelp =
    "OVERVIEW: ptxmir-fuzz-text reads damaged text with each of ptxmir's "
    "readers and checks what comes of it\n\n"
    "USAGE: ptxmir-fuzz-text [options] [files to damage; beside the built-in "
    "ones]\n\n"
    "  --target=<name>         mir, ir, yaml, dag or options (default: one after "
    "the other)\n"
    "  --seed=<N>              another seed, other texts (default: 0)\n"
    "  --inputs=<N>            this many texts for each target\n"
    "  --seconds=<S>           this long for each target (default: 10, when "
    "--inputs is not given)\n"
    "  --first=<N>             begin with text N (default: 0)\n"
    "  --print=<N>             print text N of the target to standard output "
    "and exit\n"
    "  --write-findings=<dir>  write each text with a finding there, and what "
    "the target printed\n"
    "  --version               print the version and exit\n\n"
    "The exit status is 1 when there were findings. A text depends on its "
    "number, the seed, the target and\n"
    "the files alone.\n";

struct Options {
  std::string target;
  std::string findings_directory;
  uint64_t seed = 0;
  bool print = false;
  uint64_t print_index = 0;
  bool show_help = false;
  bool show_version = false;
  TextFuzzOptions run;
  std::vector<std::string> files;
};

// Returns the reason if an argument is wrong.
std::string ParseArgument(std::string_view argument, Options& options) {
  std::string_view value;
  bool ok = true;
  if (argument.substr(0, 1) != "-") {
    options.files.emplace_back(argument);
  } else if (TakeValue(argument, "--target=", value)) {
    options.target = std::string(value);
    ok = FindTextTarget(value) != nullptr;
  } else if (TakeValue(argument, "--seed=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.seed);
  } else if (TakeValue(argument, "--inputs=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.num_inputs) && options.run.num_inputs > 0;
  } else if (TakeValue(argument, "--seconds=", value)) {
    ok = absl::SimpleAtod(ToAbsl(value), &options.run.seconds) && options.run.seconds > 0;
  } else if (TakeValue(argument, "--first=", value)) {
    ok = absl::SimpleAtoi(ToAbsl(value), &options.run.first);
  } else if (TakeValue(argument, "--print=", value)) {
    options.print = true;
    ok = absl::SimpleAtoi(ToAbsl(value), &options.print_index);
  } else if (TakeValue(argument, "--write-findings=", value)) {
    options.findings_directory = std::string(value);
  } else if (argument == "--help" || argument == "-help" || argument == "-h") {
    options.show_help = true;
  } else if (IsVersionFlag(argument)) {
    options.show_version = true;
  } else {
    return StrCat("unknown command line argument '", argument, "'");
  }
  return ok ? std::string() : StrCat("invalid value in '", argument, "'");
}

bool ReadFile(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return !file.bad();
}

TextMutator MakeMutator(const TextTarget& target, const std::vector<std::string>& files, uint64_t seed) {
  constexpr size_t kMaxTextSize = size_t{64} << 10;
  constexpr size_t kTextsPerFile = 4;
  std::vector<std::string> texts = target.built_in_texts();
  for (const std::string& file : files) {
    for (std::string& text : target.texts_of_mir_file(file, kMaxTextSize, kTextsPerFile))
      texts.push_back(std::move(text));
  }
  return TextMutator(std::move(texts), target.dictionary(), seed, kMaxTextSize);
}

void WriteFindings(const TextTarget& target, const TextMutator& mutator, const TextFuzzReport& report,
                   const std::string& directory) {
  for (const TextFinding& finding : report.findings) {
    const std::string stem = StrCat(directory, "/", target.name, "-", finding.index);
    std::ofstream(stem + ".txt", std::ios::binary) << mutator.Generate(finding.index);
    std::ofstream(stem + ".log", std::ios::binary) << finding.what << "\n" << finding.details;
  }
}

int Fail(const std::string& message) {
  std::fprintf(stderr, "ptxmir-fuzz-text: error: %s\n", message.c_str());
  return 2;
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
    std::fputs(ToolVersionText("ptxmir-fuzz-text").c_str(), stdout);
    return 0;
  }
  if (options.run.num_inputs == 0 && options.run.seconds == 0) options.run.seconds = 10;
  std::vector<std::string> files;
  for (const std::string& path : options.files) {
    files.emplace_back();
    if (!ReadFile(path, files.back())) return Fail(StrCat("cannot read '", path, "'"));
  }
  if (!options.findings_directory.empty()) {
    if (const std::string error = MakeFindingsFolder(options.findings_directory); !error.empty()) return Fail(error);
  }
  size_t num_findings = 0;
  for (const TextTarget& target : TextTargets()) {
    if (!options.target.empty() && target.name != options.target) continue;
    const TextMutator mutator = MakeMutator(target, files, options.seed);
    if (options.print) {
      const std::string text = mutator.Generate(options.print_index);
      std::fwrite(text.data(), 1, text.size(), stdout);
      return 0;
    }
    const TextFuzzReport report = RunTextFuzzer(mutator, target, options.run);
    std::fputs(report.ToString(target.name).c_str(), stdout);
    std::fflush(stdout);
    if (!report.error.empty()) return 2;
    if (!options.findings_directory.empty()) WriteFindings(target, mutator, report, options.findings_directory);
    num_findings += report.findings.size();
  }
  return num_findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ptxmir::fuzz

int main(int argc, char** argv) { return ptxmir::fuzz::Main(argc, argv); }
