// SPDX-License-Identifier: Apache-2.0

#include "tests/sdag/builder/kernel_runner.h"

#include "base/diagnostics.h"
#include "base/str_cat.h"
#include "gtest/gtest.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/ptx_target.h"
#include "tests/parity/external_tools.h"

namespace ptxmir::builder {

namespace {

// "sm_89+ptx84".
ModuleTarget TargetOf(const std::string& text) {
  const size_t plus = text.find("+ptx");
  if (plus == text.npos) return {text};
  return {text.substr(0, plus), std::stoi(text.substr(plus + 4))};
}

}  // namespace

std::string CompileTo(const std::function<void(KernelModule&)>& build, const std::string& sm,
                      std::vector<std::string> flags) {
  KernelModule module(TargetOf(sm));
  build(module);
  CompileOptions options;
  options.flags = std::move(flags);
  const CompileResult result = Compile(module, options);
  EXPECT_TRUE(result.ok) << result.MessageText();
  return result.ok ? result.output : "";
}

std::vector<std::vector<uint8_t>> RunMir(const std::string& mir, const Launch& launch) {
  std::vector<std::vector<uint8_t>> buffers;
  DiagnosticEngine diagnostics;
  const std::unique_ptr<Module> module =
      ReadMir(std::make_shared<SourceBuffer>("built.mir", mir), ptx::PtxTargetInfo(), diagnostics);
  EXPECT_NE(module, nullptr) << diagnostics.ToString() << mir;
  if (module == nullptr) return buffers;
  std::vector<const MachineFunction*> functions;
  for (const OwnedMachineFunction& function : module->machine_functions()) {
    functions.push_back(function.get());
  }
  auto device = ptx::CreateDevice(*module, functions);
  EXPECT_TRUE(device.ok()) << device.status();
  if (!device.ok()) return buffers;
  std::vector<ptx::KernelArgument> arguments;
  std::vector<uint64_t> addresses;
  for (const Launch::Argument& argument : launch.arguments) {
    if (!argument.is_buffer) {
      arguments.emplace_back();
      arguments.back().bytes = argument.bytes;
      continue;
    }
    addresses.push_back((*device)->Allocate(StrCat("buffer", addresses.size()), argument.bytes.size()));
    EXPECT_TRUE((*device)->Write(addresses.back(), argument.bytes));
    arguments.push_back(ptx::KernelArgument::Of(addresses.back()));
  }
  ptx::LaunchConfig config;
  config.kernel = launch.kernel;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamic_shared_bytes = launch.dynamic_shared;
  const auto result = (*device)->Launch(config, arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return buffers;
  EXPECT_FALSE(result->fault.is_fault()) << result->fault.ToString() << "\n" << mir;
  size_t next = 0;
  for (const Launch::Argument& argument : launch.arguments) {
    if (!argument.is_buffer) continue;
    buffers.emplace_back(argument.bytes.size());
    EXPECT_TRUE((*device)->Read(addresses[next++], absl::MakeSpan(buffers.back())));
  }
  return buffers;
}

namespace {

void CheckWithPtxas(const std::string& ptx, const std::string& sm) {
  const std::string ptxas = testing::FindPtxas();
  if (ptxas.empty()) {
    std::printf("no ptxas: the PTX was not given to it\n");
    return;
  }
  const std::string path = testing::TemporaryPath("built.ptx");
  testing::WriteFile(path, ptx);
  std::string output;
  EXPECT_TRUE(testing::RunCommand({ptxas, StrCat("-arch=", TargetOf(sm).sm), "-o", "/dev/null", path}, output))
      << output << "\n"
      << ptx;
}

}  // namespace

void RunEverywhere(const std::function<void(KernelModule&)>& build, const Launch& launch,
                   const std::function<void(const std::vector<std::vector<uint8_t>>&)>& check,
                   const std::vector<std::string>& sms) {
  struct Stage {
    std::string_view name;
    std::vector<std::string> flags;
  };
  const Stage stages[] = {
      {"as selected at -O0", {"-O0", "-stop-after=finalize-isel"}},
      {"as selected at -O2", {"-O2", "-stop-after=finalize-isel"}},
      {"after all passes", {"-O2", "-stop-after=stack-frame-layout"}},
  };
  for (const std::string& sm : sms) {
    for (const Stage& stage : stages) {
      SCOPED_TRACE(StrCat(sm, ", ", stage.name));
      const std::string mir = CompileTo(build, sm, stage.flags);
      if (mir.empty()) return;
      const std::vector<std::vector<uint8_t>> buffers = RunMir(mir, launch);
      if (::testing::Test::HasFailure()) return;
      check(buffers);
    }
    SCOPED_TRACE(sm);
    const std::string ptx = CompileTo(build, sm, {"-O2"});
    if (!ptx.empty()) CheckWithPtxas(ptx, sm);
  }
}

}  // namespace ptxmir::builder
