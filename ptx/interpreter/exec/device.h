// SPDX-License-Identifier: Apache-2.0

// Device: runs kernels of a module as a GPU would, and notices what a GPU would
// not.
//
//     absl::StatusOr<std::unique_ptr<Device>> device = CreateDevice(module,
//     functions); uint64_t x = (*device)->Allocate("x", bytes);
//     (*device)->Write(x, bytes);
//     LaunchResult result = (*device)->Launch({.kernel = "saxpy", .grid = {4},
//     .block = {256}}, arguments);
//
// Machine functions may be at any stage: SSA with PHIs, after PHI elimination,
// after allocation, after frame lowering. Functions are decoded when they are
// first called. Everything is deterministic: the order in which CTAs, warps and
// divergent fragments take their turns is fixed.
//
// One thread at a time may use a Device.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ptx/interpreter/code/semantics.h"
#include "ptx/interpreter/values/fault.h"

namespace ptxmir {
class MachineFunction;
class Module;
}  // namespace ptxmir

namespace ptxmir::ptx {

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t Count() const { return uint64_t{x} * y * z; }
};

struct LaunchConfig {
  std::string kernel;  // name in the module (mangled, if it is)
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamic_shared_bytes = 0;
  // Steps of warps (an instruction for up to 32 threads) before the launch is
  // stopped with kStepLimit.
  uint64_t max_steps = uint64_t{1} << 32;
  bool detect_races = true;
  // Whether a data race is a fault, or the launch goes on and LaunchResult::race says which was the first.
  bool stop_at_races = true;
  // Another legal order: the warps of a CTA have their turns in descending order, and of lanes that store to one place
  // at once the first wins. Only what races computes something else.
  bool reverse_order = false;
  // Whether storing undefined bits to global memory is a fault, or is tracked and LaunchResult::undefined_store says
  // which was the first.
  bool stop_at_undefined_stores = false;
  // Whether the grid is given memory for its grid-wide barriers, as a driver
  // gives it to cooperative launches (in %envreg1 and %envreg2).
  bool cooperative = false;
};

// Dynamic counts. Per-thread: an instruction that 20 lanes execute counts 20.
struct LaunchCounts {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  std::array<uint64_t, kNumInstrCategories> by_category{};
  // By MemorySpace; number of accesses of threads, and bytes.
  std::array<uint64_t, 16> loads{};
  std::array<uint64_t, 16> load_bytes{};
  std::array<uint64_t, 16> stores{};
  std::array<uint64_t, 16> store_bytes{};
  // Accesses to spill slots.
  uint64_t spill_load_bytes = 0;
  uint64_t spill_store_bytes = 0;
  uint64_t branches = 0;
  uint64_t divergent_branches = 0;
};

struct LaunchResult {
  Fault fault;  // kNone: the launch ended well
  Fault race;   // the first data race, with LaunchConfig::stop_at_races off; kNone: there was none
  // The first store of undefined bits to global memory, with LaunchConfig::stop_at_undefined_stores off; kNone: there
  // was none.
  Fault undefined_store;
  LaunchCounts counts;
  std::string printed;  // by vprintf
};

// One kernel argument: its bytes as they stand in the parameter space.
struct KernelArgument {
  std::vector<uint8_t> bytes;
  template <typename T>
  static KernelArgument Of(const T& value) {
    KernelArgument argument;
    argument.bytes.resize(sizeof value);
    __builtin_memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
  }
};

struct MemoryBlock;
class TextureTable;

class Device {
 public:
  virtual ~Device() = default;

  // Global memory, zeroed (or undefined). Addresses depend on the order of
  // allocation alone.
  virtual uint64_t Allocate(std::string name, uint64_t size, bool undefined = false) = 0;
  // False when the range is not within one block.
  virtual bool Write(uint64_t address, absl::Span<const uint8_t> bytes) = 0;
  virtual bool Read(uint64_t address, absl::Span<uint8_t> bytes) const = 0;
  // The undefined bits of a range; empty when it is not within one block.
  virtual std::vector<uint8_t> UndefinedBits(uint64_t address, uint64_t size) const = 0;
  // All of global memory: variables and what was allocated, by address.
  virtual absl::Span<const MemoryBlock> blocks() const = 0;
  // Generic address of a variable of the module in global or constant memory; 0
  // when there is none.
  virtual uint64_t VariableAddress(std::string_view name) const = 0;

  // Textures and surfaces: a plain array of texels, sampled at points (unless
  // `linear`). Returns the handle that kernels take, to be passed as a 64-bit
  // argument or written into memory.
  struct TextureDesc {
    uint32_t width = 1;
    uint32_t height = 1;
    uint32_t depth = 1;       // or layers
    uint32_t components = 4;  // 1, 2 or 4
    uint32_t component_bytes = 4;
    enum class Format : uint8_t { kFloat, kSigned, kUnsigned } format = Format::kFloat;
    enum class Address : uint8_t { kClamp, kWrap, kMirror, kBorder } address = Address::kClamp;
    bool normalized_coordinates = false;
    bool read_normalized = false;  // integers are read as floats in [0, 1] or [-1, 1]
    bool linear = false;
    std::string name = "a texture";  // for reports
  };
  virtual uint64_t CreateTexture(const TextureDesc& desc, absl::Span<const uint8_t> texels) = 0;
  // With a handle of the caller's choice. False where that is taken.
  virtual bool CreateTextureAt(uint64_t handle, const TextureDesc& desc, absl::Span<const uint8_t> texels) = 0;
  virtual bool ReadTexture(uint64_t handle, absl::Span<uint8_t> texels) const = 0;
  // All of them, with what kernels have stored there.
  virtual const TextureTable& texture_table() const = 0;

  // Errors: no such kernel, wrong number or size of arguments, impossible
  // dimensions. What goes wrong while the kernel runs is a fault of the result.
  virtual absl::StatusOr<LaunchResult> Launch(const LaunchConfig& config,
                                              absl::Span<const KernelArgument> arguments) = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_
