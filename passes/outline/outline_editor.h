// SPDX-License-Identifier: Apache-2.0

// Makes functions of planned sequences, and replaces the sequences by calls.
//
// A call has the form that instruction selection gives it: between callseq_start and callseq_end, parameters are
// declared and stored, the function is called, and the result is loaded. A single result is a scalar. Several results
// are the members of a structure.

#ifndef PTXMIR_PASSES_OUTLINE_OUTLINE_EDITOR_H_
#define PTXMIR_PASSES_OUTLINE_OUTLINE_EDITOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"
#include "mir/code/machine_function.h"
#include "passes/outline/outline_plan.h"
#include "passes/outline/outline_text.h"

namespace ptxmir {

class OutlineEditor {
 public:
  OutlineEditor(Module& module, const OutlineText& text, OutlinePlanner& planner)
      : module_(module), text_(text), planner_(planner) {}

  // Makes the function of a plan. `number` is its number in the module. The sequences stay.
  OwnedMachineFunction MakeFunction(const OutlinePlan& plan, uint32_t number);
  // Replaces the sequence of a plan at one place by a call of the function that was made for it.
  void ReplaceByCall(const OutlinePlan& plan, uint32_t position, const MachineFunction& outlined);

 private:
  IrFunction& MakeSignature(const OutlinePlan& plan);
  std::string NextName();
  void CopySequence(const OutlinePlan& plan, MachineBasicBlock& block, const std::vector<Register>& registers);
  void EraseSequence(const OutlinePlan& plan, uint32_t position);

  Module& module_;
  const OutlineText& text_;
  OutlinePlanner& planner_;
  uint32_t next_name_ = 0;
  uint32_t next_call_ = 0;
  std::vector<Register> registers_with_values_;  // of the sequence that is replaced: its results
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_OUTLINE_OUTLINE_EDITOR_H_
