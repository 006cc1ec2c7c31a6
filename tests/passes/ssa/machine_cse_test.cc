// SPDX-License-Identifier: Apache-2.0

#include "passes/ssa/machine_cse.h"

#include <memory>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/text/mir_reader.h"
#include "passes/pass_context.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

// Once, each pair was decided by a walk over the uses of its operand, with a walk through the block for each of them.
// 4,000 pairs took four minutes then; the time limit of a small test is one.
TEST(MachineCseTest, ManyPairsOfOneValueInOneBlockTakeLinearTime) {
  constexpr int kPairs = 20000;
  std::string text = "---\nname: f\ntracksRegLiveness: true\nbody: |\n  bb.0:\n    %0:b32 = INT_PTX_SREG_TID_x\n";
  for (int i = 0; i < 2 * kPairs; ++i) {
    StrAppend(&text, "    %", i + 1, ":b32 = ADD32ri %0, ", i / 2, "\n");
    StrAppend(&text, "    ST_i32 %", i + 1, ", 0, 0, 1, 32, 4096, ", 4 * i, "\n");
  }
  text += "    ST_i32 %0, 0, 0, 1, 32, 4096, 0\n    Return\n...\n";
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<const SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
  ASSERT_NE(module, nullptr) << diagnostics.ToString();
  MachineFunction& function = *module->machine_functions().front();
  const Knobs knobs;
  StandalonePassContext standalone(function, {.knobs = &knobs});
  // Between the store of the first of a pair and the second, one register more would be busy.
  EXPECT_FALSE(RunMachineCse(function, standalone.context).changed);
}

}  // namespace
}  // namespace ptxmir
