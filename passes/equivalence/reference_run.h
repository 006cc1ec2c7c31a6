// SPDX-License-Identifier: Apache-2.0

// What a kernel computes on a generated input, and whether it still does so with other versions of its functions.
//
// Where the first run ends well, a later one must, and must leave the same memory and have printed the same. A first
// run that does not end well (it left its buffers, say, because the inputs mean nothing to it) decides nothing. The
// same holds for a difference where threads of a CTA raced for the same bytes, if the first version computes something
// else too when its warps and lanes have their turns in another order: what it computes is not determined. A race that
// only the later version has is a difference, whatever the results.

#ifndef PTXMIR_PASSES_EQUIVALENCE_REFERENCE_RUN_H_
#define PTXMIR_PASSES_EQUIVALENCE_REFERENCE_RUN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/equivalence/generated_run.h"
#include "ptx/interpreter/kernel_inputs.h"
#include "ptx/interpreter/values/fault.h"

namespace ptxmir {

// The kernels that reach the function through mentions in bodies and initialisers, itself among them if it is one.
std::vector<const IrFunction*> KernelsThatUse(const Module& module, std::string_view function);

class ReferenceRun {
 public:
  struct Verdict {
    bool is_decided = true;
    ptx::Fault undecided_because = {};  // of the kind kNone: the launch was impossible
    std::string difference = {};        // empty: none
    GeneratedRun after = {};            // with the other functions; if it is decided
  };

  // Runs the kernel. `functions`: the module's, in the versions whose results are to stay; they, the module and the
  // kernel must outlive the run. `code`: as in ptx::Device::Create.
  ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions, const IrFunction& kernel,
               uint64_t seed, ptx::CodeCache* code = nullptr);
  // The same when the kernel has been run.
  ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions, const IrFunction& kernel,
               uint64_t seed, GeneratedRun run, ptx::CodeCache* code = nullptr);

  // Runs the kernel with `functions` in the place of those of before, if that can decide anything.
  Verdict Judge(absl::Span<const MachineFunction* const> functions, ptx::FloatTolerance tolerance,
                uint64_t step_factor = kStepFactorOfChanged);
  bool ended_well() const { return run_.ended_well(); }

 private:
  // Whether the first version computes something else in another order of warps and lanes.
  bool DependsOnOrder(ptx::FloatTolerance tolerance);

  const Module& module_;
  std::vector<const MachineFunction*> functions_;
  const IrFunction& kernel_;
  const uint64_t seed_;
  ptx::CodeCache* const code_;
  GeneratedRun run_;
  std::array<std::optional<bool>, 2> depends_on_order_;  // by tolerance
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_REFERENCE_RUN_H_
