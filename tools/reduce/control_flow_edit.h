// SPDX-License-Identifier: Apache-2.0

// ControlFlowEdit: edits of the control flow that keep PHIs, edges and layout consistent, for the reducer's steps.

#ifndef PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_
#define PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_

#include <optional>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// As long as it lives, no block of the function falls through: a jump is added wherever one did. Its destructor
// removes the unreachable blocks, and those of its jumps that lead to the next block.
class ControlFlowEdit {
 public:
  explicit ControlFlowEdit(MachineFunction& function);
  ~ControlFlowEdit();
  ControlFlowEdit(const ControlFlowEdit&) = delete;
  ControlFlowEdit& operator=(const ControlFlowEdit&) = delete;

  // Returns true if the target has what the edits need: an unconditional jump and a return, identified by their
  // descriptions.
  bool is_possible() const { return jump_.has_value() && return_.has_value(); }

  // Replaces the block's terminators by a jump to `successor`, one of its successors.
  void KeepSuccessor(MachineBasicBlock& block, MachineBasicBlock& successor);
  // Redirects the edge to `from` to `to`, another successor. The PHIs of `from` lose their operand for the block.
  // The PHIs of `to` keep the value of the existing edge.
  void JoinEdges(MachineBasicBlock& block, MachineBasicBlock& from, MachineBasicBlock& to);
  // Replaces the block's terminators by a return.
  void ReplaceWithReturn(MachineBasicBlock& block);
  // Redirects the edges into the block to its only successor, whose PHIs take the block's value for each new
  // predecessor. If a predecessor would need two values, changes nothing and returns false.
  bool Bypass(MachineBasicBlock& block);
  // Appends the code of the block's only successor, which has no other predecessor.
  void MergeSuccessor(MachineBasicBlock& block);

 private:
  void EraseTerminators(MachineBasicBlock& block);
  void RemoveEdge(MachineBasicBlock& block, MachineBasicBlock& successor);
  // Removes the operands for `block` from the PHIs of `successor`.
  static void RemovePhiOperands(const MachineBasicBlock& block, MachineBasicBlock& successor);
  void EraseUnreachableBlocks();

  MachineFunction& function_;
  std::optional<Opcode> jump_;
  std::optional<Opcode> return_;
  std::vector<bool> may_fall_through_;  // by block number: whether the jump at the end was added by this object
};

// Returns the index of the PHI operand that holds the value for `predecessor`, or 0.
unsigned PhiOperandFor(const MachineInstr& phi, const MachineBasicBlock& predecessor);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_
