// SPDX-License-Identifier: Apache-2.0

#include "tools/run/kernel_run.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "compiler/ir_input.h"
#include "ir/ir_nvvm.h"
#include "mir/code/machine_function.h"
#include "mir/text/input_kind.h"
#include "mir/text/mir_reader.h"
#include "passes/equivalence/generated_run.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/interpreter/exec/texture_table.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/interpreter/memory/memory.h"
#include "ptx/target/ptx_target.h"
#include "tools/run/kernel_name.h"

namespace ptxmir {
namespace {

// Returns the kernel that a name means. An empty name means the only kernel.
absl::StatusOr<std::string> FindKernel(const Module& module, std::string_view name) {
  std::vector<std::string_view> all;
  for (const IrFunction& function : module.functions()) {
    if (IsKernel(module, function) && !function.is_declaration()) all.push_back(function.name);
  }
  const std::vector<std::string_view> found = FindMeantNames(name, all);
  if (found.size() == 1) return std::string(found[0]);
  std::string list;
  for (const std::string_view kernel : found.empty() ? all : found) StrAppend(&list, "\n  ", kernel);
  if (all.empty()) return absl::NotFoundError("the file has no kernel");
  if (name.empty())
    return absl::NotFoundError(StrCat("the file has several kernels; --kernel=NAME chooses one of:", list));
  return absl::NotFoundError(
      StrCat(found.empty() ? "no kernel is named '" : "several kernels match '", name, "'; there are:", list));
}

// Returns the memory block that begins at the address in the argument, or null.
const ptx::MemoryBlock* BufferOf(const ptx::Device& device, const ptx::KernelArgument& argument) {
  uint64_t address = 0;
  if (argument.bytes.size() != sizeof address) return nullptr;
  std::memcpy(&address, argument.bytes.data(), sizeof address);
  for (const ptx::MemoryBlock& block : device.blocks()) {
    if (block.address == address) return &block;
  }
  return nullptr;
}

absl::Status MakeUpLaunch(const Module& module, absl::Span<const MachineFunction* const> functions, uint64_t seed,
                          KernelRunOptions& options) {
  const IrFunction& kernel = *module.FindFunction(options.launch.kernel);
  const ptx::LaunchStyle style = RunOnGeneratedInput(module, functions, kernel, seed).style;
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(module, functions);
  if (!device.ok()) return device.status();
  const size_t num_variables = (*device)->blocks().size();
  const ptx::GeneratedLaunch generated = ptx::GenerateLaunch(**device, module, kernel, seed, style);
  if (!(*device)->texture_table().textures().empty()) {
    return absl::UnimplementedError("--generate is not for kernels of textures and surfaces; see --arg=surface:");
  }
  ptx::LaunchConfig& launch = options.launch;
  launch.grid = generated.config.grid;
  launch.block = generated.config.block;
  launch.cluster = generated.config.cluster;
  launch.dynamic_shared_bytes = generated.config.dynamic_shared_bytes;
  size_t num_buffers = 0;
  for (const ptx::KernelArgument& argument : generated.arguments) {
    KernelArgumentSpec& spec = options.arguments.emplace_back();
    spec.bytes = argument.bytes;
    const ptx::MemoryBlock* const buffer = BufferOf(**device, argument);
    if (buffer == nullptr) continue;
    ++num_buffers;
    spec.is_buffer = true;
    spec.type = {.kind = ElementType::Kind::kUnsigned, .bytes = 4, .name = "u32"};
    spec.bytes.assign(buffer->data.begin(), buffer->data.end());
    spec.buffer_bytes = spec.bytes.size();
  }
  if (num_variables + num_buffers == (*device)->blocks().size()) return absl::OkStatus();
  return absl::UnimplementedError("--generate is not for kernels that take pointers within structures");
}

std::unique_ptr<Module> ReadModule(const std::shared_ptr<const SourceBuffer>& buffer, DiagnosticEngine& diagnostics) {
  return IsIrText(*buffer) ? ReadIrToExecute(buffer, diagnostics) : ReadMir(buffer, ptx::PtxTargetInfo(), diagnostics);
}

}  // namespace

absl::StatusOr<std::unique_ptr<KernelRun>> KernelRun::Prepare(KernelRunOptions& options,
                                                              DiagnosticEngine& diagnostics) {
  absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer = SourceBuffer::FromFile(options.input);
  if (!buffer.ok()) return buffer.status();
  auto run = std::make_unique<KernelRun>();
  run->module_ = ReadModule(*buffer, diagnostics);
  if (run->module_ == nullptr) return absl::InvalidArgumentError(StrCat("'", options.input, "' cannot be read"));
  absl::StatusOr<std::string> kernel = FindKernel(*run->module_, options.launch.kernel);
  if (!kernel.ok()) return kernel.status();
  options.launch.kernel = *std::move(kernel);

  std::vector<const MachineFunction*> functions;
  for (const OwnedMachineFunction& function : run->module_->machine_functions()) {
    functions.push_back(function.get());
  }
  if (options.generated_input.has_value()) {
    if (absl::Status status = MakeUpLaunch(*run->module_, functions, *options.generated_input, options); !status.ok())
      return status;
  }
  run->launch_ = options.launch;
  absl::StatusOr<std::unique_ptr<ptx::Device>> device = ptx::CreateDevice(*run->module_, functions);
  if (!device.ok()) return device.status();
  run->device_ = *std::move(device);
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const uint64_t address = run->Make(options.arguments[i], StrCat("argument ", i));
    run->arguments_.push_back(address != 0 ? ptx::KernelArgument::Of(address)
                                           : ptx::KernelArgument{options.arguments[i].bytes});
    run->addresses_.push_back(address);
  }
  if (absl::Status status = run->SetVariables(options); !status.ok()) return status;
  return run;
}

uint64_t KernelRun::Make(const KernelArgumentSpec& spec, std::string name) {
  if (spec.is_buffer) {
    const uint64_t address = device_->Allocate(std::move(name), spec.buffer_bytes, spec.is_undefined);
    device_->Write(address, spec.bytes);
    return address;
  }
  if (!spec.is_surface) return 0;
  using Format = ptx::Device::TextureDesc::Format;
  ptx::Device::TextureDesc desc;
  desc.width = spec.extent[0];
  desc.height = spec.extent[1];
  desc.depth = spec.extent[2];
  desc.components = spec.components;
  desc.component_bytes = spec.type.bytes;
  desc.format = spec.type.kind == ElementType::Kind::kFloat    ? Format::kFloat
                : spec.type.kind == ElementType::Kind::kSigned ? Format::kSigned
                                                               : Format::kUnsigned;
  desc.name = std::move(name);
  return device_->CreateTexture(desc, spec.bytes);
}

absl::Status KernelRun::SetVariables(const KernelRunOptions& options) {
  for (const auto& [name, spec] : options.variables) {
    const uint64_t address = Make(spec, StrCat("@", name));
    const absl::Span<const uint8_t> handle(reinterpret_cast<const uint8_t*>(&address), sizeof address);
    const uint64_t variable = device_->VariableAddress(name);
    if (variable == 0 || !device_->Write(variable, address != 0 ? handle : spec.bytes)) {
      return absl::InvalidArgumentError(StrCat("there is no variable '", name, "' in memory that holds so much"));
    }
    variable_addresses_.push_back(address);
  }
  return absl::OkStatus();
}

}  // namespace ptxmir
