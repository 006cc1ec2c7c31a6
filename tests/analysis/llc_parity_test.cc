// What llc-22 prints of the control flow of the corpus' kernels, against ours: dominators, post-dominators, loops and
// cycles. Lists whose order means nothing are sorted in both.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/machine_cycles.h"
#include "analysis/machine_dominators.h"
#include "analysis/machine_loops.h"
#include "gtest/gtest.h"
#include "mir/mir_reader.h"
#include "mir/module.h"
#include "ptx/ptx_target.h"
#include "re2/re2.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

struct ComparedAnalysis {
  std::string name;    // in -passes
  std::string header;  // matches the line before each function's, if llc prints one, with the function's name
  std::function<const Analysis&(AnalysisManager&)> get;
};

template <typename T>
const Analysis& Get(AnalysisManager& analyses) {
  return analyses.Get<T>();
}

const std::vector<ComparedAnalysis>& ComparedAnalyses() {
  static const auto* analyses = new std::vector<ComparedAnalysis>{
      {"machine-dom-tree", "MachineDominatorTree for machine function: (.*)", Get<MachineDominatorTree>},
      {"machine-post-dom-tree", "MachinePostDominatorTree for machine function: (.*)", Get<MachinePostDominatorTree>},
      {"machine-loops", "Machine loop info for machine function '(.*)':", Get<MachineLoops>},
      {"machine-cycles", "", Get<MachineCycles>},
  };
  return *analyses;
}

// A line without what differs for no reason: how blocks are spelled, numbers of the search, the order of lists.
std::string Normalize(std::string line) {
  static const auto* kDfsNumbers = new RE2(" *\\{[0-9]+,[0-9]+\\}");
  static const auto* kBlockName = new RE2("%?bb\\.([0-9]+)[^ ,<)(]*( \\([^)]*\\))?");
  RE2::GlobalReplace(&line, *kDfsNumbers, "");
  RE2::GlobalReplace(&line, *kBlockName, "bb.\\1");
  RE2::GlobalReplace(&line, ",", " ");
  RE2::GlobalReplace(&line, "  <<exit", " <<exit");
  // Blocks that follow each other are sorted.
  std::istringstream words(line.substr(line.find_first_not_of(' ') == line.npos ? 0 : line.find_first_not_of(' ')));
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  const auto first_block = std::find_if(list.begin(), list.end(), [](const std::string& word) {
    return word.starts_with("bb.") || word.starts_with("entries(");
  });
  if (list.size() > 1 && (list[0] == "Loop" || list[0] == "Roots:" || list[0].starts_with("depth="))) {
    std::sort(first_block, list.end());
  }
  std::string result(std::min(line.find_first_not_of(' '), line.size()), ' ');
  for (const std::string& word : list) result += word + " ";
  return result;
}

// Trees and forests are compared as sets of lines too: a line has its depth and the blocks it is about.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("====") || line.starts_with("Inorder")) continue;
    lines.push_back(Normalize(line));
  }
  return lines;
}

// What llc prints of one analysis and function after another, by the names of both.
std::map<std::pair<std::string, std::string>, std::string> SplitOutput(const std::string& output) {
  std::map<std::pair<std::string, std::string>, std::string> result;
  std::istringstream in(output);
  std::string function, analysis;
  for (std::string line; std::getline(in, line);) {
    // A cycle: these come behind the loops, without a header of their own.
    if (RE2::PartialMatch(line, "^ +depth=")) analysis = "machine-cycles";
    bool is_header = false;
    for (const ComparedAnalysis& compared : ComparedAnalyses()) {
      if (compared.header.empty() || !RE2::FullMatch(line, compared.header, &function)) continue;
      is_header = true;
      analysis = compared.name;
      result[{analysis, function}];
      if (analysis == "machine-loops") result[{"machine-cycles", function}];
    }
    if (!is_header && !function.empty()) result[{analysis, function}] += line + "\n";
  }
  return result;
}

TEST(LlcParityTest, CorpusIsAnalysedAsLlcDoes) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not installed";
  std::map<std::string, int> num_compared;
  for (const testing::InputFile& input : testing::CorpusFiles()) {
    DiagnosticEngine diagnostics;
    const std::string mir = testing::ReadFile(input.path);
    const auto module =
        ReadMir(std::make_shared<const SourceBuffer>(input.path, mir), ptx::PtxTargetInfo(), diagnostics);
    ASSERT_NE(module, nullptr) << input.path;
    // llc's reader does so.
    for (const auto& function : module->machine_functions()) function->RenumberBlocks();
    std::string passes;
    for (const ComparedAnalysis& analysis : ComparedAnalyses()) {
      passes += (passes.empty() ? "print<" : ",print<") + analysis.name + ">";
    }
    std::string output;
    const bool ok = testing::RunCommand(
        {llc, "-mtriple=nvptx64-nvidia-cuda", "-x", "mir", "-passes=" + passes, input.path, "-o", "/dev/null"}, output);
    // Its reader refuses some of what its writer writes.
    if (!ok) continue;
    const auto expected = SplitOutput(output);
    for (const ComparedAnalysis& analysis : ComparedAnalyses()) {
      for (const auto& function : module->machine_functions()) {
        const auto found = expected.find({analysis.name, std::string(function->name())});
        if (found == expected.end()) continue;
        AnalysisManager analyses(*function);
        std::string text;
        analysis.get(analyses).Print(text);
        std::vector<std::string> wanted = Lines(found->second);
        std::vector<std::string> got = Lines(text);
        std::sort(wanted.begin(), wanted.end());
        std::sort(got.begin(), got.end());
        ASSERT_EQ(got, wanted) << analysis.name << " of " << function->name() << " in " << input.path;
        ++num_compared[analysis.name];
      }
    }
  }
  for (const ComparedAnalysis& analysis : ComparedAnalyses()) EXPECT_GT(num_compared[analysis.name], 100);
}

}  // namespace
}  // namespace ptxmir
