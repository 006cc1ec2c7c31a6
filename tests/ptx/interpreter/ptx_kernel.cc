// SPDX-License-Identifier: Apache-2.0

#include "tests/ptx/interpreter/ptx_kernel.h"

#include <algorithm>
#include <memory>

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/ptx_target.h"

namespace ptxmir::ptx {
namespace {

constexpr std::string_view kBefore = R"(--- |
  target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
  target triple = "nvptx64-nvidia-cuda"
  @buffer = internal addrspace(3) global [8192 x i8] undef, align 1024
  define ptx_kernel void @test(ptr %in, ptr %out, i64 %extra) {
    ret void
  }
...
---
name:            test
isSSA:           true
registers:
  - { id: 0, class: b64 }
  - { id: 1, class: b64 }
  - { id: 2, class: b64 }
  - { id: 3, class: b64 }
  - { id: 4, class: b32 }
body:             |
  bb.0:
    %0:b64 = LD_i64 0, 0, 101, 3, 64, -1, &test_param_0, 0
    %1:b64 = LD_i64 0, 0, 101, 3, 64, -1, &test_param_1, 0
    %2:b64 = LD_i64 0, 0, 101, 3, 64, -1, &test_param_2, 0
    %3:b64 = MOV_B64_sym @buffer
    %4:b32 = CVT_u32_u64 %3, 0
    INLINEASM &")";
constexpr std::string_view kPrologue =
    "{ .reg .b64 in, out, extra, pin, pout; .reg .b32 shared, tid; mov.b64 in, $0; mov.b64 out, $1; "
    "mov.b64 extra, $2; mov.b32 shared, $3; mov.u32 tid, %tid.x; mad.wide.u32 pin, tid, 4, in; "
    "mad.wide.u32 pout, tid, 4, out; ";
constexpr std::string_view kAfter =
    R"( }", 1, 393225, %0, 393225, %1, 393225, %2, 262153, %4
    Return
...
)";

absl::Span<const uint8_t> BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size() * sizeof(uint32_t)};
}

std::unique_ptr<Module> ReadKernel(std::string_view ptx) {
  std::string line(ptx);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  DiagnosticEngine diagnostics;
  const auto buffer = std::make_shared<const SourceBuffer>("kernel.mir", StrCat(kBefore, kPrologue, line, kAfter));
  std::unique_ptr<Module> module = ReadMir(buffer, PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString();
  return module;
}

}  // namespace

PtxResult RunPtx(std::string_view ptx, const PtxLaunch& launch) {
  PtxResult result;
  result.out.resize(launch.out_count);
  result.undefined.assign(launch.out_count, ~0u);
  const std::unique_ptr<Module> module = ReadKernel(ptx);
  if (module == nullptr) return result;
  const MachineFunction* const functions[] = {module->machine_functions().front().get()};
  auto device = CreateDevice(*module, functions);
  EXPECT_TRUE(device.ok()) << device.status();
  if (!device.ok()) return result;
  const uint64_t in = (*device)->Allocate("in", std::max<size_t>(launch.in.size(), 1) * sizeof(uint32_t));
  const uint64_t out = (*device)->Allocate("out", launch.out_count * sizeof(uint32_t), /*undefined=*/true);
  EXPECT_TRUE(launch.in.empty() || (*device)->Write(in, BytesOf(launch.in)));
  const uint64_t extra = launch.extra ? launch.extra(**device) : 0;
  const KernelArgument arguments[] = {KernelArgument::Of(in), KernelArgument::Of(out), KernelArgument::Of(extra)};
  LaunchConfig config;
  config.kernel = "test";
  config.grid = {launch.blocks};
  config.block = {launch.threads};
  config.cluster = {launch.cluster};
  config.max_steps = 1000000;
  const auto launched = (*device)->Launch(config, arguments);
  EXPECT_TRUE(launched.ok()) << launched.status();
  if (!launched.ok()) return result;
  result.fault = launched->fault;
  const size_t bytes = launch.out_count * sizeof(uint32_t);
  EXPECT_TRUE((*device)->Read(out, {reinterpret_cast<uint8_t*>(result.out.data()), bytes}));
  const std::vector<uint8_t> undefined = (*device)->UndefinedBits(out, bytes);
  if (undefined.size() == bytes) __builtin_memcpy(result.undefined.data(), undefined.data(), bytes);
  if (launch.after) launch.after(**device, extra);
  return result;
}

}  // namespace ptxmir::ptx
