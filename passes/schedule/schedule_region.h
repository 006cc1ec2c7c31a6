// SPDX-License-Identifier: Apache-2.0

// A piece of a block whose instructions may be put in another order, for machine-scheduler: what must stay before
// what, and orders that keep few registers live.
//
// An instruction depends on an earlier one when it reads what that defines, defines what that reads or defines, when
// both touch memory and one may change what the other sees, and when both are of a kind that is kept in order
// (collectives that exchange values; the carry flag). Registers need not be in SSA form.
//
// Orders are found from the bottom up, one instruction at a time among those on which nothing that is left depends:
// the one that leaves the fewest 32-bit registers live above it. What a candidate would cost changes only when a
// register that it reads becomes live, so candidates are kept in a heap and pushed again when that happens:
// O((instructions + operands) log instructions). Ties are decided in several ways, and the caller takes the best:
//
//   source   the last in the old order: changes as little as can be
//   latest   the one that became ready last: finishes what was begun, as a walk in depth first would
//   need     the one that itself needs the fewest registers to be computed (after Sethi and Ullman, "The Generation
//            of Optimal Code for Arithmetic Expressions", JACM 1970, on a graph for a tree)
//
// Greedy from below is what LLVM's bottom-up register reduction list scheduler does with more special cases.

#ifndef PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_
#define PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "analysis/memory_dependence.h"
#include "analysis/register_pressure.h"
#include "base/split_mix64.h"
#include "mir/code/machine_function.h"

namespace ptxmir {

enum class ScheduleTie : uint8_t { kSource, kLatest, kNeed };
inline constexpr ScheduleTie kScheduleTies[] = {ScheduleTie::kSource, ScheduleTie::kLatest, ScheduleTie::kNeed};

// The virtual registers that are live at a point, and the 32-bit registers that they take.
class LiveUnits {
 public:
  explicit LiveUnits(const MachineFunction& function);

  uint32_t units() const { return units_; }
  bool Contains(uint32_t reg) const { return place_[reg] != 0; }
  uint32_t UnitsOf(uint32_t reg) const;
  void Add(uint32_t reg);
  void Remove(uint32_t reg);
  void Clear();
  // Takes the time of what is live in both.
  void CopyFrom(const LiveUnits& other);

  // Goes up over an instruction. Returns the most that is live at it.
  uint32_t StepUp(const MachineInstr& instr);

 private:
  const MachineRegisterInfo* reg_info_;
  PressureClassMap classes_;
  std::vector<uint32_t> place_;  // by virtual register: 1 + its index in live_; 0: not live
  std::vector<uint32_t> live_;
  uint32_t units_ = 0;
};

// Whether other instructions may not be moved over this one at all.
bool IsSchedulingBoundary(const MachineInstr& instr);

class ScheduleRegion {
 public:
  ScheduleRegion(const MachineFunction& function, const MemoryDependence& memory);

  // Takes the instructions of a region, in order, without debug instructions. None is a boundary.
  void Build(absl::Span<MachineInstr* const> instrs);

  struct Order {
    std::vector<uint32_t> sequence;  // indexes of instructions, from the top
    uint32_t peak = 0;               // the most units live at one of them
  };
  // An order, given what is live below the region. `live` is used for the work and is afterwards what is live above.
  Order Schedule(ScheduleTie tie, LiveUnits& live);
  // Any of the orders that the dependences allow.
  Order Shuffle(SplitMix64& random, LiveUnits& live);

 private:
  // Lists of edges, in one array each.
  struct Edge {
    uint32_t from;  // the earlier
    uint32_t to;
  };
  struct Candidate {
    int32_t delta;  // units that are live above it less those below
    uint32_t tie;   // the smaller the better
    uint32_t node;
    bool operator<(const Candidate& other) const {  // of a heap with the best on top
      return delta != other.delta ? delta > other.delta : tie > other.tie;
    }
  };
  // What the region has last done with a register; valid where the stamp is this region's.
  struct RegisterState {
    uint32_t stamp = 0;
    uint32_t definition = kNone;
    uint32_t first_use = kNone;  // since the definition: index into uses_
  };
  struct Use {
    uint32_t node;
    uint32_t next;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};
  // More pairs of accesses in a region than this are not compared; any two may then depend on each other.
  static constexpr size_t kMaxComparedPairs = 1 << 16;

  RegisterState& StateOf(uint32_t reg);
  void AddEdge(uint32_t from, uint32_t to) {
    if (from != to) edges_.push_back({from, to});
  }
  void AddRegisterEdges(uint32_t node);
  void AddMemoryEdges();
  void AddMemoryEdgesInOrder();
  void SortEdges();
  void ComputeNeeds();
  void CollectReaders();
  int32_t Delta(uint32_t node, const LiveUnits& live) const;
  uint32_t TieKey(ScheduleTie tie, uint32_t node) const;

  const MemoryDependence& memory_;
  absl::Span<MachineInstr* const> instrs_;
  std::vector<Edge> edges_;
  std::vector<uint32_t> first_edge_;  // by `to`, into edges_ sorted by it
  std::vector<RegisterState> registers_;
  std::vector<Use> uses_;
  uint32_t stamp_ = 0;
  uint32_t last_in_chain_ = kNone;
  RegisterState carry_;
  std::vector<uint32_t> needs_;     // by node
  std::vector<Edge> readers_;       // {register, node}, sorted by register
  std::vector<uint32_t> num_left_;  // by node: what depends on it and is not placed yet
  std::vector<int32_t> deltas_;     // by node, while it is a candidate
  std::vector<uint32_t> begins_to_live_;
  std::vector<uint32_t> became_ready_;  // by node: when; 0: not yet, or placed
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_
