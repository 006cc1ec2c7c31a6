// SPDX-License-Identifier: Apache-2.0

#include "tools/reduce/reducer.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "mir/verify/verifier.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

std::string CorpusFile(std::string_view name) {
  const auto buffer = SourceBuffer::FromFile(StrCat("tests/corpus/", name));
  EXPECT_TRUE(buffer.ok()) << buffer.status().ToString();
  return buffer.ok() ? std::string((*buffer)->text()) : std::string();
}

// Every file that is passed to a predicate must be readable and valid.
std::unique_ptr<Module> MustVerify(std::string_view mir) {
  DiagnosticEngine diagnostics;
  auto module = ReadMir(std::make_shared<const SourceBuffer>("test", mir), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  if (module == nullptr) return nullptr;
  for (const auto& function : module->machine_functions()) {
    std::string report;
    EXPECT_TRUE(VerifyMachineFunction(*function, report)) << report;
  }
  return module;
}

bool HasPrefix(const MachineInstr& instr, std::string_view prefix) {
  return instr.function().target().Name(instr.opcode()).starts_with(prefix);
}

// Returns true if a value reaches a store through any number of instructions.
bool ReachesStore(const MachineFunction& function, Register reg, std::vector<bool>& seen) {
  if (!reg.is_virtual() || seen[reg.virtual_index()]) return false;
  seen[reg.virtual_index()] = true;
  for (const MachineOperand& use : function.reg_info().Uses(reg)) {
    const MachineInstr& user = *use.parent();
    if (user.desc().Has(InstrFlag::kMayStore)) return true;
    for (const MachineOperand& operand : user.operands()) {
      if (operand.is_def() && ReachesStore(function, operand.reg(), seen)) return true;
    }
  }
  return false;
}

bool StoresQuotient(std::string_view mir) {
  const auto module = MustVerify(mir);
  if (module == nullptr) return false;
  for (const auto& function : module->machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      for (const MachineInstr& instr : block) {
        std::vector<bool> seen(function->reg_info().num_virtual_registers(), false);
        if (HasPrefix(instr, "UDIV32") && ReachesStore(*function, instr.operand(0).reg(), seen)) return true;
      }
    }
  }
  return false;
}

bool IsInLoop(const MachineBasicBlock& block) {
  std::vector<bool> seen(block.function().block_number_bound(), false);
  std::vector<const MachineBasicBlock*> pending = {&block};
  while (!pending.empty()) {
    const MachineBasicBlock* at = pending.back();
    pending.pop_back();
    for (const MachineBasicBlock* successor : at->successors()) {
      if (successor == &block) return true;
      if (seen[successor->number()]) continue;
      seen[successor->number()] = true;
      pending.push_back(successor);
    }
  }
  return false;
}

bool HasRemainderInLoop(std::string_view mir) {
  const auto module = MustVerify(mir);
  if (module == nullptr) return false;
  for (const auto& function : module->machine_functions()) {
    for (const MachineBasicBlock& block : *function) {
      if (std::any_of(block.begin(), block.end(), [](const MachineInstr& i) { return HasPrefix(i, "SREM32"); }) &&
          IsInLoop(block)) {
        return true;
      }
    }
  }
  return false;
}

struct Size {
  size_t functions = 0, blocks = 0, instrs = 0;
};

Size SizeOf(const std::string& mir) {
  Size size;
  const auto module = MustVerify(mir);
  if (module == nullptr) return size;
  for (const auto& function : module->machine_functions()) {
    ++size.functions;
    size.blocks += function->num_blocks();
    size.instrs += function->CountInstrs();
  }
  return size;
}

std::string MustReduce(const std::string& mir, const Reducer::Predicate& predicate) {
  Reducer reducer(ptx::PtxTargetInfo(), predicate);
  const absl::StatusOr<std::string> result = reducer.Reduce("test.mir", mir);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  if (!result.ok()) return "";
  EXPECT_TRUE(predicate(*result)) << *result;
  return *result;
}

TEST(Reducer, KeepsADataFlowChain) {
  const std::string original = CorpusFile("wide_integers.mir");
  ASSERT_TRUE(StoresQuotient(original));
  ASSERT_GT(SizeOf(original).instrs, 500u);
  const std::string result = MustReduce(original, StoresQuotient);
  const Size size = SizeOf(result);
  EXPECT_EQ(size.functions, 1u) << result;
  EXPECT_EQ(size.blocks, 1u) << result;
  EXPECT_LE(size.instrs, 6u) << result;
  EXPECT_LE(std::count(result.begin(), result.end(), '\n'), 35) << result;
  // No parameter of the kernel was needed.
  EXPECT_NE(result.find("Quotients"), std::string::npos) << result;
  EXPECT_NE(result.find("() {\n"), std::string::npos) << result;
  // Registers and blocks are numbered from 0, without gaps, in the order of the text.
  EXPECT_NE(result.find("bb.0:"), std::string::npos) << result;
  EXPECT_NE(result.find("    %0:b"), std::string::npos) << result;
}

