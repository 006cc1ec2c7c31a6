// SPDX-License-Identifier: Apache-2.0

// Generates inputs for kernels without a description: launches that are likely to compute something and unlikely to
// access memory outside their buffers. They serve to compare two versions of a kernel.
//
// Every pointer gets its own buffer, much larger than small integers can index. Integers are small, because most are
// sizes, strides and counts. The seed decides what the buffers hold: small integers (which may be indices), floats
// around 0, or arbitrary bits. Structures passed by value are filled member by member.

#ifndef PTXMIR_PTX_INTERPRETER_KERNEL_INPUTS_H_
#define PTXMIR_PTX_INTERPRETER_KERNEL_INPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ptx/interpreter/exec/device.h"
#include "ptx/interpreter/values/fault.h"

namespace ptxmir::ptx {

struct GeneratedLaunch {
  LaunchConfig config;
  std::vector<KernelArgument> arguments;
};

// The assumptions that a launch makes about a kernel that does not state them. The default suits most kernels, and
// its contents depend on the seed more than those of the other styles.
struct LaunchStyle {
  // Whether the 64-bit integers among the arguments are different small numbers, each the handle of a texture or
  // surface.
  bool wide_integers_are_handles = false;
  // Selects other contents of buffers, sizes and shapes of CTAs, in the order in which they are worth trying. 0: the
  // default.
  uint8_t alternative = 0;
  // Whether the launch may take many steps. Most kernels that take many wait for what never comes.
  bool is_long = false;
  // Selects the tensor maps that structures of their size and the first bytes of buffers are. 0: none.
  uint8_t tensor_map = 0;
  // If not 0, the 64-bit integers among the arguments describe matrices in shared memory for tensor products, and the
  // 32-bit integer with this number (from 1) describes a product.
  uint8_t product_argument = 0;
};

// Returns the style to try after a launch in `style` ended with `fault`, or nullopt if no remaining style might
// help.
std::optional<LaunchStyle> NextStyle(const LaunchStyle& style, FaultKind fault);

// Generates a launch and allocates its buffers and textures in the device. The same seed and style give the same
// launch on any device of the module.
GeneratedLaunch GenerateLaunch(Device& device, const Module& module, const IrFunction& kernel, uint64_t seed,
                               const LaunchStyle& style = {});

// How much two floats may differ.
enum class FloatTolerance : uint8_t {
  kNone,      // equal bit by bit
  kRounding,  // words that differ must be close to each other as f32 or f64
};

// Compares the memory and the surfaces of `after` with those of `before`. Returns a description of the first
// difference, or an empty string. Values that are undefined in `before` match anything.
std::string FirstDifference(const Device& before, const Device& after, FloatTolerance tolerance);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_KERNEL_INPUTS_H_
