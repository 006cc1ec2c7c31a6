// SPDX-License-Identifier: Apache-2.0

// The device: the module's variables in memory, its functions decoded on demand, launches.

#include "ptx/interpreter/create_device.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/align.h"
#include "base/str_cat.h"
#include "ir/address_space.h"
#include "ir/ir_initializer.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "ptx/interpreter/code/code_cache.h"
#include "ptx/interpreter/decode/decoder.h"
#include "ptx/interpreter/exec/grid.h"

namespace ptxmir::ptx {
namespace {

constexpr uint64_t kMaxVariable = uint64_t{1} << 30;
constexpr uint64_t kMaxThreads = 1024;
constexpr uint64_t kMaxClusterSize = 16;
// The gap between shared variables, so that overruns are detected.
constexpr uint64_t kSharedGap = 64;
// Cooperative groups use the first words.
constexpr uint64_t kGridWorkspaceSize = 256;

class DeviceImpl final : public Device, public Program {
 public:
  DeviceImpl(const Module& module, absl::Span<const MachineFunction* const> functions, CodeCache* cache)
      : module_(module), cache_(cache) {
    for (const MachineFunction* function : functions) {
      if (const GlobalValue* value = module.FindGlobal(function->name()); value != nullptr) {
        functions_.emplace(value->id(), function);
        if (function->frame_info().SharedObject() != nullptr) with_shared_depot_.push_back(function);
      }
    }
  }

  absl::Status LayOutVariables();

  // ---- Device.
  uint64_t Allocate(std::string name, uint64_t size, bool undefined) override {
    return global.Allocate(std::move(name), size, 256, undefined);
  }
  bool Write(uint64_t address, absl::Span<const uint8_t> bytes) override {
    size_t at = 0;
    MemoryBlock* block = BlockOf(address, bytes.size(), &at);
    if (block == nullptr) return false;
    std::copy(bytes.begin(), bytes.end(), block->data.begin() + static_cast<ptrdiff_t>(at));
    if (!block->undefined.empty()) std::fill_n(block->undefined.begin() + static_cast<ptrdiff_t>(at), bytes.size(), 0);
    return true;
  }
  bool Read(uint64_t address, absl::Span<uint8_t> bytes) const override {
    size_t at = 0;
    const MemoryBlock* block = const_cast<DeviceImpl*>(this)->BlockOf(address, bytes.size(), &at);
    if (block == nullptr) return false;
    std::copy_n(block->data.begin() + static_cast<ptrdiff_t>(at), bytes.size(), bytes.begin());
    return true;
  }
  std::vector<uint8_t> UndefinedBits(uint64_t address, uint64_t size) const override {
    size_t at = 0;
    const MemoryBlock* block = const_cast<DeviceImpl*>(this)->BlockOf(address, size, &at);
    if (block == nullptr) return {};
    if (block->undefined.empty()) return std::vector<uint8_t>(size);
    const auto begin = block->undefined.begin() + static_cast<ptrdiff_t>(at);
    return {begin, begin + static_cast<ptrdiff_t>(size)};
  }
  absl::Span<const MemoryBlock> blocks() const override { return global.blocks(); }
  uint64_t VariableAddress(std::string_view name) const override {
    const GlobalValue* value = module_.FindGlobal(name);
    if (value == nullptr) return 0;
    const auto found = addresses_.find(value->id());
    if (found == addresses_.end() || value->address_space == address_space::kShared) return 0;
    return value->address_space == address_space::kConst ? kConstWindow + found->second : found->second;
  }
  uint64_t CreateTexture(const TextureDesc& desc, absl::Span<const uint8_t> texels) override {
    return textures.Create(desc, texels);
  }
  bool CreateTextureAt(uint64_t handle, const TextureDesc& desc, absl::Span<const uint8_t> texels) override {
    return textures.CreateAt(handle, desc, texels);
  }
  bool ReadTexture(uint64_t handle, absl::Span<uint8_t> texels) const override {
    const Texture* texture = textures.Find(handle);
    if (texture == nullptr || texels.size() > texture->texels().size()) return false;
    std::copy_n(texture->texels().begin(), texels.size(), texels.begin());
    return true;
  }
  const TextureTable& texture_table() const override { return textures; }
  absl::StatusOr<LaunchResult> Launch(const LaunchConfig& config, absl::Span<const KernelArgument> arguments) override;

