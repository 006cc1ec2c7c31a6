// SPDX-License-Identifier: Apache-2.0

// Orders of a piece of a block that keep few registers live, for machine-scheduler. dag/schedule_dag.h says which
// orders there are.
//
// Orders are built from the bottom up. Each step takes one of the instructions on which no remaining instruction
// depends: the one that leaves the fewest 32-bit registers live above it. The cost of a candidate changes only
// when a register that it reads becomes live, so candidates are kept in a heap and pushed again when that happens:
// O((instructions + operands) log instructions). Ties are broken in one of several ways, and the caller takes the
// best result:
//
//   source   the last in the old order: makes the fewest changes
//   latest   the one that became ready last: finishes what was begun, as a depth-first walk would
//   need     the one that itself needs the fewest registers to be computed (after Sethi and Ullman, "The Generation
//            of Optimal Code for Arithmetic Expressions", JACM 1970, applied to a graph instead of a tree)
//
// LLVM's bottom-up register reduction list scheduler is greedy from below in the same way, with more special
// cases.

#ifndef PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_
#define PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "analysis/pressure/register_pressure.h"
#include "analysis/values/memory_dependence.h"
#include "base/split_mix64.h"
#include "mir/code/machine_function.h"
#include "passes/schedule/dag/schedule_dag.h"

namespace ptxmir {

enum class ScheduleTie : uint8_t { kSource, kLatest, kNeed };
inline constexpr ScheduleTie kScheduleTies[] = {ScheduleTie::kSource, ScheduleTie::kLatest, ScheduleTie::kNeed};

// Returns the number of 32-bit registers that a value of each virtual register's class takes.
std::vector<uint8_t> UnitsByRegister(const MachineFunction& function);

// The virtual registers that are live at a point, and the number of 32-bit registers that they need.
class LiveUnits {
 public:
  explicit LiveUnits(const MachineFunction& function);
  // `units` says what each virtual register needs, in the place of its class.
  explicit LiveUnits(std::vector<uint8_t> units) : units_of_(std::move(units)), place_(units_of_.size()) {}

  uint32_t units() const { return units_; }
  bool Contains(uint32_t reg) const { return place_[reg] != 0; }
  uint32_t UnitsOf(uint32_t reg) const { return units_of_[reg]; }
  void Add(uint32_t reg);
  void Remove(uint32_t reg);
  void Clear();
  // Replaces the set, not what registers need. Takes time linear in the number of live registers of both.
  void CopyFrom(const LiveUnits& other);

  // Moves the point up over an instruction. Returns the maximum number of units live at that instruction.
  uint32_t StepUp(const MachineInstr& instr);

 private:
  std::vector<uint8_t> units_of_;  // by virtual register
  std::vector<uint32_t> place_;    // by virtual register: 1 + its index in live_, or 0 if it is not live
  std::vector<uint32_t> live_;
  uint32_t units_ = 0;
};

class ScheduleRegion {
 public:
  // All three must outlive the region.
  ScheduleRegion(const MachineFunction& function, const MemoryDependence& memory, const ptx::MachineModel& model)
      : builder_(function, memory, model) {}

  // Builds the dependences of a region. `instrs` are its instructions in order, without debug instructions. None
  // of them is a scheduling boundary.
  void Build(absl::Span<MachineInstr* const> instrs);
  const ScheduleDag& dag() const { return dag_; }

  struct Order {
    std::vector<uint32_t> sequence;  // indices of instructions, from the top
    uint32_t peak = 0;               // the maximum number of units live at one of them
  };
  // Returns an order of the region. On entry, `live` is the set of registers live below the region; on return, the
  // set live above it.
  Order Schedule(ScheduleTie tie, LiveUnits& live);
  // Returns a random order among those that the dependences allow.
  Order Shuffle(SplitMix64& random, LiveUnits& live);

 private:
  // A register that an instruction reads.
  struct Reader {
    uint32_t reg;
    uint32_t node;
  };
  struct Candidate {
    int32_t delta;  // units live above it minus units live below it
    uint32_t tie;   // smaller is better
    uint32_t node;
    bool operator<(const Candidate& other) const {  // for a heap with the best candidate on top
      return delta != other.delta ? delta > other.delta : tie > other.tie;
    }
  };
  void ComputeNeeds();
  void CollectReaders();
  int32_t Delta(uint32_t node, const LiveUnits& live) const;
  uint32_t TieKey(ScheduleTie tie, uint32_t node) const;

  void StartOrder();

  ScheduleDagBuilder builder_;
  ScheduleDag dag_;
  std::vector<uint32_t> needs_;     // by node
  std::vector<Reader> readers_;     // sorted by register
  std::vector<uint32_t> num_left_;  // by node: the number of its dependents that are not placed yet
  std::vector<int32_t> deltas_;     // by node, while it is a candidate
  std::vector<uint32_t> begins_to_live_;
  std::vector<uint32_t> became_ready_;  // by node: when it became ready; 0 if it is not ready yet or already placed
};

}  // namespace ptxmir

#endif  // PTXMIR_PASSES_SCHEDULE_SCHEDULE_REGION_H_
