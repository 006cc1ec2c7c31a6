// SPDX-License-Identifier: Apache-2.0

// Edits of the control flow that keep PHIs, edges and layout consistent, for the reducer's steps.

#ifndef PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_
#define PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_

#include <optional>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

// While it lives, no block of the function falls through: jumps are put where one did. Its end removes the blocks that
// nothing reaches, and those of its jumps that lead to the next block.
class ControlFlowEdit {
 public:
  explicit ControlFlowEdit(MachineFunction& function);
  ~ControlFlowEdit();
  ControlFlowEdit(const ControlFlowEdit&) = delete;
  ControlFlowEdit& operator=(const ControlFlowEdit&) = delete;

  // Whether the target has what the edits need: an unconditional jump and a return, each known by its description.
  bool is_possible() const { return jump_.has_value() && return_.has_value(); }

  // The block's terminators become a jump to `successor`, one of its successors.
  void KeepSuccessor(MachineBasicBlock& block, MachineBasicBlock& successor);
  // The edge to `from` leads to `to`, another successor. PHIs lose what they had for it: the value for the edge to `to`
  // is that for both.
  void JoinEdges(MachineBasicBlock& block, MachineBasicBlock& from, MachineBasicBlock& to);
  // The block's terminators become a return.
  void ReplaceWithReturn(MachineBasicBlock& block);
  // What led to the block leads to its only successor, whose PHIs take the value for each new predecessor. Returns
  // false, having changed nothing, where a predecessor would need two values.
  bool Bypass(MachineBasicBlock& block);
  // Moves the code of the block's only successor, which has no other predecessor, to its end.
  void MergeSuccessor(MachineBasicBlock& block);

 private:
  void EraseTerminators(MachineBasicBlock& block);
  void RemoveEdge(MachineBasicBlock& block, MachineBasicBlock& successor);
  // In the PHIs of `successor`, what they have for `block`.
  static void RemovePhiOperands(const MachineBasicBlock& block, MachineBasicBlock& successor);
  void EraseUnreachableBlocks();

  MachineFunction& function_;
  std::optional<Opcode> jump_;
  std::optional<Opcode> return_;
  std::vector<bool> may_fall_through_;  // by block number: whether a jump at the end is of our making
};

// The value that a PHI has for `predecessor`: the number of its operand, or 0.
unsigned PhiOperandFor(const MachineInstr& phi, const MachineBasicBlock& predecessor);

}  // namespace ptxmir

#endif  // PTXMIR_TOOLS_REDUCE_CONTROL_FLOW_EDIT_H_
