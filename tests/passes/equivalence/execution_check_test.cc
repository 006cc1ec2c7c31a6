// SPDX-License-Identifier: Apache-2.0

// -verify-exec finds passes that change what a kernel computes, and only those.

#include "passes/equivalence/execution_check.h"

#include <memory>
#include <string>

#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/text/mir_reader.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir {
namespace {

constexpr std::string_view kText = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  define ptx_kernel void @k(ptr %out, i32 %n) {
    %1 = call i32 @f(i32 %n)
    ret void
  }
  define i32 @f(i32 %x) { ret i32 0 }
...
---
name: k
tracksRegLiveness: true
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b32 = LD_i32 0, 0, 101, 1, 32, -1, &k_param_1, 0
    %2:b32 = INT_PTX_SREG_TID_x
    %3:b64 = MUL_WIDEu32_ri %2, 4
    %4:b64 = ADD64rr %0, %3
    %5:b32 = ADD32rr %2, %1
    Callseq_Start 0, 0
    DECLARE_PARAM_scalar &param0, 32
    ST_i32 %5, 0, 0, 101, 32, &param0, 0
    DECLARE_PARAM_scalar &retval0, 32
    CALL_UNI @f, 1, 1
    %6:b32 = LD_i32 0, 0, 101, 1, 32, -1, &retval0, 0
    Callseq_End 0, 0
    ST_i32 %6, 0, 0, 1, 32, %4, 0
    Return
...
---
name: f
tracksRegLiveness: true
body: |
  bb.0:
    %0:b32 = LD_i32 0, 0, 101, 1, 32, -1, &f_param_0, 0
    %1:b32 = SUB32ri %0, 3
    ST_i32 %1, 0, 0, 101, 32, &func_retval0, 0
    Return
...
)";

// Replaces SUB32ri with an ADD32ri. With `sign` -1 the number is negated, which is correct.
PassResult Rewrite(MachineFunction& function, int64_t sign) {
  PassResult result;
  const Opcode sub = *ptx::PtxTargetInfo().find_opcode("SUB32ri");
  const Opcode add = *ptx::PtxTargetInfo().find_opcode("ADD32ri");
  for (MachineBasicBlock& block : function) {
    for (MachineInstr& instr : block) {
      if (instr.opcode() != sub) continue;
      instr.set_opcode(add);
      instr.operand(2).set_imm(sign * instr.operand(2).imm());
      result.changed = true;
    }
  }
  return result;
}
PassResult RunRight(MachineFunction& function, PassContext&) { return Rewrite(function, -1); }
PassResult RunWrong(MachineFunction& function, PassContext&) { return Rewrite(function, 1); }

std::unique_ptr<Module> Read(std::string_view text = kText) {
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module =
      ReadMir(std::make_shared<SourceBuffer>("test.mir", text), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

// Runs a pipeline that consists of this pass. Returns the messages, and sets `compared` to the number of compared
// runs.
std::string RunChecked(MachineFunctionPass run, uint64_t& compared) {
  const PassInfo pass = {.name = "a-pass", .description = "A pass", .run = run};
  const std::unique_ptr<Module> module = Read();
  ExecutionChecker checker(Read(), /*inputs=*/2);
  RunOptions options;
  options.execution_checker = &checker;
  DiagnosticEngine diagnostics;
  RunReport report;
  RunPipeline(*module, {PipelineStep{.pass = &pass}}, options, diagnostics, report);
  compared = checker.num_compared();
  return diagnostics.ToString();
}

// Returns MIR with one kernel, @k, which has one block. `module` declares the kernel and whatever else it needs.
std::string KernelFile(std::string_view module, std::string_view body) {
  return StrCat(R"(--- |
  target triple = "nvptx64-nvidia-cuda"
)",
                module, R"(...
---
name: k
tracksRegLiveness: true
body: |
  bb.0:
)",
                body, "    Return\n...\n");
}

// Returns a kernel in which %4 is the address of each thread's word, %7 of its neighbor's, and %0 of the first
// word.
std::string Kernel(std::string_view body) {
  return KernelFile(R"(  define ptx_kernel void @k(ptr %out) { ret void }
)",
                    StrCat(R"(    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %2:b32 = INT_PTX_SREG_TID_x
    %3:b64 = MUL_WIDEu32_ri %2, 4
    %4:b64 = ADD64rr %0, %3
    %5:b32 = XOR_b32ri %2, 33
    %6:b64 = MUL_WIDEu32_ri %5, 4
    %7:b64 = ADD64rr %0, %6
)",
                           body));
}

