// SPDX-License-Identifier: Apache-2.0

// Compares early-machinelicm, machine-cse and machine-sink, configured to behave like LLVM's, and opt-phis,
// unreachable-mbb-elimination and removeredundantdebugvalues with llc-22 -run-pass on the corpus: every block must have
// the same instructions in the same order. llc does not read all MIR; such files are skipped.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "options/knobs.h"
#include "passes/pipeline/pass_table.h"
#include "ptx/isa/isa_opcodes.h"
#include "ptx/target/ptx_target.h"
#include "tests/analysis/mir_fixture.h"
#include "tests/parity/external_tools.h"

namespace ptxmir {
namespace {

// Returns the names of the instructions, one line for each block. Jumps are omitted, and so are blocks that contain
// nothing else, because llc splits more edges. Debug instructions are omitted unless `with_debug`.
std::string InstrNames(const MachineFunction& function, bool with_debug) {
  std::string text;
  for (const MachineBasicBlock& block : function) {
    std::string line;
    for (const MachineInstr& instr : block) {
      if ((with_debug || !instr.is_debug()) && instr.opcode() != ptx::op::GOTO)
        StrAppend(&line, " ", instr.desc().name);
    }
    if (!line.empty()) StrAppend(&text, line, "\n");
  }
  return text;
}

class LlvmPassesParityTest : public ::testing::Test {
 protected:
  void SetUp() override {
    llc_ = testing::FindLlc();
    if (llc_.empty()) GTEST_SKIP() << "llc-22 is not installed";
  }

  // Runs the pass, here and in llc, on llc's input to the pass, for all functions of the corpus.
  void CompareOnCorpus(std::string_view pass, std::string_view flag = "") {
    if (!flag.empty()) {
      ASSERT_TRUE(knobs_.ParseFlag(flag).value());
    }
    for (const testing::InputFile& input : testing::CorpusFiles()) {
      const std::string text = testing::ReadFile(input.path);
      // The largest files add nothing to the test. llc does not touch functions that are not to be optimized, and
      // it does not terminate on some functions that are not in SSA form.
      if (text.size() > 400000 || text.find("optnone") != std::string::npos ||
          text.find("isSSA:           true") == std::string::npos) {
        continue;
      }
      const auto before =
          testing::RunLlcOn(llc_, input, text, {"-start-after=finalize-isel", StrCat("-stop-before=", pass)});
      if (!before.has_value()) continue;
      const auto after = testing::RunLlcOn(llc_, input, *before, {StrCat("-run-pass=", pass)});
      if (!after.has_value()) continue;
      const std::unique_ptr<Module> ours = testing::ReadModule(*before), theirs = testing::ReadModule(*after);
      ASSERT_NE(ours, nullptr);
      ASSERT_NE(theirs, nullptr);
      for (size_t i = 0; i < ours->machine_functions().size(); ++i) {
        Compare(*ours->machine_functions()[i], *theirs->machine_functions()[i], pass, input.path);
      }
    }
  }

  void Compare(MachineFunction& ours, const MachineFunction& theirs, std::string_view pass, std::string_view where) {
    const std::string old_names = InstrNames(ours, with_debug_), expected = InstrNames(theirs, with_debug_);
    StandalonePassContext standalone(ours, {.knobs = &knobs_});
    FindPass(pass)->run(ours, standalone.context);
    ++num_compared_;
    num_changed_ += old_names != expected;
    if (InstrNames(ours, with_debug_) == expected) return;
    ++num_different_;
    StrAppend(&differences_, ours.name(), " in ", where, "\n");
  }

  std::string llc_;
  Knobs knobs_;
  bool with_debug_ = false;
  int num_compared_ = 0;
  int num_changed_ = 0;
  int num_different_ = 0;
  std::string differences_;
};

TEST_F(LlvmPassesParityTest, CommonSubexpressionsGoAsInLlc) {
  CompareOnCorpus("machine-cse", "rp-aware-mcse=false");
  EXPECT_GT(num_compared_, 250);
  EXPECT_GT(num_changed_, 90);
  EXPECT_EQ(num_different_, 0) << differences_;
}

TEST_F(LlvmPassesParityTest, InstructionsAreHoistedAsInLlc) {
  CompareOnCorpus("early-machinelicm", "enable-mlicm");
  EXPECT_GT(num_compared_, 250);
  EXPECT_GT(num_changed_, 50);
  EXPECT_EQ(num_different_, 0) << differences_;
}

TEST_F(LlvmPassesParityTest, InstructionsSinkAsInLlc) {
  CompareOnCorpus("machine-sink", "nvptx-enable-machine-sink");
  EXPECT_GT(num_compared_, 250);
  EXPECT_GT(num_changed_, 120);
  // llc splits the edges to loop headers, and it knows less about the aliases of loads and stores.
  EXPECT_LE(num_different_, 12) << differences_;
}

TEST_F(LlvmPassesParityTest, PhisGoAsInLlc) {
  CompareOnCorpus("opt-phis");
  EXPECT_GT(num_compared_, 250);
  // llc keeps PHIs that are equal because they read each other, until its coalescer joins their registers.
  EXPECT_LE(num_different_, 1) << differences_;
}

TEST_F(LlvmPassesParityTest, UnreachableBlocksGoAsInLlc) {
  CompareOnCorpus("unreachable-mbb-elimination");
  EXPECT_GT(num_compared_, 250);
  EXPECT_EQ(num_different_, 0) << differences_;
}

TEST_F(LlvmPassesParityTest, DebugValuesGoAsInLlc) {
  with_debug_ = true;
  CompareOnCorpus("removeredundantdebugvalues");
  EXPECT_GT(num_compared_, 100);
  EXPECT_EQ(num_different_, 0) << differences_;
}

}  // namespace
}  // namespace ptxmir
