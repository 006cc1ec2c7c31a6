// SPDX-License-Identifier: Apache-2.0

// The probabilities of edges of IR agree with those of LLVM's BranchProbabilityInfo, over the IR of the corpus. Left
// out are branches on "fcmp oeq", which LLVM takes for likely although its comment says the opposite.

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/frequency/branch_probabilities.h"
#include "ir/text/program_reader.h"
#include "re2/re2.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

// Keyed by function, block and successor. An edge that a block has twice counts twice.
using Edges = std::multimap<std::string, uint32_t>;

std::string NameOf(const ir::BasicBlock& block, const ir::Function& function) {
  return block.name() != 0 ? StrCat("%", function.name(block.name())) : StrCat("%", block.slot());
}

bool IsBranchOnOeq(const ir::Instruction& terminator) {
  if (terminator.opcode() != ir::Opcode::kBr || terminator.num_successors() != 2) return false;
  if (!terminator.operand(0).is_instruction()) return false;
  const auto& compare = static_cast<const ir::Instruction&>(terminator.operand(0));
  return compare.opcode() == ir::Opcode::kFCmp && compare.predicate() == ir::Predicate::kOeq;
}

Edges OurEdges(const std::string& ir) {
  DiagnosticEngine diagnostics;
  const ir::ProgramFile file = ir::ReadProgram(std::make_shared<SourceBuffer>("k.ll", ir), diagnostics);
  EXPECT_NE(file.program, nullptr) << diagnostics.ToString();
  Edges edges;
  if (file.program == nullptr) return edges;
  for (const std::unique_ptr<ir::Function>& function : file.program->functions()) {
    const ir::BranchProbabilities probabilities(*function);
    for (const ir::BasicBlock* block : function->blocks()) {
      const ir::Instruction& terminator = *block->terminator();
      if (IsBranchOnOeq(terminator)) continue;
      for (unsigned i = 0; i < terminator.num_successors(); ++i) {
        edges.emplace(StrCat(function->signature().name, ": ", NameOf(*block, *function), " -> ",
                             NameOf(terminator.successor(i), *function)),
                      probabilities.Edge(*block, i));
      }
    }
  }
  return edges;
}

Edges LlvmEdges(const std::string& opt, const std::string& path) {
  std::string text;
  EXPECT_TRUE(RunCommand({opt, "-passes=print<branch-prob>", "-disable-output", path}, text)) << text;
  static const re2::RE2 kFunction("Printing analysis 'Branch Probability Analysis' for function '(.*)':");
  static const re2::RE2 kEdge("  edge (%.*) -> (%.*) probability is 0x([0-9a-f]+) / .*");
  Edges edges;
  std::istringstream in(text);
  std::string function, from, to;
  for (std::string line; std::getline(in, line);) {
    uint32_t probability = 0;
    re2::RE2::FullMatch(line, kFunction, &function);
    if (!re2::RE2::FullMatch(line, kEdge, &from, &to, re2::RE2::Hex(&probability))) continue;
    // LLVM prints the sum of edges to one successor for each of them.
    edges.emplace(StrCat(function, ": ", from, " -> ", to), probability);
  }
  return edges;
}

TEST(BranchProbabilitiesParityTest, EdgesOfTheCorpusAreAsLikelyAsLlvmSays) {
  const std::string opt = testing::FindOpt();
  if (opt.empty()) GTEST_SKIP() << "there is no opt-22";
  size_t num_edges = 0, num_different = 0;
  std::string differences;
  for (const testing::InputFile& file : testing::CorpusFiles()) {
    const std::string ir = testing::EmbeddedIr(testing::ReadFile(file.path));
    const std::string path = testing::TemporaryPath(StrCat(file.name, ".ll"));
    testing::WriteFile(path, ir);
    const Edges ours = OurEdges(ir);
    const Edges theirs = LlvmEdges(opt, path);
    for (const auto& [edge, probability] : theirs) {
      uint64_t sum = 0;
      const auto [begin, end] = ours.equal_range(edge);
      if (begin == end) continue;
      for (auto it = begin; it != end; ++it) sum += it->second;
      ++num_edges;
      // Rounding differs where probabilities are added.
      const uint64_t distance = sum > probability ? sum - probability : probability - sum;
      if (distance <= 64) continue;
      ++num_different;
      StrAppend(&differences, file.name, " ", edge, ": ", sum, " for ", probability, "\n");
    }
  }
  EXPECT_GT(num_edges, 5000u);
  RecordProperty("edges", static_cast<int>(num_edges));
  EXPECT_LE(num_different * 1000, num_edges) << num_different << " of " << num_edges << "\n" << differences;
}

}  // namespace
}  // namespace ptxmir
