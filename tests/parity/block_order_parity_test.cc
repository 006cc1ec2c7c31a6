// SPDX-License-Identifier: Apache-2.0

// Compares branch-folder and block-placement with llc-22 -run-pass. The blocks must be the same, in the same order,
// and end alike, on the corpus and on random functions except for a few with irreducible control flow. llc skips
// functions that are not to be optimized, and it does not read all MIR; such files are skipped.

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_writer.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

// Returns a line for each block: its number, its successors, its number of instructions, and its branches.
std::string Layout(const MachineFunction& function) {
  std::string text;
  for (const MachineBasicBlock& block : function) {
    StrAppend(&text, "bb.", block.number(), " ", block.CountInstrs(), " ->");
    for (size_t i = 0; i < block.successors().size(); ++i) {
      StrAppend(&text, " ", block.successors()[i]->number());
    }
    for (const MachineInstr* instr = block.FirstTerminator(); instr != nullptr; instr = instr->next()) {
      StrAppend(&text, "; ", instr->desc().name);
      for (const MachineOperand& operand : instr->operands()) {
        if (operand.is_block()) StrAppend(&text, " ", operand.block());
      }
    }
    text += "\n";
  }
  return text;
}

// Random functions with blocks that end in every possible form: loops with one or several entries, blocks without
// code, unreachable blocks, and jumps to the next block. There are few kinds of probabilities, so that many are
// equal.
class RandomFunctions {
 public:
  explicit RandomFunctions(uint32_t seed) : random_(seed) {}

  // Makes a module of `count` functions.
  std::string Make(int count) {
    std::string ir = "--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n", functions;
    for (int i = 0; i < count; ++i) {
      StrAppend(&ir, "  define void @f", i, "() { ret void }\n");
      StrAppend(&functions, "---\nname: f", i, "\nbody: |\n");
      AddBody(functions);
      functions += "...\n";
    }
    return StrCat(ir, "...\n", functions);
  }

 private:
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

  void AddBody(std::string& text) {
    const uint32_t num_blocks = 3 + Below(Below(4) == 0 ? 60 : 12);
    // Targets are mostly near, so that there are inner loops.
    const auto target = [&](uint32_t block) {
      const uint32_t near = block + 4 > Below(8) ? block + 4 - Below(8) : 1;
      return Below(4) == 0 || near == 0 || near >= num_blocks ? 1 + Below(num_blocks - 1) : near;
    };
    for (uint32_t block = 0; block < num_blocks; ++block) {
      const bool is_last = block + 1 == num_blocks;
      const uint32_t kind = is_last ? Below(2) : Below(8);
      const uint32_t first = target(block), second = kind < 5 ? target(block) : block + 1;
      // LLVM hoists the common beginning of both targets. If both are the same block, it loses code.
      const bool is_jump = kind <= 2 || (first == second && kind < 7);
      StrAppend(&text, "  bb.", block, ":\n");
      std::string ending;
      if (kind == 0 && (is_last || Below(3) == 0)) {
        ending = "    Return\n";
      } else if (is_jump) {
        AddSuccessors(text, {first});
        ending = StrCat("    GOTO %bb.", first, "\n");
      } else if (kind == 7) {
        AddSuccessors(text, {block + 1});
      } else {
        AddSuccessors(text, {first, second});
        ending = StrCat("    CBranch %1, %bb.", first, "\n");
        if (kind < 5) StrAppend(&ending, "    GOTO %bb.", second, "\n");
      }
      if (block == 0) text += "    %0:b32 = IMPLICIT_DEF\n    %1:b1 = SETP_i32ri %0, 0, 0\n";
      for (uint32_t i = Below(3); i > 0; --i) StrAppend(&text, "    %0:b32 = ADD32ri %0, ", block, "\n");
      text += ending;
    }
  }

  void AddSuccessors(std::string& text, const std::vector<uint32_t>& successors) {
    constexpr uint32_t kOne = BranchProbability::kDenominator;
    uint32_t left = kOne;
    text += "    successors:";
    for (size_t i = 0; i < successors.size(); ++i) {
      const uint32_t share = i + 1 == successors.size() ? left : kOne / 16 * (1 + Below(15));
      left -= share;
      StrAppend(&text, i == 0 ? " " : ", ", "%bb.", successors[i], "(", share, ")");
    }
    text += "\n";
  }

  std::mt19937 random_;
};

class BlockOrderParityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    llc_ = testing::FindLlc();
    if (llc_.empty()) GTEST_SKIP() << "llc-22 is not installed";
  }

  // Runs both passes, here and in llc, on the functions of `module`, which have left SSA form.
  void Compare(Module& module, const testing::InputFile& input) {
    for (const std::string_view pass : {"branch-folder", "block-placement"}) {
      std::string before;
      WriteMir(module, {}, before);
      const auto after = testing::RunLlcOn(llc_, input, before, {StrCat("-run-pass=", pass)});
      if (!after.has_value()) return;
      const std::unique_ptr<Module> theirs = testing::ReadModule(*after);
      ASSERT_NE(theirs, nullptr);
      for (size_t i = 0; i < module.machine_functions().size(); ++i) {
        MachineFunction& function = *module.machine_functions()[i];
        const std::string old_layout = Layout(function);
        StandalonePassContext standalone(function);
        FindPass(pass)->run(function, standalone.context);
        const std::string ours = Layout(function), expected = Layout(*theirs->machine_functions()[i]);
        ++num_compared_;
        num_changed_ += ours != old_layout;
        if (ours == expected) continue;
        ++num_different_;
        StrAppend(&differences_, pass, " of ", function.name(), " in ", input.path, ":\n", old_layout, "became\n", ours,
                  "instead of\n", expected);
      }
    }
  }

  std::string llc_;
  int num_compared_ = 0;
  int num_changed_ = 0;
  int num_different_ = 0;
  std::string differences_;
};

TEST_F(BlockOrderParityTest, CorpusIsLaidOutAsByLlc) {
  for (const testing::InputFile& input : testing::CorpusFiles()) {
    const std::string text = testing::ReadFile(input.path);
    // The largest files add nothing to the test.
    if (text.size() > 400000 || text.find("optnone") != std::string::npos) continue;
    const std::unique_ptr<Module> module = testing::ReadModule(text);
    ASSERT_NE(module, nullptr) << input.path;
    for (const auto& function : module->machine_functions()) testing::LeaveSsaForm(*function);
    Compare(*module, input);
    ASSERT_EQ(differences_, "");
  }
  EXPECT_GT(num_compared_, 300);
  EXPECT_GT(num_changed_, 100);
}

TEST_F(BlockOrderParityTest, RandomFunctionsAreLaidOutAsByLlc) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    const std::unique_ptr<Module> module = testing::ReadModule(RandomFunctions(seed).Make(100));
    ASSERT_NE(module, nullptr);
    testing::InputFile input;
    input.path = StrCat("the module of seed ", seed);
    input.cpu = "sm_80";
    Compare(*module, input);
  }
  EXPECT_EQ(num_compared_, 2000);
  EXPECT_GT(num_changed_, 1000);
  // If several blocks wait for each other, LLVM takes them in the order of its own walk.
  EXPECT_LE(num_different_, 40) << differences_;
}

}  // namespace
}  // namespace ptxmir
