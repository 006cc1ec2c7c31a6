// SPDX-License-Identifier: Apache-2.0

// Records what a kernel computes on a generated input, and checks that it still computes the same with other
// versions of its functions.
//
// If the first run ends well, a later run must end well too, leave the same memory and print the same text. A
// first run that does not end well decides nothing; for example, the kernel may leave its buffers because the
// input is meaningless to it. A difference decides nothing either if threads of a CTA raced for the same bytes and
// the first version itself computes something else when its warps and lanes run in another order: its result is
// not determined. A race that only the later version has is a difference, whatever the results.
//
// Two versions that are different modules have been selected apart and run in orders that have little in common. There,
// a difference decides nothing if the first version has a race, or if one of the two computes something else in any of
// three other orders. Without a race, it matters then which atomic operation comes last.

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

// Returns the kernels that reach the function through references in bodies and initializers, including the
// function itself if it is a kernel.
std::vector<const IrFunction*> KernelsThatUse(const Module& module, std::string_view function);

class ReferenceRun {
 public:
  struct Verdict {
    bool is_decided = true;
    ptx::Fault undecided_because = {};  // of kind kNone if the launch was impossible
    std::string difference = {};        // empty if there is none
    GeneratedRun after = {};            // the run with the other functions, if the verdict is decided
  };

  // Runs the kernel. `functions` are the module's functions in the versions whose results must be preserved. The
  // functions, the module and the kernel must outlive this object. `code` has the same meaning as in
  // ptx::Device::Create.
  ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions, const IrFunction& kernel,
               uint64_t seed, ptx::CodeCache* code = nullptr);
  // Takes an existing run of the kernel instead of running it.
  ReferenceRun(const Module& module, std::vector<const MachineFunction*> functions, const IrFunction& kernel,
               uint64_t seed, GeneratedRun run, ptx::CodeCache* code = nullptr);

  // Runs the kernel with `functions` in place of the earlier ones, if that can decide anything.
  Verdict Judge(absl::Span<const MachineFunction* const> functions, ptx::FloatTolerance tolerance,
                uint64_t step_factor = kStepFactorOfChanged);
  // The same for the kernel of another module, with the machine functions of that.
  Verdict JudgeOther(const Module& module, const IrFunction& kernel, ptx::FloatTolerance tolerance);
  bool ended_well() const { return run_.ended_well(); }

 private:
  Verdict Judge(const Module& module, absl::Span<const MachineFunction* const> functions, const IrFunction& kernel,
                ptx::FloatTolerance tolerance, uint64_t step_factor);
  // Returns true if the first version computes something else in another order.
  bool ChangesWith(const ptx::ThreadOrder& order, ptx::FloatTolerance tolerance) const;
  // Returns true if it does so when threads run in reverse order, or in any of four orders.
  bool DependsOnOrder(ptx::FloatTolerance tolerance);
  bool DependsOnAnyOrder(ptx::FloatTolerance tolerance);

  const Module& module_;
  std::vector<const MachineFunction*> functions_;
  const IrFunction& kernel_;
  const uint64_t seed_;
  ptx::CodeCache* const code_;
  GeneratedRun run_;
  std::array<std::optional<bool>, 2> depends_on_order_;  // indexed by tolerance
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_EQUIVALENCE_REFERENCE_RUN_H_
