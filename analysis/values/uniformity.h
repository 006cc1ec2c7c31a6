// SPDX-License-Identifier: Apache-2.0

// uniformity: which registers hold the same value, and which branches go the same way, in all threads of a warp or
// CTA that execute them together.
//
// The instruction tables (ptx/target/instr_info.h) list the sources of divergence: thread and lane ids, atomics,
// shuffles and other collectives, clocks, calls and inline asm, loads from local or generic memory, and parameters
// of functions that are not kernels. A value computed from a divergent value is divergent, unless a vote or
// reduction makes all threads agree on it. Loads from global and shared memory at a uniform address are uniform in
// a warp. They are not uniform in a CTA, whose warps may load at different times.
//
// A divergent branch makes more values divergent than those computed from its condition (Karrenberg and Hack,
// "Improving Performance of OpenCL on CPUs", 2012; LLVM's GenericUniformityInfo):
// - PHIs at joins: blocks where disjoint paths from its successors meet. Labels are propagated from the
//   successors, in reverse postorder, until only one block is left. A branch costs as much as the size of what it
//   makes divergent.
// - If one such path goes around a cycle and another one leaves it, threads leave the cycle in different
//   iterations. Then values of the cycle are divergent after the cycle (but not inside it), and its exits are
//   joins.
// - Outside of SSA form, registers that are assigned in several places, at least one of them between branch and
//   join.
//
// Irreducible cycles with a divergent branch are divergent as a whole. If nested divergent branches would exceed a
// limit (the cost can be quadratic), everything is assumed to be divergent.
//
// Whether a block is executed by all threads is a separate question. A block is convergent if no divergent branch
// decides, directly or indirectly, whether it is executed (control dependence, from the post-dominator tree).
// After `if (i >= n) return;` no block is convergent, although branches there may be uniform among the remaining
// threads.

#ifndef PTXMIR_ANALYSIS_VALUES_UNIFORMITY_H_
#define PTXMIR_ANALYSIS_VALUES_UNIFORMITY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/analysis_manager.h"
#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"

namespace ptxmir {

// The threads among which values are compared.
enum class UniformityScope : uint8_t { kWarp, kCta };

class Uniformity : public Analysis {
 public:
  static constexpr AnalysisKind kKind = AnalysisKind::kUniformity;
  Uniformity(MachineFunction& function, AnalysisManager& analyses);

  // Returns true if the register has the same value in all threads that execute its definition together. It may
  // differ after a cycle that threads leave in different iterations; see IsUniformUse.
  bool IsUniform(Register reg, UniformityScope scope = UniformityScope::kWarp) const;
  // Returns true if the use reads the same value in all threads that execute the instruction together.
  bool IsUniformUse(const MachineOperand& use, UniformityScope scope = UniformityScope::kWarp) const;
  // Returns true if all threads that execute the end of the block together leave it along the same edge.
  bool HasUniformBranch(const MachineBasicBlock& block, UniformityScope scope = UniformityScope::kWarp) const;
  // Returns true if the block is executed by all threads that called the function, or by none.
  bool IsConvergent(const MachineBasicBlock& block, UniformityScope scope = UniformityScope::kWarp) const;
  // Returns true if threads leave the cycle (of machine-cycles) in different iterations.
  bool IsLeftDivergently(CycleId cycle, UniformityScope scope = UniformityScope::kWarp) const;

  void Print(std::string& out) const override;
  std::string DifferenceFrom(const Analysis& fresh) const override;

  // The results for one scope.
  struct Facts {
    std::vector<bool> divergent_registers;  // physical registers by number, then virtual registers by index
    std::vector<bool> divergent_branches;   // indexed by block
    std::vector<bool> divergent_blocks;     // indexed by block: not convergent
    std::vector<bool> divergent_cycles;     // indexed by cycle: left divergently
    friend bool operator==(const Facts&, const Facts&) = default;
  };

 private:
  const Facts& Get(UniformityScope scope) const;

  const MachineFunction& function_;
  const MachineCycles& cycles_;
  const MachinePostDominatorTree& post_dominators_;
  Facts warp_;
  mutable std::unique_ptr<Facts> cta_;  // computed when first asked for
};

}  // namespace ptxmir

#endif  // PTXMIR_ANALYSIS_VALUES_UNIFORMITY_H_
