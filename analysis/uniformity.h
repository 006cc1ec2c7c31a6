// SPDX-License-Identifier: Apache-2.0

// uniformity: which registers hold the same value, and which branches go the same way, in all threads of a warp or of
// a CTA that execute them together.
//
// Sources of divergence stand in the instruction tables (ptx/target/instr_info.h): thread and lane ids, atomics,
// shuffles and other collectives, clocks, calls and inline asm, loads from local or generic memory, parameters of
// functions that are no kernels. What such a value is computed from is divergent; so is what votes and reductions do
// not agree on. Loads from global and shared memory at a uniform address are uniform in a warp, not in a CTA, whose
// warps may load at different times.
//
// A divergent branch makes more divergent than what is computed from its condition (Karrenberg and Hack, "Improving
// Performance of OpenCL on CPUs", 2012; LLVM's GenericUniformityInfo):
//   - PHIs where ways from its successors that have no block in common meet (joins): labels are propagated from the
//     successors, in reverse postorder, until one block is left. A branch costs the size of what it makes divergent.
//   - if such a way leads around a cycle while another leaves it, threads leave the cycle in different turns: values
//     of the cycle are divergent behind it (though not in it), and its exits are joins.
//   - out of SSA form, registers that are assigned in several places, one of them between branch and join.
// Irreducible cycles with a divergent branch are divergent as a whole. Where nests of divergent branches would make it
// quadratic beyond a limit, everything is taken for divergent.
//
// The question whether a block is executed by all threads is another one: a block is convergent if no divergent branch
// decides, directly or indirectly, whether it is executed (control dependence, from the post-dominator tree). Behind
// `if (i >= n) return;` nothing is, although branches there may be uniform among the threads that are left.

#ifndef PTXMIR_ANALYSIS_UNIFORMITY_H_
#define PTXMIR_ANALYSIS_UNIFORMITY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/machine_cycles.h"
#include "analysis/machine_dominators.h"

namespace ptxmir {

// The threads among which values are compared.
enum class UniformityScope : uint8_t { kWarp, kCta };

class Uniformity : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kUniformity;
  Uniformity(MachineFunction& function, AnalysisManager& analyses);

  // Whether the register is the same in all threads wherever its definition has been executed by them together. It may
  // differ behind a cycle that is left in different turns: see IsUniformUse.
  bool IsUniform(Register reg, UniformityScope scope = UniformityScope::kWarp) const;
  // Whether what a use reads is the same in all threads that execute the instruction together.
  bool IsUniformUse(const MachineOperand& use, UniformityScope scope = UniformityScope::kWarp) const;
  // Whether all threads that execute the end of the block together leave it the same way.
  bool HasUniformBranch(const MachineBasicBlock& block, UniformityScope scope = UniformityScope::kWarp) const;
  // Whether the block is executed by all threads that called the function, or by none.
  bool IsConvergent(const MachineBasicBlock& block, UniformityScope scope = UniformityScope::kWarp) const;
  // Whether threads leave the cycle (of machine-cycles) in different turns.
  bool IsLeftDivergently(CycleId cycle, UniformityScope scope = UniformityScope::kWarp) const;

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

  // What is known for one scope.
  struct Facts {
    std::vector<bool> divergent_registers;  // physical ones by number, then virtual ones by index
    std::vector<bool> divergent_branches;   // by block
    std::vector<bool> divergent_blocks;     // not convergent
    std::vector<bool> divergent_cycles;     // by cycle: left divergently
    friend bool operator==(const Facts&, const Facts&) = default;
  };

 private:
  const Facts& Get(UniformityScope scope) const;

  const MachineFunction& function_;
  const MachineCycles& cycles_;
  const MachinePostDominatorTree& post_dominators_;
  Facts warp_;
  mutable std::unique_ptr<Facts> cta_;  // computed when asked for
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_UNIFORMITY_H_