TEST(Reducer, KeepsALoop) {
  const std::string original = CorpusFile("nbody.mir");
  ASSERT_TRUE(HasRemainderInLoop(original));
  const std::string result = MustReduce(original, HasRemainderInLoop);
  const Size size = SizeOf(result);
  EXPECT_EQ(size.functions, 1u) << result;
  EXPECT_LE(size.blocks, 2u) << result;
  EXPECT_LE(size.instrs, 6u) << result;
}

TEST(Reducer, KeepsTheEdgesOfAJumpTable) {
  const auto has_table = [](std::string_view mir) {
    const auto module = MustVerify(mir);
    if (module == nullptr) return false;
    return std::any_of(
        module->machine_functions().begin(), module->machine_functions().end(), [](const auto& function) {
          return std::any_of(function->begin(), function->end(),
                             [](const MachineBasicBlock& block) { return block.successors().size() > 2; });
        });
  };
  const std::string original = CorpusFile("jump_table.mir");
  ASSERT_TRUE(has_table(original));
  const std::string result = MustReduce(original, has_table);
  EXPECT_EQ(SizeOf(result).functions, 1u);
  // The block with the table, and three blocks that return.
  EXPECT_EQ(SizeOf(result).blocks, 4u) << result;
  EXPECT_LE(SizeOf(result).instrs, 12u) << result;
}

TEST(Reducer, LeavesNothingThatIsNotWanted) {
  const auto always = [](std::string_view mir) { return MustVerify(mir) != nullptr; };
  const std::string result = MustReduce(CorpusFile("debug_full.mir"), always);
  EXPECT_EQ(SizeOf(result).functions, 0u) << result;
  EXPECT_EQ(result.find("define"), std::string::npos) << result;
  EXPECT_EQ(result.find("!"), std::string::npos) << result;
}

TEST(Reducer, IsDeterministic) {
  const std::string original = CorpusFile("wide_integers.mir");
  EXPECT_EQ(MustReduce(original, StoresQuotient), MustReduce(original, StoresQuotient));
}

TEST(Reducer, RefusesWhatIsNotInteresting) {
  Reducer reducer(ptx::PtxTargetInfo(), [](std::string_view) { return false; });
  const auto result = reducer.Reduce("dull.mir", CorpusFile("separate.mir"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(FromAbsl(result.status().message()), "'dull.mir' is not interesting");
  EXPECT_EQ(reducer.num_tests(), 1u);
}

TEST(Reducer, RefusesWhatDoesNotReadOrVerify) {
  bool was_asked = false;
  Reducer reducer(ptx::PtxTargetInfo(), [&](std::string_view) { return was_asked = true; });
  const auto unreadable = reducer.Reduce("bad.mir", "---\nname: f\nbody: |\n  bb.0:\n    NONSENSE\n...\n");
  ASSERT_FALSE(unreadable.ok());
  EXPECT_NE(unreadable.status().message().find("bad.mir:5:"), absl::string_view::npos)
      << unreadable.status().ToString();
  // The register has no definition.
  const auto wrong =
      reducer.Reduce("bad.mir", "---\nname: f\nbody: |\n  bb.0:\n    %1:b32 = COPY %0:b32\n    Return\n...\n");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.status().message().find("not well-formed"), absl::string_view::npos);
  EXPECT_FALSE(was_asked);
}

TEST(Reducer, EndsAtTheLimit) {
  size_t num_calls = 0;
  ReducerOptions options;
  options.max_tests = 10;
  Reducer reducer(
      ptx::PtxTargetInfo(), [&](std::string_view mir) { return ++num_calls, StoresQuotient(mir); }, options);
  const auto result = reducer.Reduce("test.mir", CorpusFile("wide_integers.mir"));
  ASSERT_TRUE(result.ok());
  EXPECT_LE(num_calls, 11u);
  EXPECT_TRUE(StoresQuotient(*result));
}

TEST(ReduceList, FindsWhatIsNeeded) {
  std::vector<std::string> items;
  for (int i = 0; i < 100; ++i) items.push_back(StrCat("-knob", i));
  size_t num_calls = 0;
  const auto needs_two = [&](const std::vector<std::string>& knobs) {
    ++num_calls;
    return std::count(knobs.begin(), knobs.end(), "-knob17") == 1 &&
           std::count(knobs.begin(), knobs.end(), "-knob83") == 1;
  };
  EXPECT_EQ(ReduceList(items, needs_two), (std::vector<std::string>{"-knob17", "-knob83"}));
  EXPECT_LT(num_calls, 100u);
  EXPECT_TRUE(ReduceList(items, [](const auto&) { return true; }).empty());
  EXPECT_EQ(ReduceList(items, [](const auto&) { return false; }), items);
}

}  // namespace
}  // namespace ptxmir
