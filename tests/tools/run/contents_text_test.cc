// SPDX-License-Identifier: Apache-2.0

// The output of ptxmir-run for buffers and surfaces.

#include "tools/run/contents_text.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "base/diagnostics.h"
#include "gtest/gtest.h"

namespace ptxmir {
namespace {

// Each thread stores its number to its texel in row 1 of @plane, and copies that texel to row 0 of the surface in %s
// and to its word of %out.
constexpr std::string_view kText = R"(--- |
  target triple = "nvptx64-nvidia-cuda"
  @plane = addrspace(1) global i64 0, align 8
  define ptx_kernel void @k(i64 %s, ptr %out) { ret void }
  !nvvm.annotations = !{!0}
  !0 = !{ptr addrspace(1) @plane, !"surface", i32 1}
...
---
name: k
tracksRegLiveness: true
body: |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_0, 0
    %1:b64 = LD_i64 0, 0, 101, 1, 64, -1, &k_param_1, 0
    %2:b32 = INT_PTX_SREG_TID_x
    %3:b32 = SHL32_ri %2, 2
    %4:b32 = MOV_B32_i 1
    %5:b32 = MOV_B32_i 0
    SUST_B_2D_I32_TRAP_I @plane, %3, %4, %2
    %6:b32 = SULD_2D_I32_TRAP_I @plane, %3, %4
    SUST_B_2D_I32_TRAP_R %0, %3, %5, %6
    %7:b64 = MUL_WIDEu32_ri %2, 4
    %8:b64 = ADD64rr %1, %7
    ST_i32 %6, 0, 0, 1, 32, %8, 0
    Return
...
)";

std::string TextOfRun(std::vector<std::string_view> arguments, std::string_view text = kText) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/k";
  std::ofstream(path) << text;
  arguments.push_back(path);
  KernelRunOptions options;
  EXPECT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, arguments, options).ok());
  DiagnosticEngine diagnostics;
  const absl::StatusOr<std::unique_ptr<KernelRun>> run = KernelRun::Prepare(options, diagnostics);
  if (!run.ok()) return std::string(run.status().message());
  const absl::StatusOr<ptx::LaunchResult> result = (*run)->Launch();
  EXPECT_TRUE(result.ok() && !result->fault.is_fault()) << (result.ok() ? result->fault.ToString() : "");
  return ContentsText(options, **run);
}

// Thread t stores t * %a - 3.
constexpr std::string_view kIrText = R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(float %a, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = uitofp i32 %t to float
  %product = fmul contract float %f, %a
  %sum = fadd contract float %product, -3.0
  %index = zext i32 %t to i64
  %place = getelementptr float, ptr %out, i64 %index
  store float %sum, ptr %place
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";

TEST(ContentsTextTest, LlvmIrComputesAsItIsWritten) {
  // 3 * (1 + 2^-23) is rounded to 3 + 2^-21 before 3 is subtracted; a fused operation would give 3 * 2^-23.
  const std::string text = TextOfRun(
      {"--block=4", "--arg=f32:1.00000011920928955078125", "--arg=buffer:f32:4:zero", "--show=values"}, kIrText);
  EXPECT_TRUE(text.ends_with("  -3 -1.99999988 -0.999999762 4.76837158e-07\n")) << text;
}

TEST(ContentsTextTest, ErrorsOfLlvmIrHaveAPlace) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/wrong.ll";
  std::ofstream(path) << "define ptx_kernel void @k() {\n  ret i32 0\n}\n";
  KernelRunOptions options;
  ASSERT_TRUE(ParseRunCommandLine(RunTool::kInterpreter, {path}, options).ok());
  DiagnosticEngine diagnostics;
  EXPECT_FALSE(KernelRun::Prepare(options, diagnostics).ok());
  ASSERT_EQ(diagnostics.num_errors(), 1u);
  EXPECT_EQ(diagnostics.diagnostics()[0].where.line, 2u);
}

TEST(ContentsTextTest, SurfacesOfArgumentsAndVariablesAreShownByRow) {
  EXPECT_EQ(TextOfRun({"--block=3", "--arg=surface:u32:4x2:fill:9", "--arg=buffer:u32:3:zero",
                       "--variable=plane=surface:u32:3x2:fill:7", "--show=values"}),
            "argument 0: 5812e2d5301c36af\n  0 1 2 9\n  9 9 9 9\n"
            "argument 1: 756241e1be8c9396\n  0 1 2\n"
            "@plane: a66ca56a65e95691\n  7 7 7\n  0 1 2\n");
}

TEST(ContentsTextTest, HashesTellSurfacesApart) {
  const auto run = [](std::string_view fill) {
    return TextOfRun({"--block=3", fill, "--arg=buffer:u32:3:zero", "--variable=plane=surface:u32:3x2:zero"});
  };
  EXPECT_NE(run("--arg=surface:u32:4x2:fill:9"), run("--arg=surface:u32:4x2:fill:8"));
}

TEST(ContentsTextTest, VariablesThatThereAreNotAreNamed) {
  EXPECT_EQ(TextOfRun({"--arg=u64:0", "--arg=u64:0", "--variable=plain=surface:u32:3:zero"}),
            "there is no variable 'plain' in memory that holds so much");
}

}  // namespace
}  // namespace ptxmir
