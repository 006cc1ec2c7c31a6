// SPDX-License-Identifier: Apache-2.0

// Generates modules of machine code from a seed: kernels and the device functions that they call, in the form that
// instruction selection produces (SSA with PHIs).
//
// The modules are valid, defined and deterministic by construction, so none has to be discarded:
//
// - Control flow grows from regions (straight-line code, if, if-else, loops, switches, loops with two entries).
//   PHIs join the ends of regions. A value is used only where its definition dominates.
// - The trip counts of loops are computed before them, and so are the bounds of their counters: from the start, which
//   may be any value, and the step. The product of the trip counts of nested loops is limited.
// - A thread stores only to memory that it owns: a slot of the output buffer, a slot of shared memory, its stack.
//   It reads the shared slots of other threads only between barriers. Indices are masked.
// - Barriers, and collectives with all lanes in the mask, are placed only where all threads of the CTA go. The
//   generator tracks for each value if it is the same in all threads.
//
// At the end of a kernel, a hash of the live values goes to the thread's slot, so that no value is dead.

#ifndef PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_H_
#define PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "ir/module.h"
#include "tools/fuzz/generator/fuzz_random.h"
#include "tools/fuzz/generator/opcode_catalog.h"

namespace ptxmir::fuzz {

enum class FuzzShape : uint8_t {
  kMixed,     // a bit of everything
  kPressure,  // some hundred values live through loops
  kSwitch,    // a switch over 2,000 targets
  kLive,      // 10,000 values live at once
  kNest,      // conditions and loops nested 1,000 deep
  kSmall,     // a bit of everything in one kernel of 10 to 150 instructions
};
inline constexpr int kNumFuzzShapes = static_cast<int>(FuzzShape::kSmall) + 1;

// Returns "mixed", "pressure" ...
std::string_view FuzzShapeName(FuzzShape shape);
std::optional<FuzzShape> FindFuzzShape(std::string_view name);

// Generates a module. The same catalog, seed, shape and bytes, which may be null, give the same module.
std::unique_ptr<Module> GenerateMirModule(const OpcodeCatalog& catalog, const TargetInfo& target, FuzzShape shape,
                                          uint64_t seed, FuzzBytes* bytes = nullptr);

}  // namespace ptxmir::fuzz

#endif  // PTXMIR_TOOLS_FUZZ_GENERATOR_MIR_FUNCTION_GENERATOR_H_
