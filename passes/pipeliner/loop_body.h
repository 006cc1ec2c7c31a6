// SPDX-License-Identifier: Apache-2.0

// A loop as pipeliner sees it: one block in SSA form that branches to itself and to one exit.
//
// PHIs are not instructions of the body. A use of a PHI is a use of the value that an earlier iteration computed, so
// each register that the body reads is described by a LoopValue: the instruction that computes the value, the number
// of iterations that the value is old, and the registers that stand for it in the first iterations, in which no earlier
// iteration has computed it.
//
// The control instructions of the loop are those that compute the condition of its branch, transitively through PHIs.
// They depend only on each other and on values from before the loop, and neither access memory nor have other effects.
// They can therefore be executed ahead of the rest, to find out whether a number of iterations will run.

#ifndef PTXMIR_PASSES_PIPELINER_LOOP_BODY_H_
#define PTXMIR_PASSES_PIPELINER_LOOP_BODY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "analysis/control_flow/machine_loops.h"
#include "analysis/values/uniformity.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct LoopValue {
  static constexpr uint32_t kNoNode = ~uint32_t{0};

  uint32_t node = kNoNode;  // the instruction of the body that computes the value, or kNoNode
  Register reg;             // the register that it defines; without a node, a register from before the loop
  // The registers from before the loop that hold the value in the first iterations. Their number is the distance: later
  // iterations read the value that was computed so many iterations ago.
  absl::InlinedVector<Register, 1> initial;

  uint32_t distance() const { return static_cast<uint32_t>(initial.size()); }
  bool is_invariant() const { return node == kNoNode && initial.empty(); }
};

struct LoopBody {
  MachineBasicBlock* block = nullptr;
  MachineBasicBlock* predecessor = nullptr;  // the only block outside the loop with an edge into it
  MachineBasicBlock* exit = nullptr;
  std::vector<MachineInstr*> phis;
  std::vector<MachineInstr*> instrs;  // without PHIs, debug instructions and branches; the nodes
  std::vector<bool> is_control;       // by node
  MachineInstr* branch = nullptr;     // the conditional branch
  bool continues_if_taken = false;    // the branch leads to the loop and not to the exit
  LoopValue condition;

  // Returns the value that an instruction of the body reads from a register.
  LoopValue ValueOf(Register reg) const;
  Register condition_register() const { return branch->operand(0).reg(); }

  absl::flat_hash_map<Register, LoopValue> values;  // of the registers that the block defines
};

struct FoundLoopBody {
  LoopBody body;
  std::string refusal;                    // the reason why the loop cannot be pipelined; empty if it can
  const MachineInstr* culprit = nullptr;  // the instruction that the reason is about, or null
};

// Analyzes a loop. Instructions that threads execute together are accepted only if `uniformity` says that all threads
// of a warp leave the loop at the same time.
FoundLoopBody FindLoopBody(const MachineLoops& loops, CycleId loop, const Uniformity& uniformity);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_PIPELINER_LOOP_BODY_H_
