// SPDX-License-Identifier: Apache-2.0

// Device: runs the kernels of a module as a GPU would, and reports errors that a GPU would not notice.
//
//     absl::StatusOr<std::unique_ptr<Device>> device = CreateDevice(module, functions);
//     uint64_t x = (*device)->Allocate("x", bytes);
//     (*device)->Write(x, bytes);
//     LaunchResult result = (*device)->Launch({.kernel = "saxpy", .grid = {4}, .block = {256}}, arguments);
//
// Machine functions may be at any stage: SSA with PHIs, after PHI elimination, after allocation, after frame
// lowering. They are decoded when they are first called. Everything is deterministic: the order in which CTAs, warps
// and divergent fragments run is fixed.
//
// Only one thread at a time may use a Device.

#ifndef PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_
#define PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "mir/code/machine_instr.h"
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

// Instructions that threads have executed, by machine instruction. An instruction that 20 lanes execute counts as 20.
using ExecutedByInstr = absl::flat_hash_map<const MachineInstr*, uint64_t>;

// Legal orders of the threads other than the usual one, in which CTAs start one after the other and their warps run in
// ascending order. Only code with races, or with atomic operations whose order matters, computes something else.
struct ThreadOrder {
  // CTAs start in descending order, so do the warps of a CTA, and of the lanes that store to one place at the same time
  // the first wins.
  bool reverse = false;
  bool leading_lanes_first = false;  // of diverged lanes, those that are ahead run first
  bool interleave = false;           // CTAs start together, and each warp executes one instruction before the next one
};

struct LaunchConfig {
  std::string kernel;  // name in the module, mangled if it is there
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamic_shared_bytes = 0;
  // The number of warp steps (one instruction for up to 32 threads) after which the launch is stopped with
  // kStepLimit.
  uint64_t max_steps = uint64_t{1} << 32;
  bool detect_races = true;
  // Whether a data race is a fault. If not, the launch goes on and LaunchResult::race is the first one.
  bool stop_at_races = true;
  ThreadOrder order = {};
  // Whether storing undefined bits to global memory is a fault. If not, they are tracked and
  // LaunchResult::undefined_store is the first such store.
  bool stop_at_undefined_stores = false;
  // Whether an access is a fault if its address is less aligned than its memory operand states. A GPU does not see what
  // is stated; passes rely on it.
  bool check_stated_alignments = false;
  // Whether the grid gets memory for its grid-wide barriers, as a driver gives it to cooperative launches (in
  // %envreg1 and %envreg2).
  bool cooperative = false;
  // If not null, what is executed is added to it.
  ExecutedByInstr* executed = nullptr;
};

// Dynamic counts. Thread counts are per lane: an instruction that 20 lanes execute counts as 20.
struct LaunchCounts {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
  std::array<uint64_t, kNumInstrCategories> by_category{};
  // Indexed by MemorySpace: the number of accesses by threads, and their bytes.
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
  Fault fault;  // kNone if the launch succeeded
  Fault race;   // the first data race, if LaunchConfig::stop_at_races is off; kNone if there was none
  // The first store of undefined bits to global memory, if LaunchConfig::stop_at_undefined_stores is off; kNone if
  // there was none.
  Fault undefined_store;
  LaunchCounts counts;
  std::string printed;  // the output of vprintf
};

// One kernel argument: its bytes as laid out in the parameter space.
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

  // Allocates global memory, zeroed or undefined. Addresses depend only on the order of allocation.
  virtual uint64_t Allocate(std::string name, uint64_t size, bool undefined = false) = 0;
  // Return false if the range is not within one block.
  virtual bool Write(uint64_t address, absl::Span<const uint8_t> bytes) = 0;
  virtual bool Read(uint64_t address, absl::Span<uint8_t> bytes) const = 0;
  // Returns the undefined bits of a range, or an empty vector if the range is not within one block.
  virtual std::vector<uint8_t> UndefinedBits(uint64_t address, uint64_t size) const = 0;
  // All of global memory, variables and allocations, by address.
  virtual absl::Span<const MemoryBlock> blocks() const = 0;
  // Returns the generic address of a module variable in global or constant memory, or 0 if there is none.
  virtual uint64_t VariableAddress(std::string_view name) const = 0;

  // Creates a texture or surface: a plain array of texels, with point sampling unless `linear`. Returns the handle
  // that kernels take, which is passed as a 64-bit argument or written into memory.
  struct TextureDesc {
    uint32_t width = 1;
    uint32_t height = 1;
    uint32_t depth = 1;       // or the number of layers
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
  // Creates a texture with a handle of the caller's choice. Returns false if the handle is taken.
  virtual bool CreateTextureAt(uint64_t handle, const TextureDesc& desc, absl::Span<const uint8_t> texels) = 0;
  virtual bool ReadTexture(uint64_t handle, absl::Span<uint8_t> texels) const = 0;
  // All textures and surfaces, with the data that kernels have stored there.
  virtual const TextureTable& texture_table() const = 0;

  // Runs a kernel. Returns an error if there is no such kernel, if the number or size of the arguments is wrong, or
  // if the dimensions are impossible. Errors while the kernel runs are faults in the result.
  virtual absl::StatusOr<LaunchResult> Launch(const LaunchConfig& config,
                                              absl::Span<const KernelArgument> arguments) = 0;
};

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_EXEC_DEVICE_H_
