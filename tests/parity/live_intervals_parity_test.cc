// SPDX-License-Identifier: Apache-2.0

// Compares live intervals of the corpus with those that llc-22 -passes='print<live-intervals>' prints: the same
// segments, and the same values at the same places. Numbers of values may differ (LLVM's follow its use lists). llc
// does not read all of its own MIR; such files are skipped.

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/liveness/live_intervals.h"
#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

// Intervals by function and register: "[16r,64B:0@16r)...", where the number of a value is followed by its
// definition.
using Intervals = std::map<std::string, std::map<std::string, std::string>>;

// Replaces the numbers of values in "[16r,64B:0)[80r,96r:1) 0@16r 1@80r" with their definitions.
std::string WithoutNumbers(const std::string& range) {
  std::map<std::string, std::string> defs;
  std::istringstream words(range);
  std::string segments;
  words >> segments;
  for (std::string word; words >> word;) {
    const size_t at = word.find('@');
    if (at != std::string::npos) defs[word.substr(0, at)] = word.substr(at);
  }
  std::string text;
  for (size_t i = 0; i < segments.size(); ++i) {
    text += segments[i];
    if (segments[i] != ':') continue;
    const size_t end = segments.find(')', i);
    text += defs[segments.substr(i + 1, end - i - 1)];
    i = end - 1;
  }
  return text;
}

Intervals Parse(const std::string& text) {
  constexpr char kHeader[] = "Live intervals for machine function: ";
  Intervals result;
  std::istringstream lines(text);
  std::string function;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kHeader, 0) == 0) {
      function = line.substr(sizeof(kHeader) - 1, line.size() - sizeof(kHeader));
      result[function];
    } else if (line.rfind("RegMasks", 0) == 0) {
      function.clear();
    } else if (!function.empty() && line[0] == '%') {
      const size_t space = line.find(' ');
      result[function][line.substr(0, space)] =
          WithoutNumbers(line.substr(space + 1, line.find("  weight") - space - 1));
    }
  }
  return result;
}

TEST(LiveIntervalsParityTest, CorpusFilesHaveTheIntervalsOfLlc) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not installed";
  size_t compared = 0;
  for (const testing::InputFile& input : testing::CorpusFiles()) {
    DiagnosticEngine diagnostics;
    const std::string text = testing::ReadFile(input.path);
    // The largest files add nothing to the test.
    if (text.size() > 600000) continue;
    const auto module = ReadMir(std::make_shared<SourceBuffer>(input.path, text), ptx::PtxTargetInfo(), diagnostics);
    ASSERT_NE(module, nullptr) << diagnostics.ToString();
    std::vector<std::string> command = testing::LlcCommand(llc, input);
    command.insert(command.end(), {"-passes=print<live-intervals>", input.path, "-o", "/dev/null"});
    std::string output;
    if (!testing::RunCommand(command, output)) continue;
    const Intervals expected = Parse(output);
    for (const auto& function : module->machine_functions()) {
      AnalysisManager analyses(*function);
      std::string printed;
      analyses.Get<LiveIntervals>().Print(printed);
      const auto it = expected.find(std::string(function->name()));
      ASSERT_NE(it, expected.end()) << input.path << " " << function->name();
      const Intervals got = Parse(printed);
      for (const auto& [reg, range] : it->second) {
        const auto& ours = got.begin()->second;
        ASSERT_EQ(ours.count(reg) != 0 ? ours.at(reg) : "", range)
            << input.path << " " << function->name() << " " << reg;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10000u);
  RecordProperty("intervals", static_cast<int>(compared));
}

}  // namespace
}  // namespace ptxmir
