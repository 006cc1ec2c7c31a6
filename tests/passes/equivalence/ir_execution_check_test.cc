// SPDX-License-Identifier: Apache-2.0

// -verify-exec finds passes on LLVM IR that change what a kernel computes, and only those.

#include "passes/equivalence/ir_execution_check.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/program_reader.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/ir_pipeline_runner.h"
#include "tests/sdag/from_ir/execution_comparison.h"

namespace ptxmir {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f(i32 %x) {
  %1 = sub i32 %x, 3
  ret i32 %1
}
define ptx_kernel void @k(ptr %out, i32 %n) {
  %1 = call i32 @f(i32 %n)
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr i32, ptr %out, i32 %2
  store i32 %1, ptr %3, align 4
  ret void
}
define ptx_kernel void @other(ptr %out) {
  store i32 7, ptr %out, align 4
  ret void
}
)";

std::unique_ptr<Module> Lower(const std::string& text, DiagnosticEngine& diagnostics) {
  std::string errors;
  std::unique_ptr<Module> module = ptxmir::testing::SelectIr("test.ll", text, "sm_80", "", 0, &errors);
  if (module == nullptr) diagnostics.Error(errors);
  return module;
}

ir::Instruction& FirstOf(ir::Function& function) { return *function.entry().first(); }

// Makes x - 3 of the function x - n.
IrPassResult SubtractFromF(ir::Function& function, uint64_t n) {
  if (function.signature().name != "f") return {};
  ir::Instruction& sub = FirstOf(function);
  sub.use(1).Set(*function.Integer(sub.type(), n));
  return {.changed = true};
}
IrPassResult SubtractFour(ir::Function& function, IrPassContext&) { return SubtractFromF(function, 4); }
IrPassResult SubtractThree(ir::Function& function, IrPassContext&) { return SubtractFromF(function, 3); }

// Erases the first store of the program.
IrPassResult EraseStores(ir::Program& program, IrPassContext&) {
  for (const auto& function : program.functions()) {
    for (ir::BasicBlock* block : function->blocks()) {
      for (ir::Instruction* i = block->first(); i != nullptr; i = i->next()) {
        if (i->opcode() != ir::Opcode::kStore) continue;
        i->EraseFromParent();
        return {.changed = true};
      }
    }
  }
  return {};
}

class IrExecutionCheckTest : public ::testing::Test {
 protected:
  bool Run(const PassInfo& pass, const std::string& text = kText) {
    ir::ProgramFile file = ir::ReadProgram(std::make_shared<SourceBuffer>("test.ll", text), diagnostics_);
    PipelineStep step;
    step.pass = &pass;
    step.instance = 1;
    const Pipeline pipeline = {step};
    RunOptions options;
    options.ir_execution_checker = &checker_;
    RunReport report;
    return RunIrPipeline(*file.program, pipeline, options, diagnostics_, report);
  }

  IrExecutionChecker checker_{Lower, 1};  // of 64 threads
  DiagnosticEngine diagnostics_;
};

TEST_F(IrExecutionCheckTest, NamesThePassTheFunctionAndAKernelThatReachesIt) {
  const PassInfo pass = {.name = "breaks", .description = "", .run_on_ir = SubtractFour};
  EXPECT_FALSE(Run(pass));
  EXPECT_THAT(diagnostics_.ToString(),
              HasSubstr("pass 'breaks' changed what function 'f' computes: in kernel 'k' on input 0"));
}

TEST_F(IrExecutionCheckTest, AcceptsAPassThatKeepsTheResults) {
  const PassInfo pass = {.name = "keeps", .description = "", .run_on_ir = SubtractThree};
  EXPECT_TRUE(Run(pass)) << diagnostics_.ToString();
  // Only the kernel that calls the function runs.
  EXPECT_EQ(checker_.num_compared(), 1u);
  EXPECT_EQ(checker_.num_undecided(), 0u);
}

// Returns a program whose threads exchange their own f(tid) with a word that `place` is the number of.
std::string Exchange(const std::string& place) {
  return R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f(i32 %x) {
  %1 = sub i32 %x, 3
  ret i32 %1
}
define ptx_kernel void @k(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = call i32 @f(i32 %tid)
  %p = getelementptr i32, ptr %out, i32 )" +
         place + R"(
  %old = atomicrmw xchg ptr %p, i32 %v monotonic
  ret void
}
)";
}

TEST_F(IrExecutionCheckTest, ADifferenceWhereTheOrderOfAtomicsMattersDecidesNothing) {
  const PassInfo pass = {.name = "breaks", .description = "", .run_on_ir = SubtractFour};
  EXPECT_TRUE(Run(pass, Exchange("0"))) << diagnostics_.ToString();
  EXPECT_EQ(checker_.num_undecided(), 1u);
}

TEST_F(IrExecutionCheckTest, AtomicsWhoseOrderDoesNotMatterHideNothing) {
  const PassInfo pass = {.name = "breaks", .description = "", .run_on_ir = SubtractFour};
  EXPECT_FALSE(Run(pass, Exchange("%tid")));
}

TEST_F(IrExecutionCheckTest, ComparesAllKernelsAfterAPassOverTheProgram) {
  const PassInfo pass = {.name = "erases", .description = "", .run_on_program = EraseStores};
  EXPECT_FALSE(Run(pass));
  EXPECT_THAT(diagnostics_.ToString(), HasSubstr("pass 'erases' changed what kernel 'k' computes: on input 0"));
}

}  // namespace
}  // namespace ptxmir
