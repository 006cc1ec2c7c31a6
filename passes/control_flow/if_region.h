// SPDX-License-Identifier: Apache-2.0

// Triangles and diamonds: a branch whose one or two short sides meet again, and how such a region becomes straight-line
// code. The facts and the edits of early-ifcvt, which decides what is worth it.
//
//     triangle: head -> side -> tail, head -> tail
//     diamond:  head -> taken -> tail, head -> other -> tail
//
// A side has the head as its only predecessor and the tail as its only successor. The instructions of the sides move to
// the end of the head, and each PHI of the tail becomes a select on the condition of the branch. That is SSAIfConv of
// LLVM's EarlyIfConversion.cpp.
//
// The selects, of `c ? t : o`:
// - 16, 32 and 64 bits, integer or floating-point: selp.
// - 128 bits: selp of both halves.
// - Predicates: (c & t) | (!c & o). Constants make that shorter: c | o if t is true, !c & o if it is false, !c | t if o
//   is true, c & t if it is false, and c, !c or a constant if both are constants. A `t` that is c itself is true, and
//   such an `o` is false.

#ifndef PTXMIR_PASSES_CONTROL_FLOW_IF_REGION_H_
#define PTXMIR_PASSES_CONTROL_FLOW_IF_REGION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/values/memory_dependence.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

struct IfRegion {
  MachineBasicBlock* head = nullptr;
  MachineBasicBlock* taken = nullptr;  // the side to which the branch leads; null: it leads to the tail
  MachineBasicBlock* other = nullptr;  // the side to which control goes otherwise; null: that is the tail
  MachineBasicBlock* tail = nullptr;
  MachineInstr* branch = nullptr;

  bool is_diamond() const { return taken != nullptr && other != nullptr; }
  // Return the predecessors of the tail from which control comes on the two ways.
  MachineBasicBlock& taken_end() const { return taken != nullptr ? *taken : *head; }
  MachineBasicBlock& other_end() const { return other != nullptr ? *other : *head; }
};

// Returns the region of which the block is the head, by the shape of its edges alone; without a head if there is none.
IfRegion FindIfRegion(MachineBasicBlock& head);

// The instruction for which a region cannot be converted, and why.
struct IfObstacle {
  std::string_view reason;  // empty: there is none
  const MachineInstr* instr = nullptr;
};

// Looks for what forbids the conversion: an instruction of a side that must not be executed when control would go the
// other way, or a PHI without selects. Stops after `max_instrs` instructions of a side.
IfObstacle FindObstacle(const IfRegion& region, const MemoryDependence& memory, uint32_t max_instrs);

// The select that a PHI of the tail becomes.
struct IfSelect {
  MachineInstr* phi = nullptr;
  MachineOperand taken, other;  // the values on the two paths
  uint32_t num_instrs = 0;      // 0: both are the same value, or one is undefined
  // Of a predicate: what the values are where they are constants, or the condition of the branch.
  std::optional<bool> known_taken, known_other;
};

// Replaces `selects` by what the PHIs of the tail become.
void FindSelects(const IfRegion& region, std::vector<IfSelect>& selects);

// Converts the region. `selects` is from FindSelects. The head takes in the tail if the tail has no other predecessors.
// Analyses of the control flow do not hold afterwards.
void ConvertIfRegion(const IfRegion& region, std::vector<IfSelect>& selects);

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_CONTROL_FLOW_IF_REGION_H_
