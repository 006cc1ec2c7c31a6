// SPDX-License-Identifier: Apache-2.0

// Inputs for kernels that nobody has described: launches that are likely to do something and unlikely to leave
// their buffers, for comparing two versions of a kernel.
//
// Pointers get buffers of their own, much larger than anything that small integers can index. Integers are small,
// because they are mostly sizes, strides and counts; what the buffers hold depends on the seed: small integers
// (which may be indices), floats around 0, or any bits. Structures by value are filled member by member.

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

// What a launch takes for granted of a kernel that does not say so. The default suits most, and what it holds depends
// on the seed more than with the others.
struct LaunchStyle {
  // 64-bit integers among the arguments are different small numbers, each the handle of a texture or surface.
  bool wide_integers_are_handles = false;
  // Other contents of buffers, sizes and shapes of CTAs, in the order in which they are worth trying; 0: the default.
  uint8_t alternative = 0;
};

// What to try where a launch in one style ended with the fault. None: nothing is left that might help.
std::optional<LaunchStyle> NextStyle(const LaunchStyle& style, FaultKind fault);

// Allocates the buffers and textures in the device. The same seed and style give the same launch, on any device of the
// module.
GeneratedLaunch GenerateLaunch(Device& device, const Module& module, const IrFunction& kernel, uint64_t seed,
                               const LaunchStyle& style = {});

// How two floats may differ.
enum class FloatTolerance : uint8_t {
  kNone,      // bit by bit
  kRounding,  // words that differ are near each other as f32 or f64
};

// Where the memory of `after`, or what its surfaces hold, differs from what `before` defines: a description of the
// first place, or an empty string. What is undefined in `before` may be anything.
std::string FirstDifference(const Device& before, const Device& after, FloatTolerance tolerance);

}  // namespace ptxmir::ptx

#endif  // PTXMIR_PTX_INTERPRETER_KERNEL_INPUTS_H_
