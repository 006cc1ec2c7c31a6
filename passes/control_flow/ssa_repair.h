// SPDX-License-Identifier: Apache-2.0

// Restores SSA form for a value that has come to have several definitions, one in each of some blocks, because the
// block that defined it was copied.
//
// This is LLVM's SSAUpdater for many uses at once. The blocks between the definitions and the uses are found by a walk
// back from the uses. Values are then propagated forward through them: a block that more than one value reaches gets a
// PHI. Debug instructions that read the value become undefined.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_SSA_REPAIR_H_
#define PTXMIR_PASSES_CONTROL_FLOW_SSA_REPAIR_H_

#include <cstdint>
#include <vector>

#include "mir/code/machine_function.h"

namespace ptxmir {

class SsaRepair {
 public:
  explicit SsaRepair(MachineFunction& function) : function_(function), reg_info_(function.reg_info()) {}

  // Replaces every use of `old`, whose definition is gone, by the definition or the PHI that reaches it. Each block of
  // `blocks` holds at its end the value of the register at the same place in `values`, and no use of `old` is in one of
  // them, except in PHIs of others. Every path from the entry to a use leads through one of them.
  void Repair(Register old, const std::vector<MachineBasicBlock*>& blocks, const std::vector<Register>& values);

  // The blocks visited so far, for callers that limit what they spend.
  uint64_t num_visited() const { return num_visited_; }

 private:
  enum class State : uint8_t { kUnvisited, kUnknown, kValue, kPhi, kDefinition };
  struct BlockValue {
    State state = State::kUnvisited;
    Register value;  // at the beginning of the block; for a definition, at its end
  };

  void CollectUses(Register old);
  // Visits a block that needs a value at its beginning.
  void Visit(MachineBasicBlock& block);
  void Propagate();
  // Returns true if that changes what is known about the block.
  bool Merge(const MachineBasicBlock& block);
  void CreatePhis(RegClassId reg_class);
  void Rewrite();
  BlockValue& Of(const MachineBasicBlock& block) { return of_[block.number()]; }

  MachineFunction& function_;
  MachineRegisterInfo& reg_info_;
  std::vector<BlockValue> of_;               // by block number
  std::vector<MachineBasicBlock*> visited_;  // in the order of the walk back
  std::vector<MachineBasicBlock*> worklist_;
  std::vector<MachineOperand*> uses_;
  uint64_t num_visited_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_SSA_REPAIR_H_
