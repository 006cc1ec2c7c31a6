// SPDX-License-Identifier: Apache-2.0

// Compares our control flow analyses of the corpus' kernels with the output of llc-22: dominators, post-dominators,
// loops, cycles, probabilities and frequencies. Lists whose order has no meaning are sorted in both.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/frequency/machine_block_frequencies.h"
#include "analysis/frequency/machine_branch_probabilities.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "ptx/target/ptx_target.h"
#include "re2/re2.h"
#include "tests/analysis/graph_fixture.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

struct ComparedAnalysis {
  std::string name;  // in -passes
  // Matches the line before each function's output, which contains the function's name. Empty if llc prints none.
  std::string header;
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
      {"machine-branch-prob", "Printing analysis 'Machine Branch Probability Analysis' for machine function '(.*)':",
       Get<MachineBranchProbabilities>},
      {"machine-block-freq", "Machine block frequency for machine function: (.*)", Get<MachineBlockFrequencies>},
  };
  return *analyses;
}

// Removes meaningless differences from a line: the spelling of blocks, search numbers, the order of lists.
std::string Normalize(std::string line) {
  static const auto* kDfsNumbers = new RE2(" *\\{[0-9]+,[0-9]+\\}");
  static const auto* kBlockName = new RE2("%?bb\\.([0-9]+)[^ ,<)(]*( \\([^)]*\\))?");
  static const auto* kFrequency = new RE2("(BB[0-9]+)(\\[.*\\])?: float = [^,]*,");
  RE2::GlobalReplace(&line, *kDfsNumbers, "");
  RE2::GlobalReplace(&line, *kFrequency, "\\1");
  RE2::GlobalReplace(&line, *kBlockName, "bb.\\1");
  RE2::GlobalReplace(&line, ",", " ");
  RE2::GlobalReplace(&line, "  <<exit", " <<exit");
  // Sort adjacent blocks.
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

// Trees and forests are compared as sets of lines, too. A line contains its depth and its blocks.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("====") || line.starts_with("Inorder")) continue;
    lines.push_back(Normalize(line));
  }
  return lines;
}

// Splits llc's output into the parts for each analysis and function, by the names of both.
std::map<std::pair<std::string, std::string>, std::string> SplitOutput(const std::string& output) {
  std::map<std::pair<std::string, std::string>, std::string> result;
  std::istringstream in(output);
  std::string function, analysis;
  for (std::string line; std::getline(in, line);) {
    // Cycles come after the loops, without a header of their own.
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

// Returns true if a different block of an endless loop is a root of the post-dominator tree, which happens
// occasionally.
bool HasOtherEndlessRoots(const MachineFunction& function, AnalysisManager& analyses,
                          const std::vector<std::string>& llc_lines, const std::vector<std::string>& our_lines) {
  const auto roots = [](const std::vector<std::string>& lines) {
    return *std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("Roots"); });
  };
  if (roots(llc_lines) == roots(our_lines)) return false;
  const auto ours = analyses.Get<MachinePostDominatorTree>().roots();
  return std::any_of(ours.begin(), ours.end(),
                     [&](BlockNumber root) { return !function.block(root)->successors().empty(); });
}

// Compares the analyses for each function of the module that llc has read. Counts the comparisons by analysis.
void CompareWithLlc(const std::string& llc, const std::string& path, std::map<std::string, int>& num_compared) {
  DiagnosticEngine diagnostics;
  const auto module =
      ReadMir(std::make_shared<const SourceBuffer>(path, testing::ReadFile(path)), ptx::PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << path << diagnostics.ToString();
  // llc's reader renumbers the blocks, too.
  for (const auto& function : module->machine_functions()) function->RenumberBlocks();
  std::string passes;
  for (const ComparedAnalysis& analysis : ComparedAnalyses()) {
    passes += (passes.empty() ? "print<" : ",print<") + analysis.name + ">";
  }
  std::string output;
  const bool ok = testing::RunCommand(
      {llc, "-mtriple=nvptx64-nvidia-cuda", "-x", "mir", "-passes=" + passes, path, "-o", "/dev/null"}, output);
  // llc's reader rejects some output of its own writer.
  if (!ok) return;
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
      if (analysis.name == "machine-post-dom-tree" && HasOtherEndlessRoots(*function, analyses, wanted, got)) continue;
      ++num_compared[analysis.name];
      ASSERT_EQ(got, wanted) << analysis.name << " of " << function->name() << " in " << path;
    }
  }
}

TEST(LlcParityTest, CorpusIsAnalysedAsLlcDoes) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not installed";
  std::map<std::string, int> num_compared;
  for (const testing::InputFile& input : testing::CorpusFiles()) {
    ASSERT_NO_FATAL_FAILURE(CompareWithLlc(llc, input.path, num_compared));
  }
  for (const ComparedAnalysis& analysis : ComparedAnalyses()) EXPECT_GT(num_compared[analysis.name], 100);
}

// The corpus has hardly any irreducible cycles.
TEST(LlcParityTest, RandomGraphsAreAnalysedAsLlcDoes) {
  const std::string llc = testing::FindLlc();
  if (llc.empty()) GTEST_SKIP() << "llc-22 is not installed";
  std::mt19937 random(1);
  constexpr int kFunctions = 400;
  std::string mir;
  for (int i = 0; i < kFunctions; ++i) {
    const auto graph = testing::MakeRandomGraph(random, 20);
    // The graph follows an entry block to which no edge leads.
    StrAppend(&mir, "---\nname: f", i, "\nbody: |\n  bb.0:\n    successors: %bb.1(0x80000000)\n\n");
    for (const MachineBasicBlock& block : *graph) {
      StrAppend(&mir, "  bb.", block.number() + 1, ":\n");
      const size_t count = block.successors().size();
      if (count > 0) mir += "    successors: ";
      uint32_t rest = uint32_t{1} << 31;
      for (size_t k = 0; k < count; ++k) {
        const uint32_t weight = k + 1 == count ? rest : 1 + random() % (rest - 1);
        rest -= weight;
        StrAppend(&mir, k == 0 ? "" : ", ", "%bb.", block.successors()[k]->number() + 1, "(", weight, ")");
      }
      mir += "\n\n";
      if (count == 0) mir += "    Return\n";
      if (count == 2) {
        const BlockNumber first = block.successors().front()->number() + 1;
        StrAppend(&mir, "    %", block.number(), ":b1 = IMPLICIT_DEF\n    CBranch %", block.number(), ", %bb.", first,
                  "\n");
      }
      if (count > 0) StrAppend(&mir, "    GOTO %bb.", block.successors().back()->number() + 1, "\n");
      mir += "\n";
    }
    mir += "...\n";
  }
  const std::string path = testing::TemporaryPath("graphs.mir");
  testing::WriteFile(path, mir);
  std::map<std::string, int> num_compared;
  ASSERT_NO_FATAL_FAILURE(CompareWithLlc(llc, path, num_compared));
  for (const ComparedAnalysis& analysis : ComparedAnalyses()) {
    const bool may_differ = analysis.name == "machine-post-dom-tree";
    EXPECT_GE(num_compared[analysis.name], may_differ ? kFunctions * 95 / 100 : kFunctions) << analysis.name;
  }
}

}  // namespace
}  // namespace ptxmir
