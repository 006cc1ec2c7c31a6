// SPDX-License-Identifier: Apache-2.0

// Copies a short block to the ends of its predecessors, which then need not jump to it: the edits of tail duplication,
// and what forbids them. tail_duplication.h has the passes.
//
// The rules are those of LLVM's TailDuplicator, and these, which PTX needs:
// - What is convergent is not copied, nor is a call. If the block ends in a conditional branch, the threads that come
//   from different predecessors would meet later than before, and what stands between must not be convergent. So such
//   a block is copied only in functions that contain nothing convergent.
// - No entry of a cycle is copied. Copies of other blocks keep a reducible graph reducible: a path through the copy
// leads
//   through the same headers as the path through the block.
// - If threads of a warp may come from different predecessors, the warp would execute all copies one after the other.
//   Only a return is copied then.
// - The latch and the preheader of a loop stay, because passes over loops need them.
//
// In SSA form, a block is copied to all predecessors or to none, and goes. The results of its PHIs are then the
// incoming values. Other results get PHIs where the copies meet (ssa_repair.h).

#ifndef PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATOR_H_
#define PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATOR_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/control_flow/machine_cycles.h"
#include "analysis/control_flow/machine_dominators.h"
#include "analysis/values/uniformity.h"
#include "passes/control_flow/ssa_repair.h"
#include "passes/pass_context.h"

namespace ptxmir {

class TailDuplicator {
 public:
  // `is_ssa`: the function is in SSA form, and stays so.
  TailDuplicator(MachineFunction& function, PassContext& context, bool is_ssa);

  // Makes one pass over the blocks. Returns true if it changed anything; the analyses do not hold afterwards.
  bool Run();

  uint64_t num_copies() const { return num_copies_; }
  uint64_t num_removed() const { return num_removed_; }
  uint64_t num_led_past() const { return num_led_past_; }

 private:
  // Gets the facts about the function that only candidates need. It has not been changed before the first call.
  void Prepare();
  // Returns why the block is not to be copied; empty if it may be.
  std::string_view RefusalFor(const MachineBasicBlock& tail);
  std::string_view RefusalForInstrs(const MachineBasicBlock& tail) const;
  bool HasPlaceForCopy(const MachineBasicBlock& tail) const;
  bool MeetDivergentThreads(const MachineBasicBlock& tail) const;
  // Returns true if the predecessor does nothing but go to the tail at its end.
  bool MayTakeCopy(const MachineBasicBlock& predecessor, const MachineBasicBlock& tail) const;

  // Redirects the predecessors of a block that only jumps. Returns true if it did so with any.
  bool LeadPast(MachineBasicBlock& block);
  void DuplicateInSsa(MachineBasicBlock& tail);
  void DuplicateAfterAllocation(MachineBasicBlock& tail);
  void AppendCopy(MachineBasicBlock& tail, MachineBasicBlock& predecessor);
  void RepairResults(const std::vector<MachineBasicBlock*>& predecessors);
  Register Renamed(Register reg) const;
  void Remove(MachineBasicBlock& block);
  void ReportMissed(const MachineBasicBlock& tail, std::string_view reason);
  void ReportCopies(const MachineBasicBlock& tail, uint64_t num_copies);

  MachineFunction& function_;
  PassContext& context_;
  MachineRegisterInfo& reg_info_;
  const bool is_ssa_;
  const uint32_t max_instrs_;
  bool is_prepared_ = false;
  const MachineDominatorTree* dominators_ = nullptr;
  const Uniformity* uniformity_ = nullptr;
  bool has_convergent_ = false;
  std::vector<bool> is_cycle_entry_;  // by block number
  std::vector<bool> is_changed_;      // by block number: analyses no longer know its neighbors
  SsaRepair repair_;
  // In the copy that is being made: the registers of the tail, and what they are called in the copy.
  std::vector<std::pair<Register, Register>> renamed_;
  // By register of the tail: its names in all copies.
  std::vector<Register> results_;
  std::vector<std::vector<Register>> copies_;
  uint64_t num_copies_ = 0;
  uint64_t num_removed_ = 0;
  uint64_t num_led_past_ = 0;
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_TAIL_DUPLICATOR_H_