struct Outcome {
  std::string messages;
  uint64_t undecided = 0;
};

Outcome RunOnText(const std::string& text, MachineFunctionPass run) {
  const PassInfo pass = {.name = "a-pass", .description = "A pass", .run = run};
  const std::unique_ptr<Module> module = Read(text);
  ExecutionChecker checker(Read(text), /*inputs=*/1);  // of 64 threads
  RunOptions options;
  options.execution_checker = &checker;
  DiagnosticEngine diagnostics;
  RunReport report;
  RunPipeline(*module, {PipelineStep{.pass = &pass}}, options, diagnostics, report);
  return {diagnostics.ToString(), checker.num_undecided()};
}

Outcome RunOnRace(std::string_view body, MachineFunctionPass run) { return RunOnText(Kernel(body), run); }

// Returns a kernel that leaves nothing in memory. %1 is the position of each thread's texel in a row of a surface,
// %2 is row 1, and %3 is the number of the thread plus 300, which no texel contains before.
std::string SurfaceKernel(std::string_view body) {
  return KernelFile(R"(  @plane = addrspace(1) global i64 0, align 8
  define ptx_kernel void @k() { ret void }
  !nvvm.annotations = !{!0}
  !0 = !{ptr addrspace(1) @plane, !"surface", i32 1}
)",
                    StrCat(R"(    %0:b32 = INT_PTX_SREG_TID_x
    %1:b32 = SHL32_ri %0, 4
    %2:b32 = MOV_B32_i 1
    %3:b32 = SUB32ri %0, -300
)",
                           body));
}

constexpr std::string_view kStoreToTexel = "    SUST_B_2D_I32_TRAP_I @plane, %1, %2, %3\n";

PassResult EraseAll(MachineFunction& function, std::string_view opcode) {
  const Opcode erased = *ptx::PtxTargetInfo().find_opcode(opcode);
  PassResult result;
  for (MachineInstr* instr = function.front()->front(); instr != nullptr;) {
    MachineInstr* const at = instr;
    instr = instr->next();
    if (at->opcode() != erased) continue;
    at->EraseFromParent();
    result.changed = true;
  }
  return result;
}
PassResult EraseBarriers(MachineFunction& function, PassContext&) {
  return EraseAll(function, "BARRIER_CTA_SYNC_ALIGNED_ALL_i");
}
PassResult EraseSurfaceStores(MachineFunction& function, PassContext&) {
  return EraseAll(function, "SUST_B_2D_I32_TRAP_I");
}

TEST(ExecutionCheckTest, ARaceThatComesWithThePassIsAnError) {
  // The loaded value is not used, so the results are the same.
  const Outcome outcome = RunOnRace(
      "    ST_i32 %2, 0, 0, 1, 32, %4, 0\n    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0\n"
      "    %8:b32 = LD_i32 0, 0, 1, 1, 32, -1, %7, 0\n",
      EraseBarriers);
  EXPECT_NE(outcome.messages.find("data-race"), std::string::npos) << outcome.messages;
}

TEST(ExecutionCheckTest, ADifferenceWhereTheOrderOfThreadsMattersDecidesNothing) {
  // All threads store different values to one place, first 3 less than their numbers, and later 3 more.
  const Outcome outcome = RunOnRace("    %8:b32 = SUB32ri %2, 3\n    ST_i32 %8, 0, 0, 1, 32, %0, 0\n", RunWrong);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.undecided, 1u);
}

TEST(ExecutionCheckTest, ARaceThatChangesNothingHidesNothing) {
  // The loaded value depends on the order, but nothing depends on the loaded value.
  const Outcome outcome = RunOnRace(
      "    %8:b32 = SUB32ri %2, 3\n    ST_i32 %8, 0, 0, 1, 32, %4, 0\n    %9:b32 = LD_i32 0, 0, 1, 1, 32, -1, %7, 0\n",
      RunWrong);
  EXPECT_NE(outcome.messages.find("threads race, but another order of theirs changes nothing"), std::string::npos)
      << outcome.messages;
  EXPECT_EQ(outcome.undecided, 0u);
}