  // ---- Program.
  const DecodedFunction* Code(GlobalId function) override;
  std::string_view FunctionName(GlobalId function) const override {
    return module_.HasGlobal(function) ? module_.global_value(function).name : std::string_view();
  }
  std::optional<uint64_t> AddressOf(GlobalId id) override {
    if (!module_.HasGlobal(id)) return std::nullopt;
    const GlobalValue& value = module_.global_value(id);
    if (value.is_function()) return kFunctionWindow + uint64_t{16} * id;
    if (const GlobalAlias* alias = module_.alias(id); alias != nullptr && alias->aliasee != nullptr) {
      const absl::StatusOr<EvaluatedConstant> target = EvaluateConstant(module_, *alias->aliasee);
      if (!target.ok() || !target->is_address || target->symbol == id) return std::nullopt;
      const std::optional<uint64_t> address = AddressOf(target->symbol);
      if (!address.has_value()) return std::nullopt;
      return *address + static_cast<uint64_t>(target->addend);
    }
    const auto found = addresses_.find(id);
    if (found == addresses_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<uint64_t> SharedDepotOf(const MachineFunction& function) override {
    const auto found = shared_depots_.find(&function);
    if (found == shared_depots_.end()) return std::nullopt;
    return found->second;
  }

 private:
  // Returns the block that holds a generic address range, and in `at` the offset of the range in it.
  MemoryBlock* BlockOf(uint64_t address, uint64_t size, size_t* at) {
    uint32_t hint = 0;
    uint64_t offset = 0;
    const MemorySpace space = SpaceOfGeneric(address, &offset);
    MemoryBlock* block = space == MemorySpace::kConst    ? constant.Find(offset, &hint)
                         : space == MemorySpace::kGlobal ? global.Find(offset, &hint)
                                                         : nullptr;
    if (block == nullptr || offset - block->address + size > block->data.size()) return nullptr;
    *at = offset - block->address;
    return block;
  }
  std::shared_ptr<const DecodedFunction> Decode(const MachineFunction& function);
  // Reserves shared memory. Returns the address.
  uint64_t PlaceShared(uint64_t size, uint64_t align);
  absl::Status Initialize(const GlobalVariable& variable);
  absl::StatusOr<std::vector<uint8_t>> BuildParameters(const DecodedFunction& kernel,
                                                       absl::Span<const KernelArgument> arguments) const;

  const Module& module_;
  CodeCache* const cache_;  // null if there is none
  absl::flat_hash_map<GlobalId, const MachineFunction*> functions_;
  std::vector<const MachineFunction*> with_shared_depot_;
  absl::flat_hash_map<const MachineFunction*, uint64_t> shared_depots_;
  absl::flat_hash_map<GlobalId, std::shared_ptr<const DecodedFunction>> code_;
  absl::flat_hash_map<GlobalId, uint64_t> addresses_;  // of variables, in their own space
};

uint64_t DeviceImpl::PlaceShared(uint64_t size, uint64_t align) {
  shared_size = AlignTo(shared_size, std::max<uint64_t>(align, 16));
  const uint64_t begin = shared_size;
  shared_size += size;
  shared_accessible.resize(shared_size, true);
  shared_size += kSharedGap;
  shared_accessible.resize(shared_size, false);
  return begin;
}

absl::Status DeviceImpl::LayOutVariables() {
  std::vector<const GlobalVariable*> dynamic_shared;
  uint64_t dynamic_align = 128;
  for (const GlobalVariable& variable : module_.variables()) {
    const DataLayout& layout = module_.data_layout();
    const uint64_t size = layout.AllocSize(variable.value_type);
    const uint64_t align = std::clamp<uint64_t>(layout.GlobalAlign(variable.value_type, variable.align), 1, 4096);
    if (variable.name.starts_with("llvm.")) continue;
    if (size > kMaxVariable) return absl::ResourceExhaustedError(StrCat("@", variable.name, " is too large"));
    if (variable.address_space == address_space::kShared) {
      // extern __shared__ arrays have no size of their own. They share the memory that the launch provides.
      if (size == 0) {
        dynamic_shared.push_back(&variable);
        dynamic_align = std::max(dynamic_align, align);
      } else {
        addresses_[variable.id()] = PlaceShared(size, align);
      }
      continue;
    }
    // Textures, surfaces and samplers are ordinary variables: words that hold a handle.
    GlobalMemory& memory = variable.address_space == address_space::kConst ? constant : global;
    addresses_[variable.id()] = memory.Allocate(StrCat("@", variable.name), size, align);
  }
  for (const MachineFunction* function : with_shared_depot_) {
    const StackObject& depot = *function->frame_info().SharedObject();
    shared_depots_[function] = PlaceShared(depot.size, uint64_t{1} << depot.align_log2);
  }
  shared_size = AlignTo(shared_size, dynamic_align);
  shared_accessible.resize(shared_size, false);
  for (const GlobalVariable* variable : dynamic_shared) addresses_[variable->id()] = shared_size;
  for (const GlobalVariable& variable : module_.variables()) {
    if (!addresses_.contains(variable.id()) || variable.address_space == address_space::kShared) continue;
    if (absl::Status status = Initialize(variable); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status DeviceImpl::Initialize(const GlobalVariable& variable) {
  if (variable.initializer == nullptr) return absl::OkStatus();
  absl::StatusOr<LoweredInitializer> initializer = LowerInitializer(module_, *variable.initializer);
  if (!initializer.ok()) return initializer.status();
  for (const LoweredInitializer::Relocation& relocation : initializer->relocations) {
    const std::optional<uint64_t> address = AddressOf(relocation.symbol);
    if (!address.has_value()) continue;
    uint64_t value = *address;
    if (relocation.generic) {
      const uint32_t space = module_.global_value(relocation.symbol).address_space;
      if (space == address_space::kConst) value += kConstWindow;
    }
    value += static_cast<uint64_t>(relocation.addend);
    if (relocation.offset + relocation.size > initializer->bytes.size() || relocation.size > 8) continue;
    std::memcpy(initializer->bytes.data() + relocation.offset, &value, relocation.size);
  }
  const uint64_t address = addresses_[variable.id()];
  uint32_t hint = 0;
  MemoryBlock* block = (variable.address_space == address_space::kConst ? constant : global).Find(address, &hint);
  std::copy_n(initializer->bytes.begin(), std::min(initializer->bytes.size(), block->data.size()), block->data.begin());
  // `constant` means that kernels do not write it. __constant__ variables are exempt, because the host may fill
  // them.
  block->read_only = variable.is_constant && variable.address_space != address_space::kConst;
  return absl::OkStatus();
}

std::shared_ptr<const DecodedFunction> DeviceImpl::Decode(const MachineFunction& function) {
  if (cache_ == nullptr) return DecodeFunction(function, *this);
  const CodeCache::Layout layout = {.dynamic_shared = shared_size, .shared_depot = SharedDepotOf(function).value_or(0)};
  std::shared_ptr<const DecodedFunction> code = cache_->Find(function, layout);
  if (code == nullptr) {
    code = DecodeFunction(function, *this);
    cache_->Add(function, layout, code);
  }
  return code;
}

const DecodedFunction* DeviceImpl::Code(GlobalId function) {
  if (const GlobalAlias* alias = module_.alias(function); alias != nullptr && alias->aliasee != nullptr) {
    const absl::StatusOr<EvaluatedConstant> target = EvaluateConstant(module_, *alias->aliasee);
    if (target.ok() && target->is_address && target->symbol != function) return Code(target->symbol);
  }
  std::shared_ptr<const DecodedFunction>& code = code_[function];
  if (code != nullptr) return code.get();
  const auto found = functions_.find(function);
  if (found == functions_.end()) return nullptr;
  std::shared_ptr<const DecodedFunction> decoded = Decode(*found->second);
  // Decoding does not touch other functions' entries, but it may have moved the table.
  return (code_[function] = std::move(decoded)).get();
}

absl::StatusOr<std::vector<uint8_t>> DeviceImpl::BuildParameters(const DecodedFunction& kernel,
                                                                 absl::Span<const KernelArgument> arguments) const {
  if (arguments.size() != kernel.parameters.size()) {
    return absl::InvalidArgumentError(StrCat("kernel '", kernel.function->name(), "' takes ", kernel.parameters.size(),
                                             " arguments, not ", arguments.size()));
  }
  std::vector<uint8_t> block(kernel.parameters_size);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterSlot& slot = kernel.parameters[i];
    if (arguments[i].bytes.size() != slot.size) {
      return absl::InvalidArgumentError(StrCat("argument ", i, " of kernel '", kernel.function->name(), "' has ",
                                               slot.size, " bytes, not ", arguments[i].bytes.size()));
    }
    std::copy(arguments[i].bytes.begin(), arguments[i].bytes.end(), block.begin() + slot.offset);
  }
  return block;
}

absl::StatusOr<LaunchResult> DeviceImpl::Launch(const LaunchConfig& config,
                                                absl::Span<const KernelArgument> arguments) {
  const GlobalValue* value = module_.FindGlobal(config.kernel);
  const DecodedFunction* kernel = value != nullptr ? Code(value->id()) : nullptr;
  if (kernel == nullptr) return absl::NotFoundError(StrCat("there is no function '", config.kernel, "'"));
  if (!kernel->is_kernel) return absl::InvalidArgumentError(StrCat("'", config.kernel, "' is no kernel"));
  if (config.block.Count() == 0 || config.block.Count() > kMaxThreads || config.grid.Count() == 0) {
    return absl::InvalidArgumentError("a block has 1 to 1024 threads, a grid at least one block");
  }
  if (config.cluster.Count() == 0 || config.cluster.Count() > kMaxClusterSize ||
      config.grid.x % config.cluster.x != 0 || config.grid.y % config.cluster.y != 0 ||
      config.grid.z % config.cluster.z != 0) {
    return absl::InvalidArgumentError("a cluster has 1 to 16 blocks and divides the grid");
  }
  if (config.dynamic_shared_bytes + shared_size > kSharedStride / 2) {
    return absl::InvalidArgumentError("too much shared memory");
  }
  absl::StatusOr<std::vector<uint8_t>> parameters = BuildParameters(*kernel, arguments);
  if (!parameters.ok()) return parameters.status();
  grid_workspace = config.cooperative ? Allocate("grid workspace", kGridWorkspaceSize, /*undefined=*/false) : 0;
  return Grid(*this, config, *kernel, *std::move(parameters)).Run();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> CreateDevice(const Module& module,
                                                     absl::Span<const MachineFunction* const> functions,
                                                     CodeCache* code) {
  auto device = std::make_unique<DeviceImpl>(module, functions, code);
  if (absl::Status status = device->LayOutVariables(); !status.ok()) return status;
  return device;
}

}  // namespace ptxmir::ptx