TEST(ExecutionCheckTest, ASurfaceStoreThatIsDroppedIsADifference) {
  const Outcome outcome = RunOnText(SurfaceKernel(kStoreToTexel), EraseSurfaceStores);
  EXPECT_NE(outcome.messages.find("pass 'a-pass' changed what function 'k' computes: in kernel 'k' on input 0, byte "),
            std::string::npos)
      << outcome.messages;
  EXPECT_NE(outcome.messages.find(" of the texel at x 0, y 1, z 0 of surface @plane is 0x"), std::string::npos)
      << outcome.messages;
}

TEST(ExecutionCheckTest, ASurfaceStoreOfSomethingElseIsADifference) {
  // 300 in little-endian order.
  const Outcome outcome = RunOnText(SurfaceKernel(kStoreToTexel), RunWrong);
  EXPECT_NE(outcome.messages.find("byte 0 of the texel at x 0, y 1, z 0 of surface @plane is 0xd4, and was 0x2c"),
            std::string::npos)
      << outcome.messages;
}

TEST(ExecutionCheckTest, WhatIsStoredToSurfacesAsBeforeIsNoDifference) {
  const Outcome outcome = RunOnText(SurfaceKernel(kStoreToTexel), RunRight);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.undecided, 0u);
}

TEST(ExecutionCheckTest, ADifferenceOfASurfaceWhereTheOrderOfThreadsMattersDecidesNothing) {
  // All threads store to the texel in row 1 that begins at byte 16.
  const Outcome outcome =
      RunOnText(SurfaceKernel("    %4:b32 = MOV_B32_i 16\n    SUST_B_2D_I32_TRAP_I @plane, %4, %2, %3\n"), RunWrong);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.undecided, 1u);
}

TEST(ExecutionCheckTest, ARaceOnASurfaceThatComesWithThePassIsAnError) {
  // The loaded value is not used, so the results are the same.
  const Outcome outcome =
      RunOnText(SurfaceKernel(StrCat(kStoreToTexel,
                                     "    BARRIER_CTA_SYNC_ALIGNED_ALL_i 0\n    %4:b32 = XOR_b32ri %1, 16\n"
                                     "    %5:b32 = SULD_2D_I32_TRAP_I @plane, %4, %2\n")),
                EraseBarriers);
  EXPECT_NE(
      outcome.messages.find("data-race: a load of 4 bytes at 0x1010 of @plane races with a store by thread (1, 0, 0)"),
      std::string::npos)
      << outcome.messages;
}

// Returns a kernel whose surfaces are arguments, of the same type as a number that it stores. %0 and %1 are the
// surfaces; the rest is as in SurfaceKernel.
std::string KernelOfHandles(std::string_view body) {
  return KernelFile(R"(  define ptx_kernel void @k(i64 %a, i64 %b, i64 %n, ptr %out) { ret void }
)",
                    StrCat(R"(    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_1, 0
    %2:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_2, 0
    %3:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_3, 0
    ST_i64 %2, 0, 0, 1, 64, %3, 0
    %4:b32 = INT_PTX_SREG_TID_x
    %5:b32 = SHL32_ri %4, 4
    %6:b32 = MOV_B32_i 1
)",
                           body));
}

TEST(ExecutionCheckTest, SurfacesAmongTheArgumentsAreCompared) {
  const std::string text = KernelOfHandles("    SUST_B_2D_I32_TRAP_R %1, %5, %6, %4\n");
  const Outcome outcome = RunOnText(
      text, [](MachineFunction& function, PassContext&) { return EraseAll(function, "SUST_B_2D_I32_TRAP_R"); });
  EXPECT_NE(outcome.messages.find(" of surface texture 1 is 0x"), std::string::npos) << outcome.messages;
  EXPECT_EQ(outcome.undecided, 0u);
}

TEST(ExecutionCheckTest, AStoreToAnotherSurfaceOfTheArgumentsIsADifference) {
  const std::string text = KernelOfHandles("    SUST_B_2D_I32_TRAP_R %1, %5, %6, %4\n");
  const Outcome outcome = RunOnText(text, [](MachineFunction& function, PassContext&) {
    for (MachineInstr& instr : *function.front()) {
      if (instr.opcode() != *ptx::PtxTargetInfo().find_opcode("SUST_B_2D_I32_TRAP_R")) continue;
      instr.operand(0).SetReg(Register::Virtual(0));
      return PassResult{.changed = true};
    }
    return PassResult{};
  });
  EXPECT_NE(outcome.messages.find(" of surface texture 0 is 0x"), std::string::npos) << outcome.messages;
}

// Without the fetch, the kernel would be run with integers that are not handles, and store another number.
TEST(ExecutionCheckTest, TheOnlyFetchByAHandleMayGo) {
  const Outcome outcome =
      RunOnText(KernelOfHandles("    %7:b32 = SULD_2D_I32_TRAP_R %0, %5, %6\n"),
                [](MachineFunction& function, PassContext&) { return EraseAll(function, "SULD_2D_I32_TRAP_R"); });
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.undecided, 0u);
}

// A kernel for CTAs of 16 by 16 threads. Only its shared memory shows this.
TEST(ExecutionCheckTest, AKernelThatFaultsIsRunInAnotherShape) {
  const std::string text = KernelFile(R"(  @tile = internal addrspace(3) global [16 x i32] undef, align 4
  define ptx_kernel void @k(ptr %out) { ret void }
)",
                                      R"(    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b32 = INT_PTX_SREG_TID_x
    %2:b64 = MOV_B64_i @tile
    %3:b64 = MUL_WIDEu32_ri %1, 4
    %4:b64 = ADD64rr %2, %3
    %5:b32 = LD_i32 0, 0, 3, 1, 32, -1, %4, 0
    %6:b32 = INT_PTX_SREG_NTID_y
    %7:b32 = SUB32ri %6, 3
    ST_i32 %7, 0, 0, 1, 32, %0, 0
)");
  Outcome outcome = RunOnText(text, RunRight);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.undecided, 0u);
  outcome = RunOnText(text, RunWrong);
  // 16 + 3 and 16 - 3.
  EXPECT_NE(outcome.messages.find("byte 0 of buffer 0 is 0x13, and was 0x0d"), std::string::npos) << outcome.messages;
}

TEST(ExecutionCheckTest, PassesThatKeepWhatIsComputedAreSilent) {
  uint64_t compared = 0;
  EXPECT_EQ(RunChecked(RunRight, compared), "");
  EXPECT_EQ(compared, 2u);
}

TEST(ExecutionCheckTest, ADifferenceNamesPassFunctionKernelAndPlace) {
  uint64_t compared = 0;
  const std::string messages = RunChecked(RunWrong, compared);
  EXPECT_NE(messages.find("pass 'a-pass' changed what function 'f' computes: in kernel 'k' on input 0, byte 0 of "
                          "buffer 0"),
            std::string::npos)
      << messages;
}

TEST(ExecutionCheckTest, UnchangedFunctionsAreNotRun) {
  uint64_t compared = 0;
  EXPECT_EQ(RunChecked([](MachineFunction&, PassContext&) { return PassResult{}; }, compared), "");
  EXPECT_EQ(compared, 0u);
}

// Each pass changes something. The run after a pass is compared with the run after the next one.
TEST(ExecutionCheckTest, AVersionIsRunOnce) {
  const auto negate = [](MachineFunction& function, PassContext&) {
    const Opcode sub = *ptx::PtxTargetInfo().find_opcode("SUB32ri");
    PassResult result = Rewrite(function, -1);
    if (result.changed) return result;
    for (MachineBasicBlock& block : function) {
      for (MachineInstr& instr : block) {
        if (instr.opcode() != *ptx::PtxTargetInfo().find_opcode("ADD32ri")) continue;
        instr.set_opcode(sub);
        instr.operand(2).set_imm(-instr.operand(2).imm());
        result.changed = true;
      }
    }
    return result;
  };
  const PassInfo pass = {.name = "a-pass", .description = "A pass", .run = negate};
  constexpr unsigned kInputs = 2;
  constexpr unsigned kPasses = 3;
  ExecutionChecker checker(Read(), kInputs);
  RunOptions options;
  options.execution_checker = &checker;
  // The second time, the runs of the module as it was read are known.
  for (const uint64_t runs_of_before : {1, 0}) {
    const uint64_t runs = checker.num_runs();
    const std::unique_ptr<Module> module = Read();
    DiagnosticEngine diagnostics;
    RunReport report;
    RunPipeline(*module, Pipeline(kPasses, PipelineStep{.pass = &pass}), options, diagnostics, report);
    EXPECT_EQ(diagnostics.ToString(), "");
    EXPECT_EQ(checker.num_runs() - runs, kInputs * (kPasses + runs_of_before));
  }
  EXPECT_EQ(checker.num_compared(), 2 * kInputs * kPasses);
}

}  // namespace
}  // namespace ptxmir
